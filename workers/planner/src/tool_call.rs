//! Reads a call of a tool, or an action of a loop, out of what a model wrote. Pure. *Not* here: which tools there are
//! ([`tools`](crate::tools)).

use crate::options::Options;
use crate::plan;
use crate::routes;
use crate::tools::{Tool, Toolbox, cut, names};
use envelope::limits::SUB_QUERY_CHARS_MAX;
use envelope::{Bucket, Condition, ConditionOrigin, DocId, Filter, Op, Plan, SearchStrategy};
use serde_json::{Value, json};
use std::fmt;
use text::one_line;

/// What the model does in a loop.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// The model has what it needs.
    Done,
    /// The model calls a tool.
    Call(ToolCall),
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

impl Toolbox {
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
    pub(crate) fn plan(&self, question: &str, options: &Options) -> Plan {
        let plain = Plan {
            query: question.to_owned(),
            ..Plan::default()
        };
        let own = self.search(options);
        Plan {
            query: own.query,
            strategy: own.strategy,
            filter: own.filter,
            ..plan::by_rules(plain)
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
