//! Writes conditions and columns as text for people, and reads from a question which form its answer should have.
//! Pure.

use envelope::{AnswerForm, Condition, Filter, Op, Plan, QuestionIntent};
use search::filter_terms::named_field;
use serde_json::Value;

/// The most values of one condition that are named.
const VALUES_MAX: usize = 4;

/// A column as people say it: `invoice date`.
pub(crate) fn column(field: &str) -> String {
    field.replace('_', " ")
}

/// Each condition in words, the two ends of a range in one.
pub(crate) fn conditions(filter: &Filter) -> Vec<String> {
    let mut worded: Vec<(String, String)> = Vec::new();
    for condition in &filter.0 {
        let (field, said) = one(condition);
        match worded
            .iter_mut()
            .find(|(known, _)| *known == field && !said.is_empty())
        {
            Some((_, known)) => *known = format!("{known} and {said}"),
            None => worded.push((field, said)),
        }
    }
    let worded = worded.into_iter().filter(|(_, said)| !said.is_empty());
    worded
        .map(|(field, said)| format!("{field} {said}"))
        .collect()
}

/// The sides of a comparison in one line, of which one has to hold: `date is before 2020, or is before 2010`. `None` if
/// there are none, or if a side has no condition.
pub(crate) fn sides(sides: &[Filter]) -> Option<String> {
    let worded: Vec<String> = sides
        .iter()
        .map(|side| conditions(side).join(" and "))
        .collect();
    if worded.iter().any(String::is_empty) {
        return None;
    }
    // A field that all sides are on is named once.
    let fields = sides.iter().flat_map(|side| &side.0);
    let mut fields: Vec<String> = fields.map(|condition| one(condition).0).collect();
    fields.dedup();
    let shared = match &fields[..] {
        [field] => format!("{field} "),
        _ => String::new(),
    };
    let (first, rest) = worded.split_first()?;
    let rest = rest.iter().map(|side| {
        let said = side.strip_prefix(&shared).unwrap_or(side);
        format!(", or {said}")
    });
    Some(format!("{first}{}", rest.collect::<String>()))
}

fn one(condition: &Condition) -> (String, String) {
    let field = match named_field(&condition.field) {
        Some("") => "name".to_owned(),
        Some(field) => column(field),
        None => column(&condition.field),
    };
    let value = text(&condition.value);
    let is_day = condition.value.is_string();
    let said = match condition.op {
        Op::Eq | Op::In => format!("is {value}"),
        Op::Ne | Op::NotIn => format!("is not {value}"),
        Op::Gt if is_day => format!("is after {value}"),
        Op::Gt => format!("is over {value}"),
        Op::Gte if is_day => format!("is {value} or later"),
        Op::Gte => format!("is at least {value}"),
        Op::Lt if is_day => format!("is before {value}"),
        Op::Lt => format!("is under {value}"),
        Op::Lte if is_day => format!("is {value} or earlier"),
        Op::Lte => format!("is at most {value}"),
        // That a field is there at all goes with another condition on it.
        Op::Contains if value.is_empty() => String::new(),
        Op::Contains => format!("contains {value}"),
    };
    (field, said)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let more = items.len().saturating_sub(VALUES_MAX);
            let shown: Vec<String> = items.iter().take(VALUES_MAX).map(text).collect();
            match more {
                0 => shown.join(" or "),
                more => format!("{} or {more} more", shown.join(", ")),
            }
        }
        Value::Number(number) => match number
            .as_f64()
            .filter(|n| n.fract() == 0.0 && n.abs() < 1e15)
        {
            Some(whole) => format!("{whole:.0}"),
            None => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// Whether a question is about all documents of some kind, rather than about one.
fn asks_for_all(question: &str) -> bool {
    words(question).any(|word| matches!(word.as_str(), "all" | "every" | "each" | "everything"))
}

/// Whether a question is about all documents that satisfy conditions, by its words or by its plan.
pub(crate) fn asks_of_all(plan: &Plan, question: &str) -> bool {
    plan.intent == QuestionIntent::Summarize || asks_for_all(question)
}

/// The form that the question wants its answer to have.
pub(crate) fn form(question: &str) -> AnswerForm {
    let mut form = AnswerForm::Prose;
    let mut before = String::new();
    for word in words(question) {
        match word.as_str() {
            "csv" | "spreadsheet" => return AnswerForm::Csv,
            "table" if matches!(before.as_str(), "a" | "as") => form = AnswerForm::Table,
            "bullets" | "bulleted" => form = AnswerForm::List,
            _ => {}
        }
        before = word;
    }
    form
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::ConditionOrigin;
    use serde_json::json;

    #[test]
    fn conditions_read_as_sentences() {
        let filter = Filter::parse(
            &json!({
                "bucket": "invoices", "invoice_date": {"gte": "2024-01-01", "lt": "2025-01-01"},
                "total_amount": {"gt": 1000}, "named:vendor": ["Acme", "ACME"], "number": {"contains": ""},
                "site": {"not_in": ["A", "B", "C", "D", "E"]},
            }),
            ConditionOrigin::Planner,
        );
        assert_eq!(
            conditions(&filter.unwrap()),
            [
                "bucket is invoices",
                "invoice date is 2024-01-01 or later and is before 2025-01-01",
                "vendor is Acme or ACME",
                "site is not A, B, C, D or 1 more",
                "total amount is over 1000",
            ]
        );
    }

    #[test]
    fn each_side_is_told_by_itself() {
        let side = |json: Value| Filter::parse(&json, ConditionOrigin::Planner).unwrap();
        let year = |from: &str, until: &str| side(json!({"day": {"gte": from, "lt": until}}));
        let years = [year("2022", "2023"), year("2024", "2025")];
        assert_eq!(
            sides(&years).as_deref(),
            Some("day is 2022 or later and is before 2023, or is 2024 or later and is before 2025")
        );
        let mixed = [
            side(json!({"site": "Leeds"})),
            side(json!({"total": {"gt": 1}})),
        ];
        assert_eq!(
            sides(&mixed).as_deref(),
            Some("site is Leeds, or total is over 1")
        );
        assert_eq!(sides(&[]), None);
        assert_eq!(sides(&[mixed[0].clone(), Filter::default()]), None);
    }

    #[test]
    fn a_form_is_said() {
        assert_eq!(form("List all invoices as CSV"), AnswerForm::Csv);
        assert_eq!(form("Show them as a table."), AnswerForm::Table);
        assert_eq!(form("Which table lists invoices?"), AnswerForm::Prose);
        assert!(asks_for_all("Summarize all contracts") && !asks_for_all("Is it small?"));
    }
}
