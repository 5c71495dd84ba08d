//! Drafts look-ups, comparisons, groupings and questions with an exception.

use super::draft::{Desk, Draft, Hold};
use super::phrase::Phrase;
use super::span::Around;
use crate::field::{Datum, Field, Shelf};
use crate::gold::Check;
use crate::question::NearMiss;
use crate::record::BusinessRecord;
use crate::wording::{Group, Span, Turn};

impl<'a> Desk<'a, '_> {
    pub(super) fn lookup(&mut self, draft: &mut Draft) -> Option<()> {
        if self.shelf == Shelf::Reports || self.scene.dice.permille(350) {
            return self.lookup_by_values(draft);
        }
        let number = self.record.said(Field::Number)?.as_text();
        if self.family == Some(NearMiss::Amended) {
            // "the contract with Halden under number C-1042": it, and not what amends it.
            draft.phrases = vec![self.phrase(Hold::Is(Field::Number))?];
            return Some(());
        }
        draft.turn = Turn::Numbered;
        draft.number = Some(number);
        if self.scene.dice.permille(400) {
            draft.phrases = vec![self.phrase(Hold::Company)?];
        }
        Some(())
    }

    /// Makes a draft for a document that alone has all of these values.
    fn lookup_by_values(&mut self, draft: &mut Draft) -> Option<()> {
        draft.phrases = match self.shelf {
            Shelf::Reports => vec![self.phrase(Hold::Company)?, self.phrase(Hold::Years)?],
            Shelf::Datasheets => return None,
            _ => self.usual_phrases(3)?,
        };
        Some(())
    }

    pub(super) fn compare(&mut self, draft: &mut Draft) -> Option<()> {
        if self.family == Some(NearMiss::PartNumber) {
            return self.compare_parts(draft);
        }
        if matches!(self.shelf, Shelf::Invoices | Shelf::Contracts) && self.scene.dice.permille(350)
        {
            draft.turn = Turn::Amount;
            draft.measure = Some(self.measure());
        }
        let holds = self.holds();
        let hold = *self.scene.dice.pick(&holds);
        draft.sides = match hold {
            Hold::When(field) => self.two_spans(field)?,
            _ => {
                let other = self.other_record(hold)?;
                let mine = self.phrase(hold)?;
                let record = std::mem::replace(&mut self.record, other);
                let company = self
                    .scene
                    .company(&self.record.truth(Field::Company).as_text())
                    .clone();
                let before = std::mem::replace(&mut self.company, company);
                let theirs = self.phrase(hold);
                (self.record, self.company) = (record, before);
                vec![mine, theirs?]
            }
        };
        // What is the same for both sides.
        let others: Vec<Hold> = holds
            .into_iter()
            .filter(|one| !is_same_sort(*one, hold))
            .collect();
        if !others.is_empty() && self.scene.dice.permille(600) {
            let common = *self.scene.dice.pick(&others);
            draft.phrases = vec![self.phrase(common)?];
        }
        Some(())
    }

    /// Two years, or two quarters, in sequence.
    fn two_spans(&mut self, field: Field) -> Option<Vec<Phrase>> {
        let day = self.day(field)?;
        let span = *self.scene.dice.pick(&[Span::Year, Span::Quarter]);
        let later = day.plus(if span == Span::Year { 365 } else { 91 });
        let mut sides = Vec::new();
        for day in [day, later] {
            let around = Around { day, ..self.around };
            sides.push(self.scene.when(self.shelf, field, span, around)?);
        }
        Some(sides)
    }

    /// Another record of the shelf with another value.
    fn other_record(&mut self, hold: Hold) -> Option<&'a BusinessRecord> {
        let field = match hold {
            Hold::Company => Field::Company,
            Hold::Years => Field::Year,
            Hold::Is(field) | Hold::When(field) => field,
        };
        let mine = self.record.said(field)?;
        for _ in 0..60 {
            let other = self.scene.draw(self.shelf)?;
            let differs = other.said(field).is_some_and(|value| value != mine);
            if other.said(Field::Company).is_some() && differs {
                return Some(other);
            }
        }
        None
    }

    /// Compares two parts whose numbers differ in one sign.
    fn compare_parts(&mut self, draft: &mut Draft) -> Option<()> {
        let mine = self.record.said(Field::Number)?;
        let sign = |text: &str| text.trim_matches(|c: char| "ABCN".contains(c)).to_owned();
        let near = self.scene.records.iter().find(|record| {
            record.shelf() == Shelf::Datasheets
                && record.said(Field::Number).is_some_and(|other| {
                    other != mine && sign(&other.as_text()) == sign(&mine.as_text())
                })
        })?;
        draft.turn = Turn::Parts;
        draft.measure = Some(*self.scene.dice.pick(&[Field::Volts, Field::Amps]));
        draft.sides = [mine, near.truth(Field::Number)]
            .map(|number| Phrase {
                said: number.as_text(),
                checks: vec![Check::eq(Field::Number, number)],
            })
            .to_vec();
        Some(())
    }

    pub(super) fn group(&mut self, draft: &mut Draft) -> Option<()> {
        let groups = self.scene.wording().groups.iter();
        let mut groups: Vec<Group> = groups
            .filter(|(shelf, ..)| *shelf == self.shelf)
            .map(|(_, group, _)| *group)
            .collect();
        // Its names stand next to each other.
        groups.dedup();
        let has_schema = self.scene.half.words().shelf(self.shelf).has_schema;
        let group = *self.scene.dice.pick(&groups);
        let most = self.scene.dice.within(1, 2) as usize;
        draft.phrases = self.usual_phrases(most)?;
        let grouped = match group {
            Group::By(field) => field,
            _ => Field::Date,
        };
        // Nobody counts by what is the same everywhere.
        let fixes = |phrase: &Phrase| phrase.checks.iter().any(|check| check.field == grouped);
        if draft.phrases.iter().any(fixes) {
            return None;
        }
        if has_schema
            && matches!(self.shelf, Shelf::Invoices | Shelf::Contracts)
            && self.scene.dice.permille(350)
        {
            draft.turn = Turn::Amount;
            draft.measure = Some(self.measure());
        }
        draft.group = Some(group);
        Some(())
    }

    pub(super) fn except(&mut self, draft: &mut Draft) -> Option<()> {
        draft.phrases = self.usual_phrases(2)?;
        let taken: Vec<Field> = draft
            .phrases
            .iter()
            .flat_map(|phrase| phrase.checks.iter().map(|c| c.field))
            .collect();
        let fields = [
            Field::Company,
            Field::Category,
            Field::Currency,
            Field::Package,
            Field::Site,
        ];
        let fields: Vec<Field> = fields
            .into_iter()
            .filter(|field| self.shelf.fields().contains(field) && !taken.contains(field))
            .collect();
        let field = *fields.get(self.scene.dice.below(fields.len().max(1)))?;
        // What is left out is there: values of other records that the rest holds for are looked for later.
        let count = 1 + usize::from(self.scene.dice.permille(300));
        let mut values: Vec<Datum> = Vec::new();
        for _ in 0..40 {
            let other = self.scene.draw(self.shelf)?;
            if values.len() == count {
                break;
            }
            if let Some(value) = other.said(field)
                && !values.contains(&value)
            {
                values.push(value);
            }
        }
        if values.len() < count {
            return None;
        }
        draft.except = Some(self.scene.is_not(self.shelf, field, &values)?);
        Some(())
    }
}

/// Whether two phrases would be about one thing.
fn is_same_sort(a: Hold, b: Hold) -> bool {
    let is_when = |hold| matches!(hold, Hold::When(_));
    a == b || is_when(a) && is_when(b)
}
