//! Joins sides of a comparison that the question means as one: `the reports of 2021 or 2022 against those of 2019`. Pure.
//!
//! Values of one column are sides of their own by default. Two neighbours are one side if only a conjunction stands
//! between them, and the words before a further side repeat those before the first one: `of` in this example.

use crate::frame::is_of;
use crate::linked::{QuestionCondition, Test};
use crate::merge;
use text::fold;

/// Words between the values of one side.
const CONJUNCTIONS: &str = "and or and/or &";
/// Words that introduce no side by themselves.
const JOINING: &str = "and or nor and/or & the a an those both either";
/// Words that ask for each value by itself.
const APART: &str = "each separately individually respectively apiece which whichever per every";
/// The most sides.
const SIDES_MAX: usize = 50;
/// The most words before a value that introduce it: `relating to financial years 2021`.
const LEADING_WORDS: usize = 4;

/// Joins the sides that are alternatives of each other.
pub(crate) fn join(parts: &mut Vec<QuestionCondition>, question: &str) {
    let is_one_column = parts.windows(2).all(|pair| is_alike(&pair[0], &pair[1]));
    let is_in_order = parts.is_sorted_by_key(|part| part.span.start);
    // `how many each?` behind the last one asks for the sides.
    let until = parts.last().map_or(0, |part| part.span.end);
    let said = words(question, 0..until);
    let is_apart = said.iter().any(|word| is_of(word, APART));
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
    let is_repeated = |word: &String| !is_of(word, JOINING) && leading.contains(word);
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
                false => gap.iter().all(|word| is_of(word, CONJUNCTIONS)),
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

/// A test that holds where either of two does, if there is one.
fn either(one: &Test, other: &Test) -> Option<Test> {
    match (one, other) {
        (Test::Is(one), Test::Is(other)) => Some(Test::Is(distinct(one, other))),
        (Test::Number(one), Test::Number(other)) => Some(Test::Number(distinct(one, other))),
        (Test::Days(one), Test::Days(other)) => merge::union(*one, *other).map(Test::Days),
        _ => None,
    }
}

/// The values of two lists, each once.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the sides of a comparison by years.
    fn sides(question: &str) -> Vec<&str> {
        let years = ["2019", "2020", "2021", "2022"];
        let mut places: Vec<usize> = years
            .iter()
            .flat_map(|year| question.match_indices(year).map(|(at, _)| at))
            .collect();
        places.sort_unstable();
        let part = |at: usize| QuestionCondition {
            bucket: "reports".into(),
            field: "year".into(),
            test: Test::Number(vec![question[at..at + 4].parse().unwrap()]),
            names: Vec::new(),
            is_negated: false,
            span: at..at + 4,
        };
        let mut parts: Vec<QuestionCondition> = places.into_iter().map(part).collect();
        join(&mut parts, question);
        let said = |part: &QuestionCondition| &question[part.span.clone()];
        parts.iter().map(said).collect()
    }

    #[test]
    fn neighbours_are_one_side_if_other_words_part_them_from_a_further_one() {
        for (question, want) in [
            (
                "Are there more reports covering 2020 or 2021 or covering 2019?",
                vec!["2020 or 2021", "2019"],
            ),
            (
                "Put the reports on the year 2019 next to those on the year 2021 or 2022: how many each?",
                vec!["2019", "2021 or 2022"],
            ),
            (
                "Do the reports relating to 2019 outnumber those relating to years 2020 and 2021?",
                vec!["2019", "2020 and 2021"],
            ),
            (
                "Compare the reports of 2019 or 2020 with those of 2021 or 2022.",
                vec!["2019 or 2020", "2021 or 2022"],
            ),
            (
                "Compare the reports of 2019, 2020 or 2021 with those of 2022.",
                vec!["2019, 2020 or 2021", "2022"],
            ),
            (
                "Compare the reports of 2021 and/or 2022 with those of 2019.",
                vec!["2021 and/or 2022", "2019"],
            ),
            (
                "Compare the reports of 2021 or 2022 versus those of 2019.",
                vec!["2021 or 2022", "2019"],
            ),
            // Nothing says that two of them belong together.
            (
                "Compare the reports of 2019 with 2020 and 2021.",
                vec!["2019", "2020", "2021"],
            ),
            (
                "Compare the reports of 2019 vs 2020 and 2021 vs 2022.",
                vec!["2019", "2020", "2021", "2022"],
            ),
            (
                "Which of 2019, 2020 and 2021 has the most reports, against those of 2022?",
                vec!["2019", "2020", "2021", "2022"],
            ),
            (
                "Compare the reports of 2019 and 2020, each separately, with those of 2021.",
                vec!["2019", "2020", "2021"],
            ),
            (
                "Compare the reports of 2019. And 2020? With those of 2021.",
                vec!["2019", "2020", "2021"],
            ),
            (
                "Compare the reports of 2019: 2020 or 2021 against those of 2022.",
                vec!["2019", "2020", "2021", "2022"],
            ),
            // Each is a side of its own if nothing else parts them.
            (
                "How many reports of 2019, 2020 and 2021?",
                vec!["2019", "2020", "2021"],
            ),
            (
                "Are there more reports of 2019 or of 2020 or of 2021?",
                vec!["2019", "2020", "2021"],
            ),
            // A comma with `and` may part or join.
            (
                "How many reports of 2019, 2020, and of 2021?",
                vec!["2019", "2020", "2021"],
            ),
        ] {
            assert_eq!(sides(question), want, "{question}");
        }
    }

    #[test]
    fn a_side_holds_all_values_that_it_was_joined_of() {
        let numbers = either(&Test::Number(vec![2020.0]), &Test::Number(vec![2021.0]));
        assert_eq!(numbers, Some(Test::Number(vec![2020.0, 2021.0])));
        assert_eq!(
            either(&Test::Number(vec![2020.0]), &Test::Number(vec![2020.0])),
            Some(Test::Number(vec![2020.0]))
        );
        let of = |name: &str| Test::Is(vec![vec![name.to_owned()]]);
        assert_eq!(
            either(&of("Acme"), &of("Bell")),
            Some(Test::Is(vec![vec!["Acme".into()], vec!["Bell".into()]]))
        );
        assert_eq!(either(&of("Acme"), &Test::Number(vec![1.0])), None);
    }
}
