//! The clarifier worker: it turns a doubt into a question back to the user, with one model call.
//!
//! The worker words the question and suggests replies. *Not* here: waiting for the reply. A clarification ends its
//! turn, and the reply begins a new one.

mod clarification;
mod options;
mod stage;

pub use options::Options;
pub use stage::Clarifier;
