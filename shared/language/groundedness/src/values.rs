//! Reads numbers with their units, and days, as values: `1,200 g` is `1.2 kg`, and `March 5, 2024` is `2024-03-05`.
//!
//! *Not* here: whether a passage has to contain a value. Nothing is calculated with values.

use crate::dates::{self, Day};
use crate::lexicon::{Kind, LEXICON};
use crate::reading::Token;
use crate::units::{self, Unit};
use std::ops::Range;
use text::{currencies, is_of, numerals};

/// By how much a rough number may be off, as a share.
const ROUGH_SHARE: f64 = 0.05;
/// By how much numbers may differ that were converted, as a share.
const CONVERTED_SHARE: f64 = 0.005;

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Amount {
    Number { number: f64, unit: Option<Unit> },
    Day(Day),
}

/// A value as it stands in a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value {
    pub(crate) amount: Amount,
    /// The tokens that write it.
    pub(crate) tokens: Range<usize>,
    /// Whether words bound it from below (1) or from above (-1).
    pub(crate) bound: i8,
    /// Whether words make it a rough one.
    pub(crate) is_rough: bool,
    /// Whether it may be no number at all: `one of them`.
    pub(crate) is_weak: bool,
}

/// How one value compares with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    Same,
    /// The same digits, and another unit.
    OtherUnit,
    Other,
}

impl Value {
    /// How `self`, which is claimed, compares with a value of a passage.
    pub(crate) fn likeness(&self, given: &Value) -> Likeness {
        match (&self.amount, &given.amount) {
            (Amount::Day(claimed), Amount::Day(given)) if claimed.is_in(given) => Likeness::Same,
            // A number of four digits may be a year, and a year a number.
            (Amount::Day(day), Amount::Number { number, unit: None })
            | (Amount::Number { number, unit: None }, Amount::Day(day))
                if day.is_year() && day.year.map(f64::from) == Some(*number) =>
            {
                Likeness::Same
            }
            (
                Amount::Number { number, unit },
                Amount::Number {
                    number: other,
                    unit: other_unit,
                },
            ) => {
                let is_rough = self.is_rough || given.is_rough;
                number_likeness((*number, *unit), (*other, *other_unit), is_rough)
            }
            _ => Likeness::Other,
        }
    }

    /// Whether both could stand in one place.
    pub(crate) fn is_alike(&self, other: &Value) -> bool {
        match (&self.amount, &other.amount) {
            (Amount::Day(one), Amount::Day(other)) => {
                one.is_year() == other.is_year() || one.is_full() || other.is_full()
            }
            (Amount::Number { unit: one, .. }, Amount::Number { unit: other, .. }) => {
                match (one, other) {
                    (Some((one, _)), Some((other, _))) => one == other,
                    _ => true,
                }
            }
            _ => false,
        }
    }
}

/// How numbers with their units compare.
fn number_likeness(
    claimed: (f64, Option<Unit>),
    given: (f64, Option<Unit>),
    is_rough: bool,
) -> Likeness {
    let is_near = |one: f64, other: f64, share: f64| {
        let share = if is_rough { ROUGH_SHARE } else { share };
        (one - other).abs() <= share * one.abs().max(other.abs())
    };
    let ((number, unit), (other, other_unit)) = (claimed, given);
    let is_same = match (unit, other_unit) {
        (Some((one, factor)), Some((dimension, other_factor))) => {
            let share = if factor == other_factor {
                1e-9
            } else {
                CONVERTED_SHARE
            };
            one == dimension && is_near(number * factor, other * other_factor, share)
        }
        _ => is_near(number, other, 1e-9),
    };
    if is_same {
        Likeness::Same
    } else if unit.is_some() && other_unit.is_some() && number == other {
        Likeness::OtherUnit
    } else {
        Likeness::Other
    }
}

/// The values of a sentence.
pub(crate) fn read(text: &str, tokens: &[Token]) -> Vec<Value> {
    let reader = Reader { text, tokens };
    let mut values = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match reader.value(at) {
            Some((length, amount, is_weak)) => {
                let tokens = at..at + length;
                values.push(Value {
                    bound: reader.bound(&tokens),
                    is_rough: reader.is_rough(at),
                    tokens,
                    amount,
                    is_weak,
                });
                at += length;
            }
            None => at += 1,
        }
    }
    values
}

/// A sentence that is read.
pub(crate) struct Reader<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Token],
}

impl<'a> Reader<'a> {
    /// A token as it is written.
    pub(crate) fn raw(&self, at: usize) -> &'a str {
        let token = self.tokens.get(at);
        token.map_or("", |token| &self.text[token.at.clone()])
    }

    /// A token in lower case.
    pub(crate) fn lower(&self, at: usize) -> &'a str {
        let token = self.tokens.get(at);
        token.map_or("", |token| &token.word.lower)
    }

    /// What stands between a token and the next one.
    pub(crate) fn gap(&self, at: usize) -> &'a str {
        match (self.tokens.get(at), self.tokens.get(at + 1)) {
            (Some(one), Some(next)) => &self.text[one.at.end..next.at.start],
            (Some(one), None) => {
                let rest = &self.text[one.at.end..];
                let end = rest.char_indices().nth(3);
                end.map_or(rest, |(end, _)| &rest[..end])
            }
            _ => "",
        }
    }

    /// What stands before a token.
    fn before(&self, at: usize) -> &'a str {
        let end = self.tokens[at].at.start;
        let start = match at.checked_sub(1) {
            Some(before) => self.tokens[before].at.end,
            None => {
                let head = &self.text[..end];
                let start = head.char_indices().rev().nth(1);
                start.map_or(0, |(start, _)| start)
            }
        };
        &self.text[start..end]
    }

    /// The value that begins at a token: how many tokens, what, and whether it may be none.
    fn value(&self, at: usize) -> Option<(usize, Amount, bool)> {
        // Most words are no values: a digit, a capital or a numeral begins one.
        let token = &self.tokens[at];
        let first = self.raw(at).as_bytes().first();
        let is_digit = first.is_some_and(u8::is_ascii_digit);
        let is_numeral = token.word.is(Kind::Numeral);
        if !is_digit && !is_numeral && !token.is_capital {
            return None;
        }
        if let Some((length, day)) = dates::read(self, at) {
            return Some((length, Amount::Day(day), false));
        }
        let spelled = || {
            if is_numeral { self.spelled(at) } else { None }
        };
        let (length, number, suffix, is_weak) = self.digits(at).or_else(spelled)?;
        let (more, number, unit) = self.unit(at, at + length, number, suffix)?;
        Some((length + more, Amount::Number { number, unit }, is_weak))
    }

    /// A number in digits: how many tokens, its value, and the letters behind the last digit.
    fn digits(&self, at: usize) -> Option<(usize, f64, &'a str, bool)> {
        let (digits, mut suffix) = split(self.raw(at))?;
        let mut written = digits.to_owned();
        let mut length = 1;
        let mut is_open = suffix.is_empty();
        while is_open && digits.len() <= 3 && self.gap(at + length - 1) == "," {
            let next = split(self.raw(at + length)).filter(|(group, _)| group.len() == 3);
            let Some((group, rest)) = next else { break };
            written.push_str(group);
            (suffix, is_open) = (rest, rest.is_empty());
            length += 1;
        }
        if is_open
            && self.gap(at + length - 1) == "."
            && let Some((fraction, rest)) = split(self.raw(at + length))
        {
            written = format!("{written}.{fraction}");
            suffix = rest;
            length += 1;
        }
        let before = self.before(at);
        let bare = before.trim_end_matches(['-', '−']);
        let is_negative = bare.len() < before.len() && bare.ends_with(char::is_whitespace);
        let number: f64 = written.parse().ok()?;
        let number = if is_negative { -number } else { number };
        Some((length, number, suffix, false))
    }

    /// A number in words: `twenty-five`, `two hundred`, `a million`.
    fn spelled(&self, at: usize) -> Option<(usize, f64, &'a str, bool)> {
        let (next, behind) = (self.lower(at + 1), self.lower(at + 2));
        let (mut number, mut length) = match self.lower(at) {
            "a" | "an" if is_of(next, words!(scales)) => (1.0, 1),
            "half" if next == "a" && numerals::scale(behind).is_some() => (0.5, 2),
            word => (numerals::small(word)?, 1),
        };
        if number >= 20.0
            && matches!(self.gap(at), " " | "-")
            && let Some(ones) = numerals::small(next)
            && (1.0..10.0).contains(&ones)
        {
            number += ones;
            length += 1;
        }
        if self.lower(at + length) == "hundred" {
            number *= 100.0;
            length += 1;
            let and = usize::from(self.lower(at + length) == "and");
            if let Some(rest) = numerals::small(self.lower(at + length + and)) {
                number += rest;
                length += 1 + and;
            }
        }
        // `one` is often no number.
        let is_weak = number < 2.0 && length == 1;
        Some((length, number, "", is_weak))
    }

    /// What stands around a number: how many more tokens, what it amounts to, and its unit. Nothing where letters
    /// behind the digits make it an identifier.
    fn unit(
        &self,
        at: usize,
        end: usize,
        number: f64,
        suffix: &'a str,
    ) -> Option<(usize, f64, Option<Unit>)> {
        let before = self.before(at).trim_end();
        let code_before = || currencies::code(self.raw(at.checked_sub(1)?));
        let mut money = match before {
            "" => code_before(),
            _ => signed(before.chars().next_back()),
        };
        let (mut number, mut unit, mut more) = (number, None, 0);
        let gap = self.gap(end - 1);
        match suffix {
            "" => {}
            "st" | "nd" | "rd" | "th" | "s" | "x" => return Some((0, number, None)),
            "b" | "B" if money.is_some() => number *= 1e9,
            "K" | "M" => number *= numerals::scale(&suffix.to_lowercase())?,
            "m" if money.is_none() => unit = units::unit(suffix),
            _ => match numerals::scale(&suffix.to_lowercase()) {
                Some(scale) => number *= scale,
                None => unit = Some(units::unit(suffix)?),
            },
        }
        if unit.is_none() && gap.trim_start().starts_with('%') {
            return Some((0, number, units::unit("%")));
        }
        if unit.is_none() && gap.trim_start().starts_with('°') {
            let unit = units::unit(&format!("°{}", self.raw(end)));
            return Some((usize::from(unit.is_some()), number, unit));
        }
        let is_near = |at: usize| matches!(self.gap(at), " " | "-" | "\u{a0}" | "  ");
        let word = self.lower(end);
        if suffix.is_empty()
            && is_near(end - 1)
            && let Some(scale) = numerals::scale(word)
            && (word.len() > 1 || money.is_some())
        {
            number *= scale;
            more = 1;
        }
        let last = end + more - 1;
        if unit.is_none() && money.is_none() && (is_near(last) || self.gap(last) == " US ") {
            let (length, code) = self.currency(last + 1).unzip();
            money = code;
            more += length.unwrap_or(0);
        }
        if let Some(code) = money {
            return Some((more, number, Some(units::money(code))));
        }
        if unit.is_none() && is_near(last) {
            let is_percent = self.lower(last + 1) == "per" && self.lower(last + 2) == "cent";
            (more, unit) = match is_percent {
                true => (more + 2, units::unit("%")),
                false => match units::unit(self.raw(last + 1)) {
                    None => (more, None),
                    unit => (more + 1, unit),
                },
            };
        }
        if unit.is_none() && !gap.starts_with(' ') {
            unit = signed(gap.chars().next_back()).map(units::money);
        }
        Some((more, number, unit))
    }

    /// A currency in words or by its code.
    fn currency(&self, at: usize) -> Option<(usize, &'static str)> {
        let is_it = |words: &str| {
            let mut said = words.split(' ').zip(at..);
            said.all(|(word, at)| self.lower(at) == word)
        };
        let token = self.tokens.get(at)?;
        let mut known = currencies::WORDS.iter();
        match known.find(|(words, _)| token.word.is(Kind::Currency) && is_it(words)) {
            Some((words, code)) => Some((words.split(' ').count(), code)),
            None => Some((1, currencies::code(self.raw(at))?)),
        }
    }

    /// Whether words before or behind a value bound it.
    fn bound(&self, value: &Range<usize>) -> i8 {
        let mut end = value.start;
        while end > 0 && is_of(self.lower(end - 1), words!(before_value)) {
            end -= 1;
        }
        let back = |back: usize| end.checked_sub(back).map_or("", |at| self.lower(at));
        let (joins, behind) = (self.lower(value.end), self.lower(value.end + 1));
        match LEXICON.bound(back) {
            0 if !matches!(joins, "or" | "and") => 0,
            0 if is_of(behind, words!(or_more)) => 1,
            0 if is_of(behind, words!(or_less)) => -1,
            side => side,
        }
    }

    fn is_rough(&self, at: usize) -> bool {
        let mut before = self.tokens[at.saturating_sub(2)..at].iter();
        before.any(|token| token.word.is(Kind::Rough))
    }
}

/// The currency of a sign.
fn signed(sign: Option<char>) -> Option<&'static str> {
    currencies::of_sign(sign?)
}

/// The digits that a run begins with, and the letters behind them; nothing where more digits follow.
pub(crate) fn split(run: &str) -> Option<(&str, &str)> {
    let length = run.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, suffix) = run.split_at(length);
    let is_number = (1..=15).contains(&length) && !suffix.contains(|c: char| c.is_ascii_digit());
    is_number.then_some((digits, suffix))
}
