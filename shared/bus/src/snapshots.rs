//! The trait of the snapshot store. A snapshot is a large file with the state of a view at one sequence of its
//! stream, which replicas leave for each other. It is read and written in pieces, so that it need not fit into
//! memory.
//!
//! The trait is separate from [`Bus`](super::Bus), because only processes that keep a view need it. A snapshot is
//! *not* authoritative: losing one costs a replay of the stream, so no operation here is repeated until it succeeds.

use super::BusError;
use bytes::Bytes;
use envelope::UnixMs;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;

/// The bytes of a snapshot in order. After an error the bytes so far are incomplete.
pub type Pieces = BoxStream<'static, std::io::Result<Bytes>>;

/// A snapshot that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// The sequence that it stands at.
    pub sequence: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was stored.
    pub stored_at: UnixMs,
}

/// Where snapshots are kept, for [`SNAPSHOTS_KEPT`](crate::topology::SNAPSHOTS_KEPT) at most.
pub trait Snapshots: Send + Sync + 'static {
    /// Those that are there whole, in no promised order.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Snapshot>, BusError>>;
    /// Keeps a snapshot under a name, in place of the one there. It is there once all of it is.
    /// One writer at a time: what another one left half-way is removed.
    fn put<'a>(
        &'a self,
        name: &'a str,
        sequence: u64,
        pieces: Pieces,
    ) -> BoxFuture<'a, Result<(), BusError>>;
    /// The bytes under a name, if they are there. When a snapshot is replaced meanwhile, reading ends in an error
    /// or in bytes that do not belong together: the reader has to verify a checksum.
    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Pieces>, BusError>>;
    /// Removes what is under a name; nothing there is as good.
    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), BusError>>;
}
