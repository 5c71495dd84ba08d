//! Tests of sources and days in questions about what documents say.

use crate::days::day;
use crate::dictionary::{Dictionary, FieldValue};
use crate::link::link;
use crate::linked::{Intent, LinkedQuestion, QuestionCondition, Test};

/// News of several sources, some of them with a slogan or section behind the name.
fn news() -> Dictionary {
    let mut dictionary = Dictionary::default();
    dictionary.bucket("generic");
    for author in 0..40 {
        dictionary.add(
            "generic",
            "author",
            FieldValue::Text(&format!("Writer {author}")),
        );
    }
    for (publisher, day) in [
        ("The Courier", "2023-10-07 08:45:59Z"),
        ("The Post - Life and Style", "2023-10-30"),
        ("TechWeek", "2023-11-02"),
        ("Daily | News of the World", "2023-11-03"),
        ("Fortune", "2023-11-04"),
    ] {
        for _ in 0..5 {
            // Staff writers sign with the name of their paper.
            dictionary.add("generic", "author", FieldValue::Text(publisher));
            dictionary.add("generic", "publisher", FieldValue::Text(publisher));
            dictionary.add("generic", "published_at", FieldValue::Text(day));
            dictionary.add("generic", "category", FieldValue::Text("technology"));
        }
    }
    dictionary
}

fn asked(question: &str) -> LinkedQuestion {
    link(question, &news(), day(2024, 1, 1).unwrap())
}

fn shown(conditions: &[QuestionCondition]) -> String {
    let shown = conditions.iter().map(|condition| match &condition.test {
        Test::Is(things) => {
            let texts: Vec<&str> = things.iter().flatten().map(String::as_str).collect();
            texts.join("+")
        }
        Test::Days(range) => format!("{}", range.from.unwrap()),
        other => format!("{other:?}"),
    });
    shown.collect::<Vec<_>>().join(" & ")
}

#[test]
fn sources_are_named_however_they_are_written() {
    for (question, sources) in [
        ("What does TechWeek say of pumps?", "TechWeek"),
        ("Which pump did 'The Courier' like?", "The Courier"),
        (
            "Who, as reported by The Post - Life and Style, left?",
            "The Post - Life and Style",
        ),
        (
            "Who do Fortune and DAILY write about?",
            "Fortune+Daily | News of the World",
        ),
        (
            "What does the Daily | News of the World report on?",
            "Daily | News of the World",
        ),
        ("At the age of 16 he made his fortune; who was it?", ""),
        (
            "Which technology company does The Courier name?",
            "The Courier",
        ),
    ] {
        let linked = asked(question);
        assert_eq!(shown(&linked.conditions), sources, "{question}");
        assert!(
            linked.conditions.iter().all(|one| one.field == "publisher"),
            "{question}"
        );
        assert_eq!(linked.intent, Intent::Prose, "{question}");
        assert!(linked.sides.is_empty(), "{question}");
    }
}

#[test]
fn days_are_of_the_source_before_them_and_so_is_what_is_said() {
    let sides = |question: &str| {
        let sides = asked(question).sides.into_iter();
        let sides = sides.map(|side| format!("{}: {}", shown(&side.conditions), side.said));
        sides.collect::<Vec<_>>()
    };
    assert_eq!(
        sides(
            "After the TechWeek report on pumps of October 7, 2023, did The Courier of October 30, 2023 differ?"
        ),
        [
            "TechWeek & 2023-10-07: report on pumps of October 7, 2023, did",
            "The Courier & 2023-10-30: of October 30, 2023 differ"
        ]
    );
    let two =
        "Did The Courier say that pumps leak on October 7, 2023, and TechWeek that they do not?";
    assert_eq!(sides(two).len(), 2);
    assert_eq!(
        shown(&asked(two).conditions),
        "The Courier+TechWeek",
        "the day is not of both"
    );
    assert!(
        sides("Who, say The Courier on October 7, 2023 and TechWeek in its last report, left?")
            .is_empty()
    );
}

#[test]
fn a_day_in_what_a_source_tells_is_not_the_day_of_the_source() {
    for (question, wanted) in [
        (
            "Does the TechWeek article suggest that the pump comes out on October 30, 2023, while The Courier says that it does not?",
            ["TechWeek", "The Courier"],
        ),
        (
            "Does the TechWeek article that was published on November 2, 2023 suggest that pumps leak, while The Courier says that they do not?",
            ["TechWeek & 2023-11-02", "The Courier"],
        ),
        (
            "Does the TechWeek article that came out on November 2, 2023 say that pumps leak, while The Courier says that they do not?",
            ["TechWeek & 2023-11-02", "The Courier"],
        ),
        (
            "Does TechWeek say that all pumps leak, as The Courier of October 30, 2023 also reports?",
            ["TechWeek", "The Courier & 2023-10-30"],
        ),
        (
            "Did TechWeek say that pumps leak, and then on November 2, 2023 that they do not, as The Courier also says of them?",
            ["TechWeek & 2023-11-02", "The Courier"],
        ),
    ] {
        let sides = asked(question).sides.into_iter();
        let shown: Vec<String> = sides.map(|side| shown(&side.conditions)).collect();
        assert_eq!(shown, wanted, "{question}");
    }
}

#[test]
fn a_year_is_what_is_told_of() {
    let linked = asked("How much did the company spend in 2021, as TechWeek says?");
    assert_eq!(shown(&linked.conditions), "TechWeek");
    assert_eq!(linked.dropped.len(), 1);
}
