//! The documents that conditions hold for, one document after the other. Pure.
//!
//! A document that lacks what a condition asks of satisfies it neither way: who does not say its currency is not known
//! not to be in euros.

use super::known::{Known, KnownDocument};
use linking::amounts::Bound;
use linking::days::{DayRange, day};
use linking::{LinkedQuestion, QuestionCondition, Test, fold};
use serde_json::Value;
use std::collections::BTreeSet;

/// The sources of the documents that a question amounts to; of a comparison, those of any side.
pub(super) fn documents(known: &Known, linked: &LinkedQuestion) -> BTreeSet<String> {
    let holds = |document: &&KnownDocument| {
        let is_there = linked
            .bucket
            .as_ref()
            .is_none_or(|bucket| *bucket == document.bucket);
        let holds = |condition: &QuestionCondition| holds(known, condition, document);
        let parts = &linked.parts;
        is_there
            && linked.conditions.iter().all(holds)
            && (parts.is_empty() || parts.iter().any(holds))
    };
    let found = known.documents.iter().filter(holds);
    found.map(|document| document.source.clone()).collect()
}

fn holds(known: &Known, condition: &QuestionCondition, document: &KnownDocument) -> bool {
    if condition.bucket != document.bucket {
        return false;
    }
    match document.fields.get(&condition.field) {
        Some(value) => {
            (meets(condition, value) || is_called(condition, document)) != condition.is_negated
        }
        None if condition.is_negated => {
            !is_called(condition, document) && says_another(known, condition, document)
        }
        None => is_called(condition, document),
    }
}

/// Whether a document without a schema says something else of the kind that is asked of.
fn says_another(known: &Known, condition: &QuestionCondition, document: &KnownDocument) -> bool {
    document.names.iter().any(|name| {
        let mut columns = known
            .dictionary
            .with_key(name)
            .map(|value| known.dictionary.column(value.column));
        columns.any(|column| column.bucket == condition.bucket && column.field == condition.field)
    })
}

/// Whether a document without a schema is called what is asked for, or says it of itself.
fn is_called(condition: &QuestionCondition, document: &KnownDocument) -> bool {
    let is_name = |form: &String| document.names.contains(&fold::name_key(form));
    match &condition.test {
        Test::Is(things) => things.iter().flatten().any(is_name),
        Test::Number(numbers) => numbers.iter().any(|number| is_name(&number.to_string())),
        Test::Amount(_) => {
            let years = document
                .names
                .iter()
                .filter(|name| name.len() == 4)
                .filter_map(|name| name.parse().ok());
            years
                .into_iter()
                .any(|year: f64| (1900.0..=2100.0).contains(&year) && is_within(condition, year))
        }
        Test::Days(_) => false,
    }
}

fn meets(condition: &QuestionCondition, value: &Value) -> bool {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    match &condition.test {
        Test::Is(things) => {
            let mut forms = things.iter().flatten();
            value
                .as_str()
                .is_some_and(|text| forms.any(|form| text.eq_ignore_ascii_case(form)))
        }
        Test::Days(range) => value.as_str().is_some_and(|text| is_among(text, *range)),
        Test::Number(numbers) => number.is_some_and(|number| numbers.contains(&number)),
        Test::Amount(_) => number.is_some_and(|number| is_within(condition, number)),
    }
}

fn is_within(condition: &QuestionCondition, number: f64) -> bool {
    let Test::Amount(bounds) = &condition.test else {
        return false;
    };
    bounds.iter().all(|(bound, limit)| match bound {
        Bound::Over => number > *limit,
        Bound::AtLeast => number >= *limit,
        Bound::Under => number < *limit,
        Bound::AtMost => number <= *limit,
        Bound::Exactly => number == *limit,
    })
}

fn is_among(text: &str, range: DayRange) -> bool {
    let read = || {
        let mut parts = text.get(..10)?.split('-');
        let year = parts.next()?.parse().ok()?;
        day(
            year,
            parts.next()?.parse().ok()?,
            parts.next()?.parse().ok()?,
        )
    };
    read().is_some_and(|day| range.has(day))
}
