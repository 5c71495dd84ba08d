//! Spans that are named from today on: `last month`, `the past 30 days`, `this quarter`, `yesterday`.
//!
//! The last 30 days begin thirty days before today, and today is in them. A week begins on Monday.

use super::calendar::{months, one};
use super::{DayRange, Grain, Span};
use time::{Date, Duration};

/// Most days, weeks, months or years that are counted back.
const COUNT_MAX: u32 = 10_000;

/// The span that words begin with, and how many of them name it.
pub(super) fn read(words: &[&str], today: Date) -> Option<(usize, Span)> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let found = |length, range: Option<DayRange>| {
        let range = range?;
        Some((length, Span::of(range, grain(word(length - 1), range))))
    };
    match word(0) {
        "today" => return found(1, one(today)),
        "yesterday" => return found(1, one(today.previous_day()?)),
        "tomorrow" => return found(1, one(today.next_day()?)),
        "year" if word(1) == "to" && word(2) == "date" => {
            let from = months(today.year(), 1, 1)?.from;
            let until = today.next_day();
            return found(3, Some(DayRange { from, until }));
        }
        _ => {}
    }
    let back = match word(0) {
        "last" | "previous" | "past" => 1,
        "this" | "current" => 0,
        "next" | "coming" => -1,
        _ => return None,
    };
    if let Some(count) = count(word(1)).filter(|_| back == 1) {
        let from = counted_back(count, word(2), today)?;
        let until = today.next_day();
        let from = Some(from);
        return Some((3, Span::of(DayRange { from, until }, Grain::Days)));
    }
    let (year, month) = (today.year(), i32::from(u8::from(today.month())));
    let range = match word(1) {
        "day" => one(today.checked_sub(Duration::days(i64::from(back)))?),
        "week" => {
            let monday = today.checked_sub(Duration::days(i64::from(
                today.weekday().number_days_from_monday(),
            )))?;
            let from = monday.checked_sub(Duration::weeks(i64::from(back)))?;
            let until = from.checked_add(Duration::weeks(1));
            Some(DayRange {
                from: Some(from),
                until,
            })
        }
        "month" => months(year, month - back, 1),
        "quarter" => months(year, (month - 1) / 3 * 3 + 1 - 3 * back, 3),
        "year" => months(year - back, 1, 12),
        _ => return None,
    };
    found(2, range)
}

fn grain(unit: &str, range: DayRange) -> Grain {
    match (unit, range.from) {
        ("year", Some(from)) => Grain::Years(from.year(), from.year()),
        _ => Grain::Days,
    }
}

fn counted_back(count: u32, unit: &str, today: Date) -> Option<Date> {
    let many = i64::from(count);
    let months_back = |count: u32| {
        let months = i32::from(u8::from(today.month())) - i32::try_from(count).ok()?;
        let first = super::start_of_month(today.year(), months)?;
        // The last day of a shorter month stands for those that it lacks.
        let last = super::start_of_month(today.year(), months + 1)?.previous_day()?;
        first.replace_day(today.day().min(last.day())).ok()
    };
    match unit {
        "day" | "days" => today.checked_sub(Duration::days(many)),
        "week" | "weeks" => today.checked_sub(Duration::weeks(many)),
        "month" | "months" => months_back(count),
        "quarter" | "quarters" => months_back(count.checked_mul(3)?),
        "year" | "years" => months_back(count.checked_mul(12)?),
        _ => None,
    }
}

fn count(word: &str) -> Option<u32> {
    let spelled = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let spelled = spelled.iter().position(|spelled| *spelled == word);
    let count = match spelled {
        Some(place) => u32::try_from(place + 1).ok()?,
        None => word.parse().ok()?,
    };
    (1..=COUNT_MAX).contains(&count).then_some(count)
}
