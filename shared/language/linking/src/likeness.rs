//! The interface for similarity of meaning, for words of a question that occur in no column. This crate has *no*
//! implementation that knows any words; a table of word vectors elsewhere is one. Without it, no word is like another.

/// Measures how similar words are in meaning.
pub trait WordLikeness: Send + Sync {
    /// The similarity of two runs of words, from -1 to 1, where 1 is the same meaning.
    fn likeness(&self, said: &str, known: &str) -> f32;
}

/// The implementation without any knowledge: nothing is like anything.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NoLikeness;

impl WordLikeness for NoLikeness {
    fn likeness(&self, _: &str, _: &str) -> f32 {
        0.0
    }
}
