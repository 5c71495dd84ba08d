//! The schemas of buckets, which define the typed columns of a bucket's documents and the rules that find their
//! values. Pure, except for [`Schemas::load`].
//!
//! For each column, the publisher's value is tried first, then the column's rules in their order; the first value
//! that fits the type is used. *Not* here: asking a model for values that no rule found (`extract`).
//!
//! | module | what |
//! |---|---|
//! | `file` | reads and checks columns and rules from TOML |
//! | `value`, `number`, `date` | convert what people write into typed values |
//! | `label`, `rule` | find the places of values |
//! | `apply` | applies a schema to a document |

mod apply;
mod date;
mod file;
mod label;
mod number;
mod rule;
mod value;

pub use apply::{Attempt, ColumnTrace, Misfit, SchemaResult};
pub use date::DateOrder;
pub use file::SchemaFileError;
pub use number::Decimal;
pub use rule::RulePlace;
pub(crate) use value::ITEMS_MAX;
pub use value::{UnfitValue, ValueForm, ValueKind};

use documents::document::sha256_hex;
use documents::reader::RecordFields;
use envelope::Bucket;
use label::Label;
use rule::{How, Rule};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The version of how schemas are applied. It changes whenever the values of some document would.
const SCHEMA: &str = "schema-1";
/// Hex digits of the hash of schemas.
const HASH_CHARS: usize = 12;
/// Most files of a folder.
const FILES_MAX: usize = 256;

/// The schemas of a corpus, by bucket. The default has none.
#[derive(Debug, Clone, Default)]
pub struct Schemas {
    tables: BTreeMap<Bucket, Table>,
}

/// The columns of a bucket. A bucket that is only described has none.
#[derive(Debug, Clone)]
pub struct Table {
    /// What the bucket holds, in words for people and models; may be empty.
    pub description: String,
    /// Other words by which people call its documents.
    pub synonyms: Vec<String>,
    /// Where records of JSON have their text, title and id, if their names do not say it.
    pub records: RecordFields,
    /// The columns, in the order of their names.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    /// The name, which is the field of the metadata.
    pub name: String,
    /// How the values are written.
    pub form: ValueForm,
    /// What the column holds, in words for people and models; may be empty.
    pub description: String,
    /// Other words by which people call the column in questions.
    pub synonyms: Vec<String>,
    rules: Vec<Rule>,
    /// Whether a model is asked where no rule found a value.
    pub is_asked: bool,
}

/// Why there are no schemas.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// A file or folder that cannot be read.
    #[error("cannot read schemas at `{}`: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// An error in a schema file.
    #[error(transparent)]
    Wrong(#[from] SchemaFileError),
    /// A bucket that stands in two files.
    #[error(
        "the bucket `{bucket}` stands in `{first}` and in `{second}`: keep its columns in one file"
    )]
    Twice {
        /// The bucket.
        bucket: Bucket,
        /// The one file.
        first: String,
        /// The other file.
        second: String,
    },
    /// A folder without a schema file, or with too many.
    #[error("`{}` holds {count} files `*.toml`: want 1 to {FILES_MAX}", path.display())]
    Files {
        /// The folder.
        path: PathBuf,
        /// How many files it has.
        count: usize,
    },
}

impl Schemas {
    /// Reads a schema; `file` is what it is called in errors.
    pub fn parse(file: &str, text: &str) -> Result<Schemas, SchemaFileError> {
        let tables = file::parse(file, text)?;
        Ok(Schemas { tables })
    }

    /// Reads a file, or every `*.toml` of a folder. Blocking: for the start of a process only.
    pub fn load(path: &Path) -> Result<Schemas, SchemaError> {
        let mut all = Schemas::default();
        let mut homes: BTreeMap<Bucket, String> = BTreeMap::new();
        for file in files(path)? {
            let name = file.display().to_string();
            for (bucket, table) in Schemas::parse(&name, &read(&file)?)?.tables {
                if let Some(first) = homes.insert(bucket.clone(), name.clone()) {
                    let second = name;
                    return Err(SchemaError::Twice {
                        bucket,
                        first,
                        second,
                    });
                }
                all.tables.insert(bucket, table);
            }
        }
        Ok(all)
    }

    /// The columns of a bucket, if it has a schema.
    pub fn get(&self, bucket: &Bucket) -> Option<&Table> {
        self.tables.get(bucket)
    }

    /// Every bucket that has a schema, by name.
    pub fn tables(&self) -> impl Iterator<Item = (&Bucket, &Table)> {
        self.tables.iter()
    }

    /// Where the records of each bucket have what.
    pub fn records(&self) -> BTreeMap<Bucket, RecordFields> {
        let said = self
            .tables()
            .filter(|(_, table)| table.records != RecordFields::default());
        said.map(|(bucket, table)| (bucket.clone(), table.records.clone()))
            .collect()
    }

    /// True when no bucket has a column, so that no document is changed by a schema.
    pub fn is_empty(&self) -> bool {
        self.tables.values().all(|table| table.columns.is_empty())
    }

    /// Whether any column may be asked of a model.
    pub fn asks_model(&self) -> bool {
        let mut columns = self.tables.values().flat_map(|table| &table.columns);
        columns.any(|column| column.is_asked)
    }

    /// The name of these schemas. Two schemas that give a document different values have different names. Comments,
    /// the order of columns, synonyms and the descriptions of buckets do not change the name.
    pub fn name(&self) -> String {
        let tables: BTreeMap<&str, Vec<_>> = self
            .tables
            .iter()
            .filter(|(_, table)| !table.columns.is_empty())
            .map(|(bucket, table)| (bucket.as_str(), table.columns.iter().map(told).collect()))
            .collect();
        let hash = sha256_hex(json!(tables).to_string().as_bytes());
        format!("{SCHEMA}-{}", &hash[..HASH_CHARS])
    }
}

impl Column {
    /// The names that documents use for the column: the labels and the metadata keys of its rules, in lower case.
    pub fn names_in_documents(&self) -> Vec<String> {
        let names = |rule: &Rule| match &rule.how {
            How::Keys(keys) => keys.iter().map(|key| key.to_lowercase()).collect(),
            How::Labels(labels) => labels.iter().map(Label::text).collect(),
            How::Pattern(_) => Vec::new(),
        };
        self.rules.iter().flat_map(names).collect()
    }

    /// The column's rules in a few words each, in their order.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.said.as_str())
    }
}

/// All properties of a column.
fn told(column: &Column) -> serde_json::Value {
    let rules: Vec<&str> = column.rules().collect();
    json!([
        column.name,
        column.form,
        column.description,
        rules,
        column.is_asked
    ])
}

fn read(file: &Path) -> Result<String, SchemaError> {
    let size = std::fs::metadata(file).map(|found| found.len());
    let text = size.and_then(|size| match size {
        0..=file::FILE_BYTES_MAX => std::fs::read_to_string(file),
        _ => Err(std::io::Error::other("larger than 256 KiB")),
    });
    text.map_err(|source| SchemaError::Unreadable {
        path: file.to_owned(),
        source,
    })
}

fn files(path: &Path) -> Result<Vec<PathBuf>, SchemaError> {
    let unreadable = |source| SchemaError::Unreadable {
        path: path.to_owned(),
        source,
    };
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|ext| ext == "toml") {
            files.push(file);
        }
    }
    files.sort();
    match files.len() {
        1..=FILES_MAX => Ok(files),
        count => Err(SchemaError::Files {
            path: path.to_owned(),
            count,
        }),
    }
}

#[cfg(test)]
mod bucket_tests;
#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
