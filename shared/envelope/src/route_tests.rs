//! Property tests of the graph: every path ends, none spends more than it may, and every stage may
//! break anywhere.

use super::*;
use crate::ids::{Bucket, DocId, TenantId, TurnId};
use crate::message::{Asked, Profile};
use proptest::prelude::*;

const NOW: UnixMs = UnixMs(1_000);

fn header() -> Header {
    Header {
        turn: TurnId::new("t1").unwrap(),
        tenant: TenantId::default_tenant(),
        shard: 0,
        hop: 0,
        round: 0,
        role: Role::Planner,
        asked_at: NOW,
        created_at: NOW,
        deadline: UnixMs(100_000),
        parent: None,
        first_hop: 0,
        reply_to: None,
        question_hash: "h".into(),
        live: false,
        traceparent: None,
        tracestate: None,
    }
}

fn case(mode: Mode, budget: Budget) -> Case {
    Case {
        question: Asked {
            original: "what?".into(),
            rewritten: None,
        },
        mode,
        profile: Profile::Small,
        buckets: Vec::new(),
        filter: Default::default(),
        budget,
        queries: Vec::new(),
        earlier: None,
        min_seq: 0,
        overrides: Default::default(),
    }
}

fn passage(n: u16) -> Passage {
    Passage {
        bucket: Bucket::new("b").unwrap(),
        doc_id: DocId::new("d").unwrap(),
        chunk_id: format!("d.{n}"),
        title: String::new(),
        source: String::new(),
        page: None,
        line: 1,
        score: 1.0,
        text: "text".into(),
        metadata: Default::default(),
        found_by: Vec::new(),
    }
}

fn scatter(n: u16) -> Scatter {
    let passages = (0..n).map(passage).collect();
    Scatter {
        plan: Plan::default(),
        passages,
        matched: Matched::Matched,
        total_hits: n.into(),
    }
}

fn draft() -> Draft {
    Draft {
        text: "a".into(),
        sources: Vec::new(),
        facts: Vec::new(),
        scatter: Some(2),
        strict: false,
        no_information: false,
        matched: Matched::Matched,
    }
}

fn verdict() -> Verdict {
    Verdict {
        answer: "a".into(),
        citations: Vec::new(),
        confidence: 1.0,
        low_confidence: false,
    }
}

/// What the stage of `next` comes to, chosen by `dice`: any of its exits, or it breaks. The hop of
/// the last scatter record is `at`.
fn exit_of(next: &Next, dice: u8, at: u16) -> Option<Exit> {
    let breaks = dice.is_multiple_of(4);
    Some(match next {
        Next::Plan(task) if breaks => Exit::Broken(Broken::Plan(task.clone()), "bug"),
        Next::Plan(PlanTask::Refine { scatter, .. }) if dice % 4 == 1 => {
            Exit::Planner(PlannerExit::NoProgress { scatter: *scatter })
        }
        Next::Plan(_) => Exit::Planner(PlannerExit::Planned(Plan::default())),
        Next::Retrieve(_) if breaks => Exit::Broken(Broken::Retrieve, "bug"),
        Next::Retrieve(_) if dice % 4 == 1 => {
            Exit::Retriever(RetrieverExit::NothingFound(Doubt::NoResults {
                query: "q".into(),
                narrowed_by: vec![],
            }))
        }
        Next::Retrieve(_) => Exit::Retriever(RetrieverExit::Found(scatter(5))),
        Next::Reduce(ReduceTask::Gather { .. }) if breaks => Exit::Broken(
            Broken::Gather {
                passages: vec![passage(0)],
                matched: Matched::Matched,
            },
            "bug",
        ),
        Next::Reduce(ReduceTask::Gather { last: false, .. }) if dice % 4 == 1 => {
            Exit::Reducer(ReducerExit::TooLittle {
                why: "little".into(),
                scatter: at,
            })
        }
        Next::Reduce(ReduceTask::Generate { .. }) if breaks => {
            Exit::Broken(Broken::Generate, "bug")
        }
        Next::Reduce(_) => Exit::Reducer(ReducerExit::Composed(draft())),
        Next::Validate(draft) if breaks => Exit::Broken(Broken::Validate(draft.clone()), "bug"),
        Next::Validate(_) if dice % 4 == 1 => Exit::Validator(ValidatorExit::Ungrounded {
            verdict: verdict(),
            stricter_from: Some(at),
        }),
        Next::Validate(_) => Exit::Validator(ValidatorExit::Grounded(verdict())),
        Next::Clarify(doubt) if breaks => Exit::Broken(Broken::Clarify(doubt.clone()), "bug"),
        Next::Clarify(doubt) => {
            Exit::Clarifier(Clarification::template(&TurnId::new("t1").unwrap(), doubt))
        }
        Next::Scatter(_) | Next::Part(_) | Next::End(_) => return None,
    })
}

proptest! {
    #[test]
    fn every_path_ends_within_its_budget(
        dice in proptest::collection::vec(any::<u8>(), 64),
        simple in any::<bool>(),
        rounds in 1u8..10,
        tool_calls in 1u16..10,
        llm_calls in 0u32..60,
    ) {
        let budget = Budget { rounds, tool_calls, llm_calls, tokens: 100_000 };
        let mode = if simple { Mode::Simple } else { Mode::Agentic };
        let (mut header, mut case) = (header(), case(mode, budget));
        let mut next = Next::Plan(PlanTask::First);
        let (mut searches, mut at) = (0, 0);
        for dice in dice {
            if let Next::Scatter(found) = &next {
                prop_assert!(!found.passages.is_empty());
                // The join: from the scatter at hop s follows the reducer's step at s + 2.
                at = header.hop;
                let step = crate::fanout::reducer_step(&header, &case, header.hop);
                header = step.header;
                next = Next::Reduce(step.payload);
            }
            searches += u16::from(matches!(next, Next::Retrieve(_)));
            let Some(exit) = exit_of(&next, dice, at) else { break };
            let spent = Usage { calls: 1, tokens_in: 10, tokens_out: 10 };
            let turned = route(&header, &case, exit, &spent, NOW);
            prop_assert_eq!(turned.header.hop, header.hop + 1);
            prop_assert!(turned.header.hop <= HOPS_MAX);
            prop_assert!(turned.header.round < rounds);
            (header, case, next) = (turned.header, turned.case, turned.next);
        }
        prop_assert!(matches!(next, Next::End(_)), "did not end: {:?}", next);
        prop_assert!(searches <= tool_calls.max(1));
    }
}

#[test]
fn a_broken_planner_falls_back_to_basic_rag() {
    let exit = Exit::Broken(Broken::Plan(PlanTask::First), "permanent");
    let turned = route(
        &header(),
        &case(Mode::Agentic, Budget::default()),
        exit,
        &Usage::default(),
        NOW,
    );
    assert_eq!(turned.case.mode, Mode::Simple);
    assert!(matches!(turned.next, Next::Retrieve(plan) if plan.query == "what?"));
    assert_eq!(
        turned.fallbacks,
        [Fallback::BasicRag {
            role: Role::Planner
        }]
    );
}

#[test]
fn the_scatter_reserves_the_calls_of_all_maps() {
    let budget = Budget {
        llm_calls: 4,
        ..Budget::default()
    };
    let exit = Exit::Retriever(RetrieverExit::Found(scatter(5)));
    let turned = route(
        &header(),
        &case(Mode::Agentic, budget),
        exit,
        &Usage::default(),
        NOW,
    );
    let Next::Scatter(found) = turned.next else {
        panic!("no scatter")
    };
    assert_eq!(
        found.passages.len(),
        3,
        "one call is kept back for the reducer"
    );
    assert_eq!(turned.case.budget.llm_calls, 1);
    assert_eq!(turned.fallbacks, [Fallback::PassagesTrimmed { count: 2 }]);
}

#[test]
fn a_stricter_draft_costs_a_retry_and_comes_once() {
    let exit = Exit::Validator(ValidatorExit::Ungrounded {
        verdict: verdict(),
        stricter_from: Some(2),
    });
    let turned = route(
        &header(),
        &case(Mode::Agentic, Budget::default()),
        exit,
        &Usage::default(),
        NOW,
    );
    assert_eq!(
        turned.next,
        Next::Reduce(ReduceTask::Gather {
            scatter: 2,
            strict: true,
            last: true
        })
    );
    assert_eq!((turned.case.budget.rounds, turned.header.round), (2, 0));

    let exit = Exit::Validator(ValidatorExit::Ungrounded {
        verdict: verdict(),
        stricter_from: None,
    });
    let turned = route(
        &header(),
        &case(Mode::Agentic, Budget::default()),
        exit,
        &Usage::default(),
        NOW,
    );
    let Next::End(terminal) = turned.next else {
        panic!("did not end")
    };
    assert!(terminal.low_confidence);
}

#[test]
fn maps_and_reducer_follow_from_the_scatter_record_alone() {
    let exit = Exit::Retriever(RetrieverExit::Found(scatter(3)));
    let turned = route(
        &header(),
        &case(Mode::Agentic, Budget::default()),
        exit,
        &Usage::default(),
        NOW,
    );
    let Next::Scatter(found) = turned.next else {
        panic!("no scatter")
    };
    let record = crate::message::Envelope {
        v: 1,
        header: turned.header,
        case: turned.case,
        trail: Vec::new(),
        payload: found,
    };
    let maps: Vec<_> = crate::fanout::map_steps(&record).collect();
    assert_eq!(maps.len(), 3);
    let from_record = crate::fanout::reducer_step(&record.header, &record.case, record.header.hop);
    for map in &maps {
        let from_map = crate::fanout::reducer_step(&map.header, &map.case, map.payload.scatter);
        assert_eq!(
            crate::encode(&from_map).unwrap(),
            crate::encode(&from_record).unwrap(),
            "the last mapper and the timer create the same step"
        );
    }
}

#[test]
fn a_later_round_that_finds_nothing_composes_from_the_earlier_one() {
    let nothing = || {
        Exit::Retriever(RetrieverExit::NothingFound(Doubt::NoResults {
            query: "q".into(),
            narrowed_by: vec![],
        }))
    };
    let first = case(Mode::Agentic, Budget::default());
    let turned = route(&header(), &first, nothing(), &Usage::default(), NOW);
    assert!(matches!(turned.next, Next::Clarify(_)));

    let little = Exit::Reducer(ReducerExit::TooLittle {
        why: "little".into(),
        scatter: 2,
    });
    let refined = route(&header(), &first, little, &Usage::default(), NOW);
    let turned = route(
        &refined.header,
        &refined.case,
        nothing(),
        &Usage::default(),
        NOW,
    );
    let last = ReduceTask::Gather {
        scatter: 2,
        strict: false,
        last: true,
    };
    assert_eq!(turned.next, Next::Reduce(last));
}
