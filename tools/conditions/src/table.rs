//! Makes the tables of known answers: it adds up the records that a scan found. Amounts in different currencies are
//! never added.

use crate::field::{Datum, Field};
use crate::question::GoldTable;
use crate::record::BusinessRecord;
use crate::wording::{Group, Most};
use serde_json::Value;
use std::collections::BTreeMap;

/// A table of one number.
pub(crate) fn count(documents: usize) -> GoldTable {
    table(&["documents"], vec![vec![documents.into()]])
}

/// A table with a row for each currency; for a field that is no money, with one row.
pub(crate) fn amounts(
    records: &[BusinessRecord],
    found: &[usize],
    field: Field,
    column: &str,
    is_mean: bool,
) -> GoldTable {
    let rows = by_currency(records, found, field)
        .into_iter()
        .map(|(currency, sum, n)| {
            let value = if is_mean { mean(sum, n) } else { sum };
            vec![currency.into(), amount(value), n.into()]
        });
    table(&["currency", column, "documents"], rows.collect())
}

/// A table of one document.
pub(crate) fn extreme(record: &BusinessRecord, field: Field, column: &str) -> GoldTable {
    let value = record.truth(field);
    let mut columns = vec!["source", column];
    let mut row: Vec<Value> = vec![record.source.as_str().into(), cell(field, &value)];
    if field.is_money() {
        columns.push("currency");
        row.push(record.truth(Field::Currency).to_json());
    }
    table(&columns, vec![row])
}

/// A table of counts or sums by the values of a column, sorted by them.
pub(crate) fn groups(
    records: &[BusinessRecord],
    found: &[usize],
    group: Group,
    key: &str,
    measure: Option<(Field, &str)>,
) -> GoldTable {
    let mut parts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for at in found {
        parts
            .entry(group_of(&records[*at], group))
            .or_default()
            .push(*at);
    }
    rows_of(records, parts.into_iter(), key, Some(group), measure)
}

/// A table with a row, or one for each currency, for each side.
pub(crate) fn sides<'a>(
    records: &[BusinessRecord],
    sides: impl Iterator<Item = (&'a str, Vec<usize>)>,
    measure: Option<(Field, &str)>,
) -> GoldTable {
    let parts = sides.map(|(said, found)| (said.to_owned(), found));
    rows_of(records, parts, "part", None, measure)
}

fn rows_of(
    records: &[BusinessRecord],
    parts: impl Iterator<Item = (String, Vec<usize>)>,
    key: &str,
    group: Option<Group>,
    measure: Option<(Field, &str)>,
) -> GoldTable {
    let Some((field, column)) = measure else {
        let rows = parts.map(|(name, found)| vec![name.into(), found.len().into()]);
        return table(&[key, "documents"], rows.collect());
    };
    if !field.is_money() {
        let row = |(name, found): (String, Vec<usize>)| {
            let value = records[found[0]].truth(field);
            vec![name.into(), cell(field, &value)]
        };
        return table(&[key, column], parts.map(row).collect());
    }
    let is_by_currency = group == Some(Group::By(Field::Currency));
    let mut rows = Vec::new();
    for (name, found) in parts {
        for (currency, sum, n) in by_currency(records, &found, field) {
            let mut row: Vec<Value> = vec![name.as_str().into()];
            // By currency, it is the name already.
            row.extend((!is_by_currency).then(|| currency.into()));
            row.extend([amount(sum), n.into()]);
            rows.push(row);
        }
    }
    match is_by_currency {
        true => table(&[key, column, "documents"], rows),
        false => table(&[key, "currency", column, "documents"], rows),
    }
}

/// The one record with the largest or smallest value; `None` where two records have it, or where amounts are of
/// several currencies.
pub(crate) fn best(
    records: &[BusinessRecord],
    found: &[usize],
    field: Field,
    most: Most,
) -> Option<usize> {
    if field.is_money() && by_currency(records, found, field).len() > 1 {
        return None;
    }
    let is_greatest = matches!(most, Most::Largest | Most::Newest);
    let value = |at: usize| records[at].truth(field);
    let mut sorted = found.to_vec();
    sorted.sort_by(|a, b| {
        let order = value(*a).order(&value(*b));
        if is_greatest { order.reverse() } else { order }
    });
    match sorted[..] {
        [first, second, ..] if value(first) != value(second) => Some(first),
        _ => None,
    }
}

/// Sum and count for each currency, by code.
fn by_currency(
    records: &[BusinessRecord],
    found: &[usize],
    field: Field,
) -> Vec<(String, i64, usize)> {
    let mut sums: BTreeMap<String, (i64, usize)> = BTreeMap::new();
    for at in found {
        let record = &records[*at];
        let sum = sums
            .entry(record.truth(Field::Currency).as_text())
            .or_default();
        sum.0 += record.truth(field).hundredths();
        sum.1 += 1;
    }
    sums.into_iter()
        .map(|(currency, (sum, n))| (currency, sum, n))
        .collect()
}

/// The mean rounded to whole hundredths, halves away from zero.
fn mean(sum: i64, n: usize) -> i64 {
    let n = n as i64;
    (2 * sum.abs() + n) / (2 * n) * sum.signum()
}

fn group_of(record: &BusinessRecord, group: Group) -> String {
    let day = || match record.truth(Field::Date) {
        Datum::Day(day) => day,
        _ => unreachable!("days are days"),
    };
    match group {
        Group::By(field) => record.truth(field).as_text(),
        Group::Year => day().year().to_string(),
        Group::Quarter => format!("{}-Q{}", day().year(), day().quarter()),
        Group::Month => day().to_string()[..7].to_owned(),
    }
}

/// An amount as a JSON number with a decimal point, as it has two decimals.
fn amount(hundredths: i64) -> Value {
    Value::from(hundredths as f64 / 100.0)
}

fn cell(field: Field, value: &Datum) -> Value {
    match value {
        Datum::Hundredths(n) if field.is_money() => amount(*n),
        _ => value.to_json(),
    }
}

fn table(columns: &[&str], rows: Vec<Vec<Value>>) -> GoldTable {
    let columns = columns.iter().map(|&column| column.to_owned()).collect();
    GoldTable { columns, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded_away_from_nought() {
        assert_eq!(
            [mean(5, 2), mean(-5, 2), mean(4, 3), mean(5, 3)],
            [3, -3, 1, 2]
        );
    }
}
