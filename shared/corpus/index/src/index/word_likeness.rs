//! Compares words of a question that match no column with the names of columns: by meaning, with the shipped table of
//! word vectors. The table is *not* fitted to the corpus for this, because only a word or two are compared.

use linking::WordLikeness;
use static_embed::{Frequencies, StaticEmbedder, StaticTable};
use std::sync::OnceLock;

/// The shipped table, read when the first question needs it.
#[derive(Debug, Default)]
pub(super) struct TableLikeness(OnceLock<StaticEmbedder>);

impl WordLikeness for TableLikeness {
    fn likeness(&self, said: &str, known: &str) -> f32 {
        let embedder = self
            .0
            .get_or_init(|| StaticEmbedder::new(StaticTable::shipped(), &Frequencies::default()));
        let (said, known) = (embedder.vector(said), embedder.vector(known));
        said.iter()
            .zip(&known)
            .map(|(one, other)| one * other)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_one_thing_are_nearer_than_others() {
        let near = TableLikeness::default();
        assert!(near.likeness("vendor", "supplier") > 0.4);
        assert!(near.likeness("vendor", "due date") < 0.2);
        assert_eq!(near.likeness("", "supplier"), 0.0);
    }
}
