//! The contents of a trajectory's file: a question, the replies of its model, and the expected roles, searches and
//! outcome. *Not* here: how a trajectory is run.

use envelope::{Outcome, Role, SearchStrategy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A file of `tests/trajectories`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrajectoryCase {
    /// What it shows, in a sentence.
    pub about: String,
    /// As it is asked.
    pub question: String,
    /// What a client sends along: `mode`, `budget`, `filters` and so on.
    #[serde(default)]
    pub fields: Map<String, Value>,
    /// Settings of its fleet, by key.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// The corpus, by path; absent means the sample corpus.
    #[serde(default)]
    pub documents: Option<BTreeMap<String, String>>,
    /// What the model says; the offline reader says the rest.
    #[serde(default)]
    pub model: Vec<ScriptedReply>,
    /// The way that it is to take.
    pub expected: Trajectory,
    /// What its answer, its question back or its notices have to contain.
    #[serde(default)]
    pub says: Vec<String>,
}

/// What a model says when a role asks it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedReply {
    /// The role that calls.
    pub role: Role,
    /// A text, or JSON; absent where the call fails, as one that a server refuses.
    #[serde(default)]
    pub says: Option<Value>,
    /// What the prompt has to contain; empty means any.
    #[serde(default)]
    pub when: String,
    /// How often it is said. Default once.
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

/// The way of a question. What a file expects and what is seen have the same form, so that one can be written as the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trajectory {
    /// The roles that worked on it, in the order of the hops; the maps of one search are one entry, with their
    /// number.
    pub visited: Vec<String>,
    /// What the corpus was asked for, in that order.
    #[serde(default)]
    pub tools: Vec<ToolCall>,
    /// Searches as a budget counts them: one with its parts and shares is one.
    #[serde(default)]
    pub searches: u16,
    /// Calls of a model, by the role that made them.
    #[serde(default)]
    pub calls: BTreeMap<Role, u32>,
    /// How it ended.
    pub ending: TrajectoryEnding,
}

/// What is done with the corpus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Passages are searched for.
    #[default]
    Search,
    /// Documents are listed, counted or added up.
    Table,
    /// Passages are fetched that were read before.
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
pub struct ToolCall {
    /// Which.
    #[serde(default, skip_serializing_if = "Tool::is_search")]
    pub tool: Tool,
    /// What is searched for; of a table what is done with the documents.
    pub words: String,
    /// Further terms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// What has to hold, as people read it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Which parts of the corpus are asked; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<String>,
    /// By words, by meaning, or by both.
    #[serde(default, skip_serializing_if = "is_hybrid")]
    pub strategy: SearchStrategy,
    /// Most passages that are wanted; of a table none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
}

fn is_hybrid(strategy: &SearchStrategy) -> bool {
    *strategy == SearchStrategy::Hybrid
}

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrajectoryEnding {
    /// The outcome of its terminal event.
    pub outcome: Outcome,
    /// The limits that ended something on the way, `no_progress` among them, in that order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// The kind of its question back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The documents that the answer cites, in the order of their first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<String>,
}
