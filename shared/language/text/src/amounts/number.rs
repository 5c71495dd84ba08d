//! Parses a number with the words around it: a currency before or behind it, `k`, `million`, a unit. Pure.

use crate::currencies::{self, currency};
use crate::is_of;
use crate::lists::is_of_either;
use crate::numerals::{scale, small};
use crate::token::{QuestionToken, TokenWords};

/// A number as it stands in a question.
pub(super) struct Number {
    pub(super) value: f64,
    pub(super) currency: Option<&'static str>,
    pub(super) unit: Option<String>,
    /// The factor of a word such as `million`.
    pub(super) scale: Option<f64>,
    /// Whether a plus sign follows: `5,000+`.
    pub(super) is_plus: bool,
    /// Whether it is written in digits alone.
    pub(super) is_bare: bool,
}

/// The number at token `at`, with the number of tokens that it takes.
pub(super) fn number(tokens: &[QuestionToken], at: usize) -> Option<(usize, Number)> {
    let (mut next, mut currency_of) = (at, None);
    if let Some((length, code)) = currency(tokens, at) {
        (next, currency_of) = (at + length, Some(code));
    }
    let token = tokens.get(next)?;
    let (glued_currency, bare) = currencies::stripped(&token.text);
    currency_of = currency_of.or(glued_currency);
    let written = Written::of(bare).or_else(|| spelled(tokens, next))?;
    next += written.tokens;
    next += written.groups_behind(tokens, next);
    let scale = tokens.get(next).and_then(|token| scale(&token.lower));
    let scale = scale.filter(|_| written.scale.is_none() && written.glued.is_empty());
    next += usize::from(scale.is_some());
    let mut unit = (!written.glued.is_empty()).then(|| written.glued.to_lowercase());
    // `87 in euros` is one amount, but `from 2021 to 2023 in euros` names years.
    let is_year = written.digits.len() == 4
        && (written.digits.starts_with("19") || written.digits.starts_with("20"));
    let is_in = !is_year
        && tokens.get(next).is_some_and(|token| token.lower == "in")
        && !tokens[next - 1].is_last;
    let at_currency = next + usize::from(is_in);
    if let Some((length, code)) = currency(tokens, at_currency).filter(|_| currency_of.is_none()) {
        currency_of = Some(code);
        next = at_currency + length;
    } else if let Some((length, code)) = currency(tokens, next)
        && currency_of == Some(code)
    {
        // `$690 USD`
        next += length;
    } else if unit.is_none()
        && !tokens[next - 1].is_last
        && let Some(token) = tokens.get(next).filter(|token| is_unit(&token.text))
    {
        unit = Some(token.lower.clone());
        next += 1;
    }
    let scale = scale.or(written.scale);
    let grouped = written.groups(tokens, at, next);
    let value = value_of(&grouped, currency_of.is_some())? * scale.unwrap_or(1.0);
    let number = Number {
        value,
        currency: currency_of,
        unit,
        scale,
        is_plus: written.is_plus,
        is_bare: token.text.bytes().all(|byte| byte.is_ascii_digit()),
    };
    value.is_finite().then_some((next - at, number))
}

/// A number before it is known whether it is an amount of money, which decides what a point in it means.
struct Written {
    digits: String,
    glued: String,
    scale: Option<f64>,
    is_plus: bool,
    tokens: usize,
}

impl Written {
    /// A number in digits: `1,100`, `1.2`, `1'000`, `2k`, `3.5M`, `12kg`, `5,000+`.
    fn of(text: &str) -> Option<Written> {
        let bare = text.strip_suffix('+').unwrap_or(text);
        let digits =
            bare.trim_end_matches(|c: char| c.is_alphabetic() || c == '%' || c == 'Ω' || c == 'µ');
        let glued = &bare[digits.len()..];
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        is_number.then_some(())?;
        let scale = scale(&glued.to_lowercase());
        Some(Written {
            digits: digits.to_owned(),
            glued: scale.map_or(glued, |_| "").to_owned(),
            scale,
            is_plus: bare.len() < text.len(),
            tokens: 1,
        })
    }

    /// The number of tokens behind it that are further groups of three digits: `12 000`.
    fn groups_behind(&self, tokens: &[QuestionToken], next: usize) -> usize {
        let is_open = self.glued.is_empty() && self.scale.is_none() && self.tokens == 1;
        let is_first = (1..=3).contains(&self.digits.len())
            && self.digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_group = |token: &&QuestionToken| {
            token.text.len() == 3 && token.text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let behind = tokens.get(next..).unwrap_or_default();
        let groups = behind.iter().take_while(is_group).count();
        let is_whole = !tokens[next - 1].is_last;
        if is_open && is_first && is_whole {
            groups
        } else {
            0
        }
    }

    /// All digits, with those of further groups.
    fn groups(&self, tokens: &[QuestionToken], at: usize, end: usize) -> String {
        let mut digits = self.digits.clone();
        let first = (at..end).find(|place| tokens[*place].text.contains(self.digits.as_str()));
        if let Some(first) = first {
            for token in &tokens[first + 1..first + 1 + self.groups_behind(tokens, first + 1)] {
                digits.push_str(&token.text);
            }
        }
        digits
    }
}

/// The value of digits with their separators. In an amount of money, a point before three digits separates thousands.
fn value_of(digits: &str, is_money: bool) -> Option<f64> {
    let digits = digits.replace(['\'', '’'], "");
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => (-1.0, rest.to_owned()),
        None => (1.0, digits),
    };
    let are_groups = |mark: char| {
        let mut groups = digits.split(mark);
        let first = groups.next().map_or(0, str::len);
        (1..=3).contains(&first) && groups.all(|group| group.len() == 3)
    };
    let plain = match (digits.rfind(','), digits.rfind('.')) {
        (Some(comma), Some(point)) if comma > point => digits.replace('.', "").replace(',', "."),
        (Some(_), Some(_)) => digits.replace(',', ""),
        (Some(_), None) if are_groups(',') => digits.replace(',', ""),
        (Some(_), None) => digits.replace(',', "."),
        (None, Some(_)) if are_groups('.') && (is_money || digits.matches('.').count() > 1) => {
            digits.replace('.', "")
        }
        _ => digits.clone(),
    };
    let value: f64 = plain.parse().ok()?;
    value.is_finite().then_some(sign * value)
}

/// A number in words: `two thousand`, `a million`, `twenty-five`, `half a million`.
fn spelled(tokens: &[QuestionToken], at: usize) -> Option<Written> {
    let written = |value: f64, tokens| Written {
        digits: value.to_string(),
        glued: String::new(),
        scale: None,
        is_plus: false,
        tokens,
    };
    if tokens.says(at, "half a million") {
        return Some(written(5e5, 3));
    }
    let (mut total, mut group, mut length) = (0.0, 0.0, 0);
    while let Some(token) = tokens.get(at + length) {
        let word = token.lower.as_str();
        let is_before_scale = || {
            let next = tokens.get(at + length + 1);
            next.is_some_and(|next| next.lower == "hundred" || long_scale(&next.lower).is_some())
        };
        if let Some(value) = small(word) {
            group += value;
        } else if matches!(word, "a" | "an") && is_before_scale() {
            group += 1.0;
        } else if word == "hundred" && length > 0 {
            group *= 100.0;
        } else if let Some(scale) = long_scale(word).filter(|_| length > 0) {
            total += group * scale;
            group = 0.0;
        } else {
            break;
        }
        length += 1;
        if token.is_last {
            break;
        }
    }
    (length > 0).then(|| written(total + group, length))
}

fn long_scale(word: &str) -> Option<f64> {
    scale(word).filter(|_| word.len() > 3)
}

/// Whether a word is a known unit, in its short form or spelt out.
fn is_unit(word: &str) -> bool {
    is_of(word, words!(units_short)) || is_of_either(&word.to_lowercase(), both!(units))
}
