//! Parses spans relative to today: `last month`, `the past 30 days`, `this quarter`, `yesterday`, `two weeks ago`.
//!
//! The last 30 days begin thirty days before today and include today. A week begins on Monday. For a fiscal
//! year such as `last fiscal year`, this module finds only its number; the caller has to find out when the year ends.

use super::calendar::{self, months, one, years};
use super::read::Reader;
use super::{DayRange, DaySpan, Grain, SpanSide};
use crate::lists::Phrases;
use crate::numerals;
use std::sync::LazyLock;
use time::{Date, Duration};

/// The most days, weeks, months or years that are counted.
const COUNT_MAX: i32 = 10_000;
/// The largest number that is counted in words.
const SPELT_MAX: f64 = 12.0;

/// Words before a number of days, and whether they mean at most that age; the others mean a greater one.
static AGES: LazyLock<Phrases<bool>> =
    LazyLock::new(|| Phrases::of([(both!(within_age), true), (both!(beyond_age), false)]));

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Fortnight,
    Month,
    Quarter,
    Year,
}

impl Reader<'_> {
    /// The span relative to today at a word, with the number of words that it takes.
    pub(super) fn relative(&self, at: usize) -> Option<(usize, DaySpan)> {
        if let Some(found) = self.called(at).or_else(|| self.ago(at)) {
            return Some(found);
        }
        let back = match () {
            () if self.is(at, both!(last)) => 1,
            () if self.is(at, both!(this)) => 0,
            () if self.is(at, both!(next)) => -1,
            () => return None,
        };
        if let Some(many) = count(self.word(at + 1)).filter(|_| back != 0) {
            let end = counted(-back * many, self.unit(at + 2)?, self.today)?;
            let (from, last) = (end.min(self.today), end.max(self.today));
            return found(3, from, last.next_day());
        }
        // `the last day for payment` is not yesterday.
        if self.word(at + 1) == "day" && self.is(at + 2, [words!(day_of), ""]) {
            return None;
        }
        let (skipped, is_fiscal) = match self.word(at + 1) {
            "calendar" | "full" | "complete" => (1, false),
            "fiscal" | "financial" | "business" => (1, true),
            _ => (0, false),
        };
        let unit = self.whole_unit(at + 1 + skipped)?;
        let span = match is_fiscal && unit == Unit::Year {
            true => {
                let (year, quarter) = (self.today.year() - back, None);
                DaySpan::of(self.whole(unit, back)?, Grain::Fiscal { year, quarter })
            }
            false => self.span_of(unit, back)?,
        };
        Some((2 + skipped, span))
    }

    /// A unit of time, in the singular or the plural.
    pub(super) fn unit(&self, at: usize) -> Option<Unit> {
        let units = [
            (both!(days), Unit::Day),
            (both!(weeks), Unit::Week),
            (both!(fortnights), Unit::Fortnight),
            (both!(months_counted), Unit::Month),
            (both!(quarters), Unit::Quarter),
            (both!(years), Unit::Year),
        ];
        self.one_of(at, &units)
    }

    /// A unit of time in the singular: `last month`.
    fn whole_unit(&self, at: usize) -> Option<Unit> {
        let units = [
            (both!(day), Unit::Day),
            (["week", "woche"], Unit::Week),
            (both!(month), Unit::Month),
            (both!(quarter), Unit::Quarter),
            (both!(year), Unit::Year),
        ];
        self.one_of(at, &units)
    }

    fn one_of(&self, at: usize, units: &[([&str; 2], Unit)]) -> Option<Unit> {
        let found = units.iter().find(|(lists, _)| self.is(at, *lists));
        found.map(|(_, unit)| *unit)
    }

    /// The day, week, month, quarter or year that lies `back` units before the one with today; a negative `back` lies
    /// ahead.
    fn whole(&self, unit: Unit, back: i32) -> Option<DayRange> {
        let today = self.today;
        let (year, month) = (today.year(), i32::from(u8::from(today.month())));
        match unit {
            Unit::Day => one(today.checked_sub(Duration::days(i64::from(back)))?),
            Unit::Week | Unit::Fortnight => {
                let days = i64::from(today.weekday().number_days_from_monday());
                let from = today.checked_sub(Duration::days(days + 7 * i64::from(back)))?;
                Some(DayRange::of(from, from.checked_add(Duration::weeks(1))?))
            }
            Unit::Month => months(year, month.checked_sub(back)?, 1),
            Unit::Quarter => {
                let first = (month - 1) / 3 * 3 + 1;
                months(year, first.checked_sub(back.checked_mul(3)?)?, 3)
            }
            Unit::Year => years(year.checked_sub(back)?, year.checked_sub(back)?),
        }
    }

    fn span_of(&self, unit: Unit, back: i32) -> Option<DaySpan> {
        let range = self.whole(unit, back)?;
        let grain = match (unit, range.from) {
            (Unit::Year, Some(from)) => Grain::Years(from.year(), from.year()),
            _ => Grain::Days,
        };
        Some(DaySpan::of(range, grain))
    }

    /// Spans that have a name: `today`, `yesterday`, `year to date`, `ytd`, `the year before last`.
    fn called(&self, at: usize) -> Option<(usize, DaySpan)> {
        let to_date = |length, unit| {
            let from = self.whole(unit, 0)?.from?;
            found(length, from, self.today.next_day())
        };
        let whole = |length, unit, back| Some((length, self.span_of(unit, back)?));
        match self.word(at) {
            _ if self.is(at, both!(today)) => return whole(1, Unit::Day, 0),
            _ if self.is(at, both!(yesterday)) => return whole(1, Unit::Day, 1),
            "tomorrow" => return whole(1, Unit::Day, -1),
            "ytd" => return to_date(1, Unit::Year),
            "qtd" => return to_date(1, Unit::Quarter),
            "mtd" => return to_date(1, Unit::Month),
            _ => {}
        }
        let unit = self.whole_unit(at)?;
        let behind = at + 1;
        if self.says(behind, "to date") && !matches!(unit, Unit::Day | Unit::Week) {
            return to_date(3, unit);
        }
        if self.word(behind) == "before" {
            let is_day = unit == Unit::Day;
            return match self.word(behind + 1) {
                "yesterday" if is_day => whole(3, unit, 2),
                "last" => whole(3, unit, 2),
                // `the quarter before this one`
                "this" if [self.word(at), "one"].contains(&self.word(behind + 2)) => {
                    whole(4, unit, 1)
                }
                _ => None,
            };
        }
        // `the year that we are in`
        let that = usize::from(matches!(self.word(behind), "that" | "which"));
        match () {
            () if unit == Unit::Day => None,
            () if self.says(behind + that, "we are in") => whole(4 + that, unit, 0),
            () if self.says(behind, "in progress") => whole(3, unit, 0),
            () => None,
        }
    }

    /// Spans that are an age: `two weeks ago`, `no more than 30 days ago`, `older than 90 days`.
    fn ago(&self, at: usize) -> Option<(usize, DaySpan)> {
        let age = AGES.at(|place| self.word(at + place));
        let skipped = age.map_or(0, |(length, _)| length);
        let many = match self.word(at + skipped) {
            "a" | "an" => 1,
            number => count(number)?,
        };
        let at_unit = at + skipped + 1;
        let is_age = (at..at + skipped).any(|at| matches!(self.word(at), "older" | "newer"));
        let behind = usize::from(self.is(at_unit + 1, both!(ago)));
        (behind > 0 || is_age).then_some(())?;
        let unit = self.unit(at_unit)?;
        let day = counted(-many, unit, self.today)?;
        let length = skipped + 2 + behind;
        match age {
            Some((_, true)) => found(length, day, self.today.next_day()),
            Some((_, false)) => {
                let span = DaySpan::of(one(day)?, Grain::Days);
                Some((length, span.on(SpanSide::Before)))
            }
            None if unit == Unit::Fortnight => None,
            None => Some((length, self.span_of(unit, many)?)),
        }
    }
}

fn found(length: usize, from: Date, until: Option<Date>) -> Option<(usize, DaySpan)> {
    let range = DayRange::of(from, until?);
    Some((length, DaySpan::of(range, Grain::Days)))
}

/// The day so many units after another; before it, if the number is negative.
pub(super) fn counted(many: i32, unit: Unit, day: Date) -> Option<Date> {
    let months = match unit {
        Unit::Day => return day.checked_add(Duration::days(many.into())),
        Unit::Week => return day.checked_add(Duration::weeks(many.into())),
        Unit::Fortnight => return day.checked_add(Duration::weeks(2 * i64::from(many))),
        Unit::Month => many,
        Unit::Quarter => many.checked_mul(3)?,
        Unit::Year => many.checked_mul(12)?,
    };
    let month = i32::from(u8::from(day.month())).checked_add(months)?;
    let first = calendar::start_of_month(day.year(), month)?;
    // In a month that is too short the last day stands for the missing ones.
    let last = calendar::start_of_month(day.year(), month + 1)?.previous_day()?;
    first.replace_day(day.day().min(last.day())).ok()
}

/// A count of days, months or years, in digits or as a word.
pub(super) fn count(word: &str) -> Option<i32> {
    let spelt = numerals::small(word).filter(|number| (1.0..=SPELT_MAX).contains(number));
    let count = spelt
        .map(|number| number as i32)
        .or_else(|| word.parse().ok())?;
    (1..=COUNT_MAX).contains(&count).then_some(count)
}
