//! Events as bytes: golden, newer, broken, cut.

use super::*;
use crate::test_log::{opened, turn};
use proptest::prelude::*;
use serde_json::json;

/// What this release writes, to the byte: later releases read it.
#[test]
fn golden_bytes() {
    let ended = TurnEnd {
        turn: turn(7),
        outcome: Some(Outcome::Clarification),
        at: UnixMs(400),
        answer: None,
        rewritten: Some("Until when does the lease run?".into()),
        evidence: vec!["lease-1.3".into()],
        clarification: Some(Clarification {
            id: "q7".into(),
            kind: "no_results".into(),
            question: "Which lease?".into(),
            options: vec!["The first".into()],
        }),
        resume: Some(Resume {
            question: "Until when does it run?".into(),
            ..Resume::default()
        }),
        expires: Some(UnixMs(86_400_000)),
    };
    let state = State::default()
        .after(&EventKind::Opened(Box::new(opened(7, 900))))
        .unwrap();
    let event = EventKind::Ended(Box::new(ended));
    let event = LogEvent {
        v: VERSION,
        at: UnixMs(500),
        state: state.after(&event).unwrap(),
        event,
    };
    let bytes = event.write().unwrap();
    let golden = include_str!("golden/ended.json").trim_end();
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), golden);
    assert_eq!(LogEvent::read(&bytes).unwrap(), event);
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
    for other in [
        &b""[..],
        b"{}",
        b"[]",
        b"\xff",
        br#"{"v": 1}"#,
        br#"{"v": -1}"#,
    ] {
        let read = LogEvent::read(other);
        assert!(
            matches!(read, Err(EventError::Unreadable(_))),
            "{other:?}: {read:?}"
        );
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
