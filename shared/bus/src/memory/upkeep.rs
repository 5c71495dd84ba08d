//! Looking into the streams of one process.

use super::MemoryBus;
use crate::{BusError, Stored, Stream, Upkeep};
use futures_util::{FutureExt, future::BoxFuture};

impl Upkeep for MemoryBus {
    fn message(
        &self,
        stream: Stream,
        sequence: u64,
    ) -> BoxFuture<'_, Result<Option<Stored>, BusError>> {
        async move { self.shared.with(stream, |log| log.get(sequence)) }.boxed()
    }

    fn delete(&self, stream: Stream, sequence: u64) -> BoxFuture<'_, Result<bool, BusError>> {
        async move { self.shared.with(stream, |log| log.delete(sequence)) }.boxed()
    }
}
