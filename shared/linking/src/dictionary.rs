//! What a corpus calls things: the values of its columns, by how they are compared. Pure.
//!
//! One for each tenant: what another tenant has is unknown. Filled with every value of every document; *not* kept in
//! step with a corpus here.

use crate::days::FiscalEnd;
use crate::fold;
use crate::token::QuestionToken;
use std::collections::{HashMap, HashSet};

/// Words of the longest value that is looked for.
pub const VALUE_WORDS_MAX: usize = 8;
/// The column of what documents are called, whatever field says so: parts of paths, titles.
pub const NAMED: &str = "named";
/// Values of this share of a column's documents or more are called numbers, or days.
const MOSTLY: f32 = 0.9;
/// A shorter word of a description is no noun for documents.
const NOUN_LETTERS_MIN: usize = 4;
/// Most values of a column that says what documents are, in all the ways they are written.
const FEW: u32 = 40;
/// With fewer documents for each value a column names documents: numbers of invoices, names of parts.
const NAMING_MAX: f32 = 4.0;

/// Where a column stands in a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(u32);

/// What most values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Words.
    Text,
    /// Numbers.
    Number,
    /// Numbers that all may be years.
    Year,
    /// Days.
    Day,
}

/// A column of the documents of a bucket.
#[derive(Debug, Clone, Default)]
pub struct KnownColumn {
    /// Part of the corpus.
    pub bucket: String,
    /// The field of the metadata.
    pub field: String,
    /// What it holds, in the words of the schema; may be empty.
    pub description: String,
    /// The words of its name, in lower case: `invoice_date` has two.
    pub words: Vec<String>,
    texts: u32,
    numbers: u32,
    years: u32,
    days: u32,
    distinct: u32,
    /// A value is one of what its bucket is called: `invoice` among `invoices`.
    says_bucket: bool,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownValue {
    /// Of which column.
    pub column: ColumnId,
    /// As documents write it.
    pub text: Box<str>,
    /// How many documents do.
    pub documents: u32,
}

/// The columns of a tenant's corpus, with their values.
#[derive(Debug, Default)]
pub struct Dictionary {
    columns: Vec<KnownColumn>,
    by_name: HashMap<(String, String), ColumnId>,
    words: HashSet<String>,
    entries: Vec<KnownValue>,
    by_text: HashMap<(ColumnId, Box<str>), u32>,
    by_key: HashMap<Box<str>, Vec<u32>>,
    by_acronym: HashMap<Box<str>, Vec<u32>>,
    /// The keys of each skeleton.
    by_skeleton: HashMap<Box<str>, Vec<Box<str>>>,
    /// Buckets with a column that was described: what else their documents have is no column.
    described: HashSet<String>,
    buckets: HashMap<String, String>,
    fiscal: HashMap<String, FiscalEnd>,
    /// Most values; `None` for any number.
    room: Option<usize>,
}

/// A value that a document has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldValue<'a> {
    /// A text; one that reads as a day counts as a day, too.
    Text(&'a str),
    /// A number.
    Number(f64),
}

impl KnownColumn {
    /// What most of its values are.
    pub fn kind(&self) -> Kind {
        let all = self.texts + self.numbers;
        let mostly = |count: u32| all > 0 && count as f32 >= MOSTLY * all as f32;
        match (mostly(self.days), mostly(self.years), mostly(self.numbers)) {
            (true, ..) => Kind::Day,
            (_, true, _) => Kind::Year,
            (.., true) => Kind::Number,
            _ => Kind::Text,
        }
    }

    /// How many documents have a value.
    pub fn documents(&self) -> u32 {
        self.texts + self.numbers
    }

    /// The words of its description, in lower case, but for the shortest.
    pub fn description_words(&self) -> Vec<String> {
        let words = self.description.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| word.len() > 2);
        words.map(str::to_lowercase).collect()
    }

    /// Whether its description says this value: it lists what there is.
    pub fn says(&self, value: &str) -> bool {
        let wanted = fold::singular(&fold::name_key(value));
        let words = fold::words(&self.description);
        let mut starts = 0..words.len();
        starts.any(|start| {
            let mut key = String::new();
            words[start..].iter().take(VALUE_WORDS_MAX).any(|word| {
                key.push_str(&fold::key(word.trim_matches('.')));
                fold::singular(&key) == wanted
            })
        })
    }

    /// Whether its values name documents, or few of them each.
    pub fn is_naming(&self) -> bool {
        self.documents() as f32 <= NAMING_MAX * self.distinct as f32
    }

    /// Whether it has more values than one, and few enough to choose from.
    pub fn has_few_values(&self) -> bool {
        (2..=FEW).contains(&self.distinct)
    }

    /// Whether it holds what documents are called, and no field of theirs.
    pub fn is_named(&self) -> bool {
        self.field == NAMED
    }

    /// Whether it says what documents are: an invoice, a credit note.
    pub fn is_kind(&self) -> bool {
        let mut words = self.words.iter();
        let is_called = words.any(|word| {
            matches!(
                word.as_str(),
                "type" | "kind" | "class" | "category" | "form" | "genre"
            )
        });
        (is_called || self.says_bucket) && self.distinct <= FEW
    }
}

impl Dictionary {
    /// Names a part of the corpus. The last word of its name does, too: `bills` of `purchase-bills`.
    pub fn bucket(&mut self, bucket: &str) {
        let words = bucket.rsplit(|c: char| !c.is_alphanumeric());
        let last = words.into_iter().find(|word| !word.is_empty());
        for name in [Some(bucket), last].into_iter().flatten() {
            let key = fold::singular(&fold::key(name));
            self.buckets.entry(key).or_insert_with(|| bucket.to_owned());
        }
    }

    /// Says what a column holds.
    pub fn describe(&mut self, bucket: &str, field: &str, description: &str) {
        let column = self.column_of(bucket, field);
        self.columns[column.0 as usize].description = description.to_owned();
        self.described.insert(bucket.to_owned());
    }

    /// Takes in a value of a document. Of a bucket with columns that were described before, nothing else counts.
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
        let known = self.by_text.get(&(id, text.into()));
        if let Some(known) = known {
            self.entries[*known as usize].documents += 1;
            return;
        }
        let key = fold::name_key(text);
        let is_full = self.room.is_some_and(|room| self.entries.len() >= room);
        if is_full || key.is_empty() || fold::words(text).len() > VALUE_WORDS_MAX {
            return;
        }
        let says_bucket = self
            .buckets
            .get(&fold::singular(&key))
            .is_some_and(|named| named == bucket);
        let Ok(place) = u32::try_from(self.entries.len()) else {
            return;
        };
        let column = &mut self.columns[id.0 as usize];
        column.distinct += 1;
        column.says_bucket |= says_bucket;
        self.entries.push(KnownValue {
            column: id,
            text: text.into(),
            documents: 1,
        });
        self.by_text.insert((id, text.into()), place);
        let known = self.by_key.entry(key.as_str().into()).or_default();
        known.push(place);
        if known.len() == 1 {
            let keys = self.by_skeleton.entry(fold::skeleton(&key).into());
            keys.or_default().push(key.into());
        }
        if let Some(acronym) = fold::acronym(text) {
            let places = self.by_acronym.entry(acronym.into());
            places.or_default().push(place);
        }
    }

    /// Takes in no more than so many different values from now on.
    pub fn set_room(&mut self, values: usize) {
        self.room = Some(values);
    }

    /// Whether columns of a part of the corpus were described.
    pub fn is_described(&self, bucket: &str) -> bool {
        self.described.contains(bucket)
    }

    /// Says on which day a company's fiscal years end.
    pub fn fiscal(&mut self, company: &str, end: FiscalEnd) {
        self.fiscal.insert(fold::name_key(company), end);
    }

    /// On which day the fiscal years of a company end, where its documents say so.
    pub fn fiscal_end(&self, company: &str) -> Option<FiscalEnd> {
        self.fiscal.get(&fold::name_key(company)).copied()
    }

    /// The part of the corpus that a word names, one or many of it.
    pub fn bucket_named(&self, word: &str) -> Option<&str> {
        let key = fold::singular(&fold::key(word));
        self.buckets.get(&key).map(String::as_str)
    }

    /// Whether a word, in lower case, is one of the name of a column.
    pub fn is_column_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// How many different values it has.
    pub fn value_count(&self) -> usize {
        self.entries.len()
    }

    /// A column.
    pub fn column(&self, id: ColumnId) -> &KnownColumn {
        &self.columns[id.0 as usize]
    }

    /// Whether a column counts: of a bucket with a schema only those that it describes do.
    pub fn is_column(&self, id: ColumnId) -> bool {
        let column = self.column(id);
        !column.description.is_empty() || !self.described.contains(&column.bucket)
    }

    /// Other keys that a scan may have made of a key, or it of them.
    pub fn confused_with(&self, key: &str) -> impl Iterator<Item = &str> {
        let keys = self.by_skeleton.get(fold::skeleton(key).as_str());
        let keys = keys.into_iter().flatten().map(|key| &**key);
        keys.filter(move |other| *other != key)
    }

    /// Whether a value says what a document is: an invoice, a credit note.
    pub fn is_kind(&self, value: &KnownValue) -> bool {
        let column = self.column(value.column);
        column.is_kind() || column.distinct <= FEW && column.says(&value.text)
    }

    /// The part of the corpus whose columns are described with a word, if there is one alone.
    pub fn bucket_described(&self, word: &str) -> Option<&str> {
        let word = fold::singular(word);
        let describes = |column: &&KnownColumn| {
            let mut words = column.description_words().into_iter();
            words.any(|known| fold::singular(&known) == word)
        };
        let mut buckets = self
            .columns
            .iter()
            .filter(describes)
            .map(|column| column.bucket.as_str());
        let first = buckets
            .next()
            .filter(|_| word.chars().count() >= NOUN_LETTERS_MIN)?;
        buckets.all(|bucket| bucket == first).then_some(first)
    }

    /// Every column, those of a bucket if one is named.
    pub fn columns<'a>(
        &'a self,
        bucket: Option<&'a str>,
    ) -> impl Iterator<Item = (ColumnId, &'a KnownColumn)> {
        let ids = (0..).map(ColumnId);
        let all = ids.zip(&self.columns);
        let all =
            all.filter(move |(_, column)| bucket.is_none_or(|bucket| column.bucket == bucket));
        all.filter(|(id, _)| self.is_column(*id))
    }

    /// The values with this key.
    pub fn with_key(&self, key: &str) -> impl Iterator<Item = &KnownValue> + use<'_> {
        let places = self.by_key.get(key).into_iter().flatten();
        places.map(|place| &self.entries[*place as usize])
    }

    /// The values with these first letters.
    pub fn with_acronym(&self, letters: &str) -> impl Iterator<Item = &KnownValue> + use<'_> {
        let places = self.by_acronym.get(letters).into_iter().flatten();
        places.map(|place| &self.entries[*place as usize])
    }

    /// How many tokens, two or more, are the whole name of a column: `contract value` is no contract.
    pub fn column_name_at(&self, tokens: &[QuestionToken], at: usize) -> Option<usize> {
        let says = |column: &KnownColumn| {
            let mut words = column.words.iter().zip(&tokens[at..]);
            column.words.len() <= tokens.len() - at
                && words.all(|(word, token)| *word == token.lower)
        };
        let named = self
            .columns
            .iter()
            .filter(|column| column.words.len() > 1 && says(column));
        named.map(|column| column.words.len()).max()
    }

    /// The longest value that begins at a token: of how many tokens, and under which key. One or many of it; a legal
    /// form behind it is not among them.
    pub fn longest_at(&self, tokens: &[QuestionToken], at: usize) -> Option<(usize, String)> {
        let mut key = String::new();
        let mut longest = None;
        for (length, token) in (1..=VALUE_WORDS_MAX).zip(&tokens[at..]) {
            if length == 1 && is_joining(token) {
                return None;
            }
            key.push_str(&fold::key(&token.text));
            let one = fold::singular(&key);
            let known = [&key, &one]
                .into_iter()
                .find(|key| self.by_key.contains_key(key.as_str()));
            let scanned = || {
                self.confused_with(&key)
                    .next()
                    .filter(|_| is_distinct(&key))
            };
            if let Some(known) = known.map(String::as_str).or_else(scanned) {
                longest = Some((length, known.to_owned()));
            } else if length == 1
                && self.by_acronym.contains_key(key.as_str())
                && is_acronym(&token.text)
            {
                longest = Some((length, key.clone()));
            }
            if token.is_last {
                break;
            }
        }
        longest
    }

    fn column_of(&mut self, bucket: &str, field: &str) -> ColumnId {
        let name = (bucket.to_owned(), field.to_owned());
        if let Some(id) = self.by_name.get(&name) {
            return *id;
        }
        let id = ColumnId(u32::try_from(self.columns.len()).unwrap_or(u32::MAX));
        let words = field.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        self.words.extend(words.iter().cloned());
        self.columns.push(KnownColumn {
            bucket: bucket.to_owned(),
            field: field.to_owned(),
            words,
            ..KnownColumn::default()
        });
        self.by_name.insert(name, id);
        id
    }
}

/// No value begins with a word that joins others, unless it is written as first letters are: `IT`.
fn is_joining(token: &QuestionToken) -> bool {
    const WORDS: &str = "a an the in on at to of by for from with and or not no is are was were be been do does did as it \
        its this that these those all any each every i we you me us my our your they he she up out about under over";
    let is_listed = WORDS
        .split_ascii_whitespace()
        .any(|word| word == token.lower);
    is_listed && !(token.text.len() > 1 && is_acronym(&token.text))
}

/// A short word is confused with too many others.
fn is_distinct(key: &str) -> bool {
    key.chars().count() >= 6
}

fn is_acronym(word: &str) -> bool {
    word.chars().all(char::is_uppercase)
}

/// `2024-05-03`, and with a time behind it.
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
        && (bytes.len() == 10 || bytes[10] == b'T' || bytes[10] == b' ')
}
