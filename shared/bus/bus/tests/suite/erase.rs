//! Conformance cases about reading and erasing single messages by their sequence.

use super::place::{TestPlace, text, within};
use bus::Stream;

pub(crate) async fn a_message_is_read_and_erased_by_its_sequence(place: TestPlace) {
    let ground = place.ground().await;
    for n in 0..3 {
        ground.put("argosy.dead.mapper.t.3.1", &n.to_string()).await;
    }
    let read = |n| ground.bus.message(Stream::Dead, n);
    let second = within(read(2)).await.unwrap().unwrap();
    assert_eq!((text(&second), second.sequence), ("1", 2));
    assert_eq!(second.subject, "argosy.dead.mapper.t.3.1");
    let anywhere = |n| ground.bus.message_anywhere(Stream::Dead, n);
    assert_eq!(within(anywhere(2)).await, Ok(Some(second)));
    assert_eq!(within(anywhere(99)).await, Ok(None));
    let erase = |n| ground.bus.erase(Stream::Dead, n);
    assert_eq!(within(erase(2)).await, Ok(true));
    assert_eq!(within(erase(2)).await, Ok(false));
    assert_eq!(within(erase(99)).await, Ok(false));
    assert_eq!(within(read(2)).await, Ok(None));
    assert_eq!(within(read(99)).await, Ok(None));
    assert_eq!(within(anywhere(2)).await, Ok(None));
    let state = within(ground.bus.state(Stream::Dead)).await.unwrap();
    assert_eq!((state.messages, state.last), (2, 3), "its neighbours stay");
}
