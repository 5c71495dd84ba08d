//! Finds where a question bounds a number: `over $1k`, `at least 30 %`, `between 5 and 10 V`.

use super::condition::{Comparator, ConditionValue, Read};
use super::words::QuestionWord;

/// One word that bounds.
const BOUNDS: [(&str, Comparator); 18] = [
    ("<", Comparator::Lt),
    ("<=", Comparator::Lte),
    ("=", Comparator::Eq),
    (">", Comparator::Gt),
    (">=", Comparator::Gte),
    ("above", Comparator::Gt),
    ("below", Comparator::Lt),
    ("beyond", Comparator::Gt),
    ("exactly", Comparator::Eq),
    ("exceed", Comparator::Gt),
    ("exceeding", Comparator::Gt),
    ("exceeds", Comparator::Gt),
    ("max", Comparator::Lte),
    ("min", Comparator::Gte),
    ("over", Comparator::Gt),
    ("under", Comparator::Lt),
    ("≤", Comparator::Lte),
    ("≥", Comparator::Gte),
];
/// Two that do.
const BOUND_PAIRS: [(&str, &str, Comparator); 15] = [
    ("at", "least", Comparator::Gte),
    ("at", "most", Comparator::Lte),
    ("bigger", "than", Comparator::Gt),
    ("equal", "to", Comparator::Eq),
    ("fewer", "than", Comparator::Lt),
    ("greater", "than", Comparator::Gt),
    ("higher", "than", Comparator::Gt),
    ("larger", "than", Comparator::Gt),
    ("less", "than", Comparator::Lt),
    ("longer", "than", Comparator::Gt),
    ("lower", "than", Comparator::Lt),
    ("more", "than", Comparator::Gt),
    ("shorter", "than", Comparator::Lt),
    ("smaller", "than", Comparator::Lt),
    ("up", "to", Comparator::Lte),
];
/// Words that may stand at a number and say what it counts.
const CURRENCIES: &str = "$ chf dollars eur euro euros gbp pounds usd € £";

/// A bounded number here, if there is one.
pub(super) fn compared(words: &[QuestionWord<'_>]) -> Option<Read> {
    let word = |at: usize| words.get(at).map_or("", |word| word.word.as_str());
    if word(0) == "between" {
        return between(words);
    }
    // `no more than` is at most.
    let denied = usize::from(matches!(word(0), "no" | "not"));
    let pair = BOUND_PAIRS
        .iter()
        .find(|(a, b, _)| word(denied) == *a && word(denied + 1) == *b);
    let (comparator, cue) = match pair {
        Some((_, _, comparator)) => (denied_bound(*comparator, denied > 0), denied + 2),
        None if denied > 0 => return None,
        None => {
            let bound = BOUNDS.iter().find(|(cue, _)| *cue == word(0))?;
            (bound.1, 1)
        }
    };
    let (number, length) = amount(&words[cue..])?;
    Some(Read {
        length: cue + length,
        says: vec![(comparator, ConditionValue::Number(number))],
    })
}

fn denied_bound(bound: Comparator, is_denied: bool) -> Comparator {
    match (bound, is_denied) {
        (Comparator::Gt, true) => Comparator::Lte,
        (Comparator::Lt, true) => Comparator::Gte,
        (bound, _) => bound,
    }
}

fn between(words: &[QuestionWord<'_>]) -> Option<Read> {
    // A year among them is a time, and so are two.
    let is_time = |at: usize| words.get(at).is_some_and(QuestionWord::is_time);
    let (low, first) = amount(&words[1..]).filter(|_| !is_time(1))?;
    words.get(1 + first).filter(|word| word.word == "and")?;
    let (high, second) = amount(&words[2 + first..])?;
    Some(Read {
        length: 2 + first + second,
        says: vec![
            (Comparator::Gte, ConditionValue::Number(low)),
            (Comparator::Lte, ConditionValue::Number(high)),
        ],
    })
}

/// A number with its currency, and how many words it takes.
fn amount(words: &[QuestionWord<'_>]) -> Option<(f64, usize)> {
    let is_currency = |at: usize| words.get(at).is_some_and(|word| word.is(CURRENCIES));
    let before = usize::from(is_currency(0));
    let word = words.get(before)?;
    let mut number = read(&word.word)?;
    let mut length = before + 1;
    let ends = |at: usize| words.get(at).is_none_or(QuestionWord::closes);
    if !word.closes()
        && let Some(times) = words.get(length).and_then(|next| scale(&next.word))
    {
        number *= times;
        length += 1;
    }
    if before == 0 && !ends(length - 1) && is_currency(length) {
        length += 1;
    }
    Some((number, length))
}

/// `1,000`, `$1.5k`, `30%`.
fn read(word: &str) -> Option<f64> {
    let bare = word.trim_matches(|c: char| matches!(c, '$' | '€' | '£' | '%'));
    let digits = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let times = match &bare[digits.len()..] {
        "" => 1.0,
        "k" => 1e3,
        "m" | "mn" => 1e6,
        "bn" => 1e9,
        _ => return None,
    };
    let number: f64 = digits.replace([',', '\'', '_'], "").parse().ok()?;
    (number.is_finite() && digits.starts_with(|c: char| c.is_ascii_digit()))
        .then_some(number * times)
}

fn scale(word: &str) -> Option<f64> {
    Some(match word {
        "thousand" => 1e3,
        "million" => 1e6,
        "billion" => 1e9,
        _ => return None,
    })
}
