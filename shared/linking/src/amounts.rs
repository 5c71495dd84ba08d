//! Amounts that a question names: `over $1,100`, `between 300 and 850 euros`, `at least 1.2 V`. Pure.
//!
//! A number alone is no amount: it takes a word of comparison before it. *Not* decided here: which column is meant.

use crate::token::QuestionToken;

/// How an amount is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Greater.
    Over,
    /// Greater or equal.
    AtLeast,
    /// Less.
    Under,
    /// Less or equal.
    AtMost,
    /// Equal.
    Exactly,
}

/// An amount as it stands in a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// Both bounds of `between`, else one.
    pub bounds: Vec<(Bound, f64)>,
    /// The ISO code of its currency, if one was named.
    pub currency: Option<&'static str>,
    /// The word behind it, in lower case, where it is a unit: `v`, `kg`, `days`.
    pub unit: Option<String>,
}

/// Words before an amount. Longest first.
const BOUNDS: [(&str, Bound); 43] = [
    ("not exceeding", Bound::AtMost),
    ("greater than or equal to", Bound::AtLeast),
    ("less than or equal to", Bound::AtMost),
    ("equal to or above", Bound::AtLeast),
    ("not more than", Bound::AtMost),
    ("no more than", Bound::AtMost),
    ("not less than", Bound::AtLeast),
    ("no less than", Bound::AtLeast),
    ("in excess of", Bound::Over),
    ("a minimum of", Bound::AtLeast),
    ("a maximum of", Bound::AtMost),
    ("more than", Bound::Over),
    ("greater than", Bound::Over),
    ("higher than", Bound::Over),
    ("larger than", Bound::Over),
    ("bigger than", Bound::Over),
    ("less than", Bound::Under),
    ("lower than", Bound::Under),
    ("smaller than", Bound::Under),
    ("fewer than", Bound::Under),
    ("at least", Bound::AtLeast),
    ("at most", Bound::AtMost),
    ("up to", Bound::AtMost),
    ("upwards of", Bound::AtLeast),
    ("north of", Bound::Over),
    ("south of", Bound::Under),
    ("cheaper than", Bound::Under),
    ("as much as", Bound::AtMost),
    ("minimum of", Bound::AtLeast),
    ("maximum of", Bound::AtMost),
    ("starting at", Bound::AtLeast),
    ("exceeding", Bound::Over),
    ("exceed", Bound::Over),
    ("exceeds", Bound::Over),
    ("surpassing", Bound::Over),
    ("topping", Bound::Over),
    ("beyond", Bound::Over),
    ("within", Bound::AtMost),
    ("over", Bound::Over),
    ("above", Bound::Over),
    ("under", Bound::Under),
    ("below", Bound::Under),
    ("exactly", Bound::Exactly),
];

/// Words behind an amount that say how it is compared.
const BOUNDS_BEHIND: [(&str, Bound); 16] = [
    ("or more", Bound::AtLeast),
    ("and more", Bound::AtLeast),
    ("or above", Bound::AtLeast),
    ("and above", Bound::AtLeast),
    ("or over", Bound::AtLeast),
    ("and over", Bound::AtLeast),
    ("or higher", Bound::AtLeast),
    ("and up", Bound::AtLeast),
    ("upwards", Bound::AtLeast),
    ("or less", Bound::AtMost),
    ("and less", Bound::AtMost),
    ("or below", Bound::AtMost),
    ("and below", Bound::AtMost),
    ("or under", Bound::AtMost),
    ("or lower", Bound::AtMost),
    ("or fewer", Bound::AtMost),
];

/// Words for currencies, in lower case.
const CURRENCIES: [(&str, &str); 27] = [
    ("us dollars", "USD"),
    ("us dollar", "USD"),
    ("u.s dollars", "USD"),
    ("pounds sterling", "GBP"),
    ("british pounds", "GBP"),
    ("swiss francs", "CHF"),
    ("japanese yen", "JPY"),
    ("canadian dollars", "CAD"),
    ("australian dollars", "AUD"),
    ("dollars", "USD"),
    ("dollar", "USD"),
    ("euros", "EUR"),
    ("euro", "EUR"),
    ("pounds", "GBP"),
    ("pound", "GBP"),
    ("sterling", "GBP"),
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
    ("koruna", "CZK"),
];

/// Codes of currencies that stand before or behind an amount.
const CODES: [&str; 16] = [
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

/// The amount with its comparison that begins at token `at`, and how many tokens name it.
pub fn read(tokens: &[QuestionToken], at: usize) -> Option<(usize, Amount)> {
    between(tokens, at)
        .or_else(|| compared(tokens, at))
        .or_else(|| compared_behind(tokens, at))
}

/// The currency that a word or two at token `at` name, and how many.
pub fn currency(tokens: &[QuestionToken], at: usize) -> Option<(usize, &'static str)> {
    let named = CURRENCIES.iter().find(|(words, _)| says(tokens, at, words));
    if let Some((words, code)) = named {
        return Some((words.split(' ').count(), code));
    }
    code(&tokens.get(at)?.text).map(|code| (1, code))
}

fn between(tokens: &[QuestionToken], at: usize) -> Option<(usize, Amount)> {
    if !matches!(tokens.get(at)?.lower.as_str(), "between" | "from") {
        return None;
    }
    let (first, low) = number(tokens, at + 1)?;
    let join = at + 1 + first;
    if !matches!(tokens.get(join)?.lower.as_str(), "and" | "to") {
        return None;
    }
    let (second, high) = number(tokens, join + 1)?;
    let amount = Amount {
        bounds: vec![(Bound::AtLeast, low.value), (Bound::AtMost, high.value)],
        currency: high.currency.or(low.currency),
        unit: high.unit.or(low.unit),
    };
    Some((1 + first + 1 + second, amount))
}

fn compared(tokens: &[QuestionToken], at: usize) -> Option<(usize, Amount)> {
    let (words, bound) = BOUNDS.iter().find(|(words, _)| says(tokens, at, words))?;
    let skipped = words.split(' ').count();
    let (length, number) = number(tokens, at + skipped)?;
    let amount = Amount {
        bounds: vec![(*bound, number.value)],
        currency: number.currency,
        unit: number.unit,
    };
    Some((skipped + length, amount))
}

/// `5,000 or more`.
fn compared_behind(tokens: &[QuestionToken], at: usize) -> Option<(usize, Amount)> {
    let (length, number) = number(tokens, at)?;
    let mut bounds = BOUNDS_BEHIND.iter();
    let (words, bound) = bounds.find(|(words, _)| says(tokens, at + length, words))?;
    let amount = Amount {
        bounds: vec![(*bound, number.value)],
        currency: number.currency,
        unit: number.unit,
    };
    Some((length + words.split(' ').count(), amount))
}

struct Number {
    value: f64,
    currency: Option<&'static str>,
    unit: Option<String>,
}

/// A number with what stands around it: a currency before or behind, `k`, `million`, a unit.
fn number(tokens: &[QuestionToken], at: usize) -> Option<(usize, Number)> {
    let (mut next, mut currency_of) = (at, None);
    if let Some(code) = code(&tokens.get(at)?.text) {
        (next, currency_of) = (at + 1, Some(code));
    }
    let written = &tokens.get(next)?.text;
    let signed = |text: &str| {
        SIGNS
            .iter()
            .find(|(sign, _)| text.starts_with(*sign) || text.ends_with(*sign))
            .map(|(_, code)| *code)
    };
    currency_of = currency_of.or_else(|| signed(written));
    let bare = written.trim_matches(|c| SIGNS.iter().any(|(sign, _)| c == *sign));
    let (mut value, glued) = plain(bare)?;
    next += 1;
    let scale = tokens.get(next).and_then(|token| scale(&token.lower));
    if let Some(scale) = scale {
        value *= scale;
        next += 1;
    }
    let mut unit = (!glued.is_empty()).then_some(glued);
    if currency_of.is_none()
        && let Some((length, code)) = currency(tokens, next)
    {
        currency_of = Some(code);
        next += length;
    } else if unit.is_none()
        && !tokens[next - 1].is_last
        && let Some(token) = tokens.get(next).filter(|token| is_unit(&token.text))
    {
        unit = Some(token.lower.clone());
        next += 1;
    }
    let number = Number {
        value,
        currency: currency_of,
        unit,
    };
    Some((next - at, number))
}

/// `1,100`, `1.2`, `1'000`, `2k`, `3.5M`, `12kg`: the number, and what is glued to it.
fn plain(text: &str) -> Option<(f64, String)> {
    let digits =
        text.trim_end_matches(|c: char| c.is_alphabetic() || c == '%' || c == 'Ω' || c == 'µ');
    let glued = text[digits.len()..].to_lowercase();
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let clean = digits.replace([',', '\'', '’'], "");
    let value: f64 = clean
        .parse()
        .ok()
        .filter(|n: &f64| is_number && n.is_finite())?;
    Some(match scale(&glued) {
        Some(scale) => (value * scale, String::new()),
        None => (value, glued),
    })
}

fn scale(word: &str) -> Option<f64> {
    Some(match word {
        "k" | "thousand" => 1e3,
        "m" | "mn" | "million" => 1e6,
        "bn" | "billion" => 1e9,
        _ => return None,
    })
}

/// What stands behind a number and is short enough for a unit, or counts days.
fn is_unit(word: &str) -> bool {
    const SPELLED: &str = "days day weeks months years volts volt amps amp amperes ampere watts watt percent hours \
        ohms metres meters grams kilograms tonnes degrees hertz";
    const SHORT: &str =
        "V mV kV A mA µA uA W mW kW Hz kHz MHz GHz kg g mg t m mm cm km l ml °C K % Ω kΩ MB GB";
    SPELLED
        .split_ascii_whitespace()
        .any(|unit| unit == word.to_lowercase())
        || SHORT.split_ascii_whitespace().any(|unit| unit == word)
}

fn code(word: &str) -> Option<&'static str> {
    CODES.into_iter().find(|code| *code == word)
}

fn says(tokens: &[QuestionToken], at: usize, words: &str) -> bool {
    let mut said = words.split(' ').enumerate();
    said.all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.lower == word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;
    use proptest::prelude::*;

    fn first(text: &str) -> Option<String> {
        let tokens = tokens(text);
        let (length, amount) = (0..tokens.len()).find_map(|at| read(&tokens, at))?;
        let bounds: Vec<String> = amount
            .bounds
            .iter()
            .map(|(bound, value)| format!("{bound:?} {value}"))
            .collect();
        let currency = amount.currency.unwrap_or_default();
        let unit = amount.unit.unwrap_or_default();
        Some(format!("{} {currency}{unit} ({length})", bounds.join(", ")))
    }

    #[test]
    fn amounts_as_people_write_them() {
        for (text, wanted) in [
            ("over GBP 290 from Acme", "Over 290 GBP (3)"),
            ("of at least 2,700?", "AtLeast 2700  (3)"),
            ("under $1,100", "Under 1100 USD (2)"),
            ("above €1,600.50", "Over 1600.5 EUR (2)"),
            ("rated above 1.2 V", "Over 1.2 v (3)"),
            (
                "between $620 and $1,700",
                "AtLeast 620, AtMost 1700 USD (4)",
            ),
            (
                "between 300 US dollars and 850 US dollars",
                "AtLeast 300, AtMost 850 USD (8)",
            ),
            (
                "between GBP 31,000 and GBP 91,000",
                "AtLeast 31000, AtMost 91000 GBP (6)",
            ),
            ("more than 2k", "Over 2000  (3)"),
            ("at most 1.5 million euros", "AtMost 1500000 EUR (5)"),
            ("no more than 30 days", "AtMost 30 days (5)"),
            ("at least 12kg", "AtLeast 12 kg (3)"),
            ("5,000 euros or more", "AtLeast 5000 EUR (4)"),
            ("not exceeding £20", "AtMost 20 GBP (3)"),
        ] {
            assert_eq!(first(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "30 days",
            "over the moon",
            "between us and them",
            "under control",
            "over 12-4-7",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_nothing_panics(text in "((over|between|and|at least|[$€0-9,.k]{1,8}|USD|pounds|\\PC{0,5}) ){0,9}") {
            let tokens = tokens(&text);
            for at in 0..=tokens.len() {
                if let Some((length, amount)) = read(&tokens, at) {
                    prop_assert!(at + length <= tokens.len());
                    prop_assert!(amount.bounds.iter().all(|(_, value)| value.is_finite()));
                }
            }
        }
    }
}
