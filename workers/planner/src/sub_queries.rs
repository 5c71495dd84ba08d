//! Reads the sub-queries that a model wrote, and leaves out those that cannot be searched for.

use crate::fingerprint::Fingerprint;
use envelope::limits::{SUB_QUERY_CHARS_MAX, TOPIC_CHARS_MAX};
use serde_json::Value;
use text::{line_of, one_line, words};

/// The sub-queries that were taken from the field `sub_queries`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SubQueryReading {
    pub(crate) queries: Vec<String>,
    /// What each sub-query is for, in the same order; empty where it does not say, and shorter where the last ones do
    /// not.
    pub(crate) purposes: Vec<String>,
}

impl SubQueryReading {
    /// Keeps the first `most` and returns how many were left out.
    pub(crate) fn cut(&mut self, most: usize) -> u16 {
        let over = self.queries.len().saturating_sub(most);
        self.queries.truncate(most);
        self.purposes.truncate(most);
        u16::try_from(over).unwrap_or(u16::MAX)
    }
}

/// The sub-queries, which are texts, or objects of a query and its purpose. A sub-query that repeats another one or
/// the question, is no search, or shares no word with the question (small models copy examples) is left out silently.
pub(crate) fn read(object: &Value, question: &str) -> SubQueryReading {
    let listed = object.get("sub_queries").and_then(Value::as_array);
    let asked = words::content(question);
    let mut known = vec![question.to_owned()];
    let mut reading = SubQueryReading::default();
    for one in listed.into_iter().flatten() {
        let text = one.as_str().or_else(|| one.get("query")?.as_str());
        let text = one_line(text.unwrap_or_default());
        let purpose = one.get("purpose").and_then(Value::as_str);
        let fits = (1..=SUB_QUERY_CHARS_MAX).contains(&text.chars().count());
        let about = words::content(&text).iter().any(|w| asked.contains(w));
        if !fits || !about || Fingerprint::of(&text).is_among(&known) {
            continue;
        }
        known.push(text.clone());
        reading.queries.push(text);
        let purpose = line_of(purpose.unwrap_or_default(), TOPIC_CHARS_MAX);
        reading.purposes.push(purpose);
    }
    while reading.purposes.last().is_some_and(String::is_empty) {
        reading.purposes.pop();
    }
    reading
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const QUESTION: &str = "Is the notice period of Acme longer than that of Bolt?";

    fn of(listed: Value) -> SubQueryReading {
        read(&json!({"sub_queries": listed}), QUESTION)
    }

    fn queries(listed: Value) -> Vec<String> {
        of(listed).queries
    }

    #[test]
    fn what_can_be_searched_for_is_kept_in_order() {
        let both = ["notice period of Acme", "notice period of Bolt"];
        assert_eq!(queries(json!(both)), both);
        for nothing in [json!(null), json!("Acme"), json!([]), json!([1, null, {}])] {
            assert_eq!(of(nothing), SubQueryReading::default());
        }
        assert_eq!(read(&json!({}), QUESTION), SubQueryReading::default());
    }

    #[test]
    fn a_purpose_stands_beside_its_query() {
        let listed = json!([
            {"query": "notice period of Acme", "purpose": " one\nside "},
            "notice period of Bolt",
            {"query": "Acme or Bolt", "purpose": "both"},
            {"query": "Bolt", "purpose": 7},
        ]);
        let mut reading = of(listed);
        assert_eq!(reading.purposes, ["one side", "", "both"]);
        assert_eq!(reading.queries.len(), 4);
        assert_eq!(reading.cut(2), 2);
        assert_eq!((reading.queries.len(), reading.purposes.len()), (2, 2));
        assert_eq!(reading.cut(2), 0);
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
        assert_eq!(queries(listed), ["Acme: notice period"]);
    }
}
