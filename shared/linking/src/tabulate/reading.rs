//! Reads a question as a request for a table: finds what each word that is in no condition stands for, such as the
//! operation, a column or the grouping.

use super::phrase::{self, Fit, NAMED_MIN};
use super::words::{self, Period};
use super::{ColumnOperation, GroupKey, TableQuestion, Tabulation};
use crate::dictionary::{ColumnId, ColumnKind, KnownColumn};
use crate::link::Linker;
use crate::linked::{Intent, LinkedQuestion, QuestionCondition};
use crate::mention::{Mention, Named};
use crate::token::QuestionToken;
use std::ops::Range;
use text::fold;
use text::is_of;

mod beside;
mod currency;
mod idle;
mod leading;
mod money;
mod naming;
mod operation;
mod others;
mod relating;
mod serving;
mod settling;
mod stating;
mod unread_times;

use leading::asked_again;

/// The most columns that are shown of a document, besides those that the question needs.
const SHOWN_MAX: usize = 6;
/// The most words of a column name that are looked up together.
const PHRASE_WORDS_MAX: usize = 4;
/// The most words between `day` and the day that it announces: `the last day for payment in 2024`.
const DAY_WORDS: usize = 5;
/// The most words between the word before `date` and the date.
const DATE_WORDS: usize = 4;
/// The most parts of a run that each have a role of their own.
const PARTS_MAX: usize = 3;

pub(super) struct Reading<'a> {
    linker: &'a Linker<'a>,
    linked: &'a LinkedQuestion,
    bucket: Option<&'a str>,
    /// Whether each token has a role.
    is_taken: Vec<bool>,
    /// The tokens of the mentions that set a condition.
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

fn unfit(why: String) -> Tabulation {
    let (name, facets) = (None, Vec::new());
    Tabulation::Unfit { why, name, facets }
}

impl<'a> Reading<'a> {
    pub(super) fn of(linker: &'a Linker<'a>, linked: &'a LinkedQuestion) -> Reading<'a> {
        let mut is_taken = vec![false; linker.tokens.len()];
        let is_meant = |mention: &&Mention| !linker.is_dropped(&mention.at, linked);
        let mentions = linker.mentions.iter().filter(is_meant);
        let mentions: Vec<Range<usize>> = mentions.map(|mention| mention.at.clone()).collect();
        let subject = linker.frame.subject.clone();
        let subject = subject.filter(|subject| linker.is_of_documents(subject));
        if let Some(subject) = &subject {
            // Several words may stand for documents: `part specifications`.
            let is_called = |token: &&QuestionToken| {
                is_of(&fold::singular(&token.lower), words!(reading_papers))
                    || linker.dictionary.bucket_described(&token.lower) == linked.bucket.as_deref()
            };
            let is_open = subject.end > 0 && !linker.tokens[subject.end - 1].is_last;
            let behind = linker.tokens.get(subject.end).filter(|_| is_open);
            if linked.bucket.is_some() && behind.filter(is_called).is_some() {
                is_taken[subject.end] = true;
            }
        }
        for at in mentions.iter().cloned().chain(subject) {
            is_taken[at].fill(true);
        }
        Reading {
            linker,
            linked,
            bucket: linked.bucket.as_deref(),
            is_taken,
            mentions,
            operation: None,
            further: Vec::new(),
            is_of_most: false,
            asked_again: asked_again(&linker.tokens),
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
            return Err(unfit("it compares documents with others".into()));
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

    fn word(&self, at: usize) -> &'a str {
        &self.linker.tokens[at].lower
    }

    /// The number of tokens, more than one, that name a column from here on: `maximum voltage` does not ask for a
    /// maximum.
    fn phrase_at(&self, at: usize) -> Option<usize> {
        (2..=PHRASE_WORDS_MAX).rev().find(|length| {
            let tokens = self.linker.tokens.get(at..at + length);
            let is_open =
                |tokens: &[QuestionToken]| tokens[..length - 1].iter().all(|token| !token.is_last);
            let is_free = || self.is_taken[at..at + length].iter().all(|taken| !taken);
            tokens.is_some_and(is_open)
                && is_free()
                && self.fit(at..at + length, |_| true).is_some_and(|fit| {
                    // `overall amount` may be a synonym, and asks for a sum.
                    let is_asking = words::operation(self.word(at)).is_some();
                    // `of days of notice` begins with a word of the name `days_of_notice`.
                    let is_telling = |at: usize| !text::stop::is_content_free(self.word(at));
                    let is_name = fit.is_whole() || is_telling(at) && is_telling(at + length - 1);
                    fit.is_named() && is_name || fit.is_synonym() && !is_asking
                })
        })
    }

    /// Whether a word is a whole synonym of a column.
    fn is_synonym(&self, word: &str) -> bool {
        let mut columns = self.linker.dictionary.columns(self.bucket);
        columns.any(|(_, column)| column.said.is_synonym(word))
    }

    /// The columns that some tokens fit best.
    fn fit(&self, tokens: Range<usize>, is_of_kind: impl Fn(&KnownColumn) -> bool) -> Option<Fit> {
        // `pay-by date` is three words, as in the column's name.
        let said = tokens.flat_map(|at| self.word(at).split('-'));
        let said: Vec<&str> = said.filter(|word| !word.is_empty()).collect();
        phrase::best(self.linker.dictionary, self.bucket, &said, is_of_kind)
    }

    /// The column that some tokens, which occur in no column, are most similar to in meaning.
    fn near(
        &self,
        tokens: &Range<usize>,
        is_of_kind: impl Fn(&KnownColumn) -> bool,
    ) -> Option<Fit> {
        let said: Vec<&str> = tokens.clone().map(|at| self.word(at)).collect();
        let Linker {
            dictionary,
            likeness,
            ..
        } = self.linker;
        phrase::nearest(
            dictionary,
            self.bucket,
            &said.join(" "),
            *likeness,
            is_of_kind,
        )
    }

    /// Runs of neighbouring tokens whose role is not known yet.
    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut phrase_until = 0;
        for at in 0..self.is_taken.len() {
            phrase_until = phrase_until.max(at + self.phrase_at(at).unwrap_or(0));
            let word = self.word(at);
            // `How high is the price` asks for the price.
            let is_degree = at > 0
                && is_of(self.word(at - 1), "how most least")
                && is_of(word, words!(degrees));
            // `the highest value`, where a column has the synonym `value`.
            let is_measure =
                at > 0 && words::operation(self.word(at - 1)).is_some() && self.is_synonym(word);
            let is_said = at < phrase_until
                || is_measure
                || words::period(word).is_some()
                || self.is_state(at)
                || self.begins_nothing(&(at..at + 1))
                || !words::is_filler(word) && !is_degree && !self.is_idiom(at);
            // In `per date` and `by due year` a word that elsewhere is filler names the group.
            let before = (0..at)
                .rev()
                .map(|at| self.word(at))
                .find(|word| !is_of(word, "the a an"));
            let is_of_period = self
                .linker
                .tokens
                .get(at + 1)
                .is_some_and(|next| words::period(&next.lower).is_some());
            let is_grouped = before.is_some_and(words::is_per)
                && (self.linker.dictionary.is_column_word(word)
                    || self.is_synonym(word)
                    || self.is_paid_money(at)
                    || is_of_period
                        && !text::stop::is_content_free(word)
                        && !is_of(word, "calendar single"));
            // `per year described`
            let is_of_group = at > 1
                && words::is_per(self.word(at - 2))
                && words::period(self.word(at - 1)).is_some()
                && self
                    .fit(at - 1..at + 1, |_| true)
                    .is_some_and(|fit| self.is_of_years(&(at - 1..at + 1), &fit));
            // In `by sort of enclosure` the word before `of` names no column by itself.
            let is_kind = before.is_some_and(words::is_per) && self.is_of_kind(at);
            if self.is_taken[at]
                || is_kind && at >= phrase_until
                || !(is_said || is_grouped || is_of_group)
            {
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.end == at && !self.linker.tokens[at - 1].is_last => run.end += 1,
                _ => runs.push(at..at + 1),
            }
        }
        runs
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
        if self.place_in_parts(&run, PARTS_MAX) {
            return Ok(());
        }
        match self.is_idle(&run) {
            true => Ok(()),
            false => whole,
        }
    }

    /// Whether a run consists of at most `parts` parts that each have a role. If it does not, the findings stay as they
    /// were.
    fn place_in_parts(&mut self, run: &Range<usize>, parts: usize) -> bool {
        let before = self.findings();
        for middle in run.start + 1..run.end {
            let is_placed = self.place(run.start..middle).is_ok();
            let rest = middle..run.end;
            if is_placed
                && (self.place(rest.clone()).is_ok()
                    || parts > 2 && self.place_in_parts(&rest, parts - 1))
            {
                return true;
            }
            self.go_back(&before);
        }
        false
    }

    /// Finds the role of a run.
    fn place(&mut self, run: Range<usize>) -> Outcome<()> {
        if let Some(why) = self.refused(&run) {
            return Err(unfit(why));
        }
        let joins = self.joining(&run);
        let leads = self.mentions.iter().any(|mention| mention.start == run.end);
        if !(joins == Some("by") && leads) && self.group_by(&run, joins)? {
            return Ok(());
        }
        // `with an issue date during 2024`
        let is_date = self
            .linker
            .tokens
            .get(run.end)
            .is_some_and(|next| is_of(&next.lower, "date day"));
        let near = if is_date { DATE_WORDS } else { 1 };
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
        let is_ahead = fit.as_ref().is_some_and(|fit| {
            let conditions = [&self.linked.conditions, &self.linked.parts];
            let mut conditions = conditions.into_iter();
            let is_on = conditions.any(|conditions| self.is_on(fit, conditions));
            is_on && !self.is_topic(&run) && self.leads_to_mention(&run)
        });
        if fit.is_some() && (is_beside || is_ahead)
            || self.is_of_measure(&run)
            || self.is_of_money(&run)
            || self.is_of_bucket(&run)
            || self.is_day_alone(&run)
        {
            return Ok(());
        }
        if self.is_of_group(&run)
            || self.serves(&run)
            || self.leads(&run)
            || self.is_own_verb(&run)
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
        let is_short = tokens
            .iter()
            .all(|token| token.text.len() < 4 && !token.text.contains(|c: char| c.is_alphabetic()));
        if is_short || !self.linker.tokens.iter().any(is_small) {
            return None;
        }
        let is_name =
            |token: &QuestionToken| token.has_digit() || token.is_capital() && !token.is_first;
        let telling = tokens
            .iter()
            .filter(|token| !fold::is_company_suffix(&token.text));
        let telling: Vec<&str> = telling.map(|token| token.text.as_str()).collect();
        (tokens.iter().all(is_name) && !telling.is_empty()).then(|| telling.join(" "))
    }

    /// The word that introduces a run as the key of a group: `by kind of part`.
    fn joining(&self, run: &Range<usize>) -> Option<&'a str> {
        let mut at = run.start;
        while at > 0 {
            at -= 1;
            if self.word(at) == "of" && at > 0 && self.is_of_kind(at - 1) {
                at -= 1;
            } else if !is_of(
                self.word(at),
                "the a an their its to single individual calendar",
            ) {
                return Some(self.word(at)).filter(|word| words::is_per(word));
            }
        }
        None
    }

    /// Whether a word before `of` only says that the word behind it has values: `by kind of part`.
    fn is_of_kind(&self, at: usize) -> bool {
        let next = self.linker.tokens.get(at + 1);
        is_of(self.word(at), words!(kinds)) && next.is_some_and(|next| next.lower == "of")
    }

    /// Whether a run says only `date` and the words beside it say which day that is, because the largest or smallest
    /// day is wanted or days are mentioned next.
    fn is_day_alone(&self, run: &Range<usize>) -> bool {
        let is_most = matches!(
            self.operation,
            Some(ColumnOperation::Largest | ColumnOperation::Smallest)
        );
        let mut mentions = self.linker.mentions.iter();
        let is_near = |mention: &Mention| {
            matches!(mention.what, Named::Days(_))
                && (run.end..=run.end + DAY_WORDS).contains(&mention.at.start)
        };
        (is_most || mentions.any(is_near))
            && run.len() == 1
            && is_of(self.word(run.start), "day date dates days")
    }

    fn is_on(&self, fit: &Fit, conditions: &[QuestionCondition]) -> bool {
        let mut fields = fit.columns.iter().map(|column| self.field(*column));
        fields.any(|field| conditions.iter().any(|condition| condition.field == field))
    }

    /// Whether a run names the column of a condition.
    fn is_of_condition(&self, run: &Range<usize>) -> bool {
        let Some(fit) = self.fit(run.clone(), |_| true) else {
            return false;
        };
        // `with settlement in euros` may mean the day or the currency of a settlement; the one with a condition counts.
        self.is_on(&fit, &self.linked.conditions)
    }
}
