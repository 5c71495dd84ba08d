//! Tests of what a model says of its own draft, with a scripted model.

use super::*;

const DRAFT: &str = "It runs for 24 months [1].";

/// A step whose draft is assessed, with these replies.
async fn assessed(replies: &[&str], mode: Mode) -> (Draft, Arc<ScriptedModel>, StepOutput<()>) {
    let model = ScriptedModel::queue(replies.iter().map(|reply| Ok((*reply).to_owned())));
    let options = Options {
        assess: Some(true),
        ..Options::default()
    };
    let reducer = Reducer::new(model.clone(), &Prompts::default(), options).unwrap();
    let mut cx = cx();
    cx.case.mode = mode;
    let done = reducer.run(&cx, generate()).await.unwrap();
    let ReducerExit::Composed(draft) = done.out.clone() else {
        panic!("no draft");
    };
    (draft, model, done.map(|_| ()))
}

#[tokio::test]
async fn a_draft_is_assessed_in_a_prompt_that_begins_as_its_own() {
    let (draft, model, done) = assessed(&[DRAFT, "No."], Mode::Agentic).await;
    assert_eq!(draft.text, DRAFT);
    let said = draft.assessment.unwrap();
    assert!(said.right < 0.5, "{said:?}");
    assert_eq!(done.usage.calls, 2);
    let asked = model.requests();
    let began: Vec<&str> = asked
        .iter()
        .map(|request| request.user.split("</question>").next().unwrap())
        .collect();
    assert!(began.iter().all(|one| *one == began[0]));
    assert!(asked.iter().all(|one| one.system == asked[0].system));
    let words: Vec<bool> = asked.iter().map(|one| one.likely > 0).collect();
    assert_eq!(words, [false, true]);
    assert!(asked[1].user.contains(DRAFT));
}

#[tokio::test]
async fn without_a_word_there_is_no_assessment() {
    let (draft, _, done) = assessed(&[DRAFT, "hm"], Mode::Agentic).await;
    assert_eq!((draft.text.as_str(), draft.assessment), (DRAFT, None));
    assert!(!draft.no_information);
    assert_eq!(done.usage.calls, 2);
    let (draft, model, _) = assessed(&[DRAFT], Mode::Simple).await;
    assert_eq!((draft.text.as_str(), draft.assessment), (DRAFT, None));
    assert_eq!(model.requests().len(), 1);
}
