//! The questions of a generated corpus with their known answers, as the lines of its `questions.jsonl` have them.

use serde::Deserialize;
use serde_json::Value;

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum QuestionKind {
    /// Documents that satisfy conditions: "List all invoices from ... in ...".
    List,
    /// How many there are.
    Count,
    /// What an amount comes to, by currency.
    Sum,
    /// What an amount is on average, by currency.
    Average,
    /// The one with the largest or smallest amount, or the newest or oldest.
    Extreme,
    /// How many, or how much, by the values of a column.
    Group,
    /// One document, by its number or by what only it is.
    Lookup,
    /// Two things side by side, each with its own conditions.
    Compare,
    /// Documents of a span of time: ranges, relative days, quarters, fiscal years.
    Time,
    /// Documents without some of them.
    Except,
    /// Documents over, under or between amounts.
    Threshold,
    /// Words that sound like conditions and must not become any.
    None,
}

impl QuestionKind {
    /// The word in reports.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            QuestionKind::List => "list",
            QuestionKind::Count => "count",
            QuestionKind::Sum => "sum",
            QuestionKind::Average => "average",
            QuestionKind::Extreme => "extreme",
            QuestionKind::Group => "group",
            QuestionKind::Lookup => "lookup",
            QuestionKind::Compare => "compare",
            QuestionKind::Time => "time",
            QuestionKind::Except => "except",
            QuestionKind::Threshold => "threshold",
            QuestionKind::None => "none",
        }
    }
}

/// A condition that the question states.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct GoldCondition {
    /// The column of the bucket's schema; where it has none, the key of front matter.
    pub(super) field: String,
    /// `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `in` or `not_in`.
    pub(super) op: String,
    /// A text, a number or a day in ISO form; for `in` and `not_in`, a list.
    pub(super) value: Value,
    /// The forms of the value in documents, where there are several.
    #[serde(default)]
    pub(super) forms: Vec<String>,
}

/// A table that answers the question exactly.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct GoldTable {
    /// The names of the columns.
    pub(super) columns: Vec<String>,
    /// The rows, of texts and numbers.
    pub(super) rows: Vec<Vec<Value>>,
}

/// A question with its known answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct GoldQuestion {
    /// `<side>-<kind>-<number>`.
    pub(super) id: String,
    /// What it asks for.
    pub(super) kind: QuestionKind,
    /// The question in words.
    pub(super) question: String,
    /// The day on which it is asked, to which `last month` refers.
    pub(super) today: String,
    /// The bucket that it is about.
    pub(super) bucket: Option<String>,
    /// The conditions that all have to hold; for a comparison, those of both parts.
    pub(super) conditions: Vec<GoldCondition>,
    /// The further conditions of each part of a comparison.
    #[serde(default)]
    pub(super) parts: Vec<Vec<GoldCondition>>,
    /// The documents that satisfy all conditions and state what is asked for, by source. For an extreme, the one document.
    pub(super) documents: Vec<String>,
    /// The documents that might satisfy them, but do not state one of the values.
    pub(super) left_out: Vec<String>,
    /// The exact answer, where a number or a table is asked for.
    pub(super) table: Option<GoldTable>,
}
