//! The retriever worker: a plan to passages, without a model.
//!
//! It narrows the search by both filters, relaxes only what the planner guessed, says so, and fits
//! what it found into one message. *Not* the search itself: that is behind `search`.

mod derived;
mod known;
mod narrowing;
mod options;
mod passages;
mod stage;

pub use derived::DerivedFilter;
pub use options::Options;
pub use stage::{Error, Retriever};
