//! The mapper worker: it turns one passage into facts, with one model call.
//!
//! The worker judges one passage by itself and knows nothing of the others. It reads the model's reply down a ladder
//! that always ends in findings, and takes no fact that the passage does not have. *Not* here: whether the findings
//! suffice, which is the reducer's gate.

mod findings;
mod grade;
mod occurrence;
mod opening;
mod options;
mod stage;

pub use options::Options;
pub use stage::Mapper;
