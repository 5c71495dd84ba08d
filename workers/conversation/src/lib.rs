//! The conversation worker: as the first step of a turn in a conversation, it recalls the exchanges before the
//! question.
//!
//! The worker reads the exchanges that the turn names from the log of its conversation, and makes a bounded history
//! of them for the planner. *Not* here: when a turn begins and how it ends, which the gateway writes into that log,
//! and what a question means after those exchanges, which the planner decides.

mod recall;
mod stage;
mod store_first;

pub use stage::{Conversation, Error};
pub use store_first::StoreFirst;
