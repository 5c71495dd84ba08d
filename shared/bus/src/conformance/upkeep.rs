//! Looking into streams, as people do.

use super::place::{Place, text, within};
use crate::Stream;

pub async fn a_message_is_read_and_deleted_by_its_sequence(place: Place) {
    let ground = place.ground().await;
    for n in 0..3 {
        ground.put("argosy.dead.mapper.t.3.1", &n.to_string()).await;
    }
    let read = |n| ground.upkeep.message(Stream::Dead, n);
    let second = within(read(2)).await.unwrap().unwrap();
    assert_eq!((text(&second), second.sequence), ("1", 2));
    assert_eq!(second.subject, "argosy.dead.mapper.t.3.1");
    let delete = |n| ground.upkeep.delete(Stream::Dead, n);
    assert_eq!(within(delete(2)).await, Ok(true));
    assert_eq!(within(delete(2)).await, Ok(false));
    assert_eq!(within(delete(99)).await, Ok(false));
    assert_eq!(within(read(2)).await, Ok(None));
    assert_eq!(within(read(99)).await, Ok(None));
    let state = within(ground.bus.state(Stream::Dead)).await.unwrap();
    assert_eq!((state.messages, state.last), (2, 3), "its neighbours stay");
}
