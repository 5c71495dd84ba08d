//! The JSON schema of a model's reply. Pure.
//!
//! Every field is required. If a model leaves a field out all the same, the field counts as missing.

use crate::bucket_note::BucketNote;
use crate::lists::ListLimits;
use envelope::limits::{BUCKETS_MAX, SUB_QUERIES_MAX, TOPICS_MAX};
use envelope::{PlanRoute, PlanTask, QuestionClass, QuestionIntent};
use llm::ReplySchema;
use serde_json::{Value, json};

/// The schema of the reply to a task.
pub(crate) fn schema(
    task: &PlanTask,
    routes: &[PlanRoute],
    limits: &ListLimits,
    buckets: &[BucketNote],
) -> ReplySchema {
    let mut properties = properties(limits);
    match task {
        PlanTask::First => {}
        PlanTask::FollowUp { .. } => {
            let routes: Vec<_> = routes.iter().map(|route| route.as_str()).collect();
            properties["question"] = json!({"type": "string"});
            properties["route"] = json!({"type": "string", "enum": routes});
            properties["reason"] = json!({"type": "string"});
        }
        PlanTask::Refine { .. } | PlanTask::Review { .. } | PlanTask::Act { .. } => {
            properties["query"] = json!({"type": "string"})
        }
    }
    if !buckets.is_empty() {
        let names: Vec<_> = buckets
            .iter()
            .take(BUCKETS_MAX)
            .map(|note| note.bucket.as_str())
            .collect();
        properties["buckets"] =
            json!({"type": "array", "items": {"type": "string", "enum": names}});
    }
    ReplySchema::new("plan", properties)
}

fn properties(limits: &ListLimits) -> Value {
    let hint = json!({"type": ["string", "null"]});
    let words = |words: &[&str]| json!({"type": "string", "enum": words});
    let classes = QuestionClass::ALL.map(QuestionClass::as_str);
    let intents = QuestionIntent::ALL.map(QuestionIntent::as_str);
    json!({
        "class": words(&classes),
        "intent": words(&intents),
        "keywords": {"type": "array", "items": {"type": "string"}, "maxItems": limits.keywords},
        "sub_queries": {
            "type": "array",
            "maxItems": SUB_QUERIES_MAX,
            "items": ReplySchema::object(json!({"query": {"type": "string"}, "purpose": {"type": "string"}}))
        },
        "topics": {"type": "array", "items": {"type": "string"}, "maxItems": TOPICS_MAX},
        "strategy": words(&["hybrid", "keyword", "semantic"]),
        "output": words(&["prose", "list", "table", "csv"]),
        "citations": {"type": "boolean"},
        "file_filter": hint,
        "source_hint": hint
    })
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
