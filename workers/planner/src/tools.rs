//! The tools that a large model may call. Pure.
//!
//! A call is checked before it is carried out, and the model is told what is wrong with it. *Not* here: how a call is
//! read ([`tool_call`](crate::tool_call)), and its results. A search goes to the retriever like every plan.

use crate::options::Options;
use envelope::Bucket;
use envelope::limits::BUCKETS_MAX;
use envelope::lookup::CorpusCatalog;
use llm::ReplySchema;
use serde_json::{Value, json};
use text::line_of;

/// The longest part of a call that is quoted, in characters.
const QUOTED_CHARS_MAX: usize = 60;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// A search by words.
    SearchText,
    /// A search by meaning.
    SearchSemantic,
    /// A search of the buckets that hold places.
    SearchLocation,
    /// A look at what a document says of itself.
    DocumentMetadata,
    /// No tool: the end of a loop.
    Done,
}

/// The tools that are offered, and the buckets for which they may be called.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Toolbox {
    pub(crate) tools: Vec<Tool>,
    /// The buckets; empty where they are not known, and then any bucket may be named.
    pub(crate) buckets: Vec<Bucket>,
}

impl Tool {
    /// The tools of a review, which all search. What documents say of themselves stands beside the results of a
    /// search.
    pub(crate) const OF_REVIEW: [Tool; 3] =
        [Tool::SearchText, Tool::SearchSemantic, Tool::SearchLocation];
    /// The tools of a loop.
    pub(crate) const OF_LOOP: [Tool; 5] = [
        Tool::SearchText,
        Tool::SearchSemantic,
        Tool::SearchLocation,
        Tool::DocumentMetadata,
        Tool::Done,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Tool::SearchText => "search_text",
            Tool::SearchSemantic => "search_semantic",
            Tool::SearchLocation => "search_location",
            Tool::DocumentMetadata => "get_document_metadata",
            Tool::Done => "done",
        }
    }

    /// What the tool is for, and which arguments it takes.
    const fn about(self) -> &'static str {
        match self {
            Tool::SearchText => {
                "search_text(bucket, query, filters, doc_id): by words, for names, numbers and exact terms; all but the query may be null"
            }
            Tool::SearchSemantic => {
                "search_semantic(bucket, query, filters, doc_id): by meaning, for ideas and descriptions; all but the query may be null"
            }
            Tool::SearchLocation => {
                "search_location(query): where something is, or what is near a place"
            }
            Tool::DocumentMetadata => {
                "get_document_metadata(doc_id): everything that a document of the results says of itself"
            }
            Tool::Done => "done(): what was found is enough, or nothing more can be expected",
        }
    }

    pub(crate) const fn arguments(self) -> &'static [&'static str] {
        match self {
            Tool::SearchText | Tool::SearchSemantic => &["bucket", "query", "filters", "doc_id"],
            Tool::SearchLocation => &["query"],
            Tool::DocumentMetadata => &["doc_id"],
            Tool::Done => &[],
        }
    }
}

impl Toolbox {
    /// These tools, for a question that may be about the buckets that it names.
    pub(crate) fn of(
        tools: &[Tool],
        options: &Options,
        catalog: &CorpusCatalog,
        named: &[Bucket],
    ) -> Toolbox {
        let mut tools = tools.to_vec();
        tools.retain(|tool| *tool != Tool::SearchLocation || !options.location_buckets.is_empty());
        let known = catalog.buckets.iter().map(|one| one.bucket.clone());
        let buckets = match named.is_empty() {
            true => known.take(BUCKETS_MAX).collect(),
            false => named.to_vec(),
        };
        Toolbox { tools, buckets }
    }

    /// A line for each tool, and the buckets.
    pub(crate) fn lines(&self) -> String {
        let mut lines: Vec<String> = self
            .tools
            .iter()
            .map(|one| format!("- {}", one.about()))
            .collect();
        if !self.buckets.is_empty() {
            lines.push(format!("Buckets: {}", names(&self.buckets)));
        }
        lines.join("\n")
    }

    /// The schema of a call. Every argument is required and most may be null, because servers that follow a schema to
    /// the letter want that.
    pub(crate) fn schema(&self) -> Value {
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.as_str()).collect();
        let text = json!({"type": ["string", "null"]});
        let value =
            json!({"type": ["string", "number", "array"], "items": {"type": ["string", "number"]}});
        let condition =
            json!({"field": {"type": "string"}, "operator": {"type": "string"}, "value": value});
        let args = ReplySchema::object(json!({
            "bucket": text,
            "query": {"type": "string"},
            "filters": {"type": "array", "maxItems": 8, "items": ReplySchema::object(condition)},
            "doc_id": text
        }));
        ReplySchema::object(json!({"tool": {"type": "string", "enum": tools}, "args": args}))
    }
}

pub(crate) fn names(buckets: &[Bucket]) -> String {
    let names: Vec<&str> = buckets.iter().map(|one| one.as_str()).collect();
    names.join(", ")
}

/// A part of a call, short enough to be quoted.
pub(crate) fn cut(text: &str) -> String {
    line_of(text, QUOTED_CHARS_MAX)
}
