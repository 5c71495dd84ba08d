//! Tests of reading conditions out of sentences.

use super::super::read;

/// The conditions of a question, one a line: field, comparison, value, and the words that say it.
fn said(question: &str) -> Vec<String> {
    let shown = |condition: super::WordedCondition| {
        let value = match condition.value {
            super::ConditionValue::Text(text) => text,
            super::ConditionValue::Number(number) => number.to_string(),
            super::ConditionValue::Several(names) => names.join("|"),
        };
        let field = condition.field.unwrap_or_default();
        let comparator = condition.comparator.as_str();
        format!("{field} {comparator} {value} <{}>", condition.raw)
    };
    read(question).conditions.into_iter().map(shown).collect()
}

#[test]
fn numbers_are_bounded_as_people_say_it() {
    for (question, wanted) in [
        ("bills over $1.5k", " gt 1500 <over $1.5k>"),
        (
            "bills of at least 1,200 EUR",
            " gte 1200 <at least 1,200 EUR>",
        ),
        ("no more than 30% humidity", " lte 30 <no more than 30%>"),
        ("not less than 4 bar", " gte 4 <not less than 4>"),
        ("orders above 2 million", " gt 2000000 <above 2 million>"),
        ("weight >= 40", " gte 40 <>= 40>"),
        (
            "fuses with a rated current of up to 16 A",
            "rated current lte 16 <up to 16>",
        ),
    ] {
        assert_eq!(said(question), [wanted], "{question}");
    }
    assert_eq!(
        said("motors whose torque is between 5 and 8 Nm"),
        [
            "torque gte 5 <between 5 and 8>",
            "torque lte 8 <between 5 and 8>"
        ]
    );
    for nothing in [
        "more than ever",
        "over the hill",
        "at least try it",
        "up to you",
    ] {
        assert_eq!(said(nothing), Vec::<String>::new(), "{nothing}");
    }
}

#[test]
fn times_stay_as_worded() {
    for (question, wanted) in [
        (
            "offers since March 2024",
            " gte March 2024 <since March 2024>",
        ),
        (
            "permits issued before 3 May 2023",
            "issued lt 3 May 2023 <before 3 May 2023>",
        ),
        (
            "letters dated after 2024-02-01",
            "date gt 2024-02-01 <after 2024-02-01>",
        ),
        ("minutes of 2022", " eq 2022 <of 2022>"),
        ("minutes from 2022", " eq 2022 <from 2022>"),
        ("the Q3 2024 forecast", " eq Q3 2024 <Q3 2024>"),
        (
            "sales in the last three months",
            " eq last three months <in the last three months>",
        ),
        (
            "audits that ended not in 2021",
            "ended ne 2021 <not in 2021>",
        ),
        (
            "leases with an end date until 2030",
            "end date lte 2030 <until 2030>",
        ),
    ] {
        assert_eq!(said(question), [wanted], "{question}");
    }
    for range in [
        "from May 2023 to July 2023",
        "between May 2023 and July 2023",
    ] {
        let wanted = ["gte May", "lte July"].map(|bound| format!(" {bound} 2023 <{range}>"));
        assert_eq!(said(&format!("shifts {range}")), wanted);
    }
    assert_eq!(
        said("it may end in the room of the head"),
        Vec::<String>::new()
    );
}

#[test]
fn names_are_origins_and_exceptions() {
    for (question, wanted) in [
        (
            "letters from Harbour Light Ltd, please",
            " eq Harbour Light Ltd <from Harbour Light Ltd>",
        ),
        (
            "offers by Orsted or Vale",
            " in Orsted|Vale <by Orsted or Vale>",
        ),
        (
            "orders except Orsted, Vale and Kilo",
            " not_in Orsted|Vale|Kilo <except Orsted, Vale and Kilo>",
        ),
        (
            "offers other than those from Vale",
            " ne Vale <other than those from Vale>",
        ),
        ("offers not by Vale", " ne Vale <not by Vale>"),
    ] {
        assert_eq!(said(question), [wanted], "{question}");
    }
    // A name that tells which pump is meant belongs to the pump.
    assert_eq!(said("the seal of the Omega valve"), Vec::<String>::new());
}

#[test]
fn a_range_that_breaks_off_is_none() {
    for question in ["between 5", "between 5 EUR", "between 5 and"] {
        assert_eq!(said(question), Vec::<String>::new(), "{question}");
    }
}

#[test]
fn what_says_it_stands_in_the_question_and_there_are_not_too_many() {
    let question: String = (0..200).map(|n| format!("over {n} EUR, ")).collect();
    let reading = read(&question);
    let conditions = reading.conditions;
    assert_eq!(conditions.len(), super::WORDED_CONDITIONS_MAX);
    assert_eq!(reading.conditions_over, 200 - super::WORDED_CONDITIONS_MAX);
    assert!(conditions.iter().all(|one| question.contains(&one.raw)));
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_read(text in "(from|over|not|between|and|May|2024|\\$3k|Acme| |,|\\PC){0,40}") {
        for condition in read(&text).conditions {
            proptest::prop_assert!(text.contains(&condition.raw) && !condition.raw.is_empty());
        }
    }
}
