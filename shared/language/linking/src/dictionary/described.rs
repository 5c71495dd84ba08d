//! Holds what schemas say of buckets and columns, in the form in which it is compared with questions. Pure.
//!
//! It is made once for an index, and the dictionaries of all tenants share it. *Not* here: the counts of values, which
//! differ by tenant.

use crate::kindred::Kin;
use std::collections::HashMap;
use std::sync::Arc;
use text::fold;

/// A shorter synonym of a bucket, or a shorter last word of one, names no bucket.
const BUCKET_LETTERS_MIN: usize = 3;

/// A bucket as its schema describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DescribedBucket {
    /// Its name.
    pub bucket: String,
    /// Other nouns by which people call its documents.
    pub synonyms: Vec<String>,
    /// Its columns.
    pub columns: Vec<DescribedColumn>,
}

/// A column as its schema describes it. The default says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DescribedColumn {
    /// The field of the metadata.
    pub field: String,
    /// What it holds, in words; may be empty.
    pub description: String,
    /// Other words by which people call it.
    pub synonyms: Vec<String>,
    /// How documents call it: the labels and metadata keys of its rules.
    pub labels: Vec<String>,
    /// The unit of its numbers; empty for none.
    pub unit: String,
}

/// A described bucket, ready to be compared with questions.
#[derive(Debug)]
pub struct BucketWords {
    pub(super) bucket: String,
    /// The keys of its synonyms and of their last words.
    pub(super) synonyms: Vec<String>,
    pub(crate) columns: Vec<(String, Arc<ColumnWords>)>,
}

/// The words of a described column. The default has none.
#[derive(Debug, Default)]
pub(crate) struct ColumnWords {
    pub(crate) description: String,
    pub(crate) description_words: Vec<String>,
    pub(crate) unit: String,
    pub(crate) synonyms: Vec<Synonym>,
    /// The keys of the labels.
    pub(crate) labels: Vec<String>,
    /// The words of synonyms that mean this column and no other one of the bucket.
    pub(crate) also_called: Vec<Kin>,
    /// The other words of its synonyms, which may be a part of what another column is called.
    pub(crate) partly_called: Vec<Kin>,
    pub(crate) described_by: Vec<Kin>,
    /// The first telling word of the description, which says what the column holds: `Town where the premises are`.
    pub(crate) head: Option<Kin>,
    pub(super) is_in_schema: bool,
}

/// A synonym of a column.
#[derive(Debug)]
pub(crate) struct Synonym {
    pub(crate) key: String,
    pub(crate) words: Vec<Kin>,
}

impl BucketWords {
    /// Whether it describes a column of this name.
    pub fn has_field(&self, field: &str) -> bool {
        self.columns.iter().any(|(known, _)| known == field)
    }
}

impl From<&DescribedBucket> for BucketWords {
    fn from(said: &DescribedBucket) -> BucketWords {
        let mut columns: Vec<ColumnWords> = said.columns.iter().map(ColumnWords::of).collect();
        tell_apart(said, &mut columns);
        let fields = said.columns.iter().map(|column| column.field.clone());
        BucketWords {
            bucket: said.bucket.clone(),
            synonyms: said.synonyms.iter().flat_map(|name| keys(name)).collect(),
            columns: fields.zip(columns.into_iter().map(Arc::new)).collect(),
        }
    }
}

impl ColumnWords {
    fn of(said: &DescribedColumn) -> ColumnWords {
        let synonym = |name: &String| Synonym {
            key: key(name),
            words: words_of(name).iter().map(|word| Kin::of(word)).collect(),
        };
        let described_by = telling(&words_of(&said.description));
        ColumnWords {
            description: said.description.clone(),
            description_words: words_of(&said.description),
            unit: said.unit.to_lowercase(),
            synonyms: said.synonyms.iter().map(synonym).collect(),
            labels: said.labels.iter().map(|label| key(label)).collect(),
            also_called: Vec::new(),
            partly_called: Vec::new(),
            head: described_by.first().cloned(),
            described_by,
            is_in_schema: true,
        }
    }

    pub(crate) fn is_synonym(&self, word: &str) -> bool {
        let wanted = key(word);
        self.synonyms.iter().any(|synonym| synonym.key == wanted)
    }
}

/// Gives each column the words of its synonyms that decide for it: those that no other column has in its name or synonyms,
/// and those that are a whole synonym of this column alone. Nouns for the documents decide for no column.
fn tell_apart(said: &DescribedBucket, columns: &mut [ColumnWords]) {
    let nouns = said.synonyms.iter().chain([&said.bucket]);
    let nouns = nouns.flat_map(|name| words_of(name));
    let nouns: Vec<Kin> = nouns.map(|word| Kin::of(&fold::singular(&word))).collect();
    let words = |column: &DescribedColumn| {
        let names = column.synonyms.iter().chain([&column.field]);
        let mut words = telling(&names.flat_map(|name| words_of(name)).collect::<Vec<_>>());
        words.sort_by(|one, other| one.stem().cmp(other.stem()));
        words.dedup_by(|one, other| one.is_form_of(other));
        words
    };
    let whole = |column: &DescribedColumn| {
        let names = column.synonyms.iter().chain([&column.field]);
        let names = names.map(|name| words_of(name));
        let alone = names.filter(|words| words.len() == 1).flatten();
        let mut stems: Vec<String> = alone.map(|word| Kin::of(&word).stem().to_owned()).collect();
        stems.sort();
        stems.dedup();
        stems
    };
    let mut having: HashMap<String, usize> = HashMap::new();
    let mut called: HashMap<String, usize> = HashMap::new();
    for column in &said.columns {
        for word in words(column) {
            *having.entry(word.stem().to_owned()).or_default() += 1;
        }
        for stem in whole(column) {
            *called.entry(stem).or_default() += 1;
        }
    }
    for (column, known) in said.columns.iter().zip(columns) {
        let names = column.synonyms.iter().flat_map(|name| words_of(name));
        let names: Vec<String> = names.collect();
        let own = whole(column);
        let mut words = telling(&names);
        words.retain(|word| word.is_telling() && !nouns.iter().any(|noun| noun.is_form_of(word)));
        let is_decisive = |word: &Kin| {
            let stem = word.stem();
            having.get(stem) == Some(&1)
                || own.iter().any(|own| own == stem) && called.get(stem) == Some(&1)
        };
        (known.also_called, known.partly_called) = words.into_iter().partition(is_decisive);
    }
}

/// The keys of a bucket's synonym: of all its words, and of the noun among them: `bill` of `supplier bill`, `proof` of
/// `proof of payment`.
pub(crate) fn keys(synonym: &str) -> Vec<String> {
    let words: Vec<&str> = synonym.split_whitespace().collect();
    let mut said = words.iter();
    let of = said.position(|word| word.eq_ignore_ascii_case("of"));
    let head = of.and_then(|of| of.checked_sub(1)).map(|at| words[at]);
    let head = head.or(words.last().copied()).unwrap_or_default();
    let is_noun = |name: &&str| !text::stop::is_content_free(&name.to_lowercase());
    let named = [head].into_iter().filter(is_noun).chain([synonym]);
    let keys = named.map(key);
    let keys = keys.filter(|key| key.chars().count() >= BUCKET_LETTERS_MIN);
    let mut keys: Vec<String> = keys.collect();
    keys.dedup();
    keys
}

/// The form in which names are compared: without case, blanks, hyphens and the plural.
pub(crate) fn key(name: &str) -> String {
    fold::singular(&fold::key(name))
}

pub(super) fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The words that tell one column from another: without stop words, and without `date`, which the description of every
/// column of days has.
fn telling(words: &[String]) -> Vec<Kin> {
    let is_telling = |word: &&String| {
        word.len() > 2
            && !text::stop::is_content_free(word)
            && !matches!(word.as_str(), "date" | "day")
    };
    let words = words.iter().filter(is_telling);
    words.map(|word| Kin::of(word)).collect()
}
