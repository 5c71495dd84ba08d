//! Calendar days, and the quarters, half-years and fiscal years that they belong to.
//!
//! The generator has its own code for this, so that it does not share mistakes with the code under test.

use std::fmt;

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    year: i32,
    month: u8,
    date: u8,
}

/// The names of the months; documents and questions also cut them to three letters.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// How a day is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DayNotation {
    /// `2024-03-05`
    Iso,
    /// `5 March 2024`
    Words,
    /// `Mar 5, 2024`
    American,
    /// `05.03.2024`
    Dotted,
}

impl DayNotation {
    pub(crate) const ALL: [DayNotation; 4] = [
        DayNotation::Iso,
        DayNotation::Words,
        DayNotation::American,
        DayNotation::Dotted,
    ];
}

impl Day {
    /// A day that exists.
    ///
    /// # Panics
    /// On one that does not, as 31 February.
    pub fn new(year: i32, month: u8, date: u8) -> Day {
        let exists = (1..=12).contains(&month) && (1..=length(year, month)).contains(&date);
        assert!(exists, "{year}-{month}-{date} is no day");
        Day { year, month, date }
    }

    /// The year.
    pub fn year(self) -> i32 {
        self.year
    }

    /// The month, from 1.
    pub(crate) fn month(self) -> u8 {
        self.month
    }

    /// The quarter of the calendar, from 1.
    pub(crate) fn quarter(self) -> u8 {
        (self.month - 1) / 3 + 1
    }

    /// The fiscal year that the day lies in, which has the number of the calendar year in which it ends. `start` is
    /// the month with which it begins.
    pub(crate) fn fiscal_year(self, start: u8) -> i32 {
        self.year + i32::from(start > 1 && self.month >= start)
    }

    /// The first day of a month. Months before the first and after the twelfth are those of other years.
    pub(crate) fn first_of(year: i32, month: i32) -> Day {
        let months = year * 12 + month - 1;
        Day::new(months.div_euclid(12), months.rem_euclid(12) as u8 + 1, 1)
    }

    /// The first day of a fiscal year.
    pub(crate) fn start_of_fiscal(year: i32, start: u8) -> Day {
        Day::new(year - i32::from(start > 1), start, 1)
    }

    /// The day that many days later, or earlier.
    pub fn plus(self, days: i64) -> Day {
        Day::of_number(self.number() + days)
    }

    /// Days since 1 March of the year 0, as in the usual algorithm of civil dates.
    pub(crate) fn number(self) -> i64 {
        let month = i64::from(self.month);
        let year = i64::from(self.year) - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(self.date) - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year
    }

    fn of_number(number: i64) -> Day {
        let (era, of_era) = (number.div_euclid(146_097), number.rem_euclid(146_097));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let date = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        Day::new(year as i32, month as u8, date as u8)
    }

    pub(crate) fn written(self, notation: DayNotation) -> String {
        let Day { year, month, date } = self;
        let name = MONTHS[usize::from(month) - 1];
        match notation {
            DayNotation::Iso => self.to_string(),
            DayNotation::Words => format!("{date} {name} {year}"),
            DayNotation::American => format!("{} {date}, {year}", &name[..3]),
            DayNotation::Dotted => format!("{date:02}.{month:02}.{year}"),
        }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.date)
    }
}

fn length(year: i32, month: u8) -> u8 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(Day::new(2024, 2, 28).plus(1), Day::new(2024, 2, 29));
        assert_eq!(Day::new(2023, 2, 28).plus(1), Day::new(2023, 3, 1));
        assert_eq!(Day::new(1900, 2, 28).plus(1), Day::new(1900, 3, 1));
        assert_eq!(Day::new(2000, 1, 1).plus(366), Day::new(2001, 1, 1));
        assert_eq!(Day::first_of(2024, 0), Day::new(2023, 12, 1));
        assert_eq!(Day::first_of(2024, 13), Day::new(2025, 1, 1));
        let day = Day::new(2024, 3, 5);
        let written = DayNotation::ALL.map(|notation| day.written(notation));
        let expected = ["2024-03-05", "5 March 2024", "Mar 5, 2024", "05.03.2024"];
        assert_eq!(written, expected);
    }

    #[test]
    fn fiscal_years_are_called_after_the_year_in_which_they_end() {
        // From July to June.
        assert_eq!(Day::new(2022, 6, 30).fiscal_year(7), 2022);
        assert_eq!(Day::new(2022, 7, 1).fiscal_year(7), 2023);
        assert_eq!(Day::new(2022, 7, 1).fiscal_year(1), 2022);
        assert_eq!(Day::start_of_fiscal(2023, 7), Day::new(2022, 7, 1));
        assert_eq!(Day::start_of_fiscal(2023, 1), Day::new(2023, 1, 1));
    }

    proptest! {
        #[test]
        fn days_count_on(number in 600_000_i64..800_000, steps in -5_000_i64..5_000) {
            let day = Day::of_number(number);
            prop_assert_eq!(day.number(), number);
            prop_assert_eq!(day.plus(steps).plus(-steps), day);
            prop_assert_eq!(day < day.plus(steps), steps > 0);
        }

        #[test]
        fn a_day_lies_in_its_quarter_and_its_fiscal_year(number in 700_000_i64..800_000, start in 1_u8..=12) {
            let day = Day::of_number(number);
            let first = Day::first_of(day.year(), i32::from(day.quarter()) * 3 - 2);
            let end = Day::first_of(day.year(), i32::from(day.quarter()) * 3 + 1);
            prop_assert!(first <= day && day < end);
            let year = day.fiscal_year(start);
            prop_assert!(Day::start_of_fiscal(year, start) <= day);
            prop_assert!(day < Day::start_of_fiscal(year + 1, start));
            // It ends in the year that it is called after.
            prop_assert_eq!(Day::start_of_fiscal(year + 1, start).plus(-1).year(), year);
        }
    }
}
