//! The retriever worker: a plan to passages, without a model.
//!
//! It narrows the search by both filters, relaxes only what the planner guessed, says so, and fits
//! what it found into one message; a question about documents gets a table of their columns. *Not* the search itself: that is behind `search`.

mod derived;
mod known;
mod narrowing;
mod options;
mod passages;
mod stage;
mod table_rows;
mod tables;
mod worded;

pub use derived::DerivedFilter;
pub use options::Options;
pub use stage::{Error, Retriever};
pub use table_rows::tabulated;
