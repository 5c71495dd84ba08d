//! Runs the conformance suite on the memory bus, with a paused clock.

use argosy_bus::conformance::Ground;
use argosy_bus::memory::MemoryBus;
use argosy_bus::topology::Topology;
use futures_util::future::BoxFuture;

fn memory(topology: Topology) -> BoxFuture<'static, Ground> {
    Box::pin(async move { Ground::new(MemoryBus::new(&topology), topology, ()) })
}

argosy_bus::conformance!(
    #[tokio::test(start_paused = true)]
    crate::memory
);
