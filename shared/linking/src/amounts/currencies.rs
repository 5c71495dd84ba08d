//! Finds the currency that words of a question name. Pure.

use super::says;
use crate::token::QuestionToken;
use text::currencies::{SIGNS, WORDS, code};

/// The currency at token `at`, with the number of tokens that it takes.
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

/// The currency that a unit, in lower case, names by its code or its sign and by nothing else: `eur`, `€`, `us$`.
pub(crate) fn of_unit(unit: &str) -> Option<&'static str> {
    let unit = unit
        .strip_prefix("us")
        .filter(|rest| *rest == "$")
        .unwrap_or(unit);
    let sign = SIGNS.iter().find(|(sign, _)| unit.chars().eq([*sign]));
    sign.map(|(_, code)| *code).or_else(|| code(unit))
}

/// The currency glued to a number, if there is one, and the number without it: `$5`, `5€`, `EUR5`, `US$5`.
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
