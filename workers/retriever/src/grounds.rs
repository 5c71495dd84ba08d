//! Whether what was found can answer a question at all. Pure.
//!
//! Two signs together: the documents speak little of what is asked (the best BM25 score for each word of it), and names and
//! numbers of it stand in nothing that was found. Either alone asks back too many that have an answer. *Not* whether an
//! answer is right: that is the validator's.

use crate::known;
use crate::options::Options;
use search::SearchResult;

/// What a search gives to answer from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grounds {
    /// How well the corpus speaks of what was asked, see [`SearchResult::relevance`].
    pub relevance: f32,
    /// Names and numbers of the question, or its telling words where it has none.
    pub named: usize,
    /// Those of them that nothing that was found has, as the question writes them.
    pub lacking: Vec<String>,
}

impl Grounds {
    /// What a search for `question` found.
    pub fn of(question: &str, found: &SearchResult) -> Grounds {
        let (named, lacking) = known::named_and_lacking(question, &found.passages);
        Grounds {
            relevance: found.relevance,
            named,
            lacking,
        }
    }

    /// The part of the names that was found, 0 to 1; 1 where nothing is named.
    pub fn coverage(&self) -> f32 {
        match self.named {
            0 => 1.0,
            named => 1.0 - self.lacking.len() as f32 / named as f32,
        }
    }

    /// Whether the documents say too little of what is asked, by options.
    pub fn is_not_in_documents(&self, options: &Options) -> bool {
        self.score() < options.silent_below
    }

    /// How likely there is an answer: the higher, the likelier. It can be compared between searches of one corpus.
    pub fn score(&self) -> f32 {
        self.relevance * self.coverage()
    }
}
