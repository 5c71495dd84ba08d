//! Tests of the draft text that the reducer shows while a scripted model writes it.

use super::*;
use stage::{Live, LiveNote};
use std::sync::Mutex;

/// What is shown: each piece of text, with the number of its draft.
type Shown = Arc<Mutex<Vec<(u16, String)>>>;

/// A step with a listener.
fn heard() -> (StepContext, Shown) {
    let shown = Shown::default();
    let kept = shown.clone();
    let live = Live::to(move |note| {
        if let LiveNote::Text(draft, piece) = note {
            kept.lock().unwrap().push((draft, piece.to_owned()));
        }
    });
    (StepContext { live, ..cx() }, shown)
}

fn all(shown: &Shown) -> Vec<(u16, String)> {
    shown.lock().unwrap().clone()
}

fn piece(draft: u16, text: &str) -> (u16, String) {
    (draft, text.to_owned())
}

fn model(answers: impl IntoIterator<Item = testkit::model::FakeReply>) -> Arc<ScriptedModel> {
    ScriptedModel::aloud([Some("It is "), None, Some("24 months")], answers)
}

#[tokio::test]
async fn a_draft_is_shown_as_it_comes_and_is_the_same_without_anybody_who_looks() {
    let answer = "The guarantee is 24 months [1].";
    let model = model([Ok(answer.into()), Ok(answer.into())]);
    let (listened, shown) = heard();
    let (seen, _) = run(&model, &listened, gather(enough(), false, false)).await;
    let written = [piece(0, "It is "), piece(1, ""), piece(1, "24 months")];
    assert_eq!(all(&shown), written);
    let (unseen, _) = run(&model, &cx(), gather(enough(), false, false)).await;
    assert_eq!(seen, unseen);
    let [first, second] = &model.requests()[..] else {
        panic!("one call each")
    };
    assert_eq!(first, second);
    assert_eq!(all(&shown), written, "nobody asked for the second");
}

#[tokio::test]
async fn what_was_shown_of_an_answer_that_is_none_is_taken_back() {
    let (cx, shown) = heard();
    let model = ScriptedModel::aloud([Some("Answer:")], [Ok("Answer:".into())]);
    let (draft, _) = run(&model, &cx, gather(enough(), false, false)).await;
    assert!(draft.stitched);
    assert_eq!(all(&shown), [piece(0, "Answer:"), piece(1, "")]);
}

#[tokio::test]
async fn a_prompt_that_is_sent_again_with_fewer_sources_is_another_draft() {
    let (cx, shown) = heard();
    let too_long = Err(llm::Error::TooLong { limit: None });
    let model = ScriptedModel::aloud(
        [Some("24 months"), None],
        [too_long, Ok("24 months [1].".into())],
    );
    run(&model, &cx, gather(enough(), false, false)).await;
    let drafts: Vec<_> = all(&shown).into_iter().map(|(draft, _)| draft).collect();
    assert_eq!(drafts, [0, 1, 1, 2]);
}

#[tokio::test]
async fn no_draft_is_streamed_without_a_model_call() {
    let (cx, shown) = heard();
    let model = model([]);
    run(
        &model,
        &cx,
        gather(vec![said(true, false, &[])], false, true),
    )
    .await;
    assert_eq!(all(&shown), []);
}
