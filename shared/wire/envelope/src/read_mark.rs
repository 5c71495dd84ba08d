//! A compact record of the passages that a turn has read, so that a later round skips them.
//!
//! The reducer that finds too little passes the marks to the planner, and the planner to the retriever. Later steps
//! do not carry them: the scatter record contains the passages themselves.

use crate::hop::FanOut;
use crate::ids::fnv1a_64;
use crate::payload::Passage;
use serde::{Deserialize, Serialize};

/// A passage as 32 bits of a hash over its bucket and chunk id. Two of the some hundred candidates of a turn share a mark
/// once in a million turns; one of them is then not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReadMark(u32);

impl ReadMark {
    /// The mark of a passage.
    pub fn of(passage: &Passage) -> ReadMark {
        let key = format!("{}/{}", passage.bucket.as_str(), passage.chunk_id);
        ReadMark((fnv1a_64(key.as_bytes()) >> 32) as u32)
    }

    /// The marks of all passages of these fan-outs, each once, in ascending order. A passage whose part was late is
    /// included: the part may still come, and then it counts. The part of a map that was stopped
    /// (`run.early_reduce`) never comes.
    pub fn of_all(fan_outs: &[FanOut]) -> Vec<ReadMark> {
        let passages = fan_outs.iter().flat_map(|one| &one.scatter.passages);
        // One without its text was looked at and not read.
        let passages = passages.filter(|passage| !passage.text.is_empty());
        let mut marks: Vec<ReadMark> = passages.map(ReadMark::of).collect();
        marks.sort_unstable();
        marks.dedup();
        marks
    }
}
