//! Reads how a model understands a question: its class, intent, topics and form of answer. Pure.
//!
//! Each field of the reply is optional. Where a field is missing, rules read it from the question. Rules also replace
//! a field of a wrong type or with an unknown word, and the trail says so. *Not* here: keywords,
//! queries and files, and the conditions that a question states, which the retriever reads.

use crate::bucket_note::BucketNote;
use envelope::limits::{TOPIC_CHARS_MAX, TOPICS_MAX};
use envelope::{Bucket, Fallback, Plan, QuestionClass, SearchStrategy};
use serde::de::DeserializeOwned;
use serde_json::Value;
use text::{one_line, question};

/// The result of reading.
pub(crate) struct MeaningReading {
    /// A plan with everything except what to search for.
    pub(crate) plan: Plan,
    /// Whether the model states any of it, its class among them.
    pub(crate) is_said: bool,
    pub(crate) class_is_said: bool,
    /// That fields were defaulted, if some were.
    pub(crate) fallbacks: Vec<Fallback>,
}

/// The fields, with a note of those that are wrong.
struct Fields<'a> {
    object: &'a Value,
    wrong: Vec<String>,
    is_said: bool,
}

/// A plan with what rules read in a question, and without what to search for.
pub(crate) fn by_rules(question: &str) -> Plan {
    let reading = question::read(question);
    Plan {
        class: reading.class,
        intent: reading.intent,
        strategy: match reading.is_literal {
            true => SearchStrategy::Keyword,
            false => SearchStrategy::Hybrid,
        },
        form: reading.form,
        no_citations: reading.declines_citations,
        ..Plan::default()
    }
}

/// What `object` says of `question`, completed by rules.
pub(crate) fn read(object: &Value, question: &str, buckets: &[BucketNote]) -> MeaningReading {
    let mut plan = by_rules(question);
    let mut fields = Fields {
        object,
        wrong: Vec::new(),
        is_said: false,
    };
    let class = fields.take("class", word::<QuestionClass>);
    let class_is_said = class.is_some();
    plan.class = class.unwrap_or(plan.class);
    plan.intent = fields.take("intent", word).unwrap_or(plan.intent);
    plan.strategy = fields.take("strategy", word).unwrap_or(plan.strategy);
    plan.form = fields.take("output", word).unwrap_or(plan.form);
    let cites = fields.take("citations", Value::as_bool);
    plan.no_citations = cites.map_or(plan.no_citations, |cites| !cites);
    plan.topics = fields.take("topics", topics).unwrap_or_default();
    let hints = fields.take("buckets", |value| hints(value, buckets));
    plan.bucket_hints = hints.unwrap_or_default();
    let Fields { wrong, is_said, .. } = fields;
    let defaulted = (!wrong.is_empty()).then_some(Fallback::PlanFieldsDefaulted { fields: wrong });
    MeaningReading {
        plan,
        is_said,
        class_is_said,
        fallbacks: defaulted.into_iter().collect(),
    }
}

impl Fields<'_> {
    fn take<T>(&mut self, name: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
        let value = self.object.get(name).filter(|value| !value.is_null())?;
        let said = read(value);
        match said {
            Some(_) => self.is_said = true,
            None => self.wrong.push(name.to_owned()),
        }
        said
    }
}

/// One of the words of `T`. Small models write them with blanks, hyphens and capitals.
fn word<T: DeserializeOwned>(value: &Value) -> Option<T> {
    let word = value
        .as_str()?
        .trim()
        .to_lowercase()
        .replace([' ', '-'], "_");
    serde_json::from_value(Value::String(word)).ok()
}

fn topics(value: &Value) -> Option<Vec<String>> {
    let listed = value
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .map(one_line);
    let fits = |topic: &String| (1..=TOPIC_CHARS_MAX).contains(&topic.chars().count());
    Some(listed.filter(fits).take(TOPICS_MAX).collect())
}

/// The named buckets, as far as the model was told of them.
fn hints(value: &Value, known: &[BucketNote]) -> Option<Vec<Bucket>> {
    let mut hints: Vec<Bucket> = Vec::new();
    for name in value.as_array()?.iter().filter_map(Value::as_str) {
        let Ok(bucket) = Bucket::new(name.trim()) else {
            continue;
        };
        let is_there = known.iter().any(|note| note.bucket == bucket);
        if is_there && !hints.contains(&bucket) {
            hints.push(bucket);
        }
    }
    Some(hints)
}
