//! Tests of events as bytes: golden files, events of a newer version, broken events, and texts that are cut to their
//! limit.

use super::*;
use crate::test_log::{opened, turn};
use proptest::prelude::*;
use serde_json::json;

/// That this release writes an event behind a state to the byte as it is kept here: later releases read it.
fn assert_golden(state: &State, event: EventKind, golden: &str) {
    let event = LogEvent {
        v: VERSION,
        at: UnixMs(500),
        state: state.after(&event).unwrap(),
        event,
    };
    let bytes = event.write().unwrap();
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), golden.trim_end());
    assert_eq!(LogEvent::read(&bytes).unwrap(), event);
}

fn id(name: &str) -> ConversationId {
    ConversationId::new(name).unwrap()
}

/// A conversation with a turn that runs.
fn begun() -> State {
    State::default()
        .after(&EventKind::Opened(Box::new(opened(7, 900))))
        .unwrap()
}

#[test]
fn golden_opened() {
    let mut waits = opened(8, 950);
    waits.header.conversation = Some(id("talk"));
    waits.header.parent = Some(turn(6));
    waits.answers = Some(turn(6));
    waits.case.question.original = "And the deposit?".into();
    let event = EventKind::Opened(Box::new(waits));
    assert_golden(&begun(), event, include_str!("golden/opened.json"));
}

#[test]
fn golden_forked() {
    let event = EventKind::Forked {
        child: id("branch"),
        exchanges: 2,
    };
    assert_golden(&begun(), event, include_str!("golden/forked.json"));
}

#[test]
fn golden_copied() {
    let event = EventKind::Copied {
        of: id("talk"),
        turns: 2,
    };
    let state = State::default();
    assert_golden(&state, event, include_str!("golden/copied.json"));
}

#[test]
fn golden_erased() {
    let event = EventKind::Erased(Box::new(Erasure {
        turns: vec![turn(6), turn(7)],
        inbox: vec![6, 7, 9],
        deadline: UnixMs(900),
        forks: vec![id("branch")],
    }));
    assert_golden(&begun(), event, include_str!("golden/erased.json"));
}

#[test]
fn golden_ended() {
    let ended = TurnEnd {
        turn: turn(7),
        outcome: Some(Outcome::Clarification),
        at: UnixMs(400),
        answer: None,
        rewritten: Some("Until when does the lease run?".into()),
        question: None,
        evidence: vec!["lease-1.3".into()],
        clarification: Some(Clarification {
            id: "q7".into(),
            kind: "no_results".into(),
            question: "Which lease?".into(),
            options: vec!["The first".into()],
            widens: None,
            expires: Some(UnixMs(86_400_000)),
        }),
        resume: Some(Resume {
            question: "Until when does it run?".into(),
            ..Resume::default()
        }),
        expires: Some(UnixMs(86_400_000)),
    };
    let event = EventKind::Ended(Box::new(ended));
    assert_golden(&begun(), event, include_str!("golden/ended.json"));
}

#[test]
fn golden_ended_with_its_question() {
    let ended = TurnEnd {
        turn: turn(7),
        outcome: Some(Outcome::Answered),
        at: UnixMs(400),
        answer: Some(KeptText::answer("On 31 March [1].")),
        rewritten: None,
        question: Some("When does the lease end?".into()),
        evidence: vec!["lease-1.3".into()],
        clarification: None,
        resume: None,
        expires: None,
    };
    let event = EventKind::Ended(Box::new(ended));
    assert_golden(
        &begun(),
        event,
        include_str!("golden/ended_with_its_question.json"),
    );
}

#[test]
fn what_is_not_known_is_passed_over_and_what_is_newer_is_refused() {
    let known = json!({
        "v": 1, "at": 5, "hue": "blue", "event": {"kind": "forked", "child": "b", "exchanges": 2, "why": "to try"},
        "state": {"n": 3, "children": ["b"], "mood": 1},
    });
    let read = LogEvent::read(known.to_string().as_bytes()).unwrap();
    assert_eq!(read.state.n, 3);
    let newer = json!({"v": 2, "event": {"kind": "merged"}});
    let read = LogEvent::read(newer.to_string().as_bytes());
    assert_eq!(read, Err(EventError::Newer(2)));
    // Also one that could be read.
    let newer = known.to_string().replace(r#""v":1"#, r#""v":3"#);
    let read = LogEvent::read(newer.as_bytes());
    assert_eq!(read, Err(EventError::Newer(3)));
    for other in [
        &b""[..],
        b"{}",
        b"[]",
        b"\xff",
        br#"{"v": 1}"#,
        br#"{"v": -1}"#,
        br#"{"v": 1, "at": 5, "event": {}, "state": {"n": 1}}"#,
        br#"{"v": 1, "at": 5, "event": {"kind": "merged"}, "state": {"n": 1}}"#,
        br#"{"v": 1, "at": 5, "event": {"kind": "ended"}, "state": {"n": 1}}"#,
    ] {
        let read = LogEvent::read(other);
        assert!(
            matches!(read, Err(EventError::Unreadable(_))),
            "{other:?}: {read:?}"
        );
    }
}

/// An event is read by its kind; that comes to the same as reading all of it by the types alone, wherever the kind stands.
#[test]
fn an_event_read_by_its_kind_is_the_event() {
    for golden in [
        include_str!("golden/opened.json"),
        include_str!("golden/ended.json"),
        include_str!("golden/ended_with_its_question.json"),
        include_str!("golden/forked.json"),
        include_str!("golden/copied.json"),
        include_str!("golden/erased.json"),
    ] {
        let plain: LogEvent = serde_json::from_str(golden).unwrap();
        assert_eq!(LogEvent::read(golden.as_bytes()), Ok(plain.clone()));
        // A map of JSON is in the order of its keys, so `at` and others come before `kind`.
        let sorted: serde_json::Value = serde_json::from_str(golden).unwrap();
        assert_eq!(LogEvent::read(sorted.to_string().as_bytes()), Ok(plain));
    }
}

#[test]
fn evidence_is_kept_as_far_as_it_fits() {
    let one = |n: usize| format!("document-{n}.1");
    let kept = evidence_that_fits((0..400).map(one));
    assert!(kept.len() > 200 && kept.len() < 250, "{}", kept.len());
    assert_eq!(kept[0], one(0));
    assert!(serde_json::to_vec(&kept).unwrap().len() <= EVIDENCE_BYTES_MAX + 2);
}

proptest! {
    #[test]
    fn an_answer_is_cut_at_a_character(text in "(a|ä|字|🦀){0,4000}") {
        let cut = KeptText::answer(&text);
        prop_assert!(text.starts_with(&cut.text));
        prop_assert!(cut.text.len() <= ANSWER_BYTES_MAX);
        prop_assert_eq!(cut.is_cut, cut.text.len() < text.len());
        prop_assert!(!cut.is_cut || cut.text.len() > ANSWER_BYTES_MAX - 4);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = LogEvent::read(&bytes);
    }
}
