//! What people who look after a fleet ask of JetStream, beside what running it takes.
//!
//! Apart from [`Bus`](super::Bus), because no worker has a use for it: a step is neither looked up by
//! its sequence nor deleted before its time.

use super::{Bus, BusError, Stored, Stream};
use futures_util::future::BoxFuture;

/// A bus that can be looked into.
pub trait Upkeep: Bus {
    /// The message with this sequence, if it is there.
    fn message(
        &self,
        stream: Stream,
        sequence: u64,
    ) -> BoxFuture<'_, Result<Option<Stored>, BusError>>;
    /// Deletes the message with this sequence; false when it was not there.
    fn delete(&self, stream: Stream, sequence: u64) -> BoxFuture<'_, Result<bool, BusError>>;
}
