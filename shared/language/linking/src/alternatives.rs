//! Joins sides of a comparison that the question means as one: `the reports of 2021 or 2022 against those of 2019`. Pure.
//!
//! Values of one column are sides of their own by default. Two neighbours are one side if only a conjunction stands
//! between them, and the words before a further side repeat those before the first one: `of` in this example.

use crate::linked::{QuestionCondition, Test};
use crate::merge;
use text::fold;
use text::is_of;

const SIDES_MAX: usize = 50;
/// The most words before a value that introduce it: `relating to financial years 2021`.
const LEADING_WORDS: usize = 4;

pub(crate) fn join(parts: &mut Vec<QuestionCondition>, question: &str) {
    let is_one_column = parts.windows(2).all(|pair| is_alike(&pair[0], &pair[1]));
    let is_in_order = parts.is_sorted_by_key(|part| part.span.start);
    // `how many each?` behind the last one asks for the sides.
    let until = parts.last().map_or(0, |part| part.span.end);
    let said = words(question, 0..until);
    let is_apart = said.iter().any(|word| is_of(word, words!(apart)));
    if !(3..=SIDES_MAX).contains(&parts.len()) || !is_one_column || !is_in_order || is_apart {
        return;
    }
    let Some(joined) = joined(parts, question) else {
        return;
    };
    let mut sides: Vec<QuestionCondition> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let is_joined = at > 0 && joined[at - 1];
        match sides.last_mut().filter(|_| is_joined) {
            Some(side) => {
                let Some(test) = either(&side.test, &part.test) else {
                    return;
                };
                side.test = test;
                side.names = distinct(&side.names, &part.names);
                side.span.end = part.span.end;
            }
            None => sides.push(part.clone()),
        }
    }
    *parts = sides;
}

/// For each part but the last, whether the next one belongs to the same side. `None` if the words between some parts
/// neither join them nor introduce a further side, or if all parts are joined alike.
fn joined(parts: &[QuestionCondition], question: &str) -> Option<Vec<bool>> {
    let mut leading = words(question, 0..parts[0].span.start);
    let leading = leading.split_off(leading.len().saturating_sub(LEADING_WORDS));
    let is_repeated =
        |word: &String| !is_of(word, words!(alternatives_joining)) && leading.contains(word);
    let mut joined: Vec<bool> = Vec::new();
    for pair in parts.windows(2).rev() {
        let between = pair[0].span.end..pair[1].span.start;
        let gap = words(question, between.clone());
        let marks = question.get(between).unwrap_or_default();
        let is_open = !marks.contains(['.', ';', ':', '?', '!', '(', ')']);
        // A comma joins only what a conjunction goes on with: `2020, 2021 or 2022`.
        let is_joined = is_open
            && match gap.is_empty() {
                true => joined.last() == Some(&true),
                false => gap.iter().all(|word| is_of(word, words!(conjunctions))),
            };
        if !is_joined && !gap.iter().any(is_repeated) {
            return None;
        }
        joined.push(is_joined);
    }
    joined.reverse();
    (joined.contains(&true) && joined.contains(&false)).then_some(joined)
}

fn is_alike(one: &QuestionCondition, other: &QuestionCondition) -> bool {
    let of = |part: &QuestionCondition| (part.field.clone(), part.bucket.clone(), part.is_negated);
    of(one) == of(other)
}

pub(crate) fn either(one: &Test, other: &Test) -> Option<Test> {
    match (one, other) {
        (Test::Is(one), Test::Is(other)) => Some(Test::Is(distinct(one, other))),
        (Test::Number(one), Test::Number(other)) => Some(Test::Number(distinct(one, other))),
        (Test::Days(one), Test::Days(other)) => merge::union(*one, *other).map(Test::Days),
        _ => None,
    }
}

fn distinct<T: Clone + PartialEq>(one: &[T], other: &[T]) -> Vec<T> {
    let further = other.iter().filter(|value| !one.contains(value));
    one.iter().chain(further).cloned().collect()
}

/// The words of a part of a question, in lower case and the singular.
fn words(question: &str, at: std::ops::Range<usize>) -> Vec<String> {
    let said = question.get(at).unwrap_or_default();
    let words = said.split(|c: char| !c.is_alphanumeric() && !matches!(c, '&' | '/'));
    let words = words.filter(|word| !word.is_empty());
    words
        .map(|word| fold::singular(&word.to_lowercase()))
        .collect()
}
