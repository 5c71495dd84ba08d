//! The result of a map step: the grade of its passage, and the facts that the passage contains.

use crate::trail::TrailEntry;
use serde::{Deserialize, Serialize};

/// The part of a map step: created once, counted by the join.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Wire version.
    pub v: u16,
    /// Which of the fan-out, from 0.
    pub index: u16,
    /// What came of it.
    pub result: PartResult,
    /// How it was done; absent when a step was given up unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<TrailEntry>,
}

/// What came of a map step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartResult {
    /// The passage was read.
    Findings(Findings),
    /// It could not be read, for good; the reason code.
    Error(String),
}

/// What a mapper found in one passage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Whether the passage helps with the question: its grade is above the mapper's threshold, or could not be
    /// determined.
    pub relevant: bool,
    /// How much it helps, 0 to 1, as the model that read it says. Absent where it was not read or its grade could not be,
    /// and in messages of releases before it was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<f32>,
    /// Dates, names, numbers, file names, as short sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// Where each of them stands in the text of the passage, in the same order; `null` for one of its title or source alone.
    /// Empty in messages of releases before it was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Option<FactSpan>>,
    /// True when the model's output was unreadable and `relevant` is the safe default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaulted: bool,
}

impl Findings {
    /// Whether the passage counts towards the reducer's gate: said to be relevant, not assumed.
    pub fn counts(&self) -> bool {
        self.relevant && !self.defaulted
    }

    /// The facts, each with its place where that is known.
    pub fn into_placed(self) -> impl Iterator<Item = (String, Option<FactSpan>)> {
        let spans = self.spans.into_iter().chain(std::iter::repeat(None));
        self.facts.into_iter().zip(spans)
    }
}

/// Bytes of a passage's text: first, and first after. On the wire `[12,57]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactSpan(pub u32, pub u32);

impl FactSpan {
    /// What stands there in `text`; `None` where that is not within it, as after a change of the text.
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
