//! Applies a schema to a document: it sets the document's columns as typed metadata, and reports the values that do
//! not fit and the columns that are missing.

use super::rule::{RulePlace, Text, Tried};
use super::value::UnfitValue;
use super::{Column, Table};
use documents::Document;
use serde::Serialize;
use serde_json::Value;

/// The most bytes that all columns of a document may have together, because every chunk carries them.
const COLUMNS_BYTES_MAX: usize = 4 * 1024;
/// The name of the publisher's own value, which comes before the rules.
const BY_PUBLISHER: &str = "said by the publisher";

/// The result of setting the columns of a document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SchemaResult {
    /// How many columns have a value.
    pub found: u32,
    /// The columns without a value, as indexes of the table.
    pub missing: Vec<usize>,
    /// The values that do not fit.
    pub misfits: Vec<Misfit>,
}

/// A value that does not fit its column and was left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{column}`: {unfit}")]
pub struct Misfit {
    /// The column.
    pub column: String,
    /// The value, and why it does not fit.
    pub unfit: UnfitValue,
}

/// A column and all that was tried for it, for people who write schemas.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnTrace {
    /// The column.
    pub column: String,
    /// The value that the column gets.
    pub value: Option<Value>,
    /// The publisher's value and the result of each rule, in order.
    pub attempts: Vec<Attempt>,
    /// Whether a model would be asked for the column.
    pub asks_model: bool,
}

/// One search for a value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attempt {
    /// The rule in a few words, or `said by the publisher` for the publisher's value, which comes first.
    pub rule: String,
    /// The value that it found.
    pub value: Option<Value>,
    /// The place of the value in the document.
    pub place: Option<RulePlace>,
    /// The text at that place, cut; for a value that does not fit, the reason.
    pub said: Option<String>,
}

impl Table {
    /// Sets the columns of a document. A value that does not fit is removed, and fields that are no columns stay as
    /// they are.
    pub fn apply(&self, document: &mut Document) -> SchemaResult {
        let mut applied = SchemaResult::default();
        let mut values: Vec<(String, Value)> = Vec::new();
        let text = Text::new(document);
        for (at, column) in self.columns.iter().enumerate() {
            let said = column.publisher(document);
            let mut unfit = said.unfit.map(|(unfit, _)| unfit);
            let mut found = said.found;
            for rule in &column.rules {
                if found.is_some() {
                    break;
                }
                let tried = rule.run(&column.form, &text);
                found = tried.found;
                unfit = unfit.or(tried.unfit.map(|(unfit, _)| unfit));
            }
            // What a rule caught in vain is forgotten once another one has found a value; what the
            // publisher said is not.
            let by_publisher = document.metadata.contains_key(&column.name);
            if let Some(unfit) = unfit.filter(|_| found.is_none() || by_publisher) {
                let column = column.name.clone();
                applied.misfits.push(Misfit { column, unfit });
            }
            match found {
                Some((value, ..)) => values.push((column.name.clone(), value)),
                None => applied.missing.push(at),
            }
        }
        for column in &self.columns {
            document.metadata.remove(&column.name);
        }
        for (name, value) in values {
            match self.set(document, &name, value) {
                Ok(()) => applied.found += 1,
                Err(unfit) => applied.misfits.push(Misfit {
                    column: name,
                    unfit,
                }),
            }
        }
        applied
    }

    /// Sets a column while there is room in the metadata.
    pub(crate) fn set(
        &self,
        document: &mut Document,
        name: &str,
        value: Value,
    ) -> Result<(), UnfitValue> {
        let size = |name: &str, value: &Value| name.len() + value.to_string().len();
        let of = |column: &Column| {
            let value = document.metadata.get(&column.name);
            value.map_or(0, |value| size(&column.name, value))
        };
        let taken: usize = self.columns.iter().map(of).sum();
        if taken + size(name, &value) > COLUMNS_BYTES_MAX {
            let why = "has no room: all columns of a document together have 4 KiB";
            return Err(UnfitValue::new(&value.to_string(), why));
        }
        document.metadata.insert(name.to_owned(), value);
        Ok(())
    }

    /// All values that can be found for the columns of a document. The document is not changed.
    pub fn trace(&self, document: &Document) -> Vec<ColumnTrace> {
        let text = Text::new(document);
        let trace = |column: &Column| {
            let said = attempt(BY_PUBLISHER, column.publisher(document));
            let rules = column.rules.iter();
            let rules = rules.map(|rule| attempt(&rule.said, rule.run(&column.form, &text)));
            let attempts: Vec<Attempt> = said.into_iter().chain(rules.flatten()).collect();
            let value = attempts.iter().find_map(|attempt| attempt.value.clone());
            ColumnTrace {
                column: column.name.clone(),
                asks_model: column.is_asked && value.is_none(),
                value,
                attempts,
            }
        };
        self.columns.iter().map(trace).collect()
    }
}

impl Column {
    /// The value that the publisher or the document itself states under the name of the column.
    fn publisher(&self, document: &Document) -> Tried {
        let Some(said) = document.metadata.get(&self.name) else {
            return Tried::default();
        };
        let place = RulePlace::Metadata(self.name.clone());
        match self.form.value(said) {
            Ok(value) => Tried {
                found: Some((value, place, said.to_string())),
                unfit: None,
            },
            Err(unfit) => Tried {
                found: None,
                unfit: Some((unfit, place)),
            },
        }
    }
}

/// `None` where the publisher states nothing; that does not count as a rule without a result.
fn attempt(rule: &str, tried: Tried) -> Option<Attempt> {
    let (value, place, said) = match (tried.found, tried.unfit) {
        (Some((value, place, said)), _) => (Some(value), Some(place), Some(said)),
        (None, Some((unfit, place))) => (None, Some(place), Some(unfit.to_string())),
        (None, None) if rule == BY_PUBLISHER => return None,
        (None, None) => (None, None, None),
    };
    Some(Attempt {
        rule: rule.to_owned(),
        value,
        place,
        said,
    })
}
