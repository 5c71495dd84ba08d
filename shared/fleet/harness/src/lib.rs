//! The run loop of the workers. Only this crate pulls, acks, retries, dead-letters and drains, and publishes the
//! results of steps.
//!
//! A [`Worker`] runs one stage on a [`bus::Bus`]; the gateway runs its consumers on the same
//! [`run`](consumer_loop::run). *Not* here: the bus (`bus`, `bus-nats`), how messages are stored and read back
//! (`streams`), what a step decides (workers) and which step follows (`envelope::route`).
//!
//! | module | what |
//! |---|---|
//! | [`Options`] | the section `run` of the configuration |
//! | [`consumer_loop`] | the loop: pulls into free slots, reports messages as in progress, acks, drains |
//! | `deliver` | handles one message, from delivery to ack |
//! | `act` | publishes what follows from the result of a step |
//! | `batch` | maps all passages of a scatter record that is a map step itself |
//! | [`CountedHandler`], [`Tally`] | counts messages that no stage handles; totals of a role in this process |
//! | `trace`, `trouble` | the span of one delivery; recent failures of a role |
//! | [`join`] | fan-out and join |
//! | `live` | forwards text that a stage writes while it works |
//! | `disposition` | decides by the class of a failure: retry, hold or give up |
//! | [`erasure`] | erases a conversation: ends its log, and erases its text from every stream |
//! | [`replay`] | begins a new turn at a recorded step of another turn |
//! | [`letter_at`] | makes a dead letter of a message |
//! | [`ingest`] | turns documents into chunks of the corpus, without ever mixing two versions |
//! | [`fault`] | named points for tests |

mod act;
mod batch;
mod cancel_registry;
pub mod consumer_loop;
mod counted;
mod dead;
mod deliver;
mod delivery_outcome;
mod disposition;
mod draft;
mod early_reduce;
pub mod erasure;
pub mod fault;
pub mod ingest;
pub mod join;
mod live;
mod metrics;
mod options;
pub mod replay;
mod step;
mod tally;
mod trace;
mod trouble;
mod worker;

pub use cancel_registry::CancelRegistry;
pub use counted::CountedHandler;
pub use dead::{Death, letter_at};
pub use ingest::IngestMetrics;
pub use metrics::Metrics;
pub use options::Options;
pub use tally::Tally;
pub use worker::{Worker, hear_cancels};
