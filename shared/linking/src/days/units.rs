//! Parses the names of spans: days, weeks, months, quarters, halves, years, fiscal years. It does *not* parse their
//! side.

use super::calendar::{self, year_of};
use super::read::Reader;
use super::relative::count;
use super::{DaySpan, Grain, SpanSide};
use text::months::number_in_date;
use time::Date;

impl Reader<'_> {
    /// A fiscal year or a quarter of one: `fiscal year 2023`, `FY2023`, `FY 23`, `second quarter of fiscal 2023`, `Q2
    /// FY2023`.
    pub(super) fn fiscal(&self, at: usize) -> Option<(usize, DaySpan)> {
        let (skipped, quarter) = match self.quarter(at) {
            Some((length, quarter)) => (length + self.of(at + length), Some(quarter)),
            None => (0, None),
        };
        let at = at + skipped;
        let (length, year) = self.fiscal_year(at)?;
        let length = length + self.owner(at + length);
        let range = match quarter {
            Some(quarter) => calendar::months(year, i32::from(quarter) * 3 - 2, 3)?,
            None => calendar::years(year, year)?,
        };
        Some((
            skipped + length,
            DaySpan::of(range, Grain::Fiscal { year, quarter }),
        ))
    }

    /// The number of words that say only whose fiscal year it is: `of that entity`.
    fn owner(&self, at: usize) -> usize {
        let is_owner = self.word(at) == "of"
            && matches!(self.word(at + 1), "that" | "its" | "their" | "the" | "this")
            && matches!(
                self.word(at + 2),
                "entity"
                    | "company"
                    | "firm"
                    | "organisation"
                    | "organization"
                    | "business"
                    | "issuer"
                    | "supplier"
                    | "vendor"
                    | "party"
            );
        if is_owner { 3 } else { 0 }
    }

    fn fiscal_year(&self, at: usize) -> Option<(usize, i32)> {
        let word = self.word(at);
        if let Some(year) = year_of(word)
            && is_fiscal(self.word(at + 1))
        {
            let with_year = usize::from(self.word(at + 2) == "year");
            return Some((2 + with_year, year));
        }
        if let Some(digits) = word.strip_prefix("fy").filter(|digits| !digits.is_empty()) {
            return Some((1, short_year(digits)?));
        }
        is_fiscal(word).then_some(())?;
        let year = usize::from(self.word(at + 1) == "year");
        let of = self.of(at + 1 + year);
        Some((2 + year + of, short_year(self.word(at + 1 + year + of))?))
    }

    /// The year behind a part of a year, with the number of words that it takes: `2024`, `calendar year 2024`, `the
    /// year 2024`, `CY2024`, also behind `of` or `in`.
    pub(super) fn year_behind(&self, at: usize) -> Option<(usize, i32)> {
        let mut skipped = self.of(at);
        while matches!(self.word(at + skipped), "the" | "calendar" | "year" | "cy") {
            skipped += 1;
        }
        let word = self.word(at + skipped);
        let year = year_of(word.strip_prefix("cy").unwrap_or(word))?;
        Some((skipped + 1, year))
    }

    /// A quarter or a half: `Q2 2024`, `2024 Q2`, `second quarter of 2024`, `H1 2024`, `first half of 2024`.
    pub(super) fn part_of_year(&self, at: usize) -> Option<(usize, DaySpan)> {
        if let Some(found) = self.glued_part(at) {
            return Some(found);
        }
        let (before, year) = match year_of(self.word(at)) {
            Some(year) => (1, Some(year)),
            None => (0, None),
        };
        let (length, first, count) = match self.quarter(at + before) {
            Some((length, quarter)) => (length, i32::from(quarter) * 3 - 2, 3),
            None => {
                let (length, half) = self.half(at + before)?;
                (length, half * 6 - 5, 6)
            }
        };
        let at_year = at + before + length;
        let (after, year) = match year {
            Some(year) => (0, year),
            None => match self.year_behind(at_year) {
                Some(found) => found,
                None => (
                    0,
                    self.listed_year_of_quarter(at_year, self.quarter(at)?.1)?,
                ),
            },
        };
        let range = calendar::months(year, first, count)?;
        Some((before + length + after, DaySpan::of(range, Grain::Days)))
    }

    /// A quarter or a half, or a range of them, glued together in one word: `Q2/2024`, `Q2-24`, `2Q24`, `1H2024`,
    /// `Q1-Q3 2024`.
    fn glued_part(&self, at: usize) -> Option<(usize, DaySpan)> {
        let word = self.word(at);
        let marks = ['/', '-', '–', '\'', '’'];
        let written = |length, year, first, count| {
            let range = calendar::months(year, first, count)?;
            Some((length, DaySpan::of(range, Grain::Days)))
        };
        if let Some((first, last)) = word.split_once(marks)
            && let (Some((first, 3)), Some((last, count))) = (part_of(first), part_of(last))
            && first < last
            // A slash is no dash: `Q1/Q3` are two quarters.
            && (!word.contains('/') || first + 3 == last)
        {
            let of = self.of(at + 1);
            let year = year_of(self.word(at + 1 + of))?;
            return written(2 + of, year, first, last + count - first);
        }
        let (part, year) = match word.split_once(marks) {
            Some((part, year)) => (part, year),
            None => word.split_at_checked(2)?,
        };
        let (first, count) = part_of(part)?;
        written(1, short_year(year)?, first, count)
    }

    /// The first or last day of a span: `the last day of March 2024`, `the first day of Q3 2024`.
    pub(super) fn edge_of_span(&self, at: usize) -> Option<(usize, DaySpan)> {
        let is_first = match self.word(at) {
            "first" => true,
            "last" | "final" => false,
            _ => return None,
        };
        ((self.word(at + 1), self.word(at + 2)) == ("day", "of")).then_some(())?;
        let behind = at + 3;
        let whole = self
            .part_of_year(behind)
            .or_else(|| self.month(behind, false));
        let (length, span) =
            whole.or_else(|| self.years(behind + usize::from(self.word(behind) == "year")))?;
        let day = match is_first {
            true => span.range.from?,
            false => span.range.until?.previous_day()?,
        };
        Some((3 + length, DaySpan::of(calendar::one(day)?, Grain::Days)))
    }

    /// Months or quarters at an end of a year: `the first three months of 2024`, `the last two quarters of 2023`.
    pub(super) fn first_of_year(&self, at: usize) -> Option<(usize, DaySpan)> {
        let is_first = match self.word(at) {
            "first" | "opening" => true,
            "last" | "final" | "closing" => false,
            _ => return None,
        };
        let many = i32::try_from(count(self.word(at + 1))?).ok()?;
        let months = match self.word(at + 2) {
            "month" | "months" => many,
            "quarter" | "quarters" => many.checked_mul(3)?,
            _ => return None,
        };
        let of = self.of(at + 3);
        let (length, year) = self
            .year_behind(at + 3)
            .filter(|_| of > 0 && months <= 12)?;
        let first = if is_first { 1 } else { 13 - months };
        let range = calendar::months(year, first, months)?;
        Some((3 + length, DaySpan::of(range, Grain::Days)))
    }

    /// A calendar week, from Monday to Sunday: `week 12 of 2024`, `CW12 2024`.
    pub(super) fn week(&self, at: usize) -> Option<(usize, DaySpan)> {
        let word = self.word(at);
        let (length, week) = match word {
            "week" | "cw" | "wk" => (2, self.word(at + 1).parse().ok()?),
            _ => {
                let digits = word
                    .strip_prefix("cw")
                    .or_else(|| word.strip_prefix("wk"))?;
                (1, digits.parse().ok()?)
            }
        };
        let of = self.of(at + length);
        let year = year_of(self.word(at + length + of))?;
        let range = calendar::week(year, week)?;
        Some((length + of + 1, DaySpan::of(range, Grain::Days)))
    }

    /// The number of words that name a day which the calendar does not have.
    pub(super) fn no_day(&self, at: usize) -> Option<usize> {
        if let Some(month) = number_in_date(self.word(at)).filter(|_| self.word(at).len() > 2) {
            let date = date_of(self.word(at + 1))?;
            let year = year_of(self.word(at + 2));
            let is_day = calendar::day(year.unwrap_or(LEAP_YEAR), month, date).is_some();
            return (!is_day).then_some(2 + usize::from(year.is_some()));
        }
        if is_written_in_digits(self.word(at)) && numeric(self.word(at)).is_none() {
            return Some(1);
        }
        let date = date_of(self.word(at))?;
        let of = usize::from(self.word(at + 1) == "of");
        let month =
            number_in_date(self.word(at + 1 + of)).filter(|_| self.word(at + 1 + of).len() > 2)?;
        let year = year_of(self.word(at + 2 + of));
        let is_day = calendar::day(year.unwrap_or(LEAP_YEAR), month, date).is_some();
        (!is_day).then_some(2 + of + usize::from(year.is_some()))
    }

    pub(super) fn quarter(&self, at: usize) -> Option<(usize, u8)> {
        let word = self.word(at);
        if matches!(word, "quarter" | "q") {
            let number = number_of(self.word(at + 1));
            return number.filter(|n| (1..=4).contains(n)).map(|n| (2, n));
        }
        if let Some(digit) = word.strip_prefix('q').and_then(|digit| digit.parse().ok()) {
            return (1..=4).contains(&digit).then_some((1, digit));
        }
        let ordinal = ordinal(word).filter(|_| self.word(at + 1) == "quarter")?;
        (1..=4).contains(&ordinal).then_some((2, ordinal))
    }

    fn half(&self, at: usize) -> Option<(usize, i32)> {
        let word = self.word(at);
        if let Some(digit) = word.strip_prefix('h').and_then(|digit| digit.parse().ok()) {
            return (1..=2).contains(&digit).then_some((1, digit));
        }
        if matches!(word, "semester" | "half" | "half-year") {
            let number = number_of(self.word(at + 1)).filter(|number| (1..=2).contains(number));
            return number.map(|number| (2, i32::from(number)));
        }
        // `the second six months of 2024`
        if self.word(at + 1) == "six" && self.word(at + 2) == "months" {
            let half = match word {
                "last" | "final" => 2,
                _ => ordinal(word)?,
            };
            return (1..=2).contains(&half).then_some((3, i32::from(half)));
        }
        let is_half = matches!(self.word(at + 1), "half" | "half-year" | "semester");
        let ordinal = match (word, is_half) {
            ("last" | "final", true) => 2,
            (_, true) => ordinal(word)?,
            _ => return None,
        };
        (1..=2)
            .contains(&ordinal)
            .then_some((2, i32::from(ordinal)))
    }

    /// A day: `2024-05-03`, `3 May 2024`, `May 3rd, 2024`, `03.05.2024`. `3 May` alone counts behind a word that
    /// announces a time, and means the latest one.
    pub(super) fn one_day(&self, at: usize, is_time: bool) -> Option<(usize, DaySpan)> {
        let written = |length, day: Option<Date>| {
            Some((length, DaySpan::of(calendar::one(day?)?, Grain::Days)))
        };
        if let Some(day) = numeric(self.word(at)) {
            return written(1, Some(day));
        }
        let (length, month, date) = match number_in_date(self.word(at)) {
            Some(month) => (2, month, date_of(self.word(at + 1))?),
            None => {
                let date = date_of(self.word(at))?;
                let of = usize::from(self.word(at + 1) == "of");
                (2 + of, number_in_date(self.word(at + 1 + of))?, date)
            }
        };
        let of = usize::from(self.word(at + length) == "of");
        if let Some(year) = year_of(self.word(at + length + of)) {
            return written(length + of + 1, calendar::day(year, month, date));
        }
        if let Some(year) = self.listed_year(at + length, month) {
            return written(length, calendar::day(year, month, date));
        }
        let is_time = is_time || matches!(self.word_before(at), "on" | "dated");
        let this = calendar::day(self.today.year(), month, date).filter(|_| is_time)?;
        match this <= self.today {
            true => written(length, Some(this)),
            false => written(length, calendar::day(self.today.year() - 1, month, date)),
        }
    }

    /// A month: `May 2024`, `May of 2024`, `2024-05`. `March` alone counts behind a word that announces a time.
    pub(super) fn month(&self, at: usize, is_time: bool) -> Option<(usize, DaySpan)> {
        let written = |length, year, month| {
            let range = calendar::months(year, i32::from(month), 1)?;
            Some((length, DaySpan::of(range, Grain::Days)))
        };
        if let Some((year, month)) = self.word(at).split_once('-')
            && month.len() == 2
            && let (Some(year), Some(month)) = (year_of(year), month_in_digits(month))
        {
            return written(1, year, month);
        }
        if let Some((first, last)) = self.word(at).split_once(['/', '-', '–']) {
            // `05/2024`, `2024/05`, `Jan-Mar 2024`.
            if let (Some(month), Some(year)) = (month_in_digits(first), year_of(last)) {
                return written(1, year, month);
            }
            if let (Some(year), Some(month)) = (year_of(first), month_in_digits(last)) {
                return written(1, year, month);
            }
            let (first, last) = (number_in_date(first)?, number_in_date(last)?);
            let is_range = first < last && (!self.word(at).contains('/') || first + 1 == last);
            let year = year_of(self.word(at + 1)).filter(|_| is_range)?;
            let range = calendar::months(year, i32::from(first), i32::from(last - first) + 1)?;
            return Some((2, DaySpan::of(range, Grain::Days)));
        }
        let month = number_in_date(self.word(at))?;
        // The month of a day that does not exist is not a span by itself.
        if date_of(self.word_before(at)).is_some() {
            return None;
        }
        if let Some((length, year)) = self.year_behind(at + 1) {
            return written(1 + length, year, month);
        }
        if let Some(year) = self.listed_year(at + 1, month) {
            return written(1, year, month);
        }
        let is_named = matches!(self.word_before(at), "in" | "during") && self.is_capital;
        if !is_time && !is_named {
            return None;
        }
        let is_over = u8::from(self.today.month()) >= month;
        written(1, self.today.year() - i32::from(!is_over), month)
    }

    /// Years: `2024`, `2019-2021`, `2019 to 2021`, `2023-24`.
    pub(super) fn years(&self, at: usize) -> Option<(usize, DaySpan)> {
        let word = self.word(at);
        let written = |length, first, last| {
            let range = calendar::years(first, last)?;
            Some((length, DaySpan::of(range, Grain::Years(first, last))))
        };
        if let Some((first, last)) = word.split_once(['-', '–'])
            && let (Some(first), Some(last)) = (year_of(first), year_of(last))
        {
            return (first <= last).then(|| written(1, first, last))?;
        }
        if let Some((first, last)) = word.split_once(['-', '–'])
            && let (Some(first), Ok(last)) = (year_of(first), last.parse::<i32>())
            && last > 12
            && last == (first + 1) % 100
        {
            return written(1, first, first + 1);
        }
        let beside = |prefix, side| {
            let year = year_of(word.strip_prefix(prefix)?)?;
            let (length, span) = written(1, year, year)?;
            Some((length, DaySpan { side, ..span }))
        };
        if let Some(found) =
            beside("pre-", SpanSide::Before).or_else(|| beside("post-", SpanSide::After))
        {
            return Some(found);
        }
        if let Some(year) = word.strip_prefix("cy").and_then(year_of) {
            return written(1, year, year);
        }
        // `the 2010s`
        if let Some(first) = word
            .strip_suffix('s')
            .and_then(year_of)
            .filter(|year| year % 10 == 0)
        {
            return written(1, first, first + 9);
        }
        let first = year_of(word)?;
        match year_of(self.word(at + 2)) {
            Some(last)
                if first < last && matches!(self.word(at + 1), "to" | "through" | "until") =>
            {
                written(3, first, last)
            }
            _ => written(1, first, first),
        }
    }
}

/// A leap year, which has every day.
const LEAP_YEAR: i32 = 2024;

fn is_fiscal(word: &str) -> bool {
    matches!(
        word,
        "fiscal" | "financial" | "business" | "accounting" | "fy"
    )
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
    let is_iso = is_numbers('-', [4, 2, 2]) && word.find('-') == Some(4);
    is_iso
        || is_numbers('.', [2, 2, 4])
            && year_of(word.rsplit('.').next().unwrap_or_default()).is_some()
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
    let ending = &word[digits.len()..];
    let fits = matches!(ending, "" | "st" | "nd" | "rd" | "th");
    digits
        .parse()
        .ok()
        .filter(|date| fits && (1..=31).contains(date))
}

/// A day in digits: `2024-05-03`, `2024-05-03T10:00:00Z`, `03.05.2024`. With slashes it counts only if a single order
/// of day and month is possible.
fn numeric(word: &str) -> Option<Date> {
    if let Some(iso) = word.get(..10)
        && let [year, month, date] = iso.split('-').collect::<Vec<_>>()[..]
    {
        let rest = &word[10..];
        let fits = year.len() == 4 && (rest.is_empty() || rest.starts_with('t'));
        return fits
            .then(|| calendar::day(year.parse().ok()?, month.parse().ok()?, date.parse().ok()?))?;
    }
    let mark = ['.', '/']
        .into_iter()
        .find(|mark| word.matches(*mark).count() == 2)?;
    let [first, second, year] = word.split(mark).collect::<Vec<_>>()[..] else {
        return None;
    };
    let (first, second, year): (u8, u8, _) =
        (first.parse().ok()?, second.parse().ok()?, year_of(year)?);
    let (date, month) = match mark {
        '.' => (first, second),
        // Countries differ in which comes first, so only one of the two readings may be a day.
        _ if first > 12 => (first, second),
        _ if second > 12 || first == second => (second, first),
        _ => return None,
    };
    calendar::day(year, month, date)
}

fn number_of(word: &str) -> Option<u8> {
    let spelled = ["one", "two", "three", "four"];
    let spelled = spelled.iter().position(|spelled| *spelled == word);
    spelled.map_or_else(|| word.parse().ok(), |place| u8::try_from(place + 1).ok())
}

fn ordinal(word: &str) -> Option<u8> {
    Some(match word {
        "first" | "1st" => 1,
        "second" | "2nd" => 2,
        "third" | "3rd" => 3,
        "fourth" | "4th" | "last" | "final" => 4,
        _ => return None,
    })
}
