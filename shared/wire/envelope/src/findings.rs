//! The result of a map step: the grade of its passage, and the facts that the passage contains.

use crate::trail::TrailEntry;
use serde::{Deserialize, Serialize};

/// The part of a map step: created once, counted by the join.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Wire version.
    pub v: u16,
    /// The number of the map step in its fan-out, from 0.
    pub index: u16,
    /// The result of the map step.
    pub result: PartResult,
    /// Its entry in the trail; absent when the step was given up unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<TrailEntry>,
}

/// The result of a map step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartResult {
    /// The passage was read.
    Findings(Findings),
    /// The passage could not be read, for good. Contains the reason code.
    Error(String),
}

/// What a mapper found in one passage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Whether the passage helps with the question: its grade is above the mapper's threshold, or could not be
    /// determined.
    pub relevant: bool,
    /// How much the passage helps, 0 to 1, according to the model that read it. Absent if the passage or its grade
    /// could not be read, and in messages of releases without grades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<f32>,
    /// Dates, names, numbers, file names, as short sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// The place of each fact in the text of the passage, in the same order; `null` for a fact that only the title or
    /// the source contains. Empty in messages of releases without places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Option<FactSpan>>,
    /// True when the model's output was unreadable and `relevant` is the safe default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaulted: bool,
}

impl Findings {
    /// Whether the passage counts towards the reducer's gate: a model said that it is relevant, and this was not
    /// assumed.
    pub fn counts(&self) -> bool {
        self.relevant && !self.defaulted
    }

    /// The facts, each with its place where that is known.
    pub fn into_placed(self) -> impl Iterator<Item = (String, Option<FactSpan>)> {
        let spans = self.spans.into_iter().chain(std::iter::repeat(None));
        self.facts.into_iter().zip(spans)
    }
}

/// A range of bytes in a passage's text: the first byte, and the one behind the last. On the wire `[12,57]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactSpan(pub u32, pub u32);

impl FactSpan {
    /// The words of `text` at this place; `None` if the place is not within the text, as after a change of the text.
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.0 as usize..self.1 as usize)
    }
}

impl From<std::ops::Range<usize>> for FactSpan {
    /// Saturates: no text on the wire is nearly as long.
    fn from(span: std::ops::Range<usize>) -> Self {
        let [start, end] = [span.start, span.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        FactSpan(start, end)
    }
}
