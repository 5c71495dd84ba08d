//! Tests of the requests that the planner sends to its model.

use crate::options::Options;
use crate::stage::Planner;
use crate::step_tests::Made;
use envelope::{Exchange, History, PlanTask, Role, UnixMs};
use llm::Prompts;
use stage::Stage;
use std::sync::Arc;
use std::time::Duration;
use testkit::model::{ScriptedModel, step};

const QUESTION: &str = "Which contracts of Bolt end in May?";

/// The first prompt of a step, to which the model replies twice at most.
async fn prompt(place: &str, teller: &str, reply: &str) -> String {
    let mut made = Made::new(place, teller, QUESTION);
    made.cx.now = UnixMs(1_709_210_096_000);
    made.cx.header.asked_at = made.cx.now;
    made.cx.header.deadline = UnixMs(1_709_210_196_000);
    let model = ScriptedModel::saying([reply, reply]);
    made.run(&model).await.unwrap();
    let requests = model.requests();
    let first = requests.first().unwrap();
    assert_eq!(first.timeout, Duration::from_secs(100) / 3);
    assert!(first.user.contains("Today is 2024-02-29 (Thursday)."));
    format!("{}\n======\n{}", first.system, first.user)
}

#[tokio::test]
async fn prompts() {
    insta::assert_snapshot!("a_first_plan", prompt("", "first plan", "{}").await);
    insta::assert_snapshot!("a_follow_up", prompt("", "follow up", "{}").await);
    insta::assert_snapshot!("a_new_plan", prompt("", "new plan", "{}").await);
    let place = " of parts bills leases, large";
    insta::assert_snapshot!("a_choice", prompt(place, "first plan", "{}").await);
    let place = " of found bolt";
    let enough = r#"{"status": "enough"}"#;
    insta::assert_snapshot!("a_review", prompt(place, "review", enough).await);
    let done = r#"{"tool": "done", "args": {}}"#;
    insta::assert_snapshot!("an_action", prompt(place, "action", done).await);
}

#[tokio::test]
async fn a_turn_may_bring_a_model_and_a_prompt() {
    let model = ScriptedModel::saying(["{}", "{}"]);
    for teller in ["new plan", "first plan"] {
        let mut made = Made::new("", teller, QUESTION);
        made.cx.case.overrides.model = Some("large".into());
        let own = "Be bold.\n---user---\n{{question}} {{earlier_queries}} {{feedback}}";
        let prompts = [("planner_refine".to_owned(), own.to_owned())];
        made.cx.case.overrides.prompts = prompts.into();
        made.run(&model).await.unwrap();
    }
    let [refined, first] = &model.requests()[..] else {
        panic!("two calls")
    };
    let models = [refined, first].map(|one| one.model.as_deref());
    assert_eq!(models, [Some("large"), Some("large")]);
    assert_eq!(refined.system, "Be bold.");
    assert_ne!(first.system, "Be bold.", "the other prompt is as it was");
}

#[test]
fn an_override_that_lacks_an_input_stops_the_start() {
    let texts = [("planner".to_owned(), "---user---\nPlan!".to_owned())];
    let prompts = Prompts::new(texts.into());
    let planner = Planner::new(ScriptedModel::saying([""]), &prompts, Options::default());
    let error = planner.err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("prompt `planner` lacks `question`"));
}

#[tokio::test]
async fn a_history_that_is_too_long_is_told_shorter() {
    let too_long = || Err(llm::Error::TooLong { limit: Some(400) });
    let exchange = |n: u32| Exchange {
        question: format!("Question {n}?"),
        answer: format!("Answer {n}."),
    };
    let history = History::of((0..5).map(exchange).collect(), Vec::new());
    let run = async |model: &Arc<ScriptedModel>| {
        let planner = Planner::new(model.clone(), &Prompts::default(), Options::default());
        let task = PlanTask::FollowUp {
            history: history.clone(),
        };
        let cx = step(Role::Planner, "And what does it cost?");
        planner.unwrap().run(&cx, task.into()).await
    };
    let planned = r#"{"route": "retrieve", "keywords": ["price"]}"#;
    let model = ScriptedModel::queue([too_long(), too_long(), Ok(planned.to_owned())]);
    let done = run(&model).await.unwrap();
    let lines = model.requests().into_iter().map(|asked| {
        let said = |line: &&str| line.contains("Question ") || line.contains("Answer ");
        asked.user.lines().filter(said).count()
    });
    assert_eq!(lines.collect::<Vec<_>>(), [8, 6, 4], "the oldest go first");
    let used = "after 2 exchanges, 3 left out: retrieve";
    assert!(done.decided.starts_with(used), "{}", done.decided);

    // A prompt that is too long without any of it is too long for good.
    let model = ScriptedModel::answering(move |_| too_long());
    let error = run(&model).await.unwrap_err();
    assert_eq!(error.code, "model_context");
    assert_eq!(model.requests().len(), 5);
}
