//! Finds the years in a short text, such as a path or a title, and tells those that are only part of a day. Pure.
//!
//! A report in `acme 2015, printed 29 March 2016.pdf` is the report of 2015. *Not* here: days in questions (`days`).

use std::ops::RangeInclusive;
use text::months;

/// The four-digit numbers that may be years.
pub const YEARS: RangeInclusive<u16> = 1900..=2100;

/// The years that a text has by themselves, and those that it has only as part of a day; each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextYears {
    /// Years by themselves, or with a month alone.
    pub alone: Vec<u16>,
    /// Years of days that are not among `alone`.
    pub of_days: Vec<u16>,
}

impl TextYears {
    /// The years in some texts. A day may be written as `2016-03-29`, `29.03.2016`, `29 March 2016` or `March 29, 2016`,
    /// with any sign between its parts, and a time may follow it.
    pub fn in_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> TextYears {
        let mut said = TextYears::default();
        for text in texts {
            let words = text.split(|c: char| !c.is_alphanumeric());
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            for (at, year) in words.iter().enumerate() {
                let Some(year) = year_of(year) else { continue };
                let years = match is_of_day(&words, at) {
                    true => &mut said.of_days,
                    false => &mut said.alone,
                };
                years.push(year);
            }
        }
        for years in [&mut said.alone, &mut said.of_days] {
            years.sort_unstable();
            years.dedup();
        }
        let alone = &said.alone;
        said.of_days.retain(|year| !alone.contains(year));
        said
    }
}

fn year_of(word: &str) -> Option<u16> {
    let year = word.parse().ok().filter(|_| word.len() == 4);
    year.filter(|year| YEARS.contains(year))
}

/// Whether the two words before a year, or the two behind it, make it a day.
fn is_of_day(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(2).map(|from| (words[from], words[from + 1]));
    let behind = words.get(at + 1).zip(words.get(at + 2));
    let begins_with_month = |(one, other): (&str, &str)| is_month(one) && day_of(other).is_some();
    let is_day =
        |pair: (&str, &str)| begins_with_month(pair) || begins_with_month((pair.1, pair.0));
    // Behind a year comes the month: in `2015, 29 March 2016` the day is of another year.
    before.is_some_and(is_day) || behind.is_some_and(|(one, other)| begins_with_month((one, other)))
}

fn is_month(word: &str) -> bool {
    let is_number = word
        .parse()
        .is_ok_and(|month: u8| (1..=12).contains(&month));
    word.len() <= 2 && is_number || months::number_in_either(word).is_some()
}

/// The day of a month: `29`, `29th`, or `29T08` of a day with a time.
fn day_of(word: &str) -> Option<u8> {
    let digits = word
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(word.len());
    let is_ended = matches!(
        word[digits..].to_lowercase().as_str(),
        "" | "st" | "nd" | "rd" | "th"
    ) || word[digits..].starts_with(['t', 'T']);
    let day = word[..digits].parse().ok().filter(|_| is_ended);
    day.filter(|day| (1..=31).contains(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_of_a_day_is_told_from_a_year_alone() {
        for (text, alone, of_days) in [
            ("ACME+2015+29 March 2016+p4684.txt", vec![2015], vec![2016]),
            ("acme_2016-03-29_10K_2015.pdf", vec![2015], vec![2016]),
            ("29.03.2016 - acme", vec![], vec![2016]),
            ("March 29th, 2016", vec![], vec![2016]),
            ("2016-03-29T08:08:00Z", vec![], vec![2016]),
            ("29. Mai 2016", vec![], vec![2016]),
            ("minutes of March 2016", vec![2016], vec![]),
            ("2016-03", vec![2016], vec![]),
            ("2014 against 2015", vec![2014, 2015], vec![]),
            ("29 March 2016, report for 2016", vec![2016], vec![]),
            ("part 20160329, 1850, 12345", vec![], vec![]),
        ] {
            let want = TextYears { alone, of_days };
            assert_eq!(TextYears::in_texts([text]), want, "{text}");
        }
    }
}
