//! Builds the test on an amount that a question names, and the one on its currency. Pure.
//!
//! A currency stands in a column of its own, or it is the unit that a schema gives the amounts of a bucket. The module
//! does *not* choose the column of the amount (`columns`).

use crate::amounts::{self, Amount};
use crate::dictionary::ColumnId;
use crate::link::{Fitting, Linker, Placed};
use crate::linked::{Intent, Test};
use crate::mention::{Mention, Named};

type ColumnTest = (ColumnId, Test);

impl Linker<'_> {
    /// The test on an amount and, if the question names one, on its currency; and how the column fits.
    pub(crate) fn amount(
        &self,
        mention: &Mention,
        amount: &Amount,
        bucket: Option<&str>,
        before: &[Placed],
    ) -> Result<(Vec<ColumnTest>, Fitting), &'static str> {
        let fitting = self.clarified(self.column_of_amount(mention, amount, bucket)?);
        let column = fitting.column;
        let mut tests = vec![(column, Test::Amount(self.in_unit_of(column, amount)?))];
        if let Some(code) = amount.currency {
            if self.is_of_another_currency(code, column, before) {
                return Err("amounts of two currencies are never one condition");
            }
            let unit = amounts::of_unit(&self.dictionary.column(column).said.unit);
            match self.currency(code, bucket) {
                Some((column, forms)) => tests.push((column, Test::Is(vec![forms]))),
                // Where a schema gives the currency as the unit, all amounts of the bucket are in it.
                None if unit == Some(code) && bucket.is_some() => {}
                None => return Err("no column holds currencies"),
            }
        }
        Ok((tests, fitting))
    }

    /// The column that holds a currency, with the ways in which the currency is written there.
    pub(crate) fn currency(
        &self,
        code: &str,
        bucket: Option<&str>,
    ) -> Option<(ColumnId, Vec<String>)> {
        let key = code.to_lowercase();
        let known = || self.dictionary.with_key(&key);
        let is_in = |column: ColumnId| self.dictionary.column(column).is_in(bucket);
        let entries = known().filter(|entry| is_in(entry.column));
        let column = entries.max_by_key(|entry| entry.documents)?.column;
        let forms = known().filter(|entry| entry.column == column);
        Some((column, forms.map(|entry| entry.text.to_string()).collect()))
    }

    /// Whether a schema gives all amounts of money of the bucket in one currency.
    pub(crate) fn is_all_in(&self, code: &str, bucket: Option<&str>) -> bool {
        let Some(bucket) = bucket else {
            return false;
        };
        let columns = self.dictionary.columns(Some(bucket));
        let units = columns.map(|(_, column)| column.said.unit.as_str());
        let mut currencies = units.filter_map(amounts::of_unit).peekable();
        currencies.peek().is_some() && currencies.all(|unit| unit == code)
    }

    /// Whether the question names an amount of the same column in another currency before this one.
    fn is_of_another_currency(&self, code: &str, column: ColumnId, before: &[Placed]) -> bool {
        before.iter().any(|known| {
            let Named::Amount(amount) = &self.mentions[known.mention].what else {
                return false;
            };
            let is_other = amount.currency.is_some_and(|known| known != code);
            known.column == column && is_other && self.frame.intent != Intent::Compare
        })
    }
}
