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
        0..17u8,
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
            12 => Subject::TenantQuery {
                tenant: TenantId::new(turn.as_str()).unwrap(),
            },
            13 => Subject::TenantAsked {
                tenant: TenantId::new(turn.as_str()).unwrap(),
            },
            14 => Subject::DeadWebhook {
                webhook: WebhookName::new(turn.as_str()).unwrap(),
                turn,
            },
            15 => Subject::Feedback {
                tenant: TenantId::default_tenant(),
                login: LoginId::new(turn.as_str()).unwrap(),
                turn,
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
        "argosy.dead.webhook.t",
        "argosy.dead.webhook.t.crm.1",
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

#[test]
fn what_is_for_a_tenant_reaches_its_account_alone() {
    let tenant = TenantId::new("acme").unwrap();
    let reply = to_tenant(&tenant, "_INBOX.me.1");
    assert_eq!(reply, "argosy.to.acme._INBOX.me.1");
    assert!(may_deliver_to(&reply) && may_deliver_to("_INBOX.me.1"));
    assert!(may_deliver_to("_R_.4i7r04.yLobdU"));
    for bad in [
        "argosy.to.acme.argosy.query",
        "argosy.to.acme.argosy.to.other._INBOX.1",
        "argosy.to.acme",
        "argosy.to.acme.$JS.API.INFO",
        "argosy.answer.t",
        "_R_.*",
    ] {
        assert!(!may_deliver_to(bad), "{bad}");
    }
    // No publisher names the account of another, or the way back of another's request.
    for bad in ["argosy.to.other._INBOX.me.1", "_R_.4i7r04.yLobdU"] {
        assert!(!may_reply_to(bad), "{bad}");
    }
    let turn = TurnId::new("t").unwrap();
    assert_eq!(live(&turn, Some(&reply)), "argosy.to.acme.argosy.live.t");
    for elsewhere in [None, Some("_INBOX.me.1"), Some("_R_.a.b")] {
        assert_eq!(live(&turn, elsewhere), "argosy.live.t");
    }
}

#[test]
fn the_tenant_of_a_request_is_one_token_of_its_subject() {
    let acme = TenantId::new("acme").unwrap();
    assert_eq!(tenant_of(ASK, ASK), Ok(None));
    assert_eq!(tenant_of("argosy.ask.acme", ASK), Ok(Some(acme)));
    for bad in [
        "argosy.ask.",
        "argosy.ask.a.b",
        "argosy.asking",
        "argosy.ask.*",
        "argosy.count",
    ] {
        assert!(tenant_of(bad, ASK).is_err(), "{bad}");
    }
}
