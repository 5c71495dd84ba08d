//! How near words are to one another in meaning, for words of a question that stand in no column. *Not* here: who knows that;
//! a table of word vectors does. Without one, no word is like another.

/// Who knows how near words are.
pub trait WordLikeness: Send + Sync {
    /// How near two runs of words are in meaning, from -1 to 1, where 1 is the same.
    fn likeness(&self, said: &str, known: &str) -> f32;
}

/// Nobody knows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NoLikeness;

impl WordLikeness for NoLikeness {
    fn likeness(&self, _: &str, _: &str) -> f32 {
        0.0
    }
}
