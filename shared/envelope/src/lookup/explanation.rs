//! Why a search takes a document for the right one.

use serde::{Deserialize, Serialize};

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
