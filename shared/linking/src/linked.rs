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
    /// What documents are called that may lack the field, as they write it: paths and labelled lines say so where no
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

/// What a question amounts to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkedQuestion {
    /// What is asked for.
    pub intent: Intent,
    /// The part of the corpus that it is about.
    pub bucket: Option<String>,
    /// All of them have to hold.
    pub conditions: Vec<QuestionCondition>,
    /// What holds for one side of a comparison each.
    pub parts: Vec<QuestionCondition>,
    /// What was named and became no condition, with the reason.
    pub dropped: Vec<(String, &'static str)>,
    /// Whether a table answers it.
    pub tabulation: Tabulation,
}
