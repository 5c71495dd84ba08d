//! The clarifier worker: it turns a doubt into a question back to the user, with one model call.
//!
//! The worker phrases the question back and suggests replies. It does *not* wait for a reply: the question back ends
//! its turn, and the reply begins a new one.

mod clarification;
mod options;
mod stage;

pub use options::Options;
pub use stage::Clarifier;
