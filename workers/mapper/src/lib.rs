//! The mapper worker: it turns one passage into facts, with one model call.
//!
//! The worker judges one passage by itself and knows nothing of the others. It tries several readings of the model's
//! reply, the last of which always gives findings, and keeps no fact that the passage does not have. *Not* here:
//! whether the findings suffice, which the reducer's gate decides.

mod findings;
mod grade;
mod occurrence;
mod opening;
mod options;
mod stage;

pub use options::Options;
pub use stage::Mapper;
