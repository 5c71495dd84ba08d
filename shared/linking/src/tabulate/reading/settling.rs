//! Decides what the words of a question leave open about its table: the operation, the measure, and the columns that
//! are shown. Pure.

use super::money::{holds_amounts, is_part};
use super::*;
use crate::linked::Test;
use std::cmp::Reverse;

impl Reading<'_> {
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
        self.is_one_operation()?;
        let has_measure = self.table.measure.is_some();
        let is_most = self.is_most();
        // `Top voltage: HX-1 or HX-2?` asks for the values of both.
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

    /// Counts the documents by the column that is to have the most of them: `which vendor sent the most invoices?`.
    fn count_most(&mut self) -> Outcome<()> {
        let is_number = |field: &String| Some(field) == self.shown_number().as_ref();
        let key = self.table.shown.iter().find(|field| !is_number(field));
        let key = key.cloned().map(GroupKey::Column);
        let group = self.table.group.take().or(key);
        if group.is_none() && !self.is_between_many() {
            return Err(unfit("it asks who has the most documents".into()));
        }
        self.table.group = group;
        self.operation = Some(ColumnOperation::Count);
        (self.table.limit, self.table.measure, self.table.is_day) = (None, None, false);
        Ok(())
    }

    /// Checks that the words do not name two operations of which one would have to be left out: `the sum of the newest
    /// invoices`, `the largest invoice of each vendor`, `the average number of invoices`.
    fn is_one_operation(&self) -> Outcome<()> {
        let is_adding = matches!(
            self.operation,
            Some(ColumnOperation::Sum | ColumnOperation::Average)
        );
        let counts = |operation: &&ColumnOperation| **operation == ColumnOperation::Count;
        let mut others = self.further.iter();
        // `How many invoices are there, and what do they add up to?` wants a sum, which comes with its number.
        let is_other = others.any(|other| {
            Some(*other) != self.operation && !counts(&other) && (is_adding || self.is_most())
        });
        let is_average = self.operation == Some(ColumnOperation::Average);
        let is_two = is_other
            || is_average
                && self.further.iter().any(|other| counts(&other))
                && self.table.measure.is_none()
            || self.is_most() && self.table.group.is_some();
        match is_two {
            true => Err(unfit("it asks for two operations at once".into())),
            false => Ok(()),
        }
    }

    /// The column of numbers that is to be shown, if there is one.
    fn shown_number(&self) -> Option<String> {
        let is_number = |field: &&String| {
            let mut columns = self.linker.dictionary.columns(self.bucket);
            columns.any(|(_, column)| column.field == **field && phrase::is_number(column))
        };
        self.table.shown.iter().find(is_number).cloned()
    }

    /// Whether each side of a comparison is many documents and not a single one.
    pub(super) fn is_between_many(&self) -> bool {
        let is_many = |field: &str| {
            let mut columns = self.linker.dictionary.columns(self.bucket);
            let column = columns.find(|(_, column)| column.field == field);
            column.is_some_and(|(_, column)| !column.is_naming() && !column.is_named())
        };
        let mut parts = self.linked.parts.iter();
        self.linker.frame.subject.is_some() && parts.any(|part| is_many(&part.field))
    }

    /// Whether a word says that documents are counted: `are there more contracts with Acme than with Bolt?`.
    fn says_count(&self) -> bool {
        let mut tokens = self.linker.tokens.iter();
        tokens.any(|token| {
            is_of(
                &token.lower,
                "many number numbers count tally more fewer less outnumber",
            )
        })
    }

    /// Whether the sides of a comparison are documents that are named by their numbers.
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

    /// Checks that a question without another operation wants a list. `what does invoice 4 say?` asks for its words
    /// instead.
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

    /// Chooses the measure if the question names none. Of columns with amounts it is the one with totals.
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
                has(words!(reading_money)),
                !has(words!(part)) || holds_amounts(column) && !is_part(column),
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

    /// The best column of days if the question names none. Of columns that are equally good it is the first one.
    pub(super) fn day_by_default(&self, kind: ColumnKind) -> Option<ColumnId> {
        self.days_by_default(kind).first().copied()
    }

    /// The best columns of days if the question names none: preferably those on which nothing ends, and of these the ones
    /// that are named after the bucket.
    pub(super) fn days_by_default(&self, kind: ColumnKind) -> Vec<ColumnId> {
        let columns = self.linker.dictionary.columns(self.bucket);
        let days = columns.filter(|(_, column)| column.kind() == kind);
        let subject = self.subject();
        let is_called =
            |column: &KnownColumn| subject.iter().any(|word| column.words.contains(word));
        let mut scored: Vec<((bool, bool), ColumnId)> = days
            .map(|(id, column)| ((column.is_end(), !is_called(column)), id))
            .collect();
        scored.sort();
        let best = scored.first().map(|(score, _)| *score);
        let best = scored.iter().filter(|(score, _)| Some(*score) == best);
        best.map(|(_, id)| *id).collect()
    }

    /// Whether something ends on the days of a column.
    pub(super) fn is_end(&self, column: ColumnId) -> bool {
        self.linker.dictionary.column(column).is_end()
    }

    /// The noun for one document of the bucket.
    pub(super) fn subject(&self) -> Vec<String> {
        let bucket = self
            .bucket
            .map(|bucket| fold::singular(&bucket.to_lowercase()));
        bucket.into_iter().collect()
    }

    /// Chooses the columns to show of each document: first those of the question, then those that most documents have.
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
