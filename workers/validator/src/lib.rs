//! The validator worker: a draft to a verdict, without a model.
//!
//! It counts words, looks up figures and settles citations. *Not* here: asking a model whether its
//! own answer is good; a small one confirms what it just said.

mod citations;
mod figures;
mod options;
mod stage;
mod table;
mod verdict;

pub use options::Options;
pub use stage::{Error, Validator};
