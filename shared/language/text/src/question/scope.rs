//! Tells whether one search and one reading can be expected to answer a question. Pure; cheap checks come first.
//!
//! It errs on the safe side: only a question that surely asks one thing about one thing gets a single search. It does
//! *not* classify a second time: class, intent and form are those of [`read`](super::read).

use super::words::{self, QuestionWord};
use crate::token::TokenWords;
use envelope::{AnswerForm, QuestionClass, QuestionIntent};

/// What a question needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuestionScope {
    /// One search: it asks one thing about one thing.
    OneSearch,
    /// A comparison of things.
    Comparison,
    /// Several steps: it asks several things one after the other, or it is too long to tell.
    Steps,
    /// An order of events, or a change over time.
    Timeline,
    /// Documents to list, to count or to add up, or a table.
    Documents,
    /// A summary of documents.
    Summary,
    /// The conversation before it, to which it refers.
    FollowUp,
    /// Unknown: it has no form that the rules know, because it is in another language, or is words without a question.
    Unread,
}

impl QuestionScope {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            QuestionScope::OneSearch => "one_search",
            QuestionScope::Comparison => "comparison",
            QuestionScope::Steps => "steps",
            QuestionScope::Timeline => "timeline",
            QuestionScope::Documents => "documents",
            QuestionScope::Summary => "summary",
            QuestionScope::FollowUp => "follow_up",
            QuestionScope::Unread => "unread",
        }
    }
}

/// What `question` needs. A question that `follows` others may need the conversation before it.
pub fn scope(question: &str, follows: bool) -> QuestionScope {
    let words = words::split(question);
    if !is_read(&words) {
        return QuestionScope::Unread;
    }
    if follows && leans(question, &words) {
        return QuestionScope::FollowUp;
    }
    let reading = super::read(question);
    match (reading.class, reading.intent) {
        (QuestionClass::Comparative, _) | (_, QuestionIntent::Compare) => QuestionScope::Comparison,
        (QuestionClass::Temporal, _) => QuestionScope::Timeline,
        (_, QuestionIntent::List | QuestionIntent::Compute) => QuestionScope::Documents,
        (_, QuestionIntent::Summarize) => QuestionScope::Summary,
        (QuestionClass::MultiStep, _) => QuestionScope::Steps,
        (QuestionClass::Simple, QuestionIntent::Qa) if reading.form != AnswerForm::Prose => {
            QuestionScope::Documents
        }
        (QuestionClass::Simple, QuestionIntent::Qa) if asks_several(&words) => QuestionScope::Steps,
        (QuestionClass::Simple, QuestionIntent::Qa) => QuestionScope::OneSearch,
    }
}

/// A question of fewer words is a part of one.
const WHOLE_WORDS_MIN: usize = 4;

/// Whether it is a question, or a request, of English.
fn is_read(words: &[QuestionWord<'_>]) -> bool {
    let opens = words
        .iter()
        .find(|word| !word.is("can could please would you"));
    let asks = words.iter().any(QuestionWord::is_asking)
        || words.first().is_some_and(QuestionWord::is_auxiliary)
        || opens.is_some_and(|word| word.is(words!(scope_requesting)) || word.is("list compare"));
    let foreign = |word: &QuestionWord<'_>| word.is(words!(foreign)) && !word.is_capital();
    asks && !words.iter().any(foreign)
}

/// Whether it cannot be understood by itself: it points at something, goes on, is no whole question, or names nothing.
fn leans(question: &str, words: &[QuestionWord<'_>]) -> bool {
    let is_named = words.iter().skip(1).any(QuestionWord::is_name) || question.contains(['"', '“']);
    words.len() < WHOLE_WORDS_MIN
        || words.first().is_some_and(|word| word.is(words!(going_on)))
        || words.has(words!(pointing))
        || words.has_pair("how what", "about")
        || !is_named
}

/// Several questions in one, or one of several things: `who signed it, and when does it end`, `of the A1 and the B2`.
fn asks_several(words: &[QuestionWord<'_>]) -> bool {
    let joins = |word: &QuestionWord<'_>| word.is("and or");
    let ends = |word: &QuestionWord<'_>| word.raw.ends_with(['?', ';']);
    let inner = words.split_last().map_or(words, |(_, inner)| inner);
    let several = |at: usize| {
        let mut after = words[at + 1..].iter();
        let after = after.find(|word| !word.is("a an for of the"));
        let is_named =
            at > 1 && words[at - 1].is_name() && after.is_some_and(QuestionWord::is_name);
        is_named || after.is_some_and(QuestionWord::is_asking)
    };
    inner.iter().any(ends) || (0..words.len()).any(|at| joins(&words[at]) && several(at))
}
