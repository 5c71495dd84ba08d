//! Parses words of comparison before and behind an amount. Pure.
//!
//! Comparatives are recognised by their form: a word in `-er` before `than` means more, unless it is a word for less.
//! Words that compare days are left out.

use super::{Bound, says};
use crate::token::QuestionToken;
use text::is_of;

/// Words before an amount, the longest first.
const BEFORE: [(&str, Bound); 60] = [
    ("equal to or greater than", Bound::AtLeast),
    ("equal to or more than", Bound::AtLeast),
    ("equal to or less than", Bound::AtMost),
    ("equal to or above", Bound::AtLeast),
    ("equal to or below", Bound::AtMost),
    ("greater or equal to", Bound::AtLeast),
    ("less or equal to", Bound::AtMost),
    ("not to exceed", Bound::AtMost),
    ("not in excess of", Bound::AtMost),
    ("in excess of", Bound::Over),
    ("a minimum of", Bound::AtLeast),
    ("a maximum of", Bound::AtMost),
    ("not exceeding", Bound::AtMost),
    ("not above", Bound::AtMost),
    ("not over", Bound::AtMost),
    ("not below", Bound::AtLeast),
    ("not under", Bound::AtLeast),
    ("at or above", Bound::AtLeast),
    ("at or below", Bound::AtMost),
    ("at least", Bound::AtLeast),
    ("at most", Bound::AtMost),
    ("up to", Bound::AtMost),
    ("upwards of", Bound::AtLeast),
    ("upward of", Bound::AtLeast),
    ("north of", Bound::Over),
    ("south of", Bound::Under),
    ("short of", Bound::Under),
    ("as much as", Bound::AtMost),
    ("as little as", Bound::AtLeast),
    ("minimum of", Bound::AtLeast),
    ("maximum of", Bound::AtMost),
    ("starting at", Bound::AtLeast),
    ("capped at", Bound::AtMost),
    ("limited to", Bound::AtMost),
    ("equal to", Bound::Exactly),
    ("not reaching", Bound::Under),
    ("not attaining", Bound::Under),
    ("not topping", Bound::AtMost),
    ("not surpassing", Bound::AtMost),
    ("reaching", Bound::AtLeast),
    ("attaining", Bound::AtLeast),
    ("exceeding", Bound::Over),
    ("exceeded", Bound::Over),
    ("exceeds", Bound::Over),
    ("exceed", Bound::Over),
    ("surpassing", Bound::Over),
    ("surpasses", Bound::Over),
    ("surpass", Bound::Over),
    ("topping", Bound::Over),
    ("beyond", Bound::Over),
    ("within", Bound::AtMost),
    ("minimum", Bound::AtLeast),
    ("maximum", Bound::AtMost),
    ("over", Bound::Over),
    ("above", Bound::Over),
    ("under", Bound::Under),
    ("beneath", Bound::Under),
    ("below", Bound::Under),
    ("exactly", Bound::Exactly),
    ("precisely", Bound::Exactly),
];

/// Signs before an amount, the longest first.
const SIGNS: [(&str, Bound); 8] = [
    (">=", Bound::AtLeast),
    ("=>", Bound::AtLeast),
    ("≥", Bound::AtLeast),
    ("<=", Bound::AtMost),
    ("≤", Bound::AtMost),
    (">", Bound::Over),
    ("<", Bound::Under),
    ("=", Bound::Exactly),
];

/// Words behind an amount that compare it.
const BEHIND: [(&str, Bound); 16] = [
    ("or above", Bound::AtLeast),
    ("and above", Bound::AtLeast),
    ("or over", Bound::AtLeast),
    ("and over", Bound::AtLeast),
    ("and up", Bound::AtLeast),
    ("or up", Bound::AtLeast),
    ("and upwards", Bound::AtLeast),
    ("upwards", Bound::AtLeast),
    ("up", Bound::AtLeast),
    ("at least", Bound::AtLeast),
    ("or below", Bound::AtMost),
    ("and below", Bound::AtMost),
    ("or under", Bound::AtMost),
    ("and under", Bound::AtMost),
    ("at the most", Bound::AtMost),
    ("at most", Bound::AtMost),
];

/// The comparison before an amount, with the number of its words: `not more than`, `exceeding`.
pub(super) fn before(tokens: &[QuestionToken], at: usize) -> Option<(usize, Bound)> {
    let fixed = SIGNS.iter().chain(&BEFORE);
    let mut fixed = fixed.filter(|(words, _)| says(tokens, at, words));
    if let Some((words, bound)) = fixed.next() {
        return Some((words.split(' ').count(), *bound));
    }
    let not = usize::from(says(tokens, at, "no") || says(tokens, at, "not"));
    let mut bound = comparative(&tokens.get(at + not)?.lower)?;
    let mut length = not + 1;
    let is_equal = says(tokens, at + length, "than or equal to");
    match is_equal {
        true => length += 4,
        false if says(tokens, at + length, "than") => length += 1,
        false => return None,
    }
    if is_equal {
        bound = with_the_bound(bound);
    }
    if not == 1 {
        bound = match bound {
            Bound::Under | Bound::AtMost => Bound::AtLeast,
            _ => Bound::AtMost,
        };
    }
    Some((length, bound))
}

/// The comparison behind an amount, with the number of its words: `or more`.
pub(super) fn behind(tokens: &[QuestionToken], at: usize) -> Option<(usize, Bound)> {
    if tokens.get(at.checked_sub(1)?)?.is_last {
        return None;
    }
    if let Some((words, bound)) = BEHIND.iter().find(|(words, _)| says(tokens, at, words)) {
        return Some((words.split(' ').count(), *bound));
    }
    let joins = says(tokens, at, "or") || says(tokens, at, "and");
    let word = &tokens.get(at + 1).filter(|_| joins)?.lower;
    // `or more than 3` compares another amount.
    let is_alone = !says(tokens, at + 2, "than");
    let bound = comparative(word).filter(|_| is_alone)?;
    Some((2, with_the_bound(bound)))
}

fn with_the_bound(bound: Bound) -> Bound {
    match bound {
        Bound::Over => Bound::AtLeast,
        Bound::Under => Bound::AtMost,
        other => other,
    }
}

fn comparative(word: &str) -> Option<Bound> {
    if is_of(word, words!(less)) {
        return Some(Bound::Under);
    }
    let is_more = word == "more" || word.len() > 4 && word.ends_with("er");
    (is_more && !is_of(word, words!(no_amounts))).then_some(Bound::Over)
}
