//! Writes a table as an answer: one sentence with its result, the conditions, and the rows with their sources. Pure;
//! no model is called.

use envelope::table::cell_text;
use envelope::{AnswerForm, AnswerTable, Bucket, Listing, TableOperation, TableRow};
use serde_json::Value;

/// The most citation marks of one row.
const MARKS_MAX: usize = 3;

/// The text of an answer that is a table.
pub(crate) fn text(listing: &Listing) -> String {
    let table = &listing.table;
    let besides = besides(listing);
    // A program that reads CSV gets nothing else, unless the table alone would mislead.
    if listing.form == AnswerForm::Csv && table.documents > 0 && besides.is_empty() {
        return table.csv();
    }
    let mut text = sentence(listing);
    for told in besides {
        text = format!("{text} {told}");
    }
    if listing.form == AnswerForm::Csv {
        return format!("{text}\n\n{}", table.csv());
    }
    if table.rows.is_empty() || is_said(table) && listing.form == AnswerForm::Prose {
        return text;
    }
    let rows = match listing.form {
        AnswerForm::List => list(table),
        AnswerForm::Prose | AnswerForm::Table | AnswerForm::Csv => markdown(table),
    };
    format!("{text}\n\n{rows}")
}

/// Whether the sentence says all that the table would, that is, one number.
fn is_said(table: &AnswerTable) -> bool {
    !table.operation.is_of_documents() && table.rows.len() == 1 && table.columns.len() <= 3
}

fn sentence(listing: &Listing) -> String {
    let table = &listing.table;
    let documents = documents(table.documents, &listing.noun);
    let satisfying = match table
        .conditions
        .iter()
        .filter(|said| !is_bucket(said, &listing.noun))
        .count()
    {
        0 => String::new(),
        _ => format!(" where {}", conditions(listing)),
    };
    if table.documents == 0 {
        let noun = noun(2, &listing.noun);
        return format!("There are no {noun}{satisfying}.");
    }
    let measure = table.measure.as_deref().map(called).unwrap_or_default();
    let marks = table
        .rows
        .first()
        .filter(|_| is_said(table))
        .map(marks)
        .unwrap_or_default();
    let is_are = if table.documents == 1 { "is" } else { "are" };
    match table.operation {
        TableOperation::Count if is_said(table) => {
            format!("There {is_are} {documents}{satisfying}{marks}.")
        }
        TableOperation::Sum if is_said(table) => {
            let total = amount_of(table, &table.rows[0]);
            format!("The {measure} of {documents}{satisfying} comes to {total}{marks}.")
        }
        TableOperation::Average if is_said(table) => {
            let mean = amount_of(table, &table.rows[0]);
            format!("The {measure} of {documents}{satisfying} is {mean} on average{marks}.")
        }
        TableOperation::List => format!("There {is_are} {documents}{satisfying}."),
        TableOperation::Count => format!(
            "{documents}{satisfying}, counted by {}.",
            called(&table.columns[0])
        ),
        TableOperation::Sum => format!("The {measure} of {documents}{satisfying}, added up."),
        TableOperation::Average => format!("The {measure} of {documents}{satisfying}, on average."),
        TableOperation::Largest | TableOperation::Smallest if table.rows.is_empty() => {
            format!("None of {documents}{satisfying} has a {measure}.")
        }
        TableOperation::Largest => {
            format!("First by {measure}, from the top, of {documents}{satisfying}:")
        }
        TableOperation::Smallest => {
            format!("First by {measure}, from the bottom, of {documents}{satisfying}:")
        }
    }
}

/// What has to be told of a table beside its rows.
fn besides(listing: &Listing) -> Vec<String> {
    let table = &listing.table;
    let mut told = Vec::new();
    let missing = table.missing.iter().map(|missing| {
        let without = documents(missing.documents, &listing.noun);
        format!("{without} without {}", called(&missing.column))
    });
    let missing: Vec<String> = missing.collect();
    if !missing.is_empty() {
        told.push(format!("Left out: {}.", missing.join("; ")));
    }
    if table.is_cut() {
        told.push(format!(
            "The first {} of {} rows are here; the file has the rest.",
            table.rows.len(),
            table.rows_total
        ));
    } else if table.file.is_some() {
        told.push("Long cells are shortened here; the file has them whole.".into());
    }
    told.extend(listing.notices.iter().cloned());
    told
}

/// Whether the condition on the bucket, `bucket is invoices`, says nothing beyond the noun.
fn is_bucket(said: &str, noun: &str) -> bool {
    said.strip_prefix("bucket is ") == Some(noun) && !noun.is_empty()
}

fn conditions(listing: &Listing) -> String {
    let all = listing.table.conditions.iter();
    let all = all.filter(|said| !is_bucket(said, &listing.noun));
    let all: Vec<&str> = all.map(String::as_str).collect();
    all.join("; ")
}

fn documents(count: u64, name: &str) -> String {
    format!("{count} {}", noun(count, name))
}

fn noun(count: u64, name: &str) -> String {
    // The bucket of what lies in no folder says nothing of what its documents are.
    let name = match name {
        "" | Bucket::GENERIC => "documents",
        name => name,
    };
    match (count, name.strip_suffix('s')) {
        (1, Some(one)) if !one.ends_with('s') => one.to_owned(),
        _ => name.to_owned(),
    }
}

fn called(column: &str) -> String {
    column.replace('_', " ")
}

/// The amount of a row of groups, with its currency.
fn amount_of(table: &AnswerTable, row: &TableRow) -> String {
    let at = |name: &str| table.columns.iter().position(|column| column == name);
    let cell = |at: Option<usize>| at.and_then(|at| row.cells.get(at));
    let currency = cell(at("currency")).map(cell_text).unwrap_or_default();
    let measure = table.measure.as_deref().unwrap_or_default();
    let number = shown(
        cell(at(measure)).unwrap_or(&Value::Null),
        !currency.is_empty(),
    );
    match currency.is_empty() {
        true => number,
        false => format!("{number} {currency}"),
    }
}

/// A value as it is shown: a number with a sign between its thousands, an amount of money with two decimals, and a
/// text as it is.
fn shown(value: &Value, is_money: bool) -> String {
    let Some(number) = value.as_f64().filter(|_| value.is_number()) else {
        return cell_text(value);
    };
    let plain = match is_money {
        true => format!("{number:.2}"),
        false => format!("{number}"),
    };
    let (sign, plain) = plain
        .strip_prefix('-')
        .map_or(("", plain.as_str()), |rest| ("-", rest));
    let (whole, rest) = plain
        .split_once('.')
        .map_or((plain, None), |(whole, rest)| (whole, Some(rest)));
    let mut parted = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            parted.push(',');
        }
        parted.push(digit);
    }
    match rest {
        Some(rest) => format!("{sign}{parted}.{rest}"),
        None => format!("{sign}{parted}"),
    }
}

fn marks(row: &TableRow) -> String {
    let marks = row.cites.iter().take(MARKS_MAX).map(|n| format!(" [{n}]"));
    marks.collect()
}

/// The cells of a row. Only the amount gets a sign between its thousands, because years and counts are no amounts.
fn cells(table: &AnswerTable, row: &TableRow) -> Vec<String> {
    let is_money = table.columns.iter().any(|column| column == "currency");
    let cells = table.columns.iter().zip(&row.cells).map(|(column, value)| {
        match table.measure.as_deref() == Some(column) {
            true => shown(value, is_money),
            false => cell_text(value),
        }
    });
    cells.collect()
}

fn list(table: &AnswerTable) -> String {
    let line = |row: &TableRow| {
        let cells = cells(table, row);
        let named = table.columns.iter().zip(&cells).skip(1);
        let named = named.filter(|(_, cell)| !cell.is_empty());
        let named: Vec<String> = named
            .map(|(column, cell)| format!("{}: {cell}", called(column)))
            .collect();
        let first = cells.first().cloned().unwrap_or_default();
        let rest = if named.is_empty() {
            String::new()
        } else {
            format!(": {}", named.join(", "))
        };
        format!("- {first}{rest}{}", marks(row))
    };
    table.rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A table in Markdown. Each column is as wide as its widest cell, so that it also reads as a table on a terminal.
fn markdown(table: &AnswerTable) -> String {
    let mut lines: Vec<Vec<String>> = Vec::with_capacity(table.rows.len() + 1);
    let heads = table.columns.iter().map(|column| called(column));
    lines.push(heads.chain([String::new()]).collect());
    for row in &table.rows {
        let mut cells: Vec<String> = cells(table, row)
            .iter()
            .map(|cell| text::one_line(cell).replace('|', "\\|"))
            .collect();
        cells.push(marks(row).trim().to_owned());
        lines.push(cells);
    }
    let count = table.columns.len() + 1;
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
            .max(3)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let is_number: Vec<bool> = (0..count)
        .map(|at| {
            table
                .rows
                .iter()
                .all(|row| row.cells.get(at).is_some_and(Value::is_number))
        })
        .collect();
    let drawn = |cells: &Vec<String>| {
        let cells = cells.iter().zip(&widths).zip(&is_number);
        let cells = cells.map(|((cell, width), is_number)| {
            let pad = " ".repeat(width - cell.chars().count().min(*width));
            match is_number {
                true => format!("{pad}{cell}"),
                false => format!("{cell}{pad}"),
            }
        });
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule = widths.iter().zip(&is_number).map(|(width, is_number)| {
        let end = if *is_number { ":" } else { "-" };
        format!("{}{end}", "-".repeat(width - 1))
    });
    let rule = format!("| {} |", rule.collect::<Vec<_>>().join(" | "));
    let mut drawn = lines.iter().map(drawn);
    let head = drawn.next().unwrap_or_default();
    let body: Vec<String> = drawn.collect();
    format!("{head}\n{rule}\n{}", body.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::table::MissingValues;
    use serde_json::json;

    fn listing(table: Value, form: AnswerForm) -> Listing {
        Listing {
            table: serde_json::from_value(table).unwrap(),
            noun: "invoices".into(),
            form,
            ..Listing::default()
        }
    }

    #[test]
    fn one_number_is_a_sentence() {
        let count = json!({
            "operation": "count", "columns": ["documents"], "rows": [{"cells": [12], "cites": [1, 2, 3]}], "rows_total": 1,
            "documents": 12, "conditions": ["vendor name is Acme or ACME", "bucket is invoices"],
        });
        let count = listing(count, AnswerForm::Prose);
        assert_eq!(
            text(&count),
            "There are 12 invoices where vendor name is Acme or ACME [1] [2] [3]."
        );
        let sum = json!({
            "operation": "sum", "measure": "total_amount", "columns": ["currency", "total_amount", "documents"],
            "rows": [{"cells": ["EUR", 5376.36, 1], "cites": [1]}], "rows_total": 1, "documents": 1,
        });
        let mut sum = listing(sum, AnswerForm::Prose);
        assert_eq!(
            text(&sum),
            "The total amount of 1 invoice comes to 5,376.36 EUR [1]."
        );
        sum.table.missing.push(MissingValues {
            column: "invoice_date".into(),
            documents: 2,
        });
        sum.form = AnswerForm::Table;
        assert_eq!(
            text(&sum),
            "The total amount of 1 invoice comes to 5,376.36 EUR [1]. Left out: 2 invoices without invoice date.\n\n\
             | currency | total amount | documents |     |\n| -------- | -----------: | --------: | --- |\n\
             | EUR      |     5,376.36 |         1 | [1] |"
        );
        let csv = "currency,total_amount,documents\r\nEUR,5376.36,1\r\n";
        sum.form = AnswerForm::Csv;
        assert_eq!(
            text(&sum),
            format!(
                "The total amount of 1 invoice comes to 5,376.36 EUR [1]. Left out: 2 invoices without invoice date.\n\n{csv}"
            )
        );
        sum.table.missing.clear();
        assert_eq!(text(&sum), csv, "nothing has to be told");
        sum.notices.push("`debtor` was taken for vendor.".into());
        assert!(
            text(&sum).ends_with(&format!(" `debtor` was taken for vendor.\n\n{csv}")),
            "{}",
            text(&sum)
        );
    }

    #[test]
    fn documents_are_listed_in_every_form() {
        let list = json!({
            "operation": "list", "columns": ["source", "vendor_name"], "rows_total": 51, "documents": 51,
            "rows": [{"cells": ["a|b.md", "Acme"], "cites": [1]}, {"cells": ["c.md", null], "cites": [2]}],
        });
        let list = listing(list, AnswerForm::List);
        assert_eq!(
            text(&list),
            "There are 51 invoices. The first 2 of 51 rows are here; the file has the rest.\n\n- a|b.md: vendor name: Acme [1]\n- c.md [2]"
        );
        let csv = text(&Listing {
            form: AnswerForm::Csv,
            ..list.clone()
        });
        assert!(
            csv.starts_with(
                "There are 51 invoices. The first 2 of 51 rows are here; the file has the rest.\n\nsource,"
            ),
            "{csv}"
        );
        let table = text(&Listing {
            form: AnswerForm::Prose,
            ..list
        });
        assert!(
            table.contains("| a\\|b.md | Acme        | [1] |"),
            "{table}"
        );
    }

    #[test]
    fn a_shortened_cell_is_told() {
        let list = json!({
            "operation": "list", "columns": ["source", "remarks"], "rows_total": 1, "documents": 1,
            "rows": [{"cells": ["a.md", "long…"], "cites": [1]}],
            "file": {"key": "k", "name": "table.csv", "media_type": "text/csv", "bytes": 9},
        });
        let text = text(&listing(list, AnswerForm::List));
        let said =
            "There is 1 invoice. Long cells are shortened here; the file has them whole.\n\n";
        assert!(text.starts_with(said), "{text}");
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        let none = json!({
            "operation": "list", "columns": ["source"], "rows": [], "rows_total": 0, "documents": 0, "conditions": ["year is 2031"],
        });
        let said = "There are no invoices where year is 2031.";
        assert_eq!(text(&listing(none.clone(), AnswerForm::Table)), said);
        assert_eq!(
            text(&listing(none, AnswerForm::Csv)),
            format!("{said}\n\nsource\r\n")
        );
    }
}
