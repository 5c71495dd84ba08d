//! Tests of the subject grammar: building and parsing.

use super::*;
use proptest::prelude::*;

fn any_subject() -> impl Strategy<Value = Subject> {
    let turn = "[A-Za-z0-9_-]{1,64}".prop_map(|t| TurnId::new(t).unwrap());
    let role = proptest::sample::select(Role::THINKING.to_vec());
    let index = proptest::option::of(any::<u16>());
    (
        turn,
        role,
        any::<u16>(),
        any::<u16>(),
        index,
        any::<u32>(),
        0..13u8,
    )
        .prop_map(|(turn, role, shard, hop, index, n, kind)| match kind {
            0 => Subject::Step {
                shard,
                role,
                turn,
                hop,
                index,
            },
            1 => Subject::Scatter { shard, turn, hop },
            2 => Subject::Part {
                shard,
                turn,
                hop,
                index: index.unwrap_or(0),
            },
            3 => Subject::Timer { turn, hop: index },
            4 => Subject::Due { turn, hop: index },
            5 => Subject::Listen { turn, n: n.into() },
            6 => Subject::Answer { turn },
            7 => Subject::Chunk {
                edition: Edition::main(),
                bucket: Bucket::new("b").unwrap(),
                doc: DocId::new(turn.as_str()).unwrap(),
                n,
            },
            8 => Subject::Document {
                bucket: Bucket::new("b").unwrap(),
                name: DocId::new(turn.as_str()).unwrap(),
            },
            9 => Subject::Indexed {
                bucket: Bucket::new("b").unwrap(),
                doc: DocId::new(turn.as_str()).unwrap(),
            },
            10 => Subject::DeadDocument {
                edition: Edition::main(),
                bucket: Bucket::new("b").unwrap(),
                doc: DocId::new(turn.as_str()).unwrap(),
            },
            11 => Subject::Reindex {
                edition: Edition::new("e-2").unwrap(),
                bucket: Bucket::new("b").unwrap(),
                name: DocId::new(turn.as_str()).unwrap(),
            },
            _ => Subject::Dead {
                role,
                turn,
                hop,
                index,
            },
        })
}

proptest! {
    #[test]
    fn every_subject_reads_back(subject in any_subject()) {
        prop_assert_eq!(Subject::parse(&subject.to_string()), Ok(subject));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        let _ = Subject::parse(&text);
    }
}

#[test]
fn one_step_has_one_subject() {
    for text in [
        "argosy.step.0.planner.t.01",
        "argosy.step.+0.planner.t.1",
        "argosy.step.0.planner.t",
        "argosy.step.0.planner.t.1.2.3",
        "argosy.step.0.cook.t.1",
        "argosy.answer",
        "argosy.answer.a.b",
        "argosy.dead.indexer.Bad.1.2",
        "argosy.dead.indexer.Bad.1",
        "other.answer.a",
    ] {
        assert!(Subject::parse(text).is_err(), "{text}");
    }
}

#[test]
fn replies_go_to_inboxes_only() {
    for good in ["_INBOX.abc", "_INBOX.a.1", "argosy.reply.mine"] {
        assert!(may_reply_to(good), "{good}");
    }
    for bad in [
        "_INBOX.",
        "_INBOX.>",
        "argosy.reply.*",
        "argosy.query",
        "$JS.API.x",
        "argosy.reply.a b",
        "",
    ] {
        assert!(!may_reply_to(bad), "{bad}");
    }
}
