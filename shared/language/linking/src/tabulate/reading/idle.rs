//! Finds words that have no role in a table and, by their position, may mean nothing. Pure. This module does *not*
//! decide whether they mean something: only the documents, or the plan of a model, show it.

use super::*;

/// The most neighbouring words that may mean nothing.
const IDLE_WORDS_MAX: usize = 3;
/// The most words between a run and the mention that it leads to.
const NEAR: usize = 3;

impl Reading<'_> {
    /// Gives words that are said twice their role once: `month by month`, `by billing month by billing month`.
    pub(super) fn skip_repeated(&mut self) {
        for length in 1..=PHRASE_WORDS_MAX {
            for at in 0..self.is_taken.len().saturating_sub(2 * length) {
                let is_said_again = self.word(at + length) == "by"
                    && (at..at + length).all(|at| self.word(at) == self.word(at + length + 1));
                if is_said_again {
                    self.is_taken[at..at + length].fill(true);
                }
            }
        }
    }

    /// Whether a run may mean nothing, or one end of it while the rest has a role. The words are then kept in
    /// `unplaced`.
    pub(super) fn is_idle(&mut self, run: &Range<usize>) -> bool {
        let before = self.findings();
        for middle in run.start + 1..run.end {
            let (head, tail) = (run.start..middle, middle..run.end);
            for (idle, other) in [(head.clone(), tail.clone()), (tail, head)] {
                if self.place(other).is_ok() && self.says_nothing(&idle) {
                    self.unplaced.push(self.said(&idle));
                    return true;
                }
                self.go_back(&before);
            }
        }
        let says_nothing = self.says_nothing(run);
        if says_nothing {
            self.unplaced.push(self.said(run));
        }
        says_nothing
    }

    fn says_nothing(&self, run: &Range<usize>) -> bool {
        self.refused(run).is_none() && (self.relates(run) || self.may_be_idle(run))
    }

    /// Whether a run stands where words say what to do with a list, and not which documents are on it. One such
    /// position is before the noun with a word between, at the beginning of the question or behind a word of the
    /// request. The other one is the last word right behind a condition, where it cannot be a verb. Names and numbers
    /// always mean something. Only the documents show whether the run really means nothing, because a single word may
    /// be the topic of all of them.
    fn may_be_idle(&self, run: &Range<usize>) -> bool {
        let tokens = &self.linker.tokens[run.clone()];
        let is_telling = |(at, token): (usize, &QuestionToken)| {
            token.has_digit()
                || token.is_capital() && run.start + at > 0
                || is_of(&token.lower, words!(writing))
                || is_of(&token.lower, words!(saying))
        };
        let Some(subject) = &self.subject else {
            return false;
        };
        if self.joining(run).is_some()
            || run.len() > IDLE_WORDS_MAX
            || tokens.iter().enumerate().any(is_telling)
        {
            return false;
        }
        let before = self.before(run.start, "the a an our their its any some");
        let is_request = before.is_empty()
            || is_of(before, words!(leading_polite))
            || !text::stop::is_content_free(before) && words::is_filler(before);
        let is_done = (0..run.start).any(|at| self.is(at, words!(doing)));
        let is_end = tokens[0].is_last || run.end == self.is_taken.len();
        run.end < subject.start && is_request
            || run.len() == 1 && self.ends(run.start) && is_end && !is_done
    }

    /// Whether a run may only lead from the documents, or from another name, to a name or a day, in a question that
    /// asks for a number over documents: `bills for stuff bought from Acme`. Only the documents show whether the run
    /// means more. A run with names, numbers or topics never counts.
    fn relates(&self, run: &Range<usize>) -> bool {
        let Some(subject) = &self.subject else {
            return false;
        };
        let is_telling = |token: &QuestionToken| {
            token.has_digit()
                || token.is_capital()
                || is_of(&token.lower, words!(topic))
                || is_of(&token.lower, words!(writing))
        };
        let operation = self.operation.unwrap_or_default();
        let is_number =
            operation != ColumnOperation::List || self.table.group.is_some() || self.asks_for_money;
        if !is_number
            || run.len() > IDLE_WORDS_MAX
            || self.linker.tokens[run.clone()].iter().any(is_telling)
        {
            return false;
        }
        let noun = self.noun_start(subject);
        let is_leading =
            |at: usize| words::is_filler(self.word(at)) && !self.is(at, "and or but nor");
        let near = run.end..self.is_taken.len().min(run.end + NEAR + 1);
        let mut led = near.take_while(|at| *at == run.end || is_leading(*at - 1));
        self.joining(run).is_none()
            && !self.is_object(run)
            && !self.closes(run.end - 1)
            && led.any(|at| noun == at && at > run.end || self.starts(at))
    }

    /// Whether a run is the object of the question, or says what a named company did, and does not only lead to a name:
    /// `contracts about insurance with Acme`, `that Acme broke in 2024`, `the average discount on invoices`.
    fn is_object(&self, run: &Range<usize>) -> bool {
        let before = self.before(run.start, "the a an any our their its");
        let last = self.word(run.end - 1);
        let is_done =
            last.ends_with("ed") || is_of(last, "bought sold made done sent drawn given held");
        let is_measure = self.needs_measure() && self.table.measure.is_none();
        is_measure || self.ends(run.start) || is_of(before, words!(led_to)) && !is_done
    }
}
