//! The rules of groundedness. They compare each sentence of an answer with the text of passages.
//!
//! The rules compare words, values, names, and the words that reverse the meaning of a sentence; docs/trust.md says
//! what they cannot see. They use no model, and do *not* judge whether the answer is what was asked for. Pure.
//!
//! | module | what |
//! |---|---|
//! | [`check`](mod@check) | gives each sentence of an answer a verdict |
//! | `thresholds` | the thresholds of a verdict, and the weights of a score |
//! | `claims` | which sentences claim something |
//! | `reading` | reads texts as sentences, tokens and values; `vocabulary` numbers the stems of their words |
//! | `values`, `units`, `dates` | numbers and days as values |
//! | `coverage` | how much of a sentence a window of a passage contains |
//! | `slots` | whether the passages have the values and names of a sentence, for the same things |
//! | `verbatim` | whether a sentence is copied from a passage |
//! | `polarity` | words that reverse the meaning of a sentence |
//! | `features` | the features of a sentence, and their score |
//! | `lexicon` | the words of the rules, out of the language file |

/// The text of the language file, in which `words!` finds its lists.
const ENGLISH: &str = include_str!("../words/en.txt");

/// A list of words of the language file.
macro_rules! words {
    ($name:ident) => {
        const { text::list(crate::ENGLISH, stringify!($name)) }
    };
}

pub mod check;
mod claims;
mod coverage;
mod dates;
mod features;
mod lexicon;
mod names;
mod polarity;
mod reading;
mod slots;
mod thresholds;
mod units;
mod values;
mod verbatim;
mod vocabulary;

pub use check::{
    AnswerCheck, CONTRADICTED_MAX, Reason, ReasonKind, SentenceCheck, SentenceVerdict,
    UNSUPPORTED_MAX, check,
};
pub use features::{
    ANSWER_FEATURES, CONTRAST_FEATURES, FEATURES, SentenceFeatures, answer_figures, features,
};
pub use thresholds::Thresholds;
