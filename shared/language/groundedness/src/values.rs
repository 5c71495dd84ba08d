//! Reads numbers with their units, and days, as values: `1,200 g` is `1.2 kg`, and `March 5, 2024` is `2024-03-05`.
//!
//! *Not* here: whether a passage has to contain a value. Nothing is calculated with values.

use crate::dates::{self, Day};
use crate::lexicon::LEXICON;
use crate::reading::Token;
use crate::units::{self, Unit};
use crate::vocabulary::Vocabulary;
use std::ops::Range;
use text::{currencies, numerals};

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
                    (Some(one), Some(other)) => one.dimension == other.dimension,
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
    match (unit, other_unit) {
        (Some(unit), Some(other_unit)) if unit.dimension == other_unit.dimension => {
            let share = if unit == other_unit {
                1e-9
            } else {
                CONVERTED_SHARE
            };
            match is_near(number * unit.factor, other * other_unit.factor, share) {
                true => Likeness::Same,
                false if number == other => Likeness::OtherUnit,
                false => Likeness::Other,
            }
        }
        (Some(_), Some(_)) if number == other => Likeness::OtherUnit,
        (Some(_), Some(_)) => Likeness::Other,
        _ if is_near(number, other, 1e-9) => Likeness::Same,
        _ => Likeness::Other,
    }
}

/// The values of a sentence.
pub(crate) fn read(text: &str, tokens: &[Token], vocabulary: &Vocabulary) -> Vec<Value> {
    let reader = Reader {
        text,
        tokens,
        vocabulary,
    };
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
    vocabulary: &'a Vocabulary,
}

impl<'a> Reader<'a> {
    /// A token as it is written.
    pub(crate) fn raw(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .map_or("", |token| &self.text[token.at.clone()])
    }

    /// A token in lower case.
    pub(crate) fn lower(&self, at: usize) -> &str {
        let token = self.tokens.get(at);
        token.map_or("", |token| &self.vocabulary.word(token.word).lower)
    }

    /// What stands between a token and the next one.
    pub(crate) fn gap(&self, at: usize) -> &'a str {
        match (self.tokens.get(at), self.tokens.get(at + 1)) {
            (Some(one), Some(next)) => &self.text[one.at.end..next.at.start],
            (Some(one), None) => {
                let rest = &self.text[one.at.end..];
                let end = rest
                    .char_indices()
                    .nth(3)
                    .map_or(rest.len(), |(end, _)| end);
                &rest[..end]
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
        let is_numeral = self.vocabulary.word(token.word).is_numeral;
        if !is_digit && !is_numeral && !token.is_capital {
            return None;
        }
        if let Some((length, day)) = dates::read(self, at) {
            return Some((length, Amount::Day(day), false));
        }
        let (length, number, suffix, is_weak) = self
            .digits(at)
            .or_else(|| is_numeral.then(|| self.spelled(at)).flatten())?;
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
        let is_negative = before.ends_with(['-', '−'])
            && before
                .trim_end_matches(['-', '−'])
                .chars()
                .next_back()
                .is_some_and(char::is_whitespace);
        let number: f64 = written.parse().ok()?;
        Some((
            length,
            if is_negative { -number } else { number },
            suffix,
            false,
        ))
    }

    /// A number in words: `twenty-five`, `two hundred`, `a million`.
    fn spelled(&self, at: usize) -> Option<(usize, f64, &'a str, bool)> {
        let (mut number, mut length) = match self.lower(at) {
            "a" | "an"
                if matches!(
                    self.lower(at + 1),
                    "hundred" | "thousand" | "million" | "billion" | "trillion"
                ) =>
            {
                (1.0, 1)
            }
            "half"
                if self.lower(at + 1) == "a" && numerals::scale(self.lower(at + 2)).is_some() =>
            {
                (0.5, 2)
            }
            word => (numerals::small(word)?, 1),
        };
        let is_joined = |at: usize| matches!(self.gap(at), " " | "-");
        if number >= 20.0
            && is_joined(at)
            && let Some(ones) =
                numerals::small(self.lower(at + 1)).filter(|ones| (1.0..10.0).contains(ones))
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
        let sign = before.chars().next_back();
        let sign = currencies::SIGNS
            .iter()
            .find(|(known, _)| sign == Some(*known));
        let code_before = at
            .checked_sub(1)
            .and_then(|at| currencies::code(self.raw(at)));
        let mut money = sign
            .map(|(_, code)| *code)
            .or(code_before.filter(|_| before.is_empty()));
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
        if suffix.is_empty()
            && is_near(end - 1)
            && let Some(scale) = numerals::scale(self.lower(end))
                .filter(|_| self.lower(end).len() > 1 || money.is_some())
        {
            number *= scale;
            more = 1;
        }
        if unit.is_none()
            && money.is_none()
            && (is_near(end + more - 1) || self.gap(end + more - 1) == " US ")
        {
            let (length, code) = self.currency(end + more).unzip();
            money = code;
            more += length.unwrap_or(0);
        }
        if let Some(code) = money {
            return Some((more, number, Some(units::money(code))));
        }
        if unit.is_none() && is_near(end + more - 1) {
            unit = match self.lower(end + more) {
                "per" if self.lower(end + more + 1) == "cent" => {
                    units::unit("%").inspect(|_| more += 1)
                }
                _ => units::unit(self.raw(end + more)),
            };
            more += usize::from(unit.is_some());
        }
        if unit.is_none()
            && self
                .gap(end - 1)
                .ends_with(currencies::SIGNS.map(|(sign, _)| sign))
            && !self.gap(end - 1).starts_with(' ')
        {
            let sign = self.gap(end - 1).chars().next_back();
            let known = currencies::SIGNS
                .iter()
                .find(|(known, _)| sign == Some(*known));
            unit = known.map(|(_, code)| units::money(code));
        }
        Some((more, number, unit))
    }

    /// A currency in words or by its code.
    fn currency(&self, at: usize) -> Option<(usize, &'static str)> {
        let is_it = |words: &str| {
            words
                .split(' ')
                .zip(at..)
                .all(|(word, at)| self.lower(at) == word)
        };
        let token = self.tokens.get(at)?;
        if self.vocabulary.word(token.word).is_currency {
            let mut known = currencies::WORDS.iter();
            if let Some((words, code)) = known.find(|(words, _)| is_it(words)) {
                return Some((words.split(' ').count(), code));
            }
        }
        Some((1, currencies::code(self.raw(at))?))
    }

    /// Whether words before or behind a value bound it.
    fn bound(&self, value: &Range<usize>) -> i8 {
        // The sign or code of a currency, an article and the like stand between.
        let mut end = value.start;
        while end > 0
            && matches!(
                self.lower(end - 1),
                "the" | "a" | "an" | "about" | "usd" | "eur" | "gbp" | "us" | "chf"
            )
        {
            end -= 1;
        }
        let last = end.checked_sub(1).map_or("", |last| self.lower(last));
        let ends = |words: &[&str]| {
            let mut placed = words.iter().rev().zip((0..end).rev());
            words.len() <= end && placed.all(|(word, at)| self.lower(at) == *word)
        };
        let phrases = LEXICON.bounds(last).iter();
        let longest = phrases
            .filter(|(words, _)| ends(words))
            .max_by_key(|(words, _)| words.len());
        if let Some((_, side)) = longest {
            return *side;
        }
        if !matches!(self.lower(value.end), "or" | "and") {
            return 0;
        }
        match self.lower(value.end + 1) {
            "more" | "above" | "over" | "later" | "longer" | "greater" | "higher" | "after" => 1,
            "less" | "below" | "under" | "fewer" | "earlier" | "before" | "lower" => -1,
            _ => 0,
        }
    }

    fn is_rough(&self, at: usize) -> bool {
        (1..=2).any(|back| {
            let before = at.checked_sub(back).and_then(|at| self.tokens.get(at));
            before.is_some_and(|token| self.vocabulary.word(token.word).is_rough)
        })
    }
}

/// The digits that a run begins with, and the letters behind them; nothing where more digits follow.
pub(crate) fn split(run: &str) -> Option<(&str, &str)> {
    let length = run.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, suffix) = run.split_at(length);
    let is_number = (1..=15).contains(&length) && !suffix.contains(|c: char| c.is_ascii_digit());
    is_number.then_some((digits, suffix))
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;
