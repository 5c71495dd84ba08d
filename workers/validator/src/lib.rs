//! The validator worker: it gives a verdict on a draft, by rules and, if a judging model is configured, also by that
//! model.
//!
//! The worker compares each sentence with the cited passages, looks up figures and renumbers citations. *Not* here:
//! asking a small model whether its own answer is good, because it confirms what it just said.

mod citations;
mod confidence;
mod earlier;
mod evidence;
mod judge;
mod number_check;
mod options;
mod policy;
mod sentences;
mod stage;
mod table;
#[cfg(test)]
mod testing;
mod verdict;

pub use evidence::Evidence;
pub use judge::JudgeModels;
pub use options::Options;
pub use policy::{ContradictedPolicy, UnsupportedPolicy};
pub use stage::Validator;
