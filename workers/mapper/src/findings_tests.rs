//! Tests that findings are read from replies as models write them. The cases are the rows of `habits.jsonl`.

use super::*;
use proptest::prelude::*;
use serde::Deserialize;
use testkit::model::passage;

const ABOVE: f32 = 0.7;

/// One habit of small models.
#[derive(Deserialize)]
struct Habit {
    name: String,
    /// The reply.
    answer: String,
    /// How the reply is read: `clean`, `repaired` or `defaulted`, as in the metric.
    rung: String,
    grade: Option<f32>,
    facts: Vec<String>,
}

fn about(answer: &str) -> Read {
    let text = "The total is 200 EUR. Due in May! Pay by wire? To Orlin.\n\nNo cash.";
    read(answer, &passage("invoice", text), "", ABOVE)
}

#[test]
fn every_habit_is_read_as_it_is_meant() {
    let habits = include_str!("habits.jsonl");
    for line in habits.lines() {
        let habit: Habit = serde_json::from_str(line).unwrap();
        let name = &habit.name;
        let read = about(&habit.answer);
        let rung = match read.fallback {
            None => "clean",
            Some(Fallback::MapSalvaged) => "repaired",
            Some(_) => "defaulted",
        };
        assert_eq!(rung, habit.rung, "{name}");
        let findings = read.findings;
        assert_eq!(
            (findings.grade, &findings.facts),
            (habit.grade, &habit.facts),
            "{name}"
        );
        let is_default = rung == "defaulted";
        let is_above = findings.grade.is_some_and(|grade| grade > ABOVE);
        assert_eq!(findings.relevant, is_default || is_above, "{name}");
        assert_eq!(findings.counts(), is_above, "{name}");
        assert_eq!(read.unread.is_some(), is_default, "{name}");
    }
}

#[test]
fn the_threshold_is_an_option() {
    let passage = passage("invoice", "The total is 200 EUR.");
    let answer = r#"{"grade": 0.5, "facts": ["The total is 200 EUR."]}"#;
    let relevant = |above| read(answer, &passage, "", above).findings.relevant;
    assert_eq!([0.4, 0.5, 0.7].map(relevant), [true, false, false]);
}

#[test]
fn why_nobody_knows_is_told() {
    let unread = |answer| about(answer).unread;
    let outside = "a grade of 85 is not between 0 and 1";
    assert_eq!(
        unread(r#"{"grade": 85, "facts": []}"#).as_deref(),
        Some(outside)
    );
    assert_eq!(unread("I cannot tell.").as_deref(), Some("unread"));
}

#[test]
fn facts_over_the_limits_are_counted() {
    let fact = |n: usize| format!("fact {n}");
    let long = "x ".repeat(FACT_CHARS_MAX);
    for (told, kept, trimmed) in [
        ((0..16).map(fact).collect::<Vec<_>>(), 16, 0),
        ((0..19).map(fact).collect(), 16, 3),
        // Said again, or nothing at all, is nothing that is lost.
        ((0..18).chain(0..18).map(fact).collect(), 16, 2),
        (vec![fact(1), String::new(), fact(1)], 1, 0),
        (vec![long.clone(), fact(1)], 2, 1),
        ((0..16).map(fact).chain([long]).collect(), 16, 1),
    ] {
        for grade in [1, 0] {
            let answer = serde_json::json!({"grade": grade, "facts": told});
            let read = about(&answer.to_string());
            let came = (read.findings.facts.len(), read.trimmed);
            assert_eq!(came, if grade == 1 { (kept, trimmed) } else { (0, 0) });
        }
    }
}

#[test]
fn a_long_fact_is_cut_between_words() {
    let line = format!("{} end", "abcdefg ".repeat(75).trim_end());
    assert_eq!(cut(&line, ""), "abcdefg ".repeat(75).trim_end());
    assert_eq!(cut(&"x".repeat(700), "").len(), FACT_CHARS_MAX);
    assert_eq!(cut("short", ""), "short");
}

#[test]
fn of_a_line_without_sentences_a_fact_is_what_answers() {
    let noise = "abcdefg ".repeat(200);
    let line = format!("{noise}the limit of the red crane is 35 t {noise}");
    let said = serde_json::json!({"grade": 1, "facts": [line]}).to_string();
    let passage = passage("cranes", &line);
    let mut read = read(
        &said,
        &passage,
        "What is the limit of the red crane?",
        ABOVE,
    );
    assert_eq!(crate::occurrence::settle(&mut read, &passage, "", 0.6), 0);
    let fact = &read.findings.facts[0];
    assert!(
        fact.contains("red crane is 35 t") && fact.chars().count() <= AROUND_CHARS + 4,
        "{fact}"
    );
    assert!(fact.starts_with("… ") && fact.ends_with(" …"), "{fact}");
    let span = read.findings.spans[0].unwrap();
    assert_eq!(
        span.of(&line),
        fact.strip_prefix("… ")
            .and_then(|said| said.strip_suffix(" …"))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn always_findings_within_the_limits(
        answer in "(\"(grade|relevant)\": ?(true|false|0\\.[0-9]|[0-9]{1,3})|[{}\\[\\]\",: a-z0-9]|\\PC){0,60}",
        said in proptest::collection::vec("\\PC{0,900}", 0..30),
        text in "([a-z]{1,9}[.!? \n]{1,2}){0,40}|\\PC{0,80}",
    ) {
        let passage = passage("d", &text);
        let listed = serde_json::json!({"grade": 0.9, "facts": said}).to_string();
        for answer in [answer, listed] {
            let mut read = read(&answer, &passage, "What is due?", ABOVE);
            crate::occurrence::settle(&mut read, &passage, "", 0.6);
            let findings = read.findings;
            prop_assert!(findings.facts.len() <= FACTS_PER_PASSAGE_MAX);
            for fact in &findings.facts {
                prop_assert!((1..=FACT_CHARS_MAX).contains(&fact.chars().count()));
            }
            prop_assert!(findings.relevant || findings.facts.is_empty());
            prop_assert!(findings.grade.is_none_or(|grade| (0.0..=1.0).contains(&grade)));
            let spans = findings.spans.iter().flatten();
            prop_assert!(spans.clone().all(|span| span.of(&passage.text).is_some()));
            prop_assert!(findings.spans.is_empty() || findings.spans.len() == findings.facts.len());
        }
    }
}
