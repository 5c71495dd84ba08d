//! Bytes that are too large for a message.

use crate::place::{Place, within};
use argosy_harness::bus::BusError;
use bytes::Bytes;

const MAX: u64 = 4 * 1024 * 1024;

fn bytes(seed: u8, len: usize) -> Bytes {
    (0..len).map(|i| (i % 251) as u8 ^ seed).collect()
}

pub(crate) async fn a_file_is_kept_until_it_is_deleted(place: Place) {
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
    within(ground.bus.delete_file("a")).await.unwrap();
    assert_eq!(within(ground.bus.get_file("a", MAX)).await, Ok(None));
    within(ground.bus.delete_file("a")).await.unwrap();
    within(ground.bus.delete_file("never there")).await.unwrap();
}

pub(crate) async fn a_file_is_replaced(place: Place) {
    let ground = place.ground().await;
    for seed in [1, 2] {
        let put = ground.bus.put_file("a", bytes(seed, 300_000));
        within(put).await.unwrap();
    }
    let got = within(ground.bus.get_file("a", MAX)).await;
    assert_eq!(got, Ok(Some(bytes(2, 300_000))));
}

pub(crate) async fn files_have_bounds(place: Place) {
    let ground = place.ground_with(|t| t.room.files = 1024 * 1024).await;
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
