//! A question with its known answer, as one line of `questions.jsonl`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
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
    /// Every one.
    pub const ALL: [QuestionKind; 12] = [
        QuestionKind::List,
        QuestionKind::Count,
        QuestionKind::Sum,
        QuestionKind::Average,
        QuestionKind::Extreme,
        QuestionKind::Group,
        QuestionKind::Lookup,
        QuestionKind::Compare,
        QuestionKind::Time,
        QuestionKind::Except,
        QuestionKind::Threshold,
        QuestionKind::None,
    ];

    /// The word in ids and summaries.
    pub const fn as_str(self) -> &'static str {
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

    /// How many of 400 questions are of this kind.
    pub const fn quota(self) -> usize {
        match self {
            QuestionKind::Lookup
            | QuestionKind::List
            | QuestionKind::Count
            | QuestionKind::Time
            | QuestionKind::None => 40,
            QuestionKind::Sum
            | QuestionKind::Extreme
            | QuestionKind::Group
            | QuestionKind::Compare => 32,
            QuestionKind::Average | QuestionKind::Except | QuestionKind::Threshold => 24,
        }
    }
}

/// A family of near-misses: another reading of the question that finds other documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NearMiss {
    /// The same company in another year.
    OtherYear,
    /// A fiscal year, which could be taken for the calendar year with the same number.
    FiscalYear,
    /// A company whose name is nearly the same.
    SimilarName,
    /// A company whose name is, or begins with, one letter.
    OneLetter,
    /// Two companies with the same first letters. Not on the dev side.
    SharedAcronym,
    /// A company whose name is a word, as Target and May.
    WordName,
    /// A part whose number is one sign off.
    PartNumber,
    /// An amendment of a contract, which could be taken for the contract.
    Amended,
    /// The due date of an invoice, which could be taken for its date of issue.
    DueDate,
    /// A net amount, which could be taken for the gross amount. Not on the dev side.
    NetAmount,
}

impl NearMiss {
    /// Every one.
    pub const ALL: [NearMiss; 10] = [
        NearMiss::OtherYear,
        NearMiss::FiscalYear,
        NearMiss::SimilarName,
        NearMiss::OneLetter,
        NearMiss::SharedAcronym,
        NearMiss::WordName,
        NearMiss::PartNumber,
        NearMiss::Amended,
        NearMiss::DueDate,
        NearMiss::NetAmount,
    ];

    /// The word in a summary.
    pub const fn as_str(self) -> &'static str {
        match self {
            NearMiss::OtherYear => "other_year",
            NearMiss::FiscalYear => "fiscal_year",
            NearMiss::SimilarName => "similar_name",
            NearMiss::OneLetter => "one_letter",
            NearMiss::SharedAcronym => "shared_acronym",
            NearMiss::WordName => "word_name",
            NearMiss::PartNumber => "part_number",
            NearMiss::Amended => "amended",
            NearMiss::DueDate => "due_date",
            NearMiss::NetAmount => "net_amount",
        }
    }

    /// Whether the dev side has no question of this family.
    pub const fn is_test_only(self) -> bool {
        matches!(self, NearMiss::SharedAcronym | NearMiss::NetAmount)
    }
}

/// A condition that the question states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldCondition {
    /// The column of the bucket's schema; where it has none, the key of front matter.
    pub field: String,
    /// `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `in` or `not_in`.
    pub op: String,
    /// A text, a number or a day in ISO form; for `in` and `not_in`, a list.
    pub value: Value,
    /// The words of the question that state the condition.
    pub raw: String,
    /// The forms of the value in documents, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<String>,
}

/// A table that answers the question exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldTable {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, of texts and numbers. Amounts have two decimals; an average is rounded to them, halves away from
    /// zero.
    pub rows: Vec<Vec<Value>>,
}

/// A question with its known answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldQuestion {
    /// `<side>-<kind>-<number>`.
    pub id: String,
    /// What it asks for.
    pub kind: QuestionKind,
    /// The family of near-misses to which it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<NearMiss>,
    /// The pattern that it was made from.
    pub template: String,
    /// The question in words.
    pub question: String,
    /// The day on which it is asked, to which `last month` refers.
    pub today: String,
    /// The bucket that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<String>,
    /// The conditions that all have to hold; for a comparison, those of both parts.
    pub conditions: Vec<GoldCondition>,
    /// The further conditions of each part of a comparison.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Vec<GoldCondition>>,
    /// Whether the words fit two companies equally, so that asking back is right as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ambiguous: bool,
    /// The documents that satisfy all conditions and state what is asked for, by source, sorted. For an extreme, the
    /// one document.
    pub documents: Vec<String>,
    /// The documents that might satisfy them, but do not state one of the values.
    pub left_out: Vec<String>,
    /// The further documents that the other reading of a near-miss finds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decoys: Vec<String>,
    /// The exact answer, where a number or a table is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<GoldTable>,
}
