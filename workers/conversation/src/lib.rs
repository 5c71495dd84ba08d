//! The conversation worker: as the first step of a turn, it recalls what was said before the question.
//!
//! The worker reads the exchanges that the turn names from the log of its conversation, and makes a bounded view of
//! them for the planner. *Not* here: when a turn may begin and how it ends, which the gateway writes into that log,
//! and what a question means in the light of what was said, which is the planner's.

mod recall;
mod stage;
mod store_first;

pub use stage::{Conversation, Error};
pub use store_first::StoreFirst;
