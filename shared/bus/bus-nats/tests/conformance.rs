//! Runs the conformance suite on NATS. Each case has a nats-server of its own.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on may panic, in its helpers too"
)]

#[macro_use]
#[path = "../../bus/tests/suite/mod.rs"]
mod suite;

use argosy_bus_nats::{self as bus_nats, NatsBus};
use bus::topology::Topology;
use futures_util::future::BoxFuture;
use suite::Ground;

fn server(topology: Topology) -> BoxFuture<'static, Ground> {
    Box::pin(async move {
        let server = testkit::nats::server().await;
        let options = bus_nats::Options {
            url: server.url(),
            ..bus_nats::Options::default()
        };
        let bus = NatsBus::connect(options).await.unwrap();
        bus_nats::setup(&bus, &topology).await.unwrap();
        Ground::new(bus, topology, server)
    })
}

conformance!(
    #[tokio::test]
    crate::server
);
