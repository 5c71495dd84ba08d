//! Questions for tables in words that stand in no column. *Not* here: what is to be done with columns that are named.

use super::tests::{dictionary, told};
use super::*;
use crate::days::day;

#[test]
fn words_that_only_lead_to_a_name_change_no_number() {
    let wrong: Vec<String> = [
        (
            "Of the invoices from Acme Pumps, the largest.",
            "largest 1 total_amount currency",
        ),
        (
            "Among the invoices from Acme Pumps, state the one with the lowest net amount.",
            "smallest 1 net_amount currency",
        ),
        (
            "Show the largest invoices from Acme Pumps.",
            "largest 5 total_amount currency",
        ),
        (
            "Which is the largest invoice overall?",
            "largest 1 total_amount currency",
        ),
        (
            "How many invoices from Acme Pumps do we have overall?",
            "count",
        ),
        (
            "What does the outlay for invoices from Acme Pumps come to?",
            "sum total_amount currency",
        ),
        (
            "What is the outlay before tax of invoices from Acme Pumps?",
            "sum net_amount currency",
        ),
        (
            "Please tally the cost with VAT of our invoices from Acme Pumps.",
            "sum total_amount currency",
        ),
        (
            "What is the total cost excluding Acme Pumps for the invoices of 2024?",
            "sum total_amount currency",
        ),
        (
            "How many invoices on behalf of Acme Pumps are there?",
            "count",
        ),
        (
            "How many invoices for goods bought from Acme Pumps are there?",
            "count",
        ),
        (
            "How many invoices for pipes bought from Acme Pumps are there?",
            "count unless `pipes bought`",
        ),
        (
            "List the invoices from Acme Pumps in their entirety.",
            "list",
        ),
        (
            "How many invoices from Acme Pumps are there by year of issue?",
            "count by year of invoice_date",
        ),
        (
            "How many invoices from Acme Pumps are there for each month in which they fall due?",
            "count by month of due_date",
        ),
        (
            "How many invoices per year were paid by Acme Pumps?",
            "count by year of invoice_date",
        ),
        // What they are about, which they are, and what no column holds.
        (
            "What payment terms do the invoices from Acme Pumps have?",
            "unfit: `payment` is no condition on a column",
        ),
        (
            "How is the price set in the invoices from Acme Pumps?",
            "unfit: `price` is no condition on a column",
        ),
        (
            "What is the total amount of the invoices from Acme Pumps before tax?",
            "unfit: `tax` is no condition on a column",
        ),
        (
            "What is the average discount on the invoices from Acme Pumps?",
            "unfit: `discount` is no condition on a column",
        ),
        (
            "How many invoices about insurance from Acme Pumps are there?",
            "unfit: `insurance` is no condition on a column",
        ),
        (
            "How many invoices did Acme Pumps breach in 2024?",
            "unfit: `breach` is no condition on a column",
        ),
        (
            "How many pending or open invoices from Acme Pumps are there?",
            "unfit: `pending` is no condition on a column",
        ),
        (
            "How many invoices from Acme Pumps were disputed in 2024?",
            "unfit: `disputed` is no condition on a column",
        ),
        (
            "How many invoices disputed by Acme Pumps are there?",
            "unfit: `disputed` is no condition on a column",
        ),
        (
            "How many invoices mention late fees in 2024?",
            "unfit: `mention late fees` is no condition on a column",
        ),
    ]
    .into_iter()
    .filter(|(question, wanted)| told(question) != *wanted)
    .map(|(question, _)| format!("{question}: {}", told(question)))
    .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A table that knows two words.
struct TwoWords;

impl crate::WordLikeness for TwoWords {
    fn likeness(&self, said: &str, known: &str) -> f32 {
        match (said, known) {
            ("debtor", "cost centre") => 0.6,
            ("debtor", "vendor name") => 0.4,
            ("payer", "cost centre" | "vendor name") => 0.6,
            _ => 0.0,
        }
    }
}

#[test]
fn a_column_that_is_near_in_meaning_is_taken_and_told() {
    let today = day(2025, 6, 2).unwrap();
    let by = |word: &str| {
        let question = format!("How many invoices are there per {word}?");
        crate::link_by(&question, &dictionary(), today, &TwoWords).tabulation
    };
    let Tabulation::Fit(table) = by("debtor") else {
        panic!("{:?}", by("debtor"))
    };
    assert_eq!(table.group, Some(GroupKey::Column("cost_centre".into())));
    assert_eq!(table.likened, [("debtor".into(), "cost_centre".into())]);
    // Two that are as near, and none.
    for word in ["payer", "planet"] {
        let told = format!("{:?}", by(word));
        assert!(told.contains("no column is called"), "{told}");
    }
    // What the words themselves say is not told.
    let Tabulation::Fit(table) = by("vendor") else {
        panic!("{:?}", by("vendor"))
    };
    assert_eq!(table.likened, []);
}
