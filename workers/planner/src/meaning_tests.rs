//! Tests of the right and wrong fields in a model's reply.

use super::*;
use crate::options::Options;
use envelope::{AnswerForm, Profile, QuestionIntent, SearchStrategy};
use proptest::prelude::*;
use serde_json::json;

const QUESTION: &str = "Compare the bills from Orsted and Vale as a table";

fn of(object: Value) -> MeaningReading {
    let limits = ListLimits::new(Profile::Small, &Options::default());
    read(&object, QUESTION, &limits, &[])
}

#[test]
fn what_a_model_leaves_out_is_what_rules_read() {
    let reading = of(json!({}));
    assert!(!reading.is_said);
    assert_eq!(reading.fallbacks, []);
    let plan = reading.plan;
    assert_eq!(plan.class, QuestionClass::Comparative);
    assert_eq!(plan.intent, QuestionIntent::Compare);
    assert_eq!(plan.form, AnswerForm::Table);
    assert_eq!(plan.constraints[0].raw, "from Orsted and Vale");
    assert_eq!(plan.topics, ["bills"]);
}

#[test]
fn what_a_model_says_is_taken() {
    let reading = of(json!({
        "class": "Multi-Step", "intent": "QA", "strategy": "semantic", "output": "csv", "citations": false,
        "topics": ["bills"], "buckets": ["bills", "bills", "not a name"], "constraints": []
    }));
    assert!(reading.is_said && reading.class_is_said);
    assert_eq!(reading.fallbacks, []);
    let plan = reading.plan;
    assert_eq!(
        (plan.class, plan.intent),
        (QuestionClass::MultiStep, QuestionIntent::Qa)
    );
    assert_eq!(
        (plan.strategy, plan.form),
        (SearchStrategy::Semantic, AnswerForm::Csv)
    );
    assert!(plan.no_citations);
    assert_eq!(plan.bucket_hints, [], "nobody has told of any");
}

#[test]
fn fields_of_another_form_are_defaults_and_told() {
    let reading = of(json!({
        "class": "huge", "intent": 7, "strategy": ["hybrid"], "output": {}, "citations": "no",
        "topics": "bills", "buckets": "bills", "constraints": "none"
    }));
    assert!(!reading.is_said);
    let fields = [
        "class",
        "intent",
        "strategy",
        "output",
        "citations",
        "topics",
        "buckets",
        "constraints",
    ];
    let fields = fields.map(str::to_owned).to_vec();
    assert_eq!(
        reading.fallbacks,
        [Fallback::PlanFieldsDefaulted { fields }]
    );
    assert_eq!(reading.plan, of(json!({})).plan);
}

#[test]
fn two_hundred_constraints_are_cut_and_told() {
    let many = vec![json!({"operator": "eq", "value": "Vale", "raw": "Vale"}); 100];
    let invented = vec![json!({"operator": "eq", "value": "Kilo", "raw": "Kilo"}); 100];
    let listed = [many, invented].concat();
    let reading = of(json!({ "constraints": listed }));
    assert_eq!(
        reading.fallbacks,
        [Fallback::ConstraintsUnsaid { count: 100 }]
    );
    let many: Vec<Value> = (0..200)
        .map(|n| json!({"operator": "gt", "value": n, "raw": "Vale"}))
        .collect();
    let reading = of(json!({ "constraints": many }));
    assert_eq!(
        reading.fallbacks,
        [Fallback::ConstraintsTrimmed { count: 192 }]
    );
    assert_eq!(reading.plan.constraints.len(), 8);
    // As many in the question itself.
    let question: String = (0..200).map(|n| format!("over {n} EUR, ")).collect();
    let limits = ListLimits::new(Profile::Large, &Options::default());
    let reading = by_rules(&question, &limits);
    assert_eq!(reading.plan.constraints.len(), 16);
    assert_eq!(
        reading.fallbacks,
        [Fallback::ConstraintsTrimmed { count: 184 }]
    );
}

#[test]
fn a_bucket_that_is_not_there_is_no_hint() {
    let limits = ListLimits::new(Profile::Small, &Options::default());
    let note = BucketNote {
        bucket: Bucket::new("bills").unwrap(),
        description: String::new(),
    };
    let object = json!({"buckets": ["letters", "bills"]});
    let reading = read(&object, QUESTION, &limits, std::slice::from_ref(&note));
    assert_eq!(reading.plan.bucket_hints, [note.bucket]);
}

proptest! {
    #[test]
    fn whatever_is_said_limits_hold(text in "\\PC{0,60}", listed in proptest::collection::vec("\\PC{0,100}", 0..40)) {
        let object = json!({"class": text, "topics": listed, "buckets": listed, "constraints": listed});
        let plan = of(object).plan;
        prop_assert!(plan.topics.len() <= TOPICS_MAX);
        prop_assert!(plan.constraints.len() <= 8);
    }
}
