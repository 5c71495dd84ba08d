//! Parses words of comparison before and behind an amount. Pure.
//!
//! Comparatives are recognised by their form: a word in `-er` before `than` means more, unless it is a word for less.
//! Words that compare days are left out.

use super::Bound;
use crate::is_of;
use crate::lists::{Phrases, is_of_either};
use crate::token::{QuestionToken, TokenWords};
use std::sync::LazyLock;

static BEFORE: LazyLock<Phrases<Bound>> = LazyLock::new(|| {
    Phrases::of([
        (both!(bound_at_least), Bound::AtLeast),
        (both!(bound_at_most), Bound::AtMost),
        (both!(bound_over), Bound::Over),
        (both!(bound_under), Bound::Under),
        (both!(bound_exactly), Bound::Exactly),
    ])
});
static BEHIND: LazyLock<Phrases<Bound>> = LazyLock::new(|| {
    Phrases::of([
        (both!(behind_at_least), Bound::AtLeast),
        (both!(behind_at_most), Bound::AtMost),
    ])
});

/// The comparison before an amount, with the number of its words: `not more than`, `exceeding`.
pub(super) fn before(tokens: &[QuestionToken], at: usize) -> Option<(usize, Bound)> {
    if let Some(found) = BEFORE.at(|place| tokens.word(at + place)) {
        return Some(found);
    }
    let not = usize::from(is_of_either(tokens.word(at), both!(not)));
    let mut bound = comparative(tokens.word(at + not))?;
    let than = at + not + 1;
    let is_equal = tokens.says(than, "than or equal to");
    is_of_either(tokens.word(than), both!(than)).then_some(())?;
    if is_equal {
        bound = with_the_bound(bound);
    }
    if not == 1 {
        bound = match bound {
            Bound::Under | Bound::AtMost => Bound::AtLeast,
            _ => Bound::AtMost,
        };
    }
    Some((not + if is_equal { 5 } else { 2 }, bound))
}

/// The comparison behind an amount, with the number of its words: `or more`.
pub(super) fn behind(tokens: &[QuestionToken], at: usize) -> Option<(usize, Bound)> {
    if tokens.get(at.checked_sub(1)?)?.is_last {
        return None;
    }
    if let Some(found) = BEHIND.at(|place| tokens.word(at + place)) {
        return Some(found);
    }
    // `or more than 3` compares another amount.
    let is_alone = tokens.is(at, "or and") && tokens.word(at + 2) != "than";
    let bound = comparative(tokens.word(at + 1)).filter(|_| is_alone)?;
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
