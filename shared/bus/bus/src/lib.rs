//! The bus: a trait with the operations that the system needs from JetStream.
//!
//! It has two implementations, which pass the same conformance suite (`tests/suite`): [`memory`] in one process, and
//! `bus-nats` on a server. *Not* here: what is written to the streams (`streams`) and the loop that takes deliveries
//! (`harness`).
//!
//! | module | what |
//! |---|---|
//! | `contract` | the trait [`Bus`] and its types: messages, write conditions, deliveries, errors |
//! | `stream` | streams and consumers by name, and their specifications |
//! | `snapshots` | the trait for processes that keep a view of a stream and store snapshots of it |
//! | [`topology`] | which streams and consumers a fleet needs |
//! | [`sizes`] | how large each stream is made, given what the server offers |
//! | [`memory`] | the bus in one process |

mod contract;
pub mod memory;
pub mod sizes;
mod snapshots;
mod stream;
pub mod topology;

pub use contract::{
    Ack, Bus, BusError, BusFuture, CoreMessage, Delivery, Headers, Publish, PublishError, Puller,
    Reader, Schedule, StoredMessage, Subscription, WriteCondition,
};
pub use snapshots::{Pieces, Snapshot, Snapshots};
pub use stream::{ConsumerProgress, ConsumerSpec, Retention, Stream, StreamSpec, StreamState};
