//! Units of amounts: which columns are known to have a unit, and what an amount in one unit is in another. Pure.

use crate::amounts::{Amount, Bound};
use crate::dictionary::{ColumnId, KnownColumn};
use crate::kindred::Kin;
use crate::link::Linker;
use crate::mention::Mention;
use text::amounts::units::{self, scale, singular};

impl Linker<'_> {
    /// Whether an amount is a number of documents: `which vendors sent more than 3 invoices`.
    pub(crate) fn counts_documents(&self, mention: &Mention, amount: &Amount) -> bool {
        let subject = self.frame.subject.as_ref();
        amount.unit.is_none()
            && amount.currency.is_none()
            && subject.is_some_and(|subject| subject.start == mention.at.end)
    }

    /// Whether a noun behind an amount says what is counted, and neither the column nor a unit has that word.
    pub(crate) fn counts_things(&self, mention: &Mention, column: &KnownColumn) -> bool {
        let is_open = !self.tokens[mention.at.end - 1].is_last;
        let Some(next) = self.tokens.get(mention.at.end).filter(|_| is_open) else {
            return false;
        };
        let noun = Kin::of(&next.lower);
        let mut known = column.kin.iter().chain(&column.said.described_by);
        let is_plural = next.lower.ends_with('s') && !next.lower.ends_with("ss");
        is_plural
            && next.lower.chars().all(char::is_alphabetic)
            && !text::stop::is_content_free(&next.lower)
            && !known.any(|word| word.is_like(&noun))
    }

    /// The bounds of an amount in the unit of a column.
    pub(crate) fn in_unit_of(
        &self,
        column: ColumnId,
        amount: &Amount,
    ) -> Result<Vec<(Bound, f64)>, &'static str> {
        let factor = match &amount.unit {
            Some(unit) => factor(self.dictionary.column(column), unit),
            None => Some(1.0),
        };
        let factor = factor.ok_or("the column has another unit")?;
        let bounds = amount.bounds.iter();
        let bounds = bounds.map(|(bound, value)| (*bound, value * factor));
        Ok(bounds.collect())
    }
}

/// The factor by which an amount in the unit `said` is multiplied to be compared with the values of a column. It is 1
/// if the column has no known unit. `None` means that the units cannot be compared.
fn factor(column: &KnownColumn, said: &str) -> Option<f64> {
    let last = column.words.last().map_or("", String::as_str);
    between(&column.said.unit, last, said)
}

pub(crate) fn between(unit: &str, last: &str, said: &str) -> Option<f64> {
    // `month(s)`, `V DC`
    let unit = unit.split([' ', '(', '/']).next().unwrap_or_default();
    let unit = match (unit, scale(last)) {
        ("", Some(("time", _))) => last,
        ("", _) => return Some(1.0),
        (unit, _) => unit,
    };
    if singular(unit).eq_ignore_ascii_case(singular(said)) {
        return Some(1.0);
    }
    match (scale(said), scale(unit)) {
        // Twelve months are a year, although twelve times thirty days are not.
        (Some(("time", 365.0)), Some(("time", 30.0))) => Some(12.0),
        (Some(("time", 30.0)), Some(("time", 365.0))) => Some(1.0 / 12.0),
        (Some((one, from)), Some((other, to))) => (one == other).then_some(from / to),
        // Of a unit that is not known here, amounts without a prefix are taken as they are.
        (None | Some((_, 1.0)), None) => Some(1.0),
        _ => None,
    }
}

pub(crate) fn is_of_time(unit: &str) -> bool {
    matches!(scale(unit), Some(("time", _)))
}

pub(crate) fn is_in_unit(column: &KnownColumn, unit: &str) -> bool {
    if !column.said.unit.is_empty() && singular(&column.said.unit) == singular(unit) {
        return true;
    }
    let known = units::columns(unit);
    let words = column.kin.iter().chain(&column.said.also_called);
    let mut words = words.chain(&column.said.described_by);
    words.any(|word| word.is_of(known))
}
