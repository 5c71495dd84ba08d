//! Tests of the ways in which questions name a column by several words, by a noun for what it holds, or beside a
//! condition on it, over a bucket with a schema. *Not* here: synonyms of a schema.

use super::*;
use crate::days::day;
use crate::dictionary::{BucketWords, DescribedBucket, DescribedColumn, Dictionary, FieldValue};
use crate::link;

const COLUMNS: [(&str, &str); 9] = [
    ("works_contractor", "Firm that carries out the works"),
    ("unit", "Unit of the hospital that ordered the works"),
    (
        "work_package",
        "Work package, that is, the scope of the works",
    ),
    ("sort_of_site", "What the site is"),
    ("start_of_works", "Day on which the works start"),
    ("contract_sum", "Price agreed for the whole scope"),
    ("coin", "Sort of money"),
    (
        "days_of_notice",
        "Days of notice that either side has to give",
    ),
    ("accounting_year", "Accounting year that is described"),
];

/// Works contracts whose schema describes each column.
fn dictionary() -> Dictionary {
    let columns = COLUMNS.iter();
    let columns = columns.map(|(field, text)| DescribedColumn::of(field, text, ""));
    let mut known = Dictionary::default();
    known.describe(&BucketWords::from(&DescribedBucket {
        bucket: "works contracts".to_owned(),
        synonyms: Vec::new(),
        columns: columns.collect(),
    }));
    known.bucket("works contracts");
    for n in 0..12u8 {
        let one_of = |of: [&str; 2]| of[usize::from(n % 2)].to_owned();
        for (field, value) in [
            (
                "works_contractor",
                one_of(["Acme Pumps Ltd", "Bolt and Sons AG"]),
            ),
            ("unit", one_of(["radiology", "pharmacy"])),
            ("work_package", one_of(["trenching", "tree cutting"])),
            ("sort_of_site", one_of(["depot", "ward"])),
            ("start_of_works", format!("2024-{:02}-01", n + 1)),
            ("coin", one_of(["EUR", "USD"])),
            ("accounting_year", one_of(["2023", "2024"])),
        ] {
            known.add("works contracts", field, FieldValue::Text(&value));
        }
        for (field, value) in [("contract_sum", 100.0), ("days_of_notice", 30.0)] {
            let value = FieldValue::Number(value * f64::from(n % 3 + 1));
            known.add("works contracts", field, value);
        }
    }
    known
}

/// The table as text, with the number of the sides of a comparison before it.
fn told(question: &str) -> String {
    let today = day(2025, 6, 2).expect("a day");
    let linked = link(question, &dictionary(), today);
    let sides = match linked.parts.len() {
        0 => String::new(),
        sides => format!("{sides} sides: "),
    };
    match linked.tabulation {
        Tabulation::Fit(table) => format!("{sides}{}", super::tests::told_of(&table)),
        Tabulation::Unfit { why, .. } => format!("unfit: {why}"),
        other => format!("{other:?}"),
    }
}

fn all_told(cases: &[(&str, &str)]) {
    crate::cases::all_told(cases, told);
}

#[test]
fn several_words_name_one_column() {
    all_told(&[
        (
            "How many works contracts are there by firm that carries out the works?",
            "count by works_contractor of works_contractor",
        ),
        (
            "Split the works contracts of 2024 by unit of the hospital.",
            "count by unit of unit",
        ),
        (
            "What is the average price agreed for the scope of works contracts with Acme Pumps?",
            "average contract_sum coin",
        ),
        (
            "Average out the price from start to finish for the works contracts with Acme Pumps.",
            "average contract_sum coin",
        ),
        (
            "How many works contracts are there per number of days of notice?",
            "count by days_of_notice of days_of_notice",
        ),
        (
            "Number of works contracts with Acme Pumps, per year described",
            "count by accounting_year of accounting_year",
        ),
        (
            "What does one works contract with Acme Pumps come to on average, by price agreed?",
            "average contract_sum coin",
        ),
        // `delivery` is no part of the measure's name.
        (
            "What is the average price agreed for the delivery of works contracts with Acme Pumps?",
            "unfit: `delivery` is no condition on a column",
        ),
    ]);
}

#[test]
fn a_noun_for_what_a_column_holds_names_it() {
    all_told(&[
        (
            "How many works contracts are there by sort of unit?",
            "count by unit of unit",
        ),
        (
            "How many works contracts are there for each business?",
            "count by works_contractor of works_contractor",
        ),
        (
            "How many works contracts with Acme Pumps are there per currency?",
            "count by coin of coin",
        ),
        (
            "How many works contracts with Acme Pumps are there by month by month?",
            "count by month of start_of_works",
        ),
        (
            "How many works contracts with Acme Pumps are there per insurer?",
            "unfit: no column is called `insurer`",
        ),
    ]);
}

#[test]
fn words_beside_a_condition_name_its_column() {
    all_told(&[
        (
            "How many works contracts are there with trenching as the scope?",
            "count",
        ),
        (
            "How many works contracts are there where works started at some point in 2024?",
            "count",
        ),
        (
            "How many works contracts are there where the start took place in the course of 2024?",
            "count",
        ),
        // Here they are not about the documents that the question counts, or say what happened to them.
        (
            "How many works contracts for hospitals are there with Acme Pumps?",
            "unfit: `hospitals` is no condition on a column",
        ),
        (
            "How many works contracts about notice are there with Acme Pumps?",
            "unfit: `notice` is no condition on a column",
        ),
        (
            "List the works contracts that were audited in 2024.",
            "unfit: `audited` is no condition on a column",
        ),
        // A scope that is not beside a condition on it is a topic.
        (
            "How many works contracts with Acme Pumps set out the scope?",
            "unfit: `scope` is no condition on a column",
        ),
        (
            "How many works contracts about notice are there in 2024?",
            "unfit: `notice` is no condition on a column",
        ),
        (
            "How many works contracts about insurance are there with trenching as the scope?",
            "unfit: `insurance` is no condition on a column",
        ),
    ]);
}

#[test]
fn one_number_is_a_sum_and_two_are_compared() {
    all_told(&[
        (
            "Money for all works contracts with Acme Pumps in one figure, please.",
            "sum contract_sum coin",
        ),
        (
            "Of the works contracts of 2024, are there more with Acme Pumps or with Bolt and Sons?",
            "2 sides: count",
        ),
        (
            "I want two counts of works contracts: one for Acme Pumps, one for Bolt and Sons.",
            "2 sides: count",
        ),
        (
            "Set the number of works contracts with Acme Pumps against the number with Bolt and Sons.",
            "2 sides: count",
        ),
        (
            "How many works contracts with Acme Pumps versus with Bolt and Sons?",
            "2 sides: count",
        ),
        (
            "How many works contracts with Acme Pumps are there compared to last year?",
            "unfit: it compares documents with others",
        ),
        // The two conditions are on different columns, so they are no sides of one comparison.
        (
            "Are there more works contracts with Acme Pumps or over 500?",
            "unfit: it compares documents with others",
        ),
    ]);
}

#[test]
fn what_no_table_holds_makes_none() {
    all_told(&[
        (
            "How many works contracts except the paid ones?",
            "unfit: `except` excludes nothing that a column holds",
        ),
        // One exclusion is a condition, and the other is none.
        (
            "How many works contracts not with Acme Pumps, except the paid ones?",
            "unfit: `except` excludes nothing that a column holds",
        ),
        (
            "How many works contracts except those with Acme Pumps?",
            "count",
        ),
        (
            "Which is the newest works contract but one?",
            "unfit: it asks for a later place in an order",
        ),
        (
            "What is the second largest works contract with Acme Pumps?",
            "unfit: it asks for a later place in an order",
        ),
        (
            "What is the median contract sum of works contracts with Acme Pumps?",
            "unfit: no table has the `median`",
        ),
        (
            "How many works contracts were running on 1 March 2024?",
            "unfit: `running` is a state that no column holds",
        ),
        (
            "What is the average contract sum of works contracts with Acme Pumps by cost?",
            "unfit: no column is called `cost`",
        ),
        (
            "How many works contracts have more than 100 employees?",
            "unfit: it compares documents with others",
        ),
        (
            "How many works contracts last longer than 3 years?",
            "unfit: it compares documents with others",
        ),
    ]);
    let linked = link(
        "How many works contracts last longer than 3 years?",
        &dictionary(),
        day(2025, 6, 2).expect("a day"),
    );
    assert_eq!(linked.unread.len(), 1, "{:?}", linked.unread);
    let known = super::tests::dictionary();
    for (question, said) in [
        ("How many invoices were sent to Acme Pumps?", "sent to"),
        (
            "How many invoices were passed on to Acme Pumps?",
            "passed on",
        ),
    ] {
        let told = super::tests::told_over(question, &known);
        assert_eq!(
            told,
            format!("unfit: `{said}` says another role than the column has")
        );
    }
}

#[test]
fn what_is_done_in_a_currency_tells_no_documents_apart() {
    all_told(&[
        (
            "Break down the number of works contracts of 2024 by money they are paid in.",
            "count by coin of coin",
        ),
        (
            "Number of works contracts by the coin that they were billed in",
            "count by coin of coin",
        ),
        (
            "Break down the number of works contracts of 2024 by works contractor they are paid in.",
            "unfit: `paid` is a state that no column holds",
        ),
    ]);
}
