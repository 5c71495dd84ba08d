//! Text, word by word: what several crates have to see in the same way.
//!
//! *Not* the analyser of an index, nor anything that knows of documents, models or messages. Pure.
//!
//! | module | what |
//! |---|---|
//! | [`one_line()`], [`count()`] | a text on one line; a number with its noun |
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
pub mod months;
pub mod numerals;
mod overlap;
pub mod question;
pub mod sentences;
pub mod stop;
mod unify;
pub mod words;

pub use coverage::coverage;
pub use overlap::overlap;
pub use unify::{unaccented, unify};

/// A number with its noun.
pub fn count(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// White space collapsed to single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
