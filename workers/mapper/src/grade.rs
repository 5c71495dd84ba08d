//! Reads how much a passage helps from the grade in a model's reply, in whatever notation it is written.

use llm::json;
use serde_json::Value;

/// The names under which a grade is looked for: the one that the prompt asks for, then the ones that models write
/// instead and that an operator's own prompt may ask for.
const NAMES: [&str; 4] = ["grade", "relevant", "relevance", "score"];

/// A grade as the model states it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Grade {
    /// A grade from 0 to 1.
    Said(f32),
    /// Another number. Its scale is not known: 8 may be of 10 or of 100.
    Outside(f64),
}

/// The grade among the fields of an object.
pub(crate) fn of_object(object: &Value) -> Option<Grade> {
    let mut values = NAMES.iter().filter_map(|name| object.get(name));
    values.find_map(of_value)
}

/// The grade in a text that is no object; where several are named, the last one.
pub(crate) fn of_text(text: &str) -> Option<Grade> {
    NAMES.iter().find_map(|name| {
        let number = json::field_number(text, name).map(of_number);
        number.or_else(|| json::field_bool(text, name).map(of_flag))
    })
}

fn of_value(value: &Value) -> Option<Grade> {
    match value {
        Value::Bool(flag) => Some(of_flag(*flag)),
        Value::Number(number) => number.as_f64().map(of_number),
        Value::String(word) => of_word(word.trim()),
        Value::Array(_) | Value::Object(_) | Value::Null => None,
    }
}

/// The grade of a word such as `yes`, `0.8`, `80 %` and `8/10`.
fn of_word(word: &str) -> Option<Grade> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "yes" => return Some(of_flag(true)),
        "false" | "no" => return Some(of_flag(false)),
        _ => {}
    }
    if let Some(percent) = word.strip_suffix('%') {
        let percent: f64 = percent.trim_end().parse().ok()?;
        return Some(of_number(percent / 100.0));
    }
    if let Some((part, whole)) = word.split_once('/') {
        let (part, whole): (f64, f64) = (part.trim().parse().ok()?, whole.trim().parse().ok()?);
        return Some(of_number(part / whole));
    }
    word.parse().ok().map(of_number)
}

fn of_flag(flag: bool) -> Grade {
    Grade::Said(if flag { 1.0 } else { 0.0 })
}

fn of_number(number: f64) -> Grade {
    match (0.0..=1.0).contains(&number) {
        true => Grade::Said(number as f32),
        false => Grade::Outside(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_grade_in_every_dress() {
        for (value, grade) in [
            (json!(0.7), Some(Grade::Said(0.7))),
            (json!(1), Some(Grade::Said(1.0))),
            (json!(true), Some(Grade::Said(1.0))),
            (json!(false), Some(Grade::Said(0.0))),
            (json!("Yes"), Some(Grade::Said(1.0))),
            (json!(" no "), Some(Grade::Said(0.0))),
            (json!("0.25"), Some(Grade::Said(0.25))),
            (json!("80 %"), Some(Grade::Said(0.8))),
            (json!("8/10"), Some(Grade::Said(0.8))),
            (json!(85), Some(Grade::Outside(85.0))),
            (json!(-0.1), Some(Grade::Outside(-0.1))),
            (json!("7"), Some(Grade::Outside(7.0))),
            (json!("high"), None),
            (json!(null), None),
            (json!([0.5]), None),
        ] {
            let read = of_object(&json!({ "grade": value }));
            assert_eq!(read, grade, "{value}");
        }
        // Nothing of nothing is no number.
        assert!(matches!(of_word("0/0"), Some(Grade::Outside(_))));
    }

    #[test]
    fn what_the_prompt_asks_for_comes_first() {
        let both = json!({"relevant": true, "grade": 0.2});
        assert_eq!(of_object(&both), Some(Grade::Said(0.2)));
        let unreadable = json!({"relevant": true, "grade": "high"});
        assert_eq!(of_object(&unreadable), Some(Grade::Said(1.0)));
        assert_eq!(of_text("\"relevant\": true, "), Some(Grade::Said(1.0)));
        assert_eq!(of_text("\"grade\": 3, "), Some(Grade::Outside(3.0)));
        assert_eq!(of_text("grade: 1, "), None);
    }
}
