//! Parses spans relative to today: `last month`, `the past 30 days`, `this quarter`, `yesterday`, `two weeks ago`.
//!
//! The last 30 days begin thirty days before today and include today. A week begins on Monday. For a fiscal
//! year such as `last fiscal year`, this module finds only its number; the caller has to find out when the year ends.

use super::calendar::{months, one, years};
use super::{DayRange, DaySpan, Grain, SpanSide};
use text::is_of;
use time::{Date, Duration};

/// The most days, weeks, months or years that are counted.
const COUNT_MAX: u32 = 10_000;

/// Words before a number of days that mean at most that age, and words that mean a greater age.
const WITHIN: [&str; 9] = [
    "no more than",
    "not more than",
    "no older than",
    "not older than",
    "less than",
    "fewer than",
    "newer than",
    "at most",
    "up to",
];
const BEYOND: [&str; 5] = ["more than", "longer than", "older than", "at least", "over"];

/// The span at the beginning of `words`, with the number of words that it takes.
pub(super) fn read(words: &[&str], today: Date) -> Option<(usize, DaySpan)> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    if let Some(found) = called(words, today).or_else(|| ago(words, today)) {
        return Some(found);
    }
    let back = match word(0) {
        "last" | "previous" | "past" | "prior" | "preceding" => 1,
        "this" | "current" | "ongoing" | "running" | "present" => 0,
        "next" | "coming" | "upcoming" => -1,
        _ => return None,
    };
    let counted = if word(1) == "few" {
        None
    } else {
        count(word(1))
    };
    match counted.filter(|_| back != 0) {
        Some(many) if back == 1 => {
            let from = counted_back(many, word(2), today)?;
            let until = today.next_day();
            let range = DayRange {
                from: Some(from),
                until,
            };
            return Some((3, DaySpan::of(range, Grain::Days)));
        }
        Some(many) => {
            let until = counted_on(many, word(2), today)?.next_day();
            let range = DayRange {
                from: Some(today),
                until,
            };
            return Some((3, DaySpan::of(range, Grain::Days)));
        }
        None => {}
    }
    // `the last day for payment` is not yesterday.
    if word(1) == "day" && is_of(word(2), words!(day_of)) {
        return None;
    }
    let (skipped, is_fiscal) = match word(1) {
        "calendar" | "full" | "complete" => (1, false),
        "fiscal" | "financial" | "business" => (1, true),
        _ => (0, false),
    };
    let unit = word(1 + skipped);
    let range = whole(unit, back, today)?;
    let span = match (is_fiscal, unit) {
        (true, "year") => {
            let grain = Grain::Fiscal {
                year: today.year() - back,
                quarter: None,
            };
            DaySpan::of(range, grain)
        }
        _ => DaySpan::of(range, grain(unit, range)),
    };
    // `the month before last`
    Some((2 + skipped, span))
}

/// The day, week, month, quarter or year that lies `back` units before the one with today; a negative `back` lies
/// ahead.
fn whole(unit: &str, back: i32, today: Date) -> Option<DayRange> {
    let (year, month) = (today.year(), i32::from(u8::from(today.month())));
    match unit {
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
        "month" => months(year, month.checked_sub(back)?, 1),
        "quarter" => months(
            year,
            ((month - 1) / 3 * 3 + 1).checked_sub(back.checked_mul(3)?)?,
            3,
        ),
        "year" => years(year.checked_sub(back)?, year.checked_sub(back)?),
        _ => None,
    }
}

/// Spans that have a name: `today`, `yesterday`, `year to date`, `ytd`, `the year before last`.
fn called(words: &[&str], today: Date) -> Option<(usize, DaySpan)> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let found = |length, range: Option<DayRange>| {
        let range = range?;
        Some((length, DaySpan::of(range, grain(word(0), range))))
    };
    let to_date = |unit: &str| {
        let from = whole(unit, 0, today)?.from;
        let until = today.next_day();
        Some(DayRange { from, until })
    };
    match word(0) {
        "today" => found(1, one(today)),
        "yesterday" => found(1, one(today.previous_day()?)),
        "tomorrow" => found(1, one(today.next_day()?)),
        "ytd" => found(1, to_date("year")),
        "qtd" => found(1, to_date("quarter")),
        "mtd" => found(1, to_date("month")),
        unit @ ("year" | "quarter" | "month") if word(1) == "to" && word(2) == "date" => {
            let range = to_date(unit)?;
            Some((3, DaySpan::of(range, Grain::Days)))
        }
        unit @ ("year" | "quarter" | "month" | "week" | "day") if word(1) == "before" => {
            match (unit, word(2)) {
                ("day", "yesterday") => found(3, whole("day", 2, today)),
                (_, "last") => found(3, whole(unit, 2, today)),
                // `the quarter before this one`
                (_, "this") if word(3) == "one" || word(3) == unit => {
                    found(4, whole(unit, 1, today))
                }
                _ => None,
            }
        }
        // `the year that we are in`
        unit @ ("year" | "quarter" | "month" | "week") => {
            let that = usize::from(matches!(word(1), "that" | "which"));
            let is_ours = (word(1 + that), word(2 + that), word(3 + that)) == ("we", "are", "in");
            match (is_ours, (word(1), word(2)) == ("in", "progress")) {
                (true, _) => found(4 + that, whole(unit, 0, today)),
                (_, true) => found(3, whole(unit, 0, today)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Spans that are an age: `two weeks ago`, `no more than 30 days ago`, `older than 90 days`.
fn ago(words: &[&str], today: Date) -> Option<(usize, DaySpan)> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let begins = |said: &&&str| {
        said.split(' ')
            .enumerate()
            .all(|(at, part)| word(at) == part)
    };
    let within = WITHIN.iter().find(begins);
    let beyond = BEYOND.iter().find(begins);
    let compared = within.or(beyond);
    let at = compared.map_or(0, |said| said.split(' ').count());
    let many = match word(at) {
        "a" | "an" => 1,
        number => count(number)?,
    };
    let unit = word(at + 1);
    let is_age = compared.is_some_and(|said| said.contains("older") || said.contains("newer"));
    let behind = usize::from(matches!(word(at + 2), "ago" | "old" | "back" | "earlier"));
    if behind == 0 && !is_age {
        return None;
    }
    let day = counted_back(many, unit, today)?;
    let length = at + 2 + behind;
    if within.is_some() {
        let range = DayRange {
            from: Some(day),
            until: today.next_day(),
        };
        return Some((length, DaySpan::of(range, Grain::Days)));
    }
    if beyond.is_some() {
        let side = SpanSide::Before;
        return Some((
            length,
            DaySpan {
                side,
                ..DaySpan::of(one(day)?, Grain::Days)
            },
        ));
    }
    let unit = unit.strip_suffix('s').unwrap_or(unit);
    let range = whole(unit, i32::try_from(many).ok()?, today)?;
    Some((length, DaySpan::of(range, grain(unit, range))))
}

fn grain(unit: &str, range: DayRange) -> Grain {
    match (unit, range.from) {
        ("year", Some(from)) => Grain::Years(from.year(), from.year()),
        _ => Grain::Days,
    }
}

pub(super) fn counted_back(count: u32, unit: &str, today: Date) -> Option<Date> {
    let many = i64::from(count);
    match unit {
        "day" | "days" => today.checked_sub(Duration::days(many)),
        "week" | "weeks" => today.checked_sub(Duration::weeks(many)),
        "fortnight" | "fortnights" => today.checked_sub(Duration::weeks(2 * many)),
        _ => months_on(-i32::try_from(count).ok()?, unit, today),
    }
}

pub(super) fn counted_on(count: u32, unit: &str, today: Date) -> Option<Date> {
    let many = i64::from(count);
    match unit {
        "day" | "days" => today.checked_add(Duration::days(many)),
        "week" | "weeks" => today.checked_add(Duration::weeks(many)),
        "fortnight" | "fortnights" => today.checked_add(Duration::weeks(2 * many)),
        _ => months_on(i32::try_from(count).ok()?, unit, today),
    }
}

/// The same day of the month, a number of months, quarters or years later.
fn months_on(count: i32, unit: &str, today: Date) -> Option<Date> {
    let many = match unit {
        "month" | "months" => count,
        "quarter" | "quarters" => count.checked_mul(3)?,
        "year" | "years" => count.checked_mul(12)?,
        _ => return None,
    };
    let months = i32::from(u8::from(today.month())).checked_add(many)?;
    let first = super::start_of_month(today.year(), months)?;
    // In a month that is too short the last day stands for the missing ones.
    let last = super::start_of_month(today.year(), months + 1)?.previous_day()?;
    first.replace_day(today.day().min(last.day())).ok()
}

/// A count of days, months or years, in digits or as a word.
pub(super) fn count(word: &str) -> Option<u32> {
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
