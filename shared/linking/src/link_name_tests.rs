//! Tests of conditions on names that paths, scanners and questions write in different ways, and of words around them.
//! *Not* here: days and amounts by themselves (`days`, `amounts`).

use super::*;
use crate::days::day;
use crate::dictionary::{DescribedColumn, FieldValue};

/// Badges without a schema, whose names stand in fields or in paths, and reports with a schema.
fn dictionary() -> Dictionary {
    let mut known = Dictionary::default();
    known.bucket("safety-badges");
    for holder in ["Midland Ocean Boilers Corp", "Premise LP", "Summit Group"] {
        for town in ["Tampere", "Valladolid"] {
            known.add("safety-badges", "holder", FieldValue::Text(holder));
            known.add("safety-badges", "town", FieldValue::Text(town));
        }
    }
    known.add("safety-badges", "holder", FieldValue::Text("Summit Gr0up"));
    for path in [
        "safety-badges/MIDLAND-OCEAN-BOILERS=TAMPERE+0817.pdf",
        "safety-badges/HARROW-BADGE=PREMISE,0818.pdf",
    ] {
        known.call("safety-badges", path);
    }
    known.bucket("filings");
    for year in 2015..=2018 {
        known.call("filings", &format!("filings/BEST-BUY_{year}_10K.pdf"));
    }
    known.bucket("leases");
    known.add("leases", "signed", FieldValue::Text("2020-03-05"));
    known.bucket("invoices");
    for field in ["invoice_date", "due_date"] {
        known.add("invoices", field, FieldValue::Text("2020-03-05"));
    }
    known.bucket("bills");
    known.add("bills", "bill_date", FieldValue::Text("2020-03-05"));
    known.bucket("reports");
    for (field, description) in [
        ("publisher", "who released the report"),
        ("accounting_year", "year that it describes"),
        ("day_of_release", "day on which it was released"),
        ("pay_by_date", "last day for the payment"),
        ("net_amount", "amount before tax"),
        ("gross_amount", "amount with tax"),
    ] {
        known.describe_column("reports", DescribedColumn::of(field, description, ""));
    }
    for n in 0..6 {
        let mut add = |field, value| known.add("reports", field, value);
        add("publisher", FieldValue::Text("Corfe Linen Trust"));
        for publisher in [
            "ALDGATE LINEN GROUP",
            "Aldgate Linen Group SpA",
            "Bexley Linen Ltd",
            "Bexley Linen SpA",
            "Tarn Steel Group",
            "Tarn Steel Group Foundation",
            "Weber Pumpen GmbH",
            "Weber Pumpen GmbH & Co. KG",
        ] {
            add("publisher", FieldValue::Text(publisher));
        }
        add("accounting_year", FieldValue::Number(f64::from(2016 + n)));
        add("day_of_release", FieldValue::Text("2019-03-05"));
        add("pay_by_date", FieldValue::Text("2019-04-05"));
        add("net_amount", FieldValue::Number(f64::from(n)));
        add("gross_amount", FieldValue::Number(f64::from(n)));
    }
    known
}

fn all_linked(cases: &[(&str, &str)]) {
    let told = |question: &str| {
        let linked = link(question, &dictionary(), day(2025, 12, 10).unwrap());
        let all = linked.conditions.iter().map(|condition| {
            let not = if condition.is_negated { "not " } else { "" };
            let test = match &condition.test {
                Test::Is(things) => things.concat().join("|"),
                Test::Number(numbers) => format!("{numbers:?}"),
                Test::Days(days) => format!("{:?}..{:?}", days.from, days.until),
                Test::Amount(bounds) => format!("{bounds:?}"),
            };
            format!("{not}{} is {test}", condition.field)
        });
        all.collect::<Vec<String>>().join("; ")
    };
    crate::cases::all_told(cases, told);
}

#[test]
fn names_are_found_in_paths_and_scans() {
    all_linked(&[
        (
            "List the safety badges of Midland Ocean Boilers Corp.",
            "holder is MIDLAND OCEAN BOILERS|MIDLAND-OCEAN-BOILERS|Midland Ocean Boilers Corp",
        ),
        // A path that says `PREMISE` may mean a premise.
        (
            "List the safety badges of Premise LP.",
            "holder is Premise LP",
        ),
        // The badge in `HARROW-BADGE` is what all of these documents are.
        (
            "List the safety badges of Summit Group.",
            "holder is Summit Gr0up|Summit Group",
        ),
        (
            "List the reports with Corfe Linen as the publisher.",
            "publisher is Corfe Linen Trust",
        ),
    ]);
}

#[test]
fn what_is_excluded_may_be_described_by_more_words() {
    all_linked(&[
        (
            "List the safety badges to the exclusion of premises located in Valladolid.",
            "not town is Valladolid",
        ),
        (
            "List the safety badges for any town but Tampere.",
            "not town is Tampere",
        ),
        (
            "List the safety badges, not in the name of Summit Group.",
            "not holder is Summit Gr0up|Summit Group",
        ),
        (
            "Total no. of safety badges of Summit Group",
            "holder is Summit Gr0up|Summit Group",
        ),
    ]);
}

#[test]
fn a_suffix_within_a_name_is_no_other_legal_form() {
    all_linked(&[
        (
            "List the reports released by Aldgate Linen Group.",
            "publisher is ALDGATE LINEN GROUP|Aldgate Linen Group SpA",
        ),
        (
            "List the reports released by Aldgate Linen Group SpA.",
            "publisher is ALDGATE LINEN GROUP|Aldgate Linen Group SpA",
        ),
        (
            "List the reports released by Tarn Steel Group.",
            "publisher is Tarn Steel Group",
        ),
        (
            "List the reports released by Weber Pumpen GmbH.",
            "publisher is Weber Pumpen GmbH",
        ),
        (
            "List the reports released by Bexley Linen SpA.",
            "publisher is Bexley Linen SpA",
        ),
        (
            "List the reports released by Bexley Linen.",
            "publisher is Bexley Linen Ltd|Bexley Linen SpA",
        ),
    ]);
}

#[test]
fn words_say_which_day_and_which_amount() {
    all_linked(&[
        (
            "List the reports released for 2018.",
            "accounting_year is [2018.0]",
        ),
        (
            "List the reports with a pay-by date in 2019.",
            "pay_by_date is Some(2019-01-01)..Some(2020-01-01)",
        ),
        (
            "List the reports with a day of release subsequent to 4 March 2019.",
            "day_of_release is Some(2019-03-05)..None",
        ),
        (
            "List the reports released from 1 March 2019 up to and including 5 March 2019.",
            "day_of_release is Some(2019-03-01)..Some(2019-03-06)",
        ),
        (
            "List the reports with a pre-tax amount not reaching 5.00.",
            "net_amount is [(Under, 5.0)]",
        ),
    ]);
}

#[test]
fn years_in_paths_have_sides() {
    for (said, years) in [
        ("since 2017", "2017|2018"),
        ("after 2017", "2018"),
        ("before 2017", "2015|2016"),
        ("until 2016", "2015|2016"),
        ("in 2016", "2016"),
    ] {
        all_linked(&[(
            &format!("List the filings of Best Buy {said}."),
            &format!("named is BEST BUY|BEST-BUY|Best Buy; named is {years}"),
        )]);
    }
}

#[test]
fn a_verb_for_an_end_needs_a_column_of_ends() {
    all_linked(&[
        (
            "List the leases signed in 2020.",
            "signed is Some(2020-01-01)..Some(2021-01-01)",
        ),
        ("List the leases that expire in 2020.", ""),
        ("List the leases that fall due in 2020.", ""),
        (
            "List the reports to be paid in 2019.",
            "pay_by_date is Some(2019-01-01)..Some(2020-01-01)",
        ),
        ("List the leases that were paid in 2020.", ""),
        // The noun of the question is in the name of the column.
        ("List the bills that fall due in 2020.", ""),
        (
            "List the invoices that fall due in 2020.",
            "due_date is Some(2020-01-01)..Some(2021-01-01)",
        ),
        // A day on which something falls due is none on which it was paid.
        ("List the invoices that were paid in 2020.", ""),
        (
            "List the leases signed by the end of 2020.",
            "signed is None..Some(2021-01-01)",
        ),
        (
            "List the leases signed end 2020.",
            "signed is Some(2020-01-01)..Some(2021-01-01)",
        ),
    ]);
}

#[test]
fn siblings_of_a_company_in_paths_are_left_out() {
    let mut known = Dictionary::default();
    known.bucket("orders");
    for name in ["Tarn Steel Group Ltd", "Tarn Steel Ltd", "Tarn Steel SpA"] {
        for name in [name.to_owned(), name.replace(' ', "-")] {
            for _ in 0..8 {
                known.add("orders", "named", FieldValue::Text(&name));
            }
        }
    }
    for (said, wanted) in [
        (
            "Tarn Steel Ltd",
            "is Tarn Steel Ltd|Tarn-Steel-Ltd, not Tarn Steel Group Ltd",
        ),
        (
            "Tarn Steel Ltd or Tarn Steel Group Ltd",
            "is Tarn Steel Ltd|Tarn-Steel-Ltd|Tarn Steel Group Ltd|Tarn-Steel-Group-Ltd",
        ),
        (
            "Tarn Steel Group Ltd",
            "is Tarn Steel Group Ltd|Tarn-Steel-Group-Ltd",
        ),
        ("Tarn Steel SpA", "is Tarn Steel SpA|Tarn-Steel-SpA"),
    ] {
        let question = format!("How many orders are from {said}?");
        let linked = link(&question, &known, day(2025, 12, 10).unwrap());
        let told = linked.conditions.iter().map(|one| {
            let not = if one.is_negated { "not" } else { "is" };
            format!("{not} {}", one.names.join("|"))
        });
        assert_eq!(told.collect::<Vec<_>>().join(", "), wanted);
    }
}
