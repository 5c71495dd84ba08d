//! The meaning that a planner reads in a question, besides what to search for: its class, its intent, the way to search
//! and the form of the answer.
//!
//! *Not* here: how the question is read (`text::question` and the planner), and which conditions it states (`linking`,
//! which knows the corpus).

use serde::{Deserialize, Serialize};

words! {
    /// How many searches a question takes, and of which kind.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum QuestionClass {
        /// It asks one thing about one thing.
        #[default]
        Simple = "simple",
        /// It compares things.
        Comparative = "comparative",
        /// It needs one answer in order to ask for the next.
        MultiStep = "multi_step",
        /// It asks for an order of events, or for a change over time.
        Temporal = "temporal",
    }
}

words! {
    /// The intent of a question: what the answer has to provide.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum QuestionIntent {
        /// Something that documents say.
        #[default]
        Qa = "qa",
        /// A list of all documents that satisfy the conditions.
        List = "list",
        /// A summary of what documents say.
        Summarize = "summarize",
        /// A comparison of things.
        Compare = "compare",
        /// A number that is computed from documents: how many, or how much in all.
        Compute = "compute",
    }
}

words! {
    /// Which parts of the index a search uses.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum SearchStrategy {
        /// Words and vectors, fused.
        #[default]
        Hybrid = "hybrid",
        /// Words alone.
        Keyword = "keyword",
        /// Vectors alone.
        Semantic = "semantic",
    }
}

words! {
    /// The form of an answer.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum AnswerForm {
        /// Sentences.
        #[default]
        Prose = "prose",
        /// A line for each thing.
        List = "list",
        /// A Markdown table.
        Table = "table",
        /// Comma-separated values.
        Csv = "csv",
    }
}

impl QuestionClass {
    /// Most sub-queries that a question of this class is split into.
    pub const fn sub_queries(self) -> usize {
        match self {
            QuestionClass::Simple => 1,
            QuestionClass::Comparative | QuestionClass::Temporal => 2,
            QuestionClass::MultiStep => 3,
        }
    }
}
