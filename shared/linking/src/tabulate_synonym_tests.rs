//! Tests of questions that call columns and buckets by the synonyms of a schema. *Not* here: how a schema file is read.

use super::*;
use crate::days::day;
use crate::dictionary::{DescribedColumn, Dictionary, FieldValue};
use crate::link;

const COLUMNS: [(&str, &[&str]); 6] = [
    ("vendor", &["supplier", "made out by"]),
    ("written_on", &["drawn up", "dated"]),
    ("net_amount", &["net outlay", "outlay before tax"]),
    ("total_amount", &["total", "outlay", "gross outlay"]),
    ("team", &["squad"]),
    ("currency", &["coin"]),
];

/// Bills whose schema gives every column synonyms, and papers without a schema.
fn dictionary() -> Dictionary {
    let mut known = Dictionary::default();
    for (field, synonyms) in COLUMNS {
        let synonyms = synonyms.iter().map(|name| (*name).to_owned());
        let column = DescribedColumn {
            synonyms: synonyms.collect(),
            ..DescribedColumn::of(field, "", "")
        };
        known.describe("invoices", &column);
    }
    known.call_bucket("invoices", "supplier bill");
    known.call_bucket("contracts", "deal");
    known.bucket("invoices");
    for n in 0..12u8 {
        let text = |n: u8, of: [&str; 2]| of[usize::from(n % 2)].to_owned();
        for (field, value) in [
            ("vendor", text(n, ["Acme Pumps Ltd", "Bolt and Sons AG"])),
            ("written_on", format!("2024-{:02}-01", n + 1)),
            ("team", text(n, ["freight", "canteen"])),
            ("currency", text(n, ["EUR", "USD"])),
        ] {
            known.add("invoices", field, FieldValue::Text(&value));
        }
        let amount = 100.0 * f64::from(n);
        known.add("invoices", "net_amount", FieldValue::Number(amount));
        known.add("invoices", "total_amount", FieldValue::Number(1.2 * amount));
    }
    known
}

fn table(question: &str) -> String {
    let today = day(2025, 6, 2).expect("a day");
    match link(question, &dictionary(), today).tabulation {
        Tabulation::Fit(table) => {
            let group = table.group.as_ref().map(GroupKey::column);
            let measure = table.measure.as_deref();
            format!(
                "{:?} {} {}",
                table.operation,
                measure.unwrap_or("-"),
                group.unwrap_or("-")
            )
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn columns_are_known_by_whole_synonyms_and_buckets_by_theirs() {
    let mut wrong = Vec::new();
    for (question, wanted) in [
        ("How many invoices are there per squad?", "Count - team"),
        // The bucket is called by the last word of its synonym.
        ("How many bills are there per squad?", "Count - team"),
        (
            "What is the average net outlay of the bills by supplier?",
            "Average net_amount vendor",
        ),
        // `outlay` is the whole synonym of one column, and a part of two other synonyms.
        (
            "Which bill had the largest outlay?",
            "Largest total_amount -",
        ),
        (
            "Which bill had the largest total?",
            "Largest total_amount -",
        ),
        // `total` asks for a sum here, of the column that is named beside it.
        (
            "What is the total net outlay of the bills?",
            "Sum net_amount -",
        ),
        // A synonym in front of a condition introduces that condition and is not what is compared.
        (
            "Which bill made out by Acme Pumps had the largest outlay?",
            "Largest total_amount -",
        ),
    ] {
        let found = table(question);
        if found != wanted {
            wrong.push(format!("{question}: {found}, not {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_synonym_of_two_columns_is_asked_back() {
    let mut known = dictionary();
    for field in ["payee", "bearer"] {
        let column = DescribedColumn {
            synonyms: vec!["party".into()],
            ..DescribedColumn::of(field, "", "")
        };
        known.describe("invoices", &column);
        known.add("invoices", field, FieldValue::Text("Acme Pumps Ltd"));
    }
    let today = day(2025, 6, 2).expect("a day");
    let found = link("How many invoices are there per party?", &known, today);
    let Tabulation::Ambiguous { said, columns } = found.tabulation else {
        panic!("{:?}", found.tabulation)
    };
    assert_eq!((said.as_str(), columns.len()), ("party", 2));
}

#[test]
fn a_synonym_names_no_bucket_that_the_tenant_lacks_and_none_that_two_share() {
    let today = day(2025, 6, 2).expect("a day");
    let bucket = |known: &Dictionary, question: &str| link(question, known, today).bucket;
    let mut known = dictionary();
    assert_eq!(
        bucket(&known, "List all bills.").as_deref(),
        Some("invoices")
    );
    assert_eq!(bucket(&known, "List all deals."), None);
    known.bucket("contracts");
    assert_eq!(
        bucket(&known, "List all deals.").as_deref(),
        Some("contracts")
    );
    known.call_bucket("contracts", "bill");
    assert_eq!(bucket(&known, "List all bills."), None);
    // The name of a bucket comes before a synonym.
    known.call_bucket("contracts", "invoice");
    assert_eq!(
        bucket(&known, "List all invoices.").as_deref(),
        Some("invoices")
    );
}

#[test]
fn a_word_of_two_columns_decides_for_neither() {
    // `outlay` stands in synonyms of both amounts, so the amounts decide as they would without synonyms.
    let today = day(2025, 6, 2).expect("a day");
    let found = link(
        "List the invoices with an outlay over 500 EUR.",
        &dictionary(),
        today,
    );
    let fields: Vec<&str> = found.conditions.iter().map(|c| c.field.as_str()).collect();
    assert_eq!(fields.first(), Some(&"total_amount"), "{found:?}");
}
