//! The result of linking a question.

use crate::days::DayRange;
use crate::tabulate::Tabulation;
use std::ops::Range;

/// A condition that a question sets.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionCondition {
    /// The bucket of the column.
    pub bucket: String,
    /// The column.
    pub field: String,
    /// The test that a document has to pass.
    pub test: Test,
    /// Names under which documents that may lack the field can still be found, as the documents write them. Where there
    /// is no schema, such names occur in paths, lines and sentences. A document matches by a name or by the test.
    pub names: Vec<String>,
    /// The test must fail: `not in pounds`.
    pub is_negated: bool,
    /// The question names days or an amount, and its words do not fit this column clearly better than another. It is
    /// taken, but a document that fails the test may still be meant.
    pub is_assumed: bool,
    /// The place in the question that sets the condition, in bytes.
    pub span: Range<usize>,
}

/// A test on the value of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// The value is one of these things. Each thing is a list of all the ways in which the documents write it.
    Is(Vec<Vec<String>>),
    /// The value is one of these numbers.
    Number(Vec<f64>),
    /// The value is a day in this range.
    Days(DayRange),
    /// The value satisfies all of these comparisons with numbers.
    Amount(Vec<(crate::amounts::Bound, f64)>),
}

/// What a question asks for. The order is the rank: of several words that ask for something, the one that asks for the
/// last of these counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intent {
    /// A question whose answer is a statement in the documents.
    #[default]
    Prose,
    /// Documents: one, or all that satisfy the conditions.
    Documents,
    /// The number of documents, or a figure computed from their amounts.
    Compute,
    /// A comparison of two things.
    Compare,
}

/// Words of a question that fit several things equally well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguity {
    /// The words as the question has them.
    pub said: String,
    /// The columns that the words may belong to, or the names that an acronym may stand for. There are two or more
    /// options. The first column is the one that was used; of the names of an acronym, all were used.
    pub options: Vec<String>,
    /// Whether the options are columns and not names.
    pub is_of_columns: bool,
}

/// One of several documents that a question needs together: `the Courier report of May 3 on pumps`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuestionSide {
    /// The conditions that the document has to satisfy, all of them.
    pub conditions: Vec<QuestionCondition>,
    /// The words of the question about this document.
    pub said: String,
}

/// The result of linking a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkedQuestion {
    /// What the question asks for.
    pub intent: Intent,
    /// The bucket that the question is about.
    pub bucket: Option<String>,
    /// Whether several buckets have a schema, and the question fits none of the buckets better than the others.
    pub fits_no_bucket: bool,
    /// The conditions. A document has to satisfy all of them.
    pub conditions: Vec<QuestionCondition>,
    /// Conditions of which a document has to satisfy any one. Each belongs to one side of a comparison, or to one of
    /// several spans of days.
    pub parts: Vec<QuestionCondition>,
    /// The documents that a question about what documents say needs together, one side each. Each side has a condition
    /// that [`Self::conditions`] has too; there it holds the values of all sides.
    pub sides: Vec<QuestionSide>,
    /// Words that name something but set no condition, with the reason.
    pub dropped: Vec<(String, &'static str)>,
    /// Those of them that name an amount, a currency or a day in a question for documents, so that documents are meant
    /// that satisfy them.
    pub unread: Vec<(String, &'static str)>,
    /// Words that can be understood in two or more ways.
    pub ambiguous: Vec<Ambiguity>,
    /// Pairs of words of the question that no document can satisfy together: `over 500` and `under 300`.
    pub contradictory: Vec<(String, String)>,
    /// Whether the question names documents and says nothing that would tell their passages apart: `what do the invoices
    /// of 2024 say?`
    pub is_bare: bool,
    /// Whether a table can answer the question.
    pub tabulation: Tabulation,
}
