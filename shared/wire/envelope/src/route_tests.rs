//! Property tests of the graph: every path ends, no path spends more than it may, and every stage may fail
//! anywhere.

use super::*;
use crate::history::Exchange;
use crate::ids::{Bucket, ConversationId, DocId, TurnId};
use crate::limits::{HOPS_MAX, ROUNDS_MAX};
use crate::message::{Budget, QuestionText};
use crate::payload::{Doubt, Draft, FilterMatch, Passage, Search};
use crate::role::Role;
use crate::route::event_tests::event_of;
use crate::route::turn::generate;
use crate::terminal::Outcome;
use proptest::prelude::*;

const NOW: UnixMs = UnixMs(1_000);

pub(super) fn header() -> Header {
    Header {
        deadline: UnixMs(100_000),
        question_hash: "h".into(),
        ..Header::of(TurnId::new("t1").unwrap(), Role::Planner, 0, NOW)
    }
}

pub(super) fn case(mode: Mode, budget: Budget) -> Case {
    Case {
        question: QuestionText {
            original: "what?".into(),
            rewritten: None,
        },
        mode,
        budget,
        ..Case::default()
    }
}

pub(super) fn passage(n: u16) -> Passage {
    Passage {
        front: String::new(),
        places: Vec::new(),
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

pub(super) fn scatter(n: u16, after: After) -> Scatter {
    let passages = (0..n).map(passage).collect();
    Scatter {
        plan: Plan::default(),
        passages,
        matched: FilterMatch::Matched,
        total_hits: n.into(),
        after,
    }
}

pub(super) fn draft(scatters: &[u16]) -> Draft {
    Draft {
        text: "a".into(),
        sources: Vec::new(),
        facts: Vec::new(),
        scatters: scatters.to_vec(),
        read: None,
        strict: false,
        no_information: false,
        stitched: false,
        matched: FilterMatch::Matched,
        table: None,
        assessment: None,
    }
}

pub(super) fn verdict() -> Verdict {
    Verdict {
        answer: "a".into(),
        citations: Vec::new(),
        confidence: 1.0,
        overlap: None,
        low_confidence: false,
        sentences: Vec::new(),
        judgement: None,
        notices: Vec::new(),
        table: None,
    }
}

pub(super) fn recalled(exchanges: Vec<Exchange>, resumed: Option<(TurnId, Resume)>) -> Exit {
    let history = History::of(exchanges, Vec::new());
    ConversationExit::Recalled { history, resumed }.into()
}

pub(super) fn no_results() -> Doubt {
    Doubt::NoResults {
        query: "q".into(),
        narrowed_by: vec![],
    }
}

pub(super) fn routed(header: &Header, case: &Case, event: impl Into<Event>) -> Transition {
    route(header, case, event.into(), &Usage::default(), NOW)
}

pub(super) fn agentic() -> Case {
    case(Mode::Agentic, Budget::default())
}

pub(super) fn gather(scatters: &[u16], strict: bool, last: bool) -> Next {
    step(ReduceTask::Gather {
        scatters: scatters.to_vec(),
        strict,
        last,
        maps: None,
    })
}

proptest! {
    #[test]
    fn every_path_ends_within_its_budget(
        dice in proptest::collection::vec(any::<u8>(), 64),
        simple in any::<bool>(),
        talks in any::<bool>(),
        rounds in 1..=ROUNDS_MAX,
        searches in 1u16..12,
        llm_calls in 0u32..60,
    ) {
        let budget = Budget { rounds, searches, llm_calls, tokens: 100_000 };
        let mode = if simple { Mode::Simple } else { Mode::Agentic };
        let accepted = match talks {
            true => Event::Begun(Recall::default()),
            false => Event::Accepted(History::default()),
        };
        let conversation = talks.then(|| ConversationId::new("c1").unwrap());
        let asked = Header { conversation, ..header() };
        let begun = routed(&asked, &case(mode, budget), accepted);
        prop_assert_eq!(begun.header.hop, 0);
        let (mut header, mut case, mut next) = (begun.header, begun.case, begun.next);
        let mut searched = 0;
        for dice in dice {
            if let Next::Scatter(found) = &next {
                prop_assert!(!found.passages.is_empty());
                prop_assert_eq!(case.scatters.last(), Some(&header.hop));
                // The join: from the scatter at hop s follows the reducer's step at s + 2.
                let joined = crate::fanout::reducer_step(&header, &case, header.hop);
                header = joined.header;
                next = step(joined.payload);
            }
            let Next::Step(payload) = &next else { break };
            prop_assert_eq!(header.role, payload.role());
            prop_assert!(payload.reads().iter().all(|hop| case.scatters.contains(hop)));
            let event = event_of(payload, &case.scatters, dice);
            let own = u16::from(matches!(payload, Payload::Retriever(_)));
            searched += own;
            let spent = Usage { calls: 1, tokens_in: 10, tokens_out: 10, searches: own };
            let after = route(&header, &case, event, &spent, NOW);
            prop_assert_eq!(after.header.hop, header.hop + 1);
            prop_assert!(after.header.hop <= HOPS_MAX);
            prop_assert!(after.header.round < rounds);
            (header, case, next) = (after.header, after.case, after.next);
        }
        // The bound of hops is a net below the budget, which ends every turn before.
        let is_own = |end: &Terminal| end.error.as_ref().is_none_or(|problem| problem.code != "hops");
        prop_assert!(matches!(&next, Next::End(end) if is_own(end)), "{:?}", next);
        prop_assert!(searched <= searches);
    }
}

#[test]
fn a_turn_begins_with_what_its_mode_says() {
    let begun = routed(&header(), &agentic(), Event::Accepted(History::default()));
    assert_eq!(begun.next, step(PlanTask::First));
    assert_eq!((begun.header.hop, begun.header.role), (0, Role::Planner));
    let simple = case(Mode::Simple, Budget::default());
    let begun = routed(&header(), &simple, Event::Accepted(History::default()));
    assert_eq!(begun.next, generating());
    assert_eq!((begun.header.hop, begun.header.role), (0, Role::Retriever));
}

pub(super) fn generating() -> Next {
    step(Search {
        plan: Plan {
            query: "what?".into(),
            ..Plan::default()
        },
        then: After::Generate,
        ..Search::default()
    })
}

#[test]
fn a_broken_planner_falls_back_to_basic_rag() {
    let broken = Event::Broken(Task::bare(PlanTask::First), "permanent");
    let after = routed(&header(), &agentic(), broken);
    assert_eq!(after.next, generating());
    let role = Role::Planner;
    assert_eq!(after.fallbacks, [Fallback::BasicRag { role }]);
}

#[test]
fn a_broken_reducer_answers_without_a_model_from_every_fan_out_and_fails_when_that_breaks_too() {
    let scatters = vec![2, 7];
    for strict in [false, true] {
        let gather = ReduceTask::Gather {
            scatters: scatters.clone(),
            strict,
            last: strict,
            maps: None,
        };
        let stitch = ReduceTask::Stitch {
            scatters: scatters.clone(),
            strict,
        };
        let broken = Event::Broken(Task::bare(gather), "bug");
        let after = routed(&header(), &agentic(), broken);
        assert_eq!(after.next, step(stitch));
        assert_eq!(after.fallbacks, [], "its own entry tells it");
    }
    let strict = false;
    let stitch = Task::bare(ReduceTask::Stitch { scatters, strict });
    let after = routed(&header(), &agentic(), Event::Broken(stitch, "bug"));
    assert!(
        matches!(&after.next, Next::End(end) if end.outcome == Outcome::Failed),
        "{:?}",
        after.next
    );
}

#[test]
fn the_scatter_reserves_the_calls_of_all_maps() {
    let budget = Budget {
        llm_calls: 4,
        ..Budget::default()
    };
    let found = RetrieverExit::Found(Box::new(scatter(5, After::Map)));
    let after = routed(&header(), &case(Mode::Agentic, budget), Exit::from(found));
    let Next::Scatter(found) = after.next else {
        panic!("no scatter")
    };
    assert_eq!(
        found.passages.len(),
        3,
        "one call is kept back for the reducer"
    );
    assert_eq!(after.case.budget.llm_calls, 1);
    assert_eq!(after.case.scatters, [1], "its own hop");
    let limit = "llm_calls".into();
    assert_eq!(
        after.fallbacks,
        [
            Fallback::BudgetSpent { limit },
            Fallback::PassagesTrimmed { count: 2 }
        ]
    );
}

#[test]
fn without_calls_to_read_what_was_found_the_earlier_rounds_are_the_answer() {
    for llm_calls in [0, 1] {
        let budget = Budget {
            llm_calls,
            ..Budget::default()
        };
        let spent = case(Mode::Agentic, budget);
        let found = || Exit::from(RetrieverExit::Found(Box::new(scatter(5, After::Map))));
        let first = routed(&header(), &spent, found());
        assert_eq!(first.next, generate(scatter(5, After::Map)));
        let later = Case {
            scatters: vec![2, 7],
            ..spent
        };
        let after = routed(&header(), &later, found());
        assert_eq!(after.next, gather(&[2, 7], false, true));
        let limit = "llm_calls".into();
        assert_eq!(after.fallbacks, [Fallback::BudgetSpent { limit }]);
    }
}

#[test]
fn a_stricter_draft_costs_a_retry_and_comes_once() {
    let ungrounded = |stricter_from: &[u16]| {
        Exit::from(ValidatorExit::Ungrounded {
            verdict: verdict(),
            stricter_from: stricter_from.to_vec(),
            reason: String::new(),
        })
    };
    let after = routed(&header(), &agentic(), ungrounded(&[2, 7]));
    assert_eq!(after.next, gather(&[2, 7], true, true));
    assert_eq!((after.case.budget.rounds, after.header.round), (2, 0));

    let after = routed(&header(), &agentic(), ungrounded(&[]));
    assert!(matches!(&after.next, Next::End(end) if end.low_confidence));
    assert_eq!(after.fallbacks, []);
}

#[test]
fn the_limit_that_ends_a_loop_is_named() {
    let little = || {
        let why = "little".into();
        Exit::from(ReducerExit::TooLittle {
            why,
            read: Vec::new(),
        })
    };
    let ungrounded = || {
        Exit::from(ValidatorExit::Ungrounded {
            verdict: verdict(),
            stricter_from: vec![2],
            reason: String::new(),
        })
    };
    let whole = Budget::default();
    for (exit, budget, limit) in [
        (little(), Budget { rounds: 1, ..whole }, Some("rounds")),
        (
            little(),
            Budget {
                searches: 0,
                ..whole
            },
            Some("searches"),
        ),
        (
            little(),
            Budget {
                llm_calls: 0,
                ..whole
            },
            Some("llm_calls"),
        ),
        (
            little(),
            Budget {
                llm_calls: 2,
                ..whole
            },
            Some("llm_calls"),
        ),
        (
            little(),
            Budget {
                llm_calls: 3,
                ..whole
            },
            None,
        ),
        (
            ungrounded(),
            Budget {
                llm_calls: 1,
                ..whole
            },
            None,
        ),
        (little(), Budget { tokens: 0, ..whole }, Some("tokens")),
        (little(), whole, None),
        (ungrounded(), Budget { rounds: 1, ..whole }, Some("rounds")),
        (ungrounded(), Budget { tokens: 0, ..whole }, Some("tokens")),
    ] {
        let after = routed(&header(), &case(Mode::Agentic, budget), exit);
        let named = after.fallbacks.iter().find_map(|fallback| match fallback {
            Fallback::BudgetSpent { limit } => Some(limit.as_str()),
            _ => None,
        });
        assert_eq!(named, limit, "{budget:?}");
    }
    let no_search = Budget {
        searches: 0,
        ..whole
    };
    let after = routed(&header(), &case(Mode::Agentic, no_search), ungrounded());
    assert_eq!(after.next, gather(&[2], true, true), "it searches nothing");
}

#[test]
fn maps_and_reducer_follow_from_the_scatter_record_alone() {
    let mut second = agentic();
    second.scatters = vec![2];
    let found = RetrieverExit::Found(Box::new(scatter(3, After::Map)));
    let after = routed(&Header { hop: 6, ..header() }, &second, Exit::from(found));
    let Next::Scatter(found) = after.next else {
        panic!("no scatter")
    };
    let record = crate::message::Envelope {
        v: 1,
        header: after.header,
        case: after.case,
        trail: Vec::new(),
        payload: found,
    };
    let maps: Vec<_> = crate::fanout::map_steps(&record).collect();
    assert_eq!(maps.len(), 3);
    let from_record = crate::fanout::reducer_step(&record.header, &record.case, record.header.hop);
    assert_eq!(
        step(from_record.payload.clone()),
        gather(&[2, 7], false, false)
    );
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
fn a_later_round_that_finds_nothing_composes_from_the_earlier_ones() {
    let nothing = || Exit::from(RetrieverExit::NothingFound(no_results()));
    let after = routed(&header(), &agentic(), nothing());
    assert_eq!(after.next, step(no_results()));

    let mut second = agentic();
    second.scatters = vec![2];
    let why = "little".into();
    let little = Exit::from(ReducerExit::TooLittle {
        why,
        read: Vec::new(),
    });
    let refined = routed(&header(), &second, little);
    let after = routed(&refined.header, &refined.case, nothing());
    assert_eq!(after.next, gather(&[2], false, true));
}
