//! Text, word by word: what several crates have to see in the same way.
//!
//! *Not* the analyser of an index, nor anything that knows of documents, models or messages. Pure.
//!
//! | module | what |
//! |---|---|
//! | [`one_line()`], [`line_of()`], [`shortened()`], [`count()`] | a text on one line, cut; a number with its noun |
//! | [`words`] | a text as content words |
//! | [`alignment`] | where a statement stands in a text |
//! | [`stop`] | words that say little, a list for each use |
//! | [`coverage()`], [`overlap()`] | how much of a question passages speak of, and of an answer facts |
//! | [`sentences`] | where sentences end, a splitter for each use |
//! | [`months`] | names of months |
//! | [`numerals`], [`currencies`] | numbers in words, words for money |
//! | [`fold`] | names as they are compared |
//! | [`question`] | what a question says about its answer and about documents, by rules |

pub mod alignment;
mod coverage;
pub mod currencies;
pub mod fold;
mod line;
pub mod months;
pub mod numerals;
mod overlap;
pub mod question;
pub mod sentences;
pub mod stop;
mod unify;
pub mod words;

pub use coverage::coverage;
pub use line::{count, line_of, one_line, shortened};
pub use overlap::overlap;
pub use unify::{unaccented, unify};
