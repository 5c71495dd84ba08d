//! The retriever worker: it finds the passages for a plan, without a model.
//!
//! The worker narrows the search by the publisher's filter and the planner's. It gives up only conditions that the
//! planner guessed, and says so. It fits the results into one message. A question about documents gets a table of
//! their columns. *Not* here: the search itself, which is behind the trait of the crate `search`.

mod acting;
mod assessment;
mod by_name;
mod derived;
mod exits;
mod grounds;
mod idle_words;
mod known;
mod linked_search;
mod looking;
mod narrowing;
mod options;
mod passages;
mod shares;
mod stage;
mod table_rows;
mod tables;
mod unclear;
mod unread;
mod worded;

pub use derived::{DerivedFilter, HeldDocument};
pub use grounds::Grounds;
pub use idle_words::idle_because;
pub use linked_search::{LinkedResult, search_derived, search_linked};
pub use options::Options;
pub use stage::{Error, Retriever};
pub use table_rows::tabulated;
pub use unread::UnreadSearcher;
