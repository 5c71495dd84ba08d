//! Parses the amounts that a question names: `over $1,100`, `between 300 and 850 euros`, `at least 1.2 V`. Pure.
//!
//! A number alone is not an amount. It needs words of comparison around it, or a second number that ends a range. This
//! module does *not* decide which column is meant.

mod comparatives;
mod number;
pub mod units;

pub use crate::currencies::{currency, of_unit};

use crate::lists::Phrases;
use crate::token::{QuestionToken, TokenWords};
use number::{Number, number};
use std::sync::LazyLock;

/// How an amount is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Greater.
    Over,
    /// Greater or equal.
    AtLeast,
    /// Less.
    Under,
    /// Less or equal.
    AtMost,
    /// Equal.
    Exactly,
}

/// An amount as it stands in a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// The two bounds of `between`, or the only bound.
    pub bounds: Vec<(Bound, f64)>,
    /// The ISO code of the currency, if the question names one.
    pub currency: Option<&'static str>,
    /// The word behind the amount, in lower case, if it is a unit: `v`, `kg`, `days`.
    pub unit: Option<String>,
}

/// Two numbers of at least this size with `to` between them are a range of amounts, whatever words are around them.
const RANGE_MIN: f64 = 100.0;

/// The amount with its comparison that begins at token `at`, and how many tokens name it.
pub fn read(tokens: &[QuestionToken], at: usize) -> Option<(usize, Amount)> {
    range(tokens, at)
        .or_else(|| compared(tokens, at))
        .or_else(|| compared_behind(tokens, at))
}

static RANGES: LazyLock<Phrases<()>> = LazyLock::new(|| Phrases::of([(both!(range), ())]));
static JOINS: LazyLock<Phrases<()>> = LazyLock::new(|| Phrases::of([(both!(range_joins), ())]));

/// A range of amounts: `between A and B`, `from A to B`, `A to B`.
fn range(tokens: &[QuestionToken], at: usize) -> Option<(usize, Amount)> {
    let before = RANGES.at(|place| tokens.word(at + place));
    let skipped = before.map_or(0, |(length, ())| length);
    let (first, low) = number(tokens, at + skipped)?;
    let join = at + skipped + first;
    let (joined, ()) = JOINS.at(|place| tokens.word(join + place))?;
    (before.is_some() || !tokens.is(join, "and und")).then_some(())?;
    let (second, high) = number(tokens, join + joined)?;
    let is_amount = |number: &Number| {
        let is_year = number.is_bare && (1900.0..=2100.0).contains(&number.value);
        number.currency.is_some() || number.unit.is_some() || number.value >= RANGE_MIN && !is_year
    };
    if before.is_none() && !is_amount(&low) && !is_amount(&high) {
        return None;
    }
    // In `5 to 9 thousand` the scale behind the second number holds for the first one, too.
    let low_value = match high.scale {
        Some(scale) if low.scale.is_none() && low.value * scale < high.value => low.value * scale,
        _ => low.value,
    };
    // `between 500 and 100` is the same range, said from its other end.
    let (least, most) = (low_value.min(high.value), low_value.max(high.value));
    let amount = Amount {
        bounds: vec![(Bound::AtLeast, least), (Bound::AtMost, most)],
        currency: high.currency.or(low.currency),
        unit: high.unit.or(low.unit),
    };
    Some((skipped + first + joined + second, amount))
}

fn compared(tokens: &[QuestionToken], at: usize) -> Option<(usize, Amount)> {
    let (skipped, bound) = comparatives::before(tokens, at)?;
    let (length, number) = number(tokens, at + skipped)?;
    Some((skipped + length, number.compared(bound)))
}

/// An amount with its comparison behind it: `5,000 or more`, `from 5,000 up`, `5,000+`.
fn compared_behind(tokens: &[QuestionToken], at: usize) -> Option<(usize, Amount)> {
    let from = usize::from(tokens.get(at)?.lower == "from");
    let (length, number) = number(tokens, at + from)?;
    let length = from + length;
    match comparatives::behind(tokens, at + length) {
        Some((behind, bound)) => Some((length + behind, number.compared(bound))),
        None if number.is_plus => Some((length, number.compared(Bound::AtLeast))),
        None => None,
    }
}

impl Number {
    fn compared(self, bound: Bound) -> Amount {
        Amount {
            bounds: vec![(bound, self.value)],
            currency: self.currency,
            unit: self.unit,
        }
    }
}
