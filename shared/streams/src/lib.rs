//! What is stored in the streams, and how.
//!
//! Publishing until it is confirmed, reading a turn back, counting what waits, the record of editions,
//! feeding a view. *Not* here: which bus it is (`bus-nats`, `bus::memory`), what a step decides, and the
//! loop that takes deliveries (`harness`).
//!
//! | module | what |
//! |---|---|
//! | [`outbox`] | publish until confirmed, behind a fence |
//! | [`asked`] | what a question of the inbox says |
//! | [`conversation`] | the log of a conversation: read, appended to |
//! | [`follow`] | a store of conversations kept up with their stream |
//! | [`Metrics`] | what is measured of such a store |
//! | [`history`] | what is still stored of one turn |
//! | [`backlog`] | what waits for a role, as the server knows it |
//! | [`editions`] | the record of editions: read, watched, changed |
//! | [`feed`] | a view fed from a stream |

pub mod asked;
pub mod backlog;
pub mod conversation;
pub mod editions;
pub mod feed;
pub mod follow;
pub mod history;
mod metrics;
pub mod outbox;
mod sending;

pub use metrics::{Metrics, Recovery};
