//! Tests that the prompts, their examples and the schema name the same fields and operators.

use super::*;
use crate::options::Options;
use envelope::{Bucket, History, Op, Profile};
use std::collections::BTreeSet;

#[test]
fn prompts_that_list_the_operators_list_all_of_them() {
    let words = "eq, ne, gt, gte, lt, lte, contains, in, not_in";
    for prompt in [
        include_str!("../prompts/planner_act.md"),
        include_str!("../prompts/planner_review.md"),
    ] {
        assert!(prompt.contains(&format!("({words})")));
    }
    assert!(words.split(", ").all(|word| Op::parse(word).is_some()));
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
fn every_field_of_a_plan_is_described_shown_and_required() {
    let limits = ListLimits::new(Profile::Small, &Options::default());
    let note = BucketNote {
        bucket: Bucket::new("bills").unwrap(),
        description: String::new(),
    };
    let (history, why) = (History::default(), String::new());
    let first = include_str!("../prompts/planner.md");
    let follow_up = include_str!("../prompts/planner_follow_up.md");
    let refine = include_str!("../prompts/planner_refine.md");
    for (task, prompt, examples) in [
        (PlanTask::First, first, 3),
        (PlanTask::FollowUp { history }, follow_up, 2),
        (PlanTask::Refine { why }, refine, 2),
    ] {
        let of = |notes: &[BucketNote]| schema(&task, &PlanRoute::ALL, &limits, notes).json;
        let bare = of(&[]);
        let wanted = bare["properties"].as_object().unwrap().keys().cloned();
        let wanted: BTreeSet<String> = wanted.collect();
        assert!(wanted.contains("topics") && !wanted.contains("buckets"));
        assert_eq!(bare["properties"]["topics"]["maxItems"], TOPICS_MAX);
        let found = fields_of(prompt);
        assert_eq!(found.len(), 1 + examples);
        assert!(found.iter().all(|fields| *fields == wanted), "{found:?}");
        let noted = of(std::slice::from_ref(&note));
        let names = &noted["properties"]["buckets"]["items"]["enum"];
        assert_eq!(*names, json!(["bills"]));
        for schema in [&bare, &noted] {
            let properties = schema["properties"].as_object().unwrap();
            let all: Value = properties.keys().cloned().collect();
            assert_eq!(schema["required"], all);
            assert_eq!(schema["additionalProperties"], false);
        }
    }
}
