//! The catalog of a tenant's documents: their buckets, and the columns of each bucket. People and planners ask for
//! it.
//!
//! *Not* here: how the index makes the catalog, and the schemas that describe columns, which the indexer has.

use super::{FacetValue, number, object, principal};
use crate::codec::is_default;
use crate::ids::Bucket;
use crate::limits::CATALOG_VALUES_MAX;
use crate::principal::Principal;
use crate::question::read_buckets;
use crate::terminal::Problem;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Frequent values of a column that are shown when the request names no number.
pub const CATALOG_VALUES: usize = 5;

/// A request for the catalog, at [`CATALOG`](crate::subject::CATALOG).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogRequest {
    /// Whose documents are described. Default the tenant `default` and no groups.
    pub principal: Principal,
    /// Parts of the corpus; empty means all. One that the tenant does not have is refused by name.
    pub buckets: Vec<Bucket>,
    /// Frequent values to show of each column, 0 to [`CATALOG_VALUES_MAX`]. Default [`CATALOG_VALUES`].
    pub values_max: usize,
}

/// The buckets of a tenant. The default has none: they are unknown, or there are no documents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CorpusCatalog {
    /// The buckets, those with the most documents first.
    pub buckets: Vec<CatalogBucket>,
    /// How many buckets are not in the list, because there are too many or the reply would be too large.
    #[serde(default, skip_serializing_if = "is_default")]
    pub buckets_left_out: u32,
    /// How many fields of the metadata were not examined, because the tenant has too many.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fields_left_out: u32,
}

/// A bucket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CatalogBucket {
    /// The part of the corpus.
    pub bucket: Bucket,
    /// The description of the bucket in its schema.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Other nouns by which people call its documents, from its schema.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// How many documents it has.
    pub documents: u64,
    /// Its columns, those that the most documents have first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<CatalogColumn>,
    /// How many columns are not in the list, because there are too many or the reply would be too large.
    #[serde(default, skip_serializing_if = "is_default")]
    pub columns_left_out: u32,
}

/// A column of a bucket: a field of the metadata of its documents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CatalogColumn {
    /// The field.
    pub field: String,
    /// The type of its values: the one in its schema, or else the one that all of its values have.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// The unit of its numbers, if its schema names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The description of the column in its schema.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Other words by which people call the column, from its schema.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// How many documents of the bucket have a value.
    pub documents: u64,
    /// Their share of all documents of the bucket, from 0 to 1, to four digits.
    pub coverage: f64,
    /// Its most frequent values, where it has any that are short enough to be shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<FacetValue>,
    /// Whether there are values that are not listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// The least and the greatest value of a column of numbers or of days (as ISO dates); absent for other columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<ColumnRange>,
}

/// The least and the greatest value, each of which occurs in a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnRange {
    /// The least.
    pub from: Value,
    /// The greatest.
    pub to: Value,
}

words! {
    /// The type of the values of a column.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub enum ColumnType {
        /// Text; also a column whose values have several types.
        #[default]
        Text = "text",
        /// Numbers.
        Number = "number",
        /// Days; a moment counts as its day.
        Date = "date",
        /// True or false.
        Bool = "bool",
        /// Lists of texts.
        TextList = "list of text",
    }
}

impl CatalogRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// Names the field and the fix.
    pub fn parse(bytes: &[u8]) -> Result<CatalogRequest, Problem> {
        const FIELDS: [&str; 4] = ["tenant", "groups", "buckets", "values_max"];
        let object = object(bytes, &FIELDS, "{} for all buckets")?;
        let values = number(&object, "values_max", 0..=CATALOG_VALUES_MAX)?;
        Ok(CatalogRequest {
            principal: principal(&object)?,
            buckets: read_buckets(&object)?,
            values_max: values.unwrap_or(CATALOG_VALUES),
        })
    }
}

impl CorpusCatalog {
    /// True when it has no bucket.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// The catalog cut to a size in bytes of JSON: the columns of a bucket that does not fit are left out, last
    /// bucket first, and the bucket itself where not even its name fits. What is left out is counted.
    pub fn fitted(mut self, bytes_max: usize) -> CorpusCatalog {
        // What a count takes that comes in the place of what goes.
        const COUNT_BYTES: usize = 40;
        let size = serde_json::to_vec(&self).map_or(0, |bytes| bytes.len());
        let mut over = size.saturating_sub(bytes_max);
        for bucket in self.buckets.iter_mut().rev() {
            while over > 0 && !bucket.columns.is_empty() {
                let last = bucket.columns.pop();
                let spared = serde_json::to_vec(&last).map_or(0, |b| b.len() + 1);
                let new = if bucket.columns_left_out == 0 {
                    COUNT_BYTES
                } else {
                    0
                };
                over = (over + new).saturating_sub(spared);
                bucket.columns_left_out += 1;
            }
        }
        if over > 0 {
            over += COUNT_BYTES;
        }
        while over > 0
            && let Some(last) = self.buckets.pop()
        {
            let spared = serde_json::to_vec(&last).map_or(0, |b| b.len() + 1);
            over = over.saturating_sub(spared);
            self.buckets_left_out += 1;
        }
        self
    }
}

impl CatalogColumn {
    /// A column of which only the name is known.
    pub fn new(field: impl Into<String>) -> CatalogColumn {
        CatalogColumn {
            field: field.into(),
            ..CatalogColumn::default()
        }
    }
}

/// The message about a bucket that the tenant does not have.
pub fn no_bucket(bucket: &Bucket, known: &[Bucket]) -> Problem {
    const NAMED_MAX: usize = 20;
    let names = known.iter().take(NAMED_MAX).map(|b| format!("`{b}`"));
    let names = names.collect::<Vec<_>>().join(", ");
    let known = match known.len() {
        0 => "there are no documents".to_owned(),
        n if n > NAMED_MAX => format!("there are {names} and {} more", n - NAMED_MAX),
        _ => format!("there are {names}"),
    };
    Problem::new(
        "not_found",
        format!("there is no bucket `{bucket}`; {known}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_has_its_defaults_and_what_is_wrong_is_named() {
        let parse = |request: Value| CatalogRequest::parse(request.to_string().as_bytes());
        let all = parse(json!({})).unwrap();
        assert_eq!((all.buckets.len(), all.values_max), (0, CATALOG_VALUES));
        let some = parse(json!({"buckets": ["mail"], "values_max": 0, "tenant": "a"})).unwrap();
        assert_eq!((some.buckets[0].as_str(), some.values_max), ("mail", 0));
        for (request, code, says) in [
            (json!([]), "not_json", "{} for all buckets"),
            (json!({"bucket": "a"}), "unknown_field", "buckets"),
            (json!({"buckets": ["a b"]}), "bad_id", "`buckets`"),
            (json!({"values_max": 51}), "bad_field", "from 0 to 50"),
        ] {
            let problem = parse(request.clone()).unwrap_err();
            assert_eq!(problem.code, code, "{request}");
            assert!(problem.message.contains(says), "{}", problem.message);
        }
    }

    fn catalog(buckets: usize, columns: usize) -> CorpusCatalog {
        let column = |n| CatalogColumn::new(format!("column_{n}"));
        let bucket = |n| CatalogBucket {
            bucket: Bucket::new(format!("bucket-{n}")).unwrap(),
            description: "what it holds".into(),
            synonyms: Vec::new(),
            documents: 7,
            columns: (0..columns).map(column).collect(),
            columns_left_out: 0,
        };
        CorpusCatalog {
            buckets: (0..buckets).map(bucket).collect(),
            ..CorpusCatalog::default()
        }
    }

    #[test]
    fn a_catalog_keeps_its_size_and_counts_what_is_left_out() {
        let size = |catalog: &CorpusCatalog| serde_json::to_vec(catalog).unwrap().len();
        let whole = catalog(10, 10);
        assert_eq!(whole.clone().fitted(size(&whole)), whole);
        for most in [size(&whole) - 1, 4_000, 1_000, 500, 100] {
            let less = whole.clone().fitted(most);
            assert!(size(&less) <= most, "{} of {most}", size(&less));
            let left = less.buckets.iter().map(|b| b.columns_left_out as usize);
            let there = less.buckets.iter().map(|b| b.columns.len());
            assert_eq!(
                left.sum::<usize>() + there.sum::<usize>(),
                less.buckets.len() * 10
            );
            assert_eq!(less.buckets.len() + less.buckets_left_out as usize, 10);
        }
    }

    #[test]
    fn what_is_empty_is_not_written_and_is_read_again() {
        let text = serde_json::to_string(&catalog(1, 1)).unwrap();
        assert_eq!(
            text,
            r#"{"buckets":[{"bucket":"bucket-0","description":"what it holds","documents":7,"columns":[{"field":"column_0","type":"text","documents":0,"coverage":0.0}]}]}"#
        );
        assert_eq!(
            serde_json::from_str::<CorpusCatalog>(&text).unwrap(),
            catalog(1, 1)
        );
    }

    #[test]
    fn a_bucket_that_is_not_there_is_named_with_those_that_are() {
        let bucket = |name: &str| Bucket::new(name).unwrap();
        let said = no_bucket(&bucket("a"), &[bucket("b"), bucket("c")]).message;
        assert_eq!(said, "there is no bucket `a`; there are `b`, `c`");
        let many: Vec<Bucket> = (0..22).map(|n| bucket(&format!("b{n}"))).collect();
        assert!(
            no_bucket(&bucket("a"), &many)
                .message
                .ends_with("and 2 more")
        );
        assert!(
            no_bucket(&bucket("a"), &[])
                .message
                .ends_with("there are no documents")
        );
    }
}
