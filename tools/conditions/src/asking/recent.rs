//! Drafts questions about time: with time spans around the day of the record, or relative to today.

use super::draft::{Desk, Hold};
use super::phrase::Phrase;
use super::span::Around;
use crate::field::{Field, Shelf};
use crate::question::NearMiss;
use crate::wording::Span;

/// How many of a thousand spans in questions about time are relative to today.
const RELATIVE: usize = 450;
/// How many records are looked at for one that lies in such a span, and the most days that it may be away from today.
const DRAWN: usize = 60;
const DAYS: i64 = 300;

const FIXED_SPANS: [Span; 8] = [
    Span::Month,
    Span::Quarter,
    Span::Half,
    Span::Since,
    Span::Between,
    Span::Between,
    Span::Before,
    Span::After,
];
const RELATIVE_SPANS: [Span; 5] = [
    Span::LastMonth,
    Span::LastQuarter,
    Span::LastYear,
    Span::ThisYear,
    Span::LastDays,
];

impl Desk<'_, '_> {
    pub(super) fn time(&mut self) -> Option<Vec<Phrase>> {
        if self.shelf == Shelf::Reports {
            return self.usual_phrases(2).filter(|phrases| phrases.len() == 2);
        }
        let field = self.field_of_time()?;
        let is_relative = self
            .family
            .is_none_or(|family| family != NearMiss::FiscalYear)
            && self.scene.dice.permille(RELATIVE);
        if is_relative && self.family.is_none() {
            self.move_to_today(field)?;
        }
        let around = Around {
            day: self.day(field)?,
            ..self.around
        };
        let span = match self.family {
            Some(NearMiss::FiscalYear) => Span::Fiscal,
            _ if is_relative => *self.scene.dice.pick(&RELATIVE_SPANS),
            _ => *self.scene.dice.pick(&FIXED_SPANS),
        };
        let mut phrases = Vec::new();
        // Some spans are asked for without a company: "due last month".
        if self.family.is_some() || self.scene.dice.permille(600) {
            phrases.push(self.phrase(Hold::Company)?);
        } else if self.scene.dice.permille(500) {
            phrases.push(self.phrase(Hold::Is(Field::Category))?);
        }
        phrases.push(self.scene.when(self.shelf, field, span, around)?);
        Some(phrases)
    }

    /// The field of the day that is asked for.
    fn field_of_time(&mut self) -> Option<Field> {
        let holds = self.holds();
        let days = holds.iter().filter_map(|hold| match hold {
            Hold::When(field) => Some(*field),
            _ => None,
        });
        let days: Vec<Field> = days.collect();
        if days.is_empty() {
            return None;
        }
        Some(match self.family {
            Some(NearMiss::DueDate) => Field::Due,
            Some(_) => Field::Date,
            None if self.shelf == Shelf::Invoices && self.scene.dice.permille(250) => Field::Due,
            None => *self.scene.dice.pick(&days),
        })
    }

    /// Moves on to another record, whose day is not long ago.
    fn move_to_today(&mut self, field: Field) -> Option<()> {
        let today = self.around.today;
        for _ in 0..DRAWN {
            self.record = self.scene.draw(self.shelf)?;
            let is_recent = self
                .day(field)
                .is_some_and(|day| today.plus(-DAYS) <= day && day <= today);
            if let Some(company) = self.record.said(Field::Company).filter(|_| is_recent) {
                self.company = self.scene.company(&company.as_text()).clone();
                return Some(());
            }
        }
        None
    }
}
