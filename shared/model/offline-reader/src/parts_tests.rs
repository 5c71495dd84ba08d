//! Tests of the parts of a question.

use super::*;
use proptest::prelude::*;

#[test]
fn a_simple_question_has_no_parts() {
    for question in [
        "",
        "What is the total of invoice INV-2041?",
        "When does the lease of Harbour Light and Sons end?",
        "Who signed, and when?",
        "What is the maximum collector-emitter voltage of the HV2N4410A and its package?",
        "How long is the guarantee on the Delta pump?",
        "between and or than",
    ] {
        assert_eq!(sub_queries(question), Vec::<String>::new(), "{question}");
    }
}

#[test]
fn things_that_are_held_against_each_other_are_asked_for_one_by_one() {
    for (question, parts) in [
        (
            "Compare the guarantee of the Delta pump with that of the Epsilon pump.",
            vec![
                "Compare the guarantee of the Delta pump",
                "Compare the guarantee of the Epsilon pump",
            ],
        ),
        (
            "Compare the cooling at low vs the full load",
            vec![
                "Compare the cooling at low load",
                "Compare the cooling at full load",
            ],
        ),
        (
            "Which has the higher voltage, BC547 or BC548?",
            vec![
                "Which has the higher voltage BC547",
                "Which has the higher voltage BC548",
            ],
        ),
        (
            "How did the rent change between 2022 and 2023?",
            vec![
                "How did the rent change between 2022",
                "How did the rent change between 2023",
            ],
        ),
        (
            "What is the difference in price between Acme, Bolt and Corvane?",
            vec![
                "What is the difference in price between Acme",
                "What is the difference in price between Bolt",
                "What is the difference in price between Corvane",
            ],
        ),
        (
            "Are TP 120 and TP 140 in stock?",
            vec!["Are TP 120 in stock", "Are TP 140 in stock"],
        ),
    ] {
        assert_eq!(sub_queries(question), parts, "{question}");
    }
}

#[test]
fn clauses_about_different_things_are_asked_for_one_by_one() {
    let question = "Did the Harbour Post report on rising ferry fares in Lisbon, while the Northern \
        Herald praised the new night train to Porto?";
    assert_eq!(
        sub_queries(question),
        [
            "Did the Harbour Post report on rising ferry fares in Lisbon",
            "the Northern Herald praised the new night train to Porto"
        ]
    );
    let question = "What did Acme bill in May, and within how many days is it due?";
    assert_eq!(
        sub_queries(question),
        [
            "What did Acme bill in May",
            "within how many days is it due Acme"
        ]
    );
}

#[test]
fn a_quotation_stays_whole() {
    let question = "Does 'Trains and Ferries of the Northern Coast and Islands' name the same \
        harbour as the annual report of the port authority?";
    assert!(
        sub_queries(question)
            .iter()
            .all(|part| !part.starts_with("Islands")),
        "{:?}",
        sub_queries(question)
    );
}

proptest! {
    #[test]
    fn whatever_is_asked_the_parts_keep_their_limits(
        question in "((A1|Bo|cab|2021|and|or|than|while|between|vs|'x|y'|\\PC{1,6}),? ){0,40}",
    ) {
        let parts = sub_queries(&question);
        prop_assert!(parts.len() != 1 && parts.len() <= SUB_QUERIES_MAX);
        prop_assert!(parts.iter().all(|p| !p.trim().is_empty()
            && p.chars().count() <= SUB_QUERY_CHARS_MAX));
    }
}
