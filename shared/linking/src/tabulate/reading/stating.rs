//! Finds words that say which documents are meant although no condition can express it. Pure.
//!
//! Such words are a state that only some documents are in (`open invoices`), a column that documents have to have or to
//! lack (`without a due date`), and a column whose values are asked for instead of documents (`how many vendors`). A
//! table that ignored them would be exact and wrong, so these questions get none.

use super::*;
use crate::linked::{QuestionCondition, Test};

/// How many words behind a state are searched for the condition that it introduces.
const LEAD_WORDS_MAX: usize = 6;
/// The most words between one that excludes and what it excludes.
const EXCLUDED_WORDS: usize = 9;

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

    /// Why there is no table, if the question excludes something or asks for something that no table has, wherever the
    /// words stand: `except the paid ones`, `the newest but one`, `the median`.
    pub(super) fn is_beyond_tables(&self) -> Option<String> {
        let all = 0..self.is_taken.len();
        let word = |at: usize| {
            let token = self.linker.tokens.get(at);
            token.map_or("", |token| token.lower.as_str())
        };
        let is_mention = |at: usize| self.mentions.iter().any(|mention| mention.contains(&at));
        let conditions = self.linked.conditions.iter().chain(&self.linked.parts);
        // What leaves out the siblings of a company was not said.
        let is_said = |one: &QuestionCondition| {
            let mut others = conditions.clone();
            !others.any(|other| !other.is_negated && other.span == one.span)
        };
        let mut negated = conditions.clone().filter(|one| one.is_negated);
        let has_negated = negated.any(is_said);
        // What is excluded stands close behind the word, or right before it: `Acme excluded`.
        let is_read = |at: usize| {
            let mut mentions = self.mentions.iter();
            has_negated
                && mentions.any(|mention| {
                    mention.end == at && is_of(word(at), "excluded excepted omitted")
                        || (at + 1..=at + EXCLUDED_WORDS).contains(&mention.start)
                })
        };
        // `without tax` describes an amount, and `without a due date` is told from other words later.
        let excludes = |at: usize| {
            !is_mention(at)
                && !is_of(word(at), words!(lacking))
                && !is_of(word(at), "less save not")
                && !is_of(word(at + 1), words!(taxes))
                && !is_of(word(at + 2), words!(taxes))
                && self.linker.takes_back(at)
        };
        if let Some(at) = all.clone().find(|at| excludes(*at) && !is_read(*at)) {
            return Some(format!(
                "`{}` excludes nothing that a column holds",
                word(at)
            ));
        }
        if let Some(why) = self.unread_time() {
            return Some(why);
        }
        if let Some(why) = self.means_others() {
            return Some(why);
        }
        let is_ranked = self.is_most() || all.clone().any(|at| is_ranking(word(at)));
        let is_ordinal = |at: usize| {
            let is_number = is_of(word(at), "second third fourth fifth sixth next");
            is_number && (is_ranking(word(at + 1)) || is_ranking(word(at + 2)))
                || (word(at), word(at + 1)) == ("but", "one")
        };
        if is_ranked && all.clone().any(is_ordinal) {
            return Some("it asks for a later place in an order".into());
        }
        if let Some(at) = all.clone().find(|at| self.is_other_way(*at)) {
            let said = self.said(&(at..at + 2));
            return Some(format!("`{said}` says another role than the column has"));
        }
        if let Some(at) = all.clone().find(|at| self.asks_for_any_day(*at)) {
            return Some(format!("it asks whether documents have `{}`", word(at)));
        }
        let is_statistic = |at: usize| {
            let is_share = (word(at), word(at + 1)) == ("share", "of");
            (is_of(word(at), words!(statistics)) || is_share)
                && !self.linker.dictionary.is_column_word(word(at))
        };
        let at = all
            .clone()
            .find(|at| !is_mention(*at) && is_statistic(*at))?;
        Some(format!("no table has the `{}`", word(at)))
    }

    /// Whether a verb gives a name another role than that of the column in which the name is: `sent to Acme`, `paid by
    /// Acme`, where Acme is a seller.
    fn is_other_way(&self, at: usize) -> bool {
        let next = self.linker.tokens.get(at + 1);
        let after = next.map_or("", |next| next.lower.as_str());
        let verb = self.word(at);
        // `passed on to Acme`
        let third = self.linker.tokens.get(at + 2);
        let is_on = is_of(after, "on over out") && third.is_some_and(|third| third.lower == "to");
        let is_turned = (after == "to" || is_on) && is_of(verb, words!(given_to))
            || after == "by" && is_of(verb, words!(taken_by));
        let is_name = |mention: &&Mention| (at + 2..=at + 4).contains(&mention.at.start);
        let name = self.linker.mentions.iter().find(is_name);
        let is_seller = |mention: &Mention| {
            let Named::Value(key) = &mention.what else {
                return false;
            };
            let is_it = |condition: &&QuestionCondition| match &condition.test {
                Test::Is(things) => things
                    .iter()
                    .flatten()
                    .any(|form| fold::name_key(form) == *key),
                _ => false,
            };
            let conditions = self.linked.conditions.iter().chain(&self.linked.parts);
            let mut conditions = conditions.filter(is_it);
            conditions.any(|condition| self.column_says(&condition.field, words!(selling)))
        };
        is_turned && name.is_some_and(is_seller)
    }

    /// Whether a word says that documents are in a state. `due` in `due in May`, which introduces a condition, does not.
    pub(super) fn is_state(&self, at: usize) -> bool {
        let word = self.word(at);
        // `current` may be a column of amperes.
        let is_current = word == "current" && self.linker.dictionary.is_column_word(word);
        let is_known = is_of(word, words!(states)) || is_of(word, words!(spanning));
        if self.is_taken[at] || !is_known || is_current {
            return false;
        }
        if self.is_most() && self.table.is_day && is_of(word, words!(states_of_days)) {
            return false;
        }
        if self.is_spanning(at) || !is_of(word, words!(states)) {
            return self.is_spanning(at);
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
        let verb = before.find(|word| !is_of(word, words!(adverbs)));
        let is_predicate = verb.is_some_and(|verb| is_of(verb, words!(being)));
        let subject = self.linker.frame.subject.as_ref();
        let is_behind_noun = subject.is_some_and(|subject| subject.end == at);
        let is_behind_name =
            !is_of(word, words!(done)) && self.mentions.iter().any(|mention| mention.end == at);
        (is_predicate || is_behind_noun || is_behind_name) && !self.leads_on(at)
    }

    /// Whether documents are to be in a state on a day, which needs the days on which it begins and ends: `running on 1
    /// January 2024`, `in force in 2023`.
    fn is_spanning(&self, at: usize) -> bool {
        let near = |at: Option<usize>| {
            let token = at.and_then(|at| self.linker.tokens.get(at));
            token.map_or("", |token| token.lower.as_str())
        };
        let is_noun = is_of(self.word(at), "force effect");
        let is_told = !is_noun || near(at.checked_sub(1)) == "in";
        let is_during = is_of(near(Some(at + 1)), "on in during throughout at");
        let mut mentions = self.linker.mentions.iter();
        let next = mentions.find(|mention| mention.at.start > at);
        let is_day = next.is_some_and(|next| matches!(next.what, Named::Days(_)));
        is_of(self.word(at), words!(spanning))
            && is_told
            && is_during
            && is_day
            && self.leads_on(at)
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
        let is_tax = run.clone().any(|at| is_of(self.word(at), words!(taxes)));
        let fit = self.fit(run.clone(), |_| true);
        let is_of_side = fit.is_some_and(|fit| self.is_on(&fit, &self.linked.parts));
        if is_tax || is_of_side || !self.names_column(run) || self.is_of_condition(run) {
            return false;
        }
        let word = |back: usize| run.start.checked_sub(back).map_or("", |at| self.word(at));
        match word(1) {
            // `with an invoice date in 2024` introduces a condition.
            "a" | "an" | "any" => {
                is_of(word(2), words!(lacking))
                    || is_of(word(2), words!(stating_having)) && !self.leads_on(run.end - 1)
            }
            "the" | "their" | "its" => is_of(word(2), words!(lacking)),
            first => is_of(first, words!(lacking)),
        }
    }

    /// Whether documents are to have or to lack any day: `with no date`, `that are dated`, but not `dated 3 May`.
    fn asks_for_any_day(&self, at: usize) -> bool {
        let leads = || {
            let near = at + 1..=at + 1 + DAY_WORDS;
            let mut mentions = self.mentions.iter();
            mentions.any(|mention| near.contains(&mention.start))
        };
        if self.is_taken[at] {
            return false;
        }
        let before = |skipped: &str| {
            let mut before = (0..at).rev().map(|at| self.word(at));
            before.find(|word| !is_of(word, skipped)).unwrap_or("")
        };
        match self.word(at) {
            "undated" => true,
            "dated" => is_of(before(words!(adverbs)), words!(being)) && !leads(),
            "date" | "dates" => {
                let has = before("a an any the their its some");
                let is_any = is_of(before(""), "a any some");
                is_of(has, words!(lacking))
                    || (is_of(has, "have has had having") || has == "with" && is_any) && !leads()
            }
            _ => false,
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
        let verb = before.find(|word| !is_of(word, words!(adverbs)));
        let is_told = verb.is_some_and(|verb| is_of(verb, words!(being)));
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
        let mut before = before.skip_while(|word| is_of(word, words!(different)));
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
