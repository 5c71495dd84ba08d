//! Reads the conditions that a question states, in its own words.
//!
//! They are recognised by words of comparison, time and origin, and by the words that follow. *Not* here: the names of
//! columns and their values. Only a corpus knows those, so most names stay without a field.

use super::named;
use super::words::QuestionWord;
use crate::amounts::{self, Bound};
use crate::token::{QuestionToken, TokenWords};
use crate::{days, is_of};

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
    let tokens = tokens(words);
    let mut found = Vec::new();
    let (mut at, mut last) = (0, 0);
    while at < words.len() {
        let negation = negation(&tokens, at);
        let (rest, tokens) = (&words[at + negation..], &tokens[at + negation..]);
        let read = compared(rest, tokens)
            .or_else(|| timed(rest, tokens, negation > 0))
            .or_else(|| named::named(rest, negation > 0));
        let Some(read) = read else {
            at += 1;
            continue;
        };
        let length = negation + read.length;
        let (from, to) = (words[at].from, words[at + length - 1].to);
        for (comparator, value) in read.says {
            let is_number = matches!(value, ConditionValue::Number(_));
            found.push(WordedCondition {
                field: field(&words[last..at], is_number),
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

/// The words as the parsers of days and amounts read them, one token each.
pub(crate) fn tokens(words: &[QuestionWord<'_>]) -> Vec<QuestionToken> {
    let token = |word: &QuestionWord<'_>| QuestionToken {
        text: word.bare().to_owned(),
        lower: word.word.clone(),
        span: word.from..word.to,
        is_first: false,
        is_last: word.closes(),
        is_joint: false,
    };
    words.iter().map(token).collect()
}

/// A bounded number here, if there is one. A unit behind it is no part of it, and two years are a time.
fn compared(words: &[QuestionWord<'_>], tokens: &[QuestionToken]) -> Option<Read> {
    let (length, amount) = amounts::read(tokens, 0)?;
    let is_time = words[..length].iter().any(QuestionWord::is_time);
    (amount.bounds.len() < 2 || !is_time).then_some(())?;
    let is_unit = amount
        .unit
        .is_some_and(|unit| unit == words[length - 1].word);
    let comparator = |bound| match bound {
        Bound::Over => Comparator::Gt,
        Bound::AtLeast => Comparator::Gte,
        Bound::Under => Comparator::Lt,
        Bound::AtMost => Comparator::Lte,
        Bound::Exactly => Comparator::Eq,
    };
    let bounds = amount.bounds.into_iter();
    Some(Read {
        length: length - usize::from(is_unit),
        says: bounds
            .map(|(bound, value)| (comparator(bound), ConditionValue::Number(value)))
            .collect(),
    })
}

/// How many words, from the first on, name one time; 0 where they name none. The name of a month has a capital.
pub(crate) fn time_length(words: &[QuestionWord<'_>], tokens: &[QuestionToken]) -> usize {
    match (words.first(), days::named(tokens)) {
        (Some(first), Some(_))
            if crate::months::number_in_date(&first.word).is_some() && !first.is_month() =>
        {
            0
        }
        // `2019 to 2021` are two times.
        (Some(first), Some(3)) if first.is_year() => 1,
        (_, Some(length)) => length,
        (first, None) => usize::from(first.is_some_and(QuestionWord::is_period)),
    }
}

/// How many words here say that what follows must not hold.
fn negation(tokens: &[QuestionToken], at: usize) -> usize {
    let pairs = [
        "apart from",
        "aside from",
        "but not",
        "except for",
        "except from",
        "other than",
    ];
    let length = match pairs.iter().any(|pair| tokens.says(at, pair)) {
        true => 2,
        false => usize::from(tokens.is(at, words!(alone))),
    };
    length + usize::from(length > 0 && tokens.is(at + length, "any ones that those"))
}

/// A time with the word that says how it bounds.
fn timed(words: &[QuestionWord<'_>], tokens: &[QuestionToken], is_bare: bool) -> Option<Read> {
    let first = words.first()?;
    let length = |at: usize| match words.get(at..) {
        Some(rest) => time_length(rest, &tokens[at..]),
        None => 0,
    };
    let cue = match first.word.as_str() {
        "since" | "from" | "starting" => Some(Comparator::Gte),
        "after" => Some(Comparator::Gt),
        "before" => Some(Comparator::Lt),
        "until" | "till" | "by" | "through" => Some(Comparator::Lte),
        "in" | "during" | "on" | "of" | "for" | "within" | "between" => Some(Comparator::Eq),
        _ => None,
    };
    let start = match cue {
        Some(_) => 1 + usize::from(tokens.word(1) == "the"),
        None if is_bare || first.is_year() || first.is_period() || first.is_iso_day() => 0,
        None if first.is("last next past previous") => 0,
        None if first.is_month() && length(0) > 1 => 0,
        None => return None,
    };
    let end = start + Some(length(start)).filter(|length| *length > 0)?;
    // `between May 2023 and May 2024`, `from May 2023 to May 2024`
    let joining = match first.word.as_str() {
        "between" => "and",
        "from" => "to until till through",
        _ => "",
    };
    let second = length(end + 1);
    if tokens.is(end, joining) && second > 0 {
        let (low, high) = (&words[start..end], &words[end + 1..end + 1 + second]);
        return Some(Read {
            length: end + 1 + second,
            says: vec![
                (Comparator::Gte, worded(low)),
                (Comparator::Lte, worded(high)),
            ],
        });
    }
    let comparator = match first.word.as_str() {
        "between" => return None,
        // `invoices from 2023` are those of 2023.
        "from" if words[start].is_time() => Comparator::Eq,
        _ => cue.unwrap_or(Comparator::Eq),
    };
    Some(Read {
        length: end,
        says: vec![(comparator, worded(&words[start..end]))],
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
