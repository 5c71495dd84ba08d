//! What a tenant may try against another one and against the fleet: in the words of a question, and on the wire.

use super::stand::{Ear, SOON, Shared, asked, requested};
use crate::fleet::until;
use crate::turns::QUESTION;
use bus::{Bus, CoreMessage, Headers, Publish, Stream};
use bus_nats::NatsBus;
use envelope::{Outcome, header, subject};
use serde_json::json;
use tokio::time::sleep;

/// What a question may say about others, and how it is refused.
pub(super) async fn no_body_is_of_another_tenant(shared: &Shared, acme: &NatsBus, bolt: &NatsBus) {
    let mine = json!({"question": QUESTION, "id": "of-bolt"});
    assert_eq!(asked(bolt, mine).await.outcome, Outcome::Answered);
    let mut foreign = Ear::of(bolt, ">").await;
    let cases = [
        (json!({"tenant": "bolt"}), "other_tenant"),
        (json!({"tenant": "default"}), "other_tenant"),
        (json!({"id": "of-bolt"}), "id_in_use"),
        (
            json!({"reply_to_clarification": "of-bolt"}),
            "clarification_unknown",
        ),
    ];
    for (body, code) in cases {
        let mut question = json!({ "question": QUESTION });
        question
            .as_object_mut()
            .expect("fields")
            .extend(body.as_object().expect("fields").clone());
        let ended = asked(acme, question).await;
        let error = ended.error.expect("a reason");
        assert_eq!(
            (ended.outcome, &*error.code),
            (Outcome::Refused, code),
            "{body}"
        );
    }
    for at in [
        subject::SEARCH,
        subject::COUNT,
        subject::METADATA,
        subject::CATALOG,
    ] {
        let body = json!({"query": "Osterby", "source": "bolt.md", "tenant": "bolt"});
        let refused = requested(acme, at, body).await;
        assert_eq!(refused["error"]["code"], "other_tenant", "{at}: {refused}");
    }
    // Where an answer is to go is a subject in the account of who asks, whatever it is called.
    let operator = shared.connect("operator").await;
    for reply in [
        "argosy.to.bolt._INBOX.1",
        "_R_.abcdef.ghijkl",
        "argosy.answer.of-bolt",
        "$JS.API.STREAM.PURGE.ARGOSY_ANSWERS",
        "argosy.query.bolt",
        &format!("{}.1", bolt.inbox()),
        &format!("{}.1", operator.inbox()),
        "argosy.reply.turn.of-bolt.x",
    ] {
        let before = operator.state(Stream::Answers).await.expect("a look").last;
        for in_header in [false, true] {
            let mut question = json!({ "question": QUESTION });
            let mut headers = Headers::default();
            match in_header {
                true => headers = headers.with(header::REPLY, reply),
                false => question["reply_to"] = reply.into(),
            }
            let message = Publish {
                headers,
                ..Publish::new(subject::QUERY, question.to_string().into())
            };
            acme.publish(message).await.expect("it is stored");
        }
        // Both have ended: answered or refused.
        until("the ends of both", async || {
            let now = operator.state(Stream::Answers).await.ok()?.last;
            (now >= before + 2).then_some(())
        })
        .await;
    }
    assert_eq!(foreign.all().await, []);
}

/// What a tenant may try on the wire, without a fleet that reads it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_leaves_the_account_of_a_tenant_but_its_questions() {
    let shared = Shared::new("", Vec::new()).await;
    let acme = shared.connect("tenant-acme").await;
    let (bolt, operator) = (
        shared.connect("tenant-bolt").await,
        shared.connect("operator").await,
    );
    let mut of_bolt = Ear::of(&bolt, ">").await;
    let mut of_fleet = Ear::of(&operator, "argosy.>").await;
    let mut of_operator = Ear::of(&operator, &format!("{}.>", operator.inbox())).await;

    // Until the server knows that they listen.
    sleep(SOON).await;

    // Subjects that are nobody's but its own.
    let elsewhere = [
        "argosy.query.bolt",
        "argosy.query.acme",
        "argosy.query.acme.ask",
        "argosy.ask.bolt",
        "argosy.search.bolt",
        "argosy.to.bolt._INBOX.1",
        "argosy.answer.t1",
        "argosy.live.t1",
        "argosy.cancel.t1",
        "argosy.step.0.mapper.t1.1.0",
        "argosy.document.b.d",
        "argosy.processes",
        "_R_.abcdef.ghijkl",
        "$JS.ACK.ARGOSY_INBOX.gateway-inbox.1.1.1.1.0",
        "$JS.API.STREAM.PURGE.ARGOSY_INBOX",
        "$O.ARGOSY_FILES.C.x",
    ];
    // Reply subjects at which the server itself writes.
    let replies = [
        "argosy.answer.t1",
        "argosy.query.bolt",
        "argosy.query",
        "argosy.to.bolt._INBOX.1",
        "argosy.step.0.mapper.t1.1.0",
        "$JS.API.STREAM.DELETE.ARGOSY_ANSWERS",
        "$JS.API.CONSUMER.CREATE.ARGOSY_INBOX.x",
        &format!("{}.1", operator.inbox()),
        &format!("{}.1", bolt.inbox()),
    ];
    // Headers with which a server does something.
    let headers = [
        ("Nats-Trace-Dest", "argosy.answer.t1"),
        ("Nats-Schedule", "@at 2030-01-01T00:00:00Z"),
        ("Nats-Schedule-Target", "argosy.query.bolt"),
        ("Nats-Rollup", "all"),
        ("Nats-TTL", "1s"),
        ("Nats-Batch-Id", "x"),
        ("Nats-Incr", "+1"),
    ];
    for at in elsewhere {
        let message = CoreMessage {
            reply: Some("_INBOX.own.1".into()),
            ..CoreMessage::new(at, "{}")
        };
        acme.broadcast(message).await.expect("it is sent");
    }
    for at in [subject::QUERY, subject::ASK, subject::SEARCH] {
        for reply in replies {
            let message = CoreMessage {
                reply: Some(reply.into()),
                ..CoreMessage::new(at, "{}")
            };
            acme.broadcast(message).await.expect("it is sent");
        }
    }
    for (name, value) in headers {
        let message = CoreMessage {
            headers: Headers::default().with(name, value),
            ..CoreMessage::new(subject::QUERY, "{}")
        };
        acme.broadcast(message).await.expect("it is sent");
    }
    assert_eq!(of_bolt.all().await, []);
    assert_eq!(of_operator.all().await, []);
    let heard = of_fleet.all().await;
    let allowed = ["argosy.query.acme", "argosy.ask.acme", "argosy.search.acme"];
    assert!(heard.len() >= replies.len() * allowed.len(), "{heard:?}");
    for (subject, _) in heard {
        assert!(allowed.contains(&subject.as_str()), "{subject}");
    }
    for stream in Stream::ALL
        .into_iter()
        .filter(|stream| *stream != Stream::Inbox)
    {
        let state = operator.state(stream).await.expect("it is still there");
        assert_eq!(state.last, 0, "{stream:?}");
    }
    let inbox = operator
        .state(Stream::Inbox)
        .await
        .expect("it is still there");
    let own = operator
        .count(Stream::Inbox, "argosy.query.acme")
        .await
        .expect("a count");
    assert_eq!(
        (own, inbox.messages > 0),
        (1, true),
        "one subject, and no other"
    );

    // And it reads nothing.
    for call in [
        "$JS.API.INFO",
        "$JS.API.STREAM.NAMES",
        "$JS.API.STREAM.INFO.ARGOSY_INBOX",
        "$JS.API.STREAM.MSG.GET.ARGOSY_INBOX",
    ] {
        let said = requested(&acme, call, json!({"last_by_subj": "argosy.query.acme"})).await;
        assert_eq!(said["error"]["err_code"], 10039, "{call}: {said}");
    }
    for stream in Stream::ALL {
        let read = acme.last(stream, "argosy.>").await;
        assert!(read.is_err(), "{stream:?}: {read:?}");
        let direct = acme
            .last_of_each(stream, &["argosy.query.acme".into()])
            .await;
        assert!(direct.is_err(), "{stream:?}: {direct:?}");
    }
    drop((of_bolt, of_fleet, of_operator));
}
