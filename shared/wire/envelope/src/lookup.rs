//! Requests that look into the corpus, and their replies: search, count, metadata, catalog. A look-up begins no turn,
//! calls no language model and stores nothing; any retriever that is ready answers it.
//!
//! Requests are parsed by hand, like questions, because the author of a program in another language needs an error
//! that names the field and the fix. *Not* here: the search within a turn, which is a [`Plan`](crate::Plan).

mod catalog;
mod explanation;

pub use explanation::{DocumentMatch, DroppedPassage, Explanation, RankedDocument};

pub use catalog::{
    CATALOG_VALUES, CatalogBucket, CatalogColumn, CatalogRequest, ColumnRange, ColumnType,
    CorpusCatalog, no_bucket,
};

use crate::codec::{WIRE, is_default};
use crate::filter::Filter;
use crate::ids::{Bucket, DocId, TenantId};
use crate::limits::{
    CONTEXT_CHARS, FACET_VALUES_MAX, FACETS_MAX, LOOKUP_BYTES_MAX, QUESTION_CHARS_MAX,
    SOURCE_BYTES_MAX, TOP_K_MAX,
};
use crate::meaning::SearchStrategy;
use crate::payload::{FilterMatch, Passage};
use crate::principal::Principal;
use crate::question::{
    Refusal, RefusalCode, field, read_buckets, read_filter, read_flag, read_groups, read_id,
    read_list, read_value, read_word, wanted,
};
use crate::refusal::cut;
use crate::terminal::Problem;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Passages of a search that names no number.
pub const TOP_K: usize = 10;
/// Values of a field that are returned when the request names no number.
pub const FACET_VALUES: usize = 20;

/// The words for a strategy, in messages.
const STRATEGIES: &str = "keyword, semantic or hybrid";

/// A request for a search, at [`SEARCH`](crate::subject::SEARCH).
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuery {
    /// The query in words.
    pub query: String,
    /// Whose documents may be read. Default the tenant `default` and no groups.
    pub principal: Principal,
    /// Parts of the corpus; empty means all.
    pub buckets: Vec<Bucket>,
    /// What must hold for every passage.
    pub filter: Filter,
    /// Which parts of the search are asked. Default hybrid.
    pub strategy: SearchStrategy,
    /// The one document whose passages are searched; absent for all of them.
    pub document: Option<DocumentName>,
    /// Most passages to return, 1 to [`TOP_K_MAX`]. Default [`TOP_K`].
    pub top_k: usize,
    /// Cut each text to about this many characters around what matches best; absent for the whole.
    pub context_chars: Option<usize>,
    /// Whether what the query says about documents becomes conditions. Default true.
    pub link: bool,
    /// Whether the reply says which documents the query may be about, and why. Default false.
    pub explain: bool,
}

/// A request for a count of documents, at [`COUNT`](crate::subject::COUNT).
#[derive(Debug, Clone, PartialEq)]
pub struct Count {
    /// Whose documents are counted. Default the tenant `default` and no groups.
    pub principal: Principal,
    /// Parts of the corpus; empty means all.
    pub buckets: Vec<Bucket>,
    /// What must hold for every document.
    pub filter: Filter,
    /// Fields whose values are counted too, at most `FACETS_MAX`.
    pub facets: Vec<String>,
    /// Values to return of each, 1 to [`FACET_VALUES_MAX`]. Default [`FACET_VALUES`].
    pub values_max: usize,
}

/// A request for the metadata of one document, at [`METADATA`](crate::subject::METADATA).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// Who asks. Default the tenant `default` and no groups.
    pub principal: Principal,
    /// The document.
    pub which: DocumentName,
}

/// How a document is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentName {
    /// By its id.
    DocId(DocId),
    /// By its path inside the corpus.
    Source(String),
}

/// The reply: either what was asked for, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply<T> {
    /// Wire version.
    pub v: u16,
    /// What was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<T>,
    /// Why there is none: a code of docs/wire.md and a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchReply {
    /// How the documents matched the filter.
    pub matched: FilterMatch,
    /// The best passages, best first.
    pub passages: Vec<Passage>,
    /// How many passages match in all.
    pub total_hits: u64,
    /// Fields of the filter that no document has; their conditions were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_fields: Vec<String>,
    /// All fields of the corpus, listed when the request has an unknown one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_fields: Vec<String>,
    /// Parts of the search that failed: `words` or `vectors`, and the passages are from the other;
    /// `reranker`, and they are in the built-in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Passages that were left out because the reply would have been too large.
    #[serde(default, skip_serializing_if = "is_default")]
    pub left_out: u32,
    /// What the query says about documents, as it was understood; absent when it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<SearchConditions>,
    /// The documents that the query may be about, the most likely first; only if the request asks for them
    /// (`explain`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<RankedDocument>,
    /// The passages that come next and are not in the list, best first; only if the request asks for them
    /// (`explain`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<DroppedPassage>,
}

/// What a query says about documents, and how each condition was used. Conditions are in words: `year is 2023`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchConditions {
    /// What holds for every passage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<String>,
    /// Conditions that reserve a share of the list, which comes first. The rest of the list need not satisfy any of
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<ConditionShare>,
    /// What the query names without becoming a condition, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// What is ambiguous, and conditions that cannot all hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
}

/// Conditions for which a share of a list is reserved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionShare {
    /// The conditions, all of which hold for each passage of the share.
    pub conditions: Vec<String>,
    /// How many passages were found with these conditions; the list has as many of them as there is room for.
    pub passages: u32,
}

/// The result of a count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountReply {
    /// Documents that match.
    pub documents: u64,
    /// One for each field that was asked for, in that order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<Facet>,
    /// Fields that no document has; conditions on them were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_fields: Vec<String>,
    /// All fields of the corpus, listed when the request has an unknown one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_fields: Vec<String>,
}

/// The values of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facet {
    /// The field.
    pub field: String,
    /// Its values, the most frequent first.
    pub values: Vec<FacetValue>,
    /// Whether there are values that are not listed.
    pub more: bool,
}

/// A value and how many documents have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FacetValue {
    /// As it is compared: in lower case.
    pub value: String,
    /// Documents that match and have it.
    pub documents: u64,
}

/// The metadata of one document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentReply {
    /// Part of the corpus.
    pub bucket: Bucket,
    /// The document.
    pub doc_id: DocId,
    /// Its title.
    pub title: String,
    /// Its path inside the corpus.
    pub source: String,
    /// How many chunks it has.
    pub chunks: u32,
    /// All of its metadata.
    pub metadata: BTreeMap<String, Value>,
}

impl<T> From<Result<T, Problem>> for Reply<T> {
    fn from(result: Result<T, Problem>) -> Self {
        let (result, error) = match result {
            Ok(result) => (Some(result), None),
            Err(problem) => (None, Some(problem)),
        };
        Reply {
            v: WIRE,
            result,
            error,
        }
    }
}

impl SearchQuery {
    /// Reads a request.
    pub fn parse(bytes: &[u8]) -> Result<SearchQuery, Problem> {
        const FIELDS: [&str; 12] = [
            "query",
            "tenant",
            "groups",
            "buckets",
            "filters",
            "doc_id",
            "source",
            "strategy",
            "top_k",
            "context_chars",
            "link",
            "explain",
        ];
        let object = object(bytes, &FIELDS, r#"{"query": "…"}"#)?;
        Ok(SearchQuery {
            query: query(&object)?,
            principal: principal(&object)?,
            buckets: read_buckets(&object)?,
            filter: read_filter(&object)?,
            strategy: read_word(&object, "strategy", STRATEGIES)?.unwrap_or_default(),
            document: which(&object)?,
            top_k: number(&object, "top_k", 1..=TOP_K_MAX)?.unwrap_or(TOP_K),
            context_chars: number(&object, "context_chars", CONTEXT_CHARS)?,
            link: read_flag(&object, "link")?.unwrap_or(true),
            explain: read_flag(&object, "explain")?.unwrap_or(false),
        })
    }
}

impl Count {
    /// Reads a request.
    pub fn parse(bytes: &[u8]) -> Result<Count, Problem> {
        const FIELDS: [&str; 6] = [
            "tenant",
            "groups",
            "buckets",
            "filters",
            "facets",
            "values_max",
        ];
        let object = object(bytes, &FIELDS, "{} to count everything")?;
        let values = number(&object, "values_max", 1..=FACET_VALUES_MAX)?;
        Ok(Count {
            principal: principal(&object)?,
            buckets: read_buckets(&object)?,
            filter: read_filter(&object)?,
            facets: facets(&object)?,
            values_max: values.unwrap_or(FACET_VALUES),
        })
    }
}

impl Metadata {
    /// Reads a request.
    pub fn parse(bytes: &[u8]) -> Result<Metadata, Problem> {
        const FORM: &str = r#"{"doc_id": "…"} or {"source": "…"}"#;
        let object = object(bytes, &["tenant", "groups", "doc_id", "source"], FORM)?;
        let which = which(&object)?;
        Ok(Metadata {
            principal: principal(&object)?,
            which: which.ok_or_else(|| bad_field(format!("name one document: send {FORM}")))?,
        })
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        Problem::new(refusal.code.as_str(), refusal.message)
    }
}

fn bad_field(message: String) -> Problem {
    Problem::new(RefusalCode::BadField.as_str(), message)
}

fn object(bytes: &[u8], fields: &[&str], form: &str) -> Result<Map<String, Value>, Problem> {
    let problem = |code: RefusalCode, text: String| Err(Problem::new(code.as_str(), text));
    let size = bytes.len();
    if size > LOOKUP_BYTES_MAX {
        let text = format!("the request has {size} bytes, the limit is {LOOKUP_BYTES_MAX}");
        return problem(RefusalCode::TooLarge, text);
    }
    let object = match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(object)) => object,
        Ok(_) => {
            let text = format!("the request is JSON but not an object; send {form}");
            return problem(RefusalCode::NotJson, text);
        }
        Err(error) => {
            let text = format!("the request is not JSON in UTF-8 ({error}); send {form}");
            return problem(RefusalCode::NotJson, text);
        }
    };
    match object.keys().find(|key| !fields.contains(&key.as_str())) {
        None => Ok(object),
        Some(unknown) => {
            let (unknown, known) = (cut(unknown).escape_debug().to_string(), fields.join(", "));
            let text = format!("unknown field `{unknown}`; the fields are {known}");
            problem(RefusalCode::UnknownField, text)
        }
    }
}

fn query(object: &Map<String, Value>) -> Result<String, Problem> {
    let query = field(object, "query").and_then(Value::as_str);
    let Some(query) = query.map(str::trim).filter(|query| !query.is_empty()) else {
        let text = "`query` is missing or empty; send {\"query\": \"…\"}";
        return Err(Problem::new("missing_query", text));
    };
    let chars = query.chars().count();
    if chars > QUESTION_CHARS_MAX {
        let text = format!("the query has {chars} characters, the limit is {QUESTION_CHARS_MAX}");
        return Err(Problem::new("query_too_long", text));
    }
    Ok(query.to_owned())
}

/// The document that is named; one name at most.
fn which(object: &Map<String, Value>) -> Result<Option<DocumentName>, Problem> {
    let doc_id = read_id(object, "doc_id", DocId::new)?;
    let source = field(object, "source").map(Value::as_str);
    match (doc_id, source) {
        (doc_id, None) => Ok(doc_id.map(DocumentName::DocId)),
        (None, Some(Some(source))) if (1..=SOURCE_BYTES_MAX).contains(&source.len()) => {
            Ok(Some(DocumentName::Source(source.to_owned())))
        }
        (None, Some(_)) => Err(bad_field(format!(
            "`source` must be a path of 1 to {SOURCE_BYTES_MAX} bytes"
        ))),
        (Some(_), Some(_)) => Err(bad_field(
            "name one document: send `doc_id` or `source`, not both".into(),
        )),
    }
}

fn principal(object: &Map<String, Value>) -> Result<Principal, Problem> {
    let tenant = read_id(object, "tenant", TenantId::new)?;
    Ok(Principal {
        tenant: tenant.unwrap_or_else(TenantId::default_tenant),
        groups: read_groups(object)?,
    })
}

fn number(
    object: &Map<String, Value>,
    name: &str,
    range: RangeInclusive<usize>,
) -> Result<Option<usize>, Refusal> {
    let parse = |value: &Value| {
        let number = value.as_u64().and_then(|n| usize::try_from(n).ok());
        number.filter(|n| range.contains(n))
    };
    let (least, most) = (range.start(), range.end());
    read_value(object, name, parse, |value| {
        wanted(value, &format!("a whole number from {least} to {most}"))
    })
}

fn facets(object: &Map<String, Value>) -> Result<Vec<String>, Problem> {
    let of = " names of fields";
    let list = read_list(object, "facets", FACETS_MAX, of)?.iter();
    let names = list.map(|name| name.as_str().map(str::to_owned)).collect();
    let bad = || {
        bad_field(format!(
            "`facets` must be a list of at most {FACETS_MAX}{of}"
        ))
    };
    Option::ok_or_else(names, bad)
}

#[cfg(test)]
#[path = "lookup_tests.rs"]
mod tests;
