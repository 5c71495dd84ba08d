//! Tells whether two texts are copies of one another: two copies of a file, or an older scan of it. Pure.
//!
//! Two texts are compared by their sets of words, and to collect the words of a text takes as long as a search. So the
//! few figures (words with digits) are compared first, and the other words are collected only when the figures are the
//! same.

use crate::index::stems;
use envelope::ids::fnv1a_64;
use search::WordSet;
use search::word_set::is_figure;
use std::collections::HashSet;
use tantivy::tokenizer::TextAnalyzer;

/// What is known of the words of one text, in stems.
#[derive(Debug)]
pub(crate) struct Fingerprint {
    figures: HashSet<u64>,
    words: Option<WordSet>,
}

impl Fingerprint {
    /// The figures of a text.
    pub(crate) fn of(text: &str, analyzer: &mut TextAnalyzer) -> Fingerprint {
        // What may be a figure once accents are gone has a digit, or is no ASCII.
        let words = text.split(|c: char| !text::words::is_word_char(c));
        let words = words.filter(|word| word.bytes().any(|b| b.is_ascii_digit() || !b.is_ascii()));
        let stems = words.flat_map(|word| stems(analyzer, word));
        let figures = stems.filter(|stem| is_figure(stem));
        Fingerprint {
            figures: figures.map(|stem| fnv1a_64(stem.as_bytes())).collect(),
            words: None,
        }
    }

    /// Whether `text`, of which it is, and another say the same, see [`WordSet::are_same`].
    pub(crate) fn is_same(
        &mut self,
        text: &str,
        other: &mut Fingerprint,
        other_text: &str,
        analyzer: &mut TextAnalyzer,
    ) -> bool {
        let mut words = |text: &str| WordSet::of(stems(analyzer, text).iter().map(String::as_str));
        self.figures == other.figures && {
            let words_of_other = other.words.get_or_insert_with(|| words(other_text));
            let words_of_this = self.words.get_or_insert_with(|| words(text));
            words_of_this.are_same(words_of_other)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::analyzer;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn figures_are_those_of_all_words(text in "(([a-z]{1,5}|[0-9]{1,3}|\\PC{0,3}|[a-z0-9]{60,70})[ .,'-]?){0,30}") {
            let analyzer = &mut analyzer();
            let all = WordSet::of(stems(analyzer, &text).iter().map(String::as_str));
            prop_assert_eq!(&Fingerprint::of(&text, analyzer).figures, all.figures());
        }

        #[test]
        fn texts_are_compared_as_their_words_are(
            text in prop::collection::vec("[a-f]{1,2}[0-9]?", 15..40),
            at in 0usize..15,
            word in "[a-f]{1,2}[0-9]?",
        ) {
            let mut other = text.clone();
            other[at] = word;
            let (text, other) = (text.join(" "), other.join(" "));
            let analyzer = &mut analyzer();
            let mut words = |text: &str| WordSet::of(stems(analyzer, text).iter().map(String::as_str));
            let wanted = words(&text).are_same(&words(&other));
            let mut prints = [&text, &other].map(|text| Fingerprint::of(text, analyzer));
            let [a, b] = &mut prints;
            prop_assert_eq!(a.is_same(&text, b, &other, analyzer), wanted);
        }
    }
}
