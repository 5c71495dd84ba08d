//! Runs the conformance suite on the memory bus, with a paused clock.

// The suite knows the crate by the name that its dependents use.
extern crate argosy_bus as bus;

#[macro_use]
mod suite;

use bus::memory::MemoryBus;
use bus::topology::Topology;
use futures_util::future::BoxFuture;
use suite::Ground;

fn memory(topology: Topology) -> BoxFuture<'static, Ground> {
    Box::pin(async move { Ground::new(MemoryBus::new(&topology), topology, ()) })
}

conformance!(
    #[tokio::test(start_paused = true)]
    crate::memory
);
