//! Each sentence of an answer held against the text of passages, by rules.
//!
//! *Not* a model, nor a judgement whether the answer is what was asked for. Words, values, names, and the words that turn
//! a sentence round are compared; what that cannot see is told in docs/trust.md. Pure.
//!
//! | module | what |
//! |---|---|
//! | [`check`](mod@check) | an answer to a verdict for each sentence |
//! | `thresholds` | what a verdict takes, and the weights of a score |
//! | `claims` | which sentences claim something |
//! | `reading` | texts as sentences, tokens and values; `vocabulary` numbers their words |
//! | `values`, `units`, `dates` | numbers and days as values |
//! | `coverage` | how much of a sentence stands in a window of a passage |
//! | `slots` | values and names: whether they stand where the sentence has them |
//! | `verbatim` | whether a sentence is taken over as it stands |
//! | `polarity` | what turns a sentence round |
//! | `features` | what all of it comes to |
//! | `lexicon` | the words of it, as data |

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
