//! Parses the spans of days that a question names: days, months, quarters, halves, years, fiscal years, and spans
//! relative to today. Pure.
//!
//! A span is read at a token, and longer forms are tried first. A span has a first day, and a day that is the first one
//! after it. This module does *not* decide which column is meant, nor whose fiscal year it is.

mod calendar;
mod read;
mod relative;
mod sides;
mod spans;

pub use calendar::{day, of_unix_ms, start_of_month};
pub use read::{impossible, read};

use time::Date;

/// A range of days, from `from` up to but not including `until`. A range without a bound is open on that side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayRange {
    /// The first day.
    pub from: Option<Date>,
    /// The first day after it.
    pub until: Option<Date>,
}

/// The kind of span that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// Days, weeks, months or quarters, or the time before or after some.
    Days,
    /// A calendar year, or several in a row: the first and the last.
    Years(i32, i32),
    /// A fiscal year, or a quarter of one from 1 to 4. The caller has to find out whose it is.
    Fiscal {
        /// The year that gives the fiscal year its name.
        year: i32,
        /// The quarter, if the question names one.
        quarter: Option<u8>,
    },
}

/// A span that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaySpan {
    /// The days by the calendar. For a fiscal year, this is the calendar year with the same number.
    pub range: DayRange,
    /// The kind of the span.
    pub grain: Grain,
    /// The side of the span that the question means; [`SpanSide::In`] unless a word says otherwise.
    pub side: SpanSide,
}

/// The side of a span on which days lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanSide {
    /// In the span.
    In,
    /// Before the span.
    Before,
    /// After the span.
    After,
    /// From the first day of the span on.
    Since,
    /// Up to the last day of the span.
    Until,
}

/// The month and the day on which a fiscal year ends. The fiscal year is named after the calendar year in which it
/// ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiscalEnd {
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl DayRange {
    /// The days from one on, up to but not including another.
    fn of(from: Date, until: Date) -> DayRange {
        DayRange {
            from: Some(from),
            until: Some(until),
        }
    }

    /// The days on a side of this range.
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

    /// Whether the range contains a day.
    pub fn has(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day < until)
    }
}

impl DaySpan {
    /// A side of this span.
    fn on(self, side: SpanSide) -> DaySpan {
        DaySpan { side, ..self }
    }

    fn of(range: DayRange, grain: Grain) -> DaySpan {
        let side = SpanSide::In;
        DaySpan { range, grain, side }
    }

    /// The days that the question means if fiscal years end on `end`. Without an end, fiscal years are taken as
    /// calendar years.
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
