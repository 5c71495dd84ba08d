//! The mapper worker: one passage to facts, with one model call.
//!
//! It judges one passage by itself and knows nothing of the others. What a model writes is read
//! down a ladder that always ends in findings, and no fact is taken that the passage does not have. *Not* here: whether the findings suffice, which is
//! the reducer's gate.

mod findings;
mod grade;
mod occurrence;
mod opening;
mod options;
mod stage;

pub use options::Options;
pub use stage::Mapper;
