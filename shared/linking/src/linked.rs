//! What a question amounts to.

use crate::days::DayRange;
use crate::tabulate::Tabulation;
use std::ops::Range;

/// A condition that a question amounts to.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionCondition {
    /// The part of the corpus that its column is of.
    pub bucket: String,
    /// The column.
    pub field: String,
    /// What has to hold.
    pub test: Test,
    /// What documents are called that may lack the field, as they write it: paths, lines and sentences say so where no
    /// schema does. They are alternatives to the test.
    pub names: Vec<String>,
    /// It has not to hold: `not in pounds`.
    pub is_negated: bool,
    /// Where the question says so, in bytes.
    pub span: Range<usize>,
}

/// What has to hold for a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// It is one of these things, each as the documents write it, in all the ways they do.
    Is(Vec<Vec<String>>),
    /// It is one of these numbers.
    Number(Vec<f64>),
    /// It lies among these days.
    Days(DayRange),
    /// It is compared with a number.
    Amount(Vec<(crate::amounts::Bound, f64)>),
}

/// What is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Intent {
    /// Something that documents say.
    #[default]
    Prose,
    /// Documents: all that satisfy the conditions, or one.
    Documents,
    /// How many there are, or what their amounts come to.
    Compute,
    /// Two things side by side.
    Compare,
}

/// Some words that fit several things alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguity {
    /// The words of the question.
    pub said: String,
    /// The columns that they may be of, or the names that they may stand for: two or more, what was taken first. Of names
    /// that first letters stand for, all were taken.
    pub options: Vec<String>,
    /// The options are columns.
    pub is_of_columns: bool,
}

/// One of several documents that a question holds together: `the Courier report of May 3 on pumps`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuestionSide {
    /// What holds for it, together.
    pub conditions: Vec<QuestionCondition>,
    /// What the question says of it, in its words.
    pub said: String,
}

/// What a question amounts to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkedQuestion {
    /// What is asked for.
    pub intent: Intent,
    /// The part of the corpus that it is about.
    pub bucket: Option<String>,
    /// All of them have to hold.
    pub conditions: Vec<QuestionCondition>,
    /// What holds for one side of a comparison each, or for one of several spans of days: any of them has to hold.
    pub parts: Vec<QuestionCondition>,
    /// What is said of each of several documents that a question for what documents say holds together. Each has a condition
    /// of [`Self::conditions`], whose values are those of all.
    pub sides: Vec<QuestionSide>,
    /// What was named and became no condition, with the reason.
    pub dropped: Vec<(String, &'static str)>,
    /// What may be meant in two ways.
    pub ambiguous: Vec<Ambiguity>,
    /// Pairs of words of the question that cannot both hold for one document: `over 500` and `under 300`.
    pub contradictory: Vec<(String, String)>,
    /// Whether a table answers it.
    pub tabulation: Tabulation,
}
