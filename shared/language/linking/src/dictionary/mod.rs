//! The dictionary of a tenant's corpus: its buckets and columns, and the values of the columns under the normalised
//! keys by which they are compared with the words of a question. Pure.
//!
//! Each tenant has a dictionary of its own. The caller adds the values of all documents, up to a limit. *Not* here:
//! keeping the dictionary in step with the corpus.

#[cfg(test)]
mod bounds_tests;
mod column;
pub(crate) mod described;
pub(crate) mod find;
mod paths;
pub(crate) mod signatures;

pub use column::NAMED;
pub(crate) use column::{ColumnId, ColumnKind, KnownColumn};
pub use described::{BucketWords, DescribedBucket, DescribedColumn};
pub(crate) use paths::is_year;

use crate::days::FiscalEnd;
use signatures::{Part, Signatures};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use text::fold;

pub(crate) const VALUE_WORDS_MAX: usize = 10;
/// A shorter word of a description is not taken for a noun for documents.
const NOUN_LETTERS_MIN: usize = 4;
/// A shorter singular of the last word of a bucket's name is not taken for a noun: `ups` of `write-ups`.
const BUCKET_LETTERS_MIN: usize = 3;
/// The most values, in all spellings, of a column that can hold document types.
const FEW: u32 = 40;

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownValue {
    /// The column that has the value.
    pub column: ColumnId,
    /// The value as documents write it.
    pub text: Box<str>,
    /// The number of documents with the value.
    pub documents: u32,
}

/// A key by which values are compared, with the values that have it.
#[derive(Debug)]
struct KnownKey {
    text: Box<str>,
    values: Vec<u32>,
}

/// The columns of a tenant's corpus, with their values.
#[derive(Debug, Default)]
pub struct Dictionary {
    columns: Vec<KnownColumn>,
    by_name: HashMap<(String, String), ColumnId>,
    words: HashSet<String>,
    /// The names of columns that have several words, by the first word.
    by_first_word: HashMap<String, Vec<Vec<String>>>,
    values: Vec<KnownValue>,
    keys: Vec<KnownKey>,
    /// Keys by their parts, and values by their acronyms.
    signatures: Signatures,
    /// The buckets with a schema. Fields of their documents that the schema does not describe are no columns.
    described: HashSet<String>,
    /// The bucket for each name. A name that two buckets share has none.
    buckets: HashMap<String, Option<String>>,
    /// The bucket of each synonym; `None` for a synonym that two buckets share.
    synonyms: HashMap<String, Option<String>>,
    documents: HashMap<String, u32>,
    /// The bucket for each word of the column descriptions, and for each last word of a document type. A word that
    /// several buckets share has none.
    nouns: HashMap<String, Option<String>>,
    fiscal: HashMap<String, FiscalEnd>,
    path_years: paths::PathYears,
    /// The most values that are kept; `None` means any number.
    room: Option<usize>,
}

/// A value that a document has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldValue<'a> {
    /// A text. A text that reads as a day also counts as a day.
    Text(&'a str),
    /// A number.
    Number(f64),
}

#[cfg(test)]
impl Dictionary {
    pub(crate) fn describe_column(&mut self, bucket: &str, column: DescribedColumn) {
        let said = DescribedBucket {
            bucket: bucket.to_owned(),
            columns: vec![column],
            ..DescribedBucket::default()
        };
        self.describe(&BucketWords::from(&said));
    }
}

impl Dictionary {
    /// Adds a bucket under its name and under the last word of its name: `bills` of `purchase-bills`.
    pub fn bucket(&mut self, bucket: &str) {
        let key = |name: &str| fold::singular(&fold::key(name));
        let whole = key(bucket);
        let words = bucket.rsplit(|c: char| !c.is_alphanumeric());
        let last = words.into_iter().find(|word| !word.is_empty()).map(key);
        // `ups` of `write-ups` says nothing by itself.
        let is_noun = |last: &String| last.chars().count() >= BUCKET_LETTERS_MIN && *last != whole;
        if let Some(last) = last.filter(is_noun) {
            let known = self
                .buckets
                .entry(last)
                .or_insert_with(|| Some(bucket.to_owned()));
            // A bucket whose whole name is this word keeps it.
            let is_shared = known.as_deref().is_some_and(|known| {
                known != bucket && known.contains(|c: char| !c.is_alphanumeric())
            });
            if is_shared {
                *known = None;
            }
        }
        self.buckets.insert(whole, Some(bucket.to_owned()));
    }

    /// Counts a document with the fields that it has. A caller that counts one document has to count all.
    pub fn count<'a>(&mut self, bucket: &str, fields: impl IntoIterator<Item = &'a str>) {
        for field in fields {
            let column = self.column_of(bucket, field);
            self.columns[column.0 as usize].counted += 1;
        }
        *self.documents.entry(bucket.to_owned()).or_default() += 1;
    }

    pub(crate) fn is_everywhere(&self, id: ColumnId) -> bool {
        let column = self.column(id);
        let documents = self.documents.get(&column.bucket);
        documents.is_some_and(|documents| column.counted == *documents)
    }

    /// Takes over what a schema says of a bucket and its columns. A synonym that two buckets have names neither.
    pub fn describe(&mut self, said: &BucketWords) {
        let bucket = &said.bucket;
        for key in &said.synonyms {
            claim(&mut self.synonyms, key.clone(), bucket);
        }
        for (field, words) in &said.columns {
            let id = self.column_of(bucket, field);
            self.columns[id.0 as usize].said = Arc::clone(words);
            self.described.insert(bucket.clone());
            for word in described::words_of(&words.description) {
                self.noun(&word, bucket);
            }
        }
    }

    fn column_name(&mut self, words: &[String]) {
        self.words.extend(words.iter().cloned());
        if let [first, _, ..] = words {
            let named = self.by_first_word.entry(first.clone());
            named.or_default().push(words.to_vec());
        }
    }

    fn noun(&mut self, word: &str, bucket: &str) {
        let word = fold::singular(word);
        let is_noun = word.chars().count() >= NOUN_LETTERS_MIN
            && !text::is_of(&word, words!(undistinguished));
        if is_noun && !text::stop::is_content_free(&word) {
            claim(&mut self.nouns, word, bucket);
        }
    }

    /// Adds a value of a document. In a bucket with a schema, only the columns that were described before are kept.
    pub fn add(&mut self, bucket: &str, field: &str, value: FieldValue<'_>) {
        let id = self.column_of(bucket, field);
        if !self.is_column(id) {
            return;
        }
        let column = &mut self.columns[id.0 as usize];
        let text = match value {
            FieldValue::Number(number) => {
                column.numbers += 1;
                let is_year = number.fract() == 0.0 && (1900.0..=2100.0).contains(&number);
                column.years += u32::from(is_year);
                return;
            }
            FieldValue::Text(text) => text.trim(),
        };
        column.texts += 1;
        if is_day(text) {
            column.days += 1;
            return;
        }
        let key = fold::name_key(text);
        let known = self.key_id(&key);
        let same = known.and_then(|known| {
            let mut values = self.keys[known as usize].values.iter();
            values.find(|place| {
                let value = &self.values[**place as usize];
                value.column == id && *value.text == *text
            })
        });
        if let Some(same) = same {
            self.values[*same as usize].documents += 1;
            return;
        }
        let is_full = self.room.is_some_and(|room| self.values.len() >= room);
        if !is_full && !key.is_empty() && fold::words(text).len() <= VALUE_WORDS_MAX {
            self.add_new(id, text, &key, known);
        }
    }

    fn add_new(&mut self, id: ColumnId, text: &str, key: &str, known: Option<u32>) {
        let Ok(place) = u32::try_from(self.values.len()) else {
            return;
        };
        let column = &mut self.columns[id.0 as usize];
        let named = self.buckets.get(&fold::singular(key));
        column.says_bucket |= named.is_some_and(|named| named.as_ref() == Some(&column.bucket));
        column.distinct += 1;
        column.small += u32::from(!text.contains(char::is_uppercase));
        let is_kind = column.is_kind() || column.distinct <= FEW && column.says(text);
        let bucket = column.bucket.clone();
        self.values.push(KnownValue {
            column: id,
            text: text.into(),
            documents: 1,
        });
        self.add_key(key, place, known);
        // `Daily | News of the World` is a name with a slogan behind it; the name alone is a key, too.
        let name = text.split_once(" | ").map(|(name, _)| fold::name_key(name));
        if let Some(name) = name.filter(|name| !name.is_empty() && name != key) {
            self.add_key(&name, place, self.key_id(&name));
        }
        if let Some(acronym) = fold::acronym(text) {
            self.signatures.insert(Part::Acronym, &acronym, place);
        }
        // A type `annual report` of a bucket `publications` makes `reports` a noun for that bucket.
        if is_kind && let Some((_, last)) = text.rsplit_once(' ') {
            self.noun(&last.to_lowercase(), &bucket);
        }
    }

    fn add_key(&mut self, key: &str, place: u32, known: Option<u32>) {
        if let Some(known) = known {
            self.keys[known as usize].values.push(place);
            return;
        }
        let Ok(id) = u32::try_from(self.keys.len()) else {
            return;
        };
        self.keys.push(KnownKey {
            text: key.into(),
            values: vec![place],
        });
        self.signatures.insert(Part::Whole, key, id);
        let skeleton = fold::skeleton(key);
        self.signatures.insert(Part::Skeleton, &skeleton, id);
        for (part, text) in signatures::parts(key) {
            self.signatures.insert(part, &text, id);
        }
    }

    /// Limits the number of different values. Values that are already there stay.
    pub fn set_room(&mut self, values: usize) {
        self.room = Some(values);
    }

    /// Whether the bucket has a schema.
    pub fn is_described(&self, bucket: &str) -> bool {
        self.described.contains(bucket)
    }

    pub(crate) fn has_several_described_buckets(&self) -> bool {
        self.described.len() > 1
    }

    /// Stores the day on which the fiscal years of a company end.
    pub fn fiscal(&mut self, company: &str, end: FiscalEnd) {
        self.fiscal.insert(fold::name_key(company), end);
    }

    /// The day on which the fiscal years of a company end, if its documents say it.
    pub(crate) fn fiscal_end(&self, company: &str) -> Option<FiscalEnd> {
        self.fiscal.get(&fold::name_key(company)).copied()
    }

    /// The number of different values.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// The column with an id.
    pub fn column(&self, id: ColumnId) -> &KnownColumn {
        &self.columns[id.0 as usize]
    }

    /// Whether a column counts. In a bucket with a schema only the described columns do.
    pub(crate) fn is_column(&self, id: ColumnId) -> bool {
        let column = self.column(id);
        column.said.is_in_schema || !self.described.contains(&column.bucket)
    }

    /// The column of document names of a bucket, if the bucket has no schema.
    pub(crate) fn named_column(&self, bucket: &str) -> Option<ColumnId> {
        let name = (bucket.to_owned(), NAMED.to_owned());
        let id = self.by_name.get(&name).copied();
        id.filter(|_| !self.is_described(bucket))
    }

    fn column_of(&mut self, bucket: &str, field: &str) -> ColumnId {
        let name = (bucket.to_owned(), field.to_owned());
        if let Some(id) = self.by_name.get(&name) {
            return *id;
        }
        let id = ColumnId(u32::try_from(self.columns.len()).unwrap_or(u32::MAX));
        let column = KnownColumn::new(bucket, field);
        self.column_name(&column.words);
        self.columns.push(column);
        self.by_name.insert(name, id);
        id
    }
}

/// Gives a word to a bucket. A word of two buckets names neither.
fn claim(words: &mut HashMap<String, Option<String>>, word: String, bucket: &str) {
    let known = words.entry(word);
    let known = known.or_insert_with(|| Some(bucket.to_owned()));
    if known.as_deref() != Some(bucket) {
        *known = None;
    }
}

/// Whether a text is a day, alone or with a time behind it: `2024-05-03`.
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
        && (bytes.len() == 10 || bytes[10] == b'T' || bytes[10] == b' ')
}
