//! Reads a span at a token: its side, and ranges from one span to another. The module does *not* know the names of
//! spans (`spans`), nor spans relative to today (`relative`).

use super::calendar;
use super::relative::{self, count};
use super::spans::{date_of, one_day, part_of};
use super::{DayRange, DaySpan, Grain, SpanSide};
use crate::lists::{Phrases, is_of_either};
use crate::months::number_in_either;
use crate::token::QuestionToken;
use std::sync::LazyLock;
use time::Date;

/// The most words of a span: `between the first of January 2024 and the thirty-first of March 2024`.
const WORDS_MAX: usize = 20;
/// The last position of the word between the two ends of a range.
const BETWEEN_WORDS_MAX: usize = 9;
/// The same for a range that no word such as `from` introduces.
const BARE_WORDS_MAX: usize = 5;

/// Words between the two ends of a range, behind `between` and behind `from`.
static JOINS: LazyLock<[Phrases<()>; 2]> = LazyLock::new(|| {
    [both!(between_joins), both!(from_joins)].map(|lists| Phrases::of([(lists, ())]))
});

/// The span that begins at token `at`, with the number of tokens that it takes.
pub fn read(tokens: &[QuestionToken], at: usize, today: Date) -> Option<(usize, DaySpan)> {
    let reader = Reader::new(tokens, at, today)?;
    let found = reader.sided().or_else(|| reader.bare_range());
    let found = found.or_else(|| reader.plain(0, false));
    found.map(|(length, span)| reader.with_words_behind(length, span))
}

/// The number of tokens at `at` that name a day which the calendar does not have: `31 February 2024`.
pub fn impossible(tokens: &[QuestionToken], at: usize, today: Date) -> Option<usize> {
    Reader::new(tokens, at, today)?.no_day(0)
}

pub(super) struct Reader<'a> {
    pub(super) words: Vec<&'a str>,
    /// The word before these words.
    before: &'a str,
    /// Whether the first of these words has a capital letter.
    pub(super) is_capital: bool,
    pub(super) today: Date,
}

impl<'a> Reader<'a> {
    fn new(tokens: &'a [QuestionToken], at: usize, today: Date) -> Option<Reader<'a>> {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let from = tokens.get(at..)?.iter().take(WORDS_MAX);
        Some(Reader {
            words: from.map(|token| token.lower.as_str()).collect(),
            before: before.map_or("", |token| token.lower.as_str()),
            is_capital: tokens.get(at).is_some_and(QuestionToken::is_capital),
            today,
        })
    }

    /// A span behind a word that says its side, or a range of two spans with words around them.
    fn sided(&self) -> Option<(usize, DaySpan)> {
        let beside = || self.day_beside().or_else(|| self.time_beside());
        if let Some(found) = self.between().or_else(beside) {
            return Some(found);
        }
        let (skipped, side, is_time) = self.side_before()?;
        let (length, span) = self.plain(skipped, is_time)?;
        // `older than 30 days` already includes its side.
        (span.side == SpanSide::In).then_some(())?;
        Some((skipped + length, span.on(side)))
    }

    /// One day from a word on.
    fn one(&self, at: usize) -> Option<(usize, Date)> {
        let (length, span) = self.plain(at, true)?;
        let day = span.range.from?;
        (day.next_day() == span.range.until).then_some((length, day))
    }

    /// The day before or after a day: `on the day before 6 March 2024`. `From the day after` and `on any day after` mean
    /// all days after it.
    fn day_beside(&self) -> Option<(usize, DaySpan)> {
        if !self.says(0, "the day") || !matches!(self.before, "on" | "of" | "for") {
            return None;
        }
        let is_before = match self.word(2) {
            "before" => true,
            "after" | "following" => false,
            _ => return None,
        };
        let (length, day) = self.one(3)?;
        match is_before {
            true => one_day(3 + length, day.previous_day()),
            false => one_day(3 + length, day.next_day()),
        }
    }

    /// A time right before or after a day: `within two weeks after 5 March 2024`, `in the week before 20 March 2024`. The
    /// day itself is left out.
    fn time_beside(&self) -> Option<(usize, DaySpan)> {
        matches!(self.word(0), "within" | "in" | "during").then_some(())?;
        let skipped = 1 + usize::from(self.word(1) == "the");
        let (many, unit) = match count(self.word(skipped)) {
            Some(many) => (many, skipped + 1),
            None => (1, Some(skipped).filter(|skipped| *skipped == 2)?),
        };
        let is_before = match self.word(unit + 1) {
            "before" | "preceding" => true,
            "after" | "following" => false,
            _ => return None,
        };
        let (length, day) = self.one(unit + 2)?;
        let unit_of_time = self.unit(unit)?;
        let so_many = |many| relative::counted(many, unit_of_time, day);
        let range = match is_before {
            true => DayRange::of(so_many(-many)?, day),
            false => DayRange::of(day.next_day()?, so_many(many)?.next_day()?),
        };
        Some((unit + 2 + length, DaySpan::of(range, Grain::Days)))
    }

    /// Adds the words behind a span that say its side: `from 2021 on`, `2021 or later`.
    fn with_words_behind(&self, length: usize, span: DaySpan) -> (usize, DaySpan) {
        if let Some(span) = without_bounds(span).filter(|_| self.word(length) == "exclusive") {
            return (length + 1, span);
        }
        let behind = self.side_behind(length);
        let behind = behind.filter(|_| span.side == SpanSide::In);
        behind.map_or((length, span), |(words, side)| {
            (length + words, span.on(side))
        })
    }

    /// A range with words around it: `between A and B`, `from A to B`. Both ends are included.
    fn between(&self) -> Option<(usize, DaySpan)> {
        let joins = match () {
            () if self.is(0, both!(between)) => &JOINS[0],
            () if self.is(0, both!(from)) => &JOINS[1],
            () => return None,
        };
        let joined = |at: usize| Some((at, joins.at(|place| self.word(at + place))?.0));
        let (at, join) = (2..BETWEEN_WORDS_MAX).find_map(joined)?;
        // In `from 2021 to 2023` the years are one span already.
        let first = self.plain(1, true);
        if let Some((length, span)) = first.filter(|(length, _)| length + 1 > at) {
            return Some((1 + length, span));
        }
        let second = at + join;
        // `from May 2022 to now`
        let (length, until) = match self.is(second, both!(now)) {
            true => one_day(1, Some(self.today))?,
            false => self.plain(second, true)?,
        };
        let end = second + length;
        let (from, until) = match first {
            Some((first, from)) if first + 1 == at && self.is_whole(1, at) => {
                match from.grain != Grain::Days || self.is_whole(second, end) {
                    true => (from, until),
                    false => (from, self.completed_after(second, end, from)?),
                }
            }
            _ => (self.completed(1, at, until)?, until),
        };
        Some((end, joined_spans(from, until)?))
    }

    /// A range that no word introduces: `March 2023 to May 2024`, `January to March 2024`. `March and April 2024` is
    /// one if the second span follows the first without a gap.
    fn bare_range(&self) -> Option<(usize, DaySpan)> {
        let at = (1..BARE_WORDS_MAX).find(|at| self.is(*at, both!(bare_joins)))?;
        let is_list = self.is(at, both!(or));
        let (length, until) = self.plain(at + 1, false)?;
        let from = match self.plain(0, false) {
            // Two spans that are both named in full stay two.
            Some((first, from)) if first == at && self.is_whole(0, at) => {
                (!is_list).then_some(from)?
            }
            _ => self.completed(0, at, until)?,
        };
        let follows = from.range.until.is_some() && from.range.until == until.range.from;
        let span = joined_spans(from, until).filter(|_| !is_list || follows)?;
        Some((at + 1 + length, span))
    }

    /// Whether a span names its year, or needs none: `last quarter` is a quarter of a year that today says.
    fn is_whole(&self, at: usize, end: usize) -> bool {
        let is_year = |at: usize| {
            self.word(at).len() >= 4 && self.word(at).contains(|c: char| c.is_ascii_digit())
        };
        let is_part = |at: usize| {
            number_in_either(self.word(at)).is_some()
                || part_of(self.word(at)).is_some()
                || self.is(at, both!(quarter))
                || self.word(at) == "half"
        };
        (at..end).any(|at| is_year(at) || self.is(at, both!(told_from_today)))
            || !(at..end).any(is_part)
    }

    /// The first end of a range if it leaves out what the second end says: `3 to 17 May 2024`, `January to March 2024`,
    /// `Q1 to Q3 2024`. `November to February 2024` begins in the year before.
    fn completed(&self, at: usize, end: usize, until: DaySpan) -> Option<DaySpan> {
        let last = until.range.until?.previous_day()?;
        let is_one_day = until.range.from == Some(last);
        let years = [last.year(), last.year() - 1].into_iter();
        let mut spans = years.filter_map(|year| self.end_in(year, at..end, last, is_one_day));
        // `20 March and 5 March 2024` are of one month, and so of one year.
        let is_of_month = |from: Date| from.month() == last.month();
        spans.find(|span| {
            span.range.from < until.range.until || span.range.from.is_some_and(is_of_month)
        })
    }

    /// The second end of a range if only the first one says a year: `1 October 2026 to 31 December`. `November 2023 to
    /// February` ends in the year after.
    fn completed_after(&self, at: usize, end: usize, from: DaySpan) -> Option<DaySpan> {
        let first = from.range.from?;
        let years = [first.year(), first.year() + 1].into_iter();
        let mut spans = years.filter_map(|year| self.end_in(year, at..end, first, true));
        spans.find(|span| span.range.from >= from.range.from)
    }

    /// The end of a range, of these words, in a year. `beside` is a day of the other end, which may be one day.
    fn end_in(
        &self,
        year: i32,
        at: std::ops::Range<usize>,
        beside: Date,
        is_one_day: bool,
    ) -> Option<DaySpan> {
        let words = at.clone().map(|at| self.word(at));
        let words: Vec<&str> = words.filter(|word| *word != "the").collect();
        let day =
            |month: u8, date: &str| calendar::one(calendar::day(year, month, date_of(date)?)?);
        let range = match words[..] {
            [date] if is_one_day && date_of(date).is_some() => day(beside.month().into(), date)?,
            [month] if number_in_either(month).is_some() => {
                calendar::months(year, number_in_either(month)?.into(), 1)?
            }
            [_] | [_, "quarter" | "quartal"] => {
                let (_, quarter) = self.quarter(at.end - words.len())?;
                calendar::months(year, i32::from(quarter) * 3 - 2, 3)?
            }
            [date, month] if date_of(date).is_some() => day(number_in_either(month)?, date)?,
            [month, date] => day(number_in_either(month)?, date)?,
            _ => return None,
        };
        Some(DaySpan::of(range, Grain::Days))
    }

    /// A span without a side. A month without a year counts only behind a word that announces a time; it is the latest
    /// such month that has begun.
    pub(super) fn plain(&self, at: usize, is_time: bool) -> Option<(usize, DaySpan)> {
        let mut from = at + usize::from(self.is(at, both!(the)));
        let is_told = |at: usize| self.is(at, both!(span_told)) || self.says(at, "in progress");
        while self.is(from, both!(span_before)) && !is_told(from + 1) {
            from += 1;
        }
        let found = self
            .edge_of_span(from)
            .or_else(|| self.fiscal(from))
            .or_else(|| self.first_of_year(from))
            .or_else(|| self.part_of_year(from))
            .or_else(|| self.week(from))
            .or_else(|| self.day(from, is_time))
            .or_else(|| self.month(from, is_time))
            .or_else(|| self.years(from))
            .or_else(|| self.relative(from));
        found.map(|(length, span)| (from + length - at, span))
    }

    /// The number of words `of` at a place.
    pub(super) fn of(&self, at: usize) -> usize {
        usize::from(self.is(at, both!(of)))
    }

    pub(super) fn word(&self, at: usize) -> &'a str {
        self.words.get(at).copied().unwrap_or_default()
    }

    pub(super) fn word_before(&self, at: usize) -> &'a str {
        at.checked_sub(1)
            .map_or(self.before, |before| self.word(before))
    }

    /// Whether a word is in one of two lists.
    pub(super) fn is(&self, at: usize, lists: [&str; 2]) -> bool {
        is_of_either(self.word(at), lists)
    }

    /// Whether the word before one is in one of two lists.
    pub(super) fn is_behind(&self, at: usize, lists: [&str; 2]) -> bool {
        is_of_either(self.word_before(at), lists)
    }

    pub(super) fn says(&self, at: usize, words: &str) -> bool {
        let mut said = words.split(' ').enumerate();
        said.all(|(i, word)| self.word(at + i) == word)
    }
}

/// A span without the days that bound it: `from 5 to 20 March exclusive`. Nothing is left of one day or two.
fn without_bounds(span: DaySpan) -> Option<DaySpan> {
    let side = match span.side {
        SpanSide::Until => SpanSide::Before,
        SpanSide::Since => SpanSide::After,
        SpanSide::In => {
            let from = span.range.from?.next_day();
            let until = span.range.until?.previous_day();
            let range = DayRange { from, until };
            return (from < until).then(|| DaySpan::of(range, Grain::Days));
        }
        side => side,
    };
    Some(span.on(side))
}

/// The range from the first day of one span to the last day of another, whichever of them is named first.
fn joined_spans(one: DaySpan, other: DaySpan) -> Option<DaySpan> {
    let is_turned = other.range.until <= one.range.from && other.range.until.is_some();
    let (from, until) = if is_turned {
        (other, one)
    } else {
        (one, other)
    };
    let range = DayRange {
        from: from.range.from,
        until: until.range.until,
    };
    let grain = match (from.grain, until.grain) {
        (Grain::Years(year, _), Grain::Years(_, last)) => Grain::Years(year, last),
        (Grain::Fiscal { year, quarter }, Grain::Years(_, last)) if quarter.is_none() => {
            Grain::Years(year, last)
        }
        _ => Grain::Days,
    };
    let is_range = range.from.is_some() && range.from < range.until;
    is_range.then(|| DaySpan::of(range, grain))
}
