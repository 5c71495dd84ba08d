//! The validator worker: it comes to a verdict on a draft by rules, and also by another model where one is configured
//! to judge.
//!
//! The worker compares each sentence with the passages that are cited, looks up figures and settles citations. *Not*
//! here: asking a small model whether its own answer is good, because it confirms what it just said.

mod citations;
mod earlier;
mod evidence;
mod figures;
mod judge;
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
