//! Finds the operation of a question, how many of the largest documents it wants, and what its words leave open: the
//! measure, and the columns that are shown. Pure.

use super::super::patterns::Patterns;
use super::super::words::NamedOperation;
use super::money::{holds_amounts, is_part};
use super::*;
use crate::linked::Test;
use ColumnOperation::{Average, Count, Largest, List, Smallest, Sum};
use std::cmp::Reverse;
use std::sync::LazyLock;

/// The number of documents that `the largest invoices` asks for.
const MOST_OF_MANY: usize = 5;
/// The most columns that are shown of a document, besides those that the question needs.
const SHOWN_MAX: usize = 6;

type Operations = Patterns<Option<NamedOperation>>;

static OPERATIONS: LazyLock<Operations> =
    LazyLock::new(|| Patterns::of(words!(operations), NamedOperation::meant));
/// Those of a question that asks how many there are.
static OF_MANY: LazyLock<Operations> =
    LazyLock::new(|| Patterns::of(words!(operations_of_many), NamedOperation::meant));

impl Reading<'_> {
    /// Finds the operation that the words name. If they name several, the strongest wins.
    pub(super) fn read_operation(&mut self) {
        let rank = |operation| match operation {
            Average => 4,
            Sum => 3,
            Largest | Smallest => 2,
            Count => 1,
            List => 0,
        };
        let mut at = 0;
        while at < self.is_taken.len() {
            if self.is_taken[at] {
                at += 1;
                continue;
            }
            if let Some(length) = self.phrase_at(at) {
                at += length;
                continue;
            }
            if let Some(said) = self.operation_at(at) {
                let operation = said.operation;
                self.is_taken[at..=at + usize::from(said.is_both)].fill(true);
                self.is_of_most |= self.is_before_subject(at) && self.is(at, "most fewest least");
                let known = self.operation;
                let is_stronger = known.is_none_or(|known| rank(operation) > rank(known));
                self.further
                    .extend(if is_stronger { known } else { Some(operation) });
                if is_stronger {
                    self.operation = Some(operation);
                    self.table.is_day = said.is_day;
                    self.table.limit = self.is_most().then(|| self.limit_beside(at));
                }
            }
            at += 1;
        }
    }

    /// The operation that the word at a token names in its place.
    fn operation_at(&mut self, at: usize) -> Option<NamedOperation> {
        let tokens = &self.linker.tokens;
        // `how many sheets most recently updated in 2024`
        if self.operation == Some(Count) && tokens.says(at, "most recently") {
            self.is_taken[at] = true;
            return None;
        }
        let asks_how_many = tokens.has_pair("how", "many");
        let of_many = OF_MANY.at(self, at).filter(|_| asks_how_many);
        if let Some(said) = of_many.or_else(|| OPERATIONS.at(self, at)) {
            return said;
        }
        // `How do the invoices add up in number?`
        let counts = tokens.says(at, "add up") && tokens.has_pair("in", "number")
            || tokens.says(at, "numbers of") && self.linked.intent == Intent::Compare;
        let is_sum = match self.word(at) {
            "together" => self.closes(at) && (0..at).any(|at| self.is(at, "take put add")),
            "tally" => self.is_money_ahead(at),
            _ => false,
        };
        match (counts, is_sum) {
            (true, _) => Some(NamedOperation::of(Count)),
            (_, true) => Some(NamedOperation::of(Sum)),
            _ => words::operation(self.word(at)),
        }
    }

    /// Whether a word stands right before the noun of the question.
    fn is_before_subject(&self, at: usize) -> bool {
        self.is_noun_start(at + 1)
    }

    /// The number of documents that is wanted: `top 5`, `three largest`. Without a number, a plural means a few and a
    /// singular means one.
    fn limit_beside(&mut self, at: usize) -> usize {
        for near in [at.wrapping_sub(1), at + 1] {
            let word = self.word(near);
            let spelled =
                text::numerals::small(word).filter(|number| (2.0..=10.0).contains(number));
            let number = word.parse().ok().or(spelled.map(|number| number as usize));
            if let Some(number) = number.filter(|number| *number > 0 && !self.is_taken[near]) {
                self.is_taken[near] = true;
                return number;
            }
        }
        match self.is_plural() && !self.is_of_one(at) && !self.is(at, "first last") {
            true => MOST_OF_MANY,
            false => 1,
        }
    }

    /// Whether the largest of a plural is one document.
    fn is_of_one(&self, at: usize) -> bool {
        let is_before = |words: &str| (0..at).any(|at| self.is(at, words));
        // `Among the invoices, which has the lowest total?`
        let is_asked = |at: usize| self.is(at, "which what") && self.is(at + 1, words!(bearing));
        // In `highest amount invoices from Acme` the amount is highest, and not a document; in `largest Acme invoices` a
        // name stands between.
        let begins = (0..at).all(|at| self.is(at, "the our"));
        let is_beside = self.subject.as_ref().is_some_and(|subject| {
            (at + 1..self.noun_start(subject)).all(|at| self.is_mention(at))
        });
        (0..at).any(is_asked)
            // `Where is the total highest among the invoices?`
            || self.word(0) == "where"
            // `Which of our invoices has the lowest total?`
            || self.linker.tokens.says(0, "which of")
                && is_before("has is was had goes bears carries shows")
            // `Of the invoices, the largest`, `state the one with the lowest total`
            || self.is(0, "of among amongst")
            || self.linker.tokens.has_pair("the which single only", "one")
            || begins && !is_beside
    }

    fn is_plural(&self) -> bool {
        self.subject.as_ref().is_some_and(|subject| {
            let last = self.linker.tokens[subject.clone()].last();
            let key = last.map_or(String::new(), |last| fold::key(&last.text));
            fold::singular(&key) != key
        })
    }

    /// Decides the operation if the words did not. For example, a question that computes something from a measure wants
    /// a sum.
    pub(super) fn settle(&mut self) -> Outcome<()> {
        // `The net amount for every vendor` means the sum for each vendor.
        if let (None, Some(GroupKey::Column(_)), None) =
            (self.operation, &self.table.group, &self.table.measure)
        {
            self.table.measure = self.shown_number();
        }
        if self.table.unsorted.is_some() && self.is_most() {
            // `sorted by due date, newest first`
            self.operation = None;
            (self.table.limit, self.table.measure, self.table.is_day) = (None, None, false);
        }
        if self.is_of_most {
            self.count_most()?;
        }
        if self.asks_for_two_operations() {
            return Err(unfit("it asks for two operations at once"));
        }
        let has_measure = self.table.measure.is_some();
        let is_compared = self.linked.intent == Intent::Compare;
        // `Top voltage: HX-1 or HX-2?` asks for the values of both.
        if self.is_most() && has_measure && is_compared && self.is_between_two() {
            self.operation = None;
            self.table.limit = None;
        }
        let counting = "many number numbers count tally more fewer less outnumber";
        let sum_or_count = if has_measure { Sum } else { Count };
        self.table.operation = match (self.operation, self.linked.intent) {
            (Some(operation), _) => operation,
            (None, _) if self.table.group.is_some() => sum_or_count,
            (None, Intent::Compare) if has_measure && self.is_between_many() => Sum,
            (None, Intent::Documents) if self.asks_for_money => Sum,
            (None, Intent::Compute) => sum_or_count,
            (None, Intent::Compare)
                if !has_measure && self.is_between_many() && self.linker.tokens.has(counting) =>
            {
                Count
            }
            (None, Intent::Compare) if !has_measure => {
                return Err(unfit("no column is named that could be compared"));
            }
            (None, _) => List,
        };
        self.operation = Some(self.table.operation);
        Ok(())
    }

    /// Counts the documents by the column that is to have the most of them: `which vendor sent the most invoices?`.
    fn count_most(&mut self) -> Outcome<()> {
        let number = self.shown_number();
        let mut shown = self.table.shown.iter();
        let key = shown.find(|field| Some(*field) != number.as_ref());
        let key = key.cloned().map(GroupKey::Column);
        let group = self.table.group.take().or(key);
        if group.is_none() && !self.is_between_many() {
            return Err(unfit("it asks who has the most documents"));
        }
        self.table.group = group;
        self.operation = Some(Count);
        (self.table.limit, self.table.measure, self.table.is_day) = (None, None, false);
        Ok(())
    }

    /// Whether the words name two operations of which one would have to be left out: `the sum of the newest invoices`,
    /// `the largest invoice of each vendor`, `the average number of invoices`. `How many invoices are there, and what do
    /// they add up to?` wants a sum, which comes with its number.
    fn asks_for_two_operations(&self) -> bool {
        let is_adding = matches!(self.operation, Some(Sum | Average));
        let is_other = |other: &ColumnOperation| {
            Some(*other) != self.operation && *other != Count && (is_adding || self.is_most())
        };
        let is_average_number = self.operation == Some(Average)
            && self.further.contains(&Count)
            && self.table.measure.is_none();
        self.further.iter().any(is_other)
            || is_average_number
            || self.is_most() && self.table.group.is_some()
    }

    /// The column of numbers that is to be shown, if there is one.
    fn shown_number(&self) -> Option<String> {
        let is_number = |field: &&String| {
            let mut columns = self.columns();
            columns.any(|(_, column)| column.field == **field && phrase::is_number(column))
        };
        self.table.shown.iter().find(is_number).cloned()
    }

    /// Whether a column identifies documents, by its field; `None` if the bucket has no such column.
    fn identifies(&self, field: &str) -> Option<bool> {
        let (_, column) = self.columns().find(|(_, column)| column.field == field)?;
        Some(column.is_naming() || column.is_named())
    }

    /// Whether each side of a comparison is many documents and not a single one.
    pub(super) fn is_between_many(&self) -> bool {
        let mut parts = self.linked.parts.iter();
        self.subject.is_some() && parts.any(|part| self.identifies(&part.field) == Some(false))
    }

    /// Whether the sides of a comparison are documents that are named by their numbers.
    pub(super) fn is_between_two(&self) -> bool {
        let has_digit = |form: &String| form.contains(|c: char| c.is_ascii_digit());
        let mut parts = self.linked.parts.iter();
        !self.linked.parts.is_empty() && parts.all(|part| {
            self.identifies(&part.field) == Some(true)
                && matches!(&part.test, Test::Is(things) if things.iter().flatten().all(has_digit))
        })
    }

    /// Checks that a question without another operation wants a list. `what does invoice 4 say?` asks for its words
    /// instead.
    pub(super) fn is_list(&self) -> Outcome<()> {
        if self.table.operation != List || self.linked.intent == Intent::Compare {
            return Ok(());
        }
        let first = self.asked_again.unwrap_or(0);
        let asks_words = self.is(first, "when who whose whom why how")
            || self.word(first) == "what" && !self.is_plural();
        if asks_words {
            return Err(unfit("it asks for what a document says"));
        }
        match self.bucket.is_none() && self.linked.conditions.is_empty() {
            true => Err(unfit("nothing says which documents")),
            false => Ok(()),
        }
    }

    /// Chooses the measure if the question names none. Of columns with amounts it is the one with totals.
    pub(super) fn measure_by_default(&mut self) -> Outcome<()> {
        if self.table.measure.is_some() {
            return Ok(());
        }
        if self.table.is_day {
            let day = self.day_by_default(ColumnKind::Day);
            let day = day.or_else(|| self.day_by_default(ColumnKind::Year));
            let day = day.ok_or_else(|| unfit("no column holds days"))?;
            self.table.measure = Some(self.field(day));
            return Ok(());
        }
        let score = |column: &KnownColumn| {
            (
                column.is_called(words!(reading_money)),
                !column.is_called(words!(part)) || holds_amounts(column) && !is_part(column),
                column.is_called("total gross"),
                self.is_called_after_bucket(column),
            )
        };
        let columns = self.columns();
        let numbers = columns.filter(|(_, column)| phrase::is_number(column));
        let scored: Vec<_> = numbers.map(|(_, column)| (score(column), column)).collect();
        let best = scored.iter().map(|(score, _)| *score).max();
        let best = best.ok_or_else(|| unfit("no column holds numbers"))?;
        let alike = scored.iter().filter(|(score, _)| *score == best);
        let mut fields: Vec<String> = alike.map(|(_, column)| column.field.clone()).collect();
        fields.dedup();
        if fields.len() > 1 {
            let (said, columns) = ("amount".into(), fields);
            return Err(Tabulation::Ambiguous { said, columns });
        }
        self.table.measure = fields.pop();
        Ok(())
    }

    /// The best column of days if the question names none. Of columns that are equally good it is the first one.
    pub(super) fn day_by_default(&self, kind: ColumnKind) -> Option<ColumnId> {
        self.days_by_default(kind).first().copied()
    }

    /// The best columns of days if the question names none: preferably those on which nothing ends, and of these the ones
    /// that are named after the bucket.
    pub(super) fn days_by_default(&self, kind: ColumnKind) -> Vec<ColumnId> {
        let days = self.columns().filter(|(_, column)| column.kind() == kind);
        let score = |column: &KnownColumn| (column.is_end(), !self.is_called_after_bucket(column));
        let scored: Vec<_> = days.map(|(id, column)| (score(column), id)).collect();
        let best = scored.iter().map(|(score, _)| *score).min();
        let best = scored.iter().filter(|(score, _)| Some(*score) == best);
        best.map(|(_, id)| *id).collect()
    }

    /// Whether the noun for one document of the bucket is in the name of a column.
    fn is_called_after_bucket(&self, column: &KnownColumn) -> bool {
        let noun = |bucket: &str| fold::singular(&bucket.to_lowercase());
        self.bucket
            .is_some_and(|bucket| column.words.contains(&noun(bucket)))
    }

    /// Chooses the columns to show of each document: first those of the question, then those that most documents have.
    pub(super) fn show(&mut self) {
        let shown = std::mem::take(&mut self.table.shown);
        let said = self.table.measure.iter().chain(&self.table.currency);
        let said = said.cloned().chain(shown);
        let conditions = self.conditions().map(|condition| condition.field.clone());
        let mut columns: Vec<&KnownColumn> = match self.bucket {
            Some(_) => self.columns().map(|(_, column)| column).collect(),
            None => Vec::new(),
        };
        columns.sort_by_key(|column| Reverse(column.documents()));
        let columns = columns.iter().map(|column| column.field.clone());
        let mut kept: Vec<String> = Vec::new();
        for field in said.chain(conditions).chain(columns) {
            if field != crate::NAMED && field != "title" && !kept.contains(&field) {
                kept.push(field);
            }
        }
        kept.truncate(SHOWN_MAX);
        self.table.shown = kept;
    }
}
