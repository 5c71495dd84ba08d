//! Checks a table against the data that it was made of, not against words. Pure.
//!
//! If the data has all values, rows are counted and added up anew. If there were too many values, the table is
//! compared with the counts of the retriever. *Not* checked: whether the conditions are what the question means.

use envelope::table::{DecimalSum, GroupDigest};
use envelope::{Draft, DraftTable, TableOperation, TableRow};
use serde_json::Value;

/// What is wrong with a table, in words; empty when nothing is.
pub(crate) fn wrong(told: &DraftTable, draft: &Draft) -> Vec<String> {
    let (table, digest) = (&told.table, &told.digest);
    let mut wrong = Vec::new();
    let mut check = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    check(
        table.documents == digest.documents,
        "the table counts other documents than were found",
    );
    check(
        table.rows_total == digest.rows,
        "the table has other rows than were found",
    );
    let here = table.rows.len() as u64;
    check(here <= table.rows_total, "there are more rows than in all");
    check(
        here == table.rows_total || table.file.is_some(),
        "rows are lacking, and no file has them",
    );
    let is_even = table
        .rows
        .iter()
        .all(|row| row.cells.len() == table.columns.len());
    check(is_even, "a row has other cells than there are columns");
    let has_source = |n: &u16| draft.sources.iter().any(|source| source.n == *n);
    let is_cited = table
        .rows
        .iter()
        .all(|row| row.cites.iter().all(has_source));
    check(is_cited, "a row cites no source");
    if table.operation.is_of_documents() {
        check(
            table.rows_total <= table.documents,
            "there are more rows than documents",
        );
        check(
            table
                .rows
                .iter()
                .all(|row| is_of_its_document(told, row, draft)),
            "a row is not of the document that it cites",
        );
        check(is_in_order(told), "the rows are in another order");
    } else {
        check(
            table.rows.len() == digest.groups.len() || is_nothing(told),
            "the table has other groups than were found",
        );
        let groups = table.rows.iter().zip(&digest.groups);
        for (row, group) in groups {
            if let Some(what) = wrong_group(told, row, group) {
                check(false, what);
                break;
            }
        }
    }
    wrong
}

/// Whether the table counts nothing: it has a row, and no data that the row was made of.
fn is_nothing(told: &DraftTable) -> bool {
    told.table.documents == 0 && told.digest.groups.is_empty()
}

fn place(told: &DraftTable, column: &str) -> Option<usize> {
    told.table.columns.iter().position(|known| known == column)
}

fn is_of_its_document(told: &DraftTable, row: &TableRow, draft: &Draft) -> bool {
    let source = place(told, "source")
        .and_then(|at| row.cells.get(at))
        .and_then(Value::as_str);
    let [cited] = row.cites[..] else {
        return false;
    };
    let cited = draft.sources.iter().find(|known| known.n == cited);
    // A long path is cut in its cell.
    let is_same = |known: &str, shown: &str| {
        known == shown
            || shown
                .strip_suffix('…')
                .is_some_and(|head| known.starts_with(head))
    };
    cited
        .zip(source)
        .is_some_and(|(cited, shown)| is_same(&cited.source, shown))
}

/// Whether the largest rows come first, or the smallest; the rows of each currency and of each side have an order of
/// their own.
fn is_in_order(told: &DraftTable) -> bool {
    let table = &told.table;
    let is_greatest = match table.operation {
        TableOperation::Largest => true,
        TableOperation::Smallest => false,
        _ => return true,
    };
    let Some(measure) = table
        .measure
        .as_deref()
        .and_then(|measure| place(told, measure))
    else {
        return false;
    };
    let apart: Vec<usize> = ["currency", "part"]
        .iter()
        .filter_map(|column| place(told, column))
        .collect();
    table.rows.windows(2).all(|pair| {
        if apart
            .iter()
            .any(|at| pair[0].cells[*at] != pair[1].cells[*at])
        {
            return true;
        }
        match (&pair[0].cells[measure], &pair[1].cells[measure]) {
            (Value::Number(one), Value::Number(other)) => match is_greatest {
                true => one.as_f64() >= other.as_f64(),
                false => one.as_f64() <= other.as_f64(),
            },
            (Value::String(one), Value::String(other)) => match is_greatest {
                true => one >= other,
                false => one <= other,
            },
            // A year and a day beside each other.
            _ => true,
        }
    })
}

/// What is wrong with a row that stands for several documents.
fn wrong_group(told: &DraftTable, row: &TableRow, group: &GroupDigest) -> Option<&'static str> {
    let cell = |column: &str| {
        place(told, column)
            .and_then(|at| row.cells.get(at))
            .and_then(Value::as_f64)
    };
    if cell("documents") != Some(group.documents as f64) {
        return Some("a row counts other documents than it was made of");
    }
    let measure = match told.table.operation {
        TableOperation::Sum | TableOperation::Average => told.table.measure.as_deref()?,
        _ => return None,
    };
    let mut sum = DecimalSum::default();
    let is_whole = !group.values.is_empty();
    if is_whole && group.values.len() as u64 != group.documents {
        return Some("a row lacks values that it was made of");
    }
    for value in &group.values {
        sum.add(*value);
    }
    if is_whole && sum.total() != group.sum {
        return Some("a row adds up to something else");
    }
    let shown = cell(measure);
    let is_right = match told.table.operation {
        TableOperation::Sum => shown == Some(group.sum),
        _ if group.documents == 0 => shown.is_none(),
        _ if is_whole => shown == sum.mean(),
        _ => shown.is_some_and(|shown| means(group).contains(&shown)),
    };
    (!is_right).then_some("a row comes to something else than its documents do")
}

/// The mean of a sum with two decimal places. The sum is not exact to the last digit, so a mean that ends with half a
/// hundredth may be rounded up or down.
fn means(group: &GroupDigest) -> [f64; 2] {
    let hundredths = group.sum / group.documents as f64 * 100.0;
    let error = hundredths.abs() * 8.0 * f64::EPSILON;
    [hundredths - error, hundredths + error]
        .map(|hundredths| hundredths.abs().round() * hundredths.signum() / 100.0)
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
