//! Tests of a review against a scripted model.

use super::*;
use crate::options::Options;
use envelope::{
    After, ConversationId, Doubt, FilterMatch, Findings, PartResult, Plan, Profile, Role, Scatter,
    SearchStrategy,
};
use llm::Prompts;
use serde_json::json;
use stage::Stage;
use std::sync::Arc;
use testkit::model::{ScriptedModel, passage, step};

const QUESTION: &str = "What does the Acme contract say about ending it?";

/// A step after one round, which read a list of contracts.
fn step_of_review() -> (StepContext, crate::planning::Planning) {
    let mut cx = step(Role::Planner, QUESTION);
    cx.case.profile = Profile::Large;
    cx.case.score_min = Profile::Large.score_min();
    cx.case.queries = vec![QUESTION.into()];
    let mut listed = passage(
        "acme-2023",
        "Contract with Acme, see section 7 for its end.",
    );
    listed.score = 0.2;
    let findings = Findings {
        relevant: true,
        facts: vec!["There is a contract with Acme.".into()],
        ..Findings::default()
    };
    let evidence = FanOut {
        hop: 3,
        scatter: Scatter {
            plan: Plan::default(),
            passages: vec![listed],
            matched: FilterMatch::Matched,
            total_hits: 4,
            after: After::Map,
        },
        results: vec![Some(PartResult::Findings(findings))],
    };
    let task = PlanTask::Review {
        why: "the passages score 0.20 on average, 0.30 is wanted".into(),
        scatters: vec![3],
    };
    let planning = crate::planning::Planning {
        task,
        evidence: vec![evidence],
    };
    (cx, planning)
}

async fn run(model: &Arc<ScriptedModel>, cx: &StepContext) -> StepOutput<PlannerExit> {
    let planner = Planner::new(model.clone(), &Prompts::default(), Options::default()).unwrap();
    planner.run(cx, step_of_review().1).await.unwrap()
}

fn drill_down() -> String {
    json!({"reasoning": "The clause is not there.", "status": "more", "next_tool_call": {
        "tool": "search_text",
        "args": {"bucket": null, "query": "termination clause", "filters": [], "doc_id": "acme-2023"}}})
    .to_string()
}

fn is_reading_on(done: &StepOutput<PlannerExit>) -> bool {
    matches!(&done.out, PlannerExit::Planned(plan) if plan.query == QUESTION && plan.filter.is_empty())
}

#[tokio::test]
async fn more_is_one_search_as_the_call_says() {
    let model = ScriptedModel::saying([drill_down()]);
    let done = run(&model, &step_of_review().0).await;
    let PlannerExit::Planned(plan) = &done.out else {
        panic!("no search")
    };
    assert_eq!(
        (plan.query.as_str(), plan.strategy),
        ("termination clause", SearchStrategy::Keyword)
    );
    assert_eq!(plan.filter.to_string(), "doc_id = \"acme-2023\"");
    assert_eq!(
        done.decided,
        "review: more: search_text \"termination clause\" where doc_id = \"acme-2023\" (The clause is not there.)"
    );
    assert_eq!((done.usage.calls, &done.fallbacks[..]), (1, &[][..]));
    let [request] = &model.requests()[..] else {
        panic!("one call")
    };
    insta::assert_snapshot!(format!("{}\n======\n{}", request.system, request.user));
}

#[tokio::test]
async fn enough_and_more_without_a_call_end_the_search() {
    for (answer, told) in [
        (
            r#"{"status": "enough", "reasoning": "It says so."}"#,
            "review: enough (It says so.)",
        ),
        (
            r#"{"status": "more", "next_tool_call": null}"#,
            "review: more, and no call: enough",
        ),
        // In the words of an evaluation.
        (r#"{"sufficient": true}"#, "review: enough"),
    ] {
        let done = run(&ScriptedModel::saying([answer]), &step_of_review().0).await;
        assert_eq!(
            (done.out, done.decided.as_str()),
            (PlannerExit::Enough, told)
        );
        assert_eq!((done.usage.calls, done.fallbacks), (1, vec![]));
    }
}

#[tokio::test]
async fn a_wrong_call_is_told_once_and_then_put_right() {
    let call = |tool: &str, args: serde_json::Value| {
        json!({"status": "more", "next_tool_call": {"tool": tool, "args": args}}).to_string()
    };
    for (wrong, why) in [
        (
            call("drop_table", json!({"query": "q"})),
            "there is no tool `drop_table`; there are search_text, search_semantic",
        ),
        (
            call("search_text", json!({"bucket": "files"})),
            "`query` is missing",
        ),
        ("I am not sure.".to_owned(), "it is no JSON object"),
    ] {
        let model = ScriptedModel::saying([wrong, drill_down()]);
        let done = run(&model, &step_of_review().0).await;
        assert!(
            done.decided.starts_with("review: more: search_text"),
            "{}",
            done.decided
        );
        let why = why.to_owned();
        let [_, again] = &model.requests()[..] else {
            panic!("two calls")
        };
        assert!(
            again
                .user
                .contains(&format!("could not be used: {why}. Reply once more"))
        );
        assert_eq!(
            (done.usage.calls, done.fallbacks),
            (2, vec![Fallback::CallRefused { why }])
        );
    }
}

#[tokio::test]
async fn who_is_told_in_vain_leaves_it_to_the_rules() {
    let wrong = r#"{"status": "more", "next_tool_call": {"tool": "rm", "args": {}}}"#;
    let model = ScriptedModel::saying([wrong, wrong, wrong]);
    let done = run(&model, &step_of_review().0).await;
    assert!(is_reading_on(&done), "{:?}", done.out);
    assert!(
        done.decided
            .starts_with("by rules: the same search, which reads on"),
        "{}",
        done.decided
    );
    let why = "there is no tool `rm`; there are search_text, search_semantic".to_owned();
    let told = vec![Fallback::CallRefused { why }, Fallback::ReviewDefault];
    assert_eq!((done.usage.calls, done.fallbacks), (2, told));
}

#[tokio::test]
async fn where_calls_are_few_nobody_is_told_again() {
    let (mut cx, _) = step_of_review();
    // This one, one passage, the answer.
    cx.case.budget.llm_calls = 3;
    let model = ScriptedModel::saying(["no idea", "no idea"]);
    let done = run(&model, &cx).await;
    assert!(is_reading_on(&done) && done.usage.calls == 1);
    cx.case.budget.llm_calls = 0;
    let model = ScriptedModel::saying(["no idea"]);
    let done = run(&model, &cx).await;
    assert!(is_reading_on(&done) && model.requests().is_empty());
}

#[tokio::test]
async fn a_question_back_is_asked_where_somebody_talks_and_was_not_just_asked() {
    let answer = r#"{"status": "clarify", "clarification_details": {"type": "overload", "missing_info": "Which of the four contracts?"}}"#;
    let (mut cx, _) = step_of_review();
    let alone = run(&ScriptedModel::saying([answer]), &cx).await;
    assert_eq!(alone.out, PlannerExit::Enough);
    cx.header.conversation = Some(ConversationId::new("c").unwrap());
    let talks = run(&ScriptedModel::saying([answer]), &cx).await;
    let doubt = Doubt::Unclear {
        query: QUESTION.into(),
        reason: "Which of the four contracts?".into(),
    };
    assert_eq!(talks.out, PlannerExit::Ask(doubt));
    cx.header.parent = Some(envelope::TurnId::new("before").unwrap());
    let replied = run(&ScriptedModel::saying([answer]), &cx).await;
    assert_eq!(replied.out, PlannerExit::Enough);
}

#[tokio::test]
async fn a_failed_call_is_left_to_the_harness() {
    let model = ScriptedModel::failing(llm::Error::TimedOut(std::time::Duration::from_secs(1)));
    let planner = Planner::new(model, &Prompts::default(), Options::default()).unwrap();
    let (cx, planning) = step_of_review();
    let error = planner.run(&cx, planning).await.unwrap_err();
    assert_eq!(error.code, "model_timeout");
}
