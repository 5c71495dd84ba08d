//! Reads how a model understands a question: its class, intent, conditions and form of answer. Pure.
//!
//! Each field of the reply is optional. Where a field is missing, rules read it from the question. Rules also replace
//! a field of a wrong type or with an unknown word, and the trail says so. *Not* here: keywords, queries and files.

use crate::bucket_note::BucketNote;
use crate::constraints;
use crate::lists::ListLimits;
use crate::rules;
use envelope::limits::{TOPIC_CHARS_MAX, TOPICS_MAX};
use envelope::{Bucket, Fallback, Plan, QuestionClass};
use serde::de::DeserializeOwned;
use serde_json::Value;
use text::one_line;

/// The result of reading.
pub(crate) struct MeaningReading {
    /// A plan with everything except what to search for.
    pub(crate) plan: Plan,
    /// Whether the model states any of it, its class among them.
    pub(crate) is_said: bool,
    pub(crate) class_is_said: bool,
    /// The fallbacks for fields that were left out or defaulted.
    pub(crate) fallbacks: Vec<Fallback>,
}

/// A field of the model's reply: missing, of a wrong type, or given.
enum Field<T> {
    Missing,
    Wrong,
    Said(T),
}

/// The fields, with a note of those that are wrong.
struct Fields<'a> {
    object: &'a Value,
    wrong: Vec<String>,
    is_said: bool,
}

/// What rules read in a question.
pub(crate) fn by_rules(question: &str, limits: &ListLimits) -> MeaningReading {
    read(&Value::Null, question, limits, &[])
}

/// What `object` says of `question`, completed by rules.
pub(crate) fn read(
    object: &Value,
    question: &str,
    limits: &ListLimits,
    buckets: &[BucketNote],
) -> MeaningReading {
    let rules = rules::read(question);
    let mut plan = rules.plan;
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
    let topics = fields.take("topics", topics);
    plan.topics = topics
        .filter(|said| !said.is_empty())
        .unwrap_or(plan.topics);
    let hints = fields.take("buckets", |value| hints(value, buckets));
    plan.bucket_hints = hints.unwrap_or_default();
    let listed = fields.take("constraints", |value| value.as_array().cloned());
    let listed = listed.unwrap_or_default();
    let found = constraints::read(&listed, question, plan.constraints, limits.constraints);
    plan.constraints = found.taken;
    let mut fallbacks = Vec::new();
    if !fields.wrong.is_empty() {
        let fields = fields.wrong;
        fallbacks.push(Fallback::PlanFieldsDefaulted { fields });
    }
    if found.unsaid > 0 {
        let count = counted(found.unsaid);
        fallbacks.push(Fallback::ConstraintsUnsaid { count });
    }
    if found.over + rules.constraints_over > 0 {
        let count = counted(found.over + rules.constraints_over);
        fallbacks.push(Fallback::ConstraintsTrimmed { count });
    }
    MeaningReading {
        plan,
        is_said: fields.is_said,
        class_is_said,
        fallbacks,
    }
}

fn counted(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

impl Fields<'_> {
    fn take<T>(&mut self, name: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
        let field = match self.object.get(name).filter(|value| !value.is_null()) {
            None => Field::Missing,
            Some(value) => read(value).map_or(Field::Wrong, Field::Said),
        };
        match field {
            Field::Missing => None,
            Field::Wrong => {
                self.wrong.push(name.to_owned());
                None
            }
            Field::Said(said) => {
                self.is_said = true;
                Some(said)
            }
        }
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

#[cfg(test)]
#[path = "meaning_tests.rs"]
mod tests;
