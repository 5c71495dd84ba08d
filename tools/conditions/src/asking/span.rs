//! Makes time spans, as days and in words.

use crate::day::{Day, MONTHS};
use crate::dice::Dice;
use crate::wording::{Patterns, Span};

/// From a day up to another one, without it; open where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) from: Option<Day>,
    pub(crate) to: Option<Day>,
    pub(crate) said: String,
}

/// What a span is laid around.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    /// A day that lies in the span, unless the span is relative to today.
    pub(crate) day: Day,
    pub(crate) today: Day,
    /// The month that the company's fiscal years begin with.
    pub(crate) fiscal_start: u8,
}

/// A span of this sort.
pub(crate) fn period(span: Span, patterns: Patterns, around: Around, dice: &mut Dice) -> Period {
    let pattern = *dice.pick(patterns);
    let Around { day, today, .. } = around;
    let (year, month) = (day.year(), i32::from(day.month()));
    let quarter = i32::from(day.quarter());
    let half = (month - 1) / 6 + 1;
    let fiscal = day.fiscal_year(around.fiscal_start);
    let days = *dice.pick(&[30, 60, 90]);
    let (before, behind) = (dice.within(10, 120), dice.within(10, 120));
    let (open, close) = (day.plus(-before), day.plus(behind));
    let this = Day::first_of(today.year(), i32::from(today.month()));
    let this_quarter = i32::from(today.quarter()) * 3 - 2;
    let first = Day::first_of;
    let (from, to) = match span {
        Span::Month => (Some(first(year, month)), Some(first(year, month + 1))),
        Span::Quarter => (
            Some(first(year, quarter * 3 - 2)),
            Some(first(year, quarter * 3 + 1)),
        ),
        Span::Half => (
            Some(first(year, half * 6 - 5)),
            Some(first(year, half * 6 + 1)),
        ),
        Span::Year => (Some(first(year, 1)), Some(first(year + 1, 1))),
        Span::Fiscal => (
            Some(Day::start_of_fiscal(fiscal, around.fiscal_start)),
            Some(Day::start_of_fiscal(fiscal + 1, around.fiscal_start)),
        ),
        Span::Since => (Some(first(year, month)), None),
        Span::Between => (Some(open), Some(close.plus(1))),
        Span::Before => (None, Some(close)),
        Span::After => (Some(open.plus(1)), None),
        Span::LastMonth => (
            Some(first(this.year(), i32::from(this.month()) - 1)),
            Some(this),
        ),
        Span::LastQuarter => (
            Some(first(today.year(), this_quarter - 3)),
            Some(first(today.year(), this_quarter)),
        ),
        Span::LastYear => (
            Some(first(today.year() - 1, 1)),
            Some(first(today.year(), 1)),
        ),
        Span::ThisYear => (
            Some(first(today.year(), 1)),
            Some(first(today.year() + 1, 1)),
        ),
        Span::LastDays => (Some(today.plus(-days)), Some(today.plus(1))),
    };
    let words = |day: Day| day.written(crate::day::DayNotation::Words);
    let name = MONTHS[month as usize - 1];
    let said = pattern
        .replace("{month}", name)
        .replace("{mon}", &name[..3])
        .replace("{mm}", &format!("{month:02}"))
        .replace(
            "{year}",
            &if span == Span::Fiscal { fiscal } else { year }.to_string(),
        )
        .replace("{q}", &quarter.to_string())
        .replace(
            "{ordinal}",
            ["first", "second", "third", "fourth"][quarter as usize - 1],
        )
        .replace("{first}", ["first", "second"][half as usize - 1])
        .replace("{h}", &half.to_string())
        .replace("{n}", &days.to_string())
        .replace("{from}", &words(open))
        .replace("{to}", &words(close))
        .replace(
            "{day}",
            &words(if span == Span::Before { close } else { open }),
        );
    Period { from, to, said }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLAIN: [Span; 9] = [
        Span::Month,
        Span::Quarter,
        Span::Half,
        Span::Year,
        Span::Fiscal,
        Span::Since,
        Span::Between,
        Span::Before,
        Span::After,
    ];

    proptest! {
        #[test]
        fn a_span_around_a_day_holds_it(days in 0_i64..4_000, fiscal_start in 1_u8..=12, seed: u64) {
            let day = Day::new(2015, 1, 1).plus(days);
            let around = Around { day, today: day, fiscal_start };
            for span in PLAIN {
                let found = period(span, &["{year}"], around, &mut Dice::new(seed, "span"));
                prop_assert!(found.from.is_none_or(|from| from <= day), "{span:?} {found:?} {day}");
                prop_assert!(found.to.is_none_or(|to| day < to), "{span:?} {found:?} {day}");
            }
        }
    }

    #[test]
    fn relative_spans_hang_on_today() {
        let today = Day::new(2025, 1, 15);
        let around = Around {
            day: today,
            today,
            fiscal_start: 1,
        };
        let span = |span| {
            let found = period(span, &["x"], around, &mut Dice::new(1, "span"));
            [found.from, found.to].map(|day| day.map(|day| day.to_string()).unwrap_or_default())
        };
        assert_eq!(span(Span::LastMonth), ["2024-12-01", "2025-01-01"]);
        assert_eq!(span(Span::LastQuarter), ["2024-10-01", "2025-01-01"]);
        assert_eq!(span(Span::LastYear), ["2024-01-01", "2025-01-01"]);
        assert_eq!(span(Span::ThisYear), ["2025-01-01", "2026-01-01"]);
    }

    #[test]
    fn quarters_and_fiscal_years_have_their_days() {
        let around = Around {
            day: Day::new(2023, 5, 17),
            today: Day::new(2025, 1, 1),
            fiscal_start: 7,
        };
        let mut dice = Dice::new(1, "span");
        let quarter = period(Span::Quarter, &["Q{q} {year}"], around, &mut dice);
        assert_eq!(quarter.said, "Q2 2023");
        assert_eq!(quarter.from, Some(Day::new(2023, 4, 1)));
        assert_eq!(quarter.to, Some(Day::new(2023, 7, 1)));
        let fiscal = period(Span::Fiscal, &["FY{year}"], around, &mut dice);
        assert_eq!(fiscal.said, "FY2023");
        assert_eq!(fiscal.from, Some(Day::new(2022, 7, 1)));
        assert_eq!(fiscal.to, Some(Day::new(2023, 7, 1)));
    }
}
