//! Reads the reply of a large model that chooses a bucket, which is the first of two calls for a plan. The reply
//! names one bucket or none, and says what the question wants. This file also has the schema of the reply. Pure.
//! *Not* here: the call itself ([`choosing`](crate::choosing)).

use crate::bucket_note::BucketNote;
use envelope::{Bucket, QuestionIntent};
use llm::{ReplySchema, json};
use serde_json::{Value, json};

/// The result of the first call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BucketChoice {
    /// The chosen bucket; `None` where no bucket fits better than the others.
    pub(crate) bucket: Option<Bucket>,
    /// What the question wants, where the model says so.
    pub(crate) intent: Option<QuestionIntent>,
    /// Whether the reply says anything of a bucket, if only that none fits better.
    pub(crate) is_said: bool,
}

/// The choice among the buckets that the model was told of; `None` when the reply cannot be read, or names another
/// bucket.
pub(crate) fn read(answer: &str, known: &[BucketNote]) -> Option<BucketChoice> {
    let (object, _) = json::read_object(answer)?;
    let said = |field: &str| object.get(field).filter(|value| !value.is_null());
    let intent = said("intent").and_then(Value::as_str);
    let intent = intent.and_then(|word| {
        let word = word.trim().to_lowercase();
        QuestionIntent::ALL
            .into_iter()
            .find(|one| one.as_str() == word)
    });
    let bucket = match said("bucket") {
        None if intent.is_none() => return None,
        None => None,
        Some(value) => match value.as_str()?.trim() {
            // What small models write for nothing.
            "" | "null" | "none" => None,
            name => Some(known.iter().find(|note| note.bucket.as_str() == name)?),
        },
    };
    Some(BucketChoice {
        bucket: bucket.map(|note| note.bucket.clone()),
        intent,
        is_said: object.get("bucket").is_some(),
    })
}

/// The schema of the reply.
pub(crate) fn schema(known: &[BucketNote]) -> ReplySchema {
    let names = known.iter().map(|note| json!(note.bucket.as_str()));
    let names: Vec<Value> = names.chain([Value::Null]).collect();
    let intents = QuestionIntent::ALL.map(QuestionIntent::as_str);
    let properties = json!({
        "bucket": {"type": ["string", "null"], "enum": names},
        "intent": {"type": "string", "enum": intents}
    });
    ReplySchema::new("bucket_choice", properties)
}
