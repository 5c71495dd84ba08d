//! Looking into streams, as people do.

use crate::place::{Place, text, within};
use argosy_harness::bus::Stream;
use argosy_harness::history;
use envelope::TurnId;

pub(crate) async fn a_message_is_read_and_deleted_by_its_sequence(place: Place) {
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

pub(crate) async fn a_turn_is_read_back(place: Place) {
    let ground = place.ground().await;
    for subject in [
        "argosy.step.0.planner.t.0",
        "argosy.step.0.planner.other.0",
        "argosy.step.0.scatter.t.2",
        "argosy.step.0.mapper.t.3.0",
        "argosy.part.0.t.3.0",
        "argosy.part.0.other.3.0",
        "argosy.answer.t",
        "argosy.dead.mapper.t.3.1",
        "argosy.dead.indexer.t.b.d",
    ] {
        ground.put(subject, "x").await;
    }
    let turn = TurnId::new("t").unwrap();
    let read = within(history::read(&*ground.bus, &turn)).await.unwrap();
    let subjects: Vec<_> = read.steps.iter().map(|m| m.subject.as_str()).collect();
    assert_eq!(
        subjects,
        [
            "argosy.step.0.planner.t.0",
            "argosy.step.0.scatter.t.2",
            "argosy.step.0.mapper.t.3.0",
            "argosy.part.0.t.3.0",
        ]
    );
    assert!(read.answer.is_some() && read.begun.is_none());
    let dead: Vec<_> = read.dead.iter().map(|m| m.subject.as_str()).collect();
    assert_eq!(
        dead,
        ["argosy.dead.mapper.t.3.1"],
        "no document of an edition `t`"
    );
    let ids = ["t", "nobody"].map(|id| TurnId::new(id).unwrap());
    let there = within(history::standing(&*ground.bus, &ids)).await.unwrap();
    assert_eq!((there.len(), &there[0].turn), (1, &turn));
    let none = TurnId::new("nobody").unwrap();
    let nothing = within(history::read(&*ground.bus, &none)).await.unwrap();
    assert!(nothing.is_empty());
}
