//! A query over the columns of documents, and its result.
//!
//! The result is exact: it covers every document for which the conditions hold, never a sample. *Not* an answer:
//! the retriever decides what its rows cite and how it is presented.

use crate::searcher::ReadAfter;
use envelope::{Bucket, DocId, Filter, Principal};
use linking::TableQuestion;
use serde_json::Value;

/// A request for a table of documents.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRequest {
    /// Whose documents may be read: always a condition.
    pub principal: Principal,
    /// The buckets to search; empty means all.
    pub buckets: Vec<Bucket>,
    /// The conditions that every document satisfies.
    pub filter: Filter,
    /// What is computed from the documents.
    pub question: TableQuestion,
    /// Most rows in the result; the counts cover all documents, however many there are.
    pub rows_max: usize,
    /// The sequence that the index has to have taken in before.
    pub after: Option<ReadAfter>,
}

/// A document in a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDocument {
    /// The document.
    pub doc_id: DocId,
    /// Its title.
    pub title: String,
    /// Its path inside the corpus.
    pub source: String,
    /// A value for each column that is shown; null if the document has none.
    pub cells: Vec<Value>,
}

/// A group of documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableGroup {
    /// The value that the documents of the group share; `None` if there is no grouping.
    pub key: Option<String>,
    /// The currency of the measure, if it has one.
    pub currency: Option<String>,
    /// How many documents of the group have all the requested columns.
    pub documents: u64,
    /// The sum of the measure.
    pub sum: f64,
    /// The mean of the measure, with two decimal places.
    pub mean: Option<f64>,
    /// The measure of each document, for the first [`GROUP_VALUES_MAX`] documents only.
    pub values: Vec<f64>,
    /// The first documents of the group, by source.
    pub examples: Vec<TableDocument>,
}

/// The result of a query over columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableResult {
    /// How many documents satisfy the conditions.
    pub documents: u64,
    /// Rows of single documents, in the requested order, or else by source.
    pub rows: Vec<TableDocument>,
    /// Groups of documents, by key and currency, if the request groups them.
    pub groups: Vec<TableGroup>,
    /// How many rows or groups there are, including those that are not in the result.
    pub rows_total: u64,
    /// For each needed column that some documents lack, how many documents lack it.
    pub missing: Vec<(String, u64)>,
    /// How many documents lack the column of the grouping and are grouped by what they are called instead.
    pub called: u64,
    /// Fields of the filter that no document has; their conditions were left out.
    pub unknown_fields: Vec<String>,
    /// Fields of the filter that have no value of the compared kind.
    pub unlike_fields: Vec<String>,
}

/// Most measures of a group that are in the result one by one.
pub const GROUP_VALUES_MAX: usize = 50;
/// Most example documents of a group.
pub const GROUP_EXAMPLES_MAX: usize = 3;
