//! Makes the catalog of a tenant, which lists its buckets and their columns, from the terms of the index.
//!
//! It makes one pass over the values of each field, for all buckets at once, and fetches no record. *Not* here: the
//! descriptions of columns, which schemas have, and the dictionary for linking questions ([`super::dictionaries`]).

use super::Index;
use super::fetch::bucket_names;
use super::tally::{Best, Scope, Told, each_value};
use crate::Error;
use envelope::limits::{CATALOG_BUCKETS_MAX, CATALOG_COLUMNS_MAX};
use envelope::lookup::{
    CatalogBucket, CatalogColumn, CatalogRequest, ColumnRange, ColumnType, CorpusCatalog,
};
use envelope::{Bucket, Filter};
use linking::days;
use serde_json::Value;
use std::cmp::Reverse;
use tantivy::Searcher;
use tantivy::collector::Count;

/// Most fields of a tenant that are looked at; the first by name.
const FIELDS_MAX: usize = 512;
/// Longer values are prose: they are not shown as frequent ones.
const VALUE_CHARS_MAX: usize = 80;
/// Digits of a coverage behind the point, as a factor.
const COVERAGE_DIGITS: f64 = 10_000.0;

impl Index {
    /// The buckets of a tenant with their columns, without the descriptions of schemas. Blocking. Buckets that the
    /// request names but the tenant does not have are left out.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn catalog(&self, request: &CatalogRequest) -> Result<CorpusCatalog, Error> {
        let searcher = self.reader.searcher();
        let (mut buckets, scope, buckets_left_out) = self.scope(&searcher, request)?;
        let (fields, fields_left_out) =
            self.fields_of(&searcher, &request.principal, FIELDS_MAX)?;
        for field in &fields {
            let new = || ColumnCount {
                best: Best::new(request.values_max),
                ..ColumnCount::default()
            };
            let mut columns: Vec<ColumnCount> = buckets.iter().map(|_| new()).collect();
            // Documents of which a value was seen: one with several counts once.
            let mut seen: Vec<Vec<bool>> = scope.unseen();
            // The columns that have the value at hand.
            let mut touched = Vec::new();
            let mut count = |told: Told<'_>| match told {
                Told::Hit(hit) => {
                    let (segment, chunk) = hit.at;
                    let is_new = !std::mem::replace(&mut seen[segment][chunk], true);
                    let group = usize::from(hit.group) - 1;
                    if columns[group].hit(hit.is_text, is_new) {
                        touched.push(group);
                    }
                }
                Told::Value(value) => {
                    for group in touched.drain(..) {
                        columns[group].take_in(value);
                    }
                }
            };
            each_value(&searcher, self.fields.facts, &scope, field, &mut count)?;
            for (bucket, column) in buckets.iter_mut().zip(columns) {
                bucket.columns.extend(column.named(field, bucket.documents));
            }
        }
        for bucket in &mut buckets {
            keep_fullest(bucket);
        }
        Ok(CorpusCatalog {
            buckets,
            buckets_left_out,
            fields_left_out,
        })
    }

    /// The buckets that a tenant has documents in, by name. Blocking.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn buckets(&self, request: &CatalogRequest) -> Result<Vec<Bucket>, Error> {
        let all = CatalogRequest {
            buckets: Vec::new(),
            ..request.clone()
        };
        let (buckets, ..) = self.scope(&self.reader.searcher(), &all)?;
        let mut names: Vec<Bucket> = buckets.into_iter().map(|bucket| bucket.bucket).collect();
        names.sort();
        Ok(names)
    }

    /// The buckets, those with the most documents first, the heads of their documents, each in the group of its bucket,
    /// and how many buckets were left out.
    fn scope(
        &self,
        searcher: &Searcher,
        request: &CatalogRequest,
    ) -> Result<(Vec<CatalogBucket>, Scope, u32), Error> {
        let names = match request.buckets.is_empty() {
            true => bucket_names(searcher, self.fields.bucket)?,
            false => request.buckets.iter().cloned().collect(),
        };
        let mut found = Vec::new();
        for bucket in names {
            let of_bucket = std::slice::from_ref(&bucket);
            let heads = self.heads(
                searcher,
                (&request.principal, of_bucket, &Filter::default()),
            )?;
            let documents = searcher.search(&heads, &Count)?;
            if documents > 0 {
                found.push((documents, bucket, heads));
            }
        }
        found.sort_by_key(|(documents, ..)| Reverse(*documents));
        let left_out = found.len().saturating_sub(CATALOG_BUCKETS_MAX);
        found.truncate(CATALOG_BUCKETS_MAX);
        let mut scope = Scope::nothing(searcher);
        let mut buckets = Vec::with_capacity(found.len());
        for ((_, bucket, heads), group) in found.into_iter().zip(1..) {
            let documents = scope.add(searcher, &heads, group)?;
            buckets.push(CatalogBucket {
                bucket,
                description: String::new(),
                synonyms: Vec::new(),
                documents,
                columns: Vec::new(),
                columns_left_out: 0,
            });
        }
        Ok((buckets, scope, left_out as u32))
    }
}

/// Leaves so many columns as are shown, those that the most documents have.
fn keep_fullest(bucket: &mut CatalogBucket) {
    let columns = &mut bucket.columns;
    columns.sort_by(|a, b| b.documents.cmp(&a.documents).then(a.field.cmp(&b.field)));
    bucket.columns_left_out = columns.len().saturating_sub(CATALOG_COLUMNS_MAX) as u32;
    columns.truncate(CATALOG_COLUMNS_MAX);
}

/// A column of one bucket.
#[derive(Default)]
struct ColumnCount {
    documents: u64,
    /// One more for each further value of a document.
    hits: u64,
    best: Best,
    /// Chunks that have the value at hand, and those of them that have it as a text.
    now: (u64, u64),
    has_texts: bool,
    has_numbers: bool,
    has_other_than_days: bool,
    has_other_than_bools: bool,
    /// The least and the greatest number, each as it is written.
    numbers: Option<((f64, String), (f64, String))>,
    days: Option<(String, String)>,
}

impl ColumnCount {
    /// A document has the value at hand, and `is_new` if it has had none before. Whether it is the first of them.
    fn hit(&mut self, is_text: bool, is_new: bool) -> bool {
        self.documents += u64::from(is_new);
        self.now.0 += 1;
        self.now.1 += u64::from(is_text);
        self.now.0 == 1
    }

    /// The value that was hit so often is at its end.
    fn take_in(&mut self, value: &str) {
        let (hits, texts) = std::mem::take(&mut self.now);
        self.hits += hits;
        match value.chars().count() <= VALUE_CHARS_MAX {
            true => self.best.add(value, hits),
            false => self.best.pass_over(),
        }
        if texts > 0 {
            self.has_texts = true;
            self.has_other_than_bools |= !matches!(value, "true" | "false");
            match day_of(value) {
                Some(day) => widen(&mut self.days, day.to_owned()),
                None => self.has_other_than_days = true,
            }
        }
        if texts < hits {
            self.has_numbers = true;
            if let Ok(number) = value.parse::<f64>() {
                widen(&mut self.numbers, (number, value.to_owned()));
            }
        }
    }

    /// What all of its values are.
    fn kind(&self) -> ColumnType {
        match (self.has_texts, self.has_numbers) {
            (false, true) => ColumnType::Number,
            (true, false) if !self.has_other_than_days => ColumnType::Date,
            (true, false) if !self.has_other_than_bools => ColumnType::Bool,
            _ if self.hits > self.documents => ColumnType::TextList,
            _ => ColumnType::Text,
        }
    }

    /// The column; none when no document of the bucket has a value.
    fn named(self, field: &str, of_documents: u64) -> Option<CatalogColumn> {
        if self.documents == 0 {
            return None;
        }
        let kind = self.kind();
        let range = match kind {
            ColumnType::Number => self.numbers.map(|(from, to)| ColumnRange {
                from: written(from),
                to: written(to),
            }),
            ColumnType::Date => self.days.map(|(from, to)| ColumnRange {
                from: from.into(),
                to: to.into(),
            }),
            ColumnType::Text | ColumnType::Bool | ColumnType::TextList => None,
        };
        let share = self.documents as f64 / of_documents.max(1) as f64;
        let (values, more) = self.best.done();
        Some(CatalogColumn {
            kind,
            documents: self.documents,
            coverage: (share * COVERAGE_DIGITS).floor() / COVERAGE_DIGITS,
            values,
            more,
            range,
            ..CatalogColumn::new(field)
        })
    }
}

/// A number as it was written: a whole one stays whole.
fn written((number, text): (f64, String)) -> Value {
    serde_json::from_str(&text).unwrap_or_else(|_| number.into())
}

/// Makes a range wide enough for another value.
fn widen<T: PartialOrd + Clone>(range: &mut Option<(T, T)>, value: T) {
    match range {
        None => *range = Some((value.clone(), value)),
        Some((from, _)) if value < *from => *from = value,
        Some((_, to)) if value > *to => *to = value,
        Some(_) => {}
    }
}

/// The day of an ISO date or of an ISO moment; the calendar has to have it.
fn day_of(value: &str) -> Option<&str> {
    let day = value.get(..10)?;
    let is_alone = match value.as_bytes().get(10) {
        None => true,
        Some(sign) => matches!(sign, b't' | b'T' | b' '),
    };
    let mut parts = day.split('-');
    let mut part = |digits: usize| -> Option<u16> {
        let part = parts.next()?;
        let good = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|_| good)
    };
    let (year, month, date) = (part(4)?, part(2)?, part(2)?);
    let (month, date) = (u8::try_from(month).ok()?, u8::try_from(date).ok()?);
    days::day(i32::from(year), month, date)?;
    is_alone.then_some(day)
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
