//! Reads a span at a token: its side, and ranges from one span to another. The module does *not* know the names of
//! spans (`units`), nor spans relative to today (`relative`).

use super::calendar;
use super::{DayRange, DaySpan, Grain, SpanSide, relative, sides, units};
use crate::token::QuestionToken;
use text::months::number_in_date;
use time::Date;

/// The span that begins at token `at`, with the number of tokens that it takes.
pub fn read(tokens: &[QuestionToken], at: usize, today: Date) -> Option<(usize, DaySpan)> {
    let words = words(tokens, at)?;
    let reader = Reader::new(tokens, &words, at, today);
    let found = reader.sided();
    let found = found.or_else(|| reader.bare_range());
    let found = found.or_else(|| reader.plain(0, false));
    found.map(|(length, span)| reader.with_words_behind(length, span))
}

/// The number of tokens at `at` that name a day which the calendar does not have: `31 February 2024`.
pub(crate) fn impossible(tokens: &[QuestionToken], at: usize, today: Date) -> Option<usize> {
    let words = words(tokens, at)?;
    Reader::new(tokens, &words, at, today).no_day(0)
}

fn words(tokens: &[QuestionToken], at: usize) -> Option<Vec<&str>> {
    let from = tokens.get(at..)?.iter().take(WORDS_MAX);
    Some(from.map(|token| token.lower.as_str()).collect())
}

/// The most words of a span: `between the first of January 2024 and the thirty-first of March 2024`.
const WORDS_MAX: usize = 20;

/// The last position of the word between the two ends of a range.
const BETWEEN_WORDS_MAX: usize = 9;
/// The same for a range that no word such as `from` introduces.
const BARE_WORDS_MAX: usize = 5;

pub(super) struct Reader<'a> {
    pub(super) words: &'a [&'a str],
    /// The word before these words.
    before: &'a str,
    /// Whether the first of these words has a capital letter.
    pub(super) is_capital: bool,
    pub(super) today: Date,
}

impl<'a> Reader<'a> {
    fn new(
        tokens: &'a [QuestionToken],
        words: &'a [&'a str],
        at: usize,
        today: Date,
    ) -> Reader<'a> {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        Reader {
            words,
            before: before.map_or("", |token| token.lower.as_str()),
            is_capital: tokens.get(at).is_some_and(QuestionToken::is_capital),
            today,
        }
    }

    /// A span behind a word that says its side, or a range of two spans with words around them.
    fn sided(&self) -> Option<(usize, DaySpan)> {
        let beside = || self.day_beside().or_else(|| self.time_beside());
        if let Some(found) = self.between().or_else(beside) {
            return Some(found);
        }
        let (skipped, side, is_time) = sides::before(self.words)?;
        let (length, span) = self.plain(skipped, is_time)?;
        // `older than 30 days` already includes its side.
        (span.side == SpanSide::In).then_some(())?;
        Some((skipped + length, DaySpan { side, ..span }))
    }

    /// The day before or after a day: `on the day before 6 March 2024`. `From the day after` and `on any day after` mean
    /// all days after it.
    fn day_beside(&self) -> Option<(usize, DaySpan)> {
        let the = 1;
        if self.word(0) != "the" || !matches!(self.before, "on" | "of" | "for") {
            return None;
        }
        let is_before = match (self.word(the), self.word(the + 1)) {
            ("day", "before") => true,
            ("day", "after" | "following") => false,
            _ => return None,
        };
        let (length, span) = self.plain(the + 2, true)?;
        let day = span.range.from?;
        let is_one_day = day.next_day() == span.range.until;
        let beside = match is_before {
            true => day.previous_day(),
            false => day.next_day(),
        };
        let range = calendar::one(beside.filter(|_| is_one_day)?)?;
        Some((the + 2 + length, DaySpan::of(range, Grain::Days)))
    }

    /// A time right before or after a day: `within two weeks after 5 March 2024`, `in the week before 20 March 2024`. The
    /// day itself is left out.
    fn time_beside(&self) -> Option<(usize, DaySpan)> {
        let skipped = match (self.word(0), self.word(1)) {
            ("within" | "in" | "during", "the") => 2,
            ("within" | "in" | "during", _) => 1,
            _ => return None,
        };
        let (counted, unit) = match relative::count(self.word(skipped)) {
            Some(many) => (many, skipped + 1),
            None if skipped == 2 => (1, skipped),
            None => return None,
        };
        let is_before = match (self.word(unit + 1), self.word(unit + 2)) {
            ("before" | "preceding", _) => true,
            ("after" | "following", _) => false,
            _ => return None,
        };
        let (length, span) = self.plain(unit + 2, true)?;
        let day = span.range.from?;
        let is_one_day = day.next_day() == span.range.until;
        let (from, until) = match is_before {
            true => (relative::counted_back(counted, self.word(unit), day)?, day),
            false => {
                let last = relative::counted_on(counted, self.word(unit), day)?;
                (day.next_day()?, last.next_day()?)
            }
        };
        let range = DayRange {
            from: Some(from),
            until: Some(until),
        };
        is_one_day.then(|| (unit + 2 + length, DaySpan::of(range, Grain::Days)))
    }

    /// Leaves out the days that bound a span: `from 5 to 20 March exclusive`.
    fn without_bounds(&self, length: usize, span: DaySpan) -> Option<(usize, DaySpan)> {
        if self.word(length) != "exclusive" {
            return None;
        }
        let span = match span.side {
            SpanSide::Until => DaySpan {
                side: SpanSide::Before,
                ..span
            },
            SpanSide::Since => DaySpan {
                side: SpanSide::After,
                ..span
            },
            SpanSide::In => {
                let range = DayRange {
                    from: span.range.from?.next_day(),
                    until: span.range.until?.previous_day(),
                };
                // Nothing is left of one day or two.
                (range.from < range.until).then_some(())?;
                DaySpan::of(range, Grain::Days)
            }
            SpanSide::Before | SpanSide::After => span,
        };
        Some((length + 1, span))
    }

    /// Adds the words behind a span that say its side: `from 2021 on`, `2021 or later`.
    fn with_words_behind(&self, length: usize, span: DaySpan) -> (usize, DaySpan) {
        if let Some(found) = self.without_bounds(length, span) {
            return found;
        }
        let behind = sides::behind(self.words.get(length..).unwrap_or_default(), self.before);
        match behind.filter(|_| span.side == SpanSide::In) {
            Some((words, side)) => (length + words, DaySpan { side, ..span }),
            None => (length, span),
        }
    }

    /// A range with words around it: `between A and B`, `from A to B`. Both ends are included.
    fn between(&self) -> Option<(usize, DaySpan)> {
        let joins: &[&str] = match *self.words.first()? {
            "between" => &["and"],
            "from" => &[
                "to and including",
                "to",
                "until and including",
                "until",
                "till",
                "through to",
                "through",
                "thru",
                "up to and including",
                "up to",
                "right up to",
            ],
            _ => return None,
        };
        let joined = |at: &usize| {
            joins
                .iter()
                .find(|join| self.says(*at, join))
                .map(|join| (*at, *join))
        };
        let (at, join) = (2..BETWEEN_WORDS_MAX).find_map(|at| joined(&at))?;
        // In `from 2021 to 2023` the years are one span already.
        if let Some((length, span)) = self.plain(1, true)
            && length + 1 > at
        {
            return Some((1 + length, span));
        }
        let second = at + join.split(' ').count();
        let (length, until) = match self.word(second) {
            // `from May 2022 to now`
            "now" | "date" => (1, DaySpan::of(calendar::one(self.today)?, Grain::Days)),
            _ => self.plain(second, true)?,
        };
        let (from, until) = match self.plain(1, true) {
            Some((first, from)) if first + 1 == at && self.is_whole(1, at) => {
                let end = second + length;
                let is_whole = from.grain != Grain::Days || self.is_whole(second, end);
                match is_whole {
                    true => (from, until),
                    false => (from, self.completed_after(second, end, from)?),
                }
            }
            _ => (self.completed(1, at, until)?, until),
        };
        let span = joined_spans(from, until)?;
        Some((second + length, span))
    }

    /// A range that no word introduces: `March 2023 to May 2024`, `January to March 2024`. `March and April 2024` is
    /// one if the second span follows the first without a gap.
    fn bare_range(&self) -> Option<(usize, DaySpan)> {
        let joins = ["to", "until", "till", "through", "thru", "and", "or"];
        let at = (1..BARE_WORDS_MAX).find(|at| joins.contains(&self.word(*at)))?;
        let is_list = matches!(self.word(at), "and" | "or");
        let (length, until) = self.plain(at + 1, false)?;
        let from = match self.plain(0, false) {
            Some((first, from)) if first == at && self.is_whole(0, at) => {
                // Two spans that are both named in full stay two.
                (!is_list).then_some(from)?
            }
            _ => self.completed(0, at, until)?,
        };
        let follows = from.range.until.is_some() && from.range.until == until.range.from;
        let span = joined_spans(from, until).filter(|_| !is_list || follows)?;
        Some((at + 1 + length, span))
    }

    /// Whether a span names its year, or needs none.
    fn is_whole(&self, at: usize, end: usize) -> bool {
        let words = || (at..end).map(|at| self.word(at));
        let is_year = |word: &str| word.len() >= 4 && word.contains(|c: char| c.is_ascii_digit());
        let is_part = |word: &str| {
            number_in_date(word).is_some()
                || units::part_of(word).is_some()
                || matches!(word, "quarter" | "half")
        };
        // `last quarter` is a quarter of a year that today says.
        let is_relative = |word: &str| {
            matches!(
                word,
                "last" | "this" | "previous" | "past" | "current" | "next"
            )
        };
        words().any(is_year) || words().any(is_relative) || !words().any(is_part)
    }

    /// The first end of a range if it leaves out what the second end says: `3 to 17 May 2024`, `January to March 2024`,
    /// `Q1 to Q3 2024`. `November to February 2024` begins in the year before.
    fn completed(&self, at: usize, end: usize, until: DaySpan) -> Option<DaySpan> {
        let last = until.range.until?.previous_day()?;
        let is_one_day = until.range.from == Some(last);
        let words = self.telling(at, end);
        let years = [last.year(), last.year() - 1].into_iter();
        let mut spans =
            years.filter_map(|year| self.completed_in(year, &words, end, last, is_one_day));
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
        let words = self.telling(at, end);
        let years = [first.year(), first.year() + 1].into_iter();
        let mut spans = years.filter_map(|year| self.completed_in(year, &words, end, first, true));
        spans.find(|span| span.range.from >= from.range.from)
    }

    /// Words without articles.
    fn telling(&self, at: usize, end: usize) -> Vec<&str> {
        let words = (at..end).map(|at| self.word(at));
        words.filter(|word| *word != "the").collect()
    }

    /// The end of a range, of these words, in a year. `beside` is a day of the other end, which may be one day.
    fn completed_in(
        &self,
        year: i32,
        words: &[&str],
        end: usize,
        beside: Date,
        is_one_day: bool,
    ) -> Option<DaySpan> {
        let range = match words[..] {
            [date] if is_one_day && units::date_of(date).is_some() => {
                let day = calendar::day(year, u8::from(beside.month()), units::date_of(date)?)?;
                calendar::one(day)?
            }
            [month] if number_in_date(month).is_some() => {
                calendar::months(year, i32::from(number_in_date(month)?), 1)?
            }
            [_] | [_, "quarter"] => {
                let (_, quarter) = self.quarter(end - words.len())?;
                calendar::months(year, i32::from(quarter) * 3 - 2, 3)?
            }
            [date, month] if units::date_of(date).is_some() => calendar::one(calendar::day(
                year,
                number_in_date(month)?,
                units::date_of(date)?,
            )?)?,
            [month, date] => calendar::one(calendar::day(
                year,
                number_in_date(month)?,
                units::date_of(date)?,
            )?)?,
            _ => return None,
        };
        Some(DaySpan::of(range, Grain::Days))
    }

    /// A span without a side. A month without a year counts only behind a word that announces a time; it is the latest
    /// such month that has begun.
    fn plain(&self, at: usize, is_time: bool) -> Option<(usize, DaySpan)> {
        let mut the = usize::from(self.word(at) == "the");
        let is_year = |word: &str| matches!(word, "year" | "years" | "calendar" | "month" | "cy");
        let is_told = |at: usize| {
            matches!(self.word(at), "to" | "before" | "that" | "we")
                || (self.word(at), self.word(at + 1)) == ("in", "progress")
        };
        while is_year(self.word(at + the)) && !is_told(at + the + 1) {
            the += 1;
        }
        let at_all = at + the;
        let found = self
            .edge_of_span(at_all)
            .or_else(|| self.fiscal(at_all))
            .or_else(|| self.first_of_year(at_all))
            .or_else(|| self.part_of_year(at_all))
            .or_else(|| self.week(at_all))
            .or_else(|| self.one_day(at_all, is_time))
            .or_else(|| self.month(at_all, is_time))
            .or_else(|| self.years(at_all))
            .or_else(|| relative::read(&self.words[at_all.min(self.words.len())..], self.today));
        found.map(|(length, span)| (length + the, span))
    }

    pub(super) fn of(&self, at: usize) -> usize {
        usize::from(matches!(self.word(at), "of" | "in"))
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.words.get(at).copied().unwrap_or_default()
    }

    pub(super) fn word_before(&self, at: usize) -> &str {
        match at.checked_sub(1) {
            Some(before) => self.word(before),
            None => self.before,
        }
    }

    fn says(&self, at: usize, words: &str) -> bool {
        let mut said = words.split(' ').enumerate();
        said.all(|(i, word)| self.word(at + i) == word)
    }
}

/// The range from the first day of one span to the last day of another, whichever of them is named first.
fn joined_spans(one: DaySpan, other: DaySpan) -> Option<DaySpan> {
    let is_turned = other.range.until <= one.range.from && other.range.until.is_some();
    let (from, until) = match is_turned {
        true => (other, one),
        false => (one, other),
    };
    let range = DayRange {
        from: from.range.from,
        until: until.range.until,
    };
    let grain = match (from.grain, until.grain) {
        (Grain::Years(first, _), Grain::Years(_, last)) => Grain::Years(first, last),
        (
            Grain::Fiscal {
                year,
                quarter: None,
            },
            Grain::Years(_, last),
        ) => Grain::Years(year, last),
        _ => Grain::Days,
    };
    let is_range = range.from.is_some() && range.from < range.until;
    is_range.then(|| DaySpan::of(range, grain))
}
