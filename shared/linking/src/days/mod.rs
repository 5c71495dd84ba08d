//! Spans of days that a question names: days, months, quarters, halves, years, fiscal years, spans before today. Pure.
//!
//! Read at a token, longest first. A span says from which day on, and up to which day it is (that day is not in it).
//! *Not* decided here: which column is meant, and whose fiscal year.

mod calendar;
mod read;
mod relative;
mod sides;
mod units;

pub(crate) use calendar::start_of_month;
pub use calendar::{day, of_unix_ms};
pub(crate) use read::impossible;
pub use read::read;

use time::Date;

/// Days from one on up to another, which is not in it; without a bound to that side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayRange {
    /// The first day.
    pub from: Option<Date>,
    /// The first day after it.
    pub until: Option<Date>,
}

/// What kind of span was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// Days, months, quarters, or what lies before or after one.
    Days,
    /// A year of the calendar, or several in a row; the first and the last.
    Years(i32, i32),
    /// A fiscal year, or a quarter of one (1 to 4): whose, somebody else has to say.
    Fiscal {
        /// The year that it is called after.
        year: i32,
        /// Its quarter, if one was named.
        quarter: Option<u8>,
    },
}

/// A span that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaySpan {
    /// By the calendar; of a fiscal year, the year of the calendar with the same number.
    pub range: DayRange,
    /// Of what kind.
    pub grain: Grain,
    /// Which side of a fiscal span or a year was meant; [`SpanSide::In`] unless a word said otherwise.
    pub side: SpanSide,
}

/// Where days lie beside a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanSide {
    /// In it.
    In,
    /// Before it.
    Before,
    /// After it.
    After,
    /// From its first day on.
    Since,
    /// Up to its last day.
    Until,
}

/// In which month and on which day a fiscal year ends; it is called after the year in which it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiscalEnd {
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl DayRange {
    /// These days, seen from a side.
    pub fn on(self, side: SpanSide) -> DayRange {
        let (from, until) = match side {
            SpanSide::In => (self.from, self.until),
            SpanSide::Before => (None, self.from),
            SpanSide::After => (self.until, None),
            SpanSide::Since => (self.from, None),
            SpanSide::Until => (None, self.until),
        };
        DayRange { from, until }
    }

    /// Whether a day lies in it.
    pub fn has(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day < until)
    }
}

impl DaySpan {
    fn of(range: DayRange, grain: Grain) -> DaySpan {
        let side = SpanSide::In;
        DaySpan { range, grain, side }
    }

    /// The days that are meant, where fiscal years end on `end`; by the calendar where that is not known.
    pub fn days(&self, end: Option<FiscalEnd>) -> DayRange {
        let range = match (self.grain, end) {
            (Grain::Fiscal { year, quarter }, Some(end)) => {
                calendar::fiscal(year, quarter, end).unwrap_or(self.range)
            }
            _ => self.range,
        };
        range.on(self.side)
    }
}

#[cfg(test)]
mod tests;
