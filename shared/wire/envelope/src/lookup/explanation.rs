//! Why a search shows what it shows: which document it takes for the right one, and what it drops.

use serde::{Deserialize, Serialize};

/// The reasons of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Explanation {
    /// The documents that the question may be about, the most likely first.
    pub documents: Vec<RankedDocument>,
    /// The passages that come next and are not in the list, best first.
    pub dropped: Vec<DroppedPassage>,
}

/// A passage that comes next and is not in the list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DroppedPassage {
    /// The path of its document.
    pub source: String,
    /// Its page, if the document has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Its first line.
    pub line: u32,
    /// Its score, from 0 to 1.
    pub score: f32,
    /// Why: `repeats` a passage of the list; its document or a named value has its `share` of the list; others have a
    /// better `score`, or words of the question that the list did not have.
    pub why: String,
}

/// A document that a question may be about, and what speaks for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RankedDocument {
    /// Its path.
    pub source: String,
    /// How likely it is the right one, from 0 to 1, as far as the search can tell; 1 in sum over all documents.
    pub likelihood: f32,
    /// What of the question matched, the weightiest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<DocumentMatch>,
    /// What its best passages add.
    pub passages: f32,
    /// Whether it was searched inside.
    pub searched_inside: bool,
    /// The sums before they are weighed: matches in path, title and first chunk; best passage; best three passages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<f32>,
}

/// A match of the question with what a document is called, or with how it begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentMatch {
    /// The words of the question, as they are compared.
    pub said: String,
    /// Where they matched: `path`, `title` (or the metadata), `front` (the first chunk).
    pub place: String,
    /// How they matched: `same`, `begins`, `initials`, `nearly`.
    pub how: String,
    /// What the match adds.
    pub weight: f32,
}
