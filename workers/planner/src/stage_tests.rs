//! Tests of the planner's step against a scripted model.

use super::*;
use envelope::lookup::{CatalogBucket, CorpusCatalog};
use envelope::{Bucket, Class, Exchange, TenantId};
use std::time::Duration;
use testkit::model::{ScriptedModel, step};

const QUESTION: &str = "How long is the guarantee on the Delta pump?";

async fn run(
    model: &Arc<ScriptedModel>,
    cx: &StepContext,
    task: PlanTask,
) -> StepOutput<PlannerExit> {
    let planner = Planner::new(model.clone(), &Prompts::default(), Options::default());
    planner.unwrap().run(cx, task.into()).await.unwrap()
}

fn refine() -> (StepContext, PlanTask) {
    let mut cx = step(Role::Planner, QUESTION);
    cx.case.queries = vec![QUESTION.into(), "Delta pump warranty".into()];
    let why = "none of 5 passages helps".into();
    (cx, PlanTask::Refine { why })
}

fn shown(model: &ScriptedModel) -> String {
    let [request] = &model.requests()[..] else {
        panic!("one call")
    };
    format!("{}\n======\n{}", request.system, request.user)
}

#[tokio::test]
async fn a_first_plan() {
    let model = ScriptedModel::saying([
        r#"{"keywords": ["guarantee", "Delta pump"], "file_filter": null, "source_hint": null}"#,
    ]);
    let done = run(&model, &step(Role::Planner, QUESTION), PlanTask::First).await;
    let PlannerExit::Planned(plan) = done.out else {
        panic!("no plan")
    };
    assert_eq!(plan.query, QUESTION);
    assert_eq!(plan.keywords, ["guarantee", "Delta pump"]);
    assert_eq!(done.decided, "simple, qa; 2 keywords");
    assert_eq!(done.usage.calls, 1);
    assert_eq!(done.fallbacks, []);
    assert_eq!(model.requests()[0].timeout, Duration::from_secs(15));
    insta::assert_snapshot!(shown(&model));
}

#[tokio::test]
async fn a_turn_may_bring_a_model_and_a_prompt() {
    let model = ScriptedModel::saying(["{}", "{}"]);
    let (mut cx, task) = refine();
    cx.case.overrides.model = Some("large".into());
    let own = "Be bold.\n---user---\n{{question}} {{earlier_queries}} {{feedback}}";
    let prompts = [("planner_refine".to_owned(), own.to_owned())];
    cx.case.overrides.prompts = prompts.into();
    run(&model, &cx, task).await;
    run(&model, &cx, PlanTask::First).await;
    let [refined, first] = &model.requests()[..] else {
        panic!("two calls")
    };
    assert_eq!(refined.model.as_deref(), Some("large"));
    assert_eq!(first.model.as_deref(), Some("large"));
    assert_eq!(refined.system, "Be bold.");
    assert_ne!(first.system, "Be bold.", "the other prompt is as it was");
}

#[tokio::test]
async fn a_refined_plan_that_is_new() {
    let model = ScriptedModel::saying([r#"{"query": "service manual Delta series, months"}"#]);
    let (cx, task) = refine();
    let done = run(&model, &cx, task).await;
    assert!(matches!(&done.out, PlannerExit::Planned(plan) if plan.query.starts_with("service")));
    let told = "looks for \"service manual Delta series, months\"; ";
    assert!(done.decided.starts_with(told), "{}", done.decided);
    insta::assert_snapshot!(shown(&model));
}

#[tokio::test]
async fn a_refined_plan_that_is_old_reads_on() {
    for answer in [r#"{"query": "warranty of delta pumps"}"#, "no idea"] {
        let model = ScriptedModel::saying([answer]);
        let (cx, task) = refine();
        let done = run(&model, &cx, task).await;
        assert!(matches!(&done.out, PlannerExit::Planned(_)), "{answer}");
        assert!(
            done.decided
                .starts_with("the same search, which reads on; ")
        );
        assert_eq!(done.usage.calls, 1);
    }
}

#[tokio::test]
async fn new_keywords_are_progress_even_without_a_new_query() {
    let model = ScriptedModel::saying([r#"{"keywords": ["maintenance contract"]}"#]);
    let (cx, task) = refine();
    let done = run(&model, &cx, task).await;
    let query = format!("{QUESTION} maintenance contract");
    assert!(matches!(done.out, PlannerExit::Planned(plan) if plan.query == query));
}

#[tokio::test]
async fn malformed_output_is_the_question_itself() {
    let model = ScriptedModel::saying(["The guarantee is 24 months."]);
    let done = run(&model, &step(Role::Planner, QUESTION), PlanTask::First).await;
    let PlannerExit::Planned(plan) = done.out else {
        panic!("no plan")
    };
    let by_rules = Plan {
        query: QUESTION.into(),
        topics: vec!["long".into(), "guarantee".into(), "delta pump".into()],
        ..Plan::default()
    };
    assert_eq!(plan, by_rules);
    assert_eq!(done.decided, "the question as it stands; simple, qa");
    assert_eq!(done.fallbacks, [Fallback::PlanDefault]);
    assert_eq!(
        (done.model.as_deref(), done.usage.calls),
        (Some("scripted"), 1)
    );
}

#[tokio::test]
async fn a_spent_budget_asks_nobody() {
    let model = ScriptedModel::saying(["{}"]);
    let (mut cx, task) = refine();
    cx.case.budget.llm_calls = 0;
    let limit = || Fallback::BudgetSpent {
        limit: "llm_calls".into(),
    };
    let first = run(&model, &cx, PlanTask::First).await;
    assert!(matches!(first.out, PlannerExit::Planned(plan) if plan.query == QUESTION));
    assert_eq!(first.fallbacks, [limit()]);
    let again = run(&model, &cx, task).await;
    assert!(matches!(again.out, PlannerExit::Planned(_)));
    assert_eq!(again.fallbacks, [limit()]);
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_failed_call_is_left_to_the_harness() {
    let model = ScriptedModel::failing(llm::Error::TimedOut(Duration::from_secs(1)));
    let planner = Planner::new(model, &Prompts::default(), Options::default()).unwrap();
    let cx = step(Role::Planner, QUESTION);
    let error = planner.run(&cx, PlanTask::First.into()).await.unwrap_err();
    assert_eq!(
        (error.class, error.code),
        (Class::Transient, "model_timeout")
    );
}

#[test]
fn an_override_that_lacks_an_input_stops_the_start() {
    let texts = [("planner".to_owned(), "---user---\nPlan!".to_owned())];
    let prompts = Prompts::new(texts.into());
    let planner = Planner::new(ScriptedModel::saying([""]), &prompts, Options::default());
    let error = planner.err().map(|e| e.to_string());
    assert_eq!(error.as_deref(), Some("prompt `planner` lacks `question`"));
}

const FRAGMENT: &str = "And what does it cost?";

fn follow_up() -> (StepContext, PlanTask) {
    let exchange = Exchange {
        question: QUESTION.into(),
        answer: "24 months [1].".into(),
    };
    let history = History::of(vec![exchange], vec!["manual.3".into()]);
    (
        step(Role::Planner, FRAGMENT),
        PlanTask::FollowUp { history },
    )
}

#[tokio::test]
async fn a_follow_up_is_made_to_stand_alone() {
    let model = ScriptedModel::saying([
        r#"{"question": "What does the Delta pump cost?", "route": "rewrite_then_retrieve", "reason": "it is the pump",
            "keywords": ["price", "Delta pump"], "sub_queries": [], "file_filter": null, "source_hint": null}"#,
    ]);
    let (cx, task) = follow_up();
    let done = run(&model, &cx, task).await;
    let PlannerExit::Planned(plan) = done.out else {
        panic!("no plan")
    };
    assert_eq!(plan.query, "What does the Delta pump cost? price");
    assert_eq!(
        plan.rewritten.as_deref(),
        Some("What does the Delta pump cost?")
    );
    assert_eq!(plan.context, QUESTION);
    assert_eq!(
        done.decided,
        "after 1 exchange: rewrite_then_retrieve (it is the pump) \"What does the Delta pump cost?\"; simple, qa; 2 keywords"
    );
    insta::assert_snapshot!(shown(&model));
}

#[tokio::test]
async fn a_history_that_is_too_long_is_told_shorter() {
    let too_long = || Err(llm::Error::TooLong { limit: Some(400) });
    let planned = r#"{"route": "retrieve", "keywords": ["price"]}"#;
    let exchange = |n: u32| Exchange {
        question: format!("Question {n}?"),
        answer: format!("Answer {n}."),
    };
    let history = History::of((0..5).map(exchange).collect(), Vec::new());
    let task = PlanTask::FollowUp { history };
    let cx = step(Role::Planner, FRAGMENT);
    let model = ScriptedModel::queue([too_long(), too_long(), Ok(planned.to_owned())]);
    let done = run(&model, &cx, task.clone()).await;
    let asked = model.requests();
    let lines = |n: usize| {
        let lines = asked[n].user.lines();
        let said = |line: &&str| line.contains("Question ") || line.contains("Answer ");
        lines.filter(said).count()
    };
    assert_eq!([0, 1, 2].map(lines), [8, 6, 4], "the oldest go first");
    assert!(
        done.decided
            .starts_with("after 2 exchanges, 3 left out: retrieve"),
        "{}",
        done.decided
    );

    // A prompt that is too long without any of it is too long for good.
    let model = ScriptedModel::answering(move |_| too_long());
    let planner = Planner::new(model.clone(), &Prompts::default(), Options::default()).unwrap();
    let error = planner.run(&cx, task.into()).await.unwrap_err();
    assert_eq!(
        (error.class, error.code),
        (Class::TooLarge, "model_context")
    );
    assert_eq!(model.requests().len(), 5);
}

#[tokio::test]
async fn what_is_known_already_is_looked_at_first() {
    let model = ScriptedModel::saying([
        r#"{"question": "What does the Delta pump cost?", "route": "direct_answer"}"#,
    ]);
    let (cx, task) = follow_up();
    let done = run(&model, &cx, task).await;
    let PlannerExit::Known { plan, chunks } = done.out else {
        panic!("not known")
    };
    assert_eq!(chunks, ["manual.3"]);
    assert_eq!(plan.query, "What does the Delta pump cost?");
}

#[tokio::test]
async fn who_asks_what_nobody_can_tell_is_asked_back_once() {
    let answer =
        r#"{"question": "", "route": "ask_clarification", "reason": "two pumps were named"}"#;
    let model = ScriptedModel::saying([answer, answer]);
    let (mut cx, task) = follow_up();
    let done = run(&model, &cx, task.clone()).await;
    let doubt = Doubt::Unclear {
        query: FRAGMENT.into(),
        reason: "two pumps were named".into(),
    };
    assert_eq!(done.out, PlannerExit::Ask(doubt));
    cx.case.question.rewritten = Some("And what does it cost? - User clarified: the pump".into());
    let again = run(&model, &cx, task).await;
    assert!(matches!(again.out, PlannerExit::Planned(_)));
}

#[tokio::test]
async fn without_a_route_the_question_is_searched_for_as_it_is() {
    for answer in [
        "no idea",
        r#"{"keywords": ["price"]}"#,
        r#"{"route": "maybe"}"#,
    ] {
        let model = ScriptedModel::saying([answer]);
        let (cx, task) = follow_up();
        let done = run(&model, &cx, task).await;
        let PlannerExit::Planned(plan) = done.out else {
            panic!("no plan")
        };
        assert_eq!((plan.query.as_str(), plan.rewritten), (FRAGMENT, None));
        assert_eq!(
            plan.context, QUESTION,
            "a search may lean on it all the same"
        );
        assert_eq!(done.fallbacks, [Fallback::PlanDefault]);
        assert_eq!(
            done.decided,
            "after 1 exchange: retrieve, the question as it stands; simple, qa"
        );
    }
}

/// A planner with a bucket for places.
async fn located(
    model: &Arc<ScriptedModel>,
    cx: &StepContext,
    task: PlanTask,
) -> StepOutput<PlannerExit> {
    let options = Options {
        location_buckets: vec![envelope::Bucket::new("facilities").unwrap()],
        ..Options::default()
    };
    let planner = Planner::new(model.clone(), &Prompts::default(), options);
    planner.unwrap().run(cx, task.into()).await.unwrap()
}

const LOCATED: &str = r#"{"question": "Find pumps near Austin", "route": "location_search", "reason": "a place", "keywords": ["pumps", "Austin"]}"#;

#[tokio::test]
async fn a_question_for_a_place_is_sent_to_what_is_kept_of_places() {
    let model = ScriptedModel::saying([LOCATED]);
    let cx = step(Role::Planner, "Find pumps near Austin");
    let done = located(&model, &cx, PlanTask::First).await;
    let PlannerExit::Located(plan) = done.out else {
        panic!("not located")
    };
    assert_eq!(plan.filter.to_string(), "bucket in [\"facilities\"]");
    assert_eq!(
        done.decided,
        "nothing before: location_search (a place); simple, list; 2 keywords, bucket in [\"facilities\"]"
    );
    let user = &model.requests()[0].user;
    let routes = llm::section::read(user, "routes").unwrap();
    assert!(routes.contains("location_search"), "{routes}");
    assert!(!routes.contains("direct_answer"), "{routes}");
}

#[tokio::test]
async fn a_model_that_knows_of_a_place_where_none_is_kept_gets_a_search() {
    let model = ScriptedModel::saying([LOCATED]);
    let (_, task) = follow_up();
    let cx = step(Role::Planner, "Find pumps near Austin");
    let done = run(&model, &cx, task).await;
    let PlannerExit::Planned(plan) = done.out else {
        panic!("no plan")
    };
    assert!(plan.filter.is_empty());
    assert_eq!(
        done.decided,
        "after 1 exchange: retrieve (a place); simple, list; 2 keywords"
    );
    let user = &model.requests()[0].user;
    assert!(!user.contains("location_search"));
}

#[tokio::test]
async fn a_model_of_another_shape_gets_the_rules_and_is_counted() {
    let question = "List the orders from Acme over 500 EUR as a table";
    let cx = step(Role::Planner, question);
    let shapes = [
        r#"{"plan": {"class": "comparative"}}"#,
        r#"{"class": 1, "constraints": 2}"#,
    ];
    for answer in shapes {
        let done = run(&ScriptedModel::saying([answer]), &cx, PlanTask::First).await;
        assert_eq!(done.fallbacks, [Fallback::PlanDefault], "{answer}");
        assert_eq!(
            done.decided,
            "the question as it stands; simple, list, where \"from Acme\" \"over 500 EUR\", as table"
        );
    }
    // One field that is wrong costs no more than itself.
    let answer = r#"{"keywords": ["orders"], "intent": "everything"}"#;
    let done = run(&ScriptedModel::saying([answer]), &cx, PlanTask::First).await;
    let fields = vec!["intent".to_owned()];
    assert_eq!(done.fallbacks, [Fallback::PlanFieldsDefaulted { fields }]);
    assert!(
        done.decided.starts_with("simple, list, where"),
        "{}",
        done.decided
    );
}

#[tokio::test]
async fn the_day_is_that_of_the_step() {
    let model = ScriptedModel::saying(["{}", "{}", "{}"]);
    let (mut refining, refine) = refine();
    let (mut following, follow_up) = follow_up();
    let mut first = step(Role::Planner, QUESTION);
    for cx in [&mut refining, &mut following, &mut first] {
        cx.now = envelope::UnixMs(1_709_210_096_000);
    }
    run(&model, &refining, refine).await;
    run(&model, &following, follow_up).await;
    run(&model, &first, PlanTask::First).await;
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    for request in requests {
        assert!(
            request.user.contains("Today is 2024-02-29 (Thursday)."),
            "{}",
            request.user
        );
    }
}

/// A catalog of two buckets.
struct Parts([&'static str; 2]);

impl CatalogSource for Parts {
    fn catalog<'a>(&'a self, _: &'a TenantId) -> BoxFuture<'a, Arc<CorpusCatalog>> {
        let buckets = self.0.map(|name| CatalogBucket {
            bucket: Bucket::new(name).unwrap(),
            description: format!("What is in {name}"),
            synonyms: Vec::new(),
            documents: 1,
            columns: Vec::new(),
            columns_left_out: 0,
        });
        let catalog = CorpusCatalog {
            buckets: buckets.to_vec(),
            ..CorpusCatalog::default()
        };
        Box::pin(std::future::ready(Arc::new(catalog)))
    }
}

#[tokio::test]
async fn the_parts_that_a_question_is_about_are_asked_for_where_it_may_be_about_several() {
    for (named, said, hints, told) in [
        (
            vec![],
            r#"{"buckets": ["sales"]}"#,
            vec!["sales"],
            ", in sales",
        ),
        (
            vec![],
            r#"{"keywords": ["k"], "buckets": []}"#,
            vec![],
            ", in all buckets: none fits better",
        ),
        // As of the offline reader: nobody has chosen.
        (vec![], r#"{"keywords": ["k"]}"#, vec![], "; 1 keyword"),
        (
            vec!["orders"],
            r#"{"keywords": ["k"]}"#,
            vec![],
            "; 1 keyword",
        ),
    ] {
        let model = ScriptedModel::saying([said]);
        let planner = Planner::new(model.clone(), &Prompts::default(), Options::default()).unwrap();
        let planner = planner.with_catalog(Arc::new(Parts(["orders", "sales"])));
        let mut cx = step(Role::Planner, QUESTION);
        cx.case.buckets = named
            .iter()
            .map(|name| Bucket::new(*name).unwrap())
            .collect();
        let done = planner.run(&cx, PlanTask::First.into()).await.unwrap();
        let PlannerExit::Planned(plan) = &done.out else {
            panic!("no plan")
        };
        let planned: Vec<&str> = plan.bucket_hints.iter().map(|one| one.as_str()).collect();
        assert_eq!(planned, hints);
        assert!(done.decided.ends_with(told), "{}", done.decided);
        let is_told = model.requests()[0].system.contains("<buckets>");
        assert_eq!(is_told, named.is_empty(), "a choice of one is none");
    }
}

#[tokio::test]
async fn a_large_model_is_asked_for_more_and_knows_the_parts_of_the_corpus() {
    let model = ScriptedModel::saying(["{}", "{}", "{}"]);
    let planner = Planner::new(model.clone(), &Prompts::default(), Options::default()).unwrap();
    let planner = planner.with_catalog(Arc::new(Parts(["orders", "sales"])));
    let mut cx = step(Role::Planner, QUESTION);
    planner.run(&cx, PlanTask::First.into()).await.unwrap();
    cx.case.profile = envelope::Profile::Large;
    planner.run(&cx, PlanTask::First.into()).await.unwrap();
    let [small, _choice, large] = &model.requests()[..] else {
        panic!("three calls")
    };
    assert!(small.system.ends_with(
        "<buckets>\n- orders: What is in orders\n- sales: What is in sales\n</buckets>"
    ));
    assert!(!small.system.contains("up to 12 keywords"));
    assert!(
        large.system.contains("up to 12 keywords, 16 constraints"),
        "{}",
        large.system
    );
    assert_eq!((small.max_tokens, large.max_tokens), (480, 960));
    let keywords = |request: &ChatRequest| {
        let schema = request.schema.clone().unwrap().json;
        schema["properties"]["keywords"]["maxItems"].clone()
    };
    assert_eq!((keywords(small), keywords(large)), (6.into(), 12.into()));
}
