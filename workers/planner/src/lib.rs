//! The planner worker: a question to a search plan, with one model call.
//!
//! It says what to search for, and after a round that found too little, what to search for instead. A question that
//! leans on what was said before is made to stand alone, by the same call.
//! *Not* here: whether another round is worth it, which is the reducer's gate and the graph.

mod fingerprint;
mod follow_up;
mod options;
mod plan;
mod routes;
mod stage;
mod sub_queries;

pub use options::Options;
pub use stage::{Error, Planner};
