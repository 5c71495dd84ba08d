//! Tests of what a model says of its own draft, with a scripted model.

use super::*;
use envelope::Case;
use testkit::model::FakeReply;

const DRAFT: &str = "It runs for 24 months [1].";

/// A step whose draft is assessed, with these replies.
async fn assessed(replies: Vec<FakeReply>, set: impl FnOnce(&mut Case)) -> Seen {
    let model = ScriptedModel::queue(replies);
    let options = Options {
        assess: Some(true),
        ..Options::default()
    };
    let reducer = Reducer::new(model.clone(), &Prompts::default(), options).unwrap();
    let mut cx = cx();
    set(&mut cx.case);
    let done = reducer.run(&cx, generate()).await.unwrap();
    let ReducerExit::Composed(draft) = done.out.clone() else {
        panic!("no draft");
    };
    (draft, model, done.map(|_| ()))
}

type Seen = (Draft, Arc<ScriptedModel>, StepOutput<()>);

fn says(replies: &[&str]) -> Vec<FakeReply> {
    replies
        .iter()
        .map(|reply| Ok((*reply).to_owned()))
        .collect()
}

#[tokio::test]
async fn a_draft_is_assessed_by_the_first_source() {
    let (draft, model, done) = assessed(says(&[DRAFT, "No."]), |_| ()).await;
    assert_eq!(draft.text, DRAFT);
    let said = draft.assessment.unwrap();
    assert!(said.right < 0.5, "{said:?}");
    assert_eq!(done.usage.calls, 2);
    assert!(done.decided.ends_with("; right with 0.25, by its model"));
    let asked = model.requests();
    let words: Vec<bool> = asked.iter().map(|one| one.likely > 0).collect();
    assert_eq!(words, [false, true]);
    let sources = |user: &str| user.matches(".txt)").count();
    assert_eq!((sources(&asked[0].user), sources(&asked[1].user)), (2, 1));
    assert!(asked[1].user.contains("(d0.txt)\n"), "{}", asked[1].user);
    assert!(asked[1].user.contains("It runs for 24 months.\n</answer>"));
}

#[tokio::test]
async fn why_a_draft_is_not_assessed_is_told() {
    let late = || Err(llm::Error::TimedOut(Duration::from_secs(1)));
    for (reply, calls, told) in [
        (Ok("hm".into()), 2, "the model said neither yes nor no"),
        (late(), 1, "no answer within 1s"),
    ] {
        let (draft, _, done) = assessed(vec![Ok(DRAFT.into()), reply], |_| ()).await;
        assert_eq!((draft.text.as_str(), draft.assessment), (DRAFT, None));
        assert_eq!(done.usage.calls, calls, "{told}");
        let end = format!("; not assessed: {told}");
        assert!(done.decided.ends_with(&end), "{}", done.decided);
    }
    let spent = |case: &mut Case| case.budget.llm_calls = 1;
    let (_, model, done) = assessed(says(&[DRAFT]), spent).await;
    assert!(done.decided.ends_with("; not assessed: no llm_calls left"));
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn only_what_a_small_model_wrote_of_an_agentic_question_is_assessed() {
    type Set = fn(&mut Case);
    for (reply, set, is_written) in [
        ("The passages do not say.", (|_| ()) as Set, false),
        ("<think>It is long.</think>", |_| (), false),
        (DRAFT, |case| case.mode = Mode::Simple, true),
        (DRAFT, |case| case.profile = Profile::Large, true),
    ] {
        let (draft, model, _) = assessed(says(&[reply]), set).await;
        assert_eq!((draft.assessment, model.requests().len()), (None, 1));
        assert_eq!(draft.text == DRAFT, is_written, "{reply}");
    }
}

#[tokio::test]
async fn marks_that_rules_add_are_no_fallback_where_none_were_asked_for() {
    let bare = DRAFT.trim_end_matches(" [1].").to_owned() + ".";
    let (draft, _, done) = assessed(says(&[&bare, "yes"]), |_| ()).await;
    assert_eq!((draft.text.as_str(), done.fallbacks), (DRAFT, vec![]));
}
