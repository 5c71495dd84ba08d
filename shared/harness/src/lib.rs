//! The run loop: the only code that pulls, publishes, acks, retries, dead-letters and drains.
//!
//! A [`Worker`] runs one stage on a [`bus::Bus`]; the gateway runs its consumers on the same
//! [`pump`](pump::pump). *Not* here: what a step decides (workers) and which step follows
//! (`envelope::route`).
//!
//! | module | what |
//! |---|---|
//! | [`bus`] | what is asked of JetStream, as a trait |
//! | [`nats`], [`memory`] | the bus on a server, and in one process |
//! | [`topology`], [`sizes`] | which streams and consumers a fleet needs, and how large in little room |
//! | [`pump`] | the loop: pull the free slots, beat, answer, drain |
//! | `deliver` | the life of one message |
//! | `act` | publishing what was decided |
//! | [`Counted`], [`Tally`] | counting what is no stage; what a role has done in this process |
//! | `trace`, `trouble` | the span of one delivery; what fails lately |
//! | [`outbox`] | publish until confirmed, behind a fence |
//! | [`join`] | fan-out and join |
//! | `live` | what a stage shows while it works |
//! | [`disposition`] | failure class to retry, hold or give up |
//! | [`backlog`] | what waits for a role, as the server knows it |
//! | [`editions`] | the record of editions: read, watched, changed |
//! | [`history`] | what is still stored of one turn |
//! | [`again`] | a new turn from a recorded step of another |
//! | [`feed`] | a view fed from a stream |
//! | [`ingest`] | documents to chunks of the corpus, without ever mixing two versions |
//! | [`floor`] | bare JetStream, to measure against |
//! | [`fault`] | named points for tests |
//! | [`server`] | a local nats-server for development and tests |

mod act;
pub mod again;
pub mod backlog;
pub mod bus;
mod counted;
mod dead;
mod deliver;
pub mod disposition;
mod early;
pub mod editions;
mod ended;
pub mod fault;
pub mod feed;
pub mod floor;
pub mod history;
pub mod ingest;
pub mod join;
mod live;
pub mod memory;
mod metrics;
pub mod nats;
pub mod outbox;
pub mod pump;
pub mod server;
pub mod sizes;
mod step;
mod tally;
pub mod topology;
mod trace;
mod trouble;
mod verdict;
mod worker;

pub use counted::Counted;
pub use ended::Ended;
pub use metrics::{IngestMetrics, Metrics};
pub use tally::Tally;
pub use worker::{Options, Worker, hear_cancels};
