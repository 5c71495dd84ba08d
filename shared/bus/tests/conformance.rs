//! The bus in one process keeps every promise; its clock is paused.

use bus::conformance::Ground;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use futures_util::future::BoxFuture;

fn memory(topology: Topology) -> BoxFuture<'static, Ground> {
    Box::pin(async move { Ground::new(MemoryBus::new(&topology), topology, ()) })
}

bus::conformance!(
    #[tokio::test(start_paused = true)]
    crate::memory
);
