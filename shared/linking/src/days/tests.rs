//! Tests of spans of days as people write them.

use super::*;
use crate::token::tokens;
use proptest::prelude::*;

fn today() -> Date {
    day(2025, 12, 10).unwrap()
}

/// `from..until` of the first span in a text.
fn first(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let (_, span) = (0..tokens.len()).find_map(|at| read(&tokens, at, today()))?;
    let DayRange { from, until } = span.days(None);
    let shown = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
    Some(format!("{}..{}", shown(from), shown(until)))
}

#[test]
fn spans_as_people_write_them() {
    for (text, wanted) in [
        ("in 2024", "2024-01-01..2025-01-01"),
        ("2019-2021", "2019-01-01..2022-01-01"),
        ("from 2019 to 2021", "2019-01-01..2022-01-01"),
        ("in May 2024", "2024-05-01..2024-06-01"),
        ("in 2024-05", "2024-05-01..2024-06-01"),
        ("in Q2 2024", "2024-04-01..2024-07-01"),
        ("the second quarter of 2024", "2024-04-01..2024-07-01"),
        ("2024 Q4", "2024-10-01..2025-01-01"),
        ("in the first half of 2021", "2021-01-01..2021-07-01"),
        ("H2 2021", "2021-07-01..2022-01-01"),
        ("on 3 May 2024", "2024-05-03..2024-05-04"),
        ("on May 3rd, 2024", "2024-05-03..2024-05-04"),
        ("on the 3rd of May 2024", "2024-05-03..2024-05-04"),
        ("on 03.05.2024", "2024-05-03..2024-05-04"),
        ("on 2024-05-03", "2024-05-03..2024-05-04"),
        ("on 25/12/2024", "2024-12-25..2024-12-26"),
        ("before 3 March 2025", "..2025-03-03"),
        ("after 31 December 2020", "2021-01-01.."),
        ("after 2020", "2021-01-01.."),
        ("since 2020", "2020-01-01.."),
        ("since March", "2025-03-01.."),
        ("in March", "2025-03-01..2025-04-01"),
        ("until June 2024", "..2024-07-01"),
        ("no later than 5 June 2024", "..2024-06-06"),
        ("on or after 5 June 2024", "2024-06-05.."),
        (
            "between 22 December 2023 and 18 April 2024",
            "2023-12-22..2024-04-19",
        ),
        ("between 3 and 17 May 2024", "2024-05-03..2024-05-18"),
        ("from 3 April to 17 May 2024", "2024-04-03..2024-05-18"),
        ("between January and March 2024", "2024-01-01..2024-04-01"),
        ("from 2021 onwards", "2021-01-01.."),
        ("2021 or later", "2021-01-01.."),
        ("by 5 June 2024", "..2024-06-06"),
        ("in the year 2024", "2024-01-01..2025-01-01"),
        ("quarter 3 of 2024", "2024-07-01..2024-10-01"),
        ("Q3/2024", "2024-07-01..2024-10-01"),
        ("last month", "2025-11-01..2025-12-01"),
        ("last quarter", "2025-07-01..2025-10-01"),
        ("this year", "2025-01-01..2026-01-01"),
        ("year to date", "2025-01-01..2025-12-11"),
        ("in the last 90 days", "2025-09-11..2025-12-11"),
        ("the past three months", "2025-09-10..2025-12-11"),
        ("yesterday", "2025-12-09..2025-12-10"),
        ("last week", "2025-12-01..2025-12-08"),
        ("in fiscal 2023", "2023-01-01..2024-01-01"),
        ("in the 2023 fiscal year", "2023-01-01..2024-01-01"),
        ("January to March 2024", "2024-01-01..2024-04-01"),
        ("November to February 2024", "2023-11-01..2024-03-01"),
        ("between May and February 2024", "2023-05-01..2024-03-01"),
        (
            "from 20 December to 5 January 2024",
            "2023-12-20..2024-01-06",
        ),
        ("from Q3 to Q1 2024", "2023-07-01..2024-04-01"),
        (
            "between 2024-05-01 and 2024-02-01",
            "2024-02-01..2024-05-02",
        ),
        ("between 2024 and 2021", "2021-01-01..2025-01-01"),
        (
            "between 1 October 2026 and 31 December",
            "2026-10-01..2027-01-01",
        ),
        ("from November 2023 to February", "2023-11-01..2024-03-01"),
        (
            "from December 20, 2023 to January 5",
            "2023-12-20..2024-01-06",
        ),
        ("from June through 2024", "2024-06-01..2025-01-01"),
        (
            "between 20 March and 5 March 2024",
            "2024-03-05..2024-03-21",
        ),
        ("between 17 and 3 May 2024", "2024-05-03..2024-05-18"),
        ("in 2023-24", "2023-01-01..2025-01-01"),
        ("in March/April 2024", "2024-03-01..2024-05-01"),
        ("in Q1/Q2 2024", "2024-01-01..2024-07-01"),
        ("in March or January 2024", "2024-03-01..2024-04-01"),
        (
            "in November, December and January 2024",
            "2023-11-01..2023-12-01",
        ),
        ("in December and January 2024", "2023-12-01..2024-02-01"),
        ("before March or after September 2024", "..2024-03-01"),
        (
            "from May to July and from October to December 2024",
            "2024-05-01..2024-08-01",
        ),
        ("on March 5 or March 20, 2024", "2024-03-05..2024-03-06"),
        (
            "from 20 to 31 December and 1 to 5 January 2024",
            "2023-12-20..2024-01-01",
        ),
        ("in Q1 or Q3 2024", "2024-01-01..2024-04-01"),
        ("in Q1, Q2 and Q4 2024", "2024-01-01..2024-04-01"),
        ("in Q4 and Q1 2024", "2023-10-01..2024-04-01"),
        ("Nov 2023 - Feb 2024", "2023-11-01..2024-03-01"),
        ("March - May 2024", "2024-03-01..2024-06-01"),
        ("Q3 2023 – Q1 2024", "2023-07-01..2024-04-01"),
        (
            "from last quarter to this quarter",
            "2025-07-01..2026-01-01",
        ),
        ("between last quarter and today", "2025-07-01..2025-12-11"),
        // Somebody may be called Jan.
        ("approved by Jan in March 2024", "2024-03-01..2024-04-01"),
        ("in March, May or July 2024", "2024-03-01..2024-04-01"),
        ("in March and April 2024", "2024-03-01..2024-05-01"),
        ("Jan-Mar 2024", "2024-01-01..2024-04-01"),
        ("Q1 to Q3 2024", "2024-01-01..2024-10-01"),
        ("Q1-Q2 2024", "2024-01-01..2024-07-01"),
        ("2Q24", "2024-04-01..2024-07-01"),
        ("1 May 2024 – 3 June 2024", "2024-05-01..2024-06-04"),
        ("March 2023 to May 2024", "2023-03-01..2024-06-01"),
        ("from March 2024 on", "2024-03-01.."),
        ("as of March 2024", "2024-03-01.."),
        ("March 2024 or later", "2024-03-01.."),
        ("before the end of 2024", "..2025-01-01"),
        ("since the beginning of 2024", "2024-01-01.."),
        ("until the end of March 2024", "..2024-04-01"),
        ("the first three months of 2024", "2024-01-01..2024-04-01"),
        ("the last two quarters of 2024", "2024-07-01..2025-01-01"),
        ("in week 1 of 2024", "2024-01-01..2024-01-08"),
        ("in 05/2024", "2024-05-01..2024-06-01"),
        ("on 3 May", "2025-05-03..2025-05-04"),
        ("since 24 December", "2024-12-24.."),
        ("in the 2010s", "2010-01-01..2020-01-01"),
        ("pre-2020", "..2020-01-01"),
        ("no more than 30 days ago", "2025-11-10..2025-12-11"),
        ("older than 30 days", "..2025-11-10"),
        ("two weeks ago", "2025-11-24..2025-12-01"),
        ("a month ago", "2025-11-01..2025-12-01"),
        ("the year before last", "2023-01-01..2024-01-01"),
        ("the last calendar year", "2024-01-01..2025-01-01"),
        ("in the prior quarter", "2025-07-01..2025-10-01"),
        ("the next 30 days", "2025-12-10..2026-01-10"),
        ("in the last half of 2024", "2024-07-01..2025-01-01"),
    ] {
        assert_eq!(first(text).as_deref(), Some(wanted), "{text}");
    }
    for text in [
        "May I pay?",
        "from may",
        "31 February 2024 men",
        "on 30.02.2024",
        "4/5/24",
        "1200 parts",
        "in the second half",
        "between 2024 and",
    ] {
        let found = first(text);
        let is_year = found.as_deref() == Some("2024-01-01..2025-01-01");
        assert!(
            found.is_none() || (is_year && text.contains("2024")),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_fiscal_year_is_called_after_the_year_in_which_it_ends() {
    let end = |month, day| Some(FiscalEnd { month, day });
    for (text, end, wanted) in [
        ("fiscal 2023", end(9, 30), "2022-10-01..2023-10-01"),
        ("FY2020", end(3, 31), "2019-04-01..2020-04-01"),
        ("fiscal year 2024", end(1, 31), "2023-02-01..2024-02-01"),
        ("FY 24", end(2, 29), "2023-03-01..2024-03-01"),
        ("Q2 of fiscal 2023", end(9, 30), "2023-01-01..2023-04-01"),
        ("Q4 FY2023", end(9, 30), "2023-07-01..2023-10-01"),
    ] {
        let (_, span) = read(&tokens(text), 0, today()).unwrap();
        let range = span.days(end);
        let shown = format!("{}..{}", range.from.unwrap(), range.until.unwrap());
        assert_eq!(shown, wanted, "{text}");
    }
}

#[test]
fn a_day_that_no_month_has_is_told() {
    let length = |text: &str| impossible(&tokens(text), 0, today());
    for (text, wanted) in [
        ("31 February 2024", 3),
        ("30th of February", 3),
        ("Feb 30, 2024", 3),
        ("2023-02-29", 1),
        ("31.04.2024", 1),
    ] {
        assert_eq!(length(text), Some(wanted), "{text}");
    }
    for text in [
        "29 February 2024",
        "2024-02-29",
        "1.2.3",
        "May I",
        "32 May",
        "10-12-14",
    ] {
        assert_eq!(length(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn whatever_is_written_a_span_has_its_days_in_order(text in "((in|last|Q[0-9]|H1|of|fiscal|FY|[0-9]{1,4}|May|march|between|and|since|[0-9./-]{1,10}|days|\\PC{0,6}) ){0,12}") {
        let tokens = tokens(&text);
        for at in 0..tokens.len() {
            if let Some((length, span)) = read(&tokens, at, today()) {
                prop_assert!((1..=tokens.len() - at).contains(&length));
                if let (Some(from), Some(until)) = (span.range.from, span.range.until) {
                    prop_assert!(from < until);
                }
                span.days(Some(FiscalEnd { month: 2, day: 29 }));
            }
        }
    }
}

#[test]
fn a_day_beside_another_and_bounds_that_are_left_out() {
    let found = |text: &str| {
        let tokens = crate::token::tokens(text);
        let today = day(2025, 6, 2).expect("a day");
        let found = (0..tokens.len()).find_map(|at| read(&tokens, at, today));
        let (_, span) = found.expect("a span");
        let days = span.days(None);
        format!("{:?}..{:?}", days.from, days.until)
    };
    for (text, wanted) in [
        (
            "on the day before 6 March 2024",
            "Some(2024-03-05)..Some(2024-03-06)",
        ),
        (
            "on the day after 4 March 2024",
            "Some(2024-03-05)..Some(2024-03-06)",
        ),
        ("from the day after 4 March 2024", "Some(2024-03-05)..None"),
        ("on any day after 4 March 2024", "Some(2024-03-05)..None"),
        (
            "within two weeks after 5 March 2024",
            "Some(2024-03-06)..Some(2024-03-20)",
        ),
        (
            "in the week before 20 March 2024",
            "Some(2024-03-13)..Some(2024-03-20)",
        ),
        (
            "within 30 days before 31 March 2024",
            "Some(2024-03-01)..Some(2024-03-31)",
        ),
        ("until 27 March 2024 exclusive", "None..Some(2024-03-27)"),
        (
            "on 27 March 2024 exclusive",
            "Some(2024-03-27)..Some(2024-03-28)",
        ),
        (
            "between 5 March 2024 and 20 March 2024 exclusive",
            "Some(2024-03-06)..Some(2024-03-20)",
        ),
    ] {
        assert_eq!(found(text), wanted, "{text}");
    }
}
