//! Finds words that say which documents are meant although no condition can express it. Pure.
//!
//! Such words are a state that only some documents are in (`open invoices`), a column that documents have to have or to
//! lack (`without a due date`), and a column whose values are asked for instead of documents (`how many vendors`). A
//! table that ignored them would be exact and wrong, so these questions get none.

use super::*;

/// Adjectives for a state that only some documents are in.
const STATES: &str =
    "open closed paid payable due valid running expired expiring signed revised current recent";
/// Those of them that may say by which days the first or last document is found.
const STATES_OF_DAYS: &str = "due running expired expiring signed revised recent";
/// Those of them that behind a name say what a company did: `that Acme signed`.
const DONE: &str = "closed paid payable signed revised recent";
const BEING: &str = "is are was were be been being remain remains remained stay stays";
/// Words that may stand between such a verb and the state.
const ADVERBS: &str = "still already not yet now currently fully all both also";
/// How many words behind a state are searched for the condition that it introduces.
const LEAD_WORDS_MAX: usize = 6;
const LACKING: &str = "no without lacking lack lacks missing";
const HAVING: &str = "have has had having with";
/// Taxes: `without tax` describes an amount, and not documents that lack a column.
const TAXES: &str = "tax taxes vat gst duty duties";
/// Words that may stand between `how many` and what is counted.
const DIFFERENT: &str = "different distinct various unique separate individual of our the";

impl Reading<'_> {
    /// Why there is no table for a question with this run, if the run is such a word.
    pub(super) fn refused(&self, run: &Range<usize>) -> Option<String> {
        let said = || self.said(run);
        if run.clone().any(|at| self.is_state(at)) {
            return Some(format!("`{}` is a state that no column holds", said()));
        }
        if self.asks_whether(run) {
            return Some(format!("it asks whether documents have `{}`", said()));
        }
        if self.begins_nothing(run) {
            return Some(format!("`{}` says how something is written", said()));
        }
        let is_of_values = self.asks_for_values(run);
        is_of_values.then(|| format!("it asks for `{}` and not for documents", said()))
    }

    /// Whether a word says that documents are in a state. `due` in `due in May`, which introduces a condition, does not.
    pub(super) fn is_state(&self, at: usize) -> bool {
        let word = self.word(at);
        // `current` may be a column of amperes.
        let is_current = word == "current" && self.linker.dictionary.is_column_word(word);
        if self.is_taken[at] || !is_of(word, STATES) || is_current {
            return false;
        }
        if self.is_most() && self.table.is_day && is_of(word, STATES_OF_DAYS) {
            return false;
        }
        if self.is_before_noun(at) {
            return true;
        }
        // `How much was paid?` asks for an amount.
        let is_sum = match self.operation {
            None => {
                let mut pairs = self.linker.tokens.windows(2);
                pairs.any(|pair| pair[0].lower == "how" && pair[1].lower == "much")
            }
            Some(ColumnOperation::Sum | ColumnOperation::Average) => true,
            Some(_) => false,
        };
        if is_sum && is_of(word, "paid payable due") {
            return false;
        }
        let mut before = (0..at).rev().map(|at| self.word(at));
        let verb = before.find(|word| !is_of(word, ADVERBS));
        let is_predicate = verb.is_some_and(|verb| is_of(verb, BEING));
        let subject = self.linker.frame.subject.as_ref();
        let is_behind_noun = subject.is_some_and(|subject| subject.end == at);
        let is_behind_name =
            !is_of(word, DONE) && self.mentions.iter().any(|mention| mention.end == at);
        (is_predicate || is_behind_noun || is_behind_name) && !self.leads_on(at)
    }

    pub(super) fn is_most(&self) -> bool {
        matches!(
            self.operation,
            Some(ColumnOperation::Largest | ColumnOperation::Smallest)
        )
    }

    /// Whether a word stands before the noun of the question, with only names between.
    fn is_before_noun(&self, at: usize) -> bool {
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        let noun = self.noun_start(subject);
        let is_named = |at: usize| self.mentions.iter().any(|mention| mention.contains(&at));
        at < noun && (at + 1..noun).all(is_named)
    }

    /// Whether a condition or a group follows a word, with only known words between.
    fn leads_on(&self, at: usize) -> bool {
        let behind = at + 1..self.is_taken.len().min(at + 1 + LEAD_WORDS_MAX);
        for next in behind {
            if self.linker.tokens[next - 1].is_last {
                return false;
            }
            let word = self.word(next);
            let is_mention = self.mentions.iter().any(|mention| mention.start == next);
            if is_mention || is_of(word, "per each every") || words::period(word).is_some() {
                return true;
            }
            let is_known = self.is_taken[next]
                || words::is_filler(word)
                || self.is_idiom(next)
                || self.linker.dictionary.is_column_word(word);
            if !is_known {
                return false;
            }
        }
        false
    }

    /// Whether documents are to have or to lack the column that a run names: `without an invoice date`, `that have a due
    /// date`.
    fn asks_whether(&self, run: &Range<usize>) -> bool {
        if self.is_without_values(run) {
            return true;
        }
        let is_tax = run.clone().any(|at| is_of(self.word(at), TAXES));
        let fit = self.fit(run.clone(), |_| true);
        let is_of_side = fit.is_some_and(|fit| self.is_on(&fit, &self.linked.parts));
        if is_tax || is_of_side || !self.names_column(run) || self.is_of_condition(run) {
            return false;
        }
        let word = |back: usize| run.start.checked_sub(back).map_or("", |at| self.word(at));
        match word(1) {
            // `with an invoice date in 2024` introduces a condition.
            "a" | "an" | "any" => {
                is_of(word(2), LACKING) || is_of(word(2), HAVING) && !self.leads_on(run.end - 1)
            }
            "the" | "their" | "its" => is_of(word(2), LACKING),
            first => is_of(first, LACKING),
        }
    }

    /// Whether a run says of documents what a column without values says: `approved contracts`, `that are approved`. The
    /// values of columns of yes and no are not known.
    fn is_without_values(&self, run: &Range<usize>) -> bool {
        let fit = self.fit(run.clone(), |_| true);
        let is_empty = |fit: Fit| {
            let mut columns = fit.columns.iter();
            fit.score >= NAMED_MIN
                && columns.all(|column| self.linker.dictionary.column(*column).documents() == 0)
        };
        let mut before = (0..run.start).rev().map(|at| self.word(at));
        let verb = before.find(|word| !is_of(word, ADVERBS));
        let is_told = verb.is_some_and(|verb| is_of(verb, BEING));
        fit.is_some_and(is_empty) && (is_told || self.is_before_noun(run.end - 1))
    }

    /// Whether a question is for values of the column that a run names, and not for documents: `how many vendors`,
    /// `the three largest vendors`.
    fn asks_for_values(&self, run: &Range<usize>) -> bool {
        let subject = self.linker.frame.subject.as_ref();
        let is_of_noun = subject
            .is_some_and(|subject| self.noun_start(subject) <= run.end && run.start < subject.end);
        let is_group = self.joining(run).is_some() || self.is_group_of(run);
        if is_of_noun || is_group || self.is_of_bucket(run) || !self.names_column(run) {
            return false;
        }
        let before = (0..run.start).rev().map(|at| self.word(at));
        let mut before = before.skip_while(|word| is_of(word, DIFFERENT));
        if self.operation == Some(ColumnOperation::Count) {
            let is_counting = |word: &str| is_of(word, "many number count");
            return before.next().is_some_and(is_counting);
        }
        let is_text = || {
            let fit = self.fit(run.clone(), |_| true);
            let kind = |column: &ColumnId| self.linker.dictionary.column(*column).kind();
            let is_number = self.fit(run.clone(), phrase::is_number).is_some();
            !is_number
                && fit.is_some_and(|fit| fit.columns.iter().all(|id| kind(id) == ColumnKind::Text))
        };
        // `Which vendor has the highest total?` may mean one invoice, or all of the vendor.
        let is_asked = run.start == 1 && is_of(self.word(0), "which what");
        if self.is_most() && !self.is_of_most && is_asked && is_text() {
            return true;
        }
        let is_ranked = |at: usize| {
            let is_number = self.is_taken[at] && words::operation(self.word(at)).is_none();
            let at = at.checked_sub(usize::from(is_number));
            at.is_some_and(|at| is_ranking(self.word(at)))
        };
        self.is_most() && run.start > 0 && is_ranked(run.start - 1) && is_text()
    }

    /// Whether a run says how a value is written: `starting with A`.
    pub(super) fn begins_nothing(&self, run: &Range<usize>) -> bool {
        let word = self.word(run.start);
        let next = self.linker.tokens.get(run.start + 1);
        let is_writing =
            is_of(word, "starting starts start beginning begins begin") && run.len() == 1;
        is_writing && next.is_some_and(|next| next.lower == "with") && !self.leads_on(run.start)
    }

    /// Whether documents are compared with another document: `larger than invoice 12`. A comparison with an amount is a
    /// mention.
    pub(super) fn is_beside_another(&self) -> bool {
        let is_free = |at: usize| {
            let is_mention = self.mentions.iter().any(|mention| mention.contains(&at));
            let before = at.checked_sub(1).map_or("", |at| self.word(at));
            !is_mention && !is_of(before, "other rather different")
        };
        let mut all = 0..self.is_taken.len();
        // The sides of a comparison are conditions on one column.
        let is_compared = self.linked.intent == Intent::Compare && !self.linked.parts.is_empty();
        !is_compared && (all.any(|at| self.word(at) == "than" && is_free(at)) || self.weighs())
    }

    /// Whether values of one column are weighed against each other, or counted one by one, in a question that is not
    /// read as a comparison: `are there more from Acme or from Bolt`, `two counts: one for Acme, one for Bolt`.
    fn weighs(&self) -> bool {
        let words = || (0..self.is_taken.len()).map(|at| self.word(at));
        let pairs = |one: &str, other: &str| {
            let mut pairs = self.linker.tokens.windows(2);
            pairs.any(|pair| is_of(&pair[0].lower, one) && is_of(&pair[1].lower, other))
        };
        let is_of_more = pairs("there have", "more fewer") && words().any(|word| word == "or");
        let is_of_each = pairs("two three four both", "counts numbers figures totals sums");
        let is_against =
            self.mentions.len() > 1
                && (0..self.is_taken.len()).any(|at| {
                    is_of(self.word(at), "against versus vs")
                        && (self.mentions.iter().any(|mention| mention.end == at)
                            || self.linker.tokens.get(at + 1).is_some_and(|next| {
                                is_of(&next.lower, "from by with for of under")
                            }))
                });
        let is_beside =
            pairs("compared", "to with") || words().any(|word| is_of(word, "versus vs"));
        is_of_more || is_of_each || is_against || is_beside
    }

    /// Whether a run stands behind `every number of`.
    fn is_group_of(&self, run: &Range<usize>) -> bool {
        let word = |back: usize| run.start.checked_sub(back).map_or("", |at| self.word(at));
        word(1) == "of" && is_of(word(3), "every each per by")
    }

    fn names_column(&self, run: &Range<usize>) -> bool {
        let fit = self.fit(run.clone(), |_| true);
        fit.is_some_and(|fit| fit.score >= NAMED_MIN)
    }
}

/// Whether a word asks for the largest or smallest of something.
fn is_ranking(word: &str) -> bool {
    matches!(
        words::operation(word),
        Some((ColumnOperation::Largest | ColumnOperation::Smallest, _))
    )
}
