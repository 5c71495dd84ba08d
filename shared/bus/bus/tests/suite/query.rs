//! Conformance cases about queries: what a stream reports about its contents.

use super::place::{TestPlace, text, within};
use bus::{BusError, StoredMessage, Stream};
use std::time::Duration;

const STEPS: Stream = Stream::Steps(0);

pub(crate) async fn last_takes_wildcards(place: TestPlace) {
    let ground = place.ground().await;
    ground.put("argosy.step.0.planner.t1.0", "a").await;
    ground.put("argosy.step.0.retriever.t1.1", "b").await;
    ground.put("argosy.step.0.planner.t1.1", "c").await;
    ground.put("argosy.step.0.planner.t2.1", "d").await;
    for (subject, want) in [
        ("argosy.step.0.planner.t1.0", Some("a")),
        ("argosy.step.0.*.t1.1", Some("c")),
        ("argosy.step.0.*.*.1", Some("d")),
        ("argosy.step.>", Some("d")),
        ("argosy.step.0.*.t1.2", None),
        ("argosy.step.0.planner.t1", None),
    ] {
        let last = ground.bus.last(STEPS, subject).await.unwrap();
        assert_eq!(last.as_ref().map(text), want, "{subject}");
    }
    let missing = ground.bus.last(Stream::Steps(9), "argosy.step.>").await;
    assert!(matches!(missing, Err(BusError::Missing(_))), "{missing:?}");
}

pub(crate) async fn parts_are_counted(place: TestPlace) {
    let ground = place.ground().await;
    let parts = "argosy.part.0.t1.2.*";
    assert_eq!(ground.bus.count(STEPS, parts).await, Ok(0));
    for index in 0..12 {
        ground
            .put(&format!("argosy.part.0.t1.2.{index}"), "x")
            .await;
        // A request after its own part was confirmed sees at least that part.
        assert_eq!(ground.bus.count(STEPS, parts).await, Ok(index + 1));
    }
    for other in ["t1.3.0", "t2.2.0", "t1.2.0"] {
        ground.put(&format!("argosy.part.0.{other}"), "x").await;
    }
    assert_eq!(ground.bus.count(STEPS, parts).await, Ok(12));
}

pub(crate) async fn the_last_of_each_subject(place: TestPlace) {
    let ground = place.ground().await;
    for index in [0, 1, 2, 1] {
        let count = ground.bus.count(STEPS, "argosy.part.>").await.unwrap();
        let body = format!("{index} after {count}");
        ground
            .put(&format!("argosy.part.0.t1.2.{index}"), &body)
            .await;
    }
    ground.put("argosy.step.0.scatter.t1.1", "record").await;
    ground.put("argosy.part.0.t2.2.0", "stranger").await;
    let filters = [
        "argosy.part.0.t1.2.*".to_owned(),
        "argosy.step.0.scatter.t1.1".to_owned(),
    ];
    let mut found = ground.bus.last_of_each(STEPS, &filters).await.unwrap();
    found.sort_by_key(|m| m.sequence);
    let bodies: Vec<_> = found.iter().map(text).collect();
    assert_eq!(bodies, ["0 after 0", "2 after 2", "1 after 3", "record"]);
    assert_eq!(found[1].subject, "argosy.part.0.t1.2.2");
    assert_eq!(found[1].sequence, 3);
    for none in ["argosy.part.0.t9.2.*", "argosy.part.0.t9.2.0"] {
        let none = [none.to_owned()];
        assert_eq!(ground.bus.last_of_each(STEPS, &none).await, Ok(vec![]));
    }
    let one = ["argosy.part.0.t1.2.1".to_owned()];
    let found = ground.bus.last_of_each(STEPS, &one).await.unwrap();
    let bodies: Vec<_> = found.iter().map(text).collect();
    assert_eq!(bodies, ["1 after 3"]);
    assert_eq!((found[0].sequence, &found[0].subject), (4, &one[0]));
}

pub(crate) async fn read_what_is_stored_and_then_what_comes(place: TestPlace) {
    let ground = place.ground().await;
    for n in 1..=5 {
        ground
            .put(&format!("argosy.chunk.main.b.d.{n}"), &n.to_string())
            .await;
    }
    ground.put("argosy.chunk.main.other.d.1", "6").await;
    let mut reader = ground
        .bus
        .read(Stream::Chunks, "argosy.chunk.main.b.>", 3)
        .await
        .unwrap();
    let summary = |(message, after): (StoredMessage, u64)| {
        (message.sequence, text(&message).to_owned(), after)
    };
    let mut read = Vec::new();
    for _ in 0..3 {
        read.push(summary(within(reader.next()).await.unwrap()));
    }
    let want = [(3, "3".into(), 2), (4, "4".into(), 1), (5, "5".into(), 0)];
    assert_eq!(read, want);
    let waiting = tokio::time::timeout(Duration::from_millis(300), reader.next()).await;
    assert!(waiting.is_err(), "nothing more is stored");
    // New versions of what was read come as well; a dropped wait has lost nothing.
    ground.put("argosy.chunk.main.b.d.1", "7").await;
    assert_eq!(
        summary(within(reader.next()).await.unwrap()),
        (7, "7".into(), 0)
    );
    let read_and_put = tokio::join!(
        within(reader.next()),
        ground.put("argosy.chunk.main.b.d.9", "8")
    );
    assert_eq!(summary(read_and_put.0.unwrap()).1, "8");
    let mut late = ground
        .bus
        .read(Stream::Chunks, "argosy.chunk.>", 0)
        .await
        .unwrap();
    let (first, after) = within(late.next()).await.unwrap();
    assert_eq!(
        (first.sequence, after),
        (2, 6),
        "version 1 of chunk 1 is gone"
    );
}

pub(crate) async fn positions_and_room(place: TestPlace) {
    let ground = place.ground().await;
    let empty = ground.bus.state(Stream::Answers).await.unwrap();
    assert_eq!(
        (empty.messages, empty.bytes, empty.first, empty.last),
        (0, 0, 1, 0)
    );
    assert_eq!(empty.max_bytes, ground.topology.answers_bytes.bytes());
    let age = empty.created_ms.abs_diff(ground.bus.now().0);
    assert!(age < 60_000, "made {age} ms from now");
    let body = "x".repeat(1000);
    ground.put("argosy.answer.t1", &body).await;
    let one = ground.bus.state(Stream::Answers).await.unwrap();
    assert_eq!((one.messages, one.first, one.last), (1, 1, 1));
    assert!((1016..1200).contains(&one.bytes), "{one:?}");
    assert_eq!(one.created_ms, empty.created_ms);
    let missing = ground.bus.state(Stream::Steps(9)).await;
    assert!(matches!(missing, Err(BusError::Missing(_))), "{missing:?}");
    assert!(ground.bus.connected());
}

pub(crate) async fn what_matches_is_purged(place: TestPlace) {
    let ground = place.ground().await;
    for edition in ["main", "small", "main-2"] {
        for n in 0..3 {
            ground
                .put(&format!("argosy.chunk.{edition}.b.d.{n}"), "x")
                .await;
        }
    }
    ground.put("argosy.edition", "{}").await;
    let purge = || ground.bus.purge(Stream::Chunks, "argosy.chunk.main.>");
    assert_eq!(purge().await, Ok(3));
    assert_eq!(purge().await, Ok(0));
    let state = ground.bus.state(Stream::Chunks).await.unwrap();
    assert_eq!((state.messages, state.last), (7, 10));
    let gone = ground.bus.last(Stream::Chunks, "argosy.chunk.main.>").await;
    assert_eq!(gone, Ok(None));
    let left = ground.bus.last(Stream::Chunks, "argosy.chunk.small.b.d.2");
    assert_eq!(left.await.unwrap().unwrap().sequence, 6);
}

pub(crate) async fn the_first_from_a_sequence_on(place: TestPlace) {
    let ground = place.ground().await;
    ground.put("argosy.step.0.planner.t1.0", "a").await;
    ground.put("argosy.step.0.mapper.t1.2.0", "b").await;
    ground.put("argosy.step.0.planner.t2.0", "c").await;
    for (subject, from, want) in [
        ("argosy.step.0.planner.>", 0, Some("a")),
        ("argosy.step.0.planner.>", 1, Some("a")),
        ("argosy.step.0.planner.>", 2, Some("c")),
        ("argosy.step.0.mapper.>", 2, Some("b")),
        ("argosy.step.0.mapper.>", 3, None),
        ("argosy.step.0.reducer.>", 1, None),
        ("argosy.step.0.planner.>", 9, None),
    ] {
        let first = ground.bus.first(STEPS, subject, from).await.unwrap();
        assert_eq!(first.as_ref().map(text), want, "{subject} from {from}");
    }
    let missing = ground.bus.first(Stream::Steps(9), "argosy.step.>", 1).await;
    assert!(matches!(missing, Err(BusError::Missing(_))), "{missing:?}");
}
