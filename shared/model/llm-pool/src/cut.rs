//! Tells whether a node read all of a prompt: some servers, such as Ollama, cut a prompt that is too long without an
//! error.
//!
//! The check compares the node's token count with the number of words, because a word is at least one token in every
//! language that separates words by blanks. How many tokens a word has is learned from the node's counts for prompts
//! that it did not cut. The check does *not* use our own estimate of tokens, which counts characters: in some alphabets
//! the real number is a third of it.

use std::sync::atomic::{AtomicU32, Ordering};

/// A prompt of no more words fits every context that is in use.
const WORDS_LEAST: u64 = 1_024;
/// One of fewer says little: the words around it that the node adds count as much.
const WORDS_LEARNED: u64 = 256;
/// Tokens of a word below which a prompt was cut, whatever is known.
const LEAST: f64 = 0.75;
/// What is known of other prompts holds for this one but for so much; and languages without blanks say
/// nothing of the others, so no word is taken for more tokens than this.
const SHARE: f64 = 0.8;
const KNOWN_MAX: f64 = 1.3;
/// How fast what was learned is forgotten.
const GAIN: f64 = 0.05;

/// Tokens that a node counts for a word: the fewest of late, in thousandths; 0 while unknown.
#[derive(Debug, Default)]
pub(crate) struct PerWord(AtomicU32);

impl PerWord {
    /// Whether a prompt with this many words, of which the node read this many tokens, was cut; learns from a
    /// prompt that was not.
    pub(crate) fn was_cut(&self, words: u64, read: u64) -> bool {
        let of_a_word = read as f64 / words.max(1) as f64;
        if words > WORDS_LEAST {
            return of_a_word < LEAST.max(self.known().min(KNOWN_MAX) * SHARE);
        }
        if words >= WORDS_LEARNED {
            self.learn(of_a_word);
        }
        false
    }

    fn known(&self) -> f64 {
        f64::from(self.0.load(Ordering::Relaxed)) / 1_000.0
    }

    fn learn(&self, of_a_word: f64) {
        let known = self.known();
        let next = match known > 0.0 && of_a_word > known {
            true => known + (of_a_word - known) * GAIN,
            false => of_a_word,
        };
        self.0.store((next * 1_000.0) as u32, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_that_lost_a_fourth_is_noticed_once_the_node_is_known() {
        let node = PerWord::default();
        // English: 1.3 tokens a word.
        assert!(!node.was_cut(4_000, 3_900), "who knows");
        assert!(node.was_cut(4_000, 2_900));
        assert!(!node.was_cut(500, 650));
        assert!(node.was_cut(4_000, 3_900));
        assert!(!node.was_cut(4_000, 4_400), "other words, all of them read");
    }

    #[test]
    fn other_languages_and_tables_are_not_taken_for_cut() {
        let node = PerWord::default();
        // No blanks: a word is a sentence.
        assert!(!node.was_cut(300, 6_000));
        assert!(!node.was_cut(4_000, 4_400));
        // Tables of short words count at once, and are forgotten slowly.
        assert!(!node.was_cut(600, 540));
        assert!(!node.was_cut(4_000, 3_100));
        for _ in 0..100 {
            node.was_cut(500, 650);
        }
        assert!(node.was_cut(4_000, 3_900));
    }

    #[test]
    fn what_was_cut_teaches_nothing() {
        let node = PerWord::default();
        node.was_cut(500, 650);
        for _ in 0..100 {
            assert!(node.was_cut(4_000, 3_000));
        }
    }
}
