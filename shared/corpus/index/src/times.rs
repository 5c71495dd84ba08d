//! Finds the times that a question names, and writes them as metadata and names of files do: `2023-10-01`, `q3`. Pure.
//!
//! The parser of days is that of [`text::days`]. *Not* here: times relative to today (`the day before`), which name no
//! document, and numeric forms that differ by country (`10/1/23`); these are left to the search by words.

use linking::Date;
use text::days::{DaySpan, Grain, SpanSide, day, read};
use text::token::{QuestionToken, tokens};

/// A time that a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedTime {
    /// Where it stands in the question, in bytes.
    pub(crate) stands: std::ops::Range<usize>,
    /// What it is.
    pub(crate) is: Calendar,
    /// Whether it is meant itself, and not what lies before or after it.
    pub(crate) is_meant: bool,
}

/// A time with a name of its own in a calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calendar {
    /// A day.
    Day(Date),
    /// A month of a year.
    Month(i32, u8),
    /// A quarter of a year, calendar or fiscal.
    Quarter(i32, u8),
}

/// The times in a question, in its order.
pub(crate) fn times(question: &str) -> Vec<NamedTime> {
    let tokens = tokens(question);
    let mut times = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((length, span)) = absolute(&tokens, at) else {
            at += 1;
            continue;
        };
        if let Some(is) = calendar(&span) {
            times.push(NamedTime {
                stands: tokens[at].span.start..tokens[at + length - 1].span.end,
                is,
                is_meant: span.side == SpanSide::In,
            });
        }
        at += length;
    }
    times
}

/// The days in a question, in ISO form, each once, in its order.
pub(crate) fn days(question: &str) -> Vec<String> {
    let mut days = Vec::new();
    for time in times(question) {
        if let Calendar::Day(day) = time.is {
            let day = day.to_string();
            if !days.contains(&day) {
                days.push(day);
            }
        }
    }
    days
}

/// The span at a token, if it is the same on any day; `last week` and `in May` are not. The day of a moment such as
/// `2023-12-31T10:00:00` counts.
fn absolute(tokens: &[QuestionToken], at: usize) -> Option<(usize, DaySpan)> {
    let moment = tokens[at]
        .text
        .split_once('T')
        .map(|(day, _)| self::tokens(day));
    let on = |today: Date| {
        let of_moment = moment.as_ref().and_then(|day| read(day, 0, today));
        of_moment.or_else(|| read(tokens, at, today))
    };
    // Any two days, of different years and at different places in them.
    let spans = [on(day(2001, 1, 15)?), on(day(2002, 8, 20)?)];
    let [Some((length, span)), _] = spans else {
        return None;
    };
    (spans[0] == spans[1] && length > 0).then_some((length, span))
}

fn calendar(span: &DaySpan) -> Option<Calendar> {
    let (from, until) = (span.range.from?, span.range.until?);
    let year = from.year();
    let months = (until.year() - year) * 12 + i32::from(u8::from(until.month()))
        - i32::from(u8::from(from.month()));
    let month = u8::from(from.month());
    match (span.grain, months) {
        (Grain::Fiscal { year, quarter }, _) => Some(Calendar::Quarter(year, quarter?)),
        _ if from.next_day() == Some(until) => Some(Calendar::Day(from)),
        _ if from.day() > 1 || until.day() > 1 => None,
        (_, 1) => Some(Calendar::Month(year, month)),
        (_, 3) if month % 3 == 1 => Some(Calendar::Quarter(year, month / 3 + 1)),
        _ => None,
    }
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
            ("since 2023-12-31", "2023-12-31"),
            ("(March 09 2021)", "2021-03-09"),
            ("am 3. März 2021", "2021-03-03"),
        ] {
            assert_eq!(days(text), [day], "{text}");
        }
        for text in [
            "may 2023",
            "1 of 2023",
            "October 41, 2023",
            "2023-13-01",
            "in May I left 2020 men",
            "yesterday",
            "in the last 30 days",
            "two weeks ago",
            "the last 101 days",
            "on 12 August",
            "three years ago",
            "last fiscal year",
            "next week",
        ] {
            assert!(days(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn months_and_quarters_have_names() {
        for (text, is) in [
            (
                "revenue in the third quarter of 2018",
                Calendar::Quarter(2018, 3),
            ),
            ("revenue in Q3 of FY2018", Calendar::Quarter(2018, 3)),
            ("Umsatz im dritten Quartal 2018", Calendar::Quarter(2018, 3)),
            ("the minutes of August 2019", Calendar::Month(2019, 8)),
            ("Protokoll vom August 2019", Calendar::Month(2019, 8)),
        ] {
            let times = times(text);
            assert_eq!(
                times.iter().map(|t| t.is).collect::<Vec<_>>(),
                [is],
                "{text}"
            );
        }
        for text in [
            "the report of 2018",
            "last quarter",
            "from May 2019 to July 2019",
        ] {
            assert_eq!(times(text), [], "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in ".{0,80}") {
            times(&text);
            days(&text);
        }
    }
}
