//! Tests of the reducer's step with a scripted model.

use super::*;
use envelope::{After, Findings, PartResult, Plan, Scatter, UnixMs};
use stage::Clock;
use std::time::Duration;
use testkit::model::{ScriptedModel, passage, step};

const QUESTION: &str = "How long is the guarantee on the Delta pump?";

fn cx() -> Cx {
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
        matched: Matched::Matched,
        total_hits: 9,
        after: After::Map,
    };
    Reduction {
        task: ReduceTask::Gather {
            scatters: vec![2],
            strict,
            last,
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
            matched: Matched::Matched,
        },
        evidence: Vec::new(),
    }
}

async fn run(model: &Arc<ScriptedModel>, cx: &Cx, task: Reduction) -> (Draft, Done<()>) {
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
    assert_eq!(model.requests()[0].timeout, Duration::from_secs(30));
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
        (0, 2, 3)
    );
    assert_eq!(done.decided, "composed from 3 facts of 2 sources");
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
    let ReducerExit::TooLittle { why } = done.out else {
        panic!("composed")
    };
    assert_eq!(why, "0 of 2 passages help with the question, 1 are wanted");
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
            Fallback::Caveat,
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
async fn what_waiting_cannot_cure_is_stitched() {
    let refused = || llm::Error::Refused {
        status: 401,
        message: "key".into(),
    };
    let stitched = "Guarantee: 24 months [1]. The Delta pump is sold with lamps [2].";
    let too_long = || llm::Error::TooLong { limit: None };
    for error in [refused as fn() -> llm::Error, too_long] {
        let model = ScriptedModel::answering(move |_| Err(error()));
        let (draft, done) = run(&model, &cx(), gather(enough(), false, false)).await;
        let mut sentences: Vec<_> = draft.text.split_inclusive(". ").map(str::trim).collect();
        sentences.sort_unstable();
        assert_eq!(sentences.join(" "), stitched);
        assert_eq!(done.fallbacks, [Fallback::ReduceDefault]);
        assert_eq!(
            (done.model, done.decided.as_str()),
            (None, "stitched from 2 facts of 2 sources")
        );
    }
    let model = ScriptedModel::failing(refused());
    let (draft, _) = run(&model, &cx(), generate()).await;
    assert_eq!(
        draft.text,
        "The guarantee of the Delta pump runs for 24 months [1]."
    );
}

#[tokio::test]
async fn a_model_that_does_not_come_back_leaves_the_facts() {
    let overloaded = || llm::Error::Overloaded { retry_after: None };
    let timed_out = || llm::Error::TimedOut(Duration::from_secs(1));
    let often = Cx {
        attempt: TRIES_MAX,
        ..cx()
    };
    let late = Cx {
        now: UnixMs(cx().header.deadline.0 - 100),
        ..cx()
    };
    for (cx, error) in [
        (&often, timed_out as fn() -> llm::Error),
        (&late, timed_out),
        (&late, overloaded),
    ] {
        let model = ScriptedModel::answering(move |_| Err(error()));
        let (draft, done) = run(&model, cx, gather(enough(), false, false)).await;
        assert!(draft.text.contains("24 months [1]"), "{}", draft.text);
        assert_eq!(done.fallbacks, [Fallback::ReduceDefault]);
    }
    // Left alone until there is no time for an answer: 60 seconds, of which 7.5 are kept.
    for (wait, gives_up) in [(52, false), (53, true), (60, true), (u64::MAX, true)] {
        let retry_after = Some(Duration::from_secs(wait));
        for error in [
            llm::Error::Unavailable {
                reason: "left alone".into(),
                retry_after,
            },
            llm::Error::Overloaded { retry_after },
        ] {
            let model = ScriptedModel::failing(error);
            let work = gather(enough(), false, false);
            let done = reducer(&model).run(&cx(), work).await;
            assert_eq!(done.is_ok(), gives_up, "{wait} s: {done:?}");
        }
    }
    let model = ScriptedModel::failing(overloaded());
    let reducer = reducer(&model);
    let busy = reducer.run(&often, gather(enough(), false, false)).await;
    assert_eq!(
        busy.unwrap_err().class,
        Class::Overloaded,
        "nodes that are busy will have room"
    );
}

/// A node that takes calls and answers none, as a pool tells it.
struct Hanging(Arc<ScriptedModel>);

impl ChatModel for Hanging {
    fn name(&self) -> &str {
        "hanging"
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatReply, llm::Error>> {
        Box::pin(async move {
            let _ = self.0.chat(request).await;
            tokio::time::sleep(request.timeout).await;
            Err(llm::Error::TimedOut(request.timeout))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_leaves_time_for_the_facts() {
    // Of 60 seconds 7.5 are kept: of a late try, half of what is left.
    for (begun, asked_for) in [
        (31_000, Duration::from_millis(22_500)),
        (57_000, Duration::from_secs(2)),
        (61_000, Duration::ZERO),
    ] {
        let began = tokio::time::Instant::now();
        let clock = move || UnixMs(begun + began.elapsed().as_millis() as u64);
        let cx = Cx {
            now: UnixMs(begun),
            clock: Clock::new(clock),
            ..cx()
        };
        let seen = ScriptedModel::saying(["never heard"]);
        let model = Arc::new(Hanging(seen.clone()));
        let reducer = Reducer::new(model, &Prompts::default(), Options::default()).unwrap();
        let done = reducer.run(&cx, gather(enough(), false, false)).await;
        let done = done.expect("what was read");
        assert_eq!(done.fallbacks, [Fallback::ReduceDefault]);
        let asked: Vec<_> = seen.requests().iter().map(|r| r.timeout).collect();
        assert_eq!(asked, [asked_for]);
    }
}

#[tokio::test]
async fn a_task_that_asks_no_model_is_stitched_from_all_rounds() {
    let fan_outs = [
        gather(enough(), false, false),
        gather(enough(), false, true),
    ];
    let mut evidence = fan_outs.map(|mut work| work.evidence.remove(0));
    evidence[0].scatter.passages[0] = passage("first", "The guarantee ends after 24 months.");
    let work = Reduction {
        task: ReduceTask::Stitch {
            scatters: vec![2, 7],
            strict: true,
        },
        evidence: evidence.into(),
    };
    let model = ScriptedModel::saying(["made up"]);
    let (draft, done) = run(&model, &cx(), work).await;
    assert!(model.requests().is_empty());
    assert!(draft.text.contains("24 months"), "{}", draft.text);
    let sources: Vec<_> = draft.sources.iter().map(|c| c.doc_id.as_str()).collect();
    assert_eq!(sources, ["first", "d2", "d0"]);
    assert_eq!((draft.scatters, draft.strict), (vec![2, 7], true));
    assert!(draft.stitched);
    assert_eq!(done.fallbacks, [Fallback::ReduceDefault]);
    assert_eq!(done.decided, "stitched from 3 facts of 3 sources");
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
async fn what_may_pass_is_left_to_the_harness() {
    for (error, class) in [
        (
            llm::Error::Overloaded { retry_after: None },
            Class::Overloaded,
        ),
        (
            llm::Error::TimedOut(Duration::from_secs(1)),
            Class::Transient,
        ),
    ] {
        let model = ScriptedModel::failing(error);
        let error = reducer(&model)
            .run(&cx(), gather(enough(), false, false))
            .await;
        assert_eq!(error.unwrap_err().class, class);
    }
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
    assert!(
        draft
            .facts
            .iter()
            .all(|fact| usize::from(fact.n) <= lines(2))
    );

    let model = ScriptedModel::answering(|_| Err(llm::Error::TooLong { limit: None }));
    let done = reducer(&model).run(&cx(), generate()).await.unwrap();
    assert!(
        done.fallbacks.contains(&Fallback::ReduceDefault),
        "{:?}",
        done.fallbacks
    );
}
