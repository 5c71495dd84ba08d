//! Writes the streams of a fleet and reads them.
//!
//! The crate publishes until a message is confirmed, reads a turn back, counts what waits, keeps the record of
//! editions, and feeds views. *Not* here: which bus it is (`bus-nats`, `bus::memory`), what a step decides, and the
//! loop that takes deliveries (`harness`).
//!
//! | module | what |
//! |---|---|
//! | [`client`] | asking a fleet: questions, answers, cancelling, looking into the corpus |
//! | [`outbox`] | publishing until confirmed, under a write condition |
//! | [`asked`] | parsing a question of the inbox |
//! | [`conversation`] | the log of a conversation: reading and appending |
//! | [`follow`] | keeping a store of conversations up to date with their stream |
//! | [`Metrics`] | metrics of such a store |
//! | [`feedback`] | feedback on answers: stored and listed |
//! | [`history`] | everything that is still stored of one turn |
//! | [`backlog`] | the backlog of a role, as the server reports it |
//! | [`access`] | the rules of who may read what: read, watched, changed |
//! | [`editions`] | the record of editions: read, watched, changed |
//! | [`feed`] | feeding a view from a stream |

pub mod access;
pub mod asked;
pub mod backlog;
pub mod client;
pub mod conversation;
pub mod editions;
pub mod feed;
pub mod feedback;
pub mod follow;
pub mod history;
mod metrics;
pub mod outbox;
mod sending;

pub use metrics::{Metrics, Recovery};
