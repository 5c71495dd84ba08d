//! Reads a question as a request for a table: finds what each word that is in no condition stands for, such as the
//! operation, a column or the grouping.
//!
//! | module | what |
//! |---|---|
//! | `operation` | the operation, how many documents are wanted, and what the words leave open |
//! | `naming` | the columns that words name: the key of the groups, and the measure |
//! | `money` | columns of money, their currency, and words for money that occur in no column |
//! | `refusing` | words that say which documents are meant although no condition can express it |
//! | `leading` | words that only lead to a condition, or say what a name beside them is |
//! | `idle` | words that have no role and may mean nothing |

use super::phrase::{self, Fit, NAMED_MIN};
use super::words;
use super::{ColumnOperation, GroupKey, TableQuestion, Tabulation};
use crate::dictionary::{ColumnId, ColumnKind, KnownColumn};
use crate::link::Linker;
use crate::linked::{Intent, LinkedQuestion, QuestionCondition};
use crate::mention::{Mention, Named};
use crate::token::{QuestionToken, TokenWords, reply_start, text_of};
use std::ops::Range;
use text::{fold, is_of};

mod idle;
mod leading;
mod money;
mod naming;
mod operation;
mod refusing;

const PHRASE_WORDS_MAX: usize = 4;
/// The most words between `day` and the day that it announces: `the last day for payment in 2024`.
const DAY_WORDS: usize = 5;
/// The most words between the word before `date` and the date.
const DATE_WORDS: usize = 4;
const PARTS_MAX: usize = 3;

pub(super) struct Reading<'a> {
    linker: &'a Linker<'a>,
    linked: &'a LinkedQuestion,
    bucket: Option<&'a str>,
    subject: Option<Range<usize>>,
    is_taken: Vec<bool>,
    mentions: Vec<Range<usize>>,
    operation: Option<ColumnOperation>,
    /// Weaker operations that the words name, too.
    further: Vec<ColumnOperation>,
    /// Whether the question asks who has the most or the fewest documents.
    is_of_most: bool,
    /// The token at which the user, who was asked back, begins to ask for a list.
    asked_again: Option<usize>,
    table: TableQuestion,
    /// Words that have no role in the table and may mean nothing.
    unplaced: Vec<String>,
    /// Whether the question asks for an amount of money without a word for adding up: `what do the invoices cost?`.
    asks_for_money: bool,
    /// The columns of the measure and of the groups, each with the end of the run that names it.
    named: Vec<(usize, String)>,
}

/// What has been found so far, to return to when a run turns out to have another role.
struct Findings {
    table: TableQuestion,
    asks_for_money: bool,
    is_taken: Vec<bool>,
    named: Vec<(usize, String)>,
}

type Outcome<T> = Result<T, Tabulation>;

fn unfit(why: impl Into<String>) -> Tabulation {
    let (why, name, facets) = (why.into(), None, Vec::new());
    Tabulation::Unfit { why, name, facets }
}

impl<'a> Reading<'a> {
    pub(super) fn of(linker: &'a Linker<'a>, linked: &'a LinkedQuestion) -> Reading<'a> {
        let mut is_taken = vec![false; linker.tokens.len()];
        let is_meant = |mention: &&Mention| !linker.is_dropped(&mention.at, linked);
        let mentions = linker.mentions.iter().filter(is_meant);
        let mentions: Vec<Range<usize>> = mentions.map(|mention| mention.at.clone()).collect();
        let subject = linker.frame.subject.clone();
        let of_documents = subject
            .clone()
            .filter(|subject| linker.is_of_documents(subject));
        if let Some(subject) = &of_documents {
            // Several words may stand for documents: `part specifications`.
            let is_called = |token: &QuestionToken| {
                is_of(&fold::singular(&token.lower), words!(reading_papers))
                    || linker.dictionary.bucket_described(&token.lower) == linked.bucket.as_deref()
            };
            let is_open = subject.end > 0 && !linker.tokens[subject.end - 1].is_last;
            let behind = linker.tokens.get(subject.end).filter(|_| is_open);
            if linked.bucket.is_some() && behind.is_some_and(is_called) {
                is_taken[subject.end] = true;
            }
        }
        for at in mentions.iter().cloned().chain(of_documents) {
            is_taken[at].fill(true);
        }
        // `… - User clarified: List all of them`
        let reply = reply_start(&linker.tokens);
        let asks = |at: &usize| linker.tokens.is(*at, "list show count give export");
        Reading {
            linker,
            linked,
            bucket: linked.bucket.as_deref(),
            subject,
            is_taken,
            mentions,
            operation: None,
            further: Vec::new(),
            is_of_most: false,
            asked_again: reply.filter(asks),
            table: TableQuestion::default(),
            unplaced: Vec::new(),
            asks_for_money: false,
            named: Vec::new(),
        }
    }

    /// The table that the question asks for, with the words that have no role in it and may mean nothing.
    pub(super) fn table(mut self) -> Outcome<(TableQuestion, Vec<String>)> {
        self.skip_repeated();
        self.read_operation();
        if let Some(why) = self.is_beyond_tables() {
            return Err(unfit(why));
        }
        if self.is_beside_another() {
            return Err(unfit("it compares documents with others"));
        }
        for run in self.runs() {
            // In `by year of issue` the run `issue` got its role together with `year`.
            if !self.is_taken[run.clone()].iter().all(|taken| *taken) {
                self.place_parts(run)?;
            }
        }
        self.settle()?;
        self.is_list()?;
        if self.needs_measure() {
            self.measure_by_default()?;
        }
        self.read_currency()?;
        self.show();
        Ok((self.table, self.unplaced))
    }

    pub(super) fn word(&self, at: usize) -> &'a str {
        self.linker.tokens.word(at)
    }

    fn back(&self, at: usize, back: usize) -> &'a str {
        self.linker.tokens.back(at, back)
    }

    fn is(&self, at: usize, words: &str) -> bool {
        is_of(self.word(at), words)
    }

    /// The nearest word before a token that is none of some others.
    fn before(&self, at: usize, skipped: &str) -> &'a str {
        let mut before = (0..at).rev().map(|at| self.word(at));
        before.find(|word| !is_of(word, skipped)).unwrap_or("")
    }

    fn all(&self) -> Range<usize> {
        0..self.is_taken.len()
    }

    pub(super) fn closes(&self, at: usize) -> bool {
        self.linker.tokens[at].is_last
    }

    fn is_mention(&self, at: usize) -> bool {
        self.mentions.iter().any(|mention| mention.contains(&at))
    }

    pub(super) fn starts(&self, at: usize) -> bool {
        self.mentions.iter().any(|mention| mention.start == at)
    }

    pub(super) fn ends(&self, at: usize) -> bool {
        self.mentions.iter().any(|mention| mention.end == at)
    }

    fn leads_to_day(&self, from: usize) -> bool {
        let mut mentions = self.linker.mentions.iter();
        let next = mentions.find(|mention| mention.at.start >= from);
        next.is_some_and(|next| matches!(next.what, Named::Days(_)))
    }

    fn conditions(&self) -> impl Iterator<Item = &'a QuestionCondition> + Clone + use<'a> {
        self.linked.conditions.iter().chain(&self.linked.parts)
    }

    fn columns(&self) -> impl Iterator<Item = (ColumnId, &'a KnownColumn)> + use<'a> {
        self.linker.dictionary.columns(self.bucket)
    }

    fn column(&self, id: ColumnId) -> &'a KnownColumn {
        self.linker.dictionary.column(id)
    }

    fn field(&self, id: ColumnId) -> String {
        self.column(id).field.clone()
    }

    fn said(&self, tokens: &Range<usize>) -> String {
        text_of(&self.linker.tokens[tokens.clone()])
    }

    fn is_most(&self) -> bool {
        use ColumnOperation::{Largest, Smallest};
        matches!(self.operation, Some(Largest | Smallest))
    }

    /// The number of tokens, more than one, that name a column from here on: `maximum voltage` does not ask for a
    /// maximum.
    fn phrase_at(&self, at: usize) -> Option<usize> {
        let names = |length: &usize| {
            let run = at..at + length;
            let is_open = run.end <= self.is_taken.len()
                && (at..run.end - 1).all(|at| !self.closes(at))
                && run.clone().all(|at| !self.is_taken[at]);
            is_open
                && self.fit(run, |_| true).is_some_and(|fit| {
                    // `overall amount` may be a synonym, and asks for a sum.
                    let is_asking = words::operation(self.word(at)).is_some();
                    // `of days of notice` begins with a word of the name `days_of_notice`.
                    let is_telling = |at: usize| !text::stop::is_content_free(self.word(at));
                    let is_name = fit.is_whole() || is_telling(at) && is_telling(at + length - 1);
                    fit.is_named() && is_name || fit.is_synonym() && !is_asking
                })
        };
        (2..=PHRASE_WORDS_MAX).rev().find(names)
    }

    fn is_synonym(&self, word: &str) -> bool {
        let mut columns = self.columns();
        columns.any(|(_, column)| column.said.is_synonym(word))
    }

    fn fit(&self, tokens: Range<usize>, is_of_kind: impl Fn(&KnownColumn) -> bool) -> Option<Fit> {
        // `pay-by date` is three words, as in the column's name.
        let said = tokens.flat_map(|at| self.word(at).split('-'));
        let said: Vec<&str> = said.filter(|word| !word.is_empty()).collect();
        phrase::best(self.linker.dictionary, self.bucket, &said, is_of_kind)
    }

    fn names_column(&self, run: &Range<usize>) -> bool {
        let fit = self.fit(run.clone(), |_| true);
        fit.is_some_and(|fit| fit.score >= NAMED_MIN)
    }

    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut phrase_until = 0;
        for at in self.all() {
            phrase_until = phrase_until.max(at + self.phrase_at(at).unwrap_or(0));
            if self.is_taken[at] || !self.is_to_place(at, at < phrase_until) {
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.end == at && !self.closes(at - 1) => run.end += 1,
                _ => runs.push(at..at + 1),
            }
        }
        runs
    }

    /// Whether a word needs a role. Filler does so only where it names a group.
    fn is_to_place(&self, at: usize, is_in_phrase: bool) -> bool {
        let word = self.word(at);
        let before = self.back(at, 1);
        // `How high is the price` asks for the price.
        let is_degree = is_of(before, "how most least") && is_of(word, words!(degrees));
        // `the highest value`, where a column has the synonym `value`.
        let is_measure = words::operation(before).is_some() && self.is_synonym(word);
        let is_said = is_in_phrase
            || is_measure
            || words::period(word).is_some()
            || self.is_state(at)
            || !words::is_filler(word) && !is_degree && !self.is_idiom(at);
        // In `per date` and `by due year` a word that elsewhere is filler names the group.
        let is_behind_per = words::is_per(self.before(at, "the a an"));
        let is_of_period = words::period(self.word(at + 1)).is_some()
            && !text::stop::is_content_free(word)
            && !is_of(word, "calendar single");
        let is_grouped = is_behind_per
            && (self.linker.dictionary.is_column_word(word)
                || self.is_synonym(word)
                || self.is_paid_money(at)
                || is_of_period);
        // In `by sort of enclosure` the word before `of` names no column by itself.
        let is_kind = is_behind_per && self.is_of_kind(at);
        // `per year described`
        let both = at.saturating_sub(1)..at + 1;
        let fit = || self.fit(both.clone(), |_| true);
        let is_of_group = words::is_per(self.back(at, 2))
            && words::period(before).is_some()
            && fit().is_some_and(|fit| self.is_of_years(&both, &fit));
        (is_in_phrase || !is_kind) && (is_said || is_grouped || is_of_group)
    }

    fn findings(&self) -> Findings {
        Findings {
            table: self.table.clone(),
            asks_for_money: self.asks_for_money,
            is_taken: self.is_taken.clone(),
            named: self.named.clone(),
        }
    }

    fn go_back(&mut self, before: &Findings) {
        self.table = before.table.clone();
        self.asks_for_money = before.asks_for_money;
        self.is_taken.clone_from(&before.is_taken);
        self.named.clone_from(&before.named);
    }

    /// Finds the role of a run. If the run as a whole has none, finds the roles of its parts: `budget quoted in`.
    fn place_parts(&mut self, run: Range<usize>) -> Outcome<()> {
        if let Some(why) = self.refused(&run) {
            return Err(unfit(why));
        }
        let before = self.findings();
        let whole = self.place(run.clone());
        if !matches!(whole, Err(Tabulation::Unfit { .. })) {
            return whole;
        }
        self.go_back(&before);
        match self.place_in_parts(&run, PARTS_MAX) || self.is_idle(&run) {
            true => Ok(()),
            false => whole,
        }
    }

    /// Whether a run consists of at most `parts` parts that each have a role. If it does not, the findings stay as they
    /// were.
    fn place_in_parts(&mut self, run: &Range<usize>, parts: usize) -> bool {
        let before = self.findings();
        for middle in run.start + 1..run.end {
            let rest = middle..run.end;
            if self.place(run.start..middle).is_ok()
                && (self.place(rest.clone()).is_ok()
                    || parts > 2 && self.place_in_parts(&rest, parts - 1))
            {
                return true;
            }
            self.go_back(&before);
        }
        false
    }

    fn place(&mut self, run: Range<usize>) -> Outcome<()> {
        if let Some(why) = self.refused(&run) {
            return Err(unfit(why));
        }
        let joins = self.joining(&run);
        if !(joins == Some("by") && self.starts(run.end)) && self.group_by(&run, joins)? {
            return Ok(());
        }
        // `with an issue date during 2024`
        let near = if self.is(run.end, "date day") {
            DATE_WORDS
        } else {
            1
        };
        let is_beside = |mention: &Range<usize>| {
            mention.end == run.start || mention.start >= run.end && mention.start - run.end <= near
        };
        let is_beside = !self.is_topic(&run) && self.mentions.iter().any(is_beside);
        // `with an end date in 2027` names the column of a condition, and not the column that the oldest document is
        // found by.
        if is_beside && self.is_of_condition(&run)
            || self.is_own_number(&run)
            || self.names_condition(&run)
            || self.goes_on(&run)
        {
            return Ok(());
        }
        if self.table.measure.is_none() && !self.is_day_alone(&run) {
            let asks_for_money = !self.needs_measure() && self.asks_what_it_costs(&run);
            if (self.needs_measure() || asks_for_money) && self.measure_by(&run)? {
                if asks_for_money && self.is_broken_down(&run) {
                    self.operation = Some(ColumnOperation::Sum);
                }
                self.asks_for_money |= asks_for_money;
                return Ok(());
            }
        }
        let fit = self.fit(run.clone(), |_| true);
        let is_ahead = |fit: &Fit| {
            self.is_on(fit, self.conditions())
                && !self.is_topic(&run)
                && self.leads_to_mention(&run)
        };
        if fit.as_ref().is_some_and(|fit| is_beside || is_ahead(fit))
            || self.is_of_measure(&run)
            || self.is_of_money(&run)
            || self.is_of_bucket(&run)
            || self.is_of_group(&run)
            || self.is_own_verb(&run)
            || self.is_day_alone(&run)
            || self.serves(&run)
            || self.leads(&run)
            || self.is_request(&run)
            || self.is_handled(&run)
        {
            return Ok(());
        }
        match fit.filter(|fit| fit.score >= NAMED_MIN && !self.is_topic(&run)) {
            Some(fit) => {
                let field = self.field(fit.columns[0]);
                self.table.shown.push(field);
                Ok(())
            }
            // The reason for which the documents were first wanted does not matter any more.
            None if self.asked_again.is_some_and(|again| run.end <= again) => Ok(()),
            None => Err(Tabulation::Unfit {
                why: format!("`{}` is no condition on a column", self.said(&run)),
                name: self.name(&run),
                facets: Vec::new(),
            }),
        }
    }

    /// A run as a name or number, if all of its words are written as one. A number of up to three digits names nothing, and
    /// in a question that capitalises every word nothing is told from a name.
    fn name(&self, run: &Range<usize>) -> Option<String> {
        let tokens = &self.linker.tokens[run.clone()];
        let is_small = |token: &QuestionToken| token.text.starts_with(|c: char| c.is_lowercase());
        let is_short = |token: &QuestionToken| {
            token.text.len() < 4 && !token.text.contains(char::is_alphabetic)
        };
        if tokens.iter().all(is_short) || !self.linker.tokens.iter().any(is_small) {
            return None;
        }
        let is_name = |token: &QuestionToken| token.has_digit() || token.is_name();
        let telling = tokens.iter().map(|token| token.text.as_str());
        let telling = telling.filter(|text| !fold::is_company_suffix(text));
        let telling: Vec<&str> = telling.collect();
        (tokens.iter().all(is_name) && !telling.is_empty()).then(|| telling.join(" "))
    }

    /// Whether a run says only `date` and the words beside it say which day that is, because the largest or smallest
    /// day is wanted or days are mentioned next.
    fn is_day_alone(&self, run: &Range<usize>) -> bool {
        let is_near = |mention: &Mention| {
            matches!(mention.what, Named::Days(_))
                && (run.end..=run.end + DAY_WORDS).contains(&mention.at.start)
        };
        (self.is_most() || self.linker.mentions.iter().any(is_near))
            && run.len() == 1
            && self.is(run.start, "day date dates days")
    }

    fn is_on(
        &self,
        fit: &Fit,
        mut conditions: impl Iterator<Item = &'a QuestionCondition>,
    ) -> bool {
        conditions.any(|condition| {
            let mut columns = fit.columns.iter();
            columns.any(|id| self.column(*id).field == condition.field)
        })
    }

    fn is_of_condition(&self, run: &Range<usize>) -> bool {
        // `with settlement in euros` may mean the day or the currency of a settlement; the one with a condition counts.
        let fit = self.fit(run.clone(), |_| true);
        fit.is_some_and(|fit| self.is_on(&fit, self.linked.conditions.iter()))
    }
}
