//! Finds words that have no role in a table and, by their position, may mean nothing. Pure. This module does *not*
//! decide whether they mean something: only the documents, or the plan of a model, show it.

use super::*;

/// The most neighbouring words that may mean nothing.
const IDLE_WORDS_MAX: usize = 3;

impl Reading<'_> {
    /// Gives words that are said twice their role once: `month by month`, `by billing month by billing month`.
    pub(super) fn skip_repeated(&mut self) {
        let word = |at: usize| self.linker.tokens[at].lower.as_str();
        let all = self.is_taken.len();
        for length in 1..=PHRASE_WORDS_MAX {
            for at in 0..all.saturating_sub(2 * length) {
                let is_said_again = word(at + length) == "by"
                    && (at..at + length).all(|at| word(at) == word(at + length + 1));
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
        let is_name = |(at, token): (usize, &QuestionToken)| {
            token.has_digit() || token.is_capital() && run.start + at > 0
        };
        let is_told = |token: &QuestionToken| {
            is_of(&token.lower, words!(writing)) || is_of(&token.lower, words!(saying))
        };
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        if self.joining(run).is_some()
            || run.len() > IDLE_WORDS_MAX
            || tokens.iter().enumerate().any(is_name)
            || tokens.iter().any(is_told)
        {
            return false;
        }
        let before = (0..run.start)
            .rev()
            .map(|at| self.word(at))
            .find(|word| !is_of(word, "the a an our their its any some"));
        let is_first = before.is_none();
        let is_request = before.is_some_and(|word| {
            is_of(word, words!(leading_polite))
                || !text::stop::is_content_free(word) && words::is_filler(word)
        });
        let is_ahead = run.end < subject.start && (is_first || is_request);
        let is_behind = self.mentions.iter().any(|mention| mention.end == run.start);
        let is_done = (0..run.start).any(|at| is_of(self.word(at), words!(doing)));
        let is_end = tokens[0].is_last || run.end == self.is_taken.len();
        let is_last = run.len() == 1 && is_behind && is_end && !is_done;
        is_ahead || is_last
    }
}
