//! Days, months and years of the calendar. This module does *not* read words.

use super::{DayRange, FiscalEnd};
use time::{Date, Month};

/// The years that a question may name. Other numbers of four digits are plain numbers.
pub(super) const YEARS: std::ops::RangeInclusive<i32> = 1900..=2100;

/// A day, if the calendar has it: there is no 31 February.
pub fn day(year: i32, month: u8, day: u8) -> Option<Date> {
    let month = Month::try_from(month).ok()?;
    Date::from_calendar_date(year, month, day).ok()
}

/// The day of a moment in Unix milliseconds, in UTC; `None` after the year 9999.
pub fn of_unix_ms(ms: u64) -> Option<Date> {
    let seconds = i64::try_from(ms / 1_000).ok()?;
    let moment = time::OffsetDateTime::from_unix_timestamp(seconds).ok()?;
    Some(moment.date())
}

/// The first day of a month. Month 13 is January of the next year.
pub fn start_of_month(year: i32, month: i32) -> Option<Date> {
    let months = i64::from(year) * 12 + i64::from(month) - 1;
    let year = i32::try_from(months.div_euclid(12)).ok()?;
    let month = u8::try_from(months.rem_euclid(12) + 1).ok()?;
    day(year, month, 1)
}

/// The days of `count` months, beginning with a given month.
pub(super) fn months(year: i32, month: i32, count: i32) -> Option<DayRange> {
    let until = start_of_month(year, month + count)?;
    Some(DayRange::of(start_of_month(year, month)?, until))
}

/// The days of calendar years, from `first` to `last` inclusive.
pub(super) fn years(first: i32, last: i32) -> Option<DayRange> {
    months(first, 1, (last - first + 1) * 12)
}

/// The days of a calendar week, from Monday to Sunday.
pub(super) fn week(year: i32, week: u8) -> Option<DayRange> {
    let from = Date::from_iso_week_date(year, week, time::Weekday::Monday).ok()?;
    let until = from.checked_add(time::Duration::weeks(1))?;
    Some(DayRange::of(from, until))
}

/// The range of a single day.
pub(super) fn one(day: Date) -> Option<DayRange> {
    Some(DayRange::of(day, day.next_day()?))
}

/// The days of a fiscal year, or of a quarter of it.
pub(super) fn fiscal(year: i32, quarter: Option<u8>, end: FiscalEnd) -> Option<DayRange> {
    let ends = |year| last_day(year, end);
    let first = ends(year - 1)?.next_day()?;
    let until = ends(year)?.next_day()?;
    let Some(quarter) = quarter else {
        return Some(DayRange::of(first, until));
    };
    // The quarters begin three, six and nine months after the year does, on the same day of the month.
    let begins = |quarter: u8| match quarter {
        0..=3 => {
            let month = i32::from(u8::from(first.month())) + 3 * i32::from(quarter);
            let start = start_of_month(first.year(), month)?;
            start.checked_add(time::Duration::days(i64::from(first.day()) - 1))
        }
        _ => Some(until),
    };
    Some(DayRange {
        from: begins(quarter.checked_sub(1)?),
        until: begins(quarter),
    })
}

/// The last day of a fiscal year. An end on 29 February means the last day of February in every year.
fn last_day(year: i32, end: FiscalEnd) -> Option<Date> {
    // An end on 28 February means the last day of the month, in leap years too.
    let end = match (end.month, end.day) {
        (2, 28) => FiscalEnd { month: 2, day: 29 },
        _ => end,
    };
    day(year, end.month, end.day)
        .or_else(|| start_of_month(year, i32::from(end.month) + 1)?.previous_day())
}

/// The year that a word of four digits names.
pub(super) fn year_of(word: &str) -> Option<i32> {
    let digits = word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
    let year = word.parse().ok().filter(|_| digits)?;
    YEARS.contains(&year).then_some(year)
}
