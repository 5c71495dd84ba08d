//! Which column days are of, and what has to hold for it. Pure.
//!
//! A column that holds years alone is asked for the year; one that holds days for the days. Where documents have neither,
//! they may be called after a year: `ACME_2018_10K.pdf`.

use crate::amounts::Bound;
use crate::days::{DaySpan, FiscalEnd, Grain, SpanSide};
use crate::dictionary::{ColumnId, ColumnKind, KnownColumn};
use crate::frame::is_of;
use crate::link::{Fitting, Linker, Placed};
use crate::linked::Test;
use crate::mention::{Mention, Named};

/// Most years in a row that are looked for among names.
const YEARS_NAMED_MAX: i32 = 20;
/// The same on one side of a year.
const YEARS_BESIDE_MAX: i32 = 60;

impl Linker<'_> {
    /// The column that days are meant of, and what has to hold for it.
    pub(crate) fn days(
        &self,
        mention: &Mention,
        span: &DaySpan,
        bucket: Option<&str>,
    ) -> Result<(Fitting, Test), &'static str> {
        let mut said = self.said_before(mention.at.start);
        // Words behind are of the next days that are named, if there are any.
        let next = self
            .mentions
            .iter()
            .find(|next| next.at.start >= mention.at.end);
        let is_next_near = next.is_some_and(|next| {
            matches!(next.what, Named::Days(_)) && next.at.start < mention.at.end + 4
        });
        if !is_next_near {
            said.extend(self.said_behind(mention.at.end));
        }
        let of_kind = |kind| {
            let columns = self.dictionary.columns(bucket);
            let columns = columns.filter(|(_, column)| column.kind() == kind);
            let mut columns: Vec<((usize, bool), ColumnId)> = columns
                .map(|(id, column)| (self.fit(column, &said), id))
                .collect();
            // The sort keeps the order of those that fit alike; where nothing is said, a day on which something ends is not meant.
            let is_end = |id: &ColumnId| self.dictionary.column(*id).is_end();
            columns.sort_by_key(|(fit, id)| (std::cmp::Reverse(*fit), fit.0 == 0 && is_end(id)));
            columns
        };
        let days = of_kind(ColumnKind::Day);
        let years = of_kind(ColumnKind::Year);
        let is_said = |column: &((usize, bool), ColumnId)| column.0.0 > 0;
        // `that Acme published covering 2023`: the nearest word says that the year is no day of publication.
        let is_about = self
            .word(mention.at.start, 1)
            .is_some_and(|word| is_of(word, "covering about regarding"))
            || self.word(mention.at.start, 2) == Some("covering");
        let year = match span.grain {
            Grain::Years(first, last) => Some((first, last)),
            Grain::Fiscal {
                year,
                quarter: None,
            } => Some((year, year)),
            _ => None,
        };
        if let (Some(year), Some(column)) = (year, years.first())
            && (is_said(column) || is_about || !days.first().is_some_and(is_said))
        {
            return Ok((column.1.into(), of_years(year, span.side)));
        }
        if let Some((fit, column)) = days.first() {
            let rivals = days[1..]
                .iter()
                .filter(|(other, _)| fit.0 > 0 && other == fit);
            let fitting = Fitting {
                column: *column,
                rivals: rivals.map(|(_, id)| *id).collect(),
            };
            return Ok((fitting, Test::Days(span.days(self.fiscal_end()))));
        }
        let (column, test) = self
            .year_named(year, bucket)
            .ok_or("the part of the corpus has no days")?;
        Ok((column.into(), test))
    }

    /// Whether a question for what documents say names one by what it is called, where nothing but names tells of days:
    /// then a year is part of its name.
    pub(crate) fn is_called_by_year(&self, before: &[Placed], bucket: Option<&str>) -> bool {
        let Some(column) = self.named_before(before) else {
            return false;
        };
        self.is_prose(bucket) && self.tells_no_days(&column.bucket)
    }

    /// The year that the documents are called after of which something was named before.
    pub(crate) fn year_called_after(
        &self,
        span: &DaySpan,
        before: &[Placed],
    ) -> Option<(ColumnId, Test)> {
        let year = match span.grain {
            Grain::Years(first, last) => (first, last),
            Grain::Fiscal {
                year,
                quarter: None,
            } => (year, year),
            _ => return None,
        };
        let bucket = self.named_before(before)?.bucket.as_str();
        let is_in = span.side == SpanSide::In;
        self.year_named(Some(year).filter(|_| is_in), Some(bucket))
    }

    fn named_before(&self, before: &[Placed]) -> Option<&KnownColumn> {
        let mut columns = before.iter().map(|one| self.dictionary.column(one.column));
        columns.find(|column| column.is_named())
    }

    /// A year that documents are called after, where they have no days.
    fn year_named(
        &self,
        year: Option<(i32, i32)>,
        bucket: Option<&str>,
    ) -> Option<(ColumnId, Test)> {
        let (first, last) = year.filter(|(first, last)| last - first < YEARS_NAMED_MAX)?;
        let is_in = |column: &KnownColumn| {
            column.is_named() && bucket.is_none_or(|bucket| column.bucket == bucket)
        };
        let mut column = None;
        let mut years = Vec::new();
        for year in (first..=last).map(|year| year.to_string()) {
            let mut named = self.dictionary.with_key(&year).map(|entry| entry.column);
            let found = named.find(|id| is_in(self.dictionary.column(*id)));
            if let Some(found) = found {
                column = column.or(Some(found));
                years.push(vec![year]);
            }
        }
        Some((column?, Test::Is(years)))
    }

    /// The years that the bounds of a column of years have between them; nothing where it holds others, or where they
    /// are too many to be looked for by name.
    pub(crate) fn years_of(&self, placed: &Placed) -> Vec<i32> {
        let Test::Amount(bounds) = &placed.test else {
            return Vec::new();
        };
        if self.dictionary.column(placed.column).kind() != ColumnKind::Year {
            return Vec::new();
        }
        let (mut first, mut last) = (None, None);
        for (bound, year) in bounds {
            let year = *year as i32;
            match bound {
                Bound::Over => first = Some(year + 1),
                Bound::AtLeast => first = Some(year),
                Bound::Under => last = Some(year - 1),
                Bound::AtMost => last = Some(year),
                Bound::Exactly => (first, last) = (Some(year), Some(year)),
            }
        }
        let (first, last) = match (first, last) {
            (Some(first), Some(last)) => (first, last),
            (Some(first), None) => (first, first + YEARS_BESIDE_MAX),
            (None, Some(last)) => (last - YEARS_BESIDE_MAX, last),
            (None, None) => return Vec::new(),
        };
        match last - first {
            0..=YEARS_BESIDE_MAX => (first..=last).collect(),
            _ => Vec::new(),
        }
    }

    /// When the fiscal years of the company end that is named.
    fn fiscal_end(&self) -> Option<FiscalEnd> {
        self.mentions
            .iter()
            .find_map(|mention| match &mention.what {
                Named::Value(key) => {
                    let long = self.dictionary.with_acronym(key).next();
                    let end = self.dictionary.fiscal_end(key);
                    end.or_else(|| self.dictionary.fiscal_end(&long?.text))
                }
                _ => None,
            })
    }
}

fn of_years((first, last): (i32, i32), side: SpanSide) -> Test {
    let (first, last) = (f64::from(first), f64::from(last));
    Test::Amount(match side {
        SpanSide::In if first < last => vec![(Bound::AtLeast, first), (Bound::AtMost, last)],
        SpanSide::In => return Test::Number(vec![first]),
        SpanSide::Before => vec![(Bound::Under, first)],
        SpanSide::After => vec![(Bound::Over, last)],
        SpanSide::Since => vec![(Bound::AtLeast, first)],
        SpanSide::Until => vec![(Bound::AtMost, last)],
    })
}
