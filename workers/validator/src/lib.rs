//! The validator worker: a draft to a verdict, by rules, and where one is told to judge by another model, too.
//!
//! It holds each sentence against the passages that are cited, looks up figures and settles citations. *Not* here: asking a small model whether its
//! own answer is good; it confirms what it just said.

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
