//! Finds where a question names the owner, the source or the things that it is about: `from Acme`, `except Bolt and
//! Crane`.

use super::condition::{Comparator, ConditionValue, Read, joined};
use super::words::QuestionWord;
use crate::stop;

/// Most words of one name.
const NAME_WORDS_MAX: usize = 5;
/// Most names of one list.
const NAMES_MAX: usize = 8;

/// Names behind a word of origin, or behind a negation.
pub(super) fn named(words: &[QuestionWord<'_>], is_negated: bool) -> Option<Read> {
    let cue = usize::from(words.first()?.is(words!(named_of)));
    if cue == 0 && !is_negated {
        return None;
    }
    let article = usize::from(words.get(cue).is_some_and(|word| word.word == "the"));
    let mut at = cue + article;
    let mut names = Vec::new();
    while names.len() < NAMES_MAX {
        let length = name(&words[at..]);
        if length == 0 {
            break;
        }
        names.push(joined(&words[at..at + length]));
        at += length;
        let Some(next) = another(words, at) else {
            break;
        };
        at = next;
    }
    // `of the Delta pump` is about a pump.
    let modifies =
        |next: &QuestionWord<'_>| !next.is_capital() && !stop::is_content_free(&next.word);
    if article > 0 && !words[at - 1].closes() && words.get(at).is_some_and(modifies) {
        return None;
    }
    let (comparator, value) = match names.len() {
        0 => return None,
        1 => (Comparator::Eq, ConditionValue::Text(names.remove(0))),
        _ => (Comparator::In, ConditionValue::Several(names)),
    };
    Some(Read {
        length: at,
        says: vec![(comparator, value)],
    })
}

/// Where the next name of a list begins.
fn another(words: &[QuestionWord<'_>], at: usize) -> Option<usize> {
    let joins = words.get(at).is_some_and(|word| word.is("and or"));
    let comma = words[at - 1].raw.ends_with(',');
    let next = at + usize::from(joins);
    let names = words.get(next).is_some_and(is_name);
    ((joins || comma) && names).then_some(next)
}

/// How many words, from the first on, are one name.
fn name(words: &[QuestionWord<'_>]) -> usize {
    let mut length = 0;
    for (at, word) in words.iter().enumerate().take(NAME_WORDS_MAX) {
        let goes_on = || {
            let inside = word.is(words!(inside)) || word.raw == "&";
            inside && words.get(at + 1).is_some_and(is_name)
        };
        if !(is_name(word) || at > 0 && goes_on()) {
            break;
        }
        if is_name(word) {
            length = at + 1;
        }
        if word.closes() || word.raw.ends_with("'s") || word.raw.ends_with("’s") {
            break;
        }
    }
    length
}

/// Whether it is written like a name: a capital, and no time.
fn is_name(word: &QuestionWord<'_>) -> bool {
    word.is_capital() && !word.is_time() && !word.is_asking() && word.word != "i"
}
