//! The conversation worker: what was said before a question, as the first step of its turn.
//!
//! It reads the exchanges that the turn names out of the log of its conversation, and makes a bounded view of them for
//! the planner. *Not* here: when a turn may begin and how it ends, which the gateway writes into that log, and what a
//! question means in the light of what was said, which is the planner's.

mod recall;
mod stage;
mod store_first;

pub use stage::{Conversation, Error};
pub use store_first::StoreFirst;
