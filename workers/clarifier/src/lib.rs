//! The clarifier worker: a doubt to a question back to the user, with one model call.
//!
//! It words the question and suggests replies. *Not* here: waiting for the reply. A clarification
//! ends its turn, and the reply is a new one.

mod clarification;
mod options;
mod stage;

pub use options::Options;
pub use stage::Clarifier;
