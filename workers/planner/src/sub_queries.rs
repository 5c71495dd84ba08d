//! The sub-queries that a model wrote, as far as they can be searched for.

use crate::fingerprint::Fingerprint;
use envelope::limits::{SUB_QUERIES_MAX, SUB_QUERY_CHARS_MAX};
use serde_json::Value;
use text::words;

/// What is taken of the field `sub_queries`, and how many were left out because there were too many.
/// What repeats another one or the question, is no search, or shares no word with the question (small
/// models copy examples) is not counted.
pub(crate) fn read(object: &Value, question: &str) -> (Vec<String>, u16) {
    let listed = object.get("sub_queries").and_then(Value::as_array);
    let asked = words::content(question);
    let mut known = vec![question.to_owned()];
    let mut kept = Vec::new();
    let mut trimmed = 0;
    for text in listed.into_iter().flatten().filter_map(Value::as_str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let fits = (1..=SUB_QUERY_CHARS_MAX).contains(&text.chars().count());
        let about = words::content(&text).iter().any(|w| asked.contains(w));
        if !fits || !about || Fingerprint::of(&text).is_among(&known) {
            continue;
        }
        if kept.len() == SUB_QUERIES_MAX {
            trimmed += 1;
            continue;
        }
        known.push(text.clone());
        kept.push(text);
    }
    (kept, trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const QUESTION: &str = "Is the notice period of Acme longer than that of Bolt?";

    fn of(listed: Value) -> (Vec<String>, u16) {
        read(&json!({"sub_queries": listed}), QUESTION)
    }

    #[test]
    fn what_can_be_searched_for_is_kept_in_order() {
        let both = ["notice period of Acme", "notice period of Bolt"];
        assert_eq!(of(json!(both)), (both.map(str::to_owned).to_vec(), 0));
        for nothing in [json!(null), json!("Acme"), json!([]), json!([1, null, {}])] {
            assert_eq!(of(nothing), (vec![], 0));
        }
        assert_eq!(read(&json!({}), QUESTION), (vec![], 0));
    }

    #[test]
    fn what_says_nothing_new_is_left_out() {
        let listed = json!([
            QUESTION,
            "  Acme:\n notice  period ",
            "the notice period of ACME",
            "guarantee of the Delta pump",
            "Bolt ".repeat(200),
        ]);
        assert_eq!(of(listed), (vec!["Acme: notice period".to_owned()], 0));
    }

    #[test]
    fn too_many_are_counted() {
        let listed: Vec<String> = (0..7).map(|n| format!("notice period {n}")).collect();
        let (kept, trimmed) = of(json!(listed));
        assert_eq!((kept.len(), trimmed), (SUB_QUERIES_MAX, 3));
        assert_eq!(kept[0], "notice period 0");
    }
}
