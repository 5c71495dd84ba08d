//! Prints a catalog: the buckets, one below the other, with a line for each column.

use super::{count, json, one_line, widths};
use crate::cli::Output;
use crate::out::println;
use envelope::lookup::{CatalogBucket, CatalogColumn, CorpusCatalog, FacetValue};
use owo_colors::OwoColorize;
use serde_json::Value;

/// The characters of a value that is shown among others.
const VALUE_CHARS: usize = 32;

/// Prints it.
pub(crate) fn print(catalog: &CorpusCatalog, output: Output) {
    if output == Output::Json {
        json(catalog);
        return;
    }
    if catalog.is_empty() {
        println!("no documents");
    }
    for (n, bucket) in catalog.buckets.iter().enumerate() {
        if n > 0 {
            println!();
        }
        print_bucket(bucket);
    }
    let left_out = [
        (catalog.buckets_left_out, "bucket"),
        (catalog.fields_left_out, "field"),
    ];
    for (n, noun) in left_out.into_iter().filter(|(n, _)| *n > 0) {
        println!("{}", format!("{} left out", count(n.into(), noun)).dimmed());
    }
}

fn print_bucket(bucket: &CatalogBucket) {
    let documents = count(bucket.documents, "document");
    println!(
        "{} {}",
        bucket.bucket.bold(),
        format!("({documents})").dimmed()
    );
    if !bucket.description.is_empty() {
        println!("{}", one_line(&bucket.description, 400));
    }
    if !bucket.synonyms.is_empty() {
        let names = bucket.synonyms.join(", ");
        println!("also called {}", one_line(&names, 400));
    }
    let rows: Vec<[String; 4]> = bucket.columns.iter().map(row).collect();
    let [field, kind, share, _] = widths(&rows);
    for [name, of, coverage, values] in &rows {
        let line = format!("  {name:<field$}  {of:<kind$}  {coverage:>share$}  {values}");
        println!("{}", line.trim_end());
    }
    if bucket.columns_left_out > 0 {
        let more = count(bucket.columns_left_out.into(), "column");
        println!(
            "{}",
            format!("  {more} left out; --bucket {} shows more", bucket.bucket).dimmed()
        );
    }
}

/// A column's name, type, coverage, and a summary of its values.
fn row(column: &CatalogColumn) -> [String; 4] {
    let kind = match &column.unit {
        Some(unit) => format!("{} ({unit})", column.kind.as_str()),
        None => column.kind.as_str().to_owned(),
    };
    let mut told = Vec::new();
    if let Some(range) = column.range.as_ref().filter(|range| range.from != range.to) {
        told.push(format!(
            "{} to {}",
            written(&range.from),
            written(&range.to)
        ));
    }
    if !column.values.is_empty() {
        told.push(values(&column.values, column.more));
    }
    if !column.description.is_empty() {
        told.push(one_line(&column.description, 200));
    }
    if !column.synonyms.is_empty() {
        let names = column.synonyms.join(", ");
        told.push(format!("also called {}", one_line(&names, 200)));
    }
    let coverage = format!("{:.0} %", (column.coverage * 100.0).floor());
    [column.field.clone(), kind, coverage, told.join(" · ")]
}

fn values(values: &[FacetValue], more: bool) -> String {
    let told = values.iter().map(|value| {
        format!(
            "{} {}",
            one_line(&value.value, VALUE_CHARS),
            value.documents
        )
    });
    let mut told: Vec<String> = told.collect();
    if more {
        told.push("…".to_owned());
    }
    told.join(", ")
}

fn written(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::lookup::{ColumnRange, ColumnType};

    #[test]
    fn a_column_is_told_on_a_line() {
        let value = |value: &str, documents| FacetValue {
            value: value.into(),
            documents,
        };
        let column = CatalogColumn {
            kind: ColumnType::Number,
            unit: Some("EUR".into()),
            description: "what is to be paid".into(),
            synonyms: vec!["spend".into(), "gross".into()],
            coverage: 0.9996,
            values: vec![value("12", 3), value("7.5", 1)],
            more: true,
            range: Some(ColumnRange {
                from: 7.5.into(),
                to: 12.into(),
            }),
            ..CatalogColumn::new("total")
        };
        assert_eq!(
            row(&column),
            [
                "total",
                "number (EUR)",
                "99 %",
                "7.5 to 12 · 12 3, 7.5 1, … · what is to be paid · also called spend, gross"
            ]
        );
        assert_eq!(row(&CatalogColumn::new("n")), ["n", "text", "0 %", ""]);
    }
}
