//! The tools that a large model may call, and the parser of its calls. Pure.
//!
//! A call is checked before it is carried out, and the model is told what is wrong with it. *Not* here: the results
//! of a call. A search goes to the retriever like every plan.

use crate::lists::ListLimits;
use crate::options::Options;
use crate::plan;
use crate::routes;
use envelope::limits::{BUCKETS_MAX, SUB_QUERY_CHARS_MAX};
use envelope::lookup::CorpusCatalog;
use envelope::{Bucket, Condition, ConditionOrigin, DocId, Filter, Op, Plan, SearchStrategy};
use serde_json::{Value, json};
use std::fmt;
use text::{line_of, one_line};

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

/// What the model does in a loop.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// The model has what it needs.
    Done,
    /// The model calls a tool.
    Call(ToolCall),
}

/// The tools that are offered, and the buckets for which they may be called.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Toolbox {
    tools: Vec<Tool>,
    /// The buckets; empty where they are not known, and then any bucket may be named.
    buckets: Vec<Bucket>,
}

/// A call whose arguments are valid.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    tool: Tool,
    query: String,
    /// The bucket, the conditions and the document: each is a guess of the model.
    filter: Filter,
    /// The document to look at.
    document: Option<DocId>,
}

impl Tool {
    /// The tools of a review, which all search. What documents say of themselves stands beside the results of a
    /// search.
    const OF_REVIEW: [Tool; 3] = [Tool::SearchText, Tool::SearchSemantic, Tool::SearchLocation];
    const OF_LOOP: [Tool; 5] = [
        Tool::SearchText,
        Tool::SearchSemantic,
        Tool::SearchLocation,
        Tool::DocumentMetadata,
        Tool::Done,
    ];

    const fn as_str(self) -> &'static str {
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

    const fn arguments(self) -> &'static [&'static str] {
        match self {
            Tool::SearchText | Tool::SearchSemantic => &["bucket", "query", "filters", "doc_id"],
            Tool::SearchLocation => &["query"],
            Tool::DocumentMetadata => &["doc_id"],
            Tool::Done => &[],
        }
    }
}

impl Toolbox {
    /// The tools of a review, for a question that may be about the buckets that it names.
    pub(crate) fn of(options: &Options, catalog: &CorpusCatalog, named: &[Bucket]) -> Toolbox {
        Toolbox::with(Tool::OF_REVIEW.to_vec(), options, catalog, named)
    }

    /// The tools of a loop.
    pub(crate) fn of_loop(options: &Options, catalog: &CorpusCatalog, named: &[Bucket]) -> Toolbox {
        Toolbox::with(Tool::OF_LOOP.to_vec(), options, catalog, named)
    }

    fn with(
        mut tools: Vec<Tool>,
        options: &Options,
        catalog: &CorpusCatalog,
        named: &[Bucket],
    ) -> Toolbox {
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
        json!({
            "type": ["object", "null"],
            "properties": {
                "tool": {"type": "string", "enum": tools},
                "args": {
                    "type": "object",
                    "properties": {
                        "bucket": text,
                        "query": {"type": "string"},
                        "filters": {"type": "array", "maxItems": 8, "items": {
                            "type": "object",
                            "properties": {
                                "field": {"type": "string"},
                                "operator": {"type": "string"},
                                "value": {"type": ["string", "number", "array"], "items": {"type": ["string", "number"]}}
                            },
                            "required": ["field", "operator", "value"],
                            "additionalProperties": false
                        }},
                        "doc_id": text
                    },
                    "required": ["bucket", "query", "filters", "doc_id"],
                    "additionalProperties": false
                }
            },
            "required": ["tool", "args"],
            "additionalProperties": false
        })
    }

    /// The action that `value` describes, or what is wrong with it.
    pub(crate) fn action(&self, value: &Value) -> Result<Action, String> {
        let name = value.get("tool").and_then(Value::as_str).map(str::trim);
        match name == Some(Tool::Done.as_str()) {
            true => Ok(Action::Done),
            false => self.read(value).map(Action::Call),
        }
    }

    /// The call that `value` describes, or what is wrong with it.
    pub(crate) fn read(&self, value: &Value) -> Result<ToolCall, String> {
        let name = value
            .get("tool")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let named = self.tools.iter().find(|tool| tool.as_str() == name.trim());
        let Some(&tool) = named else {
            let tools: Vec<&str> = self.tools.iter().map(|tool| tool.as_str()).collect();
            return Err(format!(
                "there is no tool `{}`; there are {}",
                cut(name),
                tools.join(", ")
            ));
        };
        let arguments = value.get("args").and_then(Value::as_object);
        let arguments =
            arguments.ok_or_else(|| format!("{} wants `args`, an object", tool.as_str()))?;
        let given = |name: &str| arguments.get(name).filter(|value| !is_nothing(value));
        // Servers that are given one form for all tools fill in what a tool does not take: as nothing.
        let stranger = arguments
            .keys()
            .find(|key| given(key).is_some() && !tool.arguments().contains(&key.as_str()));
        if let Some(stranger) = stranger {
            return Err(format!(
                "{} takes no `{}`; it takes {}",
                tool.as_str(),
                cut(stranger),
                tool.arguments().join(", ")
            ));
        }
        let text = |name: &str| match given(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(one_line(text))),
            Some(_) => Err(format!("`{name}` must be a text")),
        };
        let document = text("doc_id")?.map(DocId::new).transpose();
        let document = document.map_err(|error| format!("`doc_id`: {error}"))?;
        if tool == Tool::DocumentMetadata {
            let document = Some(document.ok_or("`doc_id` is missing")?);
            return Ok(ToolCall {
                tool,
                query: String::new(),
                filter: Filter::default(),
                document,
            });
        }
        let query = text("query")?.ok_or("`query` is missing")?;
        if query.chars().count() > SUB_QUERY_CHARS_MAX {
            return Err(format!("`query` is over {SUB_QUERY_CHARS_MAX} characters"));
        }
        let mut filter = Filter::default();
        if let Some(bucket) = text("bucket")? {
            filter = filter.and(guess("bucket", self.bucket(&bucket)?));
        }
        if let Some(filters) = given("filters") {
            filter = filter.and(conditions(filters)?);
        }
        if let Some(id) = document {
            filter = filter.and(guess("doc_id", id.as_str()));
        }
        Ok(ToolCall {
            tool,
            query,
            filter,
            document: None,
        })
    }

    fn bucket<'a>(&self, name: &'a str) -> Result<&'a str, String> {
        let is_known =
            self.buckets.is_empty() || self.buckets.iter().any(|one| one.as_str() == name);
        match is_known && Bucket::new(name).is_ok() {
            true => Ok(name),
            false => Err(format!(
                "there is no bucket `{}`; there are {}",
                cut(name),
                names(&self.buckets)
            )),
        }
    }
}

impl ToolCall {
    /// The plan of this call, in which rules read the meaning of the question.
    pub(crate) fn plan(&self, question: &str, limits: &ListLimits, options: &Options) -> Plan {
        let plain = Plan {
            query: question.to_owned(),
            ..Plan::default()
        };
        let own = self.search(options);
        Plan {
            query: own.query,
            strategy: own.strategy,
            filter: own.filter,
            ..plan::by_rules(plain, limits).plan
        }
    }

    /// The plan of this call and nothing else. The query of a look at a document is the document's name, by which the
    /// look is recognised later.
    pub(crate) fn search(&self, options: &Options) -> Plan {
        let query = match &self.document {
            Some(document) => format!("{} {}", self.tool.as_str(), document.as_str()),
            None => self.query.clone(),
        };
        let strategy = match self.tool {
            Tool::SearchText => SearchStrategy::Keyword,
            Tool::SearchSemantic => SearchStrategy::Semantic,
            Tool::SearchLocation | Tool::DocumentMetadata | Tool::Done => SearchStrategy::Hybrid,
        };
        Plan {
            query,
            strategy,
            filter: match self.tool {
                Tool::SearchLocation => self.filter.clone().and(routes::places(options)),
                _ => self.filter.clone(),
            },
            ..Plan::default()
        }
    }

    /// The ids of the chunks that the call looks at: the first chunk of its document.
    pub(crate) fn chunks(&self) -> Vec<String> {
        let document = self.document.iter();
        document.map(|id| format!("{}.0", id.as_str())).collect()
    }
}

/// The form in the trail: `search_text "notice period" where bucket = "contracts"`.
impl fmt::Display for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(document) = &self.document {
            return write!(f, "{} {}", self.tool.as_str(), document.as_str());
        }
        write!(f, "{} \"{}\"", self.tool.as_str(), cut(&self.query))?;
        if !self.filter.is_empty() {
            write!(f, " where {}", self.filter)?;
        }
        Ok(())
    }
}

/// Whether a value stands for none: the words that models write for it, and an empty list of conditions.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => ["", "null", "none"].contains(&text.trim().to_lowercase().as_str()),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Reads conditions from a list of field, operator and value, or from one of the object forms.
fn conditions(filters: &Value) -> Result<Filter, String> {
    let wrong = |error: &dyn fmt::Display| format!("`filters`: {error}");
    let Value::Array(list) = filters else {
        return Filter::parse(filters, ConditionOrigin::Planner).map_err(|error| wrong(&error));
    };
    let mut all = Filter::default();
    for one in list {
        let field = one.get("field").and_then(Value::as_str).map(str::trim);
        let field = field.filter(|field| !field.is_empty());
        let field = field.ok_or_else(|| wrong(&"each wants `field`, `operator` and `value`"))?;
        let operator = one.get("operator").or_else(|| one.get("op"));
        let operator = operator.and_then(Value::as_str).unwrap_or("eq");
        let value = one.get("value").unwrap_or(&Value::Null);
        let operator = match (Op::parse(operator), value) {
            (Some(Op::Eq), Value::Array(_)) => "in",
            _ => operator,
        };
        let form = json!({field: {"op": operator, "value": value}});
        let read = Filter::parse(&form, ConditionOrigin::Planner).map_err(|error| wrong(&error))?;
        all = all.and(read);
    }
    // As many as are taken of an object.
    let most = envelope::limits::CONDITIONS_MAX;
    match all.0.len() > most {
        true => Err(wrong(&format!("more than {most} conditions"))),
        false => Ok(all),
    }
}

fn guess(field: &str, value: &str) -> Filter {
    Filter(vec![Condition::new(
        field,
        Op::Eq,
        value,
        ConditionOrigin::Planner,
    )])
}

fn names(buckets: &[Bucket]) -> String {
    let names: Vec<&str> = buckets.iter().map(|one| one.as_str()).collect();
    names.join(", ")
}

fn cut(text: &str) -> String {
    line_of(text, QUOTED_CHARS_MAX)
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
