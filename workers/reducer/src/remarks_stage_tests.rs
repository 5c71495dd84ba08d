//! Tests of drafts with contradictions and things to do.

use super::*;

fn asking_for_items(model: &Arc<ScriptedModel>) -> Reducer {
    let options = Options {
        action_items: true,
        ..Options::default()
    };
    Reducer::new(model.clone(), &Prompts::default(), options).unwrap()
}

#[tokio::test]
async fn contradictions_are_told_with_both_sides() {
    let answer = "The guarantee is 24 months [1].\nContradiction: the guarantee is 36 months [2], or 24 months [1].";
    let model = ScriptedModel::saying([answer]);
    let both = generate_from(vec![
        passage("d0", "The guarantee of the Delta pump is 24 months."),
        passage("d2", "The guarantee of the Delta pump is 36 months."),
    ]);
    let (draft, done) = run(&model, &cx(), both).await;
    assert!(
        draft.text.contains("Contradiction:"),
        "both sides stand in the answer, too"
    );
    let [remark] = &done.remarks.contradictions[..] else {
        panic!("{:?}", done.remarks)
    };
    assert_eq!(remark.text, "the guarantee is 36 months, or 24 months.");
    assert_eq!(remark.chunks, ["d2.0", "d0.0"]);
    assert_eq!((done.remarks.action_items.len(), done.usage.calls), (0, 1));
}

#[tokio::test]
async fn a_contradiction_that_no_source_bears_out_is_none() {
    let answer = "Contradiction: the guarantee is 24 months [1], and it is sold with lamps [2].";
    let model = ScriptedModel::saying([answer]);
    let (draft, done) = run(&model, &cx(), gather(enough(), false, false)).await;
    assert_eq!(
        draft.text,
        "The guarantee is 24 months [1], and it is sold with lamps [2]."
    );
    assert!(done.remarks.contradictions.is_empty());
}

#[tokio::test]
async fn action_items_are_a_second_call_that_is_asked_for() {
    let model = ScriptedModel::saying([
        "The guarantee runs for 24 months [1].",
        "- Keep the guarantee for 24 months [1]",
    ]);
    let done = asking_for_items(&model);
    let done = done
        .run(&cx(), gather(enough(), false, false))
        .await
        .unwrap();
    assert_eq!(
        done.remarks.action_items[0].text,
        "Keep the guarantee for 24 months"
    );
    assert_eq!(done.usage.calls, 2);
    let prompts: Vec<&str> = done.prompts.keys().map(String::as_str).collect();
    assert_eq!(prompts, ["reducer", "reducer_actions"]);
    let second = &model.requests()[1];
    insta::assert_snapshot!(format!("{}\n======\n{}", second.system, second.user));
}

#[tokio::test]
async fn an_answer_does_not_wait_for_its_action_items() {
    let model = ScriptedModel::saying(["The guarantee runs for 24 months [1]."]);
    let done = asking_for_items(&model)
        .run(&cx(), gather(enough(), false, false))
        .await
        .unwrap();
    assert_eq!(
        (done.fallbacks, done.usage.calls),
        (vec![Fallback::ActionItemsFailed], 1)
    );

    let mut last_call = cx();
    last_call.case.budget.llm_calls = 1;
    let model = ScriptedModel::saying(["The guarantee runs for 24 months [1].", "- made up [1]"]);
    let done = asking_for_items(&model)
        .run(&last_call, gather(enough(), false, false))
        .await
        .unwrap();
    assert_eq!(
        (done.fallbacks, model.requests().len()),
        (vec![Fallback::ActionItemsFailed], 1)
    );
}

#[tokio::test]
async fn that_there_is_nothing_to_say_has_nothing_to_do() {
    let model = ScriptedModel::saying(["No relevant information found."]);
    let done = asking_for_items(&model)
        .run(&cx(), gather(enough(), false, false))
        .await
        .unwrap();
    assert_eq!((done.fallbacks, done.usage.calls), (vec![], 1));
}
