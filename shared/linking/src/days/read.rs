//! Reads a span at a token. *Not* spans that are named from today on (`relative`).

use super::calendar::{self, month_of, year_of};
use super::{DayRange, Grain, Span, SpanSide, relative};
use crate::token::QuestionToken;
use time::Date;

/// The span that begins at token `at`, and how many tokens name it.
pub fn read(tokens: &[QuestionToken], at: usize, today: Date) -> Option<(usize, Span)> {
    let from = tokens.get(at..)?;
    let words: Vec<&str> = from
        .iter()
        .take(WORDS_MAX)
        .map(|token| token.lower.as_str())
        .collect();
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let reader = Reader {
        words: &words,
        before: before.map_or("", |token| token.lower.as_str()),
        is_capital: from.first().is_some_and(QuestionToken::is_capital),
        today,
    };
    let found = reader.sided().or_else(|| reader.plain(0, false));
    found.map(|(length, span)| reader.with_words_behind(length, span))
}

/// Most words of a span: `between the first of January 2024 and the thirty-first of March 2024`.
const WORDS_MAX: usize = 20;

/// Where the word between two ends of a span may stand at the latest.
const BETWEEN_WORDS_MAX: usize = 9;

/// Words before a span, and on which side of it days are meant then. Longest first.
const SIDES: [(&str, SpanSide); 30] = [
    ("up to and including", SpanSide::Until),
    ("on or later than", SpanSide::Since),
    ("at the latest by", SpanSide::Until),
    ("any time after", SpanSide::After),
    ("not earlier than", SpanSide::Since),
    ("not later than", SpanSide::Until),
    ("ahead of", SpanSide::Before),
    ("as from", SpanSide::Since),
    ("up until", SpanSide::Until),
    ("by the end of", SpanSide::Until),
    ("by", SpanSide::Until),
    ("following", SpanSide::After),
    ("preceding", SpanSide::Before),
    ("past", SpanSide::After),
    ("no earlier than", SpanSide::Since),
    ("not before", SpanSide::Since),
    ("no later than", SpanSide::Until),
    ("not after", SpanSide::Until),
    ("on or after", SpanSide::Since),
    ("on or before", SpanSide::Until),
    ("earlier than", SpanSide::Before),
    ("prior to", SpanSide::Before),
    ("later than", SpanSide::After),
    ("up to", SpanSide::Until),
    ("before", SpanSide::Before),
    ("after", SpanSide::After),
    ("since", SpanSide::Since),
    ("until", SpanSide::Until),
    ("till", SpanSide::Until),
    ("through", SpanSide::Until),
];

/// The same behind a span.
const BEHIND: [(&str, SpanSide); 11] = [
    ("onwards", SpanSide::Since),
    ("onward", SpanSide::Since),
    ("or later", SpanSide::Since),
    ("and later", SpanSide::Since),
    ("or after", SpanSide::Since),
    ("and after", SpanSide::Since),
    ("or newer", SpanSide::Since),
    ("or earlier", SpanSide::Until),
    ("and earlier", SpanSide::Until),
    ("or before", SpanSide::Until),
    ("or older", SpanSide::Until),
];

struct Reader<'a> {
    words: &'a [&'a str],
    /// The word before them.
    before: &'a str,
    /// The first of them has a capital.
    is_capital: bool,
    today: Date,
}

impl Reader<'_> {
    /// A span with a word before it that says on which side, or two with words between.
    fn sided(&self) -> Option<(usize, Span)> {
        if let Some(found) = self.between() {
            return Some(found);
        }
        let (words, side) = SIDES.iter().find(|(words, _)| self.says(0, words))?;
        let skipped = words.split(' ').count();
        // `by May` may be a name as well.
        let is_time = !matches!(*words, "by" | "past" | "following" | "preceding");
        let (length, span) = self.plain(skipped, is_time)?;
        let span = Span {
            side: *side,
            ..span
        };
        Some((skipped + length, span))
    }

    /// `from 2021 on`, `2021 or later`.
    fn with_words_behind(&self, length: usize, span: Span) -> (usize, Span) {
        let behind = BEHIND.iter().find(|(words, _)| self.says(length, words));
        match behind.filter(|_| span.side == SpanSide::In) {
            Some((words, side)) => (
                length + words.split(' ').count(),
                Span {
                    side: *side,
                    ..span
                },
            ),
            None => (length, span),
        }
    }

    /// `between A and B`, `from A to B`: both are in it.
    fn between(&self) -> Option<(usize, Span)> {
        let joins: &[&str] = match *self.words.first()? {
            "between" => &["and"],
            "from" => &["to", "until", "till", "through", "up to"],
            _ => return None,
        };
        let joined = |at: &usize| {
            joins
                .iter()
                .find(|join| self.says(*at, join))
                .map(|join| (*at, *join))
        };
        let (at, join) = (2..BETWEEN_WORDS_MAX).find_map(|at| joined(&at))?;
        let second = at + join.split(' ').count();
        let (length, until) = self.plain(second, true)?;
        let from = match self.plain(1, true) {
            Some((first, from)) if first + 1 == at && self.is_whole(1, at) => from,
            _ => self.completed(1, at, until)?,
        };
        let range = DayRange {
            from: from.range.from,
            until: until.range.until,
        };
        let grain = match (from.grain, until.grain) {
            (Grain::Years(first, _), Grain::Years(_, last)) => Grain::Years(first, last),
            _ => Grain::Days,
        };
        (range.from < range.until).then(|| (second + length, Span::of(range, grain)))
    }

    /// Whether a span says its year, or needs none.
    fn is_whole(&self, at: usize, end: usize) -> bool {
        let words = || (at..end).map(|at| self.word(at));
        let is_year = |word: &str| word.len() >= 4 && word.contains(|c: char| c.is_ascii_digit());
        words().any(is_year) || words().all(|word| month_of(word).is_none())
    }

    /// A beginning that leaves out what its end says: `3 to 17 May 2024`, `January to March 2024`.
    fn completed(&self, at: usize, end: usize, until: Span) -> Option<Span> {
        let last = until.range.until?.previous_day()?;
        let words: Vec<&str> = (at..end)
            .map(|at| self.word(at))
            .filter(|word| *word != "the")
            .collect();
        let year = last.year();
        let range = match words[..] {
            [date] if date_of(date).is_some() => {
                let day = calendar::day(year, u8::from(last.month()), date_of(date)?)?;
                calendar::one(day)?
            }
            [month] => calendar::months(year, i32::from(month_of(month)?), 1)?,
            [date, month] if date_of(date).is_some() => {
                calendar::one(calendar::day(year, month_of(month)?, date_of(date)?)?)?
            }
            [month, date] => calendar::one(calendar::day(year, month_of(month)?, date_of(date)?)?)?,
            _ => return None,
        };
        Some(Span::of(range, Grain::Days))
    }

    /// A span without a side. A month without a year counts only where a word before it says that time is meant, and
    /// is the last one that has begun.
    fn plain(&self, at: usize, is_time: bool) -> Option<(usize, Span)> {
        let mut the = usize::from(self.word(at) == "the");
        let is_year = |word: &str| matches!(word, "year" | "years" | "calendar" | "month" | "cy");
        while is_year(self.word(at + the)) && self.word(at + the + 1) != "to" {
            the += 1;
        }
        let at_all = at + the;
        let found = self
            .fiscal(at_all)
            .or_else(|| self.part_of_year(at_all))
            .or_else(|| self.one_day(at_all))
            .or_else(|| self.month(at_all, is_time))
            .or_else(|| self.years(at_all))
            .or_else(|| relative::read(&self.words[at_all.min(self.words.len())..], self.today));
        found.map(|(length, span)| (length + the, span))
    }

    /// `fiscal year 2023`, `FY2023`, `FY 23`, `second quarter of fiscal 2023`, `Q2 FY2023`.
    fn fiscal(&self, at: usize) -> Option<(usize, Span)> {
        let (skipped, quarter) = match self.quarter(at) {
            Some((length, quarter)) => (length + self.of(at + length), Some(quarter)),
            None => (0, None),
        };
        let at = at + skipped;
        let (length, year) = self.fiscal_year(at)?;
        let range = match quarter {
            Some(quarter) => calendar::months(year, i32::from(quarter) * 3 - 2, 3)?,
            None => calendar::years(year, year)?,
        };
        Some((
            skipped + length,
            Span::of(range, Grain::Fiscal { year, quarter }),
        ))
    }

    fn fiscal_year(&self, at: usize) -> Option<(usize, i32)> {
        let word = self.word(at);
        if let Some(digits) = word.strip_prefix("fy").filter(|digits| !digits.is_empty()) {
            return Some((1, short_year(digits)?));
        }
        let begins = matches!(
            word,
            "fiscal" | "financial" | "business" | "accounting" | "fy"
        );
        begins.then_some(())?;
        let year = usize::from(self.word(at + 1) == "year");
        let of = self.of(at + 1 + year);
        Some((2 + year + of, short_year(self.word(at + 1 + year + of))?))
    }

    /// `Q2 2024`, `2024 Q2`, `second quarter of 2024`, `H1 2024`, `first half of 2024`.
    fn part_of_year(&self, at: usize) -> Option<(usize, Span)> {
        if let Some((part, year)) = self.word(at).split_once(['/', '-', '\''])
            && let Some(quarter) = part.strip_prefix('q').and_then(|digit| digit.parse().ok())
            && let Some(year) = short_year(year)
        {
            let fits = (1..=4).contains(&quarter);
            let range = calendar::months(year, quarter * 3 - 2, 3).filter(|_| fits)?;
            return Some((1, Span::of(range, Grain::Days)));
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
            None => {
                let of = self.of(at_year);
                (of + 1, year_of(self.word(at_year + of))?)
            }
        };
        let range = calendar::months(year, first, count)?;
        Some((before + length + after, Span::of(range, Grain::Days)))
    }

    fn quarter(&self, at: usize) -> Option<(usize, u8)> {
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
        let ordinal = ordinal(word).filter(|_| self.word(at + 1) == "half")?;
        (1..=2)
            .contains(&ordinal)
            .then_some((2, i32::from(ordinal)))
    }

    /// `2024-05-03`, `3 May 2024`, `May 3rd, 2024`, `03.05.2024`.
    fn one_day(&self, at: usize) -> Option<(usize, Span)> {
        let written =
            |length, day: Option<Date>| Some((length, Span::of(calendar::one(day?)?, Grain::Days)));
        if let Some(day) = numeric(self.word(at)) {
            return written(1, Some(day));
        }
        if let Some(month) = month_of(self.word(at)) {
            let date = date_of(self.word(at + 1))?;
            return written(3, calendar::day(year_of(self.word(at + 2))?, month, date));
        }
        let date = date_of(self.word(at))?;
        let of = usize::from(self.word(at + 1) == "of");
        let month = month_of(self.word(at + 1 + of))?;
        written(
            3 + of,
            calendar::day(year_of(self.word(at + 2 + of))?, month, date),
        )
    }

    /// `May 2024`, `May of 2024`, `2024-05`; `March` alone where time is meant.
    fn month(&self, at: usize, is_time: bool) -> Option<(usize, Span)> {
        let written = |length, year, month| {
            let range = calendar::months(year, i32::from(month), 1)?;
            Some((length, Span::of(range, Grain::Days)))
        };
        if let Some((year, month)) = self.word(at).split_once('-')
            && month.len() == 2
            && let (Some(year), Ok(month)) = (year_of(year), month.parse::<u8>())
        {
            return written(1, year, month);
        }
        let month = month_of(self.word(at))?;
        // A day that no month has is not the month.
        if date_of(self.word_before(at)).is_some() {
            return None;
        }
        let of = self.of(at + 1);
        if let Some(year) = year_of(self.word(at + 1 + of)) {
            return written(2 + of, year, month);
        }
        let is_named = matches!(self.word_before(at), "in" | "during") && self.is_capital;
        if !is_time && !is_named {
            return None;
        }
        let is_over = u8::from(self.today.month()) >= month;
        written(1, self.today.year() - i32::from(!is_over), month)
    }

    /// `2024`, `2019-2021`, `2019 to 2021`.
    fn years(&self, at: usize) -> Option<(usize, Span)> {
        let word = self.word(at);
        let written = |length, first, last| {
            let range = calendar::years(first, last)?;
            Some((length, Span::of(range, Grain::Years(first, last))))
        };
        if let Some((first, last)) = word.split_once(['-', '–'])
            && let (Some(first), Some(last)) = (year_of(first), year_of(last))
        {
            return (first <= last).then(|| written(1, first, last))?;
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

    fn of(&self, at: usize) -> usize {
        usize::from(matches!(self.word(at), "of" | "in"))
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).copied().unwrap_or_default()
    }

    fn word_before(&self, at: usize) -> &str {
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

/// `2023` or `23`.
fn short_year(digits: &str) -> Option<i32> {
    let digits = digits.trim_start_matches(['\'', '’', '-']);
    match digits.len() {
        2 => digits.parse::<i32>().ok().map(|year| 2000 + year),
        _ => year_of(digits),
    }
}

/// `3`, `3rd`, `21st`.
fn date_of(word: &str) -> Option<u8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    let fits = matches!(ending, "" | "st" | "nd" | "rd" | "th");
    digits
        .parse()
        .ok()
        .filter(|date| fits && (1..=31).contains(date))
}

/// `2024-05-03`, `2024-05-03T10:00:00Z`, `03.05.2024`, and with slashes where only one order is a day.
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
        // Which comes first differs by country: only one reading may be a day.
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
        "fourth" | "4th" | "last" => 4,
        _ => return None,
    })
}
