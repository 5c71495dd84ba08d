//! Tests of the replies of judging models, and of what follows from them.

use super::*;
use crate::policy::ContradictedPolicy;
use crate::stage::Validator;
use crate::testing;
use envelope::hop::ValidatorExit;
use envelope::{CheckedSentence, Draft, DraftTable, Fact, Payload, ReadMark, Support, Task};
use llm::Error as ModelError;
use stage::{Stage, StepOutput};
use std::time::Duration;
use testkit::model::{ScriptedModel, passage, step};

/// The lease that the answers are about.
const LEASE: &str = "Either party may terminate this agreement with 60 days' notice in writing.";
/// A true sentence about it, cited.
const TRUE: &str = "Either party may terminate this agreement with 60 days' notice [1].";
/// The opposite, which the rules detect.
const DENIED: &str = "Neither party may terminate this agreement with 60 days' notice [1].";
const GOOD: &str = r#"{"grounding": "GROUNDED", "sufficiency": "SUFFICIENT", "reason": ""}"#;
const MADE_UP: &str = r#"{"grounding": "HALLUCINATING", "sufficiency": "SUFFICIENT", "reason": "No passage says so."}"#;
const BESIDE: &str =
    r#"{"grounding": "OFF_TOPIC", "sufficiency": "SUFFICIENT", "reason": "It speaks of leases."}"#;
const TOO_LITTLE: &str =
    r#"{"grounding": "GROUNDED", "sufficiency": "INSUFFICIENT", "reason": "The fee is missing."}"#;

fn draft(text: &str) -> Draft {
    let fact = Fact {
        n: 1,
        text: LEASE.into(),
    };
    Draft {
        sources: vec![testing::citation("lease")],
        facts: vec![fact],
        ..testing::draft(text)
    }
}

fn models() -> JudgeModels {
    JudgeModels {
        judge: "large".into(),
        writer: "small".into(),
    }
}

fn cx() -> StepContext {
    step(Role::Validator, "How can the agreement be terminated?")
}

/// A draft with the lease as the passage of its scatter record.
fn evidence(draft: Draft) -> Evidence {
    let scatter = envelope::Scatter {
        passages: vec![passage("lease", LEASE)],
        ..testing::scatter()
    };
    let read = envelope::FanOut {
        hop: 2,
        scatter,
        results: Vec::new(),
    };
    let task = Task {
        payload: Payload::Validator(draft),
        evidence: vec![read],
        kept: None,
    };
    Evidence::try_from(task).unwrap()
}

async fn validated(
    model: &Arc<ScriptedModel>,
    cx: &StepContext,
    draft: Draft,
    options: Options,
) -> StepOutput<ValidatorExit> {
    let validator = Validator::new(options).unwrap();
    let validator = validator.with_judge(model.clone(), &Prompts::default(), models());
    let done = validator.unwrap().run(cx, evidence(draft)).await;
    done.unwrap()
}

/// The output for a draft of the true sentence with this judgement.
async fn judged(reply: &str, change: impl Fn(&mut Draft)) -> StepOutput<ValidatorExit> {
    let mut draft = draft(TRUE);
    change(&mut draft);
    let model = ScriptedModel::saying([reply]);
    validated(&model, &cx(), draft, Options::default()).await
}

fn verdict(done: StepOutput<ValidatorExit>) -> Verdict {
    match done.out {
        ValidatorExit::Grounded(verdict)
        | ValidatorExit::Ungrounded { verdict, .. }
        | ValidatorExit::Insufficient { verdict, .. } => verdict,
    }
}

#[test]
fn every_habit_is_read_or_left_alone() {
    let cases = include_str!("judgements.jsonl").lines();
    let mut names = std::collections::BTreeSet::new();
    for case in cases {
        let case: Value = serde_json::from_str(case).unwrap();
        let said = |field: &str| case[field].as_str();
        let name = said("name").unwrap();
        assert!(names.insert(name.to_owned()), "{name} is there twice");
        let read = read(said("reply").unwrap());
        let words = read.as_ref().map(|read| {
            let reason = read.reason.as_str();
            (read.grounding.as_str(), read.sufficiency.as_str(), reason)
        });
        let wanted = said("grounding").map(|grounding| {
            let sufficiency = said("sufficiency").unwrap();
            (grounding, sufficiency, said("reason").unwrap())
        });
        assert_eq!(words, wanted, "{name}");
    }
    let long = "x".repeat(4 * REASON_CHARS_MAX);
    let long = format!(r#"{{"grounding": "GROUNDED", "reason": "{long}"}}"#);
    assert_eq!(read(&long).unwrap().reason.len(), REASON_CHARS_MAX);
}

#[tokio::test]
async fn the_model_is_asked_about_the_answer_and_what_it_cites() {
    let model = ScriptedModel::saying([GOOD]);
    let done = validated(&model, &cx(), draft(TRUE), Options::default()).await;
    assert_eq!(
        (done.usage.calls, done.model.as_deref()),
        (1, Some("scripted"))
    );
    assert_eq!(done.prompts.keys().collect::<Vec<_>>(), ["validator"]);
    assert!(
        done.decided.ends_with("; judged grounded, sufficient"),
        "{}",
        done.decided
    );
    let [request] = &model.requests()[..] else {
        panic!("one call")
    };
    assert_eq!((request.role, &request.model), (Role::Validator, &None));
    insta::assert_snapshot!(format!("{}\n======\n{}", request.system, request.user));
}

#[tokio::test]
async fn what_a_model_has_nothing_against_is_as_rules_found_it() {
    let without = Validator::new(Options::default()).unwrap();
    let by_rules = without.run(&cx(), evidence(draft(TRUE))).await.unwrap();
    let mut by_both = verdict(judged(GOOD, |_| {}).await);
    let judgement = by_both.judgement.take().unwrap();
    assert_eq!(judgement.grounding, Grounding::Grounded);
    assert_eq!(by_both, verdict(by_rules));
}

#[tokio::test]
async fn what_is_taken_for_made_up_is_written_once_more_and_then_told() {
    let done = judged(MADE_UP, |_| {}).await;
    let ValidatorExit::Ungrounded {
        stricter_from,
        reason,
        ..
    } = &done.out
    else {
        panic!("{:?}", done.out)
    };
    assert_eq!(*stricter_from, [2]);
    assert_eq!(
        reason,
        "a model takes the answer for made up: No passage says so"
    );
    let strict = judged(MADE_UP, |draft| draft.strict = true).await;
    let ValidatorExit::Ungrounded { stricter_from, .. } = &strict.out else {
        panic!("{:?}", strict.out)
    };
    assert!(stricter_from.is_empty());
    let told = verdict(strict);
    assert!(told.low_confidence && told.confidence <= DOUBTED_CONFIDENCE_MAX);
    assert_eq!(
        told.notices,
        ["A model takes the answer for made up: No passage says so."]
    );
    assert_eq!(told.judgement.unwrap().reason, "No passage says so.");
}

#[tokio::test]
async fn what_is_missing_is_searched_for_and_what_is_made_up_goes_first() {
    for (reply, most, why) in [
        (
            BESIDE,
            DOUBTED_CONFIDENCE_MAX,
            "beside the question: It speaks of leases",
        ),
        (
            TOO_LITTLE,
            INSUFFICIENT_CONFIDENCE_MAX,
            "in full: The fee is missing",
        ),
    ] {
        let done = judged(reply, |_| {}).await;
        assert!(
            done.decided.starts_with("insufficient, "),
            "{}",
            done.decided
        );
        let ValidatorExit::Insufficient {
            verdict,
            reason,
            read,
        } = done.out
        else {
            panic!("{:?}", done.out)
        };
        assert!(reason.ends_with(why), "{reason}");
        assert_eq!(read, [ReadMark::of(&passage("lease", LEASE))]);
        assert!(verdict.low_confidence && verdict.confidence <= most);
    }
    let both = MADE_UP.replace("\"SUFFICIENT", "\"INSUFFICIENT");
    let first = judged(&both, |_| {}).await;
    assert!(matches!(first.out, ValidatorExit::Ungrounded { .. }));
    let strict = judged(&both, |draft| draft.strict = true).await;
    assert!(matches!(strict.out, ValidatorExit::Insufficient { .. }));
}

#[tokio::test]
async fn what_a_source_denies_stays_denied_whatever_a_model_says() {
    let options = Options {
        contradicted: ContradictedPolicy::Mark,
        ..Options::default()
    };
    let model = ScriptedModel::saying([GOOD]);
    let marked = verdict(validated(&model, &cx(), draft(DENIED), options).await);
    let is_denied = |one: &CheckedSentence| one.support == Support::Contradicted;
    assert!(marked.sentences.iter().any(is_denied));
    assert!(marked.low_confidence && marked.confidence <= 0.2);
    assert!(marked.judgement.is_some());
    // By default it is written once more, and nobody has to be asked about that.
    let model = ScriptedModel::saying([GOOD]);
    let retried = validated(&model, &cx(), draft(DENIED), Options::default()).await;
    assert!(matches!(retried.out, ValidatorExit::Ungrounded { .. }));
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_judge_that_fails_changes_nothing_and_is_told() {
    let timeout = ModelError::TimedOut(Duration::from_secs(20));
    let busy = ModelError::Overloaded { retry_after: None };
    let refused = ModelError::Refused {
        status: 401,
        message: "no key".into(),
    };
    let good = verdict(judged(GOOD, |_| {}).await);
    let replies = [
        (Err(timeout), "model_timeout"),
        (Err(busy), "model_overloaded"),
        (Err(refused), "model_refused"),
        (Ok("GROUNDED".to_owned()), "unreadable"),
        (
            Ok(include_str!("../prompts/validator.md").to_owned()),
            "unreadable",
        ),
    ];
    for (reply, why) in replies {
        let model = ScriptedModel::queue([reply]);
        let done = validated(&model, &cx(), draft(TRUE), Options::default()).await;
        assert_eq!(done.fallbacks, [Fallback::Unjudged { why: why.into() }]);
        assert!(done.decided.ends_with(&format!("; not judged: {why}")));
        let told = verdict(done);
        assert_eq!(
            (told.confidence, told.low_confidence),
            (good.confidence, false)
        );
        assert_eq!(told.judgement, None);
    }
}

#[tokio::test]
async fn a_prompt_that_cannot_be_used_leaves_what_rules_found() {
    let model = ScriptedModel::saying([MADE_UP]);
    let mut cx = cx();
    let own = "Is {{that}} so?".to_owned();
    cx.case.overrides.prompts.insert("validator".into(), own);
    let done = validated(&model, &cx, draft(TRUE), Options::default()).await;
    let why = "validator_prompt".into();
    assert_eq!(done.fallbacks, [Fallback::Unjudged { why }]);
    assert!(matches!(done.out, ValidatorExit::Grounded(_)));
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_small_model_does_not_judge_what_it_wrote() {
    let model = ScriptedModel::saying([MADE_UP, GOOD]);
    let mut cx = cx();
    cx.case.overrides.model = Some("large".into());
    let done = validated(&model, &cx, draft(TRUE), Options::default()).await;
    let why = "same_model".into();
    assert_eq!(done.fallbacks, [Fallback::Unjudged { why }]);
    assert!(model.requests().is_empty());
    cx.case.profile = Profile::Large;
    let done = validated(&model, &cx, draft(TRUE), Options::default()).await;
    assert!(matches!(done.out, ValidatorExit::Ungrounded { .. }));
    assert_eq!(model.requests()[0].model, None, "the judge stays the same");
}

#[tokio::test]
async fn nobody_is_asked_where_nothing_may_be_spent_or_there_is_nothing_to_judge() {
    let model = ScriptedModel::saying([MADE_UP]);
    let mut spent = cx();
    spent.case.budget.llm_calls = 0;
    let done = validated(&model, &spent, draft(TRUE), Options::default()).await;
    let limit = "llm_calls".into();
    assert_eq!(done.fallbacks, [Fallback::BudgetSpent { limit }]);
    assert!(matches!(done.out, ValidatorExit::Grounded(_)));

    let mut unwritten = [draft(TRUE), draft(TRUE), draft(TRUE)];
    unwritten[0].no_information = true;
    unwritten[1].stitched = true;
    unwritten[2].table = Some(Box::new(DraftTable::default()));
    for draft in unwritten {
        validated(&model, &cx(), draft, Options::default()).await;
    }
    let cut = Options {
        contradicted: ContradictedPolicy::Cut,
        ..Options::default()
    };
    validated(&model, &cx(), draft(DENIED), cut).await;
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn what_is_shown_is_bounded_and_half_of_the_time_is_kept() {
    let model = ScriptedModel::saying([GOOD]);
    let options = Options {
        judge_chars_max: 500,
        ..Options::default()
    };
    let mut late = cx();
    late.header.deadline = late.now.plus(3_000);
    let mut long = draft(TRUE);
    long.sources[0].title = "T".repeat(2_000);
    let done = validated(&model, &late, long, options).await;
    assert_eq!(done.fallbacks, [Fallback::PassagesTrimmed { count: 1 }]);
    let request = &model.requests()[0];
    let shown = llm::section::read(&request.user, "passages").unwrap();
    assert_eq!(shown.chars().count(), "[1] ".len() + 500 + 1);
    assert_eq!(request.timeout, Duration::from_millis(1_500));
}
