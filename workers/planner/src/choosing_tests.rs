//! Tests of a plan that takes two calls, against a scripted model.

use super::*;
use crate::options::Options;
use envelope::hop::PlannerExit;
use envelope::{Exchange, History, Plan, QuestionIntent, Role, TenantId};
use llm::Prompts;
use search::CatalogSource;
use serde_json::json;
use stage::{BoxFuture, Stage, StepOutput};
use std::sync::Arc;
use testkit::model::{ScriptedModel, step};

const QUESTION: &str = "Which bills from Orsted are over 500 EUR?";
const PLAN: &str = r#"{"class": "simple", "keywords": ["bills"], "constraints": [
    {"field": "total", "operator": "gt", "value": 500, "raw": "over 500 EUR"}]}"#;

/// A catalog of bills and leases, or of bills alone.
struct Corpus {
    has_leases: bool,
}

impl CatalogSource for Corpus {
    fn catalog<'a>(&'a self, _: &'a TenantId) -> BoxFuture<'a, Arc<CorpusCatalog>> {
        let column = |field: &str, kind: &str| json!({"field": field, "type": kind, "documents": 3, "coverage": 1.0});
        let bills = json!({"bucket": "bills", "description": "What we pay", "documents": 3,
            "columns": [column("vendor", "text"), column("total", "number")]});
        let leases =
            json!({"bucket": "leases", "documents": 2, "columns": [column("landlord", "text")]});
        let mut buckets = vec![bills];
        buckets.extend(self.has_leases.then_some(leases));
        let catalog = serde_json::from_value(json!({"buckets": buckets})).unwrap();
        Box::pin(std::future::ready(Arc::new(catalog)))
    }
}

fn planner(model: &Arc<ScriptedModel>, has_leases: bool) -> Planner {
    let planner = Planner::new(model.clone(), &Prompts::default(), Options::default());
    planner
        .unwrap()
        .with_catalog(Arc::new(Corpus { has_leases }))
}

fn large() -> StepContext {
    let mut cx = step(Role::Planner, QUESTION);
    cx.case.profile = Profile::Large;
    cx
}

async fn run(
    model: &Arc<ScriptedModel>,
    cx: &StepContext,
    task: PlanTask,
) -> (Plan, StepOutput<PlannerExit>) {
    let done = planner(model, true).run(cx, task.into()).await.unwrap();
    let PlannerExit::Planned(plan) = &done.out else {
        panic!("no plan")
    };
    (plan.clone(), done)
}

fn hints(plan: &Plan) -> Vec<&str> {
    plan.bucket_hints.iter().map(|one| one.as_str()).collect()
}

#[tokio::test]
async fn the_first_call_chooses_a_part_and_the_second_is_told_its_columns_alone() {
    let model = ScriptedModel::saying([r#"{"bucket": "bills", "intent": "list"}"#, PLAN]);
    let (plan, done) = run(&model, &large(), PlanTask::First).await;
    assert_eq!(
        (hints(&plan), plan.intent),
        (vec!["bills"], QuestionIntent::List)
    );
    assert_eq!(plan.constraints[0].field.as_deref(), Some("total"));
    assert_eq!((done.usage.calls, done.fallbacks.len()), (2, 0));
    assert!(done.decided.ends_with(", in bills"), "{}", done.decided);
    let [choice, second] = &model.requests()[..] else {
        panic!("two calls")
    };
    let shown = format!("{}\n======\n{}", choice.system, choice.user);
    assert!(
        !shown.contains("vendor") && !shown.contains("landlord"),
        "names and descriptions alone"
    );
    insta::assert_snapshot!(shown);
    assert!(
        second
            .system
            .contains("- vendor (text)\n- total (number)\n</columns>")
    );
    assert!(!second.system.contains("landlord") && !second.system.contains("<buckets>"));
    let schema = &second.schema.as_ref().unwrap().json;
    assert!(schema["properties"].get("buckets").is_none());
}

#[tokio::test]
async fn what_the_plan_says_of_the_intent_goes_before_the_choice() {
    let said = r#"{"keywords": ["bills"], "intent": "compute"}"#;
    let model = ScriptedModel::saying([r#"{"bucket": "bills", "intent": "list"}"#, said]);
    let (plan, _) = run(&model, &large(), PlanTask::First).await;
    assert_eq!(plan.intent, QuestionIntent::Compute);
}

#[tokio::test]
async fn where_no_part_fits_the_plan_is_told_no_columns() {
    let model = ScriptedModel::saying([r#"{"bucket": null, "intent": "qa"}"#, PLAN]);
    let (plan, done) = run(&model, &large(), PlanTask::First).await;
    assert_eq!(hints(&plan), [""; 0]);
    assert!(
        done.decided.ends_with("none fits better"),
        "{}",
        done.decided
    );
    let second = &model.requests()[1].system;
    assert!(!second.contains("<columns>") && !second.contains("<buckets>"));
}

#[tokio::test]
async fn a_reply_that_says_nothing_of_a_part_is_no_choice_that_the_trail_tells() {
    let model = ScriptedModel::saying([r#"{"keywords": ["bills"], "intent": "list"}"#, PLAN]);
    let (_, done) = run(&model, &large(), PlanTask::First).await;
    assert!(done.decided.ends_with("; 1 keyword"), "{}", done.decided);
}

#[tokio::test]
async fn a_choice_that_cannot_be_read_is_left_to_the_plan_and_told() {
    for answer in ["bills, I think", r#"{"bucket": "memos", "intent": "qa"}"#] {
        let named = r#"{"keywords": ["bills"], "buckets": ["leases"]}"#;
        let model = ScriptedModel::saying([answer, named]);
        let (plan, done) = run(&model, &large(), PlanTask::First).await;
        assert_eq!(hints(&plan), ["leases"], "{answer}");
        let fields = vec!["bucket".to_owned()];
        assert_eq!(done.fallbacks, [Fallback::PlanFieldsDefaulted { fields }]);
        assert_eq!(done.usage.calls, 2);
    }
}

#[tokio::test]
async fn an_unreadable_plan_after_a_choice_is_the_question_itself() {
    let model = ScriptedModel::saying([r#"{"bucket": "bills", "intent": "list"}"#, "no idea"]);
    let (plan, done) = run(&model, &large(), PlanTask::First).await;
    assert_eq!((plan.query.as_str(), done.usage.calls), (QUESTION, 2));
    assert_eq!(done.fallbacks, [Fallback::PlanDefault]);
}

#[tokio::test]
async fn a_failure_of_either_call_is_one_of_the_step() {
    let failed = || Err(llm::Error::TimedOut(std::time::Duration::from_secs(1)));
    let chosen = || Ok(r#"{"bucket": "bills", "intent": "list"}"#.to_owned());
    for script in [vec![failed()], vec![chosen(), failed()]] {
        let planner = planner(&ScriptedModel::queue(script), true);
        let error = planner
            .run(&large(), PlanTask::First.into())
            .await
            .unwrap_err();
        assert_eq!(error.code, "model_timeout");
    }
}

#[tokio::test]
async fn one_part_is_no_choice_and_its_columns_are_told_at_once() {
    let model = ScriptedModel::saying([PLAN]);
    let done = planner(&model, false)
        .run(&large(), PlanTask::First.into())
        .await;
    assert_eq!(done.unwrap().usage.calls, 1);
    assert!(model.requests()[0].system.contains("- vendor (text)"));
}

#[tokio::test]
async fn the_profile_small_plans_in_one_call_without_columns() {
    let model = ScriptedModel::saying([PLAN]);
    let (_, done) = run(&model, &step(Role::Planner, QUESTION), PlanTask::First).await;
    assert_eq!(done.usage.calls, 1);
    let system = &model.requests()[0].system;
    assert!(system.contains("<buckets>") && !system.contains("<columns>"));
}

#[tokio::test]
async fn a_question_after_others_is_chosen_for_with_the_one_before_it() {
    let model = ScriptedModel::saying([
        r#"{"bucket": "leases", "intent": "qa"}"#,
        r#"{"route": "retrieve", "keywords": ["rent"]}"#,
    ]);
    let exchange = Exchange {
        question: "Who owns the flat in Elm Street?".into(),
        answer: "Vale [1].".into(),
    };
    let history = History::of(vec![exchange], Vec::new());
    let (plan, _) = run(&model, &large(), PlanTask::FollowUp { history }).await;
    assert_eq!(hints(&plan), ["leases"]);
    let asked = &model.requests()[0].user;
    let before = llm::section::read(asked, "asked_before");
    assert_eq!(before, Some("Who owns the flat in Elm Street?"));
}

#[tokio::test]
async fn calls_that_run_out_leave_one_for_the_plan_or_none() {
    let limit = || Fallback::BudgetSpent {
        limit: "llm_calls".into(),
    };
    let mut cx = large();
    cx.case.budget.llm_calls = 3;
    let model = ScriptedModel::saying([PLAN]);
    let (_, done) = run(&model, &cx, PlanTask::First).await;
    assert_eq!((done.usage.calls, done.fallbacks), (1, vec![limit()]));
    assert!(model.requests()[0].system.contains("<buckets>"));

    let mut cx = large();
    cx.case.budget.tokens = 1;
    let model = ScriptedModel::saying([r#"{"bucket": "bills", "intent": "list"}"#]);
    let (plan, done) = run(&model, &cx, PlanTask::First).await;
    let limit = "tokens".into();
    assert_eq!(done.fallbacks, [Fallback::BudgetSpent { limit }]);
    assert_eq!((plan.query.as_str(), done.usage.calls), (QUESTION, 1));
}

#[tokio::test]
async fn columns_that_do_not_fit_are_left_out() {
    let model = ScriptedModel::queue([
        Ok(r#"{"bucket": "bills", "intent": "list"}"#.to_owned()),
        Err(llm::Error::TooLong { limit: Some(400) }),
        Ok(PLAN.to_owned()),
    ]);
    let (plan, _) = run(&model, &large(), PlanTask::First).await;
    assert_eq!(hints(&plan), ["bills"]);
    let told = model
        .requests()
        .into_iter()
        .map(|one| one.system.contains("<columns>"));
    assert_eq!(told.collect::<Vec<_>>(), [false, true, false]);
}
