//! Words that mean nothing to a table by themselves: the first words of a request, and words that introduce a
//! condition. Pure.

use super::*;
use crate::form::is_participle;
use crate::mention::Named;
use crate::token::reply_start;

/// How many words behind a participle are searched for the condition that it introduces.
const LEAD_WORDS_MAX: usize = 4;

impl Reading<'_> {
    /// Whether a run only introduces a condition. It may be a verb (`drawn up with`, `awarded to`, `that went out to`),
    /// such a verb behind a word for things of any kind (`goods bought from`), or the noun of a preposition (`on behalf
    /// of`).
    pub(super) fn leads(&self, run: &Range<usize>) -> bool {
        let word = match &self.linker.tokens[run.clone()] {
            // `with obligations ending in 2024`
            [thing] | [thing, _] if is_of(&thing.lower, words!(terms)) && self.is_with_day(run) => {
                return true;
            }
            [word] => word,
            [thing, word] if is_of(&thing.lower, words!(things)) && is_participle(&word.lower) => {
                word
            }
            _ => return false,
        };
        let before = run.start.checked_sub(1).map_or("", |at| self.word(at));
        let after = self
            .linker
            .tokens
            .get(run.end)
            .map_or("", |next| &next.lower);
        // `catering` in `contracts about catering with Acme` is a topic, and `disputed` in `invoices disputed by Acme`
        // says which invoices are meant. Neither only introduces a condition.
        let is_thing = word.lower.ends_with("ing") && is_of(before, "about for on of regarding");
        // `chargeable to Acme` introduces a condition, but `deductible in 2024` does not.
        let is_able = word.lower.ends_with("able") || word.lower.ends_with("ible");
        let is_open = is_able && !is_of(after, "to by");
        // In `the leaking Acme invoices` the word before a name and its noun says which invoices are meant.
        let subject = self.linker.frame.subject.as_ref();
        let is_adjective = subject.is_some_and(|subject| {
            let mut mentions = self.mentions.iter();
            mentions.any(|mention| mention.start == run.end && mention.end <= subject.start)
        });
        let is_verb = !is_open
            && !is_adjective
            && !self.is_event(run)
            && (is_participle(&word.lower) || is_of(before, "that which who"))
            && !is_thing
            && !is_of(&word.lower, words!(topic));
        let is_of_preposition =
            is_of(&word.lower, words!(prepositional)) && is_of(after, "of to with for");
        // `showing that ISO 9001 is met`
        let is_that = is_of(
            &word.lower,
            "saying showing stating proving attesting confirming certifying",
        ) && after == "that";
        if is_that
            && self
                .mentions
                .iter()
                .any(|mention| mention.start == run.end + 1)
        {
            return true;
        }
        // `with respect to the voltage` names the figure by which two things are compared.
        if is_of_preposition && self.linked.intent == Intent::Compare {
            return true;
        }
        let next = run.end..self.is_taken.len().min(run.end + LEAD_WORDS_MAX);
        let is_mention = |at: &usize| self.mentions.iter().any(|mention| mention.start == *at);
        // Only known words stand between the run and the mention.
        let mut between = next.clone().take_while(|at| !is_mention(at));
        let is_near = next.clone().any(|at| is_mention(&at));
        (is_verb || is_of_preposition)
            && !word.is_last
            && is_near
            && between.all(|at| {
                words::is_filler(self.word(at))
                    || is_of(self.word(at), words!(prepositional))
                    || !self.is_taken[at] && self.is_called(self.word(at))
                    || self.linker.dictionary.is_column_word(self.word(at))
            })
    }

    /// Whether a verb before a day may say what happened on it, and no column holds such days: `audited in 2024`.
    fn is_event(&self, run: &Range<usize>) -> bool {
        let word = self.word(run.end - 1);
        let mut mentions = self.linker.mentions.iter();
        let next = mentions.find(|mention| mention.at.start >= run.end);
        let is_day = next.is_some_and(|next| matches!(next.what, Named::Days(_)));
        let fit = self.fit(run.end - 1..run.end, phrase::is_day);
        // `reports describing 2024`
        let mut conditions = self.linked.conditions.iter().chain(&self.linked.parts);
        let is_of_years = conditions.any(|condition| {
            let mut columns = self.linker.dictionary.columns(self.bucket);
            columns.any(|(_, column)| {
                column.field == condition.field && column.kind() == ColumnKind::Year
            })
        });
        is_day && fit.is_none() && !is_of_years && !words::is_handling(word)
    }

    /// Whether a run stands between `with` and a day.
    fn is_with_day(&self, run: &Range<usize>) -> bool {
        let before = run.start.checked_sub(1).map_or("", |at| self.word(at));
        let mut mentions = self.linker.mentions.iter();
        let next = mentions.find(|mention| mention.at.start >= run.end);
        let is_day = next.is_some_and(|next| matches!(next.what, Named::Days(_)));
        is_day && is_of(before, "with whose having")
    }

    /// Whether a run means nothing because it says what somebody who is named does with documents (`did Acme send us`),
    /// because it names the documents once more (`for parts of`), or because it stands for their size where no column
    /// does.
    pub(super) fn is_handled(&self, run: &Range<usize>) -> bool {
        let [word] = &self.linker.tokens[run.clone()] else {
            return false;
        };
        let before = run.start.checked_sub(1).map_or("", |at| self.word(at));
        let is_behind = self.mentions.iter().any(|mention| mention.end == run.start)
            || is_of(before, "we they you i who that which");
        let bucket = self.linker.dictionary.bucket_called(&word.lower);
        let is_bucket = bucket.is_some() && bucket == self.bucket;
        is_bucket
            || is_behind && words::is_handling(&word.lower)
            || self.needs_measure() && words::is_size(&word.lower)
    }

    /// Whether a run is the verb at the beginning of a request: `Collate for me all the invoices`. A word right before
    /// a noun describes it instead: `Overdue invoices`.
    pub(super) fn is_request(&self, run: &Range<usize>) -> bool {
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        let is_polite = |at: usize| {
            let word = self.word(at);
            !self.is_taken[at] && is_of(word, words!(leading_polite))
        };
        let is_first = run.len() == 1 && (0..run.start).all(is_polite);
        let mut between = run.end..subject.start.max(run.end);
        let is_told_apart = between.clone().any(|at| {
            is_of(
                self.word(at),
                "all every each any the our these those which what me us",
            )
        });
        is_first
            && is_told_apart
            && !is_of(self.word(run.start), words!(writing))
            && between.all(|at| words::is_filler(self.word(at)))
    }
}

/// The token at which the reply to a question back asks for a list: `… - User clarified: List all of them`.
pub(super) fn asked_again(tokens: &[QuestionToken]) -> Option<usize> {
    let at = reply_start(tokens)?;
    let next = tokens.get(at)?;
    is_of(&next.lower, "list show count give export").then_some(at)
}

impl Linker<'_> {
    /// Whether the noun of a question names documents, and not only a column that describes them.
    pub(super) fn is_of_documents(&self, subject: &Range<usize>) -> bool {
        let mut tokens = self.tokens[subject.clone()].iter();
        !tokens.all(|token| {
            self.dictionary.is_column_word(&token.lower)
                && self.dictionary.bucket_called(&token.lower).is_none()
        })
    }

    /// Whether a mention set no condition. Those beyond the first 50 values of a column do not count: the others have one,
    /// and the caller tells which are left out.
    pub(super) fn is_dropped(&self, at: &Range<usize>, linked: &LinkedQuestion) -> bool {
        let words: Vec<&str> = self.tokens[at.clone()]
            .iter()
            .map(|token| token.text.as_str())
            .collect();
        let bare = |text: &str| {
            text.chars()
                .filter(|c| c.is_alphanumeric())
                .collect::<String>()
        };
        let said = bare(&words.concat());
        let mut dropped = linked.dropped.iter();
        dropped.any(|(dropped, why)| *why != crate::TOO_MANY_VALUES && bare(dropped) == said)
    }
}
