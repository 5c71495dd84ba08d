//! Tests that a turn that is cancelled ends as cancelled, and that the work on it stops.

use crate::fleet::{Fleet, PATIENCE, connect, until};
use crate::model::{self, MAPS};
use crate::turns::{QUESTION, publish, question, terminals};

use bus::Bus;
use envelope::{Outcome, Terminal, TurnId};
use serde_json::json;
use std::time::Duration;
use testkit::node::FakeNodeBehaviour;
use tokio::time::{Instant, timeout};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancel_ends_a_turn_and_stops_its_work() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    // The plan is answered; the maps hang until they are dropped.
    node.script([FakeNodeBehaviour::Answer])
        .always(FakeNodeBehaviour::Hold);
    let mut fleet = Fleet::new(server.url(), model::options(&node));
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    let reply = "_INBOX.test.cancelled";
    let mut replies = bus.subscribe(reply, None).await.expect("an ear");
    let body = json!({ "id": "slow", "question": QUESTION, "reply_to": reply });
    publish(&*bus, vec![body]).await;
    node.until(|seen| seen.in_flight == MAPS).await;

    let running = fleet.command(&["answer", "slow"]).await;
    assert_eq!(running.status.code(), Some(6), "{running:?}");
    let shown = fleet.json(&["cancel", "slow"]).await;
    assert_eq!(shown, json!({ "turn": "slow", "cancelled": true }));
    // The workers hang up on the model: nothing is computed for nobody.
    let seen = node.until(|seen| seen.in_flight == 0).await;
    assert_eq!((seen.calls, seen.abandoned), (1 + MAPS, MAPS));

    let heard = timeout(PATIENCE, replies.next())
        .await
        .expect("told in time");
    let told: Terminal = envelope::decode(&heard.expect("told").body).expect("an event");
    assert_eq!(
        (told.turn.as_str(), told.outcome),
        ("slow", Outcome::Cancelled)
    );
    let again = fleet.json(&["cancel", "slow"]).await;
    assert_eq!(again["cancelled"], false);
    let unknown = fleet.command(&["cancel", "nobody-asked"]).await;
    assert_eq!(unknown.status.code(), Some(3), "{unknown:?}");

    // Every step was answered, so nothing of the turn comes back.
    let mapper = fleet.of(envelope::Role::Mapper);
    until("the batch to be acked", async || {
        let family = "argosy_messages_processed_total";
        let dropped = mapper.counter(family, &[r#"outcome="dropped""#]).await;
        (dropped == 1).then_some(())
    })
    .await;
    fleet.drain().await;
    let ends = terminals(&*bus).await;
    assert_eq!(ends.len(), 1);
    assert_eq!(
        (ends[0].outcome, node.seen().calls),
        (Outcome::Cancelled, 1 + MAPS)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn maps_that_are_not_needed_any_more_are_stopped() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    // The plan, three maps; two hang; then the reduction.
    let hang = [FakeNodeBehaviour::Hold, FakeNodeBehaviour::Hold];
    node.script(
        [(); 4]
            .map(|()| FakeNodeBehaviour::Answer)
            .into_iter()
            .chain(hang),
    )
    .always(FakeNodeBehaviour::Answer);
    let mut set = model::options(&node);
    // With steps of their own, other mappers are told as well.
    set.extend(["run.early_reduce=3".into(), "mapper.batch=1".into()]);
    let mut fleet = Fleet::new(server.url(), set);
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    publish(&*bus, vec![json!({ "id": "early", "question": QUESTION })]).await;
    let end = until("the answer", async || terminals(&*bus).await.pop()).await;
    assert_eq!(end.outcome, Outcome::Answered, "{end:?}");
    let trail = serde_json::to_string(&end).expect("words");
    assert!(
        trail.contains("parts_missing"),
        "what was not read is said: {trail}"
    );

    let seen = node.until(|seen| seen.in_flight == 0).await;
    assert_eq!((seen.calls, seen.abandoned), (1 + MAPS + 1, 2));
    let mapper = fleet.of(envelope::Role::Mapper);
    until("the other map steps to be acked", async || {
        let family = "argosy_messages_processed_total";
        let spared = mapper.counter(family, &[r#"outcome="spared""#]).await;
        (spared == 2).then_some(())
    })
    .await;
    fleet.drain().await;
    assert_eq!(terminals(&*bus).await.len(), 1);
}

/// The time is measured from the cancel to the last closed connection: the terminal event is stored, the workers hear
/// of it, the calls of five maps are dropped, and the node sees each of them end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_model_is_hung_up_on_within_a_tenth_of_a_second() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    let mut fleet = Fleet::new(server.url(), model::options(&node));
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    let mut took = Vec::new();
    for n in 0..5 {
        let turn = TurnId::new(format!("slow-{n}")).expect("an id");
        node.script([FakeNodeBehaviour::Answer])
            .always(FakeNodeBehaviour::Hold);
        publish(&*bus, vec![question(Some(turn.to_string()), "60s")]).await;
        node.until(|seen| seen.in_flight == MAPS).await;
        let began = Instant::now();
        streams::client::cancel(&*bus, &turn)
            .await
            .expect("cancelled");
        let told = began.elapsed();
        node.until(|seen| seen.in_flight == 0).await;
        took.push((began.elapsed(), told));
    }
    took.sort_unstable();
    println!("from cancelling to the last call dropped, and to the event stored: {took:?}");
    // The worst one of a machine that does other things says nothing.
    let (median, _) = took[took.len() / 2];
    assert!(median < Duration::from_millis(100), "{took:?}");
    assert_eq!(node.seen().abandoned, 5 * MAPS);
    fleet.drain().await;
}
