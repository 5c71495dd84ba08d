//! Finds a name and a year that together name a document: `Adobe's revenue in 2023` where there is an
//! `ADOBE_2023_10K.pdf`. Pure.
//!
//! Alone, the name may be any word and the year may be the time that the question is about. The module does *not* apply
//! to buckets that have columns of days or years.

use crate::days::{DaySpan, Grain, SpanSide, start_of_month};
use crate::dictionary::{ColumnId, ColumnKind, is_year};
use crate::link::Linker;
use crate::linked::Test;
use crate::mention::{Mention, Named};
use time::Date;

const YEARS_MAX: i32 = 20;

impl Linker<'_> {
    /// Whether a mentioned value and a year, in the mention itself or elsewhere in the question, together name a
    /// document.
    pub(crate) fn is_called_with_year(
        &self,
        mention: &Mention,
        key: &str,
        column: ColumnId,
    ) -> bool {
        if !self.tells_no_days(&self.dictionary.column(column).bucket) {
            return false;
        }
        let said = &self.tokens[mention.at.clone()];
        let has_year = || said.len() > 1 && said.iter().any(|token| is_year(&token.text));
        let mut mentions = self.mentions.iter();
        let is_beside = |other: &Mention| match &other.what {
            Named::Days(span) => self.years_beside(key, span).next().is_some(),
            _ => false,
        };
        has_year() || mentions.any(is_beside)
    }

    /// The years of a span that stand in names of documents beside another name that the question mentions.
    pub(crate) fn years_called(
        &self,
        span: &DaySpan,
        bucket: Option<&str>,
    ) -> Option<(ColumnId, Test)> {
        if !self.is_prose(bucket) {
            return None;
        }
        let mut column = None;
        let mut years: Vec<Vec<String>> = Vec::new();
        for mention in &self.mentions {
            let Named::Value(key) = &mention.what else {
                continue;
            };
            let found = self.years_beside(key, span).map(|year| vec![year]);
            let found: Vec<Vec<String>> = found.collect();
            if found.is_empty() {
                continue;
            }
            let mut named = self.dictionary.with_key(key).map(|entry| entry.column);
            column = column.or_else(|| named.find(|id| self.dictionary.column(*id).is_named()));
            years.extend(found);
        }
        let column = column.filter(|id| self.tells_no_days(&self.dictionary.column(*id).bucket))?;
        years.sort();
        years.dedup();
        Some((column, Test::Is(years)))
    }

    /// The years, or quarters, of a span that stand beside a name in a path.
    fn years_beside(&self, key: &str, span: &DaySpan) -> impl Iterator<Item = String> {
        let called = forms(span).into_iter();
        let called = called.map(|forms| {
            let mut forms = forms.into_iter();
            forms.find(|form| self.dictionary.is_called(key, form))
        });
        called.flatten().collect::<Vec<_>>().into_iter()
    }

    /// Whether the bucket has no column of days or years, so that only the names of documents tell their time.
    pub(crate) fn tells_no_days(&self, bucket: &str) -> bool {
        let mut columns = self.dictionary.columns(Some(bucket));
        !columns.any(|(_, column)| {
            !column.is_named() && matches!(column.kind(), ColumnKind::Day | ColumnKind::Year)
        })
    }
}

/// The ways to write each year of a span in the name of a document, the most specific first.
fn forms(span: &DaySpan) -> Vec<Vec<String>> {
    let year_of = |year: i32| {
        vec![
            year.to_string(),
            format!("FY{year}"),
            format!("FY{:02}", year % 100),
        ]
    };
    let quarter_of = |year: i32, quarter: u8| {
        let mut forms = vec![format!("{year}Q{quarter}")];
        forms.extend(year_of(year));
        forms
    };
    if span.side != SpanSide::In {
        return Vec::new();
    }
    match span.grain {
        Grain::Years(first, last) if last - first < YEARS_MAX => {
            (first..=last).map(year_of).collect()
        }
        Grain::Years(..) => Vec::new(),
        Grain::Fiscal { year, quarter } => match quarter {
            Some(quarter) => vec![quarter_of(year, quarter)],
            None => vec![year_of(year)],
        },
        Grain::Days => {
            let last = span.range.until.and_then(Date::previous_day);
            let (Some(from), Some(last)) = (span.range.from, last) else {
                return Vec::new();
            };
            let (year, quarter) = (from.year(), u8::from(from.month()).div_ceil(3));
            let begins = i32::from(quarter) * 3 - 2;
            let days = [begins, begins + 3].map(|month| start_of_month(year, month));
            if last.year() != year {
                Vec::new()
            } else if days == [span.range.from, span.range.until] {
                vec![quarter_of(year, quarter)]
            } else {
                vec![year_of(year)]
            }
        }
    }
}
