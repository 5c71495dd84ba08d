//! Tests of questions that a table would answer exactly and wrongly, because a word that says which documents are meant
//! is no condition on a column.

use super::Tabulation;
use super::tests::{asked, dictionary, told, told_over};
use crate::dictionary::{DescribedColumn, FieldValue};

fn all_told(cases: &[(&str, &str)]) {
    crate::cases::all_told(cases, told);
}

#[test]
fn a_state_that_no_column_holds_is_not_left_out() {
    all_told(&[
        (
            "How many open invoices from Acme Pumps are there?",
            "unfit: `open` is a state that no column holds",
        ),
        (
            "How many invoices were paid?",
            "unfit: `paid` is a state that no column holds",
        ),
        (
            "Which invoices are due?",
            "unfit: `due` is a state that no column holds",
        ),
        (
            "Which invoices from Acme Pumps are still valid?",
            "unfit: `valid` is a state that no column holds",
        ),
        (
            "Show the three largest open invoices from Acme Pumps",
            "unfit: `open` is a state that no column holds",
        ),
        // These words introduce a condition or a group, or ask for the amount.
        (
            "How many invoices were paid by Acme Pumps?",
            "unfit: `paid by` says another role than the column has",
        ),
        ("List all invoices due in May 2024", "list"),
        (
            "How many invoices fall due per month?",
            "count by month of due_date",
        ),
        (
            "What is the total paid for the invoices from Acme Pumps in 2024?",
            "sum total_amount currency",
        ),
        (
            "What is the most recently issued invoice from Acme Pumps?",
            "largest 1 invoice_date",
        ),
    ]);
}

#[test]
fn a_column_that_documents_have_or_lack_is_no_condition() {
    all_told(&[
        (
            "How many invoices have no due date?",
            "unfit: it asks whether documents have `due date`",
        ),
        (
            "List all invoices without an invoice date",
            "unfit: it asks whether documents have `invoice date`",
        ),
        (
            "List the invoices that have a cost centre",
            "unfit: it asks whether documents have `cost centre`",
        ),
        ("List all invoices with a due date in 2024", "list"),
        (
            "List all invoices from Acme Pumps with their due date",
            "list",
        ),
        (
            "What is the sum of the total amount of invoices without the cost centre Freight?",
            "sum total_amount currency",
        ),
    ]);
}

#[test]
fn values_of_a_column_are_not_counted_as_documents() {
    all_told(&[
        (
            "How many vendors sent invoices in 2024?",
            "unfit: it asks for `vendors` and not for documents",
        ),
        (
            "What is the number of different cost centres of the invoices from Acme Pumps?",
            "unfit: it asks for `cost centres` and not for documents",
        ),
        (
            "Which are the three largest vendors by total amount of the invoices?",
            "unfit: it asks for `vendors` and not for documents",
        ),
        (
            "Which vendor has the highest total amount of the invoices?",
            "unfit: it asks for `vendor` and not for documents",
        ),
        (
            "Which vendor sent the most invoices?",
            "count by vendor_name of vendor_name",
        ),
        (
            "How many invoices are there per vendor?",
            "count by vendor_name of vendor_name",
        ),
    ]);
}

#[test]
fn conditions_that_no_filter_expresses_make_no_table() {
    all_told(&[
        (
            "How many invoices are from Acme Pumps or over 500 EUR?",
            "unfit: `Acme Pumps` is no condition on a column",
        ),
        (
            "List invoices from Acme Pumps or with the cost centre Freight",
            "unfit: `Acme Pumps` is no condition on a column",
        ),
        (
            "How many invoices in 2023 or from Bolt and Sons?",
            "unfit: `2023` is no condition on a column",
        ),
        (
            "How many invoices are from Acme Pumps or Bolt and Sons?",
            "count",
        ),
        (
            "How many invoices from Acme Pumps are in EUR or USD?",
            "count",
        ),
        (
            "Which vendors sent over 10 invoices in 2024?",
            "unfit: `10` is no condition on a column",
        ),
        (
            "Which invoices are larger than invoice AP-1003?",
            "unfit: it compares documents with others",
        ),
        (
            "How many invoices from vendors starting with A are there?",
            "unfit: `A` is no condition on a column",
        ),
        (
            "How many invoices are there from Acme Pumps and Corvane Logistics combined?",
            "count",
        ),
        (
            "How many invoices are there for some Freight or other in 2024?",
            "count",
        ),
        (
            "How many invoices from Acme Pumps were due in all of 2024?",
            "count",
        ),
        (
            "Which invoice from Acme Pumps is the last one by due date?",
            "largest 1 due_date",
        ),
        ("List all invoices sorted by total amount", "list"),
        (
            "List all invoices from Acme Pumps ordered by due date, newest first",
            "list",
        ),
    ]);
}

#[test]
fn a_column_without_values_is_no_condition() {
    let mut known = dictionary();
    known.describe_column(
        "invoices",
        DescribedColumn::of("approved", "approved by a lawyer", ""),
    );
    for question in [
        "How many invoices from Acme Pumps are approved?",
        "How many invoices from Acme Pumps are not approved?",
        "How many approved invoices from Acme Pumps are there?",
    ] {
        let told = told_over(question, &known);
        assert!(told.starts_with("unfit: "), "{question}: {told}");
    }
}

#[test]
fn two_operations_are_no_table() {
    all_told(&[
        (
            "What is the difference between the largest and smallest invoice?",
            "unfit: it asks for two operations at once",
        ),
        (
            "What is the average and the sum of the total amount of invoices from Acme Pumps?",
            "unfit: it asks for two operations at once",
        ),
        (
            "What is the largest invoice per vendor?",
            "unfit: it asks for two operations at once",
        ),
        (
            "What is the sum of the total amount of the newest invoices?",
            "unfit: it asks for two operations at once",
        ),
        (
            "What is the average number of invoices per vendor?",
            "unfit: it asks for two operations at once",
        ),
    ]);
}

#[test]
fn a_reply_chooses_one_of_several_columns() {
    let mut known = dictionary();
    // Now two columns of days are equally good.
    for day in ["2024-01-02", "2024-02-02"] {
        known.add("invoices", "invoice_booking", FieldValue::Text(day));
    }
    let over = |question: &str| told_over(question, &known);
    assert_eq!(
        over("How many invoices are there per year?"),
        "count by year of invoice_date"
    );
    assert_eq!(
        over("How many invoices are there per year? - User clarified: booking"),
        "count by year of invoice_booking"
    );
    assert_eq!(
        over("How many invoices are there per date? - User clarified: due date"),
        "count by due_date of due_date"
    );
}

#[test]
fn money_is_told_from_times_and_pieces() {
    let mut known = dictionary();
    for field in ["day_rate", "payment_days"] {
        known.add("invoices", field, FieldValue::Number(400.0));
    }
    let over = |question: &str| told_over(question, &known);
    assert_eq!(
        over("What is the average day rate of invoices?"),
        "average day_rate currency"
    );
    assert_eq!(
        over("What is the average number of payment days of invoices?"),
        "average payment_days"
    );
    known.describe_column("invoices", DescribedColumn::of("payment_days", "", "EUR"));
    assert_eq!(
        told_over(
            "What is the average of the payment days of invoices?",
            &known
        ),
        "average payment_days currency"
    );
}

#[test]
fn a_name_that_no_column_has_is_told_from_other_words() {
    for (question, wanted) in [
        ("How many invoices does Zephyr Ltd have?", Some("Zephyr")),
        ("List the invoices for QX-77", Some("QX-77")),
        ("List all invoices about leaking pumps", None),
        ("List the last 3 invoices from Acme Pumps", None),
        ("How Many Invoices Are Overdue?", None),
    ] {
        let Tabulation::Unfit { name, why, .. } = asked(question, &dictionary()) else {
            panic!("{question}: {}", told(question))
        };
        assert_eq!(name.as_deref(), wanted, "{question}: {why}");
    }
}

#[test]
fn a_sum_is_an_amount_only_beside_a_tax() {
    all_told(&[
        (
            "Which invoice from Acme Pumps has the highest sum without VAT?",
            "largest 1 net_amount currency",
        ),
        (
            "What is the sum before 2025 of the invoices from Acme Pumps?",
            "sum total_amount currency",
        ),
    ]);
}

#[test]
fn having_or_lacking_any_day_is_no_condition() {
    let whether = |word: &str| format!("unfit: it asks whether documents have `{word}`");
    let (date, dates, dated) = (whether("date"), whether("dates"), whether("dated"));
    all_told(&[
        ("How many invoices have no date?", date.as_str()),
        ("How many invoices are without a date?", &date),
        ("How many invoices do not have a date?", &date),
        ("How many invoices have dates?", &dates),
        ("How many invoices are dated?", &dated),
        ("What is the sum of the invoices with no date?", &date),
        ("How many invoices are dated 2024?", "count"),
        ("How many invoices have a date in 2024?", "count"),
    ]);
}

#[test]
fn a_time_that_is_only_read_in_part_gets_no_table() {
    for said in [
        "in the first and third quarter of 2024",
        "in the first or second half of 2024",
        "at the very beginning of 2024",
        "at the end of 2024",
        "in early 2024",
        "around March 2024",
        "in March of 2023 and 2024",
    ] {
        let told = told(&format!("How many invoices were issued {said}?"));
        assert!(told.contains("read in part"), "{said}: {told}");
    }
    for said in [
        "by the end of 2024",
        "in the first half of 2024",
        "in March 2024 and May 2024",
        "with a due date that falls in 2024",
        "before March 2024 or after July 2024",
        "in March or January 2024",
        "in 2023 and 2024",
    ] {
        let told = told(&format!("How many invoices were issued {said}?"));
        assert!(told.starts_with("count"), "{said}: {told}");
    }
}

#[test]
fn documents_of_two_buckets_get_no_table() {
    for question in [
        "How many invoices and datasheets are there?",
        "How many datasheets or invoices are there in 2024?",
    ] {
        let told = told(question);
        assert!(told.contains("are other documents"), "{question}: {told}");
    }
}

#[test]
fn a_letter_is_no_article() {
    let mut known = dictionary();
    for grade in ["A", "A-", "B"] {
        for _ in 0..4 {
            known.add("datasheets", "grade", FieldValue::Text(grade));
        }
    }
    for (said, wanted) in [
        ("A", "A"),
        ("A-", "A-"),
        ("A or B", "A|B"),
        ("A- in package SOT-23", "A-"),
    ] {
        let question = format!("How many datasheets of grade {said} are there?");
        let linked = crate::link(&question, &known, crate::days::day(2025, 6, 2).unwrap());
        let crate::linked::Test::Is(things) = &linked.conditions[0].test else {
            panic!("{linked:?}")
        };
        assert_eq!(things.concat().join("|"), wanted, "{question}");
        assert_eq!(told_over(&question, &known), "count", "{question}");
    }
    assert!(told("How many datasheets of grade A are there?").contains("`A` is no condition"));
}

#[test]
fn an_amount_without_tax_needs_a_column_of_such_amounts() {
    let mut known = dictionary();
    for _ in 0..4 {
        known.add("invoices", "vat_rate", FieldValue::Number(19.0));
    }
    for (question, wanted) in [
        (
            "What is the sum of the total amount of all invoices without VAT?",
            "unfit: `total_amount` is not said to be without tax",
        ),
        (
            "What is the sum of the net amount of all invoices, excluding VAT?",
            "sum net_amount currency",
        ),
        (
            "What is the sum of the VAT rate of all invoices?",
            "unfit: percentages such as `vat_rate` are not added up",
        ),
        (
            "What is the average VAT rate of all invoices?",
            "average vat_rate",
        ),
    ] {
        assert_eq!(told_over(question, &known), wanted, "{question}");
    }
}

#[test]
fn a_text_cannot_be_compared() {
    let mut known = dictionary();
    for grade in ["A", "B", "C"] {
        for _ in 0..4 {
            known.add("datasheets", "grade", FieldValue::Text(grade));
        }
    }
    for said in [
        "with a grade below B",
        "with a grade better than B",
        "with grade B and above",
        "of grade B or higher",
    ] {
        let told = told_over(&format!("How many datasheets {said} are there?"), &known);
        assert!(told.starts_with("unfit"), "{said}: {told}");
    }
    for question in [
        "How many datasheets of grade B are there?",
        "How many invoices from Acme Pumps and above 500 are there?",
        "How many invoices from Acme Pumps and later than March 2024 are there?",
    ] {
        assert_eq!(told_over(question, &known), "count", "{question}");
    }
}

#[test]
fn alternatives_that_everything_satisfies_get_no_table() {
    for said in [
        "before June 2024 or after March 2024",
        "with a total amount over 200 or under 900",
    ] {
        let told = told(&format!("How many invoices {said} are there?"));
        assert!(told.starts_with("unfit"), "{said}: {told}");
    }
}
