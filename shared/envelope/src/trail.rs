//! The trail: what each step did, how long it took, and every fallback it took. It travels on the
//! main path and is returned with the answer, so that a bad answer can be explained.

use crate::role::Role;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One step that was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrailEntry {
    /// Who did it.
    pub role: Role,
    /// At which hop.
    pub hop: u16,
    /// In which round.
    pub round: u8,
    /// Which map of the fan-out, for mappers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u16>,
    /// The delivery that succeeded, from 1.
    pub attempt: u16,
    /// From publishing to the start of work, in milliseconds.
    pub queued_ms: u64,
    /// Work, in milliseconds.
    pub worked_ms: u64,
    /// The model that was called, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What was spent.
    #[serde(default, skip_serializing_if = "Usage::is_zero")]
    pub usage: Usage,
    /// What was decided, in a few words.
    pub decided: String,
    /// Every way in which the step did less than it should.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Fallback>,
    /// The prompts that its model was asked with, by name: the version of the text, the first 8 hex digits of its hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prompts: BTreeMap<String, String>,
}

/// Model calls and tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Calls of a model.
    pub calls: u32,
    /// Tokens read.
    pub tokens_in: u64,
    /// Tokens written.
    pub tokens_out: u64,
}

impl Usage {
    /// True when nothing was spent.
    pub fn is_zero(&self) -> bool {
        *self == Usage::default()
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.calls += other.calls;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
    }
}

impl std::iter::Sum for Usage {
    fn sum<I: Iterator<Item = Usage>>(all: I) -> Usage {
        all.fold(Usage::default(), |mut sum, usage| {
            sum += usage;
            sum
        })
    }
}

/// A named default that was taken instead of the real thing. Each is also a counter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fallback {
    /// What was said before could not be read: the question was taken by itself.
    NoHistory,
    /// Exchanges that the question could lean on are no longer kept.
    HistoryGone {
        /// How many.
        count: u16,
    },
    /// The conversation has had more turns than are kept of one: each new one drops the oldest.
    ConversationTrimmed {
        /// How many are kept.
        turns: u64,
    },
    /// The planner's output could not be read: the question itself is the plan.
    PlanDefault,
    /// Fields of a plan were missing their form, or said something that they cannot: they are what rules read in the
    /// question.
    PlanFieldsDefaulted {
        /// Which.
        fields: Vec<String>,
    },
    /// Conditions that a planner stated in words that the question does not have were left out.
    ConstraintsUnsaid {
        /// How many.
        count: u16,
    },
    /// A plan had more conditions than are taken of one: the last ones were left out.
    ConstraintsTrimmed {
        /// How many.
        count: u16,
    },
    /// A refined plan equals an earlier one: going round again would change nothing.
    NoProgress,
    /// No hit with the planner's guess of a filter: it was dropped.
    FilterRelaxed {
        /// The condition that was dropped, as people read it.
        condition: String,
    },
    /// A condition on a field that the corpus does not have was dropped.
    FilterUnknownField {
        /// The field.
        field: String,
    },
    /// A part of the search failed: the passages are from the others, or in the built-in order.
    SearchedWithout {
        /// Which: `words`, `vectors` or `reranker`.
        leg: String,
    },
    /// No index had taken in what the question wants by the time it had to be searched.
    SearchedBehind {
        /// The sequence of the corpus stream that it wants.
        wanted: u64,
        /// Where the index was that was searched.
        at: u64,
    },
    /// One of several searches failed: the passages are from the others.
    SubQueryFailed {
        /// What was searched for.
        query: String,
    },
    /// A plan had more sub-queries than are searched for: the last ones were left out.
    SubQueriesTrimmed {
        /// How many.
        count: u16,
    },
    /// Passages over the size of one message or prompt, or over the calls that are left, were cut or left
    /// out.
    PassagesTrimmed {
        /// How many.
        count: u16,
    },
    /// Unreadable map output: the passage passes as relevant, but does not count.
    MapDefault,
    /// A map output that was not JSON was read by its fields.
    MapSalvaged,
    /// Map results that were not there when the reducer started.
    PartsMissing {
        /// Which of the fan-out.
        indexes: Vec<u16>,
    },
    /// Map steps that failed for good.
    PartsFailed {
        /// Which of the fan-out.
        indexes: Vec<u16>,
    },
    /// Facts that a mapper stated and its passage does not were left out.
    FactsUnsupported {
        /// How many.
        count: u16,
    },
    /// Facts over the size of one prompt, or over what is taken from one passage, were cut or left out.
    FactsTrimmed {
        /// How many.
        count: u16,
    },
    /// Too few relevant passages and no round left: the answer says so.
    Caveat,
    /// The model cited nothing: each sentence got the mark of the source whose facts have most of its
    /// words. Such a mark proves nothing.
    MarksAdded {
        /// How many.
        count: u16,
    },
    /// No words of the source support a cited fact well enough: its quote is the mapper's wording.
    QuotesReplaced {
        /// How many.
        count: u16,
    },
    /// The reducer could not call a model: the facts themselves are the answer.
    ReduceDefault,
    /// A stage was broken for good: retrieve and one call instead.
    BasicRag {
        /// The stage.
        role: Role,
    },
    /// The validator was broken: the draft is returned as it is, flagged.
    Unvalidated,
    /// The draft was not grounded: a stricter one was asked for.
    Stricter,
    /// The clarifying question is the template.
    ClarifyDefault,
    /// A limit of the budget forbade a model call, another round or a stricter draft, or the reading of
    /// some passages.
    BudgetSpent {
        /// Which limit: `rounds`, `tool_calls`, `llm_calls`, `tokens` or `time`.
        limit: String,
    },
}

impl Fallback {
    /// The word for logs and metric labels.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Fallback::NoHistory => "no_history",
            Fallback::HistoryGone { .. } => "history_gone",
            Fallback::ConversationTrimmed { .. } => "conversation_trimmed",
            Fallback::PlanDefault => "plan_default",
            Fallback::PlanFieldsDefaulted { .. } => "plan_fields_defaulted",
            Fallback::ConstraintsUnsaid { .. } => "constraints_unsaid",
            Fallback::ConstraintsTrimmed { .. } => "constraints_trimmed",
            Fallback::NoProgress => "no_progress",
            Fallback::FilterRelaxed { .. } => "filter_relaxed",
            Fallback::FilterUnknownField { .. } => "filter_unknown_field",
            Fallback::SearchedWithout { .. } => "searched_without",
            Fallback::SearchedBehind { .. } => "searched_behind",
            Fallback::SubQueryFailed { .. } => "sub_query_failed",
            Fallback::SubQueriesTrimmed { .. } => "sub_queries_trimmed",
            Fallback::PassagesTrimmed { .. } => "passages_trimmed",
            Fallback::MapDefault => "map_default",
            Fallback::MapSalvaged => "map_salvaged",
            Fallback::PartsMissing { .. } => "parts_missing",
            Fallback::PartsFailed { .. } => "parts_failed",
            Fallback::FactsUnsupported { .. } => "facts_unsupported",
            Fallback::FactsTrimmed { .. } => "facts_trimmed",
            Fallback::Caveat => "caveat",
            Fallback::MarksAdded { .. } => "marks_added",
            Fallback::QuotesReplaced { .. } => "quotes_replaced",
            Fallback::ReduceDefault => "reduce_default",
            Fallback::BasicRag { .. } => "basic_rag",
            Fallback::Unvalidated => "unvalidated",
            Fallback::Stricter => "stricter",
            Fallback::ClarifyDefault => "clarify_default",
            Fallback::BudgetSpent { .. } => "budget_spent",
        }
    }

    /// Every word, so that counters can be registered at 0.
    pub const ALL: [&'static str; 30] = [
        "no_history",
        "history_gone",
        "conversation_trimmed",
        "plan_default",
        "plan_fields_defaulted",
        "constraints_unsaid",
        "constraints_trimmed",
        "no_progress",
        "filter_relaxed",
        "filter_unknown_field",
        "searched_without",
        "searched_behind",
        "sub_query_failed",
        "sub_queries_trimmed",
        "passages_trimmed",
        "map_default",
        "map_salvaged",
        "parts_missing",
        "parts_failed",
        "facts_unsupported",
        "facts_trimmed",
        "caveat",
        "marks_added",
        "quotes_replaced",
        "reduce_default",
        "basic_rag",
        "unvalidated",
        "stricter",
        "clarify_default",
        "budget_spent",
    ];
}
