//! Reads days as people write them and turns them into ISO form: `3 March 2024`, `3. März 2024`, `March 3rd, 2024`,
//! `03.03.2024`, `2024-03-03T10:00`. Pure.
//!
//! Month names are English and German. Only whole days are read: a month or a year alone is no day, and neither is
//! `3/4/2024` unless the column says which of the two numbers is the month ([`DateOrder`]).

use serde::{Deserialize, Serialize};
use std::ops::Range;
use text::months;

/// Which part comes first in a day that is written in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    /// The day comes first: `3/4/2024` is in April.
    Dmy,
    /// The month comes first: `3/4/2024` is in March.
    Mdy,
}

/// A day in a text, in ISO form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) day: String,
}

/// The longest text around a day that still makes it only a day, in characters: `Monday, 3 March 2024`.
const AROUND_CHARS_MAX: usize = 12;

/// A run of digits, a run of letters, or one other sign. White space of any length is one sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lexeme<'a> {
    Digits(&'a str),
    Letters(&'a str),
    Sign(char),
}
use Lexeme::{Digits, Letters, Sign};

/// The days in a text, in its order.
pub(super) fn days(text: &str, order: Option<DateOrder>) -> Vec<Found> {
    let lexemes = lexemes(text);
    let only: Vec<Lexeme<'_>> = lexemes.iter().map(|(_, lexeme)| *lexeme).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < only.len() {
        let is_start = at == 0 || !matches!(only[at - 1], Digits(_) | Letters(_));
        let day = is_start.then(|| day(&only[at..], order)).flatten();
        match day {
            Some((day, length)) => {
                let last = &lexemes[at + length - 1].0;
                found.push(Found {
                    range: lexemes[at].0.start..last.end,
                    day,
                });
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// The day of a text that holds a day and nothing else, but perhaps the time or the name of the weekday.
pub(super) fn whole(text: &str, order: Option<DateOrder>) -> Option<String> {
    if text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit()) {
        return iso(&text[..4], &text[4..6], &text[6..]);
    }
    let days = days(text, order);
    let [found] = &days[..] else {
        return None;
    };
    let (before, after) = (&text[..found.range.start], &text[found.range.end..]);
    let is_name = before.chars().count() <= AROUND_CHARS_MAX
        && before
            .chars()
            .all(|c| c.is_alphabetic() || " ,.".contains(c));
    let is_time = after.trim_end().chars().count() <= 2 * AROUND_CHARS_MAX
        && after
            .chars()
            .all(|c| c.is_ascii_digit() || " T:.,+-ZUC".contains(c));
    (is_name && is_time).then(|| found.day.clone())
}

fn lexemes(text: &str) -> Vec<(Range<usize>, Lexeme<'_>)> {
    let mut lexemes = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let run = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let (length, lexeme) = if first.is_ascii_digit() {
            let length = run(|c| c.is_ascii_digit());
            (length, Digits(&rest[..length]))
        } else if first.is_alphabetic() {
            let length = run(char::is_alphabetic);
            (length, Letters(&rest[..length]))
        } else if first.is_whitespace() {
            (run(char::is_whitespace), Sign(' '))
        } else {
            (first.len_utf8(), Sign(first))
        };
        lexemes.push((at..at + length, lexeme));
        at += length;
    }
    lexemes
}

/// The day that the lexemes begin with, and how many of them it takes up.
fn day(lexemes: &[Lexeme<'_>], order: Option<DateOrder>) -> Option<(String, usize)> {
    match lexemes {
        [Digits(_), Sign(_), Digits(_), Sign(_), Digits(_), ..] => {
            in_numbers(lexemes, order).or_else(|| in_words(lexemes))
        }
        [Digits(_) | Letters(_), ..] => in_words(lexemes),
        _ => None,
    }
}

/// `2024-03-29`, `29.03.2024`, `29.3.24`, `3/29/2024`.
fn in_numbers(lexemes: &[Lexeme<'_>], order: Option<DateOrder>) -> Option<(String, usize)> {
    let [
        Digits(a),
        Sign(first),
        Digits(b),
        Sign(second),
        Digits(c),
        rest @ ..,
    ] = lexemes
    else {
        return None;
    };
    let goes_on = matches!(rest, [Sign(s), Digits(_), ..] if s == second);
    if first != second || !['-', '.', '/'].contains(first) || goes_on {
        return None;
    }
    if a.len() == 4 {
        return Some((iso(a, b, c)?, 5));
    }
    let (date, month) = match order {
        Some(DateOrder::Dmy) => (a, b),
        Some(DateOrder::Mdy) => (b, a),
        None if *first == '.' || a == b || small(a)? > 12 => (a, b),
        None if small(b)? > 12 => (b, a),
        None => return None,
    };
    let year = match c.len() {
        4 => (*c).to_owned(),
        // As POSIX has it.
        2 if small(c)? >= 69 => format!("19{c}"),
        2 => format!("20{c}"),
        _ => return None,
    };
    Some((iso(&year, month, date)?, 5))
}

/// `29 March 2024`, `29. März 2024`, `29th of March, 2024`, `29-Mar-2024`, `March 29th, 2024`.
fn in_words(lexemes: &[Lexeme<'_>]) -> Option<(String, usize)> {
    let mut rest = Rest { lexemes, at: 0 };
    let (date, month) = match lexemes.first()? {
        Digits(date) => {
            rest.at += 1;
            rest.ordinal();
            rest.between();
            (*date, rest.month()?)
        }
        _ => {
            let month = rest.month()?;
            rest.between();
            let date = rest.digits()?;
            rest.ordinal();
            (date, month)
        }
    };
    rest.between();
    let year = rest.digits().filter(|year| year.len() == 4)?;
    Some((iso(year, &month.to_string(), date)?, rest.at))
}

/// Lexemes that are read one after the other.
struct Rest<'a> {
    lexemes: &'a [Lexeme<'a>],
    at: usize,
}

impl<'a> Rest<'a> {
    fn next(&self) -> Option<Lexeme<'a>> {
        self.lexemes.get(self.at).copied()
    }

    fn digits(&mut self) -> Option<&'a str> {
        let Some(Digits(digits)) = self.next() else {
            return None;
        };
        self.at += 1;
        Some(digits)
    }

    fn month(&mut self) -> Option<u8> {
        let Some(Letters(word)) = self.next() else {
            return None;
        };
        let month = months::number_in_either(word)?;
        self.at += 1;
        Some(month)
    }

    /// Skips an ordinal ending such as that of `3rd`.
    fn ordinal(&mut self) {
        let is = |word: &str| ["st", "nd", "rd", "th"].contains(&word.to_lowercase().as_str());
        if matches!(self.next(), Some(Letters(word)) if is(word)) {
            self.at += 1;
        }
    }

    /// Skips what stands between day, month and year.
    fn between(&mut self) {
        for _ in 0..4 {
            match self.next() {
                Some(Sign(' ' | '.' | ',' | '-' | '/')) | Some(Letters("of")) => self.at += 1,
                _ => return,
            }
        }
    }
}

fn small(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|_| digits.len() <= 2)
}

/// The day in ISO form, if the calendar has it.
fn iso(year: &str, month: &str, date: &str) -> Option<String> {
    let year: u32 = year.parse().ok().filter(|_| year.len() == 4)?;
    let (month, date) = (small(month)?, small(date)?);
    let every = |years: u32| year.is_multiple_of(years);
    let leap = every(4) && (!every(100) || every(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days)
        .contains(&date)
        .then(|| format!("{year:04}-{month:02}-{date:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_as_people_write_them() {
        for (text, day) in [
            ("2024-03-29", "2024-03-29"),
            ("2024-03-29T10:00:00Z", "2024-03-29"),
            ("2024/3/9", "2024-03-09"),
            ("20240329", "2024-03-29"),
            ("29 March 2024", "2024-03-29"),
            ("29. März 2024", "2024-03-29"),
            ("29.März 2024", "2024-03-29"),
            ("29-Mar-2024", "2024-03-29"),
            ("the 3rd of March, 2024", "2024-03-03"),
            ("March 3rd, 2024", "2024-03-03"),
            ("Sept. 9, 2024", "2024-09-09"),
            ("Monday, 3 March 2024", "2024-03-03"),
            ("29.03.2024", "2024-03-29"),
            ("3.4.24", "2024-04-03"),
            ("29/03/2024", "2024-03-29"),
            ("3/29/2024", "2024-03-29"),
            ("29.02.2024", "2024-02-29"),
        ] {
            assert_eq!(whole(text, None).as_deref(), Some(day), "{text}");
        }
        let of = |text, order| whole(text, Some(order));
        assert_eq!(
            of("3/4/2024", DateOrder::Dmy).as_deref(),
            Some("2024-04-03")
        );
        assert_eq!(
            of("3/4/2024", DateOrder::Mdy).as_deref(),
            Some("2024-03-04")
        );
    }

    #[test]
    fn what_is_no_day() {
        for text in [
            "3/4/2024",
            "29.02.2023",
            "31 April 2024",
            "2024-13-01",
            "March 2024",
            "2024",
            "1.2.3",
            "4500-1987",
            "3 of 2024",
            "99999999",
            "",
            "n/a",
            "12 March 2024 or 13 March 2024",
        ] {
            assert_eq!(whole(text, None), None, "{text}");
        }
    }

    #[test]
    fn days_are_found_in_a_line() {
        let line = "Date 11 February 2025. Order 4500-1987, delivered on 07.02.2025 at 10.15.";
        let days: Vec<_> = days(line, None).into_iter().collect();
        let said: Vec<_> = days
            .iter()
            .map(|found| &line[found.range.clone()])
            .collect();
        assert_eq!(said, ["11 February 2025", "07.02.2025"]);
        assert_eq!(days[1].day, "2025-02-07");
    }
}
