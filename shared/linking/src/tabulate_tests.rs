//! Tests of the tables that questions ask for. The content of the tables is *not* tested here.

use super::*;
use crate::days::day;
use crate::dictionary::{DescribedColumn, Dictionary, FieldValue};
use crate::link;

pub(super) fn dictionary() -> Dictionary {
    let mut known = Dictionary::default();
    known.bucket("invoices");
    known.bucket("datasheets");
    let vendors = ["Acme Pumps Ltd", "Bolt and Sons AG", "Corvane Logistics"];
    for n in 0..12u8 {
        let text = |field, text: &str, known: &mut Dictionary| {
            known.add("invoices", field, FieldValue::Text(text))
        };
        text("vendor_name", vendors[usize::from(n) % 3], &mut known);
        text(
            "invoice_number",
            &format!("AP-{}", 1000 + u32::from(n)),
            &mut known,
        );
        text("invoice_date", &format!("2024-{:02}-01", n + 1), &mut known);
        text("due_date", &format!("2024-{:02}-20", n + 1), &mut known);
        text(
            "cost_centre",
            ["Freight", "Facilities"][usize::from(n) % 2],
            &mut known,
        );
        text("currency", ["EUR", "USD"][usize::from(n) % 2], &mut known);
        known.add(
            "invoices",
            "net_amount",
            FieldValue::Number(100.0 * f64::from(n)),
        );
        known.add(
            "invoices",
            "total_amount",
            FieldValue::Number(119.0 * f64::from(n)),
        );
        known.add(
            "datasheets",
            "max_voltage",
            FieldValue::Number(f64::from(n) + 12.5),
        );
        known.add(
            "datasheets",
            "max_current",
            FieldValue::Number(f64::from(n) + 0.5),
        );
        known.add(
            "datasheets",
            "part_number",
            FieldValue::Text(&format!("HX-{n}")),
        );
        known.add("datasheets", "package", FieldValue::Text("SOT-23"));
    }
    known
}

/// The table as text, such as `sum total_amount currency by year of invoice_date`, or the reason for which there is
/// none.
pub(super) fn told(question: &str) -> String {
    told_over(question, &dictionary())
}

pub(super) fn asked(question: &str, known: &Dictionary) -> Tabulation {
    link(question, known, day(2025, 6, 2).unwrap()).tabulation
}

pub(super) fn told_over(question: &str, known: &Dictionary) -> String {
    match asked(question, known) {
        Tabulation::None => "none".into(),
        Tabulation::Unfit { why, .. } => format!("unfit: {why}"),
        Tabulation::Unsure { table, words, .. } => {
            format!("{} unless `{}`", told_of(&table), words.join("`, `"))
        }
        Tabulation::Ambiguous { said, columns } => format!("`{said}`: {}", columns.join(" or ")),
        Tabulation::Fit(table) => told_of(&table),
    }
}

pub(super) fn told_of(table: &TableQuestion) -> String {
    let operation = format!("{:?}", table.operation).to_lowercase();
    let mut told = vec![operation];
    told.extend(table.limit.map(|limit| limit.to_string()));
    told.extend(table.measure.clone());
    told.extend(table.currency.clone());
    if let Some(group) = &table.group {
        told.push(format!("by {} of {}", group.title(), group.column()));
    }
    told.join(" ")
}

#[test]
fn what_is_to_be_done_is_read() {
    let mut wrong: Vec<String> = Vec::new();
    for (question, wanted) in [
        ("List all invoices from Acme Pumps.", "list"),
        ("Show me every invoice over 500 EUR in 2024", "list"),
        ("Collate for me all invoices from Acme Pumps", "list"),
        (
            "Could you rustle up the invoices that went out to Acme Pumps?",
            "list",
        ),
        (
            "Please collate every invoice that emanated from Acme Pumps in 2024",
            "list",
        ),
        (
            "Collate leaking invoices from Acme Pumps",
            "unfit: `Collate leaking` is no condition on a column",
        ),
        (
            "List the invoices that praise pumps of Acme Pumps",
            "unfit: `praise pumps` is no condition on a column",
        ),
        ("How many invoices from Acme Pumps are there?", "count"),
        ("How many invoices did Acme Pumps send us?", "count"),
        ("How numerous are the invoices from Acme Pumps?", "count"),
        (
            "Who sent more invoices, Acme Pumps or Corvane Logistics?",
            "count",
        ),
        (
            "Do we have more invoices from Acme Pumps than from Corvane Logistics?",
            "count",
        ),
        (
            "What are the invoices from Acme Pumps worth all told?",
            "sum total_amount currency",
        ),
        (
            "What is the grand total of all invoices from Acme Pumps?",
            "sum total_amount currency",
        ),
        (
            "What is the average size of an invoice from Acme Pumps?",
            "average total_amount currency",
        ),
        (
            "Show the net amount of invoices of 2024 separately for every cost centre.",
            "sum net_amount currency by cost_centre of cost_centre",
        ),
        (
            "Tabulate the invoices of 2024 according to cost centre.",
            "count by cost_centre of cost_centre",
        ),
        (
            "What is the most recently issued invoice from Acme Pumps?",
            "largest 1 invoice_date",
        ),
        (
            "Which invoice from Acme Pumps was issued last?",
            "largest 1 invoice_date",
        ),
        (
            "Of the invoices from Acme Pumps, which one is the oldest?",
            "smallest 1 invoice_date",
        ),
        (
            "Identify the invoice from Acme Pumps with the minimal net amount.",
            "smallest 1 net_amount currency",
        ),
        (
            "Which invoice from Acme Pumps is the most expensive?",
            "largest 1 total_amount currency",
        ),
        (
            "Which has the larger maximum current, HX-1 or HX-2?",
            "list max_current",
        ),
        (
            "By how much does the maximum voltage of HX-1 exceed that of HX-2?",
            "list max_voltage",
        ),
        (
            "How many invoices did Acme Pumps dispute?",
            "unfit: `dispute` is no condition on a column",
        ),
        (
            "Count the invoices by cost centre.",
            "count by cost_centre of cost_centre",
        ),
        (
            "How many invoices are there per vendor?",
            "count by vendor_name of vendor_name",
        ),
        (
            "How many invoices are there per quarter?",
            "count by quarter of invoice_date",
        ),
        (
            "How many invoices per due year are there?",
            "count by year of due_date",
        ),
        (
            "What is the sum of the total amount of invoices from Acme Pumps in 2024?",
            "sum total_amount currency",
        ),
        (
            "Add up the net amount of all invoices in USD.",
            "sum net_amount currency",
        ),
        (
            "On average, what total amount do invoices have?",
            "average total_amount currency",
        ),
        (
            "What is the total of the Corvane Logistics invoice?",
            "sum total_amount currency",
        ),
        (
            "Sum up the total amount of invoices in 2024 by currency.",
            "sum total_amount currency by currency of currency",
        ),
        (
            "Which is the largest invoice from Acme Pumps by total amount?",
            "largest 1 total_amount currency",
        ),
        (
            "Show me the three largest invoices",
            "largest 3 total_amount currency",
        ),
        (
            "What are the smallest invoices?",
            "smallest 5 total_amount currency",
        ),
        (
            "What is the newest invoice from Acme Pumps?",
            "largest 1 invoice_date",
        ),
        (
            "What is the oldest invoice by due date?",
            "smallest 1 due_date",
        ),
        (
            "What is the average maximum voltage of datasheets?",
            "average max_voltage",
        ),
        ("Which invoices in USD are over 1000?", "list"),
        (
            "What is the oldest invoice with a due date in 2024?",
            "smallest 1 invoice_date",
        ),
        (
            "Compare the maximum voltage of HX-1 and HX-2",
            "list max_voltage",
        ),
        ("How many datasheets are there of the type SOT-23?", "count"),
        (
            "Compare the number of invoices from Acme Pumps and Corvane Logistics.",
            "count",
        ),
    ] {
        wrong.extend((told(question) != wanted).then(|| format!("{question}: {}", told(question))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_that_a_table_would_ignore_leave_it_to_a_search() {
    let mut wrong: Vec<String> = Vec::new();
    for (question, wanted) in [
        (
            "List all invoices about leaking pumps",
            "unfit: `leaking pumps` is no condition on a column",
        ),
        (
            "How many invoices are there per continent?",
            "unfit: no column is called `continent`",
        ),
        (
            "What does invoice AP-1003 say?",
            "unfit: `say` is no condition on a column",
        ),
        (
            "What is the total of the Corvane Logistics invoice for pumps?",
            "unfit: `pumps` is no condition on a column",
        ),
        (
            "Summarize all invoices from Acme Pumps",
            "unfit: `Summarize` is no condition on a column",
        ),
        (
            "Summarize all invoices from Acme Pumps - User clarified: List all of them as CSV",
            "list",
        ),
        (
            "Which is the largest datasheet? - User clarified: max voltage",
            "largest 1 max_voltage",
        ),
        ("What is an invoice?", "none"),
        ("Why do we keep invoices?", "none"),
    ] {
        wrong.extend((told(question) != wanted).then(|| format!("{question}: {}", told(question))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unknown_words_of_a_table_question_are_conditional_or_unfit() {
    let mut wrong: Vec<String> = Vec::new();
    for (question, wanted) in [
        (
            "Give me the gist of all invoices from Acme Pumps",
            "list unless `gist`",
        ),
        (
            "How many invoices did we dispute from Acme Pumps?",
            "unfit: `dispute` is no condition on a column",
        ),
        (
            "List all invoices from Acme Pumps pronto",
            "list unless `pronto`",
        ),
        // A word beside the noun, behind a preposition, or in capitals says which documents are meant.
        (
            "List all shoddy invoices from Acme Pumps",
            "unfit: `shoddy` is no condition on a column",
        ),
        (
            "Which invoices are shoddy?",
            "unfit: `shoddy` is no condition on a column",
        ),
        (
            "List all invoices for turbines from Acme Pumps",
            "unfit: `turbines` is no condition on a column",
        ),
        (
            "List all invoices from Acme Pumps Zorvex",
            "unfit: `Zorvex` is no condition on a column",
        ),
    ] {
        wrong.extend((told(question) != wanted).then(|| format!("{question}: {}", told(question))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_columns_that_fit_alike_are_both_named() {
    assert_eq!(
        told("Which is the largest datasheet?"),
        "`amount`: max_voltage or max_current"
    );
    assert_eq!(
        told("How many invoices are there per date?"),
        "`date`: invoice_date or due_date"
    );
}

#[test]
fn the_columns_of_the_question_are_shown_first() {
    let Tabulation::Fit(table) = asked(
        "List all invoices from Acme Pumps over 500 EUR",
        &dictionary(),
    ) else {
        panic!("no table")
    };
    assert!(
        table.shown.starts_with(&[
            "vendor_name".into(),
            "total_amount".into(),
            "currency".into()
        ]),
        "{:?}",
        table.shown
    );
    assert!(table.shown.len() <= 6);
}

proptest::proptest! {
    #[test]
    fn no_question_breaks_it(words in proptest::collection::vec("(invoices|by|per|year|largest|most|recent|of|total amount|5|2024|Acme Pumps|[a-z]{1,6}|\\PC)", 0..14)) {
        let _ = asked(&words.join(" "), &dictionary());
    }
}

#[test]
fn the_currency_of_an_amount_may_be_the_unit_that_a_schema_gives_its_bucket() {
    let mut known = Dictionary::default();
    for (bucket, unit) in [("invoices", "EUR"), ("contracts", "US$"), ("orders", "")] {
        let described = DescribedColumn::of("total", "what is to be paid", unit);
        known.describe_column(bucket, described);
        let height_unit = if unit == "EUR" { "cm" } else { "m" };
        let height = DescribedColumn::of("height", "how high", height_unit);
        known.describe_column(bucket, height);
        known.add(bucket, "height", FieldValue::Number(2.0));
        known.bucket(bucket);
        for n in 0..6u8 {
            known.add(bucket, "total", FieldValue::Number(f64::from(n)));
            known.add(bucket, "date", FieldValue::Text("2024-03-01"));
        }
    }
    let table = |question: &str| match asked(question, &known) {
        Tabulation::Fit(table) => (table.currency, table.currency_of),
        other => panic!("{question}: {other:?}"),
    };
    let (currency, units) = table("What is the sum of the total of all documents?");
    assert_eq!(currency.as_deref(), Some("currency"));
    let wanted = [("contracts", "USD"), ("invoices", "EUR")];
    let wanted = wanted.map(|(bucket, code)| (bucket.to_owned(), CurrencySource::Unit(code)));
    assert_eq!(units, wanted.into());
    let told = told_over("What is the sum of the height of all documents?", &known);
    assert_eq!(told, "unfit: `height` has several units");
    // The schema says that all amounts are in euros.
    let told = told_over(
        "What is the sum of the total of all invoices over 3 EUR?",
        &known,
    );
    assert_eq!(told, "sum total");
    // In one bucket there is one unit.
    let (currency, units) = table("What is the sum of the total of all invoices?");
    assert_eq!((currency, units.len()), (None, 0));
}

#[test]
fn a_name_with_several_suffixes_is_one_name() {
    let mut known = dictionary();
    for _ in 0..4 {
        let vendor = FieldValue::Text("Tarn Steel Group SpA");
        known.add("invoices", "vendor_name", vendor);
    }
    for name in ["Tarn Steel Group SpA", "Tarn Steel SpA", "Tarn Steel"] {
        let question = format!("How many invoices from {name} are there?");
        assert_eq!(told_over(&question, &known), "count", "{question}");
    }
}

#[test]
fn values_that_differ_by_a_sign_are_different_conditions() {
    let mut known = dictionary();
    for language in ["C", "C#", "C++", "Release 1.5", "Release 15"] {
        for _ in 0..4 {
            known.add("datasheets", "language", FieldValue::Text(language));
        }
    }
    for (said, wanted) in [
        ("C#", "C#"),
        ("C++", "C++"),
        ("C", "C"),
        ("F#", ""),
        ("Release 1.5", "Release 1.5"),
        ("Release 15", "Release 15"),
    ] {
        let question = format!("How many datasheets have the language {said}?");
        let linked = link(&question, &known, day(2025, 6, 2).unwrap());
        let tests = linked.conditions.iter().map(|one| match &one.test {
            crate::linked::Test::Is(things) => things.concat().join("|"),
            other => format!("{other:?}"),
        });
        assert_eq!(tests.collect::<String>(), wanted, "{question}: {linked:?}");
    }
}

#[test]
fn a_question_may_fit_none_of_the_buckets_that_schemas_describe() {
    let mut known = dictionary();
    let fits_none = |known: &Dictionary, question: &str| {
        link(question, known, day(2025, 6, 2).unwrap()).fits_no_bucket
    };
    assert!(!fits_none(&known, "Why do pumps leak?"), "no schema");
    for bucket in ["invoices", "datasheets"] {
        known.describe_column(bucket, DescribedColumn::of("file", "name of the file", ""));
    }
    assert!(fits_none(&known, "Why do pumps leak?"));
    assert!(!fits_none(&known, "How many invoices are there?"));
}
