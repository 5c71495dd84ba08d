//! Conformance cases about publishing: which messages a stream accepts, and what the stream contains afterwards.

use super::place::{TestPlace, message, text, within};
use bus::{Headers, Publish, PublishError, Stream, WriteCondition};
use futures_util::future::join_all;
use settings::ByteSize;
use std::time::Duration;
use tokio::time::{Instant, sleep};

pub(crate) async fn created_once(place: TestPlace) {
    let ground = place.ground().await;
    let subject = "argosy.answer.t1";
    let first = Publish {
        condition: WriteCondition::Absent,
        ..message(subject, "first")
    };
    let second = Publish {
        condition: WriteCondition::Absent,
        ..message(subject, "second")
    };
    let sequence = ground.bus.publish(first.clone()).await.unwrap();
    assert_eq!(ground.bus.publish(second).await, Err(PublishError::Exists));
    assert_eq!(ground.bus.publish(first).await, Err(PublishError::Exists));
    let stored = ground.bus.last(Stream::Answers, subject).await.unwrap();
    let stored = stored.unwrap();
    assert_eq!((text(&stored), stored.sequence), ("first", sequence));
    let age = stored.stored_at.0.abs_diff(ground.bus.now().0);
    assert!(age < 10_000, "stored {age} ms from now");
}

pub(crate) async fn one_step_per_hop_across_roles(place: TestPlace) {
    let ground = place.ground().await;
    let hop = |turn: &str, hop: u16| {
        WriteCondition::AbsentAcross(format!("argosy.step.0.*.{turn}.{hop}"))
    };
    let put = |turn: &'static str, n: u16, role: &'static str| {
        let subject = format!("argosy.step.0.{role}.{turn}.{n}");
        let (ground, condition) = (&ground, hop(turn, n));
        async move { ground.put_behind(condition, &subject).await }
    };
    assert!(put("t1", 3, "retriever").await.is_ok());
    for role in ["retriever", "planner", "scatter", "validator"] {
        assert_eq!(
            put("t1", 3, role).await,
            Err(PublishError::Exists),
            "{role}"
        );
    }
    assert!(put("t1", 4, "planner").await.is_ok());
    assert!(put("t2", 3, "planner").await.is_ok());
    let count = ground.bus.count(Stream::Steps(0), "argosy.step.0.*.t1.3");
    assert_eq!(count.await, Ok(1));
}

pub(crate) async fn map_steps_are_outside_the_hop_condition(place: TestPlace) {
    let ground = place.ground().await;
    for index in 0..3 {
        let subject = format!("argosy.step.0.mapper.t1.5.{index}");
        assert!(
            ground
                .put_behind(WriteCondition::Absent, &subject)
                .await
                .is_ok()
        );
        let again = ground.put_behind(WriteCondition::Absent, &subject).await;
        assert_eq!(again, Err(PublishError::Exists));
    }
    let condition = WriteCondition::AbsentAcross("argosy.step.0.*.t1.5".into());
    let step = ground
        .put_behind(condition, "argosy.step.0.reducer.t1.5")
        .await;
    assert!(step.is_ok(), "{step:?}");
}

pub(crate) async fn racing_publishers_have_one_winner(place: TestPlace) {
    let ground = place.ground().await;
    for turn in 0..20 {
        let roles = ["planner", "retriever", "reducer", "validator"];
        let racing = roles.map(|role| {
            let condition = WriteCondition::AbsentAcross(format!("argosy.step.0.*.t{turn}.1"));
            let ground = &ground;
            async move {
                let subject = format!("argosy.step.0.{role}.t{turn}.1");
                ground.put_behind(condition, &subject).await
            }
        });
        let results = join_all(racing).await;
        let won = results.iter().filter(|r| r.is_ok()).count();
        let lost = results
            .iter()
            .filter(|r| matches!(r, Err(PublishError::Exists | PublishError::Conflict)))
            .count();
        assert_eq!((won, lost), (1, 3), "{results:?}");
    }
}

pub(crate) async fn a_full_stream_refuses(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.inbox_bytes = ByteSize::from_bytes(64 * 1024))
        .await;
    let body = "x".repeat(4096);
    let mut stored = 0;
    let refusal = loop {
        assert!(stored < 64, "the stream never fills");
        match ground.bus.publish(message("argosy.query", &body)).await {
            Ok(_) => stored += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(refusal, PublishError::Full);
    assert!((14..=16).contains(&stored), "{stored} messages in 64 KiB");
    let state = ground.bus.state(Stream::Inbox).await.unwrap();
    assert_eq!((state.messages, state.first), (stored, 1));
    assert!(
        state.bytes <= state.max_bytes && state.fill() > 0.8,
        "{state:?}"
    );
    ground.put("argosy.answer.t1", &body).await;
}

pub(crate) async fn a_failed_condition_is_not_a_full_stream(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.answers_bytes = ByteSize::from_bytes(64 * 1024))
        .await;
    let once = |subject: &str| Publish {
        condition: WriteCondition::Absent,
        ..message(subject, &"x".repeat(4096))
    };
    ground.bus.publish(once("argosy.answer.t0")).await.unwrap();
    let mut turn = 1;
    while ground
        .bus
        .publish(once(&format!("argosy.answer.t{turn}")))
        .await
        .is_ok()
    {
        turn += 1;
    }
    let again = ground.bus.publish(once("argosy.answer.t0")).await;
    assert_eq!(again, Err(PublishError::Exists));
    let other = ground.bus.publish(once("argosy.answer.other")).await;
    assert_eq!(other, Err(PublishError::Full));
}

pub(crate) async fn the_oldest_are_dropped(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.dead_bytes = ByteSize::from_bytes(64 * 1024))
        .await;
    let body = "x".repeat(4096);
    for n in 0..40 {
        ground
            .put(&format!("argosy.dead.mapper.t{n}.1"), &body)
            .await;
    }
    let state = ground.bus.state(Stream::Dead).await.unwrap();
    assert_eq!(state.last, 40);
    assert_eq!(state.first, 40 - state.messages + 1);
    assert!((14..=16).contains(&state.messages), "{state:?}");
    assert!(state.bytes <= state.max_bytes, "{state:?}");
    let first = ground.bus.last(Stream::Dead, "argosy.dead.mapper.t0.1");
    assert_eq!(first.await, Ok(None));
    let newest = ground
        .bus
        .last(Stream::Dead, "argosy.dead.>")
        .await
        .unwrap();
    assert_eq!(newest.unwrap().subject, "argosy.dead.mapper.t39.1");
}

pub(crate) async fn the_newest_version_of_a_subject_stays(place: TestPlace) {
    let ground = place.ground().await;
    ground.put("argosy.chunk.main.b.d.0", "old").await;
    ground.put("argosy.chunk.main.b.d.1", "other").await;
    ground.put("argosy.chunk.main.b.d.0", "new").await;
    let state = ground.bus.state(Stream::Chunks).await.unwrap();
    assert_eq!((state.messages, state.first, state.last), (2, 2, 3));
    let last = ground
        .bus
        .last(Stream::Chunks, "argosy.chunk.main.b.d.0")
        .await;
    assert_eq!(text(&last.unwrap().unwrap()), "new");
}

pub(crate) async fn a_subject_without_a_stream_is_not_confirmed(place: TestPlace) {
    let ground = place.ground().await;
    let stored = ground.bus.publish(message("argosy.nowhere", "x")).await;
    assert!(
        matches!(
            stored,
            Err(PublishError::Refused(_) | PublishError::Unconfirmed(_))
        ),
        "{stored:?}"
    );
}

pub(crate) async fn headers_round_trip(place: TestPlace) {
    let ground = place.ground().await;
    let headers = Headers::default()
        .with("Argosy-Turn", "t1")
        .with(
            "traceparent",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        )
        .with("Argosy-Dead-Error", "it broke: a, b; c = \"d\"");
    let sent = Publish {
        headers: headers.clone(),
        ..message("argosy.query", "")
    };
    ground.bus.publish(sent).await.unwrap();
    let stored = ground.bus.last(Stream::Inbox, "argosy.query").await;
    let mut puller = ground.puller(&ground.topology.inbox()).await;
    let pulled = super::place::next(&mut puller, 1).await;
    for got in [stored.unwrap().unwrap(), pulled.message] {
        for (name, value) in &headers.0 {
            assert_eq!(got.headers.get(name), Some(value.as_str()), "{name}");
        }
        assert!(got.body.is_empty());
    }
}

pub(crate) async fn ttl_expires_and_the_condition_holds_again(place: TestPlace) {
    let ground = place.ground().await;
    let short = || Publish {
        condition: WriteCondition::AbsentAcross("argosy.step.0.*.t1.0".into()),
        ttl: Some(Duration::from_millis(900)),
        ..message("argosy.step.0.planner.t1.0", "x")
    };
    ground.put("argosy.step.0.planner.t2.0", "stays").await;
    let start = Instant::now();
    ground.bus.publish(short()).await.unwrap();
    assert_eq!(ground.bus.publish(short()).await, Err(PublishError::Exists));
    // The server looks for what has expired about once a second; how often is asked is not the
    // point, when it first succeeds is.
    let reopened = async {
        while ground.bus.publish(short()).await.is_err() {
            sleep(Duration::from_millis(20)).await;
        }
        start.elapsed()
    };
    let after = within(reopened).await;
    let seconds = Duration::from_secs(1)..Duration::from_secs(4);
    assert!(seconds.contains(&after), "expired after {after:?}");
    let kept = ground.bus.count(Stream::Steps(0), "argosy.step.0.*.t2.0");
    assert_eq!(kept.await, Ok(1));
}

pub(crate) async fn a_writer_finds_out_about_another(place: TestPlace) {
    let ground = place.ground().await;
    let all = "argosy.chunk.main.b.d.*";
    let after = |last: u64| WriteCondition::LastIs(all.into(), last);
    ground.put("argosy.chunk.main.b.other.0", "x").await;
    let first = ground.put_behind(after(0), "argosy.chunk.main.b.d.2").await;
    let first = first.unwrap();
    let second = ground
        .put_behind(after(first), "argosy.chunk.main.b.d.1")
        .await;
    let second = second.unwrap();
    // A writer that saw only the first message, and a writer that saw none.
    for last in [first, 0] {
        let other = ground
            .put_behind(after(last), "argosy.chunk.main.b.d.2")
            .await;
        assert_eq!(other, Err(PublishError::Exists));
    }
    // The newest version of a subject replaces the one before, and is the newest of all.
    let third = ground
        .put_behind(after(second), "argosy.chunk.main.b.d.2")
        .await;
    let third = third.unwrap();
    ground
        .put("argosy.chunk.main.b.d.1", "without a condition")
        .await;
    let late = ground
        .put_behind(after(third), "argosy.chunk.main.b.d.0")
        .await;
    assert_eq!(late, Err(PublishError::Exists));
}
