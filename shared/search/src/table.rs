//! A query over the columns of documents, and its result.
//!
//! The result is exact: it covers every document for which the conditions hold, never a sample. *Not* an answer:
//! the retriever decides what its rows cite and how it is presented.

use crate::searcher::ReadAfter;
use envelope::{Bucket, DocId, Filter, TenantId};
use linking::TableQuestion;
use serde_json::Value;

/// A table of documents.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRequest {
    /// The tenant whose documents may be read: always a condition.
    pub tenant: TenantId,
    /// Parts of the corpus; empty means all.
    pub buckets: Vec<Bucket>,
    /// What must hold for every document.
    pub filter: Filter,
    /// What is computed from them.
    pub question: TableQuestion,
    /// Most rows that are kept; all documents count, however many there are.
    pub rows_max: usize,
    /// What the index has to have taken in before.
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
    /// A value for each column that is shown; null where the document does not say.
    pub cells: Vec<Value>,
}

/// A group of documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableGroup {
    /// The value that they share; `None` where there is no grouping.
    pub key: Option<String>,
    /// The currency of their measure, where it has one.
    pub currency: Option<String>,
    /// How many documents have all the columns that were asked for.
    pub documents: u64,
    /// What the measure comes to.
    pub sum: f64,
    /// Its mean, to two digits behind the point.
    pub mean: Option<f64>,
    /// The measure of each, of the first [`GROUP_VALUES_MAX`]; all of them when that is no more than there are documents.
    pub values: Vec<f64>,
    /// The first of them, by source.
    pub examples: Vec<TableDocument>,
}

/// The result of a query over columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableResult {
    /// How many documents satisfy the conditions.
    pub documents: u64,
    /// Rows, where each is a document: in the order that was asked for, else by source.
    pub rows: Vec<TableDocument>,
    /// Groups, by key and currency, where documents are taken together.
    pub groups: Vec<TableGroup>,
    /// How many rows or groups there are, those that were not kept included.
    pub rows_total: u64,
    /// How many documents lack each column that was needed, where some do.
    pub missing: Vec<(String, u64)>,
    /// How many documents lack the column that they are grouped by, and are grouped by what they are called
    /// instead.
    pub called: u64,
    /// Fields of the filter that no document has; their conditions were left out.
    pub unknown_fields: Vec<String>,
    /// Fields of the filter that hold no value to compare with its own.
    pub unlike_fields: Vec<String>,
}

/// Most measures that are kept of a group one by one.
pub const GROUP_VALUES_MAX: usize = 50;
/// Most documents that stand for a group.
pub const GROUP_EXAMPLES_MAX: usize = 3;
