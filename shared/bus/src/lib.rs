//! The bus: what the system asks of JetStream, as a trait.
//!
//! Two implementations pass one suite of promises (`conformance`): [`memory`] in one process, and
//! `bus-nats` on a server. *Not* here: what is written to the streams (`streams`) and the loop that takes
//! deliveries (`harness`).
//!
//! | module | what |
//! |---|---|
//! | `contract` | the trait [`Bus`] and what it speaks of: messages, fences, deliveries, errors |
//! | `stream` | streams and consumers by name, and what is wanted of them |
//! | `snapshots` | one more trait, for those who keep a view |
//! | [`topology`] | which streams and consumers a fleet needs |
//! | [`sizes`] | how large each stream is made, from what a server offers |
//! | [`memory`] | the bus in one process |
//! | `conformance` | the suite, for tests (feature `conformance`) |

#[cfg(feature = "conformance")]
pub mod conformance;
mod contract;
pub mod memory;
pub mod sizes;
mod snapshots;
mod stream;
pub mod topology;

pub use contract::{
    Ack, Bus, BusError, CoreMessage, Delivery, Headers, Publish, PublishError, Puller, Reader,
    Schedule, StoredMessage, Subscription, WriteCondition,
};
pub use snapshots::{Pieces, Snapshot, Snapshots};
pub use stream::{ConsumerProgress, ConsumerSpec, Retention, Stream, StreamSpec, StreamState};
