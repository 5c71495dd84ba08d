//! Text utilities on the level of words, for rules that several crates have to share.
//!
//! *Not* the analyser of an index, nor anything that knows of documents or models. The words for what a question wants
//! are those of `envelope`. Pure.
//!
//! | module | what |
//! |---|---|
//! | [`one_line()`], [`line_of()`], [`shortened()`], [`count()`] | a text on one line, cut; a number with its noun |
//! | [`Language`] | the language of a text, with its stop words and stems |
//! | [`compounds`] | where compound words may be cut |
//! | [`words`] | the words of a text, and those with content |
//! | [`alignment`] | where a text contains a statement |
//! | [`stop`] | words that say little, a list for each use |
//! | [`coverage()`], [`overlap()`] | how much of a question passages mention; how much of an answer its facts contain |
//! | [`sentences`] | where sentences end, a splitter for each use |
//! | [`token`] | a question as tokens |
//! | [`days`], [`amounts`] | spans of days and amounts as people write them |
//! | [`months`] | names of months |
//! | [`numerals`], [`currencies`] | numbers in words, words for money |
//! | [`fold`] | normalised names for comparison |
//! | [`question`] | what a question says about its answer, by rules |

/// The text of the language file, in which `words!` finds its lists.
const ENGLISH: &str = include_str!("../words/en.txt");

/// A list of words of the language file.
macro_rules! words {
    ($name:ident) => {
        const { $crate::list($crate::ENGLISH, stringify!($name)) }
    };
}

/// The same for German, the other language with words for days, numbers and amounts.
const GERMAN: &str = include_str!("../words/de.txt");

/// A list in both languages.
macro_rules! both {
    ($name:ident) => {
        const {
            let name = stringify!($name);
            [
                $crate::list($crate::ENGLISH, name),
                $crate::list($crate::GERMAN, name),
            ]
        }
    };
}

pub mod alignment;
pub mod amounts;
#[cfg(test)]
mod cases;
pub mod compounds;
mod coverage;
pub mod currencies;
pub mod days;
pub mod fold;
mod language;
mod line;
mod lists;
pub mod months;
pub mod numerals;
mod overlap;
pub mod question;
pub mod sentences;
pub mod stop;
#[cfg(test)]
mod tests;
pub mod token;
mod unify;
pub mod words;

pub use coverage::coverage;
pub use language::Language;
pub use line::{count, line_of, one_line, shortened};
pub use lists::{Phrases, is_of, list};
pub use overlap::overlap;
pub use unify::{unaccented, unify};
