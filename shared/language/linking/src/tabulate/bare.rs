//! Decides whether a question says anything that would tell the passages of its documents apart. Pure.
//!
//! `What do the invoices of 2024 say?` names documents and nothing that they say, so a search has nothing to rank them
//! by. The module does *not* decide what follows from that: few documents can be read whole.

use super::words;
use crate::link::Linker;
use crate::linked::LinkedQuestion;
use crate::token::reply_start;
use text::is_of;

const ADDED: &str = "user clarified";
/// How many words behind a verb such as `issued` are searched for its condition: `issued in March 2024`.
const LEAD_WORDS_MAX: usize = 3;

impl Linker<'_> {
    /// Whether all words of a question are its conditions, its noun for documents, or words without a content of their own.
    pub(crate) fn is_bare(&self, linked: &LinkedQuestion) -> bool {
        let is_bucket = |at: &usize| {
            let bucket = self.dictionary.bucket_called(&self.tokens[*at].lower);
            bucket.is_some() && bucket == linked.bucket.as_deref()
        };
        let named = || (0..self.tokens.len()).find(is_bucket).map(|at| at..at + 1);
        let Some(subject) = self.frame.subject.clone().or_else(named) else {
            return false;
        };
        let conditions = || linked.conditions.iter().chain(&linked.parts);
        let is_column = |word: &str| {
            let mut fields = conditions().flat_map(|condition| condition.field.split('_'));
            fields.any(|part| part == word)
        };
        let is_mention = |at: usize| self.mentions.iter().any(|mention| mention.at.contains(&at));
        let added = reply_start(&self.tokens).unwrap_or_default();
        let leads = |at: usize| {
            let mut behind = self.mentions.iter().map(|mention| mention.at.start);
            behind.any(|start| (at + 1..=at + LEAD_WORDS_MAX).contains(&start))
        };
        let is_without_content = |(at, word): (usize, &str)| {
            subject.contains(&at)
                || is_mention(at)
                || text::stop::is_content_free(word) && !is_of(word, words!(bare_asking))
                || words::is_handling(word) && leads(at)
                || at < added && is_of(word, ADDED)
                || is_of(word, words!(telling))
                || is_column(word)
        };
        let words = self.tokens.iter().map(|token| token.lower.as_str());
        conditions().next().is_some()
            && linked.dropped.is_empty()
            && words.enumerate().all(is_without_content)
    }
}
