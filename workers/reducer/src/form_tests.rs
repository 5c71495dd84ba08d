//! Tests of what a model is told about the form of an answer.

use super::*;

/// Which of the three forms the one call asks for.
async fn told(cx: &StepContext, task: Reduction) -> Vec<bool> {
    let forms = ["a bulleted list", "a Markdown table", "CSV"];
    let model = ScriptedModel::saying(["It runs for 24 months [1]."]);
    run(&model, cx, task).await;
    let [request] = &model.requests()[..] else {
        panic!("one call")
    };
    let has = |form: &str| {
        let note = format!("\n\nWrite the answer as {form}: ");
        request.system.contains(&note) && request.system.ends_with("as in [1].")
    };
    forms.map(has).to_vec()
}

#[tokio::test]
async fn another_form_than_prose_is_asked_for_in_every_prompt_for_an_answer() {
    let printed = ["The guarantee is printed on the box"];
    let little = || vec![said(true, true, &printed), None];
    for (form, wanted) in [
        (AnswerForm::Prose, [false, false, false]),
        (AnswerForm::List, [true, false, false]),
        (AnswerForm::Table, [false, true, false]),
        (AnswerForm::Csv, [false, false, true]),
    ] {
        for mut task in [
            gather(enough(), false, false),
            gather(enough(), true, true),
            gather(little(), false, true),
        ] {
            task.evidence[0].scatter.plan.form = form;
            assert_eq!(told(&cx(), task.clone()).await, wanted, "{form:?}");
            // A further round looks for what is missing, and its plan may know nothing of the form.
            let mut further = task.evidence[0].clone();
            further.scatter.plan.form = AnswerForm::Prose;
            task.evidence.push(further);
            assert_eq!(told(&cx(), task).await, wanted, "{form:?}");
        }
        let mut known = generate();
        if let ReduceTask::Generate { form: wanted, .. } = &mut known.task {
            *wanted = form;
        }
        assert_eq!(told(&cx(), known).await, wanted, "{form:?}");
        let mut acted = gather(enough(), false, false);
        acted.task = ReduceTask::Read {
            scatters: vec![2],
            strict: false,
        };
        acted.evidence[0].scatter.plan.form = form;
        assert_eq!(told(&cx(), acted).await, wanted, "{form:?}");
    }
}

#[tokio::test]
async fn rows_and_their_marks_stay_as_they_are_written() {
    for (form, written) in [
        (
            AnswerForm::List,
            "- The guarantee is 24 months [1]\n- The Delta pump is sold with lamps [2]",
        ),
        (
            AnswerForm::Table,
            "| thing | what |\n|---|---|\n| guarantee | 24 months [1] |\n| Delta pump | sold with lamps [2] |",
        ),
        (
            AnswerForm::Csv,
            "thing,what\nguarantee,24 months [1]\nDelta pump,sold with lamps [2]",
        ),
    ] {
        let model = ScriptedModel::saying([written]);
        let mut task = gather(enough(), false, false);
        task.evidence[0].scatter.plan.form = form;
        let (draft, done) = run(&model, &cx(), task).await;
        assert_eq!(draft.text, written);
        assert_eq!((draft.sources.len(), done.fallbacks), (2, vec![]));
    }
}
