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
