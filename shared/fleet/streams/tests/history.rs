//! Tests that a turn is read back from a real server and from the memory bus.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on may panic, in its helpers too"
)]

use argosy_streams::history;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, Publish};
use bus_nats::NatsBus;
use bytes::Bytes;
use envelope::TurnId;

#[tokio::test]
async fn a_turn_is_read_back_from_memory() {
    a_turn_is_read_back(&*MemoryBus::new(&Topology::default())).await;
}

#[tokio::test]
async fn a_turn_is_read_back_from_a_server() {
    let server = testkit::nats::server().await;
    let options = bus_nats::Options {
        url: server.url(),
        ..bus_nats::Options::default()
    };
    let bus = NatsBus::connect(options).await.unwrap();
    bus_nats::setup(&bus, &Topology::default()).await.unwrap();
    a_turn_is_read_back(&*bus).await;
}

async fn a_turn_is_read_back(bus: &dyn Bus) {
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
        let message = Publish::new(subject, Bytes::from_static(b"x"));
        bus.publish(message).await.unwrap();
    }
    let turn = TurnId::new("t").unwrap();
    let read = history::read(bus, &turn).await.unwrap();
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
    let there = history::turn_states(bus, &ids).await.unwrap();
    assert_eq!((there.len(), &there[0].turn), (1, &turn));
    let none = TurnId::new("nobody").unwrap();
    let nothing = history::read(bus, &none).await.unwrap();
    assert!(nothing.is_empty());
}
