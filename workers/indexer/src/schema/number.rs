//! Reads numbers as people write them: `1.234,50 EUR`, `$1,203`, `-856.00`, `10 368`. Pure.
//!
//! A number is a word of its own: `HV2N4410`, `4500-1987` and `29/03/2024` contain none. If a number has only one
//! separator, a dot is read as the decimal point, and a comma before three digits as a separator of thousands; a
//! column can override this with [`Decimal`]. *Not* arithmetic: no exponents, no fractions.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use std::ops::Range;

/// Most digits: more are a code.
const DIGITS_MAX: usize = 15;
/// Longest unit around a number, in characters.
const UNIT_CHARS_MAX: usize = 16;

/// The decimal separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decimal {
    /// `1,234.50`
    #[serde(rename = ".")]
    Point,
    /// `1.234,50`
    #[serde(rename = ",")]
    Comma,
}

/// A number in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) value: f64,
    /// The currency beside the number.
    pub(super) currency: Option<&'static str>,
}

/// Codes, and signs with their codes.
const CURRENCIES: [&str; 14] = [
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "CZK",
    "HUF",
];
const SIGNS: [(char, &str); 4] = [('€', "EUR"), ('$', "USD"), ('£', "GBP"), ('¥', "JPY")];

/// The code of a currency that is written as a code or as a sign.
pub(super) fn currency(word: &str) -> Option<&'static str> {
    let sign = SIGNS
        .iter()
        .find(|(sign, _)| word.trim() == sign.to_string());
    let code = || {
        CURRENCIES
            .iter()
            .find(|code| word.trim().eq_ignore_ascii_case(code))
    };
    sign.map(|(_, code)| *code).or_else(|| code().copied())
}

/// The numbers in a text, in its order.
pub(super) fn numbers(text: &str, decimal: Option<Decimal>) -> impl Iterator<Item = Found> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(skip) = text[at..].find(|c: char| c.is_ascii_digit()) {
            let start = at + skip;
            let end = start + run(&text[start..]);
            at = end;
            if let Some(found) = number(text, start..end, decimal) {
                return Some(found);
            }
        }
        None
    })
}

/// The number of a text that holds a number with its unit, and nothing else.
pub(super) fn whole(text: &str, decimal: Option<Decimal>) -> Option<Found> {
    let mut numbers = numbers(text, decimal);
    let found = numbers.next().filter(|_| numbers.next().is_none())?;
    let around = [&text[..found.range.start], &text[found.range.end..]].concat();
    let unit = |c: char| c.is_alphabetic() || c.is_whitespace() || "€$£¥%°²³/.-".contains(c);
    let fits = around.trim().chars().count() <= UNIT_CHARS_MAX && around.chars().all(unit);
    fits.then_some(found)
}

/// The number in JSON; an integer where it is whole.
pub(super) fn to_json(value: f64) -> Option<Value> {
    // Up to here every whole number has an exact double.
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}

/// How many bytes the digits and the signs between them take up.
fn run(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    let mut group = 0;
    loop {
        if digit(end) {
            (end, group) = (end + 1, group + 1);
            continue;
        }
        let sign = match bytes.get(end) {
            Some(b'.' | b',' | b'\'') if digit(end + 1) => 1,
            _ if text[end..].starts_with('’') && digit(end + 3) => 3,
            // A space only between thousands: `1 234`, not `2 14`.
            Some(b' ') if group <= 3 && (1..=3).all(|n| digit(end + n)) && !digit(end + 4) => 1,
            _ => return end,
        };
        (end, group) = (end + sign, 0);
    }
}

/// The number at `range`, unless it is part of a code, a day or a range.
fn number(text: &str, range: Range<usize>, decimal: Option<Decimal>) -> Option<Found> {
    let (mut before, after) = (&text[..range.start], &text[range.end..]);
    let mut negative = false;
    if let Some(rest) = before.strip_suffix(['-', '−', '+']) {
        negative = !before.ends_with('+');
        before = rest;
    }
    let word_before = last_word(before);
    let is_code = !word_before.is_empty() && currency(word_before).is_none();
    let mut beyond = before;
    if is_code
        || continues(after)
        || before.ends_with(['/', ':', '.', ',']) && ends_in_digit(before)
    {
        return None;
    }
    // `-€5`: the sign before the currency.
    if let Some(rest) = before
        .trim_end()
        .strip_suffix(|c| SIGNS.iter().any(|(s, _)| *s == c))
    {
        beyond = rest;
    }
    if !negative && beyond.len() < before.len() {
        negative = beyond.ends_with(['-', '−']);
    }
    let value = read(&text[range.clone()], decimal)?;
    Some(Found {
        value: if negative { -value } else { value },
        currency: beside(before, after),
        range,
    })
}

/// The letters and digits that a text ends in.
fn last_word(text: &str) -> &str {
    let end = |(at, c): (usize, char)| (!c.is_alphanumeric()).then_some(at + c.len_utf8());
    let start = text.char_indices().rev().find_map(end).unwrap_or(0);
    &text[start..]
}

fn ends_in_digit(text: &str) -> bool {
    text.trim_end_matches(['/', ':', '.', ','])
        .ends_with(|c: char| c.is_ascii_digit())
}

/// Whether the text that follows makes the number a part of something else: `2N4410`, `4500-1987`, `29/03`.
fn continues(after: &str) -> bool {
    let letters = after.trim_start_matches(char::is_alphabetic);
    let joined = after
        .strip_prefix(['-', '/', ':', '_'])
        .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    let code = letters.len() < after.len() && letters.starts_with(|c: char| c.is_ascii_digit());
    joined && !after.starts_with("/h") || code
}

/// The currency directly before or behind a number.
fn beside(before: &str, after: &str) -> Option<&'static str> {
    let before = before.trim_end();
    let last = before.chars().next_back().map(String::from);
    let first = after.trim_start().chars().next().map(String::from);
    let next = after.trim_start();
    let next = &next[..next
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(next.len())];
    let words = [
        Some(last_word(before)),
        last.as_deref(),
        Some(next),
        first.as_deref(),
    ];
    words.into_iter().flatten().find_map(currency)
}

/// The value of digits and signs.
fn read(text: &str, decimal: Option<Decimal>) -> Option<f64> {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let (dots, commas) = (text.matches('.').count(), text.matches(',').count());
    let (is_spaced, last) = (
        text.contains([' ', '\'', '’']),
        text.rfind(['.', ',']).unwrap_or(text.len()),
    );
    let point = match decimal {
        Some(Decimal::Point) => Some('.'),
        Some(Decimal::Comma) => Some(','),
        None => match (dots, commas) {
            (0, 0) => None,
            (1.., 1..) => text[last..].chars().next(),
            (1, 0) => Some('.'),
            (0, 1) if is_spaced || !is_thousands(text) => Some(','),
            _ => None,
        },
    };
    let (whole, fraction) = match point.and_then(|point| text.split_once(point)) {
        Some((whole, fraction)) => (whole, fraction),
        None => (text, ""),
    };
    let good =
        digits <= DIGITS_MAX && is_grouped(whole) && fraction.bytes().all(|b| b.is_ascii_digit());
    let plain: String = whole.chars().filter(char::is_ascii_digit).collect();
    good.then(|| format!("{plain}.{fraction}0").parse().ok())?
}

/// Whether a single comma stands before three digits, as in `5,000` but not in `0,125`.
fn is_thousands(text: &str) -> bool {
    let (whole, rest) = text.split_once(',').unwrap_or((text, ""));
    rest.len() == 3 && whole.len() <= 3 && whole != "0"
}

/// Whether these are digits alone, or groups of three between signs of one kind.
fn is_grouped(whole: &str) -> bool {
    let mut signs = whole.chars().filter(|c| !c.is_ascii_digit());
    let Some(sign) = signs.next() else {
        return !whole.is_empty();
    };
    let mut groups = whole.split(sign);
    let first = groups.next().map_or(0, str::len);
    signs.all(|other| other == sign)
        && (1..=3).contains(&first)
        && groups.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<f64> {
        numbers(text, None).map(|found| found.value).collect()
    }

    #[test]
    fn numbers_as_people_write_them() {
        for (text, value) in [
            ("1.234,50 EUR", 1234.5),
            ("EUR 1,203.00", 1203.0),
            ("EUR1,203.00", 1203.0),
            ("$1,203", 1203.0),
            ("-€5.20", -5.2),
            ("-856.00", -856.0),
            ("−3", -3.0),
            ("10 368,00", 10368.0),
            ("1'234'567.5", 1_234_567.5),
            ("1.234.567", 1_234_567.0),
            ("0,125", 0.125),
            ("1,5", 1.5),
            ("1.234", 1.234),
            ("5,- EUR", 5.0),
            ("45 V", 45.0),
            ("7.5 %", 7.5),
            ("120 km/h", 120.0),
        ] {
            let found = whole(text.trim_end_matches(",-"), None);
            let found = found.or_else(|| numbers(text, None).next());
            assert_eq!(found.map(|f| f.value), Some(value), "{text}");
        }
        let german = |text| whole(text, Some(Decimal::Comma)).map(|found| found.value);
        assert_eq!(german("1.234"), Some(1234.0));
        assert_eq!(german("1.23"), None, "no thousands");
        assert_eq!(whole("1,5", Some(Decimal::Point)).map(|f| f.value), None);
    }

    #[test]
    fn parts_of_codes_days_and_ranges_are_no_numbers() {
        for text in [
            "HV2N4410",
            "HS-30551",
            "4500-1987",
            "29/03/2024",
            "03.03.2024",
            "10:30",
            "2N4410",
            "1.2.3",
            "12345678901234567890",
            "n/a",
            "",
        ] {
            assert_eq!(all(text), [] as [f64; 0], "{text}");
        }
        assert_eq!(all("The total of CL-24-0317 is EUR 4,814.48."), [4814.48]);
        assert_eq!(all("8 drums at 428.00, 2 back"), [8.0, 428.0, 2.0]);
        assert_eq!(whole("12 or 13", None), None);
        assert_eq!(whole("a number of words, and 5 of them", None), None);
        assert_eq!(whole("(1,203.00)", None), None, "a debit or a credit");
    }

    #[test]
    fn the_currency_beside_a_number_is_seen() {
        let of = |text| numbers(text, None).next().and_then(|found| found.currency);
        assert_eq!(of("USD 1,203"), Some("USD"));
        assert_eq!(of("1.203,00 €"), Some("EUR"));
        assert_eq!(of("£5"), Some("GBP"));
        assert_eq!(of("5 m, EUR"), None);
        assert_eq!(to_json(1203.0), Some(Value::from(1203)));
        assert_eq!(to_json(0.5), Some(Value::from(0.5)));
    }
}
