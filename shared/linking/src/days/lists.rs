//! Reads the year of a part of a year from the end of a list: `March or May 2024`, `before March or after July 2024`, `Q1 and
//! Q3 2024`. Pure.

use super::read::Reader;
use super::units::date_of;
use text::months::number_in_date;

/// Words between two parts of a list.
const BETWEEN: [&str; 19] = [
    "and", "or", "and/or", "to", "through", "until", "till", "before", "after", "since", "in",
    "from", "during", "on", "by", "between", "the", "of", "again",
];
/// Those of them that join. Without one there is nothing but a comma.
const JOINING: [&str; 7] = ["and", "or", "and/or", "to", "through", "until", "till"];
/// The most of these words, and days of a month, from one part to the next.
const BETWEEN_MAX: usize = 4;

impl Reader<'_> {
    /// The year of a month that the list behind it says at its end. Of `December and January 2024` the first is in 2023.
    pub(super) fn listed_year(&self, at: usize, month: u8) -> Option<i32> {
        let at = self.behind_joining(at)?;
        let next = number_in_date(self.word(at)).filter(|_| self.word(at).len() > 2)?;
        let date = usize::from(date_of(self.word(at + 1)).is_some());
        let year = self.year_behind(at + 1 + date).map(|(_, year)| year);
        let year = year.or_else(|| self.listed_year(at + 1 + date, next))?;
        Some(year - i32::from((month, next) == (12, 1)))
    }

    /// The same for a quarter. Of `Q4 and Q1 2024` the first is in 2023.
    pub(super) fn listed_year_of_quarter(&self, at: usize, quarter: u8) -> Option<i32> {
        let at = self.behind_joining(at)?;
        let (length, next) = self.quarter(at)?;
        let year = self.year_behind(at + length).map(|(_, year)| year);
        let year = year.or_else(|| self.listed_year_of_quarter(at + length, next))?;
        Some(year - i32::from((quarter, next) == (4, 1)))
    }

    /// The place of the next part of a list.
    fn behind_joining(&self, at: usize) -> Option<usize> {
        let is_between =
            |at: &usize| BETWEEN.contains(&self.word(*at)) || date_of(self.word(*at)).is_some();
        let end = at + (at..at + BETWEEN_MAX).take_while(is_between).count();
        let is_joined = (at..end).any(|at| JOINING.contains(&self.word(at)));
        ((is_joined || end == at) && end < self.words.len()).then_some(end)
    }
}
