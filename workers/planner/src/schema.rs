//! The JSON schema of a model's reply. Pure.
//!
//! Every field is required, because servers that enforce a schema strictly want that. If a model leaves a field out
//! all the same, the field counts as missing.

use crate::bucket_note::BucketNote;
use crate::lists::ListLimits;
use envelope::limits::{BUCKETS_MAX, SUB_QUERIES_MAX, TOPICS_MAX};
use envelope::{PlanRoute, PlanTask, QuestionClass, QuestionIntent};
use llm::ReplySchema;
use serde_json::{Value, json};

/// The operators of conditions, as the prompts name them.
const OPERATORS: [&str; 9] = [
    "eq", "ne", "gt", "gte", "lt", "lte", "contains", "in", "not_in",
];

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
    let required: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flat_map(|all| all.keys())
        .collect();
    let json = json!({
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": false
    });
    ReplySchema { name: "plan", json }
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
        "sub_queries": {"type": "array", "maxItems": SUB_QUERIES_MAX, "items": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "purpose": {"type": "string"}},
            "required": ["query", "purpose"],
            "additionalProperties": false
        }},
        "constraints": {"type": "array", "maxItems": limits.constraints, "items": {
            "type": "object",
            "properties": {
                "field": hint,
                "operator": words(&OPERATORS),
                "value": {"type": ["string", "number", "array"], "items": {"type": ["string", "number"]}},
                "raw": {"type": "string"}
            },
            "required": ["field", "operator", "value", "raw"],
            "additionalProperties": false
        }},
        "topics": {"type": "array", "items": {"type": "string"}, "maxItems": TOPICS_MAX},
        "strategy": words(&["hybrid", "keyword", "semantic"]),
        "output": words(&["prose", "list", "table", "csv"]),
        "citations": {"type": "boolean"},
        "file_filter": hint,
        "source_hint": hint
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use envelope::{Bucket, History, Profile};
    use std::collections::BTreeSet;

    #[test]
    fn prompts_that_list_the_operators_list_all_of_them() {
        let listed = format!("({})", OPERATORS.join(", "));
        for prompt in [
            include_str!("../prompts/planner_act.md"),
            include_str!("../prompts/planner_review.md"),
        ] {
            assert!(prompt.contains(&listed));
        }
        assert!(
            OPERATORS
                .iter()
                .all(|word| envelope::Op::parse(word).is_some())
        );
    }

    /// The fields that a prompt describes, and those of each of its examples.
    fn fields_of(prompt: &str) -> Vec<BTreeSet<String>> {
        let described = prompt.lines().filter_map(|line| {
            let (field, _) = line.strip_prefix("- \"")?.split_once("\":")?;
            Some(field.to_owned())
        });
        let examples = prompt.lines().filter_map(|line| line.split_once(" -> "));
        let examples = examples.map(|(_, plan)| {
            let plan: Value = serde_json::from_str(plan).unwrap();
            plan.as_object().unwrap().keys().cloned().collect()
        });
        std::iter::once(described.collect())
            .chain(examples)
            .collect()
    }

    #[test]
    fn prompts_describe_and_show_every_field_of_a_plan() {
        let limits = ListLimits::new(Profile::Small, &Options::default());
        let history = History::default();
        let why = String::new();
        for (task, prompt, examples) in [
            (PlanTask::First, include_str!("../prompts/planner.md"), 3),
            (
                PlanTask::FollowUp { history },
                include_str!("../prompts/planner_follow_up.md"),
                2,
            ),
            (
                PlanTask::Refine { why },
                include_str!("../prompts/planner_refine.md"),
                2,
            ),
        ] {
            let schema = schema(&task, &PlanRoute::ALL, &limits, &[]).json;
            let properties = schema["properties"].as_object().unwrap();
            let wanted: BTreeSet<String> = properties.keys().cloned().collect();
            assert!(wanted.contains("topics"));
            assert_eq!(properties["topics"]["maxItems"], TOPICS_MAX);
            let found = fields_of(prompt);
            assert_eq!(found.len(), 1 + examples);
            for fields in found {
                assert_eq!(fields, wanted);
            }
        }
    }

    #[test]
    fn everything_is_required_and_nothing_else_allowed() {
        let limits = ListLimits::new(Profile::Small, &Options::default());
        let note = BucketNote {
            bucket: Bucket::new("bills").unwrap(),
            description: String::new(),
        };
        let history = History::default();
        let why = String::new();
        for (task, own) in [
            (PlanTask::First, None),
            (PlanTask::FollowUp { history }, Some("route")),
            (PlanTask::Refine { why }, Some("query")),
        ] {
            for notes in [&[][..], std::slice::from_ref(&note)] {
                let schema = schema(&task, &PlanRoute::ALL, &limits, notes).json;
                let properties = schema["properties"].as_object().unwrap();
                let required = schema["required"].as_array().unwrap();
                assert!(properties.keys().all(|key| required.contains(&json!(key))));
                assert_eq!(properties.len(), required.len());
                assert_eq!(schema["additionalProperties"], false);
                assert_eq!(properties.contains_key("buckets"), !notes.is_empty());
                assert!(own.is_none_or(|own| properties.contains_key(own)));
            }
        }
    }
}
