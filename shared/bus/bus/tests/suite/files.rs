//! Conformance cases about files, which hold bytes that are too large for a message.

use super::place::{Ground, TestPlace, within};
use bus::{BusError, Pieces};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use settings::ByteSize;
use std::io;

const MAX: u64 = 4 * 1024 * 1024;

fn bytes(seed: u8, len: usize) -> Bytes {
    (0..len).map(|i| (i % 251) as u8 ^ seed).collect()
}

pub(crate) async fn a_file_is_kept_until_it_is_deleted(place: TestPlace) {
    let ground = place.ground().await;
    let large = bytes(1, 2 * 1024 * 1024 + 17);
    assert_eq!(within(ground.bus.get_file("a", MAX)).await, Ok(None));
    within(ground.bus.put_file("a", large.clone()))
        .await
        .unwrap();
    within(ground.bus.put_file("b.c_d-e", Bytes::new()))
        .await
        .unwrap();
    assert_eq!(within(ground.bus.get_file("a", MAX)).await, Ok(Some(large)));
    let empty = within(ground.bus.get_file("b.c_d-e", MAX)).await;
    assert_eq!(empty, Ok(Some(Bytes::new())));
    let taken = within(ground.bus.files_taken()).await.unwrap();
    within(ground.bus.delete_file("a")).await.unwrap();
    let left = within(ground.bus.files_taken()).await.unwrap();
    assert!(0.0 <= left && left < taken && taken < 1.0, "{left} {taken}");
    assert_eq!(within(ground.bus.get_file("a", MAX)).await, Ok(None));
    within(ground.bus.delete_file("a")).await.unwrap();
    within(ground.bus.delete_file("never there")).await.unwrap();
}

pub(crate) async fn a_file_is_replaced(place: TestPlace) {
    let ground = place.ground().await;
    for seed in [1, 2] {
        let put = ground.bus.put_file("a", bytes(seed, 300_000));
        within(put).await.unwrap();
    }
    let got = within(ground.bus.get_file("a", MAX)).await;
    assert_eq!(got, Ok(Some(bytes(2, 300_000))));
}

pub(crate) async fn files_have_bounds(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.files_bytes = ByteSize::from_mib(1))
        .await;
    within(ground.bus.put_file("a", bytes(1, 600_000)))
        .await
        .unwrap();
    let over = within(ground.bus.get_file("a", 599_999)).await;
    assert!(matches!(over, Err(BusError::Refused(_))), "{over:?}");
    let full = within(ground.bus.put_file("b", bytes(2, 600_000))).await;
    assert!(matches!(full, Err(BusError::Refused(_))), "{full:?}");
    let first = within(ground.bus.get_file("a", MAX)).await;
    assert_eq!(first, Ok(Some(bytes(1, 600_000))));
}

fn cut(all: &Bytes, piece: usize) -> Pieces {
    let pieces: Vec<_> = all.chunks(piece).map(Bytes::copy_from_slice).collect();
    stream::iter(pieces).map(Ok).boxed()
}

async fn joined(pieces: Option<Pieces>) -> Option<Bytes> {
    let pieces: Vec<Bytes> = within(pieces?.try_collect()).await.unwrap();
    Some(pieces.concat().into())
}

async fn names(ground: &Ground) -> Vec<(String, u64, u64)> {
    let mut all: Vec<_> = within(ground.snapshots.list())
        .await
        .unwrap()
        .into_iter()
        .map(|s| (s.name, s.sequence, s.bytes))
        .collect();
    all.sort();
    all
}

pub(crate) async fn a_snapshot_is_kept_with_its_sequence(place: TestPlace) {
    let ground = place.ground().await;
    let (one, two) = (bytes(1, 3 * 1024 * 1024 + 17), bytes(2, 9));
    assert_eq!(names(&ground).await, []);
    assert!(within(ground.snapshots.get("a")).await.unwrap().is_none());
    for (name, sequence, all) in [("a", 7, &one), ("b", 9, &two), ("none", 0, &Bytes::new())] {
        let put = ground.snapshots.put(name, sequence, cut(all, 128 * 1024));
        within(put).await.unwrap();
        let got = within(ground.snapshots.get(name)).await.unwrap();
        assert_eq!(joined(got).await.as_ref(), Some(all));
    }
    let wanted = [
        ("a".to_owned(), 7, one.len() as u64),
        ("b".to_owned(), 9, 9),
        ("none".to_owned(), 0, 0),
    ];
    assert_eq!(names(&ground).await, wanted);
    let put = ground.snapshots.put("a", 8, cut(&two, 4));
    within(put).await.unwrap();
    assert_eq!(names(&ground).await[0], ("a".to_owned(), 8, 9));
    for name in ["a", "none", "never there"] {
        within(ground.snapshots.remove(name)).await.unwrap();
    }
    assert_eq!(names(&ground).await, wanted[1..2]);
    assert!(within(ground.snapshots.get("a")).await.unwrap().is_none());
}

pub(crate) async fn half_a_snapshot_is_none_and_takes_no_room(place: TestPlace) {
    let ground = place
        .ground_with(|t| t.snapshots_bytes = ByteSize::from_mib(2))
        .await;
    for _ in 0..3 {
        let broken = cut(&bytes(1, 1_200_000), 100_000)
            .chain(stream::iter([Err(io::Error::other("the writer died"))]))
            .boxed();
        let put = within(ground.snapshots.put("a", 7, broken)).await;
        assert!(put.is_err());
        assert_eq!(names(&ground).await, []);
    }
    let whole = bytes(2, 1_200_000);
    let put = ground.snapshots.put("a", 8, cut(&whole, 100_000));
    within(put).await.unwrap();
    let full = ground.snapshots.put("b", 9, cut(&whole, 100_000));
    let full = within(full).await;
    assert!(matches!(full, Err(BusError::Refused(_))), "{full:?}");
    let got = within(ground.snapshots.get("a")).await.unwrap();
    assert_eq!(joined(got).await, Some(whole));
}
