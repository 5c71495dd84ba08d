//! Tests of the reducer's step with a scripted model.

use super::*;
use crate::NO_INFORMATION;
use crate::call::TRIES_MAX;
use envelope::{After, Draft, Findings, PartResult, Plan, Scatter, UnixMs};
use std::time::Duration;
use testkit::model::{ScriptedModel, passage, step};

#[path = "assess_tests.rs"]
mod assessed;
#[path = "form_tests.rs"]
mod form_told;
#[path = "input_tests.rs"]
mod input;
#[path = "live_tests.rs"]
mod live;
#[path = "remarks_stage_tests.rs"]
mod remarks_beside;
#[path = "without_model_tests.rs"]
mod without_model;

const QUESTION: &str = "How long is the guarantee on the Delta pump?";

fn cx() -> StepContext {
    step(Role::Reducer, QUESTION)
}

fn reducer(model: &Arc<ScriptedModel>) -> Reducer {
    Reducer::new(model.clone(), &Prompts::default(), Options::default()).unwrap()
}

fn said(relevant: bool, defaulted: bool, facts: &[&str]) -> Option<Findings> {
    let facts = facts.iter().map(|f| (*f).to_owned()).collect();
    Some(Findings {
        relevant,
        facts,
        defaulted,
        ..Findings::default()
    })
}

fn gather(findings: Vec<Option<Findings>>, strict: bool, last: bool) -> Reduction {
    let results = findings
        .into_iter()
        .map(|findings| Some(PartResult::Findings(findings?)));
    gather_results(results.collect(), strict, last)
}

fn gather_results(results: Vec<Option<PartResult>>, strict: bool, last: bool) -> Reduction {
    let texts = [
        "The guarantee of the Delta pump runs for 24 months.",
        "Blue.",
        "The Delta pump is sold with lamps.",
    ];
    let passages = (0..results.len()).map(|i| passage(&format!("d{i}"), texts[i % 3]));
    let scatter = Scatter {
        plan: Plan::default(),
        passages: passages.collect(),
        matched: FilterMatch::Matched,
        total_hits: 9,
        after: After::Map,
    };
    Reduction {
        task: ReduceTask::Gather {
            scatters: vec![2],
            strict,
            last,
            maps: None,
        },
        evidence: vec![FanOut {
            hop: 2,
            scatter,
            results,
        }],
    }
}

fn enough() -> Vec<Option<Findings>> {
    vec![
        said(true, false, &["Guarantee: 24 months"]),
        said(false, false, &[]),
        said(true, false, &["The Delta pump is sold with lamps"]),
    ]
}

fn generate() -> Reduction {
    generate_from(vec![
        passage(
            "d0",
            "The guarantee of the Delta pump runs for 24 months. It is blue.",
        ),
        passage("d1", "Lamps."),
    ])
}

fn generate_from(passages: Vec<Passage>) -> Reduction {
    Reduction {
        task: ReduceTask::Generate {
            passages,
            matched: FilterMatch::Matched,
            form: AnswerForm::Prose,
        },
        evidence: Vec::new(),
    }
}

async fn run(
    model: &Arc<ScriptedModel>,
    cx: &StepContext,
    task: Reduction,
) -> (Draft, StepOutput<()>) {
    let done = reducer(model).run(cx, task).await.unwrap();
    let ReducerExit::Composed(draft) = done.out.clone() else {
        panic!("{:?}", done.out)
    };
    (draft, done.map(|_| ()))
}

fn shown(model: &ScriptedModel) -> String {
    let [request] = &model.requests()[..] else {
        panic!("one call")
    };
    assert_eq!(request.schema, None);
    format!("{}\n======\n{}", request.system, request.user)
}

#[tokio::test]
async fn composes_from_the_facts_alone() {
    let model = ScriptedModel::saying(["Answer: The guarantee is 24 months [1, 2]."]);
    let (draft, done) = run(&model, &cx(), gather(enough(), false, false)).await;
    let read = draft.read.as_ref().unwrap();
    let texts = [
        "The guarantee of the Delta pump runs for 24 months.",
        "The Delta pump is sold with lamps.",
    ];
    assert_eq!(read.texts, texts, "the words of its sources, for the check");
    assert_eq!(read.marks.len(), 3, "what helped nothing was read, too");
    assert_eq!(draft.text, "The guarantee is 24 months [1][2].");
    let cited: Vec<_> = draft
        .sources
        .iter()
        .map(|c| (c.n, c.doc_id.as_str()))
        .collect();
    assert_eq!(
        cited,
        [(1, "d0"), (2, "d2")],
        "what was irrelevant is no source"
    );
    assert_eq!(
        draft.sources[0].quote, "The guarantee of the Delta pump runs for 24 months.",
        "in the words of the source"
    );
    assert_eq!(
        (&draft.scatters[..], draft.strict, draft.no_information),
        (&[2][..], false, false)
    );
    assert!(!draft.stitched);
    assert_eq!((done.usage.calls, done.fallbacks), (1, vec![]));
    assert_eq!(done.decided, "composed from 2 facts of 2 sources");
    assert_eq!(model.requests()[0].timeout, Duration::from_millis(52_500));
    insta::assert_snapshot!(shown(&model));
}

#[tokio::test]
async fn a_stricter_draft_has_its_own_prompt() {
    let model = ScriptedModel::saying(["24 months"]);
    let (draft, _) = run(&model, &cx(), gather(enough(), true, true)).await;
    assert_eq!(
        draft.text, "24 months [1]",
        "cited although the model forgot"
    );
    assert!(draft.strict);
    insta::assert_snapshot!(shown(&model));
}

#[tokio::test]
async fn generates_from_passages() {
    let model = ScriptedModel::saying(["It runs for 24 months [1]."]);
    let (draft, done) = run(&model, &cx(), generate()).await;
    assert_eq!(
        (draft.scatters.len(), draft.sources.len(), draft.facts.len()),
        (0, 2, 0)
    );
    let texts = draft.read.expect("the texts that are its facts").texts;
    assert_eq!(texts.len(), 2);
    assert_eq!(done.decided, "composed from 2 passages");
    insta::assert_snapshot!(shown(&model));
}

#[tokio::test]
async fn too_little_asks_for_another_round_only_while_one_is_left() {
    let little = || {
        vec![
            said(true, true, &["The guarantee is printed on the box"]),
            None,
        ]
    };
    let model = ScriptedModel::saying(["It is printed on the box [1]."]);
    let done = reducer(&model)
        .run(&cx(), gather(little(), false, false))
        .await
        .unwrap();
    let ReducerExit::TooLittle { why, read } = done.out else {
        panic!("composed")
    };
    assert_eq!(read.len(), 2, "also the one whose part is not there yet");
    assert_eq!(
        why,
        "0 of 2 passages help with the question, 1 is wanted; read so far: About d0, About d1"
    );
    assert_eq!(done.usage.calls, 0);

    let mut spent = cx();
    spent.case.budget.rounds = 1;
    let mut late = cx();
    late.now = UnixMs(40_000);
    let limited = |limit: &str| Fallback::BudgetSpent {
        limit: limit.into(),
    };
    let (rounds, time) = (Some(limited("rounds")), Some(limited("time")));
    for (cx, last, named) in [
        (spent, false, rounds),
        (late, false, time),
        (cx(), true, None),
    ] {
        let model = ScriptedModel::saying(["It is printed on the box [1]."]);
        let (draft, done) = run(&model, &cx, gather(little(), false, last)).await;
        assert_eq!(draft.text, "It is printed on the box [1].");
        let missing = Fallback::PartsMissing { indexes: vec![1] };
        let told = [missing].into_iter().chain(named).chain([
            Fallback::Caveat {
                missing: "0 of 2 passages help with the question, 1 is wanted".into(),
            },
            // The passage says nothing of a box.
            Fallback::QuotesReplaced { count: 1 },
        ]);
        assert_eq!(done.fallbacks, Vec::from_iter(told));
    }
}

#[tokio::test]
async fn no_fact_is_no_call() {
    let model = ScriptedModel::saying(["made up"]);
    let none = vec![said(false, false, &[]), said(true, false, &[])];
    let (draft, done) = run(&model, &cx(), gather(none, false, true)).await;
    assert_eq!(
        (draft.text.as_str(), draft.no_information),
        (NO_INFORMATION, true)
    );
    assert_eq!((done.usage.calls, done.fallbacks), (0, vec![]));
    let empty = generate_from(vec![]);
    assert!(run(&model, &cx(), empty).await.0.no_information);
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_model_may_say_that_the_facts_do_not_answer() {
    let model =
        ScriptedModel::saying(["No relevant information found. The facts are about lamps."]);
    let (draft, done) = run(&model, &cx(), gather(enough(), false, false)).await;
    assert_eq!(
        (draft.text.as_str(), draft.no_information),
        (NO_INFORMATION, true)
    );
    assert_eq!(
        (done.decided.as_str(), done.usage.calls),
        ("the facts do not answer", 1)
    );
}

#[tokio::test]
async fn missing_and_failed_parts_are_told() {
    let model = ScriptedModel::saying(["24 months [1]."]);
    let read = enough().remove(0).map(PartResult::Findings);
    let failed = Some(PartResult::Error("model_refused".into()));
    let task = gather_results(vec![read, None, failed], false, false);
    let (_, done) = run(&model, &cx(), task).await;
    assert_eq!(
        done.fallbacks,
        [
            Fallback::PartsMissing { indexes: vec![1] },
            Fallback::PartsFailed { indexes: vec![2] }
        ]
    );
}

#[tokio::test]
async fn facts_over_the_size_of_a_prompt_are_counted() {
    let model = ScriptedModel::saying(["It is so [1]."]);
    let long = "The guarantee of the Delta pump runs for 24 months. ".repeat(11);
    let facts: Vec<&str> = vec![&long; 3];
    let options = Options {
        facts_chars_max: 1_000,
        ..Options::default()
    };
    let reducer = Reducer::new(model.clone(), &Prompts::default(), options).unwrap();
    let task = gather(vec![said(true, false, &facts)], false, false);
    let done = reducer.run(&cx(), task).await.unwrap();
    assert_eq!(done.fallbacks, [Fallback::FactsTrimmed { count: 2 }]);
}

#[tokio::test]
async fn marks_that_are_added_are_counted() {
    let model = ScriptedModel::saying(["The guarantee is 24 months. The Delta pump is sold."]);
    let (draft, done) = run(&model, &cx(), gather(enough(), false, false)).await;
    assert_eq!(
        draft.text,
        "The guarantee is 24 months [1]. The Delta pump is sold [2]."
    );
    assert!(
        done.fallbacks.contains(&Fallback::MarksAdded { count: 2 }),
        "{:?}",
        done.fallbacks
    );
}

#[tokio::test]
async fn a_spent_budget_asks_nobody() {
    let model = ScriptedModel::saying(["made up"]);
    let mut cx = cx();
    cx.case.budget.llm_calls = 0;
    let (draft, done) = run(&model, &cx, gather(enough(), false, false)).await;
    let limit = "llm_calls".into();
    assert_eq!(
        done.fallbacks,
        [Fallback::BudgetSpent { limit }, Fallback::ReduceDefault]
    );
    assert!(draft.text.contains("24 months [1]") && model.requests().is_empty());
}

#[tokio::test]
async fn an_empty_answer_is_stitched_and_its_cost_told() {
    let model = ScriptedModel::saying(["  "]);
    let (draft, done) = run(&model, &cx(), gather(enough(), false, false)).await;
    assert!(draft.text.contains("24 months [1]"));
    assert_eq!(
        (done.fallbacks, done.usage.calls),
        (vec![Fallback::ReduceDefault], 1)
    );
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_sent_again_with_fewer_sources() {
    let too_long = |limit| Err(llm::Error::TooLong { limit });
    let model = ScriptedModel::queue([
        too_long(None),
        too_long(Some(100)),
        Ok("The guarantee runs for 24 months [1].".to_owned()),
    ]);
    let findings = (0..6).map(|n| said(true, false, &[&format!("Guarantee {n}: 24 months")]));
    let task = gather(findings.collect(), false, true);
    let done = reducer(&model).run(&cx(), task).await.unwrap();
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    let lines = |n: usize| requests[n].user.matches("Guarantee ").count();
    assert_eq!((lines(0), lines(1)), (6, 3));
    assert!(lines(2) < 3);
    let count = 6 - lines(2) as u16;
    assert_eq!(done.fallbacks, [Fallback::PassagesTrimmed { count }]);
    let ReducerExit::Composed(draft) = done.out else {
        panic!("composed")
    };
    let read = draft.read.expect("the texts that are its facts");
    assert_eq!(
        (read.texts.len(), draft.sources.len()),
        (lines(2), lines(2))
    );

    let model = ScriptedModel::answering(|_| Err(llm::Error::TooLong { limit: None }));
    let done = reducer(&model).run(&cx(), generate()).await.unwrap();
    assert!(
        done.fallbacks.contains(&Fallback::ReduceDefault),
        "{:?}",
        done.fallbacks
    );
}
