//! Reads findings out of what a model wrote, whatever it wrote.
//!
//! The ladder: an object with both fields -> the fields by themselves -> relevant by default. The
//! rungs below the first are told as fallbacks; the last one does not count at the reducer's gate.

use envelope::limits::{FACT_CHARS_MAX, FACTS_PER_PASSAGE_MAX};
use envelope::{Fallback, Findings, Passage};
use llm::json::{self, Rung};
use serde_json::Value;

/// How many sentences of an unread passage stand in for its facts.
const OPENING_SENTENCES: usize = 3;

/// What was read, and from which rung when it was not the first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Read {
    pub(crate) findings: Findings,
    pub(crate) fallback: Option<Fallback>,
    /// How many facts were cut or left out, since they are over the limits of the wire.
    pub(crate) trimmed: usize,
}

/// Facts within the limits of the wire, and how many were cut or left out for them.
#[derive(Debug, Clone, Default, PartialEq)]
struct Facts {
    kept: Vec<String>,
    trimmed: usize,
}

/// Reads the answer of a model about `passage`.
pub(crate) fn read(answer: &str, passage: &Passage) -> Read {
    let object = json::read_object(answer);
    if let Some((object, rung)) = &object
        && let Some(relevant) = object.get("relevant").and_then(flag)
    {
        let facts = object.get("facts").map(statements).unwrap_or_default();
        let fallback = (*rung == Rung::Salvaged).then_some(Fallback::MapSalvaged);
        return said(relevant, facts, fallback);
    }
    if let Some(relevant) = json::field_bool(answer, "relevant") {
        let facts = json::field_strings(answer, "facts");
        return said(relevant, facts, Some(Fallback::MapSalvaged));
    }
    let told = object.and_then(|(object, _)| object.get("facts").map(statements));
    // Facts without a verdict are better than the passage's opening, and count as little.
    let told = told.map(tidy).filter(|facts| !facts.kept.is_empty());
    Read {
        fallback: Some(Fallback::MapDefault),
        ..unread(told.unwrap_or_else(|| first_of(passage)))
    }
}

/// The safe default: relevant, not counted, and told in the passage's own first sentences.
pub(crate) fn defaulted(passage: &Passage) -> Read {
    unread(first_of(passage))
}

fn unread(facts: Facts) -> Read {
    let findings = Findings {
        relevant: true,
        facts: facts.kept,
        defaulted: true,
    };
    Read {
        findings,
        fallback: None,
        trimmed: facts.trimmed,
    }
}

fn first_of(passage: &Passage) -> Facts {
    let opening = opening(&passage.text).into_iter().map(str::to_owned);
    tidy(opening.collect())
}

/// Drops facts of which too few words stand in the passage; returns how many.
pub(crate) fn drop_unsupported(findings: &mut Findings, passage: &Passage, least: f32) -> usize {
    let given = [&passage.text, &passage.title, &passage.source];
    let before = findings.facts.len();
    findings
        .facts
        // A fact that was copied needs no counting; most are.
        .retain(|fact| {
            passage.text.contains(fact.as_str()) || text::overlap(fact, &given) >= least
        });
    before - findings.facts.len()
}

fn said(relevant: bool, facts: Vec<String>, fallback: Option<Fallback>) -> Read {
    let facts = if relevant {
        tidy(facts)
    } else {
        Facts::default()
    };
    let findings = Findings {
        relevant,
        facts: facts.kept,
        defaulted: false,
    };
    Read {
        findings,
        fallback,
        trimmed: facts.trimmed,
    }
}

/// Small models write truth as a word or a number, too.
fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => Some(number.as_f64()? > 0.0),
        Value::String(word) => match word.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// The statements of a list of texts, or of the objects and numbers that models write instead.
fn statements(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(statement).collect(),
        other => statement(other).into_iter().collect(),
    }
}

fn statement(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => {
            let fields = fields.iter();
            let said = fields.filter_map(|(name, value)| Some((name, statement(value)?)));
            let said: Vec<_> = said
                .map(|(name, text)| match name.as_str() {
                    "fact" | "text" | "statement" => text,
                    _ => format!("{name}: {text}"),
                })
                .collect();
            (!said.is_empty()).then(|| said.join(", "))
        }
        Value::Array(_) | Value::Bool(_) | Value::Null => None,
    }
}

/// White space collapsed, nothing empty, nothing twice, within the limits of the wire.
fn tidy(facts: Vec<String>) -> Facts {
    let mut tidied = Facts::default();
    // What was left out, by itself: said twice, it is one fact less.
    let mut left_out: Vec<String> = Vec::new();
    for fact in facts {
        let words: Vec<_> = fact.split_whitespace().collect();
        let whole = words.join(" ");
        let fact: String = whole.chars().take(FACT_CHARS_MAX).collect();
        if fact.is_empty() || tidied.kept.contains(&fact) || left_out.contains(&fact) {
            continue;
        }
        let is_cut = fact.len() < whole.len();
        if tidied.kept.len() == FACTS_PER_PASSAGE_MAX {
            tidied.trimmed += 1;
            left_out.push(fact);
        } else {
            tidied.trimmed += usize::from(is_cut);
            tidied.kept.push(fact);
        }
    }
    tidied
}

/// The first sentences of a text, roughly: a full stop, question or exclamation mark before white
/// space ends one, an empty line too.
fn opening(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for paragraph in text.split("\n\n") {
        let mut rest = paragraph;
        while !rest.trim().is_empty() && sentences.len() < OPENING_SENTENCES {
            let end = rest
                .match_indices(['.', '!', '?'])
                .map(|(at, mark)| at + mark.len())
                .find(|end| rest[*end..].starts_with(char::is_whitespace))
                .unwrap_or(rest.len());
            sentences.push(rest[..end].trim());
            rest = &rest[end..];
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::model::passage;

    fn about(answer: &str) -> Read {
        let text = "The total is 200 EUR. Due in May! Pay by wire? To Orlin.\n\nNo cash.";
        read(answer, &passage("invoice", text))
    }

    fn facts(facts: &[&str]) -> Vec<String> {
        facts.iter().map(|f| (*f).to_owned()).collect()
    }

    #[test]
    fn strict_json_is_no_fallback() {
        for (answer, relevant, said) in [
            (
                r#"{"relevant": true, "facts": ["a", "b"]}"#,
                true,
                &["a", "b"][..],
            ),
            (r#"{"relevant": true, "facts": []}"#, true, &[]),
            (r#"{"relevant": true}"#, true, &[]),
            (r#"{"relevant": false, "facts": ["a"]}"#, false, &[]),
            (
                r#"{"relevant": "Yes", "facts": "only one"}"#,
                true,
                &["only one"],
            ),
            (
                r#"{"relevant": 1, "facts": [7, null, {"fact": "x"}, {"due": "May"}]}"#,
                true,
                &["7", "x", "due: May"],
            ),
        ] {
            let read = about(answer);
            assert_eq!(read.fallback, None, "{answer}");
            assert_eq!(
                read.findings,
                Findings {
                    relevant,
                    facts: facts(said),
                    defaulted: false
                }
            );
        }
    }

    #[test]
    fn what_is_not_json_is_read_by_its_fields() {
        for (answer, relevant, said) in [
            (
                "Sure! {\"relevant\": true, \"facts\": [\"a\"]} Hope this helps.",
                true,
                &["a"][..],
            ),
            ("{\"relevant\": true, \"facts\": [\"a\", \"b", true, &["a"]),
            ("so \"relevant\" : false, I think", false, &[]),
            ("{'relevant': True, 'facts': ['a']}", true, &["a"]),
        ] {
            let read = about(answer);
            assert_eq!(read.fallback, Some(Fallback::MapSalvaged), "{answer}");
            assert_eq!(
                read.findings,
                Findings {
                    relevant,
                    facts: facts(said),
                    defaulted: false
                }
            );
            assert_eq!(read.findings.counts(), relevant);
        }
    }

    #[test]
    fn unreadable_is_relevant_but_does_not_count() {
        for answer in [
            "",
            "I cannot tell.",
            "{\"relevant\": maybe}",
            "[true]",
            "{}",
        ] {
            let read = about(answer);
            assert_eq!(read.fallback, Some(Fallback::MapDefault), "{answer}");
            assert!(read.findings.relevant && !read.findings.counts());
            assert_eq!(
                read.findings.facts,
                ["The total is 200 EUR.", "Due in May!", "Pay by wire?"]
            );
        }
        let read = about(r#"{"facts": ["told"]}"#);
        assert_eq!(
            (read.findings.facts, read.findings.defaulted),
            (facts(&["told"]), true)
        );
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
            for relevant in [true, false] {
                let answer = serde_json::json!({"relevant": relevant, "facts": told});
                let read = about(&answer.to_string());
                let came = (read.findings.facts.len(), read.trimmed);
                assert_eq!(came, if relevant { (kept, trimmed) } else { (0, 0) });
            }
        }
    }

    #[test]
    fn made_up_facts_are_dropped() {
        let passage = passage("invoice", "The total is 200 EUR, due in May.");
        let told = facts(&["Total: 200 EUR", "Napoleon was born on Corsica"]);
        let mut findings = said(true, told, None).findings;
        assert_eq!(drop_unsupported(&mut findings, &passage, 0.3), 1);
        assert_eq!(findings.facts, ["Total: 200 EUR"]);
        assert_eq!(drop_unsupported(&mut findings, &passage, 0.0), 0);
    }

    proptest! {
        #[test]
        fn always_findings_within_the_limits(
            answer in "(\"relevant\": ?(true|false)|[{}\\[\\]\",: a-z0-9]|\\PC){0,60}",
            said in proptest::collection::vec("\\PC{0,900}", 0..30),
            text in "([a-z]{1,9}[.!? \n]{1,2}){0,40}|\\PC{0,80}",
        ) {
            let passage = passage("d", &text);
            let listed = serde_json::json!({"relevant": true, "facts": said}).to_string();
            for answer in [answer, listed] {
                let Read { findings, .. } = read(&answer, &passage);
                prop_assert!(findings.facts.len() <= FACTS_PER_PASSAGE_MAX);
                for fact in &findings.facts {
                    prop_assert!((1..=FACT_CHARS_MAX).contains(&fact.chars().count()));
                }
                prop_assert!(findings.relevant || findings.facts.is_empty());
            }
        }
    }
}
