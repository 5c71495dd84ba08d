//! Finds the column that days belong to, and builds the test on it. Pure.
//!
//! A column of years is tested for the year, and a column of days for the days. Documents with neither may have a year
//! in their name: `ACME_2018_10K.pdf`.

use crate::amounts::Bound;
use crate::columns::NAMED_WORTH;
use crate::days::{DaySpan, FiscalEnd, Grain, SpanSide};
use crate::dictionary::{ColumnId, ColumnKind, KnownColumn};
use crate::kindred::Kin;
use crate::link::{Fitting, Linker, Placed};
use crate::linked::Test;
use crate::mention::{Mention, Named};
use text::is_of;

/// The most years from one to another that are looked up as names.
const YEARS_NAMED_MAX: i32 = 20;
const YEAR_FIRST: i32 = 1900;
const YEAR_LAST: i32 = 2100;
const PAID: &str = "paid settled";
/// The most years before or after a bound that are looked up as names.
const YEARS_BESIDE_MAX: i32 = 60;

/// Whether the words around days fit one column so much better than the next best that no other can be meant: by a word
/// of a name, or where no word fits any, as it alone is named after the documents.
fn is_clear((fit, is_of_documents): (usize, bool), next: Option<(usize, bool)>) -> bool {
    let Some((next, is_next)) = next else {
        return true;
    };
    match fit {
        0 => is_of_documents && !is_next,
        _ => fit >= next + NAMED_WORTH,
    }
}

/// A verb that not every column of days goes with.
enum DayVerb {
    Ends(Kin),
    Paid,
}

impl Linker<'_> {
    pub(crate) fn days(
        &self,
        mention: &Mention,
        span: &DaySpan,
        bucket: Option<&str>,
    ) -> Result<(Fitting, Test), &'static str> {
        let mut said = self.said_before(mention.at.start);
        // Words behind these days belong to the next days, if the question names some.
        let mut next = self.mentions.iter();
        let next = next.find(|next| next.at.start >= mention.at.end);
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
            // The sort is stable. Where no word decides, a day on which something ends comes behind equal fits.
            let is_end = |id: &ColumnId| self.dictionary.column(*id).is_end();
            columns.sort_by_key(|(fit, id)| (std::cmp::Reverse(*fit), fit.0 == 0 && is_end(id)));
            columns
        };
        let mut days = of_kind(ColumnKind::Day);
        let years = of_kind(ColumnKind::Year);
        let is_said = |column: &((usize, bool), ColumnId)| column.0.0 > 0;
        // In `that Acme published for 2023` the nearest word says that the year is not the day of publication.
        let is_about = self
            .word(mention.at.start, 1)
            .is_some_and(|word| is_of(word, "covering about regarding for on"))
            || self.word(mention.at.start, 2) == Some("covering");
        let year = years_in(span);
        if let (Some(year), Some(column)) = (year, years.first())
            && (is_said(column) || is_about || !days.first().is_some_and(is_said))
        {
            return Ok((column.1.into(), of_years(year, span.side)));
        }
        if let Some(verb) = self.verb_before(mention.at.start)
            && !days.is_empty()
        {
            days.retain(|(_, column)| self.is_of_verb(*column, &verb));
            if days.is_empty() {
                return Err("no column has days of that kind");
            }
        }
        if let Some((fit, column)) = days.first() {
            let rivals = days[1..].iter();
            let rivals = rivals.filter(|(other, _)| fit.0 > 0 && other == fit);
            let fitting = Fitting {
                column: *column,
                rivals: rivals.map(|(_, id)| *id).collect(),
                is_assumed: !is_clear(*fit, days.get(1).map(|(next, _)| *next)),
            };
            return Ok((fitting, Test::Days(span.days(self.fiscal_end()))));
        }
        let named = year.filter(|(first, last)| last - first < YEARS_NAMED_MAX);
        let named = named.map(|year| enclosed(year, span.side));
        let (column, test) = self
            .year_named(named, bucket)
            .ok_or("the bucket has no days")?;
        Ok((column.into(), test))
    }

    /// The verb before some days, if it says that something ends, falls due or was paid on them.
    fn verb_before(&self, at: usize) -> Option<DayVerb> {
        let words = self.words_before(at);
        let place = words
            .iter()
            .position(|word| !text::stop::is_content_free(word))?;
        let (word, before) = (words[place], words.get(place + 1).copied().unwrap_or(""));
        // `to be paid in 2024` says when something falls due.
        if is_of(word, PAID) && before != "be" {
            return Some(DayVerb::Paid);
        }
        // `by end 2024` and `between the start and the end of 2024` say nothing of an end of documents.
        let is_noun = word == "end" && !is_of(before, "that which who they to will do does");
        (is_of(word, words!(ending)) && !is_noun).then(|| DayVerb::Ends(Kin::of(word)))
    }

    fn is_of_verb(&self, column: ColumnId, verb: &DayVerb) -> bool {
        let mut known = self.known_of(column);
        match verb {
            DayVerb::Ends(verb) => {
                self.dictionary.column(column).is_end()
                    || known.any(|word| word.stands_for(verb) || word.is_like(verb))
            }
            DayVerb::Paid => {
                let paid: Vec<Kin> = words!(payments).split(' ').map(Kin::of).collect();
                known.any(|word| paid.iter().any(|paid| paid.is_form_of(word)))
            }
        }
    }

    fn known_of(&self, column: ColumnId) -> impl Iterator<Item = &Kin> {
        let column = self.dictionary.column(column);
        let said = &column.said;
        let known = column.kin.iter().chain(&said.described_by);
        known.chain(&said.also_called).chain(&said.partly_called)
    }

    /// Whether a question about what documents say mentions a document by name in a bucket without columns of days or
    /// years. A year in the question is then part of the document's name.
    pub(crate) fn is_called_by_year(&self, before: &[Placed], bucket: Option<&str>) -> bool {
        let Some(column) = self.named_before(before) else {
            return false;
        };
        self.is_prose(bucket) && self.tells_no_days(&column.bucket)
    }

    /// The year in the names of documents that belong to a name mentioned before.
    pub(crate) fn year_called_after(
        &self,
        span: &DaySpan,
        before: &[Placed],
    ) -> Option<(ColumnId, Test)> {
        let year = years_in(span)?;
        let bucket = self.named_before(before)?.bucket.as_str();
        let is_in = span.side == SpanSide::In && year.1 - year.0 < YEARS_NAMED_MAX;
        self.year_named(Some(year).filter(|_| is_in), Some(bucket))
    }

    fn named_before(&self, before: &[Placed]) -> Option<&KnownColumn> {
        let mut columns = before.iter().map(|one| self.dictionary.column(one.column));
        columns.find(|column| column.is_named())
    }

    fn year_named(
        &self,
        year: Option<(i32, i32)>,
        bucket: Option<&str>,
    ) -> Option<(ColumnId, Test)> {
        let (first, last) = year?;
        let is_in = |column: &KnownColumn| column.is_named() && column.is_in(bucket);
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

    /// The years that the bounds on a column of years enclose. The list is empty for other columns, and where the
    /// bounds enclose too many years to look them up as names.
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

    fn fiscal_end(&self) -> Option<FiscalEnd> {
        self.mentions.iter().find_map(|mention| {
            let Named::Value(key) = &mention.what else {
                return None;
            };
            let long = self.dictionary.with_acronym(key).next();
            let end = self.dictionary.fiscal_end(key);
            end.or_else(|| self.dictionary.fiscal_end(&long?.text))
        })
    }
}

/// The first and the last of the whole years that a span is.
fn years_in(span: &DaySpan) -> Option<(i32, i32)> {
    match span.grain {
        Grain::Years(first, last) => Some((first, last)),
        Grain::Fiscal { year, quarter } => quarter.is_none().then_some((year, year)),
        Grain::Days => None,
    }
}

fn enclosed((first, last): (i32, i32), side: SpanSide) -> (i32, i32) {
    match side {
        SpanSide::In => (first, last),
        SpanSide::Before => (YEAR_FIRST, first - 1),
        SpanSide::Until => (YEAR_FIRST, last),
        SpanSide::After => (last + 1, YEAR_LAST),
        SpanSide::Since => (first, YEAR_LAST),
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
