//! What a query means, for reading a candidate sentence by sentence.
//!
//! The vector of a chunk is of all that it says; what answers a question is a sentence or two of it. *Not* for
//! encoders: a hundred candidates are a thousand texts, which only the static table reads while somebody waits. Pure.

use static_embed::StaticEmbedder;
use std::sync::Arc;
use text::sentences::cut;

/// The vector of a query, and the embedder that made it.
pub(crate) struct Meaning {
    by: Arc<StaticEmbedder>,
    vector: Vec<f32>,
}

impl Meaning {
    /// `vector` is of `by`'s making.
    pub(crate) fn new(by: Arc<StaticEmbedder>, vector: Vec<f32>) -> Meaning {
        Meaning { by, vector }
    }

    /// The cosine of the closest two sentences in a row, from 0 to 1: what points the other way is no worse than
    /// what has nothing to do with the query. A text of one sentence is compared as it is. Two in a row instead of
    /// one, because the second often says `it`: measured, see docs/retrieval.md.
    pub(crate) fn closest(&self, text: &str) -> f32 {
        let mut sums = cut::of_piece(text).map(|sentence| self.by.sum(sentence));
        let Some(mut last) = sums.next() else {
            return 0.0;
        };
        let mut best: Option<f32> = None;
        for next in sums {
            for (sum, x) in last.iter_mut().zip(&next) {
                *sum += x;
            }
            let closeness = self.closeness(std::mem::replace(&mut last, next));
            best = Some(best.map_or(closeness, |best| best.max(closeness)));
        }
        best.unwrap_or_else(|| self.closeness(last))
    }

    fn closeness(&self, sum: Vec<f32>) -> f32 {
        let vector = self.by.finished(sum);
        let cosine: f32 = vector.iter().zip(&self.vector).map(|(a, b)| a * b).sum();
        cosine.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use static_embed::{Frequencies, StaticTable};

    fn meaning(query: &str) -> Meaning {
        let by = StaticEmbedder::new(StaticTable::shipped(), &Frequencies::default());
        let vector = by.vector(query);
        Meaning::new(Arc::new(by), vector)
    }

    #[test]
    fn the_closest_two_in_a_row_count_wherever_they_stand() {
        let meaning = meaning("the doctor");
        let [told, other] = [
            "A physician came. She works in the hospital.",
            "Bread is taxed. Ships are late.",
        ];
        let alone = meaning.closest(told);
        assert!(alone > meaning.closest(other) + 0.1);
        for text in [format!("{told} {other}"), format!("{other}\n\n{told}")] {
            let found = meaning.closest(&text);
            assert!(found >= alone - 1e-4, "{text}: {found}, alone {alone}");
            let whole = meaning.by.vector(&text);
            let whole: f32 = whole.iter().zip(&meaning.vector).map(|(a, b)| a * b).sum();
            assert!(found > whole, "{text}: {found}, as a whole {whole}");
        }
    }

    #[test]
    fn a_text_of_one_sentence_is_compared_whole() {
        let meaning = meaning("overdue invoices");
        assert!(meaning.closest("Overdue invoices") > 0.99);
        assert_eq!(meaning.closest(" \n\n"), 0.0);
    }

    proptest! {
        #[test]
        fn any_text_has_a_number_from_0_to_1(text in any::<String>(), query in "[a-z ]{0,20}") {
            let found = meaning(&query).closest(&text);
            prop_assert!((0.0..=1.0).contains(&found), "{found}");
        }
    }
}
