//! The trait of the snapshot store. A snapshot is a large file that replicas leave for each other: the state of a
//! view at one sequence of its stream. It is read and written in pieces, so that it need not fit into memory.
//!
//! The trait is separate from [`Bus`](super::Bus), because only processes that keep a view need it. A snapshot is
//! *not* authoritative: losing one costs a replay of the stream, so no operation here is repeated until it succeeds.

use super::BusFuture;
use bytes::Bytes;
use envelope::UnixMs;
use futures_util::stream::BoxStream;

/// The bytes of a snapshot in order. After an error the bytes so far are incomplete.
pub type Pieces = BoxStream<'static, std::io::Result<Bytes>>;

/// A stored snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// The sequence up to which its view has taken in the stream.
    pub sequence: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was stored.
    pub stored_at: UnixMs,
}

/// The store of snapshots, which keeps each for [`SNAPSHOTS_KEPT`](crate::topology::SNAPSHOTS_KEPT) at most.
pub trait Snapshots: Send + Sync + 'static {
    /// The complete snapshots, in any order.
    fn list(&self) -> BusFuture<'_, Vec<Snapshot>>;
    /// Stores a snapshot under a name, and replaces an older one. The snapshot is listed once all of it is stored.
    /// There may be one writer at a time: what another writer has left half-way is removed.
    fn put<'a>(&'a self, name: &'a str, sequence: u64, pieces: Pieces) -> BusFuture<'a, ()>;
    /// The bytes under a name, if there are any. When the snapshot is replaced during the reading, the reading ends
    /// in an error or in bytes that do not belong together, so the reader has to verify a checksum.
    fn get<'a>(&'a self, name: &'a str) -> BusFuture<'a, Option<Pieces>>;
    /// Removes the snapshot under a name. It is no error if there is none.
    fn remove<'a>(&'a self, name: &'a str) -> BusFuture<'a, ()>;
}
