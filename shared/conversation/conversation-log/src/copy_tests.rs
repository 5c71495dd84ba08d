//! Tests of copying logs.

use super::*;
use crate::test_log::{Log, asking, terminal, turn};
use envelope::{Outcome, UnixMs};

fn id(text: &str) -> ConversationId {
    ConversationId::new(text).unwrap()
}

/// Three turns, the third of which waits behind the second, and a fourth that is open.
fn talk() -> Log {
    let mut log = Log::default();
    log.ask(asking(1, 90_000), 10);
    log.end(&terminal(1, Outcome::Answered), 20);
    log.ask(asking(2, 90_000), 30);
    log.ask(asking(3, 90_000), 31);
    log.end(&terminal(2, Outcome::Clarification), 40);
    log.end(&terminal(3, Outcome::Answered), 50);
    log.ask(asking(4, 90_000), 60);
    log
}

/// Writes events into a stream that others write to as well.
fn written(events: &[Read], from: u64) -> Vec<Read> {
    let mut places = Places::default();
    let mut written = Vec::new();
    for (n, read) in events.iter().enumerate() {
        let sequence = from + 3 * n as u64;
        let event = places.put_right(read);
        places.note(read.sequence, sequence);
        written.push(Read { sequence, event });
    }
    written
}

/// Every place that a state names is one of the list, and what stands there is what it is said to be.
fn places_hold(events: &[Read]) {
    let at = |sequence: u64| events.iter().find(|read| read.sequence == sequence);
    for read in events {
        let state = read.state();
        for place in &state.exchanges {
            let opened = at(place.opened).map(|read| &read.event.event);
            let ended = at(place.ended).map(|read| &read.event.event);
            let (Some(EventKind::Opened(opened)), Some(EventKind::Ended(ended))) = (opened, ended)
            else {
                panic!("{place:?}");
            };
            assert_eq!(opened.header.turn, ended.turn);
        }
        for open in &state.open {
            let opened = at(open.opened).map(|read| &read.event.event);
            assert!(
                matches!(opened, Some(EventKind::Opened(opening)) if opening.header.turn == open.turn)
            );
        }
    }
}

#[test]
fn a_fork_has_the_first_turns_under_ids_of_its_own_and_names_its_parent() {
    let events = talk().events();
    let forked = fork(&id("parent"), &events, Some(2), &id("child")).unwrap();
    let ours = |n| forked_turn(&id("child"), &turn(n));
    assert_eq!(ended_turns(&forked), [ours(1), ours(2)]);
    let state = forked.last().unwrap().state();
    assert_eq!(state.copy_of, Some(id("parent")));
    assert_eq!(
        (state.n, state.open.len(), state.exchanges.len()),
        (5, 0, 2)
    );
    assert_eq!(state.pending.unwrap().turn, ours(2));
    for read in &forked {
        if let EventKind::Opened(opened) = &read.event.event {
            assert_eq!(opened.header.conversation, Some(id("child")));
            assert_eq!(opened.inbox, 0);
        }
    }
    places_hold(&written(&forked, 100));
}

#[test]
fn forking_twice_is_forking_once_and_open_turns_stay_behind() {
    let events = talk().events();
    let once = fork(&id("parent"), &events, None, &id("child")).unwrap();
    assert_eq!(
        once,
        fork(&id("parent"), &events, None, &id("child")).unwrap()
    );
    assert_eq!(ended_turns(&once).len(), 3);
    let more = fork(&id("parent"), &events, Some(4), &id("child"));
    assert_eq!(more, Err(CopyError::Turns(3)));
    assert_eq!(fork(&id("p"), &[], None, &id("c")), Err(CopyError::Empty));
}

#[test]
fn what_was_exported_is_the_same_in_another_stream_but_for_its_places() {
    let log = talk();
    let events = log.events();
    check(&events).unwrap();
    let there = written(&events, 1_000);
    places_hold(&there);
    for (before, after) in events.iter().zip(&there) {
        let mut said = before.event.event.clone();
        if let EventKind::Opened(opened) = &mut said {
            assert_ne!(std::mem::take(&mut opened.inbox), 0);
        }
        assert_eq!(said, after.event.event);
        assert_eq!(before.event.state.n, after.event.state.n);
    }
    let exported_again = written(&there, 1);
    assert_eq!(written(&exported_again, 1_000), there);
    let end = end_of_open(there.last().unwrap(), UnixMs(99)).unwrap();
    assert!(matches!(&end.event, EventKind::Ended(ended) if ended.turn == turn(4)));
}

#[test]
fn of_a_log_whose_beginning_is_gone_only_what_is_there_is_named() {
    let events = talk().events();
    let kept = &events[3..];
    check(kept).unwrap();
    let there = written(kept, 50);
    places_hold(&there);
    assert_eq!(there.last().unwrap().state().exchanges.len(), 1);
    let mut gap = events.clone();
    gap.remove(2);
    assert_eq!(check(&gap), Err(CopyError::Order(events[3].sequence)));
}

#[test]
fn a_log_whose_state_was_changed_by_hand_is_refused() {
    let mut events = talk().events();
    assert_eq!(check(&events), Ok(()));
    let last = events.last_mut().unwrap();
    last.event.state.pending = None;
    last.event.state.exchanges.clear();
    let sequence = last.sequence;
    let what = crate::fold::Mismatch::State;
    let refused = CopyError::Fold(LogDifference { sequence, what });
    assert_eq!(check(&events), Err(refused.clone()));
    let said = format!(
        "event {sequence}: the state that it carries does not follow from the events before it"
    );
    assert_eq!(refused.to_string(), said);
}
