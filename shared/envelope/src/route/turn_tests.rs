//! What a turn remembers of its drafts, and what a broken search leaves it.

use crate::hop::{RetrieverExit, Task, ValidatorExit};
use crate::kept_draft::{DraftScore, KeptDraft};
use crate::message::{Case, Header};
use crate::payload::{Search, Verdict};
use crate::route::tests::{agentic, gather, header, no_results, routed, verdict};
use crate::route::{Event, Transition};

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
    assert!(matches!(&failed, crate::route::Next::End(_)), "{failed:?}");
}
