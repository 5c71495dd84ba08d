//! A column: one field of the documents of a bucket, with counts of its values. Pure.

use super::described::{ColumnWords, words_of};
use super::{FEW, VALUE_WORDS_MAX};
use crate::kindred::Kin;
use std::sync::Arc;
use text::fold;
use text::is_of;

/// The index of a column in a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub(super) u32);

/// The field name of the column of document names, which come from paths and titles.
pub const NAMED: &str = "named";
/// The share of a column's values that have to be numbers, or days, for the column to be one of numbers, or days.
const MOSTLY: f32 = 0.9;
/// A column with at most so many documents for each value identifies documents, as invoice numbers and part names do.
const NAMING_MAX: f32 = 4.0;

/// The kind of most values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Words.
    Text,
    /// Numbers.
    Number,
    /// Numbers that may all be years.
    Year,
    /// Days.
    Day,
}

/// A column of the documents of a bucket.
#[derive(Debug, Clone, Default)]
pub struct KnownColumn {
    /// The bucket.
    pub bucket: String,
    /// The field of the documents' metadata.
    pub field: String,
    /// The words of the field name, in lower case: `invoice_date` has two.
    pub words: Vec<String>,
    pub(crate) kin: Vec<Kin>,
    /// What its schema says of it.
    pub(crate) said: Arc<ColumnWords>,
    pub(super) counted: u32,
    pub(super) texts: u32,
    pub(super) numbers: u32,
    pub(super) years: u32,
    pub(super) days: u32,
    pub(super) distinct: u32,
    pub(super) small: u32,
    /// Whether a value is the singular of the bucket's name: `invoice` among `invoices`.
    pub(super) says_bucket: bool,
}

impl KnownColumn {
    pub(super) fn new(bucket: &str, field: &str) -> KnownColumn {
        let words = words_of(field);
        KnownColumn {
            bucket: bucket.to_owned(),
            field: field.to_owned(),
            kin: words.iter().map(|word| Kin::of(word)).collect(),
            words,
            ..KnownColumn::default()
        }
    }

    /// The kind of most values.
    pub fn kind(&self) -> ColumnKind {
        let all = self.texts + self.numbers;
        let mostly = |count: u32| all > 0 && count as f32 >= MOSTLY * all as f32;
        match (mostly(self.days), mostly(self.years), mostly(self.numbers)) {
            (true, ..) => ColumnKind::Day,
            (_, true, _) => ColumnKind::Year,
            (.., true) => ColumnKind::Number,
            _ => ColumnKind::Text,
        }
    }

    /// The number of documents with a value.
    pub fn documents(&self) -> u32 {
        self.texts + self.numbers
    }

    /// Whether the description lists a value.
    pub fn says(&self, value: &str) -> bool {
        if self.said.description.is_empty() {
            return false;
        }
        let wanted = fold::singular(&fold::name_key(value));
        let words = fold::words(&self.said.description);
        let mut starts = 0..words.len();
        starts.any(|start| {
            let mut key = String::new();
            words[start..].iter().take(VALUE_WORDS_MAX).any(|word| {
                key.push_str(&fold::key(word.trim_matches('.')));
                fold::singular(&key) == wanted
            })
        })
    }

    /// Whether each value belongs to one document, or to few.
    pub(crate) fn is_naming(&self) -> bool {
        self.documents() as f32 <= NAMING_MAX * self.distinct as f32
    }

    /// Whether the column has more than one value, and few enough to choose from.
    pub(crate) fn has_few_values(&self) -> bool {
        (2..=FEW).contains(&self.distinct)
    }

    /// Whether this is the column of document names, and not a field of the metadata.
    pub fn is_named(&self) -> bool {
        self.field == NAMED
    }

    pub(crate) fn is_of_words(&self) -> bool {
        !self.is_named() && 2 * self.small > self.distinct
    }

    /// Whether it is of a bucket, if one is given.
    pub(crate) fn is_in(&self, bucket: Option<&str>) -> bool {
        bucket.is_none_or(|bucket| self.bucket == bucket)
    }

    pub(crate) fn is_called(&self, known: &str) -> bool {
        self.words.iter().any(|word| is_of(word, known))
    }

    pub(crate) fn is_described_by(&self, known: &str) -> bool {
        let mut words = self.said.description_words.iter();
        words.any(|word| is_of(word, known))
    }

    /// Whether the field name says that the column holds document types.
    pub(super) fn is_called_kind(&self) -> bool {
        self.is_called("type kind class category form genre")
    }

    /// Whether the field name leaves open if the column holds document types or topics: news has a `category`, too.
    pub(crate) fn is_topic(&self) -> bool {
        !self.says_bucket && self.is_called("category class genre")
    }

    /// Whether the field name says that something ends on the days of the column. A `period_end` does not count,
    /// because it says which time a document is about.
    pub(crate) fn is_end(&self) -> bool {
        self.is_called(words!(ends)) && !self.is_called("from start since begin period year")
    }

    pub(crate) fn is_kind(&self) -> bool {
        (self.is_called_kind() || self.says_bucket) && self.distinct <= FEW
    }
}
