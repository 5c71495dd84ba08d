//! Words that say how a mention is related to the documents: `bills for stuff bought from Acme`. They do not change a
//! count or a sum, as long as they lead to a name or a day that set a condition. Pure.

use super::*;
use crate::form::is_participle;

/// The most words of such a run.
const WORDS_MAX: usize = 3;
/// The most words between a run and the mention that it leads to.
const NEAR: usize = 3;
/// A word with fewer bytes says too little to be part of a name of documents.
const CALLED_BYTES: usize = 4;

impl Reading<'_> {
    /// Whether a run may only lead from the documents, or from another name, to a name or a day, in a question that
    /// asks for a number over documents. Only the documents show whether the run means more. A run with names, numbers
    /// or topics never counts.
    pub(super) fn relates(&self, run: &Range<usize>) -> bool {
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        let tokens = &self.linker.tokens[run.clone()];
        let is_telling = |token: &QuestionToken| {
            token.has_digit()
                || token.is_capital()
                || is_of(&token.lower, words!(topic))
                || is_of(&token.lower, words!(writing))
        };
        let is_number = self
            .operation
            .is_some_and(|one| one != ColumnOperation::List)
            || self.table.group.is_some()
            || self.asks_for_money;
        if !is_number || run.len() > WORDS_MAX || tokens.iter().any(is_telling) {
            return false;
        }
        let is_open = |at: usize| !self.linker.tokens[at].is_last;
        let near = run.end..self.is_taken.len().min(run.end + NEAR + 1);
        let noun = self.noun_start(subject);
        let starts = |at: usize| {
            let is_subject = noun == at && at > run.end;
            is_subject || self.mentions.iter().any(|mention| mention.start == at)
        };
        let is_leading = |at: usize| {
            let word = self.word(at);
            words::is_filler(word) && !is_of(word, "and or but nor")
        };
        let mut led = near.take_while(|at| *at == run.end || is_leading(*at - 1));
        self.joining(run).is_none()
            && !self.is_object(run)
            && is_open(run.end - 1)
            && led.any(starts)
    }

    /// Whether a run is the object of the question, or says what a named company did, and does not only lead to a name:
    /// `contracts about insurance with Acme`, `that Acme broke in 2024`, `the average discount on invoices`.
    fn is_object(&self, run: &Range<usize>) -> bool {
        let before = (0..run.start).rev().map(|at| self.word(at));
        let before = before
            .into_iter()
            .find(|word| !is_of(word, "the a an any our their its"));
        let last = self.word(run.end - 1);
        let is_done =
            last.ends_with("ed") || is_of(last, "bought sold made done sent drawn given held");
        let is_led_to = before.is_some_and(|word| {
            is_of(
                word,
                "about on for of over with have has had regarding concerning covering",
            )
        });
        let is_measure = self.needs_measure() && self.table.measure.is_none();
        let is_of_name = self.mentions.iter().any(|mention| mention.end == run.start);
        is_measure || is_of_name || is_led_to && !is_done
    }

    /// The token at which the noun begins, with all words of the bucket's name before it.
    pub(super) fn noun_start(&self, subject: &Range<usize>) -> usize {
        let before = (0..subject.start).rev();
        let called = before.take_while(|at| self.is_of_name(*at..*at + 1));
        called.last().unwrap_or(subject.start)
    }

    /// Whether a run before the noun is part of the bucket's name: `part info sheets`.
    pub(super) fn is_of_bucket(&self, run: &Range<usize>) -> bool {
        let subject = self.linker.frame.subject.as_ref();
        subject.is_some_and(|subject| run.end == subject.start) && self.is_of_name(run.clone())
    }

    /// Whether a run only repeats the noun before a day or a number: `with a bill date in 2024`.
    pub(super) fn is_own_number(&self, run: &Range<usize>) -> bool {
        let next = self.linker.tokens.get(run.end);
        let is_own = next.is_some_and(|next| is_of(&next.lower, "date dated day number no"));
        is_own && self.is_of_name(run.clone())
    }

    /// Whether a word is part of the bucket's name: `certificates of compliance`, `showing ISO 9001 compliance`.
    pub(super) fn is_called(&self, word: &str) -> bool {
        let called = self
            .bucket
            .into_iter()
            .flat_map(|bucket| bucket.split(|c: char| !c.is_alphanumeric()));
        let mut called = called.map(|word| fold::singular(&word.to_lowercase()));
        let word = fold::singular(word);
        word.len() >= CALLED_BYTES && called.any(|known| known == word)
    }

    /// Whether a run is a verb of the documents' own noun, and leads to a name or a day: `attestations attesting the
    /// conformity of Acme`.
    pub(super) fn is_own_verb(&self, run: &Range<usize>) -> bool {
        let words = self.bucket.unwrap_or_default();
        let mut words = words.split(|c: char| !c.is_alphanumeric());
        let said = self.word(run.start);
        let stem = text::words::stem(said);
        run.len() == 1
            && said.len() > CALLED_BYTES
            && is_participle(said)
            && words.any(|word| text::words::stem(&word.to_lowercase()) == stem)
            && self.leads_to_mention(run)
    }

    /// Whether all words of a run are words of the bucket's name.
    fn is_of_name(&self, run: Range<usize>) -> bool {
        let Some(bucket) = self.bucket else {
            return false;
        };
        let called: Vec<String> = bucket
            .split(|c: char| !c.is_alphanumeric())
            .map(|word| fold::singular(&word.to_lowercase()))
            .collect();
        let mut words = run.map(|at| fold::singular(self.word(at)));
        words.all(|word| called.contains(&word))
    }
}
