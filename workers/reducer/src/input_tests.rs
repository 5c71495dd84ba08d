//! Tests of the input of a draft: the passages and facts that it is made from, and the prompt that asks for it.

use super::*;
use envelope::Profile;

fn of_profile(profile: Profile) -> StepContext {
    let mut cx = cx();
    cx.case.profile = profile;
    cx
}

/// A model whose reply tells which prompt it was asked with.
fn shows(model: &ScriptedModel) -> (&'static str, bool) {
    let [request] = &model.requests()[..] else {
        panic!("one call")
    };
    let shows_passages = request.user.contains("<passages>");
    let variant = match &request.system {
        system if system.contains("be strict") => "strict",
        system if system.contains("say what is missing") => "caveat",
        _ => "plain",
    };
    (variant, shows_passages)
}

#[tokio::test]
async fn a_large_model_composes_from_passages_and_a_small_one_from_facts() {
    for (profile, strict, shown) in [
        (Profile::Small, false, ("plain", false)),
        (Profile::Large, false, ("plain", true)),
        // What was not grounded is written again from the facts.
        (Profile::Large, true, ("strict", false)),
    ] {
        let model = ScriptedModel::saying(["The guarantee runs for 24 months [1]."]);
        let (draft, done) = run(
            &model,
            &of_profile(profile),
            gather(enough(), strict, strict),
        )
        .await;
        assert_eq!(shows(&model), shown, "{profile:?}");
        let cited: Vec<_> = draft
            .sources
            .iter()
            .map(|source| source.doc_id.as_str())
            .collect();
        assert_eq!(cited, ["d0", "d2"], "what does not help is no source");
        assert_eq!(draft.scatters, [2], "a stricter draft can be asked for");
        assert_eq!(done.fallbacks, []);
    }
}

#[tokio::test]
async fn passages_that_help_without_a_fact_are_enough_for_a_large_model() {
    let helps = || gather(vec![said(true, false, &[])], false, false);
    let model = ScriptedModel::saying(["The guarantee runs for 24 months [1]."]);
    let (draft, _) = run(&model, &of_profile(Profile::Large), helps()).await;
    assert_eq!(draft.sources.len(), 1);
    let done = reducer(&model)
        .run(&of_profile(Profile::Small), helps())
        .await;
    assert!(matches!(done.unwrap().out, ReducerExit::TooLittle { .. }));
}

#[tokio::test]
async fn an_answer_from_too_little_has_its_own_prompt() {
    for profile in [Profile::Small, Profile::Large] {
        let model =
            ScriptedModel::saying(["It is printed on the box [1]. The facts do not say how long."]);
        let little = vec![said(true, true, &["The guarantee is printed on the box"])];
        let (_, done) = run(&model, &of_profile(profile), gather(little, false, true)).await;
        assert_eq!(shows(&model), ("caveat", false));
        let mut told = done.fallbacks.iter();
        assert!(told.any(|one| matches!(one, Fallback::Caveat { missing } if !missing.is_empty())));
        if profile == Profile::Small {
            insta::assert_snapshot!(shown(&model));
        }
    }
}

#[tokio::test]
async fn parts_of_a_question_are_shown_and_those_left_out_are_named() {
    let parts = [
        "guarantee of the Delta pump",
        "guarantee of the Epsilon pump",
    ]
    .map(str::to_owned);
    for (answer, left_out) in [
        ("The Delta has 24 months [1].", &parts[1..]),
        (
            "The Delta has 24 months [1]. The facts say nothing of the Epsilon.",
            &[],
        ),
    ] {
        let model = ScriptedModel::saying([answer]);
        // No round is left for the other pump.
        let mut task = gather(enough(), false, true);
        task.evidence[0].scatter.plan.sub_queries = parts.to_vec();
        let (_, done) = run(&model, &cx(), task).await;
        let question = llm::section::read(&model.requests()[0].user, "question").map(str::to_owned);
        let question = question.unwrap_or_default();
        assert!(
            question.contains("1. guarantee of the Delta pump\n2. guarantee of the Epsilon"),
            "{question}"
        );
        let unanswered = Fallback::SubQueriesUnanswered {
            queries: left_out.to_vec(),
        };
        assert_eq!(
            done.fallbacks.contains(&unanswered),
            !left_out.is_empty(),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn what_a_part_needs_is_shown_although_earlier_rounds_would_fill_the_prompt() {
    let filler = "The guarantee of the Delta pump is told at length. ".repeat(9);
    let late = "The Epsilon pump has 12 months.";
    let mut task = gather(vec![said(true, false, &[&filler]); 3], false, true);
    task.evidence[0].scatter.plan.sub_queries = [
        "guarantee of the Delta pump".to_owned(),
        "guarantee of the Epsilon pump".to_owned(),
    ]
    .to_vec();
    let mut second = task.evidence[0].clone();
    second.results.truncate(1);
    second.results[0] = said(true, false, &[late]).map(PartResult::Findings);
    second.scatter.passages = vec![passage("late", late)];
    for passage in &mut task.evidence[0].scatter.passages {
        passage.text = filler.clone();
    }
    task.evidence.push(second);
    for profile in [Profile::Small, Profile::Large] {
        let model = ScriptedModel::saying(["24 months [1], and the Epsilon has 12 [2]."]);
        let options = Options {
            facts_chars_max: 1_000,
            passages_chars_max: 1_000,
            ..Options::default()
        };
        let reducer = Reducer::new(model.clone(), &Prompts::default(), options).unwrap();
        let done = reducer.run(&of_profile(profile), task.clone()).await;
        let done = done.unwrap();
        let asked = &model.requests()[0].user;
        assert!(asked.contains(late), "{profile:?}: {asked}");
        let is_trimmed = |one: &Fallback| {
            matches!(
                one,
                Fallback::FactsTrimmed { .. } | Fallback::PassagesTrimmed { .. }
            )
        };
        assert!(done.fallbacks.iter().any(is_trimmed), "{profile:?}");
    }
}

#[tokio::test]
async fn a_prompt_said_back_is_no_draft() {
    let model =
        ScriptedModel::answering(|request| Ok(format!("{}\n{}", request.system, request.user)));
    let (draft, done) = run(&model, &cx(), gather(enough(), false, false)).await;
    assert!(
        draft.stitched && draft.text.contains("24 months [1]"),
        "{}",
        draft.text
    );
    assert_eq!(done.fallbacks, [Fallback::ReduceDefault]);
}
