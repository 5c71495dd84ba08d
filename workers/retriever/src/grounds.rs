//! Tells whether the results of a search can answer a question at all. Pure.
//!
//! Two signs together show that they cannot: the documents match the words of the question poorly (by the best BM25
//! score of each word), and names and numbers of the question occur in none of the results. If one sign alone were
//! enough, users would be asked back about too many questions that have an answer. *Not* here: whether an answer is
//! right, which the validator checks.

use crate::known;
use crate::options::Options;
use search::SearchResult;

/// The signs in the results of a search that tell whether they can answer the question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grounds {
    /// How well the corpus covers what was asked, see [`SearchResult::relevance`].
    pub relevance: f32,
    /// How many names and numbers the question has or, where it has none, significant words.
    pub named: usize,
    /// The ones among these names, numbers or words that no result has, as the question writes them.
    pub lacking: Vec<String>,
}

impl Grounds {
    /// The grounds of a search for `question`.
    pub fn of(question: &str, found: &SearchResult) -> Grounds {
        let (named, lacking) = known::named_and_lacking(question, &found.passages);
        Grounds {
            relevance: found.relevance,
            named,
            lacking,
        }
    }

    /// The share of the names that were found, 0 to 1; 1 where the question names nothing.
    pub fn coverage(&self) -> f32 {
        match self.named {
            0 => 1.0,
            named => 1.0 - self.lacking.len() as f32 / named as f32,
        }
    }

    /// Whether the documents say too little about the question, by the threshold in the options.
    pub fn is_not_in_documents(&self, options: &Options) -> bool {
        self.score() < options.silent_below
    }

    /// How likely it is that there is an answer; a higher score is more likely. Scores can be compared between
    /// searches of one corpus.
    pub fn score(&self) -> f32 {
        self.relevance * self.coverage()
    }
}
