//! Tests of the conditions of questions, in wordings that no rule was tuned on.

use super::*;
use crate::days::day;
use crate::dictionary::{DescribedColumn, FieldValue};
use crate::linked::Test;

/// Bills with a schema, and notes without one.
fn dictionary() -> Dictionary {
    let mut dictionary = Dictionary::default();
    dictionary.bucket("bills");
    for (field, description, unit) in [
        ("seller", "who sells", ""),
        ("bill_type", "bill, or reminder", ""),
        ("written_on", "the day of the bill", ""),
        ("pay_until", "the last day to pay", ""),
        ("sum_total", "the sum with tax", ""),
        ("sum_untaxed", "the sum without tax", ""),
        ("money", "the currency", ""),
        ("team", "which team bears it", ""),
        ("grace", "how long one may be late", "days"),
        ("input", "the voltage at the input", "V"),
        ("output", "the voltage at the output", "V"),
        ("origin", "town that it is sent from", ""),
        ("target", "town that it is sent to", ""),
    ] {
        dictionary.describe_column("bills", DescribedColumn::of(field, description, unit));
    }
    for seller in [
        "Halden Marine Ltd",
        "Quorn",
        "Level",
        "Northern Light Works",
        "New Lane Weavers",
        "Vandermeer",
        "Premise LP",
    ] {
        for at in 0..6 {
            let mut add = |field, value| dictionary.add("bills", field, value);
            add("seller", FieldValue::Text(seller));
            add("bill_type", FieldValue::Text(["bill", "reminder"][at % 2]));
            add("written_on", FieldValue::Text("2024-03-05"));
            add("pay_until", FieldValue::Text("2024-04-05"));
            add("sum_total", FieldValue::Number(120.5 * at as f64));
            add("sum_untaxed", FieldValue::Number(100.5 * at as f64));
            add("money", FieldValue::Text(["EUR", "USD", "GBP"][at % 3]));
            add("team", FieldValue::Text(["gardening", "kitchen"][at % 2]));
            add("grace", FieldValue::Number(7.0));
            add("input", FieldValue::Number(5.5));
            add("output", FieldValue::Number(3.3));
            add("origin", FieldValue::Text(["Ulm", "Aarhus"][at % 2]));
            add("target", FieldValue::Text(["Ulm", "Aarhus"][at % 2]));
        }
    }
    dictionary.bucket("notes");
    for (company, year) in [("Vandermeer", 2018.0), ("Quorn", 2019.0)] {
        dictionary.add("notes", "company", FieldValue::Text(company));
        dictionary.add("notes", "year", FieldValue::Number(year));
        dictionary.add("notes", "named", FieldValue::Text("2018"));
    }
    dictionary
}

fn linked(question: &str) -> LinkedQuestion {
    link(question, &dictionary(), day(2025, 12, 10).unwrap())
}

fn shown(condition: &QuestionCondition) -> String {
    let not = if condition.is_negated { "not " } else { "" };
    let test = match &condition.test {
        Test::Is(things) => {
            let first = things.iter().filter_map(|forms| longest(forms));
            first.collect::<Vec<_>>().join("|")
        }
        Test::Number(numbers) => format!("{numbers:?}"),
        Test::Days(range) => {
            let day = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
            format!("{}..{}", day(range.from), day(range.until))
        }
        Test::Amount(bounds) => {
            let bounds = bounds
                .iter()
                .map(|(bound, value)| format!("{bound:?} {value}"));
            bounds.collect::<Vec<_>>().join(",")
        }
    };
    format!("{not}{}: {test}", condition.field)
}

/// All conditions, followed by the sides.
fn conditions(question: &str) -> Vec<String> {
    let linked = linked(question);
    let all = linked.conditions.iter().chain(&linked.parts);
    all.map(shown).collect()
}

/// The conditions without those on the document type.
fn told(question: &str) -> Vec<String> {
    let mut all = conditions(question);
    all.retain(|one| !one.starts_with("bill_type"));
    all
}

#[test]
fn requests_in_many_forms_are_for_documents() {
    for question in [
        "Could you fish out the bills of Vandermeer?",
        "I am after every bill by Vandermeer.",
        "bills, Vandermeer",
        "Vandermeer bills please",
        "Have we got any bills from VANDERMEER?",
        "Whichever bills Vandermeer wrote",
        "Let me have bills which Vandermeer sent",
        "So where are the bills by Vandermeer?",
    ] {
        let found = linked(question);
        let shown: Vec<String> = found.conditions.iter().map(shown).collect();
        assert!(
            shown.contains(&"seller: Vandermeer".to_owned()),
            "{question}: {shown:?}"
        );
        assert_eq!(found.bucket.as_deref(), Some("bills"), "{question}");
        assert_ne!(found.intent, Intent::Prose, "{question}");
    }
    for question in [
        "How are bills written?",
        "May a bill be paid late?",
        "On what level is a reminder sent?",
        "Why does the kitchen cost so much?",
        "Is gardening worth its money?",
    ] {
        assert_eq!(conditions(question), [""; 0], "{question}");
    }
}

#[test]
fn names_are_found_as_people_write_them() {
    for (said, wanted) in [
        ("vandermeer", "Vandermeer"),
        ("Vandermere", "Vandermeer"),
        ("Vadnermeer", "Vandermeer"),
        ("Vandermeeer GmbH", "Vandermeer"),
        ("HALDEN-MARINE", "Halden Marine Ltd"),
        ("Halden Mraine", "Halden Marine Ltd"),
        ("Ha1den Marine", "Halden Marine Ltd"),
        ("Halden Marine's", "Halden Marine Ltd"),
    ] {
        let found = conditions(&format!("Show the bills from {said} in 2024."));
        assert!(
            found.contains(&format!("seller: {wanted}")),
            "{said}: {found:?}"
        );
    }
    let found = conditions("Show the bills from Haldane Martin.");
    assert!(
        !found.iter().any(|one| one.starts_with("seller")),
        "{found:?}"
    );
}

#[test]
fn first_letters_that_two_share_are_both_and_told() {
    let found = linked("How many bills did we get from NLW?");
    let seller = found
        .conditions
        .iter()
        .find(|one| one.field == "seller")
        .unwrap();
    assert_eq!(
        shown(seller),
        "seller: New Lane Weavers|Northern Light Works"
    );
    assert_eq!(found.ambiguous.len(), 1);
    assert_eq!(found.ambiguous[0].said, "NLW");
    assert_eq!(
        found.ambiguous[0].options,
        ["New Lane Weavers", "Northern Light Works"]
    );
}

#[test]
fn days_are_of_the_column_that_is_said() {
    for (said, field) in [
        ("written in 2024", "written_on"),
        ("due in 2024", "pay_until"),
        ("that we must settle in 2024", "pay_until"),
        ("of 2024", "written_on"),
        ("with a payment deadline in 2024", "pay_until"),
    ] {
        let found = conditions(&format!("List the bills {said}."));
        assert!(
            found.contains(&format!("{field}: 2024-01-01..2025-01-01")),
            "{said}: {found:?}"
        );
    }
}

#[test]
fn amounts_are_of_the_column_that_is_said_or_has_the_unit() {
    for (said, wanted) in [
        ("over 300 euros", "sum_total: Over 300"),
        ("exceeding 300 before tax", "sum_untaxed: Over 300"),
        (
            "with an untaxed sum of 300 or more",
            "sum_untaxed: AtLeast 300",
        ),
        ("with more than 5 days of grace", "grace: Over 5"),
        ("with at least 5 V at the output", "output: AtLeast 5"),
        (">= 300 USD", "sum_total: AtLeast 300"),
    ] {
        let found = conditions(&format!("Which bills {said} are there?"));
        assert!(found.iter().any(|one| one == wanted), "{said}: {found:?}");
    }
}

#[test]
fn what_is_taken_back_is_not_asked_for() {
    for said in [
        "not from Vandermeer",
        "other than Vandermeer",
        "leaving out Vandermeer",
        "unless they are from Vandermeer",
        "but none by Vandermeer",
        "with Vandermeer excluded",
        "by anyone but Vandermeer",
        "that were not sent by Vandermeer",
    ] {
        let found = conditions(&format!("List the bills of 2024 {said}."));
        assert!(
            found.contains(&"not seller: Vandermeer".to_owned()),
            "{said}: {found:?}"
        );
    }
}

#[test]
fn spans_that_lie_apart_are_sides_and_bounds_hold_together() {
    let found = linked("List the bills written in 2021 and in 2023.");
    let parts: Vec<String> = found.parts.iter().map(shown).collect();
    assert_eq!(
        parts,
        [
            "written_on: 2021-01-01..2022-01-01",
            "written_on: 2023-01-01..2024-01-01"
        ]
    );
    let found = conditions("List the bills written after 3 May 2024 and before 5 June 2024.");
    assert!(
        found.contains(&"written_on: 2024-05-04..2024-06-05".to_owned()),
        "{found:?}"
    );
    let found = conditions("List the bills written in 2022 and 2023.");
    assert!(
        found.contains(&"written_on: 2022-01-01..2024-01-01".to_owned()),
        "{found:?}"
    );
}

#[test]
fn what_contradicts_itself_is_told() {
    for (question, said) in [
        (
            "List the bills over 500 euros and below 300 euros.",
            "below 300 euros",
        ),
        (
            "List the bills written after 2024, written before 2020.",
            "before 2020",
        ),
        (
            "List the bills from Vandermeer but not from Vandermeer.",
            "Vandermeer",
        ),
    ] {
        let found = linked(question);
        assert_eq!(found.contradictory.len(), 1, "{question}: {found:?}");
        assert_eq!(found.contradictory[0].1, said);
    }
}

#[test]
fn what_cannot_be_a_condition_is_dropped_and_told() {
    for (question, said, why) in [
        (
            "Bills written on 31 February 2024",
            "31 February 2024",
            "the calendar has no such day",
        ),
        (
            "Which bills weigh over 3 kg?",
            "over 3 kg",
            "no column is known to hold that",
        ),
        (
            "Bills over 500 euros or over 600 dollars",
            "over 600 dollars",
            "amounts of two currencies are never one condition",
        ),
        (
            "Notes from gardening",
            "gardening",
            "the bucket has no such value",
        ),
    ] {
        let found = linked(question);
        assert!(
            found.dropped.contains(&(said.to_owned(), why)),
            "{question}: {found:?}"
        );
    }
}

#[test]
fn of_two_hundred_names_fifty_are_taken_and_the_rest_is_told() {
    let mut dictionary = Dictionary::default();
    dictionary.bucket("bills");
    dictionary.describe_column("bills", DescribedColumn::of("seller", "who sells", ""));
    let names: Vec<String> = (0..200).map(|at| format!("Seller Z{at}q")).collect();
    for name in &names {
        dictionary.add("bills", "seller", FieldValue::Text(name));
    }
    let question = format!("List the bills from {}.", names.join(", "));
    let found = link(&question, &dictionary, day(2025, 12, 10).unwrap());
    let [one] = found.conditions.as_slice() else {
        panic!("{:?}", found.conditions);
    };
    assert!(matches!(&one.test, Test::Is(things) if things.len() == 50));
    assert_eq!(found.dropped.len(), 150);
    assert_eq!(found.dropped[0].1, "more than 50 values of one column");
    assert_eq!(found.unread, found.dropped[..1], "told once");
    let table = &found.tabulation;
    assert!(matches!(table, crate::Tabulation::Fit(_)), "{table:?}");
}

#[test]
fn two_columns_that_fit_are_told() {
    let found = linked("Which bills are over 5 V?");
    assert_eq!(found.ambiguous.len(), 1, "{found:?}");
    assert_eq!(found.ambiguous[0].options, ["input", "output"]);
    assert!(found.ambiguous[0].is_of_columns);
    let found = linked("Which bills have Ulm on them?");
    assert_eq!(found.ambiguous[0].options, ["origin", "target"]);
    let found = linked("Which bills have Ulm as their target?");
    assert!(found.ambiguous.is_empty(), "{found:?}");
}

#[test]
fn years_of_documents_without_a_schema_have_names() {
    let found = linked("List the notes of 2018 to 2019.");
    let [one] = found.conditions.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(shown(one), "year: AtLeast 2018,AtMost 2019");
    assert_eq!(one.names, ["2018", "2019"]);
}

#[test]
fn a_name_or_number_that_no_field_has_may_stand_in_a_sentence() {
    assert_eq!(conditions("Notes about Aarhus"), ["named: Aarhus"]);
    assert_eq!(conditions("Show me note no. ZX.4711"), ["named: ZX.4711"]);
    assert_eq!(
        conditions("Show me bill no. ZX.4711"),
        ["bill_type: bill"],
        "its fields are known"
    );
}

#[test]
fn what_is_taken_back_ends_with_what_it_is_said_of() {
    for (question, wanted) in [
        (
            "Show all bills of 2024 minus those for parts by Quorn or Vandermeer.",
            "not seller: Quorn|Vandermeer",
        ),
        (
            "Every bill of 2024 minus whatever the kitchen has to bear",
            "not team: kitchen",
        ),
        (
            "All bills written in 2024, save those borne by gardening and/or kitchen",
            "not team: gardening|kitchen",
        ),
        (
            "All bills of 2024 to the exclusion of those sent from Ulm",
            "not origin: Ulm",
        ),
        // The tax that an amount excludes negates nothing, and neither does `save` as a verb.
        (
            "What does the cost without tax of our bills from Vandermeer come to?",
            "seller: Vandermeer",
        ),
        ("Save the bills from Vandermeer.", "seller: Vandermeer"),
        (
            "Please save the bills from Vandermeer.",
            "seller: Vandermeer",
        ),
        (
            "Excluding Vandermeer, how many bills are there?",
            "not seller: Vandermeer",
        ),
        ("Except Quorn, list all bills.", "not seller: Quorn"),
        (
            "Show the bills without any fee from Vandermeer.",
            "seller: Vandermeer",
        ),
        (
            "Which bills, except those already settled, are from Vandermeer?",
            "seller: Vandermeer",
        ),
        (
            "Show the bills of 2024 except those without tax from Vandermeer.",
            "not seller: Vandermeer",
        ),
        (
            "Apart from those of Quorn, which bills are from Vandermeer?",
            "seller: Vandermeer",
        ),
    ] {
        let found = told(question);
        assert!(found.contains(&wanted.to_owned()), "{question}: {found:?}");
    }
}

#[test]
fn parts_of_a_year_are_read_however_the_year_is_called() {
    for (said, wanted) in [
        (
            "in the first half of calendar year 2024",
            "2024-01-01..2024-07-01",
        ),
        ("in semester 2 of 2024", "2024-07-01..2025-01-01"),
        ("in May of calendar year 2024", "2024-05-01..2024-06-01"),
        ("in CY2024", "2024-01-01..2025-01-01"),
        ("in the year that we are in", "2025-01-01..2026-01-01"),
        ("in the calendar year in progress", "2025-01-01..2026-01-01"),
        ("in the quarter before this one", "2025-07-01..2025-10-01"),
        (
            "from 3 May 2024 right up to 5 May 2024",
            "2024-05-03..2024-05-06",
        ),
        ("within 2024", "2024-01-01..2025-01-01"),
        ("from May 2024 to now", "2024-05-01..2025-12-11"),
        ("from May 2024 to today", "2024-05-01..2025-12-11"),
        ("on the last day of March 2024", "2024-03-31..2024-04-01"),
        ("on the first day of Q3 2024", "2024-07-01..2024-07-02"),
        (
            "from 2021 to 2023 in euros",
            "2021-01-01..2024-01-01|money: EUR",
        ),
    ] {
        let found = told(&format!("Show the bills written {said}."));
        assert_eq!(found.join("|"), format!("written_on: {wanted}"), "{said}");
    }
    let found = told("Show the bills with the last day for payment in 2024.");
    assert_eq!(found, ["pay_until: 2024-01-01..2025-01-01"]);
}

#[test]
fn a_plural_in_small_letters_is_no_name_and_taxes_choose_the_amount() {
    for (question, wanted) in [
        (
            "Show the bills for premises that were inspected in 2024",
            "written_on: 2024-01-01..2025-01-01",
        ),
        (
            "Show the bills over 500 in euros with tax",
            "sum_total: Over 500|money: EUR",
        ),
        (
            "Show the bills over 500 before tax",
            "sum_untaxed: Over 500",
        ),
    ] {
        let found = told(question);
        assert_eq!(found.join("|"), wanted, "{question}");
    }
}
