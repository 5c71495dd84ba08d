//! Tests of the check, with correct and with corrupted logs.

use argosy_conversation_log::Read;
use argosy_conversation_log::fold::{Mismatch, differences};
use argosy_conversation_log::state::AppendError;
use testkit::conversation::{Script, key};

/// The events of a conversation of three exchanges and a turn that waits behind another.
fn talked() -> Vec<Read> {
    let (key, mut script) = (key("default", "one"), Script::default());
    for about in ["a", "b", "c"] {
        script.exchange(&key, about);
    }
    script.open(&key, "d");
    script.open(&key, "e");
    script.answer(&key, "d");
    let entries = script.batch().entries.into_iter();
    let read = entries.map(|entry| Read {
        sequence: entry.sequence,
        event: entry.event,
    });
    read.collect()
}

fn found(events: &[Read]) -> Vec<(u64, Mismatch)> {
    let all = differences(events).into_iter();
    all.map(|one| (one.sequence, one.what)).collect()
}

#[test]
fn what_was_written_follows_wherever_it_begins_to_be_kept() {
    let events = talked();
    for from in 0..events.len() {
        assert_eq!(differences(&events[from..]), [], "from {from}");
    }
    // All of it was dropped, and the conversation went on as a new one.
    let again = [events.clone(), talked()].concat();
    assert_eq!(differences(&again), []);
}

#[test]
fn an_event_that_is_missing_or_stands_twice_is_found() {
    let mut events = talked();
    let gone = events.remove(3);
    let missing = Mismatch::Number {
        found: 5,
        wanted: 4,
    };
    assert_eq!(found(&events), [(5, missing)]);
    events.insert(3, gone.clone());
    events.insert(4, gone);
    let twice = Mismatch::Number {
        found: 4,
        wanted: 5,
    };
    assert_eq!(found(&events), [(4, twice)]);
}

#[test]
fn a_state_that_does_not_follow_is_found_once() {
    let mut events = talked();
    events[5].event.state.exchanges.clear();
    // What comes after follows on what is carried, so it is not what follows on the events.
    assert_eq!(found(&events)[0], (6, Mismatch::State));
    let mut begun = talked();
    begun[0].event.state.open.clear();
    assert_eq!(found(&begun)[0], (1, Mismatch::State));
}

#[test]
fn what_cannot_follow_is_named() {
    let mut events = talked();
    // The end of a turn that is not open any more.
    events[7].event.event = events[1].event.event.clone();
    let impossible = Mismatch::Impossible(AppendError::NotOpen);
    assert_eq!(found(&events)[0], (8, impossible));
}
