//! Tests of reading questions, with example sentences of our own.

use super::condition::WORDED_CONDITIONS_MAX;
use super::*;

#[test]
fn complexity_follows_from_the_form_of_a_question() {
    use Complexity::{Comparative, MultiStep, Simple, Temporal};
    for (question, class) in [
        ("Who signed the lease?", Simple),
        ("How long is the guarantee on the gear pump?", Simple),
        ("What is the change order process?", Simple),
        ("List all permits that were issued before 2021", Simple),
        ("", Simple),
        ("Is there a way to reset the router?", Simple),
        ("Can I change the filter myself?", Simple),
        ("May one pay more than 500 EUR in cash?", Simple),
        ("Is the manual still valid?", Simple),
        ("Was there any change of the limit?", Temporal),
        ("Compare the payment terms of Orsted and Vale", Comparative),
        (
            "Compare cooling at low load vs cooling at full load",
            Comparative,
        ),
        (
            "Which pump is heavier, the Omega or the Sigma?",
            Comparative,
        ),
        ("Who joined first, Ada Byron or Max Stein?", Comparative),
        (
            "Is the deposit of the shop higher than the deposit of the flat?",
            Comparative,
        ),
        ("How do the two warranties differ?", Comparative),
        ("What was the margin in 2023 compared to 2022?", Comparative),
        (
            "Does the manual name a torque, while the datasheet leaves it open?",
            Comparative,
        ),
        ("Step-by-step procedure for changing the seal", MultiStep),
        ("Are Orsted and Vale both certified?", MultiStep),
        (
            "Who leads the team that maintains the plant in Bremen?",
            MultiStep,
        ),
        (
            "What is the phone number of the office in which the auditor works?",
            MultiStep,
        ),
        (
            "What changed in the travel policy between 2020 and 2023?",
            Temporal,
        ),
        ("How has the staff of the plant grown since 2019?", Temporal),
        (
            "After the audit of 3 May 2023, did the bank raise its limit?",
            Temporal,
        ),
        (
            "Did the report remain consistent with the earlier one?",
            Temporal,
        ),
        (
            "What did the lease say before and after the amendment?",
            Temporal,
        ),
        ("How do complaints develop over time?", Temporal),
    ] {
        assert_eq!(read(question).class, class, "{question}");
    }
}

#[test]
fn what_is_wanted_is_told_by_its_verb_and_number() {
    use WordedIntent::{Comparison, Fact, List, Number, Summary};
    for (question, wanted) in [
        ("When does the lease end?", Fact),
        ("What is the total of the bill B-77?", Fact),
        ("How many days is the notice period?", Fact),
        ("How many weeks of leave are there?", Fact),
        ("What is the rate in percent?", Fact),
        ("List the open orders", List),
        ("Could you please show me all permits?", List),
        ("Which orders are late?", List),
        ("Give me a list of auditors", List),
        ("How many orders are late?", Number),
        ("Which team has more members, red or blue?", Number),
        ("What is the sum of all orders of 2024?", Number),
        ("What is the average weight of the crates?", Number),
        ("How much did we pay in total?", Number),
        ("Count the crates", Number),
        ("Summarise the audit", Summary),
        ("Give me an overview of the plant", Summary),
        ("Compare the two audits", Comparison),
    ] {
        assert_eq!(read(question).wanted, wanted, "{question}");
    }
}

#[test]
fn a_sum_over_documents_is_computed_in_one_step() {
    use Complexity::{MultiStep, Simple};
    use WordedIntent::{Fact, Number};
    for (question, class, wanted) in [
        (
            "What is the sum of the total amount of contracts with Acme?",
            Simple,
            Number,
        ),
        (
            "What is the average of the net amount of the contracts with Acme and Bolt from 2023?",
            Simple,
            Number,
        ),
        (
            "What's the sum of the net value of our orders from Orsted in 2024?",
            Simple,
            Number,
        ),
        (
            "What is the total amount of all invoices from Orsted in 2024?",
            Simple,
            Number,
        ),
        ("Total amount of all invoices by month", Simple, Number),
        (
            "Total amount of all invoices of the plant in Bremen by month of 2024",
            Simple,
            Number,
        ),
        // One document states it.
        ("What is the total of the bill B-77?", Simple, Fact),
        ("What is the sum insured?", Simple, Fact),
        // The second thing needs a step of its own.
        (
            "What is the sum of the amounts of the contracts that the auditor in Bremen signed?",
            MultiStep,
            Number,
        ),
        (
            "What is the average weight of the crates and the number of pumps in Bremen?",
            MultiStep,
            Number,
        ),
    ] {
        let read = read(question);
        assert_eq!((read.class, read.wanted), (class, wanted), "{question}");
    }
}

#[test]
fn the_form_is_only_one_that_is_asked_for() {
    use Layout::{Csv, List, Prose, Table};
    for (question, layout) in [
        ("Which orders are late?", Prose),
        ("What does table 4 say?", Prose),
        ("Which CSV files mention late orders?", Prose),
        ("What stands in the table of the audit?", Prose),
        ("Show the orders as a table", Table),
        ("Put the orders into a Markdown table", Table),
        ("The late orders in csv format", Csv),
        ("Orders as CSV, please", Csv),
        ("Give me a list of the auditors", List),
        ("The steps as a numbered list", List),
    ] {
        assert_eq!(read(question).layout, layout, "{question}");
    }
    for (question, declines) in [
        ("Sum up the audit without citations", true),
        ("Sum up the audit, do not cite anything", true),
        ("Sum up the audit and name its sources", false),
        ("Which sources does the audit cite?", false),
    ] {
        assert_eq!(read(question).declines_citations, declines, "{question}");
    }
}

#[test]
fn words_to_the_letter_are_an_identifier_or_a_quotation() {
    for (question, literal) in [
        ("B-77", true),
        ("order PO-2231", true),
        ("Where does it say \"act of God\"?", true),
        ("Who pays order PO-2231 when it is late?", false),
        ("2024", false),
        ("Q3", false),
        ("", false),
    ] {
        assert_eq!(read(question).is_literal, literal, "{question}");
    }
}

#[test]
fn topics_are_what_is_left() {
    let read = read("Summarise the termination clauses of contracts from Orsted since 2022");
    assert_eq!(read.topics, ["termination clauses", "contracts"]);
    assert_eq!(super::read("What is it?").topics, Vec::<String>::new());
}

#[test]
fn a_long_text_gives_short_lists() {
    let question = "Which orders from Orsted over 100 EUR or less, and did it change? ".repeat(120);
    let reading = read(&question);
    assert_eq!(reading.conditions.len(), WORDED_CONDITIONS_MAX);
    assert!(reading.conditions_over > 0 && reading.topics.len() <= 4);
}
