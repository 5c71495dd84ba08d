//! Currencies by their words, codes and signs. Pure.

use super::says;
use crate::token::QuestionToken;

/// Words for currencies, in lower case. Longest first.
const WORDS: [(&str, &str); 31] = [
    ("us dollars", "USD"),
    ("us dollar", "USD"),
    ("u.s dollars", "USD"),
    ("american dollars", "USD"),
    ("pounds sterling", "GBP"),
    ("british pounds", "GBP"),
    ("swiss francs", "CHF"),
    ("japanese yen", "JPY"),
    ("canadian dollars", "CAD"),
    ("australian dollars", "AUD"),
    ("dollars", "USD"),
    ("dollar", "USD"),
    ("bucks", "USD"),
    ("euros", "EUR"),
    ("euro", "EUR"),
    ("pounds", "GBP"),
    ("pound", "GBP"),
    ("sterling", "GBP"),
    ("quid", "GBP"),
    ("francs", "CHF"),
    ("yen", "JPY"),
    ("zloty", "PLN"),
    ("zlotys", "PLN"),
    ("kronor", "SEK"),
    ("kroner", "NOK"),
    ("rupees", "INR"),
    ("renminbi", "CNY"),
    ("yuan", "CNY"),
    ("forints", "HUF"),
    ("forint", "HUF"),
    ("koruna", "CZK"),
];

/// Codes of currencies that stand before or behind an amount.
pub(crate) const CODES: [&str; 16] = [
    "USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD", "PLN", "SEK", "NOK", "DKK", "INR", "CNY",
    "HUF", "CZK", "NZD",
];

const SIGNS: [(char, &str); 5] = [
    ('$', "USD"),
    ('€', "EUR"),
    ('£', "GBP"),
    ('¥', "JPY"),
    ('₹', "INR"),
];

/// The currency that a word or two at token `at` name, and how many.
pub fn currency(tokens: &[QuestionToken], at: usize) -> Option<(usize, &'static str)> {
    let named = WORDS.iter().find(|(words, _)| says(tokens, at, words));
    if let Some((words, code)) = named {
        return Some((words.split(' ').count(), code));
    }
    let text = &tokens.get(at)?.text;
    let sign = SIGNS.iter().find(|(sign, _)| text.chars().eq([*sign]));
    let code = sign.map(|(_, code)| *code).or_else(|| code(text))?;
    Some((1, code))
}

/// A number without what is glued to it: `$5`, `5€`, `EUR5`, `US$5`; and the currency that this was.
pub(super) fn stripped(text: &str) -> (Option<&'static str>, &str) {
    for (sign, code) in SIGNS {
        if let Some((before, number)) = text.split_once(sign) {
            let is_before = before.chars().all(char::is_alphabetic) && !number.is_empty();
            return match is_before {
                true => (Some(code), number),
                false => (Some(code), before),
            };
        }
    }
    let letters = text.len()
        - text
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .len();
    match code(&text[..letters]) {
        Some(code) if letters < text.len() => (Some(code), &text[letters..]),
        _ => (None, text),
    }
}

/// A code in capitals or in small letters, but not as a word begins a sentence.
pub(super) fn code(word: &str) -> Option<&'static str> {
    let is_one_case = word == word.to_uppercase() || word == word.to_lowercase();
    let upper = word.to_uppercase();
    CODES.into_iter().find(|code| is_one_case && *code == upper)
}
