//! The default embedder: the static table, with words weighted by the corpus.
//!
//! A text's vector is the sum of its word pieces' vectors, each multiplied by how rare the piece is, minus the
//! component that all documents of the corpus share, brought to length 1. The embedder knows words and their
//! neighbours, not sentences: order and negation are lost. *Not* a replacement for an encoder: docs/retrieval.md
//! compares them.

use crate::{Frequencies, STATIC_NAME, StaticTable};
use llm::embed::Error;
use llm::{BoxFuture, Embedder, Side};
use std::sync::Arc;

/// What its vectors are worth beside the lexical score: on four corpora the best lay between 0.25 and
/// 0.4 (tools/static-table).
const WEIGHT: f32 = 0.3;

/// With this many documents counted, half of what they have in common is taken away; with many, all.
/// Keeps the few documents of a small corpus from taking themselves away.
const COMMON_HALF: f32 = 20.0;

/// Memory for adding up texts, which one text after another uses again.
#[derive(Debug, Default)]
pub struct SumBuffer {
    tokens: Vec<u32>,
    rows: Vec<(usize, f32)>,
}

/// Embeds with a table and the word frequencies of one corpus.
#[derive(Debug, Clone)]
pub struct StaticEmbedder {
    table: Arc<StaticTable>,
    /// By word piece.
    weights: Arc<[f32]>,
    /// The direction that all documents of the corpus share, of length 1 or all zeros.
    common: Arc<[f32]>,
    /// How much of it is taken away, from 0 to 1.
    taken: f32,
}

impl StaticEmbedder {
    /// An embedder for the corpus whose word pieces are counted in `frequencies`. The weight of a piece is the
    /// geometric mean of how rare it is in the corpus and how rare it is in the language, which its place in the
    /// vocabulary tells. Without documents, only the language counts. A hundred documents are enough for the counts.
    /// The counted pieces have to be those of the table.
    pub fn new(table: Arc<StaticTable>, frequencies: &Frequencies) -> Self {
        let documents = frequencies.documents();
        let weight = |token: u32| match documents {
            0 => prior(token),
            _ => (prior(token) * rarity(documents, frequencies.of(token))).sqrt(),
        };
        let weights: Arc<[f32]> = (0..).take(table.rows()).map(weight).collect();
        let mut common = vec![0.0; table.dims()];
        let pieces = (0..).zip(&*weights);
        let had = pieces.filter_map(|(token, weight)| {
            let having = frequencies.of(token);
            (having > 0).then_some((token, weight * having as f32))
        });
        table.add(had, &mut common);
        llm::embed::normalise(&mut common);
        Self {
            table,
            weights,
            common: common.into(),
            taken: documents as f32 / (documents as f32 + COMMON_HALF),
        }
    }

    /// The vector of a text: it has length 1, or it is all zeros if no piece of the text has a weight. Takes tens of
    /// microseconds for a chunk.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        self.vector_of(&self.table.tokens(text))
    }

    /// The vector of a text that is cut into word pieces already, by [`StaticTable::tokens`].
    pub(crate) fn vector_of(&self, tokens: &[u32]) -> Vec<f32> {
        self.finished(self.sum_of(tokens))
    }

    /// Replaces `sum` by the weighted sum of a text's pieces. The sum of two such sums is that of both texts together.
    /// A sum is not a vector of the text before [`Self::finished`].
    pub fn sum_into(&self, text: &str, room: &mut SumBuffer, sum: &mut [f32]) {
        sum.fill(0.0);
        self.table.tokens_into(text, &mut room.tokens);
        let pieces = room.tokens.iter();
        let pieces = pieces.map(|token| (*token, self.weight_of(*token)));
        self.table.add_with(pieces, sum, &mut room.rows);
    }

    /// The vector of the texts whose pieces have this sum, see [`Self::sum_into`].
    pub fn finished(&self, mut sum: Vec<f32>) -> Vec<f32> {
        let along: f32 = sum.iter().zip(&*self.common).map(|(x, c)| x * c).sum();
        for (x, c) in sum.iter_mut().zip(&*self.common) {
            *x -= self.taken * along * c;
        }
        llm::embed::normalise(&mut sum);
        sum
    }

    /// The component that all documents of the corpus share, as a direction of length 1 or all zeros, and the share of
    /// it, from 0 to 1, that [`Self::finished`] subtracts.
    pub fn common(&self) -> (&[f32], f32) {
        (&self.common, self.taken)
    }

    fn weight_of(&self, token: u32) -> f32 {
        self.weights.get(token as usize).copied().unwrap_or(0.0)
    }

    fn sum_of(&self, tokens: &[u32]) -> Vec<f32> {
        let mut sum = vec![0.0; self.table.dims()];
        let pieces = tokens.iter();
        let pieces = pieces.map(|token| (*token, self.weight_of(*token)));
        self.table.add(pieces, &mut sum);
        sum
    }
}

impl Embedder for StaticEmbedder {
    fn name(&self) -> &str {
        STATIC_NAME
    }

    fn dims(&self) -> usize {
        self.table.dims()
    }

    fn weight(&self) -> f32 {
        WEIGHT
    }

    /// Both sides are the same, and nothing is waited for: many texts at once belong on a blocking
    /// thread, with [`StaticEmbedder::vector`].
    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
        _: Side,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, Error>> {
        let vectors = || texts.iter().map(|text| self.vector(text)).collect();
        Box::pin(async move { Ok(vectors()) })
    }
}

/// How much a word piece says that `having` of all `documents` have, never nothing:
/// ln((documents + 1) / (having + 1/2)).
fn rarity(documents: u32, having: u32) -> f32 {
    let documents = documents.max(having);
    ((documents as f32 + 1.0) / (having as f32 + 0.5)).ln()
}

/// How rare a word piece is in the language: the vocabulary begins with what is frequent, so
/// ln(1 + place / 3000). Keeps a small corpus from taking chance for rarity.
fn prior(token: u32) -> f32 {
    (token as f32 / 3_000.0).ln_1p()
}

#[cfg(test)]
#[path = "static_embedder_tests.rs"]
mod tests;
