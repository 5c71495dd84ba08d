//! The run loop: the only code that pulls, publishes, acks, retries, dead-letters and drains.
//!
//! A [`Worker`] runs one stage on a [`bus::Bus`]; the gateway runs its consumers on the same
//! [`run`](consumer_loop::run). *Not* here: the bus (`bus`, `bus-nats`), how messages are stored and read back
//! (`streams`), what a step decides (workers) and which step follows (`envelope::route`).
//!
//! | module | what |
//! |---|---|
//! | [`consumer_loop`] | the loop: pulls into free slots, extends acks, answers, drains |
//! | `deliver` | the life of one message |
//! | `act` | publishing what was decided |
//! | [`CountedHandler`], [`Tally`] | counting messages that no stage handles; totals of a role in this process |
//! | `trace`, `trouble` | the span of one delivery; recent failures of a role |
//! | [`join`] | fan-out and join |
//! | `live` | text that a stage shows while it works |
//! | `disposition` | failure class to retry, hold or give up |
//! | [`replay`] | a new turn from a recorded step of another |
//! | [`ingest`] | documents to chunks of the corpus, without ever mixing two versions |
//! | [`fault`] | named points for tests |

mod act;
mod cancel_registry;
pub mod consumer_loop;
mod counted;
mod dead;
mod deliver;
mod delivery_outcome;
mod disposition;
mod draft;
mod early_reduce;
pub mod fault;
pub mod ingest;
pub mod join;
mod live;
mod metrics;
pub mod replay;
mod step;
mod tally;
mod trace;
mod trouble;
mod worker;

pub use cancel_registry::CancelRegistry;
pub use counted::CountedHandler;
pub use ingest::IngestMetrics;
pub use metrics::Metrics;
pub use tally::Tally;
pub use worker::{Options, Worker, hear_cancels};
