//! Finds the days that a question names and writes them as metadata does: `2023-10-01`. Pure.
//!
//! It reads English month names and ISO dates. *Not* a calendar: `the day before`, and numeric forms that differ by
//! country (`10/1/23`), are left to the search by words.

use text::months;

/// The days in a text, in ISO form, each once, in the order of the text.
pub(crate) fn days(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || ",;()\"'?!".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let mut days = Vec::new();
    for at in 0..words.len() {
        let day = iso(words[at]).or_else(|| written(words[at..].iter().take(3)));
        days.extend(day.filter(|day| !days.contains(day)));
    }
    days
}

/// `2023-10-01`, whatever follows the day.
fn iso(word: &str) -> Option<String> {
    let day = word.get(..10)?;
    let mut parts = day.split('-');
    let mut number = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits)?;
        part.parse::<u32>().ok()
    };
    let (year, month, date) = (number(4)?, number(2)?, number(2)?);
    written_as(year, month, date)
}

/// `October 1 2023` or `1 October 2023`.
fn written<'a>(words: impl Iterator<Item = &'a &'a str>) -> Option<String> {
    let [first, second, year] = words.copied().collect::<Vec<_>>()[..] else {
        return None;
    };
    let (month, date) = match month(first) {
        Some(month) => (month, second),
        None => (month(second)?, first),
    };
    let date = date.trim_end_matches(|c: char| c.is_alphabetic());
    let year = year.trim_end_matches(|c: char| !c.is_ascii_digit());
    (year.len() == 4).then_some(())?;
    written_as(year.parse().ok()?, month, date.parse().ok()?)
}

fn month(word: &str) -> Option<u32> {
    months::number_in_date(word).map(u32::from)
}

fn written_as(year: u32, month: u32, date: u32) -> Option<String> {
    let is_day = (1..=12).contains(&month) && (1..=31).contains(&date);
    is_day.then(|| format!("{year:04}-{month:02}-{date:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_as_people_write_them() {
        for (text, day) in [
            ("published on October 1, 2023?", "2023-10-01"),
            ("the 3rd Sept. 2024", "2024-09-03"),
            ("since 2023-12-31T10:00:00", "2023-12-31"),
            ("(March 09 2021)", "2021-03-09"),
        ] {
            assert_eq!(days(text), [day], "{text}");
        }
        for text in [
            "may 2023",
            "1 of 2023",
            "October 41, 2023",
            "2023-13-01",
            "in May I left 2020 men",
        ] {
            assert!(days(text).is_empty(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics_and_days_are_days(text in ".{0,80}") {
            for day in days(&text) {
                prop_assert_eq!(iso(&day), Some(day));
            }
        }
    }
}
