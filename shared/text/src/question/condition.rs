//! Reads the conditions that a question states, in its own words.
//!
//! They are recognised by words of comparison, time and origin, and by the words that follow. *Not* here: the names of
//! columns and their values. Only a corpus knows those, so most names stay without a field.

use super::named;
use super::number;
use super::time;
use super::words::QuestionWord;
use crate::is_of;

/// Most conditions that are read out of one question.
pub(crate) const WORDED_CONDITIONS_MAX: usize = 16;

/// How a condition compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// It is the same.
    Eq,
    /// It is not the same.
    Ne,
    /// It is greater, or later.
    Gt,
    /// It is not less, or not earlier.
    Gte,
    /// It is less, or earlier.
    Lt,
    /// It is not greater, or not later.
    Lte,
    /// It is one of several.
    In,
    /// It is none of several.
    NotIn,
}

/// The value that a condition compares with.
#[derive(Debug, Clone, PartialEq)]
pub enum ConditionValue {
    /// A name or a time, as worded.
    Text(String),
    /// A number.
    Number(f64),
    /// Several names.
    Several(Vec<String>),
}

/// A condition in the words of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct WordedCondition {
    /// The field, if the question names it.
    pub field: Option<String>,
    /// The comparison.
    pub comparator: Comparator,
    /// The value.
    pub value: ConditionValue,
    /// The words of the question that state the condition.
    pub raw: String,
    /// Where they stand, in bytes.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Comparator {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Comparator::Eq => "eq",
            Comparator::Ne => "ne",
            Comparator::Gt => "gt",
            Comparator::Gte => "gte",
            Comparator::Lt => "lt",
            Comparator::Lte => "lte",
            Comparator::In => "in",
            Comparator::NotIn => "not_in",
        }
    }

    /// The one that holds where this one does not.
    fn negated(self) -> Comparator {
        match self {
            Comparator::Eq => Comparator::Ne,
            Comparator::Ne => Comparator::Eq,
            Comparator::Gt => Comparator::Lte,
            Comparator::Gte => Comparator::Lt,
            Comparator::Lt => Comparator::Gte,
            Comparator::Lte => Comparator::Gt,
            Comparator::In => Comparator::NotIn,
            Comparator::NotIn => Comparator::In,
        }
    }
}

/// What stands at one place of a question.
pub(crate) struct Read {
    /// Words that it takes, the cue among them.
    pub(crate) length: usize,
    /// What it says; two for a range.
    pub(crate) says: Vec<(Comparator, ConditionValue)>,
}

/// The conditions of a question, and how many more it has than are read.
pub(crate) fn read(question: &str, words: &[QuestionWord<'_>]) -> (Vec<WordedCondition>, usize) {
    let mut found = Vec::new();
    let (mut at, mut last) = (0, 0);
    while at < words.len() {
        let negation = negation(&words[at..]);
        let rest = &words[at + negation..];
        let read = number::compared(rest)
            .or_else(|| timed(rest, negation > 0))
            .or_else(|| named::named(rest, negation > 0));
        let Some(read) = read else {
            at += 1;
            continue;
        };
        let length = negation + read.length;
        let (from, to) = (words[at].from, words[at + length - 1].to);
        for (comparator, value) in read.says {
            found.push(WordedCondition {
                field: field(&words[last..at], matches!(value, ConditionValue::Number(_))),
                comparator: if negation > 0 {
                    comparator.negated()
                } else {
                    comparator
                },
                value,
                raw: question[from..to].to_owned(),
                from,
                to,
            });
        }
        at += length;
        last = at;
    }
    let over = found.len().saturating_sub(WORDED_CONDITIONS_MAX);
    found.truncate(WORDED_CONDITIONS_MAX);
    (found, over)
}

/// How many words here say that what follows must not hold.
fn negation(words: &[QuestionWord<'_>]) -> usize {
    const PAIRS: [(&str, &str); 6] = [
        ("apart", "from"),
        ("aside", "from"),
        ("but", "not"),
        ("except", "for"),
        ("except", "from"),
        ("other", "than"),
    ];
    let word = |at: usize| words.get(at).map_or("", |word| word.word.as_str());
    let length = match PAIRS.contains(&(word(0), word(1))) {
        true => 2,
        false => usize::from(is_of(word(0), words!(alone))),
    };
    let those = length > 0 && is_of(word(length), "any ones that those");
    length + usize::from(those)
}

/// A time with the word that says how it bounds.
fn timed(words: &[QuestionWord<'_>], is_bare: bool) -> Option<Read> {
    let first = words.first()?;
    let cue = match first.word.as_str() {
        "since" | "from" | "starting" => Some(Comparator::Gte),
        "after" => Some(Comparator::Gt),
        "before" => Some(Comparator::Lt),
        "until" | "till" | "by" | "through" => Some(Comparator::Lte),
        "in" | "during" | "on" | "of" | "for" | "within" => Some(Comparator::Eq),
        "between" => return between(words),
        _ => None,
    };
    let article = |at: usize| usize::from(words.get(at).is_some_and(|word| word.is("the")));
    let start = match cue {
        Some(_) => 1 + article(1),
        None if is_bare || first.is_year() || first.is_period() || first.is_iso_day() => 0,
        None if first.is("last next past previous") => 0,
        None if first.is_month() && time::length(words) > 1 => 0,
        None => return None,
    };
    let length = time::length(&words[start..]);
    if length == 0 {
        return None;
    }
    if first.word == "from" {
        let span = spanned(words, start, start + length, "to until till through");
        if span.is_some() {
            return span;
        }
    }
    let end = start + length;
    let comparator = match (cue, first.word.as_str()) {
        // `invoices from 2023` are those of 2023.
        (Some(_), "from") if words[start].is_time() => Comparator::Eq,
        (cue, _) => cue.unwrap_or(Comparator::Eq),
    };
    Some(Read {
        length: end,
        says: vec![(comparator, worded(&words[start..end]))],
    })
}

/// `between May 2023 and May 2024`
fn between(words: &[QuestionWord<'_>]) -> Option<Read> {
    let length = time::length(&words[1..]);
    if length == 0 {
        return None;
    }
    spanned(words, 1, 1 + length, "and")
}

/// A time from `start` to `end`, and another one behind one of `joining`.
fn spanned(words: &[QuestionWord<'_>], start: usize, end: usize, joining: &str) -> Option<Read> {
    words.get(end).filter(|word| word.is(joining))?;
    let length = time::length(&words[end + 1..]);
    (length > 0).then(|| Read {
        length: end + 1 + length,
        says: vec![
            (Comparator::Gte, worded(&words[start..end])),
            (Comparator::Lte, worded(&words[end + 1..end + 1 + length])),
        ],
    })
}

/// Words as they are written, without punctuation at the ends.
pub(crate) fn worded(words: &[QuestionWord<'_>]) -> ConditionValue {
    ConditionValue::Text(joined(words))
}

pub(crate) fn joined(words: &[QuestionWord<'_>]) -> String {
    let raw: Vec<&str> = words.iter().map(|word| word.raw).collect();
    let text = raw.join(" ");
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    let text = text
        .strip_suffix("'s")
        .or_else(|| text.strip_suffix("’s"))
        .unwrap_or(text);
    text.to_owned()
}

/// What is compared, where the words before say so: `with an amount of`, `whose due date is`, `dated`.
fn field(before: &[QuestionWord<'_>], is_number: bool) -> Option<String> {
    if let Some(last) = before
        .last()
        .filter(|last| last.is(words!(dated)) && !last.closes())
    {
        return Some(if last.word == "dated" {
            "date".into()
        } else {
            last.word.clone()
        });
    }
    let mut near = before.iter().rev().take(6);
    let opened =
        near.position(|word| word.is(words!(asked_opening)) || is_number && word.word == "and")?;
    let said = &before[before.len() - opened..];
    if said.iter().any(QuestionWord::closes) {
        return None;
    }
    let said: Vec<&str> = said
        .iter()
        .map(|word| word.word.as_str())
        .filter(|word| !is_of(word, words!(linking)))
        .collect();
    let fits = is_number || said.last().is_some_and(|word| is_of(word, words!(times)));
    (fits && (1..=3).contains(&said.len())).then(|| said.join(" "))
}
