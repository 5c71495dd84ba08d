//! Decides which columns hold money, and where documents say its currency: in a column, or in the unit that a schema gives
//! the measure. Pure.

use super::*;
use text::currencies::{CODES, SIGNS, code};

/// Words in names of columns that hold no money, whatever other words the name has.
const COUNTED: &str = "days day weeks months month years year hours period notice term duration count quantity qty pieces pages \
    page percent percentage voltage volts current amps power frequency weight mass length width height size temperature \
    resistance rating score rank";

/// Words in names of columns that hold money even if the name says a time or a thing, too.
const PAID: &str =
    "amount price cost costs revenue fee fees rate rent salary wage wages turnover payment";
/// Last words of names of columns that hold no money, whatever is said before.
const NUMBERED: &str = "days weeks months years hours period term notice duration count quantity qty pieces pages percent \
    percentage score rank rating number";

/// The name of the currencies where units alone say them.
const CALLED: &str = "currency";

impl Reading<'_> {
    /// Decides how the currency of the measure is known. A measure is money unless it has another unit, or its name says
    /// that it holds something else.
    pub(super) fn read_currency(&mut self) {
        let Some(measure) = self.table.measure.clone().filter(|_| !self.table.is_day) else {
            return;
        };
        let columns = self.linker.dictionary.columns(self.bucket);
        let columns = columns.map(|(_, column)| column);
        let money: Vec<&KnownColumn> = columns
            .filter(|column| column.field == measure && is_money(column))
            .collect();
        if money.is_empty() {
            return;
        }
        let column = self.column_of_currencies(self.bucket);
        self.table.currency = column.map(|column| self.field(column));
        if money.len() < 2 {
            return;
        }
        for one in money {
            let is_said = self.column_of_currencies(Some(&one.bucket)).is_some();
            if let Some(code) = currency_of_unit(&one.said.unit).filter(|_| !is_said) {
                self.table.currency_of.insert(one.bucket.clone(), code);
            }
        }
        if !self.table.currency_of.is_empty() {
            self.table.currency.get_or_insert(CALLED.to_owned());
        }
    }

    /// The column whose name says `currency`, or else the one that holds most currency codes.
    pub(super) fn column_of_currencies(&self, bucket: Option<&str>) -> Option<ColumnId> {
        let dictionary = self.linker.dictionary;
        let is_called = |column: &KnownColumn| column.words.iter().any(|word| word == CALLED);
        let mut columns = dictionary.columns(bucket);
        if let Some((id, _)) = columns.find(|(_, column)| is_called(column)) {
            return Some(id);
        }
        let values = CODES.iter().map(|code| code.to_lowercase());
        let values = values.flat_map(|code| dictionary.with_key(&code).collect::<Vec<_>>());
        let is_here = |id: ColumnId| {
            let column = dictionary.column(id);
            let is_field = !column.is_named() && column.has_few_values();
            is_field && bucket.is_none_or(|bucket| column.bucket == bucket)
        };
        let held = values.filter(|value| is_here(value.column));
        let most = held.max_by_key(|value| value.documents)?;
        Some(most.column)
    }
}

/// The currency that a unit, in lower case, names by its code or its sign.
fn currency_of_unit(unit: &str) -> Option<&'static str> {
    let sign = SIGNS.iter().find(|(sign, _)| unit.chars().eq([*sign]));
    sign.map(|(_, code)| *code).or_else(|| code(unit))
}

/// Whether a column has a unit that is not one of money.
fn is_measured(unit: &str) -> bool {
    let is_code = CODES.iter().any(|code| code.eq_ignore_ascii_case(unit));
    !unit.is_empty() && !is_code && !unit.contains(['$', '€', '£', '¥', '₹'])
}

/// Whether a column of numbers holds money: its unit is a currency, or it has no unit and its name does not say that it
/// holds something else. The name `day_rate` says money in spite of the day, and `payment_days` says days.
pub(super) fn is_money(column: &KnownColumn) -> bool {
    let unit = &column.said.unit;
    if !unit.is_empty() {
        return !is_measured(unit);
    }
    let says = |known: &str| column.words.iter().any(|word| is_of(word, known));
    let last = column.words.last().map_or("", String::as_str);
    !says(COUNTED) || says(PAID) && !is_of(last, NUMBERED)
}
