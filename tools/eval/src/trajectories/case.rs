//! The contents of a trajectory's file: a question, the replies of its model, and the expected roles, searches and
//! outcome. *Not* here: how a trajectory is run.

use envelope::{Outcome, Role, SearchStrategy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A file of `tests/trajectories`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrajectoryCase {
    /// What the case shows, in one sentence.
    pub about: String,
    /// As it is asked.
    pub question: String,
    /// Fields that a client sends with the question: `mode`, `budget`, `filters` and so on.
    #[serde(default)]
    pub fields: Map<String, Value>,
    /// Settings of the fleet, by key.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// The corpus, by path; absent means the sample corpus.
    #[serde(default)]
    pub documents: Option<BTreeMap<String, String>>,
    /// The scripted replies of the model. The offline reader gives all other replies.
    #[serde(default)]
    pub model: Vec<ScriptedReply>,
    /// The steps that the question is expected to take.
    pub expected: Trajectory,
    /// What its answer, its question back or its notices have to contain.
    #[serde(default)]
    pub says: Vec<String>,
}

/// A scripted reply to a model call of a role.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedReply {
    /// The role that calls.
    pub role: Role,
    /// The reply, as a text or as JSON. If it is absent, the call fails like one that a server refuses.
    #[serde(default)]
    pub says: Option<Value>,
    /// What the prompt has to contain; empty means any.
    #[serde(default)]
    pub when: String,
    /// How often the reply is given. Default once.
    #[serde(default = "once")]
    pub times: usize,
}

impl ScriptedReply {
    /// A reply that is given once, to the next call of a role; without a text the call fails.
    pub fn new(role: Role, says: Option<String>) -> ScriptedReply {
        ScriptedReply {
            role,
            says: says.map(Value::String),
            when: String::new(),
            times: once(),
        }
    }
}

fn once() -> usize {
    1
}

/// The steps that a question takes. Expected and actual steps have the same form, so that the actual ones can be
/// written into a file as the expected ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trajectory {
    /// The roles that worked on it, in the order of the hops. The maps of one search are one entry, with their
    /// number.
    pub visited: Vec<String>,
    /// The calls of tools, in their order.
    #[serde(default)]
    pub tools: Vec<ToolCall>,
    /// Searches as a budget counts them: a search with its parts and shares counts as one.
    #[serde(default)]
    pub searches: u16,
    /// Calls of a model, by the role that made them.
    #[serde(default)]
    pub calls: BTreeMap<Role, u32>,
    /// How it ended.
    pub ending: TrajectoryEnding,
}

/// A tool that reads the corpus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tool {
    /// Passages are searched for.
    #[default]
    Search,
    /// Documents are listed, counted or added up.
    Table,
    /// Passages that were read before are fetched.
    Fetch,
}

impl Tool {
    fn is_search(&self) -> bool {
        *self == Tool::Search
    }
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolCall {
    /// Which.
    #[serde(default, skip_serializing_if = "Tool::is_search")]
    pub tool: Tool,
    /// What is searched for; for a table, what is done with the documents.
    pub words: String,
    /// Further terms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// The conditions that have to hold, in the form that people read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// The buckets that are searched; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<String>,
    /// Whether the search is by words, by meaning, or by both.
    #[serde(default, skip_serializing_if = "is_hybrid")]
    pub strategy: SearchStrategy,
    /// Most passages that are wanted; absent for a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
}

fn is_hybrid(strategy: &SearchStrategy) -> bool {
    *strategy == SearchStrategy::Hybrid
}

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrajectoryEnding {
    /// The outcome of its terminal event.
    pub outcome: Outcome,
    /// The limits that ended something during the turn, including `no_progress`, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// The kind of its question back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The documents that the answer cites, in the order of their first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<String>,
}
