//! Conformance cases about core messages, which no stream stores and which are delivered at most once.

use super::place::{Ground, TestPlace, within};
use bus::{CoreMessage, Headers, Stream, Subscription};
use std::time::Duration;
use tokio::time::timeout;

fn said(subject: &str, body: &str) -> CoreMessage {
    CoreMessage {
        subject: subject.into(),
        reply: None,
        headers: Headers::default(),
        body: body.to_owned().into(),
    }
}

async fn listen(ground: &Ground, subject: &str, queue: Option<&str>) -> Box<dyn Subscription> {
    within(ground.bus.subscribe(subject, queue)).await.unwrap()
}

async fn heard(subscription: &mut Box<dyn Subscription>) -> CoreMessage {
    within(subscription.next()).await.unwrap()
}

async fn hears_nothing(subscription: &mut Box<dyn Subscription>) {
    let heard = timeout(Duration::from_millis(200), subscription.next()).await;
    assert!(heard.is_err(), "{heard:?}");
}

pub(crate) async fn every_listener_hears_a_broadcast(place: TestPlace) {
    let ground = place.ground().await;
    let mut all = listen(&ground, "argosy.cancel.*", None).await;
    let mut one = listen(&ground, "argosy.cancel.t1", None).await;
    let mut other = listen(&ground, "argosy.cancel.t2", None).await;
    let mut message = said("argosy.cancel.t1", "stop");
    message.headers = Headers::default().with("Argosy-Turn", "t1");
    ground.bus.broadcast(message.clone()).await.unwrap();
    assert_eq!(heard(&mut all).await, message);
    assert_eq!(heard(&mut one).await, message);
    hears_nothing(&mut other).await;
    // A publish without a listener is no error.
    ground
        .bus
        .broadcast(said("argosy.live.t1", "x"))
        .await
        .unwrap();
    // Only what comes after it began is heard.
    let mut late = listen(&ground, "argosy.cancel.>", None).await;
    hears_nothing(&mut late).await;
}

pub(crate) async fn a_queue_group_shares(place: TestPlace) {
    let ground = place.ground().await;
    let mut members = [
        listen(&ground, "argosy.ask", Some("gateways")).await,
        listen(&ground, "argosy.ask", Some("gateways")).await,
    ];
    let mut spy = listen(&ground, "argosy.ask", None).await;
    const COUNT: usize = 100;
    for n in 0..COUNT {
        ground
            .bus
            .broadcast(said("argosy.ask", &n.to_string()))
            .await
            .unwrap();
    }
    for n in 0..COUNT {
        assert_eq!(heard(&mut spy).await.body, n.to_string());
    }
    let mut shares = [0, 0];
    while shares[0] + shares[1] < COUNT {
        let [one, two] = &mut members;
        let either = async {
            tokio::select! {
                got = one.next() => (0, got),
                got = two.next() => (1, got),
            }
        };
        let (who, got) = within(either).await;
        assert!(got.is_some());
        shares[who] += 1;
    }
    assert!(shares.iter().all(|share| *share > 0), "{shares:?}");
    for member in &mut members {
        hears_nothing(member).await;
    }
}

pub(crate) async fn a_question_is_answered(place: TestPlace) {
    let ground = place.ground().await;
    let mut server = listen(&ground, "argosy.ask", Some("gateways")).await;
    let mut inbox = listen(&ground, "argosy.reply.mine.7", None).await;
    let mut ask = said("argosy.ask", "why?");
    ask.reply = Some("argosy.reply.mine.7".into());
    ground.bus.broadcast(ask).await.unwrap();
    let question = heard(&mut server).await;
    let reply_to = question.reply.unwrap();
    ground
        .bus
        .broadcast(said(&reply_to, "because"))
        .await
        .unwrap();
    let answer = heard(&mut inbox).await;
    assert_eq!(
        (answer.body.as_ref(), answer.reply),
        (&b"because"[..], None)
    );
}

pub(crate) async fn a_stored_message_is_heard_as_well(place: TestPlace) {
    let ground = place.ground().await;
    let mut tap = listen(&ground, "argosy.answer.*", None).await;
    ground.put("argosy.answer.t1", "stored").await;
    let tapped = heard(&mut tap).await;
    assert_eq!(
        (tapped.subject.as_str(), tapped.body.as_ref()),
        ("argosy.answer.t1", &b"stored"[..])
    );
    // And what is only said is stored where a stream takes its subject.
    ground
        .bus
        .broadcast(said("argosy.query", "said"))
        .await
        .unwrap();
    let stored = async {
        loop {
            if let Some(found) = ground
                .bus
                .last(Stream::Inbox, "argosy.query")
                .await
                .unwrap()
            {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    assert_eq!(within(stored).await.body.as_ref(), b"said");
}
