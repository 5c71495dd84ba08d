//! The words, codes and signs of currencies. *Not* here: how an amount is parsed; the forms differ by use.

use crate::token::{QuestionToken, TokenWords};
use std::cmp::Reverse;
use std::sync::LazyLock;

/// English words for currencies with their ISO codes, in lower case. Longest first.
pub static WORDS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| named(words!(currencies)));
/// The same in German.
static GERMAN: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| named(both!(currencies)[1]));

/// The phrases of a list whose lines begin with an ISO code.
fn named(list: &'static str) -> Vec<(&'static str, &'static str)> {
    let lines = list.lines().filter_map(|line| line.trim().split_once(' '));
    let phrases =
        lines.flat_map(|(code, words)| words.split(',').map(move |one| (one.trim(), code)));
    let mut all: Vec<_> = phrases.filter(|(words, _)| !words.is_empty()).collect();
    all.sort_by_key(|(words, _)| Reverse(words.split(' ').count()));
    all
}

/// ISO codes that are written before or after an amount.
pub const CODES: [&str; 16] = [
    "USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD", "PLN", "SEK", "NOK", "DKK", "INR", "CNY",
    "HUF", "CZK", "NZD",
];

/// Signs with the ISO code that they mostly stand for.
pub const SIGNS: [(char, &str); 5] = [
    ('$', "USD"),
    ('€', "EUR"),
    ('£', "GBP"),
    ('¥', "JPY"),
    ('₹', "INR"),
];

/// The ISO code that a word is, in capital or in small letters, but not with only its first letter in capitals, as at
/// the beginning of a sentence.
pub fn code(word: &str) -> Option<&'static str> {
    let is_of_one = |is_case: fn(&u8) -> bool| word.bytes().all(|byte| is_case(&byte));
    let is_one_case = is_of_one(u8::is_ascii_uppercase) || is_of_one(u8::is_ascii_lowercase);
    if word.len() != 3 || !is_one_case {
        return None;
    }
    CODES
        .into_iter()
        .find(|code| code.eq_ignore_ascii_case(word))
}

/// The ISO code that a sign mostly stands for.
pub fn of_sign(sign: char) -> Option<&'static str> {
    let known = SIGNS.iter().find(|(known, _)| *known == sign);
    known.map(|(_, code)| *code)
}

/// The ISO codes of currencies.
pub fn codes() -> impl Iterator<Item = &'static str> {
    CODES.into_iter()
}

/// The currency at token `at`, with the number of tokens that it takes.
pub fn currency(tokens: &[QuestionToken], at: usize) -> Option<(usize, &'static str)> {
    let named = WORDS
        .iter()
        .chain(&*GERMAN)
        .find(|(words, _)| tokens.says(at, words));
    if let Some((words, code)) = named {
        return Some((words.split(' ').count(), code));
    }
    Some((1, sign_or_code(&tokens.get(at)?.text)?))
}

/// The currency that a unit, in lower case, names by its code or its sign and by nothing else: `eur`, `€`, `us$`.
pub fn of_unit(unit: &str) -> Option<&'static str> {
    sign_or_code(if unit == "us$" { "$" } else { unit })
}

fn sign_or_code(text: &str) -> Option<&'static str> {
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(sign), None) => of_sign(sign),
        _ => code(text),
    }
}

/// The currency glued to a number, if there is one, and the number without it: `$5`, `5€`, `EUR5`, `US$5`.
pub(crate) fn stripped(text: &str) -> (Option<&'static str>, &str) {
    for (sign, code) in SIGNS {
        if let Some((before, number)) = text.split_once(sign) {
            let is_before = before.chars().all(char::is_alphabetic) && !number.is_empty();
            return (Some(code), if is_before { number } else { before });
        }
    }
    let number = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = text.len() - number.len();
    match code(&text[..letters]) {
        Some(code) if letters < text.len() => (Some(code), &text[letters..]),
        _ => (None, text),
    }
}
