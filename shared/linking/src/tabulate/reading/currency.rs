//! Decides which columns hold money, and where documents say its currency: in a column, or in the unit that a schema gives
//! the measure. Pure.

use super::money::is_part;
use super::*;
use crate::amounts::of_unit;
use crate::tabulate::CurrencySource;
use std::collections::BTreeMap;
use text::currencies::CODES;

/// The name of the currencies where units alone say them.
const CALLED: &str = "currency";

impl<'a> Reading<'a> {
    /// Finds out where documents say the currency of the measure, if it is money. A measure is money unless it has another
    /// unit, or its name says that it holds something else.
    pub(super) fn read_currency(&mut self) -> Outcome<()> {
        let money: Vec<&KnownColumn> = self.checked_measure()?;
        if let [one] = money.as_slice() {
            let column = self.column_of_currencies(Some(&one.bucket));
            self.table.currency = column.map(|column| self.field(column));
            return Ok(());
        }
        let known: BTreeMap<String, CurrencySource> = money
            .iter()
            .filter_map(|one| Some((one.bucket.clone(), self.currency_source(one)?)))
            .collect();
        let mut sources = known.values();
        let Some(first) = sources.next() else {
            return Ok(());
        };
        let is_one = known.len() == money.len() && sources.all(|source| source == first);
        if let (CurrencySource::Column(column), true) = (first, is_one) {
            self.table.currency = Some(column.clone());
            return Ok(());
        }
        let is_currency = |field: &str| {
            let mut sources = known.values();
            sources.any(|source| *source == CurrencySource::Column(field.to_owned()))
        };
        let mut conditions = self.linked.conditions.iter().chain(&self.linked.parts);
        if conditions.any(|condition| is_currency(&condition.field)) {
            let why = "not all documents have the currency in one column";
            return Err(unfit(why.into()));
        }
        self.table.currency = Some(CALLED.to_owned());
        self.table.currency_of = known;
        Ok(())
    }

    /// The columns of the measure that hold money, one for each bucket. A measure in several units has no table, nor has one
    /// that is not what the question asks for.
    fn checked_measure(&self) -> Outcome<Vec<&'a KnownColumn>> {
        let Some(measure) = self.table.measure.as_ref().filter(|_| !self.table.is_day) else {
            let mut mentions = self.linker.mentions.iter();
            let has_amount = mentions.any(|mention| matches!(mention.what, Named::Amount(_)));
            let why = "no column says which documents are without tax";
            return match self.wants_untaxed() && !has_amount {
                true => Err(unfit(why.into())),
                false => Ok(Vec::new()),
            };
        };
        let columns = self.linker.dictionary.columns(self.bucket);
        let columns = columns.map(|(_, column)| column);
        let columns: Vec<&KnownColumn> = columns.filter(|one| one.field == *measure).collect();
        if self.table.operation == ColumnOperation::Sum && columns.iter().any(|one| is_share(one)) {
            let why = format!("percentages such as `{measure}` are not added up");
            return Err(unfit(why));
        }
        if !is_of_one_unit(&columns) {
            return Err(unfit(format!("`{measure}` has several units")));
        }
        let money: Vec<&KnownColumn> = columns.into_iter().filter(|one| is_money(one)).collect();
        let is_untaxed = |one: &&KnownColumn| is_part(one) || is_called_untaxed(one);
        if self.wants_untaxed() && !money.iter().all(is_untaxed) {
            return Err(unfit(format!("`{measure}` is not said to be without tax")));
        }
        Ok(money)
    }

    /// Where the documents of a column of money say its currency.
    fn currency_source(&self, column: &KnownColumn) -> Option<CurrencySource> {
        match self.column_of_currencies(Some(&column.bucket)) {
            Some(said) => Some(CurrencySource::Column(self.field(said))),
            None => of_unit(&column.said.unit).map(CurrencySource::Unit),
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

/// Whether the columns of several buckets have one unit. Currencies are told apart for each document.
fn is_of_one_unit(columns: &[&KnownColumn]) -> bool {
    let mut units = columns.iter().map(|column| column.said.unit.as_str());
    let first = units.next().unwrap_or_default();
    let is_currency = |unit: &str| unit.is_empty() || of_unit(unit).is_some();
    is_currency(first) && units.clone().all(is_currency) || units.all(|unit| unit == first)
}

/// Whether a synonym of a column says that its amounts are without tax: `outlay before tax`.
fn is_called_untaxed(column: &KnownColumn) -> bool {
    let mut names = column
        .said
        .also_called
        .iter()
        .chain(&column.said.partly_called);
    names.any(|word| word.is_of(words!(without)))
}

/// Whether a column holds percentages.
fn is_share(column: &KnownColumn) -> bool {
    let says = |known: &str| column.words.iter().any(|word| is_of(word, known));
    let is_rate = says("rate") && says("vat tax interest discount gst");
    column.said.unit == "%" || says("percent percentage") || is_rate && column.said.unit.is_empty()
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
    if is_share(column) {
        return false;
    }
    let says = |known: &str| column.words.iter().any(|word| is_of(word, known));
    let last = column.words.last().map_or("", String::as_str);
    !says(words!(counted)) || says(words!(paid)) && !is_of(last, words!(numbered))
}
