//! The options of a search.

use crate::fusion::Fusion;
use envelope::SearchStrategy;
use search::SearchPart;
use serde::{Deserialize, Serialize};
use settings::{ByteSize, InvalidOption};

/// What may be tuned about a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Search by words. Default true.
    pub words: bool,
    /// Search by vectors, where the index has any. Default true.
    pub vectors: bool,
    /// Share of the vectors in a fused score, 0 to 1. Default: the value that was measured for the embedder
    /// (docs/retrieval.md).
    pub vector_weight: Option<f32>,
    /// How the two lists are merged: `scores` or `ranks`. Default `scores`.
    pub fusion: Fusion,
    /// Rerank the best candidates, with the built-in reranker or a model. Default true.
    pub rerank: bool,
    /// What the likelihood that a document is the right one weighs beside the score of a passage, where it is
    /// reranked: 0 or more, 0 turns the ranking of documents off. Default: the value that was learned
    /// (docs/retrieval.md).
    pub document_weight: f32,
    /// Memory of each index for the vectors of sentences that searches have read; `0B` keeps none. The result of a
    /// search does not depend on it. Sentences are read with the static table and the built-in reranker only; those
    /// of a chunk of 180 words take about 3 KiB. Default 64 MiB.
    pub sentence_cache_bytes: ByteSize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            words: true,
            vectors: true,
            vector_weight: None,
            fusion: Fusion::Scores,
            rerank: true,
            document_weight: 0.25,
            sentence_cache_bytes: ByteSize::from_mib(64),
        }
    }
}

impl Options {
    /// The same for one strategy, and what it asks for and cannot have: then everything else is asked. The built-in
    /// reranker looks at words, so it has no say where vectors are alone.
    pub(crate) fn of(
        &self,
        strategy: SearchStrategy,
        has_vectors: bool,
    ) -> (Options, Option<SearchPart>) {
        let own = self.clone();
        match strategy {
            SearchStrategy::Hybrid => (own, None),
            SearchStrategy::Keyword if !self.words => (own, Some(SearchPart::Words)),
            SearchStrategy::Keyword => {
                let vectors = false;
                (Options { vectors, ..own }, None)
            }
            SearchStrategy::Semantic if !has_vectors => (own, Some(SearchPart::Vectors)),
            SearchStrategy::Semantic => {
                let (words, rerank) = (false, false);
                (
                    Options {
                        words,
                        rerank,
                        ..own
                    },
                    None,
                )
            }
        }
    }

    /// Checks that every number is in its allowed range.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let weight = self.vector_weight.unwrap_or(0.0);
        if !(0.0..=1.0).contains(&weight) {
            let text = format!("`vector_weight` is {weight}: want 0 to 1");
            return Err(InvalidOption::new(text));
        }
        if !(0.0..=10.0).contains(&self.document_weight) {
            let text = format!(
                "`document_weight` is {}: want 0 to 10",
                self.document_weight
            );
            return Err(InvalidOption::new(text));
        }
        if !self.words && !self.vectors {
            return Err(InvalidOption::new(
                "`words` and `vectors` are both off: nothing would be found",
            ));
        }
        Ok(())
    }
}
