//! Tells whether two texts are copies of one another, by their sets of words: two copies of a file, or an older scan of
//! it. Pure.

use envelope::ids::fnv1a_64;
use std::collections::HashSet;

/// Texts that share this part of their words are one text.
const SAME_SHARE: f32 = 0.9;
/// Shorter texts, in different words, are alike by accident.
const SAME_WORDS_MIN: usize = 20;

/// The set of different words of a text, hashed.
#[derive(Debug, Default)]
pub struct WordSet {
    all: HashSet<u64>,
    /// Those with a digit: in forms that are filled in they are all that tells one from the next.
    figures: HashSet<u64>,
}

impl WordSet {
    /// The set of these words.
    pub fn of<'a>(words: impl Iterator<Item = &'a str>) -> WordSet {
        let mut of = WordSet::default();
        for word in words {
            let hash = fnv1a_64(word.as_bytes());
            of.all.insert(hash);
            if is_figure(word) {
                of.figures.insert(hash);
            }
        }
        of
    }

    /// Hashes of the words with a digit.
    pub fn figures(&self) -> &HashSet<u64> {
        &self.figures
    }

    /// Whether two sets come from copies of one text: all words with digits and nearly all other words are the same.
    pub fn are_same(&self, other: &WordSet) -> bool {
        let (a, b) = (&self.all, &other.all);
        let (less, more) = match a.len() <= b.len() {
            true => (a, b),
            false => (b, a),
        };
        if less.len() < SAME_WORDS_MIN || (less.len() as f32) < SAME_SHARE * more.len() as f32 {
            return false;
        }
        let both = less.intersection(more).count();
        self.figures == other.figures
            && both as f32 >= SAME_SHARE * (less.len() + more.len() - both) as f32
    }
}

/// Whether a word has a digit.
pub fn is_figure(word: &str) -> bool {
    word.contains(char::is_numeric)
}
