//! What the words of a question leave open of its table: what is done, with which column, which are shown. Pure.

use super::money::{holds_amounts, is_part};
use super::*;
use crate::linked::Test;
use std::cmp::Reverse;
use text::currencies::CODES;

/// Words of columns that hold no money, whatever there is beside them.
const COUNTED: &str = "days day weeks months month years year hours period notice term duration count quantity qty pieces pages \
    page percent percentage voltage volts current amps power frequency weight mass length width height size temperature \
    resistance rating score rank";

impl Reading<'_> {
    /// What is done, as far as the words alone did not say: what a total is of, makes it a sum.
    pub(super) fn settle(&mut self) -> Outcome<()> {
        // `The net amount for every vendor` is what it comes to for each.
        if let (None, Some(GroupKey::Column(_)), None) =
            (self.operation, &self.table.group, &self.table.measure)
        {
            self.table.measure = self.shown_number();
        }
        let has_measure = self.table.measure.is_some();
        let is_most = matches!(
            self.operation,
            Some(ColumnOperation::Largest | ColumnOperation::Smallest)
        );
        // `Top voltage: HX-1 or HX-2?` wants what both have.
        if is_most && has_measure && self.linked.intent == Intent::Compare && self.is_between_two()
        {
            self.operation = None;
            self.table.limit = None;
        }
        self.table.operation = match (self.operation, self.linked.intent) {
            (Some(operation), _) => operation,
            (None, _) if self.table.group.is_some() => match has_measure {
                true => ColumnOperation::Sum,
                false => ColumnOperation::Count,
            },
            (None, Intent::Compare) if has_measure && self.is_between_many() => {
                ColumnOperation::Sum
            }
            (None, Intent::Documents) if self.asks_for_money => ColumnOperation::Sum,
            (None, Intent::Compute) if has_measure => ColumnOperation::Sum,
            (None, Intent::Compute) => ColumnOperation::Count,
            (None, Intent::Compare)
                if !has_measure && self.is_between_many() && self.says_count() =>
            {
                ColumnOperation::Count
            }
            (None, Intent::Compare) if !has_measure => {
                return Err(unfit("no column is named that could be compared".into()));
            }
            (None, _) => ColumnOperation::List,
        };
        self.operation = Some(self.table.operation);
        Ok(())
    }

    /// The column of numbers that is to be shown, if there is one.
    fn shown_number(&self) -> Option<String> {
        let is_number = |field: &&String| {
            let mut columns = self.linker.dictionary.columns(self.bucket);
            columns.any(|(_, column)| column.field == **field && phrase::is_number(column))
        };
        self.table.shown.iter().find(is_number).cloned()
    }

    /// Whether the sides of a comparison are many documents each, and not one.
    pub(super) fn is_between_many(&self) -> bool {
        let is_many = |field: &str| {
            let mut columns = self.linker.dictionary.columns(self.bucket);
            let column = columns.find(|(_, column)| column.field == field);
            column.is_some_and(|(_, column)| !column.is_naming() && !column.is_named())
        };
        let mut parts = self.linked.parts.iter();
        self.linker.frame.subject.is_some() && parts.any(|part| is_many(&part.field))
    }

    /// Whether it is said that documents are counted: `are there more contracts with Acme than with Bolt?`.
    fn says_count(&self) -> bool {
        let mut tokens = self.linker.tokens.iter();
        tokens.any(|token| {
            is_of(
                &token.lower,
                "many number numbers count tally more fewer less outnumber",
            )
        })
    }

    /// Whether the sides of a comparison are documents that are named, each by a number of its own.
    pub(super) fn is_between_two(&self) -> bool {
        let is_number = |field: &str| {
            let mut columns = self.linker.dictionary.columns(self.bucket);
            let column = columns.find(|(_, column)| column.field == field);
            column.is_some_and(|(_, column)| column.is_naming() || column.is_named())
        };
        let has_digit = |test: &Test| {
            matches!(test, Test::Is(things)
                if things.iter().flatten().all(|form| form.contains(|c: char| c.is_ascii_digit())))
        };
        let mut parts = self.linked.parts.iter();
        !self.linked.parts.is_empty()
            && parts.all(|part| is_number(&part.field) && has_digit(&part.test))
    }

    /// Whether a list of documents is wanted, where nothing is counted: `what does invoice 4 say?` asks for its words.
    pub(super) fn is_list(&self) -> Outcome<()> {
        if self.table.operation != ColumnOperation::List || self.linked.intent == Intent::Compare {
            return Ok(());
        }
        let first = self
            .linker
            .tokens
            .get(self.asked_again.unwrap_or(0))
            .map_or("", |token| token.lower.as_str());
        let asks_words =
            is_of(first, "when who whose whom why how") || first == "what" && !self.is_plural();
        if asks_words {
            return Err(unfit("it asks for what a document says".into()));
        }
        match self.bucket.is_none() && self.linked.conditions.is_empty() {
            true => Err(unfit("nothing says which documents".into())),
            false => Ok(()),
        }
    }

    /// The column that is meant where none is named: of amounts the one that holds totals.
    pub(super) fn measure_by_default(&mut self) -> Outcome<()> {
        if self.table.measure.is_some() {
            return Ok(());
        }
        if self.table.is_day {
            let day = self
                .day_by_default(ColumnKind::Day)
                .or_else(|| self.day_by_default(ColumnKind::Year));
            let day = day.ok_or_else(|| unfit("no column holds days".into()))?;
            self.table.measure = Some(self.field(day));
            return Ok(());
        }
        let columns = self.linker.dictionary.columns(self.bucket);
        let numbers = columns.filter(|(_, column)| phrase::is_number(column));
        let subject = self.subject();
        let score = |column: &KnownColumn| {
            let has = |known: &str| column.words.iter().any(|word| is_of(word, known));
            (
                has(MONEY),
                !has(PART) || holds_amounts(column) && !is_part(column),
                has("total gross"),
                subject.iter().any(|word| column.words.contains(word)),
            )
        };
        let mut scored: Vec<_> = numbers
            .map(|(id, column)| (Reverse(score(column)), id))
            .collect();
        scored.sort_by_key(|(score, _)| *score);
        let alike: Vec<ColumnId> = match scored.first() {
            None => return Err(unfit("no column holds numbers".into())),
            Some((best, _)) => scored
                .iter()
                .take_while(|(score, _)| score == best)
                .map(|(_, id)| *id)
                .collect(),
        };
        let mut fields: Vec<String> = alike.iter().map(|id| self.field(*id)).collect();
        fields.dedup();
        match fields.len() {
            1 => {
                self.table.measure = fields.pop();
                Ok(())
            }
            _ => Err(Tabulation::Ambiguous {
                said: "amount".into(),
                columns: fields,
            }),
        }
    }

    /// The first column of days on which something begins, one that is called after the documents before others.
    pub(super) fn day_by_default(&self, kind: ColumnKind) -> Option<ColumnId> {
        let columns = self.linker.dictionary.columns(self.bucket);
        let days = columns.filter(|(_, column)| column.kind() == kind);
        let subject = self.subject();
        let is_called =
            |column: &KnownColumn| subject.iter().any(|word| column.words.contains(word));
        // The first of those that are alike.
        let best = days.min_by_key(|(id, column)| (column.is_end(), !is_called(column), *id));
        best.map(|(id, _)| id)
    }

    /// Whether something ends on the day that a column holds.
    pub(super) fn is_end(&self, column: ColumnId) -> bool {
        self.linker.dictionary.column(column).is_end()
    }

    /// What one document is called.
    pub(super) fn subject(&self) -> Vec<String> {
        let bucket = self
            .bucket
            .map(|bucket| fold::singular(&bucket.to_lowercase()));
        bucket.into_iter().collect()
    }

    /// The column that says in which currency the measure is: it is called so, or holds codes of currencies. A measure is
    /// money unless it has another unit, or is called after what is counted.
    pub(super) fn currency(&self) -> Option<String> {
        let measure = self.table.measure.as_ref().filter(|_| !self.table.is_day)?;
        let dictionary = self.linker.dictionary;
        let mut columns = dictionary.columns(self.bucket);
        if !columns.any(|(_, column)| column.field == *measure && is_money(column)) {
            return None;
        }
        let is_called = |column: &KnownColumn| column.words.iter().any(|word| word == "currency");
        let mut columns = dictionary.columns(self.bucket);
        if let Some((_, column)) = columns.find(|(_, column)| is_called(column)) {
            return Some(column.field.clone());
        }
        let values = CODES.iter().map(|code| code.to_lowercase());
        let values = values.flat_map(|code| dictionary.with_key(&code).collect::<Vec<_>>());
        let columns = values.map(|value| (value.documents, dictionary.column(value.column)));
        let is_here = |column: &KnownColumn| {
            let is_field = !column.is_named() && column.has_few_values();
            is_field && self.bucket.is_none_or(|bucket| column.bucket == bucket)
        };
        let held = columns.filter(|(_, column)| is_here(column));
        let most = held.max_by_key(|(documents, _)| *documents)?;
        Some(most.1.field.clone())
    }

    /// The columns of each document that are shown: those of the question, then those that most documents have.
    pub(super) fn show(&mut self) {
        let mut shown = std::mem::take(&mut self.table.shown);
        shown.splice(
            0..0,
            self.table
                .measure
                .iter()
                .chain(&self.table.currency)
                .cloned(),
        );
        let conditions = self.linked.conditions.iter().chain(&self.linked.parts);
        shown.extend(conditions.map(|condition| condition.field.clone()));
        let columns = self
            .linker
            .dictionary
            .columns(self.bucket)
            .filter(|_| self.bucket.is_some());
        let mut columns: Vec<&KnownColumn> = columns.map(|(_, column)| column).collect();
        columns.sort_by_key(|column| Reverse(column.documents()));
        shown.extend(columns.iter().map(|column| column.field.clone()));
        let mut kept: Vec<String> = Vec::new();
        for field in shown {
            if field != crate::NAMED
                && field != "title"
                && !kept.contains(&field)
                && kept.len() < SHOWN_MAX
            {
                kept.push(field);
            }
        }
        self.table.shown = kept;
    }

    pub(super) fn field(&self, column: ColumnId) -> String {
        self.linker.dictionary.column(column).field.clone()
    }

    pub(super) fn said(&self, tokens: &Range<usize>) -> String {
        let words: Vec<&str> = self.linker.tokens[tokens.clone()]
            .iter()
            .map(|token| token.text.as_str())
            .collect();
        words.join(" ")
    }
}

/// Whether a unit is one, and none of money.
fn is_measured(unit: &str) -> bool {
    let is_code = CODES.iter().any(|code| code.eq_ignore_ascii_case(unit));
    !unit.is_empty() && !is_code && !unit.contains(['$', '€', '£', '¥', '₹'])
}

/// Whether a column of numbers holds money: it has no other unit, and is not called after what is counted.
pub(super) fn is_money(column: &KnownColumn) -> bool {
    let mut words = column.words.iter();
    !is_measured(&column.unit) && !words.any(|word| is_of(word, COUNTED))
}
