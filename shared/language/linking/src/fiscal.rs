//! Finds out when the fiscal years of a company end from its documents: `Our fiscal year ends on 30 June`. Pure.

use crate::days::{FiscalEnd, day};
use crate::token::{QuestionToken, TokenWords, tokens};
use text::months::number_in_date;

/// The number of words of one sentence that are read behind `fiscal year`.
const WORDS_MAX: usize = 16;

/// The last day of the fiscal years that a text describes, if it names a day: `the financial year runs from 1 July to
/// 30 June`, `fiscal year begins on February 1`.
pub fn end_in(text: &str) -> Option<FiscalEnd> {
    let lower = text.to_lowercase();
    let named = "fiscal year,financial year,business year,accounting year".split(',');
    let places = named.flat_map(|name| lower.match_indices(name));
    let mut places: Vec<usize> = places.map(|(at, _)| at).collect();
    places.sort_unstable();
    let mut places = places.into_iter();
    let behind = places.find_map(|at| end_behind(lower.get(at..)?));
    behind.or_else(|| lower.split(['.', '\n', ';']).find_map(end_in_sentence))
}

/// The same from metadata: `06-30` in a field whose name mentions a year.
pub fn end_in_field(field: &str, value: &str) -> Option<FiscalEnd> {
    let lower = field.to_lowercase();
    let (month, date) = value.split_once('-').filter(|_| value.len() == 5)?;
    let (month, date) = (month.parse().ok()?, date.parse().ok()?);
    let is_day = day(2024, month, date).is_some();
    let mut words = ["year", "fiscal", "fy", "closing"].iter();
    let is_year = words.any(|word| lower.contains(word));
    (is_year && is_day).then_some(FiscalEnd { month, day: date })
}

/// A sentence such as `Our books close on 30 June`: a day without a year, with words for a year and for its end or
/// beginning.
fn end_in_sentence(lower: &str) -> Option<FiscalEnd> {
    let has = |words: &str| words.split(',').any(|word| lower.contains(word.trim()));
    if lower.len() > SENTENCE_BYTES_MAX || !has(words!(fiscal_years)) || !has(words!(fiscal_ends)) {
        return None;
    }
    let words = tokens(lower);
    let is_recurring = |at: usize| {
        let behind = &words[at..words.len().min(at + 4)];
        let has_year = behind.iter().any(|word| {
            word.lower.len() == 4 && word.lower.bytes().all(|byte| byte.is_ascii_digit())
        });
        !has_year && day_at(&words, at).is_some()
    };
    let mut days = (0..words.len()).filter(|at| is_recurring(*at));
    let first = days.next()?;
    let last = days.next_back().unwrap_or(first);
    let named = day_at(&words, last)?;
    // `30 June` is two tokens, and each may be read as a day together with its neighbour.
    match last - first < 3 && words.iter().any(begins) {
        true => day_before(named),
        false => Some(named),
    }
}

/// Whether a word says that a year begins.
fn begins(word: &QuestionToken) -> bool {
    let mut beginnings = ["begin", "start", "commence", "open"].iter();
    word.lower == "from" || beginnings.any(|known| word.lower.starts_with(known))
}

fn day_before(named: FiscalEnd) -> Option<FiscalEnd> {
    // Any year that is not a leap year will do, because only 29 February differs.
    let last = day(2023, named.month, named.day)?.previous_day()?;
    Some(FiscalEnd {
        month: u8::from(last.month()),
        day: last.day(),
    })
}

fn end_behind(lower: &str) -> Option<FiscalEnd> {
    let words = tokens(lower.get(..SENTENCE_BYTES_MAX).unwrap_or(lower));
    let last = words.iter().position(|word| word.is_last);
    let end = last.map_or(words.len(), |last| last + 1);
    let words = &words[..end.min(WORDS_MAX)];
    // The last day that the sentence names is the end, unless it names the beginning alone.
    let mut places = (0..words.len()).rev();
    let (at, named) = places.find_map(|at| Some((at, day_at(words, at)?)))?;
    let before = at.checked_sub(2).map(|from| &words[from..at]);
    let is_first = before.is_some_and(|before| before.iter().any(begins))
        && (0..at.saturating_sub(2)).all(|at| day_at(words, at).is_none());
    match is_first {
        // The day before the beginning is the end.
        true => day_before(named),
        false => Some(named),
    }
}

/// The longest part of a text, in bytes, that is read behind `fiscal year`, and the longest sentence.
const SENTENCE_BYTES_MAX: usize = 256;

/// The day at a token: `30 June`, `June 30`, `30th of June`; `the end of June` is its last day.
fn day_at(words: &[QuestionToken], at: usize) -> Option<FiscalEnd> {
    let word = |at: usize| words.word(at);
    let date = |word: &str| {
        let date = word.trim_end_matches(char::is_alphabetic).parse::<u8>();
        date.ok().filter(|date| (1..=31).contains(date))
    };
    let of = usize::from(word(at + 1) == "of");
    if let (Some(date), Some(month)) = (date(word(at)), number_in_date(word(at + 1 + of))) {
        return Some(FiscalEnd { month, day: date });
    }
    if word(at) == "end" && of == 1 {
        let month = number_in_date(word(at + 2))?;
        let next = crate::days::start_of_month(2024, i32::from(month) + 1)?;
        let day = next.previous_day()?.day();
        return Some(FiscalEnd { month, day });
    }
    let month = number_in_date(word(at)).filter(|_| word(at).len() > 2)?;
    Some(FiscalEnd {
        month,
        day: date(word(at + 1))?,
    })
}
