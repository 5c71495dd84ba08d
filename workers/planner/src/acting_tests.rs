//! Tests of the steps of a loop against a scripted model.

use super::*;
use crate::options::Options;
use crate::planning::Planning;
use envelope::{After, AnswerForm, FilterMatch, PlanTask, Profile, Role, Scatter, SearchStrategy};
use llm::Prompts;
use serde_json::{Value, json};
use stage::Stage;
use std::sync::Arc;
use testkit::model::{ScriptedModel, passage, step};

const QUESTION: &str = "When does the lease of Bolt end?";

fn cx() -> StepContext {
    let mut cx = step(Role::Planner, QUESTION);
    (cx.case.profile, cx.case.mode) = (Profile::Large, envelope::Mode::Loop);
    cx.case.budget.searches = 3;
    // Not the default: the prompt shows what is set.
    cx.case.score_min = 0.45;
    cx
}

/// The result of a search for `query` by words.
fn searched(query: &str, found: &[&str]) -> FanOut {
    FanOut {
        hop: 2,
        results: Vec::new(),
        scatter: Scatter {
            plan: Plan {
                query: query.into(),
                strategy: SearchStrategy::Keyword,
                ..Plan::default()
            },
            passages: found
                .iter()
                .map(|name| passage(name, "It ends in May."))
                .collect(),
            matched: FilterMatch::Matched,
            total_hits: 1,
            after: After::Review,
        },
    }
}

async fn act(
    model: &Arc<ScriptedModel>,
    cx: &StepContext,
    evidence: Vec<FanOut>,
) -> StepOutput<PlannerExit> {
    let planner = Planner::new(model.clone(), &Prompts::default(), Options::default()).unwrap();
    let task = PlanTask::Act {
        scatters: evidence.iter().map(|done| done.hop).collect(),
    };
    planner.run(cx, Planning { task, evidence }).await.unwrap()
}

fn call(tool: &str, args: Value) -> String {
    json!({"reasoning": "So it is.", "tool": tool, "args": args}).to_string()
}

fn lease() -> String {
    call(
        "search_text",
        json!({"bucket": null, "query": "Bolt lease", "filters": [], "doc_id": null}),
    )
}

#[tokio::test]
async fn an_action_is_one_search_or_one_look() {
    let model = ScriptedModel::saying([
        lease(),
        call(
            "get_document_metadata",
            json!({"query": "", "doc_id": "bolt"}),
        ),
    ]);
    let first = act(&model, &cx(), Vec::new()).await;
    assert_eq!(
        first.decided,
        "step 1: search_text \"Bolt lease\" (So it is.)"
    );
    let PlannerExit::Call { plan, fetch, read } = first.out else {
        panic!("no call")
    };
    assert_eq!(
        (plan.query.as_str(), plan.strategy),
        ("Bolt lease", SearchStrategy::Keyword)
    );
    assert!(fetch.is_empty() && read.is_empty());
    let evidence = vec![searched("Bolt lease", &["bolt"])];
    let second = act(&model, &cx(), evidence.clone()).await;
    assert_eq!(
        second.decided,
        "step 2: get_document_metadata bolt (So it is.)"
    );
    let PlannerExit::Call { plan, fetch, read } = second.out else {
        panic!("no call")
    };
    assert_eq!(
        (plan.query.as_str(), fetch),
        ("get_document_metadata bolt", vec!["bolt.0".to_owned()])
    );
    assert_eq!(read, ReadMark::of_all(&evidence));
    let shown = &model.requests()[1];
    insta::assert_snapshot!(format!("{}\n======\n{}", shown.system, shown.user));
}

#[tokio::test]
async fn done_is_an_answer_from_what_was_found() {
    let model = ScriptedModel::saying([call("done", json!({}))]);
    let done = act(&model, &cx(), vec![searched("Bolt lease", &["bolt"])]).await;
    assert_eq!(
        (done.out, done.decided.as_str()),
        (PlannerExit::Enough, "the loop ends: done (So it is.)")
    );
    assert_eq!((done.fallbacks, done.usage.calls), (vec![], 1));
}

#[tokio::test]
async fn each_limit_ends_the_loop_by_its_name_and_asks_nobody() {
    let steps = |n: usize| -> Vec<FanOut> {
        (0..n)
            .map(|n| searched(&format!("look {n}"), &["bolt"]))
            .collect()
    };
    for limit in ["steps", "searches", "llm_calls", "tokens", "time"] {
        let mut cx = cx();
        let mut evidence = steps(2);
        match limit {
            "steps" => evidence = steps(10),
            "searches" => cx.case.budget.searches = 0,
            "llm_calls" => cx.case.budget.llm_calls = 1,
            "tokens" => cx.case.budget.tokens = 0,
            _ => cx.now = envelope::UnixMs(55_000),
        }
        let model = ScriptedModel::saying([lease()]);
        let done = act(&model, &cx, evidence).await;
        assert_eq!(done.out, PlannerExit::Enough, "{limit}");
        assert_eq!(done.decided, format!("the loop ends: no {limit} left"));
        let limit = limit.to_owned();
        assert_eq!(done.fallbacks, [Fallback::BudgetSpent { limit }]);
        assert!(model.requests().is_empty());
    }
}

#[tokio::test]
async fn what_was_done_is_told_once_and_then_is_no_progress() {
    let evidence = || vec![searched("Bolt lease", &["bolt"])];
    let again = call("search_text", json!({"query": "the LEASE of bolt"}));
    let model = ScriptedModel::saying([again.clone(), again.clone()]);
    let done = act(&model, &cx(), evidence()).await;
    assert_eq!(
        (done.out, done.decided.as_str()),
        (PlannerExit::Enough, "the loop ends: no progress")
    );
    assert_eq!(done.fallbacks.last(), Some(&Fallback::NoProgress));
    let told = &model.requests()[1].user;
    assert!(
        told.contains("was done before, and finds nothing new. Reply once more"),
        "{told}"
    );
    // In another way or another place it is another search.
    for other in [
        call("search_semantic", json!({"query": "Bolt lease"})),
        call(
            "search_text",
            json!({"query": "Bolt lease", "doc_id": "bolt"}),
        ),
    ] {
        let done = act(&ScriptedModel::saying([other]), &cx(), evidence()).await;
        assert!(
            matches!(done.out, PlannerExit::Call { .. }),
            "{:?}",
            done.out
        );
    }
    let put_right = act(
        &ScriptedModel::saying([again, call("done", json!({}))]),
        &cx(),
        evidence(),
    )
    .await;
    assert_eq!(put_right.out, PlannerExit::Enough);
    assert_eq!((put_right.fallbacks.len(), put_right.usage.calls), (1, 2));
}

#[tokio::test]
async fn what_cannot_be_used_is_told_once_and_then_rules_act() {
    let wrong = [
        call("rm", json!({})),
        call("search_text", json!({"top_k": 3})),
        call("get_document_metadata", json!({})),
        call("search_location", json!({"query": "near Austin"})),
        // There is nothing to be done with yet.
        call("done", json!({})),
        "I will search.".to_owned(),
    ];
    for wrong in wrong {
        let model = ScriptedModel::saying([wrong.clone(), wrong.clone()]);
        let done = act(&model, &cx(), Vec::new()).await;
        let PlannerExit::Call { plan, .. } = &done.out else {
            panic!("{wrong}: {:?}", done.out)
        };
        assert_eq!((plan.query.as_str(), done.usage.calls), (QUESTION, 2));
        assert_eq!(done.decided, "by rules: searches for the question");
        assert!(matches!(
            &done.fallbacks[..],
            [Fallback::CallRefused { .. }, Fallback::ReviewDefault]
        ));
        let put_right = act(&ScriptedModel::saying([wrong, lease()]), &cx(), Vec::new()).await;
        assert!(
            put_right.decided.starts_with("step 1: search_text"),
            "{}",
            put_right.decided
        );
        assert!(matches!(
            &put_right.fallbacks[..],
            [Fallback::CallRefused { .. }]
        ));
    }
    let model = ScriptedModel::saying(["?", "?"]);
    let done = act(&model, &cx(), vec![searched("Bolt lease", &["bolt"])]).await;
    assert_eq!(
        (done.out, done.decided.as_str()),
        (PlannerExit::Enough, "the loop ends: by rules")
    );
}

#[tokio::test]
async fn a_loop_that_found_nothing_ends_with_a_word_to_the_user() {
    let model = ScriptedModel::saying([call("done", json!({}))]);
    let done = act(&model, &cx(), vec![searched("Bolt lease", &[])]).await;
    let doubt = Doubt::NoResults {
        query: QUESTION.into(),
        narrowed_by: Vec::new(),
    };
    assert_eq!(done.out, PlannerExit::Ask(doubt));
    // Nor does a model that says nothing of use search for the question twice.
    let done = act(
        &ScriptedModel::saying(["?", "?"]),
        &cx(),
        vec![searched(QUESTION, &[])],
    )
    .await;
    assert!(matches!(done.out, PlannerExit::Ask(_)), "{:?}", done.out);
}

#[tokio::test]
async fn the_last_call_but_the_answers_is_not_spent_on_telling() {
    let mut cx = cx();
    cx.case.budget.llm_calls = 2;
    let model = ScriptedModel::saying(["?", lease().as_str()]);
    let done = act(&model, &cx, vec![searched("Bolt lease", &["bolt"])]).await;
    assert_eq!((done.out, done.usage.calls), (PlannerExit::Enough, 1));
}

#[tokio::test]
async fn a_search_knows_the_form_that_the_question_wants() {
    for (question, form) in [
        (QUESTION, AnswerForm::Prose),
        ("Show the leases of Bolt as a table", AnswerForm::Table),
    ] {
        let mut cx = cx();
        cx.case.question.original = question.into();
        let args = json!({"bucket": null, "query": "Bolt lease", "filters": [], "doc_id": null});
        let model = ScriptedModel::saying([call("search_text", args)]);
        let PlannerExit::Call { plan, .. } = act(&model, &cx, Vec::new()).await.out else {
            panic!("no call")
        };
        assert_eq!((plan.query.as_str(), plan.form), ("Bolt lease", form));
    }
}
