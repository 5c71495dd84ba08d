//! Finds numbers, dates and names in a text by their form.

use std::ops::Range;
use text::months;

/// A word between blanks, without the punctuation around it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: Range<usize>,
    /// The punctuation behind it.
    pub(crate) marks: &'a str,
    /// Whether a sentence or a quotation begins with it.
    pub(crate) is_first: bool,
}

/// The punctuation around words.
const AROUND: &[char] = &[
    '"', '\'', '(', ')', '[', ']', '“', '”', '‘', '’', ',', ';', ':', '!', '?', '.', '—', '–',
];

/// The words of a text.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut is_first = true;
    let mut from = 0;
    for raw in text.split_whitespace() {
        let start = from + text[from..].find(raw).unwrap_or(0);
        from = start + raw.len();
        let opened = raw.trim_start_matches(AROUND);
        let bare = opened.trim_end_matches(AROUND);
        if bare.is_empty() {
            continue;
        }
        let at = start + raw.len() - opened.len();
        let is_opened = opened.len() < raw.len();
        words.push(Word {
            text: bare,
            at: at..at + bare.len(),
            marks: &opened[bare.len()..],
            is_first: is_first || is_opened,
        });
        is_first = opened[bare.len()..].contains(['.', '!', '?', ':']);
    }
    words
}

/// A number with its sign, unit or letters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    pub(crate) at: Range<usize>,
    pub(crate) value: f64,
    /// The digits alone.
    pub(crate) digits: Range<usize>,
    /// The sign or letters around the digits, and the word behind them, which tell what the number counts.
    pub(crate) shape: String,
}

/// The numbers of a text that are neither dates nor parts of identifiers, scores or times of day.
pub(crate) fn figures(text: &str) -> Vec<Figure> {
    let words = words(text);
    let dates = dates(text);
    let mut figures = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let is_dated = dates
            .iter()
            .any(|date| date.at.start < word.at.end && word.at.start < date.at.end);
        let body = word.text.trim_start_matches(['$', '€', '£']);
        let body = body.trim_end_matches('%');
        let number = body.replace(',', "");
        let is_plain = body.starts_with(|c: char| c.is_ascii_digit())
            && body
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b',' || byte == b'.')
            && well_grouped(body)
            // It may be a year, whatever stands before it.
            && year(body).is_none();
        let before = place
            .checked_sub(1)
            .and_then(|place| words.get(place))
            .map_or("", |word| word.text);
        let behind = words.get(place + 1).map_or("", |word| word.text);
        let is_clock = matches!(
            behind.to_lowercase().as_str(),
            "a.m" | "p.m" | "am" | "pm" | "gmt" | "est" | "et" | "o'clock"
        );
        let is_counter = matches!(
            before.to_lowercase().as_str(),
            "no" | "nr"
                | "section"
                | "article"
                | "game"
                | "week"
                | "round"
                | "class"
                | "iso"
                | "page"
        );
        let (true, Ok(value)) = (
            is_plain && !is_dated && !is_clock && !is_counter,
            number.parse::<f64>(),
        ) else {
            continue;
        };
        let start = word.at.start + word.text.find(body).unwrap_or(0);
        let scale = matches!(behind, "million" | "billion" | "thousand")
            .then_some(behind)
            .filter(|_| word.marks.is_empty());
        figures.push(Figure {
            at: word.at.clone(),
            value,
            digits: start..start + body.len(),
            shape: format!(
                "{}{}{}",
                word.text.replace(body, "#"),
                if body.contains('.') { "." } else { "" },
                scale.unwrap_or_default()
            ),
        });
    }
    figures
}

fn well_grouped(body: &str) -> bool {
    let whole = body.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().map_or(0, str::len);
    body.matches('.').count() <= 1
        && (first <= 3 || !whole.contains(','))
        && groups.all(|group| group.len() == 3)
}

/// A date.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dated {
    pub(crate) at: Range<usize>,
    pub(crate) year: Option<u32>,
    pub(crate) month: Option<usize>,
    pub(crate) day: Option<u32>,
}

impl Dated {
    /// Which of year, month and day are named.
    pub(crate) fn parts(&self) -> (bool, bool, bool) {
        (
            self.year.is_some(),
            self.month.is_some(),
            self.day.is_some(),
        )
    }

    /// Whether both dates may be the same day, month or year.
    pub(crate) fn may_be(&self, other: &Dated) -> bool {
        let agrees =
            |one: Option<u32>, other: Option<u32>| one.is_none() || other.is_none() || one == other;
        let month = |dated: &Dated| dated.month.map(|month| month as u32);
        agrees(self.year, other.year)
            && agrees(month(self), month(other))
            && agrees(self.day, other.day)
    }
}

/// `November 11, 2023`, `11 November 2023`, `November 2023`, `November 11`, `in 2023`, `2023-11-11`.
pub(crate) fn dates(text: &str) -> Vec<Dated> {
    let words = words(text);
    let mut dates: Vec<Dated> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match date_at(&words, at) {
            Some((length, dated)) => {
                dates.push(dated);
                at += length;
            }
            None => at += 1,
        }
    }
    dates
}

fn date_at(words: &[Word<'_>], at: usize) -> Option<(usize, Dated)> {
    let word = |at: usize| words.get(at);
    let end = |length: usize| words[at].at.start..words[at + length - 1].at.end;
    let first = word(at)?;
    let is_near =
        |at: usize| word(at).is_some_and(|word| word.marks.is_empty() || word.marks == ",");
    // A day and a month in either order, with the year where one follows.
    let with_year = |day, month| {
        let year = word(at + 2)
            .filter(|_| is_near(at + 1))
            .and_then(|word| year(word.text));
        let length = 2 + usize::from(year.is_some());
        let dated = Dated {
            at: end(length),
            year,
            month: Some(month),
            day: Some(day),
        };
        (length, dated)
    };
    if let Some((year, month, day)) = iso(first.text) {
        return Some((
            1,
            Dated {
                at: end(1),
                year: Some(year),
                month: Some(month),
                day: Some(day),
            },
        ));
    }
    if let Some(month) = month(first.text) {
        if let Some(day) = word(at + 1)
            .filter(|_| is_near(at))
            .and_then(|word| day(word.text))
        {
            return Some(with_year(day, month));
        }
        let year = word(at + 1)
            .filter(|_| is_near(at))
            .and_then(|word| year(word.text))?;
        return Some((
            2,
            Dated {
                at: end(2),
                year: Some(year),
                month: Some(month),
                day: None,
            },
        ));
    }
    if let (Some(day), Some(month)) = (
        day(first.text),
        word(at + 1)
            .filter(|_| first.marks.is_empty())
            .and_then(|word| month(word.text)),
    ) {
        return Some(with_year(day, month));
    }
    let before = at
        .checked_sub(1)
        .and_then(word)
        .map_or("", |word| word.text);
    let is_dated = matches!(
        before.to_lowercase().as_str(),
        "in" | "since"
            | "of"
            | "by"
            | "until"
            | "from"
            | "early"
            | "late"
            | "during"
            | "before"
            | "after"
    );
    let year = year(first.text).filter(|_| is_dated)?;
    Some((
        1,
        Dated {
            at: end(1),
            year: Some(year),
            month: None,
            day: None,
        },
    ))
}

fn iso(word: &str) -> Option<(u32, usize, u32)> {
    let [year, month, day] = word.split('-').collect::<Vec<_>>()[..] else {
        return None;
    };
    let (year, month, day) = (self::year(year)?, month.parse().ok()?, day.parse().ok()?);
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year, month, day))
}

fn year(word: &str) -> Option<u32> {
    let year: u32 = word.parse().ok()?;
    (word.len() == 4 && (1900..=2050).contains(&year)).then_some(year)
}

fn day(word: &str) -> Option<u32> {
    let day: u32 = word
        .trim_end_matches(['t', 'h', 's', 'n', 'd', 'r'])
        .parse()
        .ok()?;
    (1..=31).contains(&day).then_some(day)
}

/// A month by its name or its first letters, from 1.
pub(crate) fn month(word: &str) -> Option<usize> {
    if !word.starts_with(char::is_uppercase) {
        return None;
    }
    months::number(&word.to_lowercase(), 3..=4).map(usize::from)
}

/// A name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named<'a> {
    pub(crate) at: Range<usize>,
    pub(crate) text: &'a str,
}

impl Named<'_> {
    /// Its words in lower case, without a possessive ending.
    pub(crate) fn parts(&self) -> Vec<String> {
        let parts = self.text.split([' ', '-']);
        parts
            .map(|part| {
                part.trim_end_matches("'s")
                    .trim_end_matches("’s")
                    .to_lowercase()
            })
            .collect()
    }
}

/// Words with a capital letter that name nobody and nothing.
const NO_NAMES: &str = "i monday tuesday wednesday thursday friday saturday sunday mr mrs ms dr the a an but and or if in on at he \
    she it they we you this that these those his her its their our your my as for with from by after before when \
    while according";

/// Codes that stand before an amount.
const CODES: [&str; 6] = ["EUR", "USD", "GBP", "CHF", "VAT", "ISO"];

/// The names of a text: adjacent words with a capital letter that begin no sentence.
pub(crate) fn names(text: &str) -> Vec<Named<'_>> {
    let words = words(text);
    let mut runs: Vec<(Range<usize>, bool)> = Vec::new();
    let mut is_open = false;
    for word in &words {
        let lower = word.text.to_lowercase();
        let bare = lower.trim_end_matches("'s").trim_end_matches("’s");
        let is_no_name = month(word.text).is_some()
            || months::ENGLISH.contains(&bare)
            || CODES.contains(&word.text)
            || NO_NAMES.split_ascii_whitespace().any(|known| known == bare);
        let is_name = word.text.starts_with(char::is_uppercase)
            && word
                .text
                .chars()
                .all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'))
            && bare.chars().count() >= 3
            && !is_no_name;
        match (is_name, runs.last_mut()) {
            (true, Some((last, _))) if is_open => last.end = word.at.end,
            (true, _) => runs.push((word.at.clone(), word.is_first)),
            (false, _) => {}
        }
        is_open = is_name
            && word.marks.is_empty()
            && !word.text.ends_with("'s")
            && !word.text.ends_with("’s");
    }
    // What a sentence begins with may be any word, unless others with a capital follow.
    let named = runs
        .into_iter()
        .filter(|(at, is_first)| !is_first || text[at.clone()].contains(' '));
    named
        .map(|(at, _)| {
            let owned = &text[at.clone()];
            let bare = owned
                .strip_suffix("'s")
                .or_else(|| owned.strip_suffix("’s"))
                .unwrap_or(owned);
            Named {
                at: at.start..at.start + bare.len(),
                text: bare,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_found() {
        let text = "On November 11, 2023, Dave Clark of Flexport paid $1,200.50 for 45% of 3 million shares in 2022.";
        let found: Vec<&str> = dates(text).into_iter().map(|date| &text[date.at]).collect();
        assert_eq!(found, ["November 11, 2023", "2022"]);
        let found: Vec<&str> = figures(text)
            .into_iter()
            .map(|figure| &text[figure.at])
            .collect();
        assert_eq!(found, ["$1,200.50", "45%", "3"]);
        let found: Vec<&str> = names(text).into_iter().map(|name| name.text).collect();
        assert_eq!(found, ["Dave Clark", "Flexport"]);
    }
}
