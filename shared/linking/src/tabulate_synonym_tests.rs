//! Tests of questions that call columns and buckets by the synonyms of a schema. *Not* here: how a schema file is read.

use super::*;
use crate::days::day;
use crate::dictionary::{BucketWords, DescribedBucket, DescribedColumn, Dictionary, FieldValue};
use crate::link;

const COLUMNS: [(&str, &[&str]); 8] = [
    ("vendor", &["supplier", "made out by"]),
    ("bill_date", &["drawn up", "dated"]),
    ("net_amount", &["outlay", "outlay before tax"]),
    ("total_amount", &["total", "gross outlay", "e-sum"]),
    ("team", &["squad", "type"]),
    ("contract_number", &[]),
    ("contractor", &["hired firm"]),
    ("currency", &["coin"]),
];

fn described(bucket: &str, synonyms: &[&str], columns: &[(&str, &[&str])]) -> BucketWords {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let columns = columns.iter().map(|(field, synonyms)| DescribedColumn {
        synonyms: owned(synonyms),
        labels: vec![format!("tag {field}")],
        ..DescribedColumn::of(field, "what it holds", "")
    });
    BucketWords::from(&DescribedBucket {
        bucket: bucket.to_owned(),
        synonyms: owned(synonyms),
        columns: columns.collect(),
    })
}

/// Bills whose schema gives most columns synonyms.
fn dictionary() -> Dictionary {
    let mut known = Dictionary::default();
    known.describe(&described("invoices", &["supplier bill"], &COLUMNS));
    known.describe(&described("contracts", &["deal", "paper"], &[]));
    known.bucket("invoices");
    for n in 0..12u8 {
        let text = |n: u8, of: [&str; 2]| of[usize::from(n % 2)].to_owned();
        for (field, value) in [
            ("vendor", text(n, ["Acme Pumps Ltd", "Bolt and Sons AG"])),
            ("bill_date", format!("2024-{:02}-01", n + 1)),
            ("team", text(n, ["freight", "canteen"])),
            ("contract_number", text(n, ["C-1", "C-2"])),
            ("contractor", text(n, ["Esker", "Fjord"])),
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
        // The bucket is called by its synonym, and by the last word of it.
        ("How many bills are there per squad?", "Count - team"),
        (
            "How many supplier bills are there per squad?",
            "Count - team",
        ),
        // Words that mean nothing elsewhere are synonyms where they are declared.
        ("How many invoices are there per type?", "Count - team"),
        (
            "How many invoices are there per contract?",
            "Count - contract_number",
        ),
        ("How many invoices are there per tag team?", "Count - team"),
        (
            "What is the average outlay of the bills by supplier?",
            "Average net_amount vendor",
        ),
        // A synonym that names the net amount is more than the guess that money is meant with taxes, unless the words say
        // that it is.
        ("Which bill had the largest outlay?", "Largest net_amount -"),
        (
            "Which bill had the largest gross outlay?",
            "Largest total_amount -",
        ),
        (
            "Which bill had the largest total?",
            "Largest total_amount -",
        ),
        (
            "Which bill had the largest e-sum?",
            "Largest total_amount -",
        ),
        // `total` asks for a sum here, of the column that is named beside it.
        (
            "What is the total net amount of the bills?",
            "Sum net_amount -",
        ),
        // A synonym in front of a condition introduces that condition and is not what is compared.
        (
            "Which bill made out by Acme Pumps had the largest gross outlay?",
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
    let two: [(&str, &[&str]); 2] = [("payee", &["party"]), ("bearer", &["party"])];
    known.describe(&described("invoices", &[], &two));
    for (field, _) in two {
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
    // A word for any document is a synonym where it is declared.
    assert_eq!(
        bucket(&known, "How many papers are there from 2024?").as_deref(),
        Some("contracts")
    );
    known.describe(&described("contracts", &["bill", "invoice"], &[]));
    assert_eq!(bucket(&known, "List all bills."), None);
    // The name of a bucket comes before a synonym.
    assert_eq!(
        bucket(&known, "List all invoices.").as_deref(),
        Some("invoices")
    );
}

#[test]
fn a_condition_is_on_the_column_that_the_synonym_names() {
    let today = day(2025, 6, 2).expect("a day");
    for (question, wanted) in [
        (
            "List the invoices with an outlay over 500 EUR.",
            "net_amount",
        ),
        (
            "List the invoices with a gross outlay over 500 EUR.",
            "total_amount",
        ),
        ("List the invoices drawn up after 3 May 2024.", "bill_date"),
    ] {
        let found = link(question, &dictionary(), today);
        let fields: Vec<&str> = found.conditions.iter().map(|c| c.field.as_str()).collect();
        assert_eq!(fields.first(), Some(&wanted), "{question}: {found:?}");
    }
}

#[test]
fn a_column_of_a_schema_needs_no_description_and_a_field_beside_it_is_none() {
    let mut known = Dictionary::default();
    let column = DescribedColumn::of("squad", "", "");
    known.describe(&BucketWords::from(&DescribedBucket {
        bucket: "invoices".into(),
        columns: vec![column],
        ..DescribedBucket::default()
    }));
    known.bucket("invoices");
    for (squad, shelf) in [("freight", "upper"), ("canteen", "lower")] {
        known.add("invoices", "squad", FieldValue::Text(squad));
        known.add("invoices", "shelf", FieldValue::Text(shelf));
    }
    let today = day(2025, 6, 2).expect("a day");
    let grouped = |question: &str| match link(question, &known, today).tabulation {
        Tabulation::Fit(table) => table.group.map(|group| group.column().to_owned()),
        _ => None,
    };
    let by = grouped("How many invoices are there per squad?");
    assert_eq!(by.as_deref(), Some("squad"));
    assert_eq!(grouped("How many invoices are there per shelf?"), None);
}

#[test]
fn a_label_is_less_than_a_part_of_a_name_and_more_than_a_part_of_a_synonym() {
    let column = |field: &str, synonyms: &[&str], label: &str| DescribedColumn {
        synonyms: synonyms.iter().map(|name| (*name).to_owned()).collect(),
        labels: vec![label.to_owned()],
        ..DescribedColumn::of(field, "", "")
    };
    let mut known = Dictionary::default();
    known.describe(&BucketWords::from(&DescribedBucket {
        bucket: "invoices".into(),
        columns: vec![
            column("squad_name", &["paying desk"], "crew"),
            column("bearer", &["crew and desk"], "squad"),
        ],
        ..DescribedBucket::default()
    }));
    known.bucket("invoices");
    for field in ["squad_name", "bearer"] {
        known.add("invoices", field, FieldValue::Text("freight"));
    }
    let today = day(2025, 6, 2).expect("a day");
    for (word, wanted) in [("squad", "squad_name"), ("crew", "squad_name")] {
        let question = format!("How many invoices are there per {word}?");
        let Tabulation::Fit(table) = link(&question, &known, today).tabulation else {
            panic!("{question}")
        };
        assert_eq!(table.group, Some(GroupKey::Column(wanted.into())), "{word}");
    }
}
