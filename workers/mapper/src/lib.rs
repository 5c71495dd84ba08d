//! The mapper worker: one passage to facts, with one model call.
//!
//! It judges one passage by itself and knows nothing of the others. What a model writes is read
//! down a ladder that always ends in findings. *Not* here: whether the findings suffice, which is
//! the reducer's gate.

mod findings;
mod options;
mod stage;

pub use options::Options;
pub use stage::{Error, Mapper};
