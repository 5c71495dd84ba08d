//! The meaning that a planner reads in a question, besides what to search for: its class, its intent, the way to search
//! and the form of the answer.
//!
//! *Not* here: how the question is read (`text::question` and the planner), and which conditions it states (`linking`,
//! which knows the corpus).

use serde::{Deserialize, Serialize};

/// How many searches a question takes, and of which kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionClass {
    /// It asks one thing about one thing.
    #[default]
    Simple,
    /// It compares things.
    Comparative,
    /// It needs one answer in order to ask for the next.
    MultiStep,
    /// It asks for an order of events, or for a change over time.
    Temporal,
}

/// The intent of a question: what the answer has to provide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionIntent {
    /// Something that documents say.
    #[default]
    Qa,
    /// A list of all documents that satisfy the conditions.
    List,
    /// A summary of what documents say.
    Summarize,
    /// A comparison of things.
    Compare,
    /// A number that is computed from documents: how many, or how much in all.
    Compute,
}

/// Which parts of the index a search uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchStrategy {
    /// Words and vectors, fused.
    #[default]
    Hybrid,
    /// Words alone.
    Keyword,
    /// Vectors alone.
    Semantic,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// Sentences.
    #[default]
    Prose,
    /// A line for each thing.
    List,
    /// A Markdown table.
    Table,
    /// Comma-separated values.
    Csv,
}

impl QuestionClass {
    /// Every class.
    pub const ALL: [QuestionClass; 4] = [
        QuestionClass::Simple,
        QuestionClass::Comparative,
        QuestionClass::MultiStep,
        QuestionClass::Temporal,
    ];

    /// The word on the wire, in prompts and in the trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            QuestionClass::Simple => "simple",
            QuestionClass::Comparative => "comparative",
            QuestionClass::MultiStep => "multi_step",
            QuestionClass::Temporal => "temporal",
        }
    }

    /// Most sub-queries that a question of this class is split into.
    pub const fn sub_queries(self) -> usize {
        match self {
            QuestionClass::Simple => 1,
            QuestionClass::Comparative | QuestionClass::Temporal => 2,
            QuestionClass::MultiStep => 3,
        }
    }
}

impl QuestionIntent {
    /// Every intent.
    pub const ALL: [QuestionIntent; 5] = [
        QuestionIntent::Qa,
        QuestionIntent::List,
        QuestionIntent::Summarize,
        QuestionIntent::Compare,
        QuestionIntent::Compute,
    ];

    /// The word on the wire, in prompts and in the trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            QuestionIntent::Qa => "qa",
            QuestionIntent::List => "list",
            QuestionIntent::Summarize => "summarize",
            QuestionIntent::Compare => "compare",
            QuestionIntent::Compute => "compute",
        }
    }
}

impl SearchStrategy {
    /// The word on the wire and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            SearchStrategy::Hybrid => "hybrid",
            SearchStrategy::Keyword => "keyword",
            SearchStrategy::Semantic => "semantic",
        }
    }
}

impl AnswerForm {
    /// The word on the wire and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            AnswerForm::Prose => "prose",
            AnswerForm::List => "list",
            AnswerForm::Table => "table",
            AnswerForm::Csv => "csv",
        }
    }
}

/// Whether it is what is assumed where nothing is said; such a field is not written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
