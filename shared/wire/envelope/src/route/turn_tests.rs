//! Tests of what a turn remembers about its drafts, and of the evidence that remains after a search that failed for
//! good.

use crate::hop::{Payload, PlannerExit, ReducerExit, RetrieverExit, Task, ValidatorExit};
use crate::kept_draft::{DraftScore, KeptDraft};
use crate::message::{Case, Header, Profile};
use crate::payload::{After, PlanTask, Search, Verdict};
use crate::read_mark::ReadMark;
use crate::route::tests::{agentic, gather, header, no_results, passage, routed, scatter, verdict};
use crate::route::{Event, Next, Transition};
use crate::trail::Fallback;

fn at(hop: u16) -> Header {
    Header { hop, ..header() }
}

fn with_facts() -> Case {
    Case {
        scatters: vec![2],
        ..agentic()
    }
}

fn sure(confidence: f32) -> Verdict {
    Verdict {
        confidence,
        ..verdict()
    }
}

fn ungrounded(hop: u16, case: &Case, confidence: f32) -> Transition {
    let exit = ValidatorExit::Ungrounded {
        verdict: sure(confidence),
        stricter_from: vec![2],
        reason: "no citation".into(),
    };
    routed(&at(hop), case, exit)
}

fn insufficient(hop: u16, case: &Case, confidence: f32) -> Transition {
    let exit = ValidatorExit::Insufficient {
        verdict: sure(confidence),
        reason: "the day is missing".into(),
        read: Vec::new(),
    };
    routed(&at(hop), case, exit)
}

fn kept(hop: u16, grounded: bool, confidence: f32) -> Option<KeptDraft> {
    let score = DraftScore {
        grounded,
        confidence,
    };
    Some(KeptDraft { hop, score })
}

#[test]
fn the_best_draft_so_far_is_kept_by_the_hop_of_its_check() {
    let first = ungrounded(5, &with_facts(), 0.9);
    assert_eq!(first.case.kept, kept(5, false, 0.9));
    let second = insufficient(7, &first.case, 0.4);
    assert_eq!(second.case.kept, kept(7, true, 0.4), "grounded goes first");
    let third = insufficient(12, &second.case, 0.3);
    assert_eq!(third.case.kept, kept(7, true, 0.4));
    // The verdict of the kept draft, given again by a later check.
    let again = insufficient(12, &second.case, 0.4);
    assert_eq!(again.case.kept, kept(7, true, 0.4));
}

#[test]
fn a_draft_that_is_answered_is_not_kept() {
    let mut case = with_facts();
    case.budget.rounds = 1;
    let flagged = insufficient(5, &case, 0.9);
    assert_eq!(flagged.case.kept, None);
    let grounded = routed(&at(5), &case, ValidatorExit::Grounded(sure(0.9)));
    assert_eq!(grounded.case.kept, None);
}

#[test]
fn a_broken_search_of_a_later_round_leaves_what_was_read() {
    let broken = |case: &Case| {
        let event = Event::Broken(Task::bare(Search::default()), "bug");
        routed(&at(6), case, event).next
    };
    let nothing = RetrieverExit::NothingFound(no_results());
    let nothing = routed(&at(6), &with_facts(), nothing).next;
    assert_eq!(broken(&with_facts()), nothing);
    assert_eq!(nothing, gather(&[2], false, true));
    let failed = broken(&agentic());
    assert!(matches!(&failed, Next::End(_)), "{failed:?}");
}

fn of_large() -> Case {
    Case {
        profile: Profile::Large,
        score_min: Profile::Large.score_min(),
        ..with_facts()
    }
}

fn review(why: &str) -> Next {
    let why = why.to_owned();
    Next::Step(Payload::Planner(PlanTask::Review {
        why,
        scatters: vec![2],
    }))
}

#[test]
fn a_large_model_looks_before_each_further_search_and_a_small_one_never() {
    let read = vec![ReadMark::of(&passage(1))];
    let too_little = || ReducerExit::TooLittle {
        why: "little".into(),
        read: read.clone(),
    };
    let looked = routed(&at(4), &of_large(), too_little());
    assert_eq!(looked.next, review("little"));
    assert_eq!((looked.header.round, &looked.case.read), (1, &read));
    assert_eq!(
        insufficient(5, &of_large(), 0.4).next,
        review("the day is missing")
    );
    let small = routed(&at(4), &with_facts(), too_little());
    let refine = PlanTask::Refine {
        why: "little".into(),
    };
    assert_eq!(small.next, Next::Step(Payload::Planner(refine)));
    // What may not be searched is not looked at.
    for spend in ["rounds", "searches", "llm_calls"] {
        let mut case = of_large();
        match spend {
            "rounds" => case.budget.rounds = 1,
            "searches" => case.budget.searches = 0,
            _ => case.budget.llm_calls = 2,
        }
        let ended = routed(&at(4), &case, too_little());
        assert_eq!(ended.next, gather(&[2], false, true));
        let limit = spend.to_owned();
        assert_eq!(ended.fallbacks, [Fallback::BudgetSpent { limit }]);
    }
}

#[test]
fn what_a_review_finds_enough_is_composed_from_whatever_it_scored() {
    let enough = routed(&at(5), &of_large(), PlannerExit::Enough);
    assert_eq!(enough.next, gather(&[2], false, true));
    assert_eq!(enough.case.score_min, 0.0);
}

#[test]
fn a_review_that_is_broken_searches_on() {
    let Next::Step(payload) = review("little") else {
        panic!("no step")
    };
    assert_eq!(payload.reads(), [2]);
    let event = Event::Broken(Task::bare(payload), "bug");
    let searched = routed(&at(5), &of_large(), event);
    let Next::Step(Payload::Retriever(search)) = searched.next else {
        panic!("no search")
    };
    assert_eq!(
        (search.then, search.plan.query.as_str()),
        (After::Map, "what?")
    );
    assert_eq!(searched.fallbacks, [Fallback::PlanDefault]);
}

/// Tokens limit what is read, as calls do: a reservation larger than the rest of the budget must not stop all
/// reading.
#[test]
fn as_many_passages_are_read_as_there_are_tokens_for() {
    let found = |case: &Case| {
        let mut found = scatter(4, After::Map);
        for passage in &mut found.passages {
            passage.text = "x".repeat(200);
        }
        routed(&at(1), case, RetrieverExit::Found(Box::new(found)))
    };
    for (tokens, read) in [(401, 4), (400, 3), (150, 1), (100, 0), (0, 0)] {
        let mut case = with_facts();
        case.budget.tokens = tokens;
        let after = found(&case);
        let passages = match &after.next {
            Next::Scatter(found) => found.passages.len(),
            next => {
                assert_eq!(*next, gather(&[2], false, true), "{tokens}");
                0
            }
        };
        assert_eq!(passages, read, "{tokens}");
        assert_eq!(
            after.case.budget.tokens > 0,
            tokens > 0,
            "what the answer takes"
        );
        let limit = Fallback::BudgetSpent {
            limit: "tokens".into(),
        };
        assert_eq!(after.fallbacks.contains(&limit), read < 4, "{tokens}");
    }
}
