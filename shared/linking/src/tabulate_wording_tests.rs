//! Tests of questions for tables in words that occur in no column. Named columns are *not* tested here.

use super::tests::{dictionary, told};
use super::*;
use crate::days::day;
use crate::dictionary::DescribedColumn;

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
            "unfit: `paid by` says another role than the column has",
        ),
        // These ask about a topic, about certain documents, or about something that no column holds.
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

/// The table of the same documents with a schema.
fn told_described(question: &str) -> String {
    let mut known = dictionary();
    for (field, description, unit) in [
        ("max_voltage", "highest voltage that the part stands", "V"),
        ("max_current", "highest current that the part stands", "A"),
        ("part_number", "number of the part", ""),
    ] {
        known.describe_column("datasheets", DescribedColumn::of(field, description, unit));
    }
    let today = day(2025, 6, 2).unwrap();
    match crate::link(question, &known, today).tabulation {
        Tabulation::Fit(table) => format!("{:?} of {}", table.operation, table.shown[0]),
        Tabulation::None => "none".into(),
        other => format!("{other:?}"),
    }
}

#[test]
fn what_two_documents_have_is_put_side_by_side() {
    let wrong: Vec<String> = [
        ("Max voltage: HX-3 or HX-5?", "List of max_voltage"),
        ("Voltage limit: HX-3 or HX-5?", "List of max_voltage"),
        (
            "What's the voltage of HX-3, and what's that of HX-5?",
            "List of max_voltage",
        ),
        (
            "Contrast HX-3 and HX-5 with respect to admissible current.",
            "List of max_current",
        ),
        (
            "By what margin does the voltage of HX-3 differ from that of HX-5?",
            "List of max_voltage",
        ),
        (
            "How far apart are HX-3 and HX-5 in voltage?",
            "List of max_voltage",
        ),
        (
            "Going by voltage, is it HX-3 or HX-5 that wins?",
            "List of max_voltage",
        ),
        (
            "Does HX-3 have a higher voltage than HX-5?",
            "List of max_voltage",
        ),
        (
            "What max voltage does HX-3 have, and what does HX-5 have?",
            "List of max_voltage",
        ),
        // A question for an explanation has no table.
        ("Why has HX-3 more voltage than HX-5?", "none"),
        ("Is HX-3 interchangeable with HX-5 at full current?", "none"),
    ]
    .into_iter()
    .filter(|(question, wanted)| told_described(question) != *wanted)
    .map(|(question, _)| format!("{question}: {}", told_described(question)))
    .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn questions_in_other_words_are_counted_where_nothing_is_left_over() {
    let wrong: Vec<String> = [
        (
            "Are there more invoices from Acme Pumps than from Corvane Logistics?",
            "count",
        ),
        (
            "Compare the invoices from Acme Pumps and Corvane Logistics.",
            "unfit: no column is named that could be compared",
        ),
        ("How many invoices did Acme Pumps send in total?", "count"),
        (
            "What is the average amount including tax of invoices from Acme Pumps?",
            "average total_amount currency",
        ),
        (
            "average pre-tax amount of invoices from Acme Pumps in 2024",
            "average net_amount currency",
        ),
        (
            "Which of our invoices from Acme Pumps has the lowest total?",
            "smallest 1 total_amount currency",
        ),
        (
            "How many invoices from Acme Pumps with an invoice date during 2024 are there?",
            "count",
        ),
        (
            "How many invoices are there where the supplier is Acme Pumps?",
            "count",
        ),
        (
            "How many invoices about the supplier change at Acme Pumps are there?",
            "unfit: `supplier change` is no condition on a column",
        ),
        (
            "Which invoice from Acme Pumps goes back the furthest?",
            "smallest 1 invoice_date",
        ),
        (
            "How many invoices came to us from Acme Pumps in May 2024?",
            "count",
        ),
        (
            "How many invoices are deductible in 2024?",
            "count unless `deductible`",
        ),
        (
            "What is the average margin on the invoices from Acme Pumps?",
            "unfit: `margin` is no condition on a column",
        ),
        (
            "How many invoices have exhibits?",
            "unfit: `exhibits` is no condition on a column",
        ),
        (
            "How many of the disputed Acme Pumps invoices are there?",
            "unfit: `disputed` is no condition on a column",
        ),
        (
            "How many of the leaking Acme Pumps invoices are there?",
            "unfit: `leaking` is no condition on a column",
        ),
        (
            "How many invoices are there where the customer is Acme Pumps?",
            "count unless `customer`",
        ),
        (
            "How many invoices from the supplier Acme Pumps are there?",
            "count",
        ),
        (
            "How many lines per invoice are there?",
            "count unless `lines`",
        ),
        (
            "Count the invoices of 2024, one line per vendor.",
            "count by vendor_name of vendor_name",
        ),
        (
            "Are there more offers from Acme Pumps than from Corvane Logistics?",
            "none",
        ),
        (
            "Largest Acme Pumps invoices",
            "largest 5 total_amount currency",
        ),
        (
            "Show the price of every invoice from Acme Pumps.",
            "list unless `price`",
        ),
        (
            "Show the price of all invoices signed by Acme Pumps.",
            "list unless `price`",
        ),
        ("How should invoices be split by vendor?", "none"),
        ("What do vendors have to add to the invoices?", "none"),
        (
            "How are the invoices of 2024 distributed by vendor?",
            "count by vendor_name of vendor_name",
        ),
        (
            "Provide a breakdown of the outlay net of VAT of invoices of 2024 by vendor.",
            "sum net_amount currency by vendor_name of vendor_name",
        ),
        (
            "If I add up the cost of all invoices from Acme Pumps, what do I get?",
            "sum total_amount currency",
        ),
        (
            "If a vendor goes broke, what do we do with the invoices?",
            "none",
        ),
        ("How are invoices distributed to the departments?", "none"),
        (
            "How many invoices from Acme Pumps with obligations ending in 2024 are there?",
            "count",
        ),
        (
            "How many invoices for pumps ending in 2024 are there?",
            "unfit: `pumps` is no condition on a column",
        ),
    ]
    .into_iter()
    .filter(|(question, wanted)| told(question) != *wanted)
    .map(|(question, _)| format!("{question}: {}", told(question)))
    .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Word vectors that know three words.
struct ThreeWords;

impl crate::WordLikeness for ThreeWords {
    fn likeness(&self, said: &str, known: &str) -> f32 {
        match (said, known) {
            ("debtor", "cost centre") => 0.6,
            ("debtor", "vendor name") => 0.4,
            ("recipient", "vendor name") => 0.6,
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
        crate::link_by(&question, &dictionary(), today, &ThreeWords).tabulation
    };
    let Tabulation::Fit(table) = by("debtor") else {
        panic!("{:?}", by("debtor"))
    };
    assert_eq!(table.group, Some(GroupKey::Column("cost_centre".into())));
    assert_eq!(table.likened, [("debtor".into(), "cost_centre".into())]);
    // One word is equally similar to two columns, one to none, and one to a column for the opposite role.
    for word in ["payer", "planet", "recipient"] {
        let told = format!("{:?}", by(word));
        assert!(told.contains("no column is called"), "{told}");
    }
    // A column that the words themselves name is not reported.
    let Tabulation::Fit(table) = by("vendor") else {
        panic!("{:?}", by("vendor"))
    };
    assert_eq!(table.likened, []);
}
