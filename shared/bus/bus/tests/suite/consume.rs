//! Conformance cases about durable consumers: which messages a consumer gets, how often, and when a message is
//! delivered again.

use super::place::{Ground, TestPlace, message, next, silent, text, within};
use bus::{BusError, ConsumerProgress, ConsumerSpec, Publish, Stream};
use envelope::{Edition, Role};
use settings::TimeSpan;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, timeout};

const SECOND: Duration = Duration::from_secs(1);

async fn put_plans(ground: &Ground, count: usize) {
    for n in 0..count {
        let subject = format!("argosy.step.0.planner.t{n}.0");
        ground.put(&subject, &n.to_string()).await;
    }
}

fn planner(ground: &Ground) -> ConsumerSpec {
    ground.topology.consumer(Role::Planner)
}

pub(crate) async fn a_consumer_takes_what_it_filters_in_order(place: TestPlace) {
    let ground = place.ground().await;
    ground.put("argosy.step.0.planner.t0.0", "before").await;
    let mut puller = ground.puller(&planner(&ground)).await;
    ground.put("argosy.step.0.retriever.t0.1", "stranger").await;
    ground.put("argosy.step.0.planner.t0.2", "after").await;
    for (want, sequence) in [("before", 1), ("after", 3)] {
        let got = next(&mut puller, 4).await;
        assert_eq!((text(&got.message), got.delivered), (want, 1));
        assert_eq!(got.message.sequence, sequence);
        let age = got.message.stored_at.0.abs_diff(ground.bus.now().0);
        assert!(age < 10_000, "stored {age} ms from now");
        got.ack.ack().await.unwrap();
    }
    silent(&mut puller, 4, SECOND / 4).await;
}

pub(crate) async fn redelivered_after_the_ack_wait(place: TestPlace) {
    let ground = place.ground().await;
    put_plans(&ground, 1).await;
    let mut puller = ground.puller(&planner(&ground)).await;
    let first = next(&mut puller, 1).await;
    let start = Instant::now();
    let second = next(&mut puller, 1).await;
    let after = start.elapsed();
    assert!((SECOND * 9 / 10..SECOND * 3).contains(&after), "{after:?}");
    assert_eq!((first.delivered, second.delivered), (1, 2));
    assert_eq!(second.message, first.message);
    // The answer to the first delivery counts for the message.
    first.ack.ack().await.unwrap();
    silent(&mut puller, 1, SECOND * 2).await;
}

pub(crate) async fn redelivered_after_the_delay_of_a_nak(place: TestPlace) {
    let ground = place.ground().await;
    put_plans(&ground, 2).await;
    let mut puller = ground.puller(&planner(&ground)).await;
    let first = next(&mut puller, 1).await;
    let start = Instant::now();
    first.ack.nak(SECOND * 3 / 10).await.unwrap();
    let other = next(&mut puller, 1).await;
    assert_eq!(
        text(&other.message),
        "1",
        "a delayed message holds up nobody"
    );
    other.ack.ack().await.unwrap();
    let again = next(&mut puller, 1).await;
    let after = start.elapsed();
    assert_eq!((text(&again.message), again.delivered), ("0", 2));
    assert!((SECOND / 4..SECOND * 9 / 10).contains(&after), "{after:?}");
    // A delay may also be longer than the ack wait.
    let start = Instant::now();
    again.ack.nak(SECOND * 2).await.unwrap();
    assert_eq!(next(&mut puller, 1).await.delivered, 3);
    let after = start.elapsed();
    assert!((SECOND * 19 / 10..SECOND * 4).contains(&after), "{after:?}");
}

pub(crate) async fn a_message_in_progress_is_not_redelivered(place: TestPlace) {
    let ground = place.ground().await;
    put_plans(&ground, 1).await;
    let mut puller = ground.puller(&planner(&ground)).await;
    let first = next(&mut puller, 2).await;
    for _ in 0..8 {
        silent(&mut puller, 1, SECOND / 3).await;
        first.ack.in_progress().await.unwrap();
    }
    let start = Instant::now();
    assert_eq!(next(&mut puller, 1).await.delivered, 2);
    let after = start.elapsed();
    assert!((SECOND * 9 / 10..SECOND * 3).contains(&after), "{after:?}");
}

pub(crate) async fn an_acked_message_does_not_come_back(place: TestPlace) {
    let ground = place.ground().await;
    put_plans(&ground, 1).await;
    let mut puller = ground.puller(&planner(&ground)).await;
    let first = next(&mut puller, 1).await;
    first.ack.ack().await.unwrap();
    first.ack.ack().await.unwrap();
    silent(&mut puller, 1, SECOND * 2).await;
}

pub(crate) async fn open_deliveries_are_bounded(place: TestPlace) {
    let ground = place
        .ground_with(|t| (t.max_ack_pending, t.ack_wait) = (3, TimeSpan::from_secs(30)))
        .await;
    put_plans(&ground, 5).await;
    let spec = planner(&ground);
    let (mut one, mut two) = (ground.puller(&spec).await, ground.puller(&spec).await);
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(next(&mut one, 8).await);
    }
    silent(&mut one, 8, SECOND / 4).await;
    silent(&mut two, 8, SECOND / 4).await;
    open[1].ack.ack().await.unwrap();
    let either = async {
        tokio::select! {
            got = one.next(8) => got,
            got = two.next(8) => got,
        }
    };
    assert_eq!(text(&within(either).await.unwrap().message), "3");
    silent(&mut two, 8, SECOND / 4).await;
}

pub(crate) async fn delayed_naks_stay_open(place: TestPlace) {
    let ground = place.ground_with(|t| t.max_ack_pending = 1).await;
    put_plans(&ground, 2).await;
    let mut puller = ground.puller(&planner(&ground)).await;
    let first = next(&mut puller, 2).await;
    first.ack.nak(SECOND / 2).await.unwrap();
    let again = next(&mut puller, 2).await;
    assert_eq!((text(&again.message), again.delivered), ("0", 2));
    again.ack.ack().await.unwrap();
    assert_eq!(text(&next(&mut puller, 2).await.message), "1");
}

pub(crate) async fn two_pullers_share(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.ack_wait = TimeSpan::from_secs(30))
        .await;
    let spec = planner(&ground);
    let (mut one, mut two) = (ground.puller(&spec).await, ground.puller(&spec).await);
    put_plans(&ground, 60).await;
    let mut seen = BTreeSet::new();
    for _ in 0..30 {
        // Both wait at the same time; whichever is served, no message goes to both.
        let (first, second) = tokio::join!(next(&mut one, 1), next(&mut two, 1));
        for got in [first, second] {
            assert_eq!(got.delivered, 1);
            assert!(seen.insert(text(&got.message).to_owned()), "{seen:?}");
            got.ack.ack().await.unwrap();
        }
    }
    assert_eq!(seen.len(), 60);
}

pub(crate) async fn no_more_than_the_free_slots(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.ack_wait = TimeSpan::from_secs(30))
        .await;
    put_plans(&ground, 10).await;
    let spec = planner(&ground);
    let (mut greedy, mut other) = (ground.puller(&spec).await, ground.puller(&spec).await);
    let first = next(&mut greedy, 2).await;
    assert_eq!(text(&first.message), "0");
    // At most one more is on its way to the first puller, so eight are left for the second.
    let mut rest = BTreeSet::new();
    for _ in 0..8 {
        rest.insert(text(&next(&mut other, 8).await.message).to_owned());
    }
    assert_eq!(rest.len(), 8);
}

pub(crate) async fn closing_gives_back_the_rest(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.ack_wait = TimeSpan::from_secs(30))
        .await;
    put_plans(&ground, 5).await;
    let spec = planner(&ground);
    let (mut leaving, mut staying) = (ground.puller(&spec).await, ground.puller(&spec).await);
    let first = next(&mut leaving, 5).await;
    assert_eq!(text(&first.message), "0");
    first.ack.ack().await.unwrap();
    let left = within(leaving.close()).await;
    for delivery in &left {
        assert_eq!(delivery.delivered, 1);
        delivery.ack.nak(SECOND / 10).await.unwrap();
    }
    // Long before the ack wait all others are with the one that stays.
    let mut rest = BTreeSet::new();
    for _ in 0..4 {
        rest.insert(text(&next(&mut staying, 1).await.message).to_owned());
    }
    assert_eq!(rest, ["1", "2", "3", "4"].map(str::to_owned).into());
}

pub(crate) async fn a_dropped_pull_loses_nothing(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.ack_wait = TimeSpan::from_secs(30))
        .await;
    let mut puller = ground.puller(&planner(&ground)).await;
    let mut seen = Vec::new();
    for n in 0..50 {
        let subject = format!("argosy.step.0.planner.t{n}.0");
        let body = n.to_string();
        // The pull is given up at some point around the arrival of the message.
        tokio::select! {
            got = puller.next(4) => seen.push(got.unwrap()),
            _ = ground.put(&subject, &body) => {}
        }
        if n % 7 == 0 {
            let _ = timeout(Duration::from_millis(1), puller.next(4))
                .await
                .map(|g| {
                    seen.push(g.unwrap());
                });
        }
    }
    let stored = ground.bus.state(Stream::Steps(0));
    let stored = stored.await.unwrap().messages as usize;
    while seen.len() < stored {
        seen.push(next(&mut puller, 4).await);
    }
    assert!(seen.iter().all(|got| got.delivered == 1));
    let distinct: BTreeSet<_> = seen.iter().map(|got| got.message.sequence).collect();
    assert_eq!(distinct.len(), stored);
}

pub(crate) async fn an_expired_message_is_not_redelivered(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.ack_wait = TimeSpan::from_secs(4))
        .await;
    let short = Publish {
        ttl: Some(SECOND),
        ..message("argosy.step.0.planner.t0.0", "short")
    };
    ground.bus.publish(short).await.unwrap();
    let mut puller = ground.puller(&planner(&ground)).await;
    let first = next(&mut puller, 1).await;
    silent(&mut puller, 1, SECOND * 6).await;
    first.ack.ack().await.unwrap();
    ground.put("argosy.step.0.planner.t1.0", "next").await;
    assert_eq!(text(&next(&mut puller, 1).await.message), "next");
}

pub(crate) async fn a_missing_consumer_is_named(place: TestPlace) {
    let ground = place.ground().await;
    let mut spec = planner(&ground);
    spec.name = "cook".into();
    match ground.bus.consume(&spec).await {
        Err(BusError::Missing(name)) => assert!(name.contains("cook"), "{name}"),
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("there is no such consumer"),
    }
    let mut spec = planner(&ground);
    spec.filters = vec!["argosy.step.0.mapper.>".into()];
    let different = ground.bus.consume(&spec).await;
    assert!(matches!(different, Err(BusError::Different { .. })));
    // How much may be open is tuned at run time and is no reason to refuse work.
    let mut spec = planner(&ground);
    spec.max_ack_pending += 1;
    assert!(ground.bus.consume(&spec).await.is_ok());
}

pub(crate) async fn what_was_acked_leaves_a_queue(place: TestPlace) {
    let ground = place.ground().await;
    for n in 1..=3 {
        ground.put(&format!("argosy.document.b.d{n}"), "x").await;
    }
    let mut puller = ground
        .puller(&ground.topology.documents(&Edition::main()))
        .await;
    let first = next(&mut puller, 2).await;
    let second = next(&mut puller, 1).await;
    within(first.ack.ack()).await.unwrap();
    within(second.ack.nak(Duration::from_millis(100)))
        .await
        .unwrap();
    let left = ground.bus.state(Stream::Documents).await.unwrap();
    assert_eq!((left.messages, left.first), (2, 2), "{left:?}");
    let gone = ground.bus.last(Stream::Documents, "argosy.document.b.d1");
    assert_eq!(gone.await, Ok(None));
    for _ in 0..2 {
        let got = next(&mut puller, 1).await;
        within(got.ack.ack()).await.unwrap();
    }
    assert_eq!(
        ground.bus.state(Stream::Documents).await.unwrap().messages,
        0
    );
}

pub(crate) async fn how_far_a_consumer_is(place: TestPlace) {
    let ground = place.ground().await;
    let planner = planner(&ground);
    let at = async || ground.bus.progress(&planner).await.unwrap();
    let waits = |p: &ConsumerProgress| (p.pending, p.ack_pending);
    assert_eq!(waits(&at().await), (0, 0));
    put_plans(&ground, 3).await;
    assert_eq!(waits(&at().await), (3, 0));
    assert_eq!(at().await.acked_to, 0);
    let mut puller = ground.puller(&planner).await;
    let (first, second) = (next(&mut puller, 1).await, next(&mut puller, 1).await);
    let now = at().await;
    assert_eq!(
        (waits(&now), now.delivered_to, now.acked_to),
        ((1, 2), 2, 0)
    );
    // An ack is on its way when it returns.
    let comes_to = async |wanted: ((u64, u64), u64)| {
        let comes = async {
            while {
                let now = at().await;
                (waits(&now), now.acked_to) != wanted
            } {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        within(comes).await;
    };
    // What is done out of order is not yet behind.
    second.ack.ack().await.unwrap();
    comes_to(((1, 1), 0)).await;
    first.ack.ack().await.unwrap();
    comes_to(((1, 0), 2)).await;
    assert_eq!(at().await.delivered_to, 2);
    let strange = ConsumerSpec {
        name: "strange".into(),
        ..planner.clone()
    };
    let missing = ground.bus.progress(&strange).await;
    assert!(matches!(missing, Err(BusError::Missing(_))), "{missing:?}");
}
