//! Conformance cases about schedules: messages that the bus publishes at a given time.

use super::place::{Ground, TestPlace, message, next, silent, text};
use bus::{Headers, Publish, PublishError, Schedule, Stream};
use std::time::Duration;
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// A schedule of a turn, in `ms` milliseconds from now.
fn timer(ground: &Ground, turn: &str, body: &str, ms: i64) -> Publish {
    let at = ground.bus.now().0.saturating_add_signed(ms);
    Publish {
        schedule: Some(Schedule {
            at: envelope::UnixMs(at),
            target: format!("argosy.due.{turn}"),
            ttl: None,
        }),
        ..message(&format!("argosy.timer.{turn}"), body)
    }
}

pub(crate) async fn a_schedule_fires_once_in_time(place: TestPlace) {
    let ground = place.ground().await;
    let mut puller = ground.puller(&ground.topology.due()).await;
    let headers = Headers::default().with("Argosy-Reply", "_INBOX.x");
    let start = Instant::now();
    let later = timer(&ground, "t2", "later", 1800);
    let sooner = Publish {
        headers,
        ..timer(&ground, "t1", "sooner", 1200)
    };
    ground.bus.publish(later).await.unwrap();
    ground.bus.publish(sooner).await.unwrap();
    let count = ground.bus.count(Stream::Timers, "argosy.timer.*");
    assert_eq!(count.await, Ok(2));

    let first = next(&mut puller, 2).await;
    let after = start.elapsed();
    assert_eq!(first.message.subject, "argosy.due.t1");
    assert_eq!((text(&first.message), first.delivered), ("sooner", 1));
    assert_eq!(first.message.headers.get("Argosy-Reply"), Some("_INBOX.x"));
    assert!((SECOND..SECOND * 3).contains(&after), "{after:?}");
    first.ack.ack().await.unwrap();
    let gone = ground.bus.last(Stream::Timers, "argosy.timer.t1").await;
    assert_eq!(gone, Ok(None));

    let second = next(&mut puller, 2).await;
    assert_eq!(text(&second.message), "later");
    second.ack.ack().await.unwrap();
    silent(&mut puller, 2, SECOND * 3 / 2).await;
    let left = ground.bus.state(Stream::Timers).await.unwrap();
    assert_eq!(left.messages, 2, "only what fired is stored: {left:?}");
}

pub(crate) async fn a_schedule_is_replaced(place: TestPlace) {
    let ground = place.ground().await;
    let mut puller = ground.puller(&ground.topology.due()).await;
    let start = Instant::now();
    for (body, ms) in [("first", 600), ("second", 1500), ("third", 2200)] {
        ground
            .bus
            .publish(timer(&ground, "t1", body, ms))
            .await
            .unwrap();
    }
    let state = ground.bus.state(Stream::Timers).await.unwrap();
    assert_eq!((state.messages, state.last), (1, 3));
    let fired = next(&mut puller, 1).await;
    let after = start.elapsed();
    assert_eq!(text(&fired.message), "third");
    assert!((SECOND * 2..SECOND * 4).contains(&after), "{after:?}");
    fired.ack.ack().await.unwrap();
    silent(&mut puller, 1, SECOND).await;
    // The subject is free again, and an earlier time than the one before is as good.
    ground
        .bus
        .publish(timer(&ground, "t1", "late", 60_000))
        .await
        .unwrap();
    ground
        .bus
        .publish(timer(&ground, "t1", "soon", 500))
        .await
        .unwrap();
    assert_eq!(text(&next(&mut puller, 1).await.message), "soon");
}

pub(crate) async fn a_schedule_of_the_past_fires_at_once(place: TestPlace) {
    let ground = place.ground().await;
    let mut puller = ground.puller(&ground.topology.due()).await;
    let start = Instant::now();
    let past = timer(&ground, "t1", "missed", -60_000);
    ground.bus.publish(past).await.unwrap();
    assert_eq!(text(&next(&mut puller, 1).await.message), "missed");
    let after = start.elapsed();
    assert!(after < SECOND * 2, "{after:?}");
}

pub(crate) async fn a_stream_without_schedules_refuses_them(place: TestPlace) {
    let ground = place.ground().await;
    let mut misplaced = timer(&ground, "t1", "x", 500);
    misplaced.subject = "argosy.answer.t1".into();
    let mut astray = timer(&ground, "t1", "x", 500);
    if let Some(schedule) = &mut astray.schedule {
        schedule.target = "argosy.answer.t1".into();
    }
    for bad in [misplaced, astray] {
        let stored = ground.bus.publish(bad).await;
        assert!(
            matches!(stored, Err(PublishError::Refused(_))),
            "{stored:?}"
        );
    }
}

pub(crate) async fn what_a_schedule_fires_as_ages_out(place: TestPlace) {
    let ground = place.ground().await;
    let mut puller = ground.puller(&ground.topology.due()).await;
    let mut timer = timer(&ground, "t1", "short", 100);
    if let Some(schedule) = &mut timer.schedule {
        schedule.ttl = Some(SECOND);
    }
    ground.bus.publish(timer).await.unwrap();
    let fired = next(&mut puller, 1).await;
    fired.ack.ack().await.unwrap();
    let until = Instant::now() + SECOND * 10;
    while ground.bus.state(Stream::Timers).await.unwrap().messages > 0 {
        assert!(Instant::now() < until, "it is still there");
        tokio::time::sleep(SECOND / 10).await;
    }
}
