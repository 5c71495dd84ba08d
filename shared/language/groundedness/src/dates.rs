//! Parses days, months and years in their usual forms. *Not* a calendar: parts of a date that a text does not name
//! stay open.

use crate::values::{Reader, split};
use text::currencies::SIGNS;
use text::months;

/// Years that four digits may be.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2100;

/// What is named of a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Day {
    pub(crate) year: Option<i32>,
    pub(crate) month: Option<u8>,
    pub(crate) day: Option<u8>,
}

/// A day with the number of tokens that name it.
type Found = Option<(usize, Day)>;

impl Day {
    fn full(year: Option<i32>, month: u8, day: u8) -> Day {
        let (month, day) = (Some(month), Some(day));
        Day { year, month, day }
    }

    /// Whether only the year is named.
    pub(crate) fn is_year(&self) -> bool {
        self.month.is_none() && self.day.is_none()
    }

    /// Whether day and month are named.
    pub(crate) fn is_full(&self) -> bool {
        self.month.is_some() && self.day.is_some()
    }

    /// Whether `given` says at least as much, and nothing else. Only a year may be left open.
    pub(crate) fn is_in(&self, given: &Day) -> bool {
        let is_year = match (self.year, given.year) {
            (Some(one), Some(other)) => one == other,
            (Some(_), None) => !self.is_year(),
            _ => true,
        };
        let is_month = self.month.is_none() || self.month == given.month;
        let is_day = self.day.is_none() || self.day == given.day;
        is_year && is_month && is_day
    }
}

/// The day, month or year that begins at a token, and how many tokens name it.
pub(crate) fn read(reader: &Reader<'_>, at: usize) -> Found {
    iso(reader, at)
        .or_else(|| day_first(reader, at))
        .or_else(|| month_first(reader, at))
        .or_else(|| year_alone(reader, at))
}

/// `2024-03-05`, `05.03.2024`.
fn iso(reader: &Reader<'_>, at: usize) -> Found {
    let mark = reader.gap(at);
    let is_mark = matches!(mark, "-" | "." | "/") && reader.gap(at + 1) == mark;
    let part = |at: usize| reader.raw(at).parse::<i32>().ok();
    let (first, second, third) = (part(at)?, part(at + 1)?, part(at + 2)?);
    let (year, month, day) = match mark {
        _ if YEARS.contains(&first) => (first, second, third),
        // Which comes first of day and month differs by country: only a point tells.
        "." => (third, second, first),
        _ if first > 12 => (third, second, first),
        _ => (third, first, second),
    };
    let is_day = YEARS.contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let found = (3, Day::full(Some(year), month as u8, day as u8));
    (is_mark && is_day).then_some(found)
}

/// `5 March 2024`, `the 5th of March`.
fn day_first(reader: &Reader<'_>, at: usize) -> Found {
    let day = day(reader.raw(at))?;
    let of = usize::from(reader.lower(at + 1) == "of");
    let month = month(reader, at + 1 + of)?;
    let (more, year) = year_behind(reader, at + 1 + of);
    Some((2 + of + more, Day::full(year, month, day)))
}

/// `March 5, 2024`, `March 2024`, `March 5th`. A month alone is a word.
fn month_first(reader: &Reader<'_>, at: usize) -> Found {
    let month = month(reader, at)?;
    let is_near = matches!(reader.gap(at), " " | ". ");
    if let Some(day) = day(reader.raw(at + 1)).filter(|_| is_near) {
        let (more, year) = year_behind(reader, at + 1);
        return Some((2 + more, Day::full(year, month, day)));
    }
    let (more, year) = year_behind(reader, at);
    let month = Some(month);
    year.map(|_| {
        (
            1 + more,
            Day {
                year,
                month,
                day: None,
            },
        )
    })
}

/// `2024` where no unit follows.
fn year_alone(reader: &Reader<'_>, at: usize) -> Found {
    let (digits, suffix) = split(reader.raw(at))?;
    let year: i32 = digits.parse().ok()?;
    let is_grouped = matches!(reader.gap(at), "," | ".") && split(reader.raw(at + 1)).is_some();
    let is_year = digits.len() == 4 && suffix.is_empty() && YEARS.contains(&year) && !is_grouped;
    let is_counted = reader.gap(at) == " " && crate::units::unit(reader.raw(at + 1)).is_some();
    let before = &reader.text[..reader.tokens[at].at.start];
    let is_money = at > 0 && before.trim_end().ends_with(SIGNS.map(|(sign, _)| sign));
    let year = Some(year);
    (is_year && !is_counted && !is_money).then_some((
        1,
        Day {
            year,
            ..Day::default()
        },
    ))
}

/// A year behind token `at`: how many tokens, and which.
fn year_behind(reader: &Reader<'_>, at: usize) -> (usize, Option<i32>) {
    let is_near = matches!(reader.gap(at), " " | ", " | ". " | "., ");
    let year: Option<i32> = reader.raw(at + 1).parse().ok();
    let year = year.filter(|year| is_near && YEARS.contains(year) && reader.raw(at + 1).len() == 4);
    (usize::from(year.is_some()), year)
}

/// `5`, `5th`.
fn day(run: &str) -> Option<u8> {
    let (digits, suffix) = split(run)?;
    let day: u8 = digits.parse().ok()?;
    (matches!(suffix, "" | "st" | "nd" | "rd" | "th") && (1..=31).contains(&day)).then_some(day)
}

/// A month by its name, from 1. A capital tells May from may.
fn month(reader: &Reader<'_>, at: usize) -> Option<u8> {
    if !reader.raw(at).starts_with(char::is_uppercase) {
        return None;
    }
    months::number(reader.lower(at), 3..=4)
}
