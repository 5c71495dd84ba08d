//! Converts a written value into a value of its column's type, or tells why that is impossible. Pure.

use super::date::{self, DateOrder};
use super::number::{self, Decimal};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest text, in characters.
const TEXT_CHARS_MAX: usize = 200;
/// Most items of a list.
pub(crate) const ITEMS_MAX: usize = 20;
/// How much of a value that does not fit is shown, in characters.
const SHOWN_CHARS: usize = 40;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueKind {
    /// Any text.
    #[serde(rename = "text")]
    Text,
    /// A number.
    #[serde(rename = "number")]
    Number,
    /// A day, `2024-03-29`.
    #[serde(rename = "date")]
    Date,
    /// Yes or no.
    #[serde(rename = "bool")]
    Bool,
    /// Several texts.
    #[serde(rename = "list of text")]
    List,
}

impl ValueKind {
    /// The type's word in a schema.
    pub const fn as_str(self) -> &'static str {
        match self {
            ValueKind::Text => "text",
            ValueKind::Number => "number",
            ValueKind::Date => "date",
            ValueKind::Bool => "bool",
            ValueKind::List => "list of text",
        }
    }
}

/// How the values of a column are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValueForm {
    /// Their type.
    pub kind: ValueKind,
    /// The unit of a number. A currency is checked; any other unit is only shown.
    pub unit: Option<String>,
    /// The decimal separator, if documents leave it open.
    pub decimal: Option<Decimal>,
    /// Whether the day or the month comes first, where documents leave it open.
    pub order: Option<DateOrder>,
}

/// A value that does not fit its column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{said}` {why}")]
pub struct UnfitValue {
    /// The value as it was stated, cut.
    pub said: String,
    /// Why the value does not fit.
    pub why: &'static str,
}

impl UnfitValue {
    pub(crate) fn new(said: &str, why: &'static str) -> UnfitValue {
        let said = text::shortened(said, SHOWN_CHARS);
        UnfitValue { said, why }
    }
}

impl ValueForm {
    /// Converts a JSON value into a value of the column. A string is parsed as people write such values.
    pub fn value(&self, said: &Value) -> Result<Value, UnfitValue> {
        let unfit = || self.unfit(&said.to_string());
        match (self.kind, said) {
            (_, Value::String(text)) => self.read(text),
            (ValueKind::Number, Value::Number(_)) | (ValueKind::Bool, Value::Bool(_)) => {
                Ok(said.clone())
            }
            (ValueKind::List, Value::Array(items)) => list(items.iter().filter_map(plain), unfit),
            // A list of one, as some writers have it.
            (_, Value::Array(items)) if items.len() == 1 && !items[0].is_array() => {
                self.value(&items[0])
            }
            (ValueKind::Text | ValueKind::Date | ValueKind::Bool, Value::Number(number)) => {
                self.read(&number.to_string())
            }
            (ValueKind::Text, Value::Bool(_)) => self.read(&said.to_string()),
            (ValueKind::List, Value::Number(_) | Value::Bool(_)) => self.read(&said.to_string()),
            _ => Err(unfit()),
        }
    }

    /// Parses a text that contains the value and nothing else.
    pub fn read(&self, text: &str) -> Result<Value, UnfitValue> {
        let text = text.trim();
        let value = match self.kind {
            ValueKind::Text => plain_text(text).map(Value::String),
            ValueKind::Number => return self.number(text),
            ValueKind::Date => date::whole(text, self.order).map(Value::String),
            ValueKind::Bool => truth(text).map(Value::Bool),
            ValueKind::List => {
                return list(text.split([',', ';']).map(str::to_owned), || {
                    self.unfit(text)
                });
            }
        };
        value.ok_or_else(|| self.unfit(text))
    }

    fn number(&self, text: &str) -> Result<Value, UnfitValue> {
        let found = number::whole(text, self.decimal).ok_or_else(|| self.unfit(text))?;
        if !self.is_currency(found.currency) {
            return Err(UnfitValue::new(text, "is in another currency"));
        }
        number::to_json(found.value).ok_or_else(|| self.unfit(text))
    }

    /// The first value that stands in a text with other words around it. For a text column, that is the beginning of
    /// the text, up to the end of a sentence or a cell.
    pub(crate) fn first_in(&self, text: &str) -> Option<Value> {
        match self.kind {
            ValueKind::Number => self.numbers_in(text).next(),
            ValueKind::Date => self.days_in(text).next(),
            ValueKind::Bool => truth(text.split_whitespace().next()?).map(Value::Bool),
            ValueKind::Text => self.read(phrase(text)).ok(),
            ValueKind::List => self.read(phrase(text)).ok(),
        }
    }

    /// Whether a value stands in a text, however it is written there.
    pub(crate) fn stands_in(&self, value: &Value, text: &str) -> bool {
        match self.kind {
            ValueKind::Number => self.numbers_in(text).any(|n| n.as_f64() == value.as_f64()),
            ValueKind::Date => self.days_in(text).any(|day| day == *value),
            ValueKind::Bool => false,
            ValueKind::Text => value.as_str().is_some_and(|said| has_words(text, said)),
            ValueKind::List => value.as_array().is_some_and(|items| {
                let stands = |item: &Value| item.as_str().is_some_and(|i| has_words(text, i));
                !items.is_empty() && items.iter().all(stands)
            }),
        }
    }

    fn numbers_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Value> + 'a {
        number::numbers(text, self.decimal)
            .filter(|found| self.is_currency(found.currency))
            .filter_map(|found| number::to_json(found.value))
    }

    fn days_in(&self, text: &str) -> impl Iterator<Item = Value> + use<> {
        let days = date::days(text, self.order).into_iter();
        days.map(|found| Value::String(found.day))
    }

    /// Whether a number with this currency may be in the column.
    fn is_currency(&self, currency: Option<&'static str>) -> bool {
        let wanted = self.unit.as_deref().and_then(number::currency);
        match (wanted, currency) {
            (Some(wanted), Some(said)) => wanted == said,
            _ => true,
        }
    }

    fn unfit(&self, said: &str) -> UnfitValue {
        let why = match self.kind {
            _ if said.is_empty() => "is empty",
            ValueKind::Text => "is no text",
            ValueKind::Number => "is no number",
            ValueKind::Date => "is no day",
            ValueKind::Bool => "is neither yes nor no",
            ValueKind::List => "is no list of text",
        };
        UnfitValue::new(said, why)
    }
}

/// The text on one line, without blanks in a row, cut; `None` when nothing is left.
fn plain_text(text: &str) -> Option<String> {
    let text = text::line_of(text, TEXT_CHARS_MAX);
    (!text.is_empty()).then_some(text)
}

/// A scalar as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The items, each once, in the order in which they came.
fn list(
    items: impl Iterator<Item = String>,
    unfit: impl FnOnce() -> UnfitValue,
) -> Result<Value, UnfitValue> {
    let mut kept: Vec<String> = Vec::new();
    for item in items.filter_map(|item| plain_text(&item)) {
        if kept.len() < ITEMS_MAX && !kept.contains(&item) {
            kept.push(item);
        }
    }
    match kept.is_empty() {
        true => Err(unfit()),
        false => Ok(Value::from(kept)),
    }
}

fn truth(word: &str) -> Option<bool> {
    let word = word
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    match word.as_str() {
        "true" | "yes" | "y" | "ja" | "j" | "1" => Some(true),
        "false" | "no" | "n" | "nein" | "0" => Some(false),
        _ => None,
    }
}

/// The beginning of a line up to two blanks, a cell or the end of a sentence.
fn phrase(text: &str) -> &str {
    let ends = ["  ", "\t", "|", ". "].map(|end| text.find(end).unwrap_or(text.len()));
    let end = ends.into_iter().min().unwrap_or(text.len());
    text[..end].trim().trim_end_matches(['.', ',', ';', ':'])
}

/// Whether the words stand in a text as whole words and in their order; case and blanks do not matter.
fn has_words(text: &str, words: &str) -> bool {
    let fold = |text: &str| {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        words.join(" ")
    };
    let (text, words) = (fold(text), fold(words));
    let is_edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    !words.is_empty()
        && text.match_indices(&words).any(|(at, _)| {
            is_edge(text[..at].chars().next_back())
                && is_edge(text[at + words.len()..].chars().next())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn form(kind: ValueKind) -> ValueForm {
        ValueForm {
            kind,
            unit: None,
            decimal: None,
            order: None,
        }
    }

    #[test]
    fn what_was_said_becomes_a_value_of_the_type() {
        for (kind, said, value) in [
            (ValueKind::Number, json!("1.234,50 EUR"), json!(1234.5)),
            (ValueKind::Number, json!(1203.5), json!(1203.5)),
            (ValueKind::Number, json!(["7"]), json!(7)),
            (ValueKind::Date, json!("3 March 2024"), json!("2024-03-03")),
            (ValueKind::Date, json!(20240303), json!("2024-03-03")),
            (ValueKind::Bool, json!("Ja."), json!(true)),
            (ValueKind::Bool, json!(0), json!(false)),
            (ValueKind::Text, json!("  two\n words "), json!("two words")),
            (ValueKind::Text, json!(7), json!("7")),
            (
                ValueKind::List,
                json!("red, blue; red,"),
                json!(["red", "blue"]),
            ),
            (
                ValueKind::List,
                json!(["red", 3, null]),
                json!(["red", "3"]),
            ),
        ] {
            assert_eq!(form(kind).value(&said), Ok(value), "{said}");
        }
        for (kind, said, why) in [
            (ValueKind::Number, json!("n/a"), "`n/a` is no number"),
            (ValueKind::Number, json!(true), "`true` is no number"),
            (
                ValueKind::Date,
                json!("March 2024"),
                "`March 2024` is no day",
            ),
            (
                ValueKind::Bool,
                json!("perhaps"),
                "`perhaps` is neither yes nor no",
            ),
            (ValueKind::Text, json!(" "), "`` is empty"),
            (
                ValueKind::List,
                json!({"a": 1}),
                "`{\"a\":1}` is no list of text",
            ),
        ] {
            let unfit = form(kind).value(&said).unwrap_err();
            assert_eq!(unfit.to_string(), why);
        }
    }

    #[test]
    fn a_currency_is_held_to() {
        let euros = ValueForm {
            unit: Some("EUR".into()),
            ..form(ValueKind::Number)
        };
        assert_eq!(euros.read("€ 5.50"), Ok(json!(5.5)));
        assert_eq!(euros.read("5.50"), Ok(json!(5.5)));
        let dollars = euros.read("USD 5.50").unwrap_err();
        assert_eq!(dollars.to_string(), "`USD 5.50` is in another currency");
        assert_eq!(
            euros.first_in("USD 5.50, that is 5.10 EUR"),
            Some(json!(5.1))
        );
    }

    #[test]
    fn the_first_value_among_words() {
        let first = |kind, text| form(kind).first_in(text);
        let line = "29 March 2024. Period: March 2024. Payment due: 28 April 2024";
        assert_eq!(first(ValueKind::Date, line), Some(json!("2024-03-29")));
        assert_eq!(first(ValueKind::Text, line), Some(json!("29 March 2024")));
        assert_eq!(
            first(ValueKind::Number, "CL-24-0317 is EUR 4,814.48."),
            Some(json!(4814.48))
        );
        assert_eq!(
            first(ValueKind::Bool, "yes, with thanks"),
            Some(json!(true))
        );
        assert_eq!(
            first(ValueKind::List, "red, blue  | 4"),
            Some(json!(["red", "blue"]))
        );
        assert_eq!(first(ValueKind::Text, "  "), None);
    }

    #[test]
    fn a_value_stands_in_a_text_however_it_is_written() {
        let text = "Total 1.234,50 EUR on 3 March 2024,\n for Acme\n Ltd";
        for (kind, value, stands) in [
            (ValueKind::Number, json!(1234.5), true),
            (ValueKind::Number, json!(1234), false),
            (ValueKind::Date, json!("2024-03-03"), true),
            (ValueKind::Text, json!("acme ltd"), true),
            (ValueKind::Text, json!("cme"), false),
            (ValueKind::Text, json!(""), false),
            (ValueKind::List, json!(["Acme", "Total"]), true),
            (ValueKind::List, json!(["Acme", "Bolt"]), false),
        ] {
            assert_eq!(form(kind).stands_in(&value, text), stands, "{value}");
        }
    }
}
