//! Reads findings out of a model's reply, whatever its form.
//!
//! Readings are tried in this order: an object with a grade; single fields in broken JSON; if there is no usable
//! grade, the fallback "relevant". The second and third reading are recorded as fallbacks, and a passage with the
//! third one does not count at the reducer's gate. *Not* here: whether the facts occur in the passage, which
//! [`occurrence`](crate::occurrence) checks.

use crate::grade::{self, Grade};
use crate::opening;
use envelope::limits::{FACT_CHARS_MAX, FACTS_PER_PASSAGE_MAX};
use envelope::{Fallback, Findings, Passage};
use llm::json::{self, Rung};
use llm::reply::without_thoughts;
use serde_json::Value;

/// How much of a line without sentences is a fact, in characters.
const AROUND_CHARS: usize = 300;

/// The findings that were read, and the rung when it was not the first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Read {
    pub(crate) findings: Findings,
    pub(crate) fallback: Option<Fallback>,
    /// How many facts were cut or left out because they are over the limits of the wire.
    pub(crate) trimmed: usize,
    /// Why it is not known whether the passage helps, where it was read all the same.
    pub(crate) unread: Option<String>,
}

/// Facts within the limits of the wire, and the number of those that were cut or left out.
#[derive(Debug, Clone, Default, PartialEq)]
struct Facts {
    kept: Vec<String>,
    trimmed: usize,
}

/// Reads a model's reply about `passage` to a question, which helps when its grade is above `relevant_above`.
pub(crate) fn read(answer: &str, passage: &Passage, asked: &str, relevant_above: f32) -> Read {
    let object = json::read_object(answer);
    let of_object = object.as_ref().and_then(|(object, rung)| {
        let facts = object.get("facts").map(statements).unwrap_or_default();
        Some((grade::of_object(object)?, facts, *rung))
    });
    let read = of_object.or_else(|| {
        let said = without_thoughts(answer);
        let facts = json::field_strings(said, "facts");
        Some((grade::of_text(said)?, facts, Rung::Salvaged))
    });
    match read {
        Some((Grade::Said(grade), facts, rung)) => {
            let fallback = (rung == Rung::Salvaged).then_some(Fallback::MapSalvaged);
            said(grade, relevant_above, tidy(facts, asked), fallback)
        }
        Some((Grade::Outside(grade), facts, _)) => {
            let why = format!("a grade of {grade} is not between 0 and 1");
            by_default(tidy(facts, asked), passage, why)
        }
        None => {
            // Facts without a grade are better than the passage's opening, and count as little.
            let facts = object.and_then(|(object, _)| object.get("facts").map(statements));
            let facts = tidy(facts.unwrap_or_default(), asked);
            by_default(facts, passage, "unread".into())
        }
    }
}

/// The safe default: the passage is relevant, does not count, and its own first sentences stand in for facts.
pub(crate) fn defaulted(passage: &Passage) -> Read {
    Read {
        fallback: None,
        ..by_default(Facts::default(), passage, "unread".into())
    }
}

/// The default for a reply that cannot be taken for what it says, with the reason.
fn by_default(facts: Facts, passage: &Passage, why: String) -> Read {
    let facts = match facts.kept.is_empty() {
        true => tidy(opening::of(&passage.text), ""),
        false => facts,
    };
    Read {
        findings: Findings {
            relevant: true,
            facts: facts.kept,
            defaulted: true,
            ..Findings::default()
        },
        fallback: Some(Fallback::MapDefault),
        trimmed: facts.trimmed,
        unread: Some(why),
    }
}

/// What is left of a reading of which nothing stands in the passage: it must be of something else.
pub(crate) fn of_something_else(passage: &Passage) -> Read {
    let why = "nothing of it stands in the text".to_owned();
    by_default(Facts::default(), passage, why)
}

fn said(grade: f32, above: f32, facts: Facts, fallback: Option<Fallback>) -> Read {
    let relevant = grade > above;
    let facts = if relevant { facts } else { Facts::default() };
    Read {
        findings: Findings {
            relevant,
            grade: Some(grade),
            facts: facts.kept,
            ..Findings::default()
        },
        fallback,
        trimmed: facts.trimmed,
        unread: None,
    }
}

/// The statements in a list of texts, or in the objects and numbers that models write instead.
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

/// Facts with collapsed white space, without empty and repeated ones, within the limits of the wire.
fn tidy(facts: Vec<String>, asked: &str) -> Facts {
    let mut tidied = Facts::default();
    // What was left out, by itself: said twice, it is one fact less.
    let mut left_out: Vec<String> = Vec::new();
    for fact in facts {
        let whole = text::one_line(&fact);
        let fact = cut(&whole, asked);
        if fact.is_empty() || tidied.kept.contains(&fact) || left_out.contains(&fact) {
            continue;
        }
        let is_cut = fact != whole;
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

/// The part of a line that a fact may have, cut between words where there are any: of a line without sentences, what is
/// around the words of the question.
fn cut(line: &str, asked: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(FACT_CHARS_MAX) else {
        return line.to_owned();
    };
    let around = search::window(line, asked, AROUND_CHARS);
    if let Some(around) = around.filter(|around| around.start > 0) {
        let end = if around.end < line.len() { " …" } else { "" };
        return format!("… {}{end}", &line[around]);
    }
    let head = match line[end..].starts_with(' ') {
        true => &line[..end],
        false => line[..end]
            .rsplit_once(' ')
            .map_or(&line[..end], |(head, _)| head),
    };
    head.to_owned()
}

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;
