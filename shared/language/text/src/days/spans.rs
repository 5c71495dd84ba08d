//! Parses the names of spans: days, weeks, months, quarters, halves, years, fiscal years. It does *not* parse their
//! side.

use super::calendar::{self, year_of};
use super::read::Reader;
use super::relative::{Unit, count};
use super::{DaySpan, Grain, SpanSide};
use crate::is_of;
use crate::months::number_in_either;
use time::Date;

/// A span with the number of its words.
type Found = Option<(usize, DaySpan)>;

/// A leap year, which has every day.
const LEAP_YEAR: i32 = 2024;
/// The most words and days of a month from one part of a list to the next.
const BETWEEN_MAX: usize = 4;

fn months(length: usize, year: i32, first: i32, many: i32) -> Found {
    let range = calendar::months(year, first, many)?;
    Some((length, DaySpan::of(range, Grain::Days)))
}

pub(super) fn one_day(length: usize, day: Option<Date>) -> Found {
    Some((length, DaySpan::of(calendar::one(day?)?, Grain::Days)))
}

fn years(length: usize, first: i32, last: i32) -> Found {
    let range = calendar::years(first, last)?;
    Some((length, DaySpan::of(range, Grain::Years(first, last))))
}

impl Reader<'_> {
    /// A fiscal year or a quarter of one: `fiscal year 2023`, `FY2023`, `FY 23`, `second quarter of fiscal 2023`, `Q2
    /// FY2023`.
    pub(super) fn fiscal(&self, at: usize) -> Found {
        let (skipped, quarter) = match self.quarter(at) {
            Some((length, quarter)) => (length + self.of(at + length), Some(quarter)),
            None => (0, None),
        };
        let (length, year) = self.fiscal_year(at + skipped)?;
        let behind = at + skipped + length;
        // `of that entity` says only whose fiscal year it is.
        let is_owner = self.word(behind) == "of"
            && self.is(behind + 1, both!(whose))
            && self.is(behind + 2, both!(owner));
        let range = match quarter {
            Some(quarter) => calendar::months(year, i32::from(quarter) * 3 - 2, 3)?,
            None => calendar::years(year, year)?,
        };
        let owner = if is_owner { 3 } else { 0 };
        let span = DaySpan::of(range, Grain::Fiscal { year, quarter });
        Some((skipped + length + owner, span))
    }

    fn fiscal_year(&self, at: usize) -> Option<(usize, i32)> {
        let word = self.word(at);
        if let Some(year) = year_of(word)
            && self.is(at + 1, both!(fiscal))
        {
            return Some((2 + usize::from(self.is(at + 2, both!(year))), year));
        }
        if let Some(digits) = word.strip_prefix("fy").filter(|digits| !digits.is_empty()) {
            return Some((1, short_year(digits)?));
        }
        self.is(at, both!(fiscal)).then_some(())?;
        let behind = at + 1 + usize::from(self.is(at + 1, both!(year)));
        let behind = behind + self.of(behind);
        Some((behind + 1 - at, short_year(self.word(behind))?))
    }

    /// The year behind a part of a year, with the number of words that it takes: `2024`, `calendar year 2024`, `the
    /// year 2024`, `CY2024`, also behind `of` or `in`.
    fn year_behind(&self, at: usize) -> Option<(usize, i32)> {
        let from = at + self.of(at);
        let skipped = (from..)
            .take_while(|at| self.is(*at, both!(year_before)))
            .count();
        let word = self.word(from + skipped);
        let year = year_of(word.strip_prefix("cy").unwrap_or(word))?;
        Some((from + skipped + 1 - at, year))
    }

    /// The year of a part of a year from the end of a list, by a part of the list that names it: `March or May 2024`,
    /// `before March or after July 2024`, `Q1 and Q3 2024`. Of `December and January 2024` the first is in 2023.
    fn listed_year(
        &self,
        at: usize,
        is_last: bool,
        part: &dyn Fn(usize) -> Option<(usize, bool, bool)>,
    ) -> Option<i32> {
        let is_date = |at: usize| date_of(self.word(at)).is_some();
        let is_between = |at: &usize| self.is(*at, both!(list_between)) || is_date(*at);
        let next = at + (at..at + BETWEEN_MAX).take_while(is_between).count();
        let is_joined = (at..next).any(|at| self.is(at, both!(list_joining)));
        ((is_joined || next == at) && next < self.words.len()).then_some(())?;
        let (length, is_first, is_last_too) = part(next)?;
        let year = self.year_behind(next + length).map(|(_, year)| year);
        let year = year.or_else(|| self.listed_year(next + length, is_last_too, part))?;
        Some(year - i32::from(is_last && is_first))
    }

    fn listed_year_of_month(&self, at: usize, month: u8) -> Option<i32> {
        let part = |at: usize| {
            let month = number_in_either(self.word(at)).filter(|_| self.word(at).len() > 2)?;
            let date = usize::from(date_of(self.word(at + 1)).is_some());
            Some((1 + date, month == 1, month == 12))
        };
        self.listed_year(at, month == 12, &part)
    }

    fn listed_year_of_quarter(&self, at: usize, quarter: u8) -> Option<i32> {
        let part = |at: usize| {
            let (length, quarter) = self.quarter(at)?;
            Some((length, quarter == 1, quarter == 4))
        };
        self.listed_year(at, quarter == 4, &part)
    }

    /// A quarter or a half: `Q2 2024`, `2024 Q2`, `second quarter of 2024`, `H1 2024`, `first half of 2024`.
    pub(super) fn part_of_year(&self, at: usize) -> Found {
        if let Some(found) = self.glued_part(at) {
            return Some(found);
        }
        let year = year_of(self.word(at));
        let at_part = at + usize::from(year.is_some());
        let (length, first, many) = match self.quarter(at_part) {
            Some((length, quarter)) => (length, i32::from(quarter) * 3 - 2, 3),
            None => {
                let (length, half) = self.half(at_part)?;
                (length, i32::from(half) * 6 - 5, 6)
            }
        };
        let behind = at_part + length;
        let (after, year) = match year {
            Some(year) => (0, year),
            None => match self.year_behind(behind) {
                Some(found) => found,
                None => (0, self.listed_year_of_quarter(behind, self.quarter(at)?.1)?),
            },
        };
        months(behind + after - at, year, first, many)
    }

    /// A quarter or a half, or a range of them, glued together in one word: `Q2/2024`, `Q2-24`, `2Q24`, `1H2024`,
    /// `Q1-Q3 2024`.
    fn glued_part(&self, at: usize) -> Found {
        let word = self.word(at);
        let marks = ['/', '-', '–', '\'', '’'];
        if let Some((first, last)) = word.split_once(marks)
            && let (Some((first, 3)), Some((last, many))) = (part_of(first), part_of(last))
            && first < last
            // A slash is no dash: `Q1/Q3` are two quarters.
            && (!word.contains('/') || first + 3 == last)
        {
            let of = self.of(at + 1);
            let year = year_of(self.word(at + 1 + of))?;
            return months(2 + of, year, first, last + many - first);
        }
        let (part, year) = word
            .split_once(marks)
            .or_else(|| word.split_at_checked(2))?;
        let (first, many) = part_of(part)?;
        months(1, short_year(year)?, first, many)
    }

    /// The first or last day of a span: `the last day of March 2024`, `the first day of Q3 2024`.
    pub(super) fn edge_of_span(&self, at: usize) -> Found {
        let is_first = match self.word(at) {
            "first" => true,
            "last" | "final" => false,
            _ => return None,
        };
        self.says(at + 1, "day of").then_some(())?;
        let behind = at + 3;
        let whole = self.part_of_year(behind);
        let whole = whole.or_else(|| self.month(behind, false));
        let in_years = || self.years(behind + usize::from(self.word(behind) == "year"));
        let (length, span) = whole.or_else(in_years)?;
        match is_first {
            true => one_day(3 + length, span.range.from),
            false => one_day(3 + length, span.range.until?.previous_day()),
        }
    }

    /// Months or quarters at an end of a year: `the first three months of 2024`, `the last two quarters of 2023`.
    pub(super) fn first_of_year(&self, at: usize) -> Found {
        let is_first = self.is(at, both!(opening));
        (is_first || self.is(at, both!(closing))).then_some(())?;
        let many = count(self.word(at + 1))?;
        let many = match self.unit(at + 2)? {
            Unit::Month => many,
            Unit::Quarter => many.checked_mul(3)?,
            _ => return None,
        };
        let (length, year) = self.year_behind(at + 3)?;
        (self.of(at + 3) > 0 && many <= 12).then_some(())?;
        months(3 + length, year, if is_first { 1 } else { 13 - many }, many)
    }

    /// A calendar week, from Monday to Sunday: `week 12 of 2024`, `CW12 2024`.
    pub(super) fn week(&self, at: usize) -> Found {
        let word = self.word(at);
        let mut marks = ["cw", "wk", "kw"].iter();
        let mut glued = || marks.find_map(|mark| word.strip_prefix(mark));
        let (length, week) = match self.is(at, both!(week)) {
            true => (2, self.word(at + 1)),
            false => (1, glued()?),
        };
        let at_year = at + length + self.of(at + length);
        let range = calendar::week(year_of(self.word(at_year))?, week.parse().ok()?)?;
        Some((at_year + 1 - at, DaySpan::of(range, Grain::Days)))
    }

    /// A day of a month without its year, as the number of words, the month and the day: `3 May`, `3rd of May`, `May 3`.
    pub(super) fn date(&self, at: usize) -> Option<(usize, u8, u8)> {
        match number_in_either(self.word(at)) {
            Some(month) => Some((2, month, date_of(self.word(at + 1))?)),
            None => {
                let date = date_of(self.word(at))?;
                let of = usize::from(self.word(at + 1) == "of");
                Some((2 + of, number_in_either(self.word(at + 1 + of))?, date))
            }
        }
    }

    /// The number of words that name a day which the calendar does not have.
    pub(super) fn no_day(&self, at: usize) -> Option<usize> {
        if is_written_in_digits(self.word(at)) {
            return numeric(self.word(at)).is_none().then_some(1);
        }
        let (length, month, date) = self.date(at)?;
        let year = year_of(self.word(at + length));
        let is_day = calendar::day(year.unwrap_or(LEAP_YEAR), month, date).is_some();
        (!is_day).then_some(length + usize::from(year.is_some()))
    }

    pub(super) fn quarter(&self, at: usize) -> Option<(usize, u8)> {
        let word = self.word(at);
        let found = if word == "q" || self.is(at, both!(quarter)) {
            (2, number_of(self.word(at + 1))?)
        } else if let Some(digit) = word.strip_prefix('q').and_then(|digit| digit.parse().ok()) {
            (1, digit)
        } else {
            (2, self.ordinal(at, both!(quarter))?)
        };
        (1..=4).contains(&found.1).then_some(found)
    }

    fn half(&self, at: usize) -> Option<(usize, u8)> {
        let word = self.word(at);
        let last = self.is(at, both!(final)).then_some(2);
        let of_two = || last.or_else(|| self.ordinal_of(at));
        let glued = word.strip_prefix('h').and_then(|digit| digit.parse().ok());
        let found = if let Some(digit) = glued {
            (1, digit)
        } else if self.is(at, both!(half)) {
            (2, number_of(self.word(at + 1))?)
        } else if self.says(at + 1, "six months") {
            // `the second six months of 2024`
            (3, of_two()?)
        } else if self.is(at + 1, both!(half)) {
            (2, of_two().or_else(|| self.ordinal(at, both!(half)))?)
        } else {
            return None;
        };
        (1..=2).contains(&found.1).then_some(found)
    }

    /// The place in an order that a word names; `last` is the fourth quarter.
    fn ordinal_of(&self, at: usize) -> Option<u8> {
        let ordinals = [both!(first), both!(second), both!(third), both!(fourth)];
        let place = ordinals.into_iter().position(|lists| self.is(at, lists));
        let place = place.or(self.is(at, both!(final)).then_some(3))?;
        u8::try_from(place + 1).ok()
    }

    /// The same before a noun. In German it may be in digits: `3. Quartal`.
    fn ordinal(&self, at: usize, nouns: [&str; 2]) -> Option<u8> {
        self.is(at + 1, nouns).then_some(())?;
        let is_german = is_of(self.word(at + 1), nouns[1]);
        let digits = || self.word(at).parse().ok().filter(|_| is_german);
        self.ordinal_of(at).or_else(digits)
    }

    /// A day: `2024-05-03`, `3 May 2024`, `May 3rd, 2024`, `03.05.2024`. `3 May` alone counts behind a word that
    /// announces a time, and means the latest one.
    pub(super) fn day(&self, at: usize, is_time: bool) -> Found {
        if let Some(day) = numeric(self.word(at)) {
            return one_day(1, Some(day));
        }
        let (length, month, date) = self.date(at)?;
        let of = usize::from(self.word(at + length) == "of");
        if let Some(year) = year_of(self.word(at + length + of)) {
            return one_day(length + of + 1, calendar::day(year, month, date));
        }
        if let Some(year) = self.listed_year_of_month(at + length, month) {
            return one_day(length, calendar::day(year, month, date));
        }
        let is_time = is_time || self.is_behind(at, both!(before_day));
        let this = calendar::day(self.today.year(), month, date).filter(|_| is_time)?;
        let year = self.today.year() - i32::from(this > self.today);
        one_day(length, calendar::day(year, month, date))
    }

    /// A month: `May 2024`, `May of 2024`, `2024-05`. `March` alone counts behind a word that announces a time.
    pub(super) fn month(&self, at: usize, is_time: bool) -> Found {
        let word = self.word(at);
        if let Some((year, month)) = word.split_once('-')
            && month.len() == 2
            && let (Some(year), Some(month)) = (year_of(year), month_in_digits(month))
        {
            return months(1, year, month.into(), 1);
        }
        if let Some((first, last)) = word.split_once(['/', '-', '–']) {
            // `05/2024`, `2024/05`, `Jan-Mar 2024`.
            let written = |month, year| Some((month_in_digits(month)?, year_of(year)?));
            if let Some((month, year)) = written(first, last).or_else(|| written(last, first)) {
                return months(1, year, month.into(), 1);
            }
            let (first, last) = (number_in_either(first)?, number_in_either(last)?);
            let is_range = first < last && (!word.contains('/') || first + 1 == last);
            let year = year_of(self.word(at + 1)).filter(|_| is_range)?;
            return months(2, year, first.into(), i32::from(last - first) + 1);
        }
        let month = number_in_either(word)?;
        // The month of a day that does not exist is not a span by itself.
        if date_of(self.word_before(at)).is_some() {
            return None;
        }
        if let Some((length, year)) = self.year_behind(at + 1) {
            return months(1 + length, year, month.into(), 1);
        }
        if let Some(year) = self.listed_year_of_month(at + 1, month) {
            return months(1, year, month.into(), 1);
        }
        let is_named = self.is_behind(at, both!(before_month)) && self.is_capital;
        (is_time || is_named).then_some(())?;
        let is_over = u8::from(self.today.month()) >= month;
        months(1, self.today.year() - i32::from(!is_over), month.into(), 1)
    }

    /// Years: `2024`, `2019-2021`, `2019 to 2021`, `2023-24`.
    pub(super) fn years(&self, at: usize) -> Found {
        let word = self.word(at);
        if let Some((first, last)) = word.split_once(['-', '–'])
            && let Some(first) = year_of(first)
        {
            if let Some(last) = year_of(last) {
                return years(1, first, last).filter(|_| first <= last);
            }
            if let Ok(last) = last.parse::<i32>()
                && last > 12
                && last == (first + 1) % 100
            {
                return years(1, first, first + 1);
            }
        }
        for (prefix, side) in [
            ("pre-", SpanSide::Before),
            ("post-", SpanSide::After),
            ("cy", SpanSide::In),
        ] {
            if let Some(year) = word.strip_prefix(prefix).and_then(year_of) {
                return years(1, year, year).map(|(length, span)| (length, span.on(side)));
            }
        }
        // `the 2010s`
        let decade = word.strip_suffix('s').and_then(year_of);
        if let Some(first) = decade.filter(|year| year % 10 == 0) {
            return years(1, first, first + 9);
        }
        let first = year_of(word)?;
        let is_range = matches!(self.word(at + 1), "to" | "through" | "until" | "bis");
        match year_of(self.word(at + 2)) {
            Some(last) if first < last && is_range => years(3, first, last),
            _ => years(1, first, first),
        }
    }
}

/// A part of a year, as its first month and its number of months: `q2`, `2q`, `h1`, `1h`.
pub(super) fn part_of(word: &str) -> Option<(i32, i32)> {
    let (letter, digit) = match word.as_bytes() {
        [digit @ b'1'..=b'4', letter] | [letter, digit @ b'1'..=b'4'] => (*letter, *digit - b'0'),
        _ => return None,
    };
    let digit = i32::from(digit);
    match letter {
        b'q' => Some((digit * 3 - 2, 3)),
        b'h' if digit <= 2 => Some((digit * 6 - 5, 6)),
        _ => None,
    }
}

fn month_in_digits(word: &str) -> Option<u8> {
    let month = word.parse().ok().filter(|_| word.len() <= 2)?;
    (1..=12).contains(&month).then_some(month)
}

/// Whether a word has the form of a day, even if the calendar lacks the day: `2024-02-31`, `31.02.2024`.
fn is_written_in_digits(word: &str) -> bool {
    let is_numbers = |mark, lengths: [usize; 3]| {
        let parts: Vec<&str> = word.split(mark).collect();
        let fits = |(part, length): (&&str, usize)| {
            part.bytes().all(|byte| byte.is_ascii_digit()) && (1..=length).contains(&part.len())
        };
        parts.len() == 3 && parts.iter().zip(lengths).all(fits)
    };
    let year = word.rsplit('.').next().unwrap_or_default();
    is_numbers('-', [4, 2, 2]) && word.find('-') == Some(4)
        || is_numbers('.', [2, 2, 4]) && year_of(year).is_some()
}

/// A year of four digits or two: `2023` or `23`.
fn short_year(digits: &str) -> Option<i32> {
    let digits = digits.trim_start_matches(['\'', '’', '-']);
    match digits.len() {
        2 => digits.parse::<i32>().ok().map(|year| 2000 + year),
        _ => year_of(digits),
    }
}

/// A day of the month: `3`, `3rd`, `21st`.
pub(super) fn date_of(word: &str) -> Option<u8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let fits = matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th");
    let date = digits.parse().ok().filter(|_| fits)?;
    (1..=31).contains(&date).then_some(date)
}

/// A day in digits: `2024-05-03`, `2024-05-03T10:00:00Z`, `03.05.2024`. With slashes it counts only if a single order
/// of day and month is possible.
fn numeric(word: &str) -> Option<Date> {
    if let Some(iso) = word.get(..10)
        && let [year, month, date] = iso.split('-').collect::<Vec<_>>()[..]
    {
        let rest = &word[10..];
        let fits = year.len() == 4 && (rest.is_empty() || rest.starts_with('t'));
        fits.then_some(())?;
        return calendar::day(year.parse().ok()?, month.parse().ok()?, date.parse().ok()?);
    }
    let mark = ['.', '/']
        .into_iter()
        .find(|mark| word.matches(*mark).count() == 2)?;
    let [first, second, year] = word.split(mark).collect::<Vec<_>>()[..] else {
        return None;
    };
    let (first, second): (u8, u8) = (first.parse().ok()?, second.parse().ok()?);
    let (date, month) = match mark {
        '.' => (first, second),
        // Countries differ in which comes first, so only one of the two readings may be a day.
        _ if first > 12 => (first, second),
        _ if second > 12 || first == second => (second, first),
        _ => return None,
    };
    calendar::day(year_of(year)?, month, date)
}

/// A number up to four, in words or digits.
fn number_of(word: &str) -> Option<u8> {
    let spelt = count(word).and_then(|number| u8::try_from(number).ok());
    spelt.or_else(|| word.parse().ok())
}
