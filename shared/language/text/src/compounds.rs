//! Where words of languages that write compounds in one may be cut.
//!
//! There is no dictionary: each place where a word may be hyphenated may be where two words meet. A part that is no word
//! does no harm, since nobody asks for it. Pure.

use crate::Language;
use hypher::Lang;

/// Letters of a part at least.
const PART_LETTERS_MIN: usize = 4;
/// Longer words are no words, in bytes.
const WORD_BYTES_MAX: usize = 64;

/// The beginnings and ends of a lower-case word, each with the other part of the word; none for a word of a language
/// without compounds.
pub fn parts(language: Language, word: &str) -> Vec<(&str, &str)> {
    let lang = match language {
        Language::German => Lang::German,
        Language::Dutch => Lang::Dutch,
        Language::Swedish => Lang::Swedish,
        Language::Danish => Lang::Danish,
        _ => return Vec::new(),
    };
    let is_word = word.len() <= WORD_BYTES_MAX && word.chars().all(char::is_alphabetic);
    if !is_word || word.len() < 2 * PART_LETTERS_MIN {
        return Vec::new();
    }
    let mut at = 0;
    let places = hypher::hyphenate(word, lang).map(|syllable| {
        at += syllable.len();
        at
    });
    let is_long = |part: &str| part.chars().nth(PART_LETTERS_MIN - 1).is_some();
    let pairs = places.map(|at| word.split_at(at));
    pairs
        .filter(|(head, tail)| is_long(head) && is_long(tail))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compounds_are_cut_where_they_may_be_hyphenated() {
        let has = |language, word, part: (&str, &str)| parts(language, word).contains(&part);
        assert!(has(Language::German, "kaltmiete", ("kalt", "miete")));
        let wanted = ("mietvertrags", "laufzeit");
        assert!(has(Language::German, "mietvertragslaufzeit", wanted));
        assert!(has(
            Language::Dutch,
            "huurovereenkomst",
            ("huur", "overeenkomst")
        ));
        assert!(parts(Language::English, "watermelon").is_empty());
        assert!(parts(Language::German, "vertrag").is_empty());
        // `Tür` has three letters.
        let short = parts(Language::German, "haustüren");
        assert!(
            short
                .iter()
                .all(|(head, tail)| head.chars().count() >= 4 && tail.chars().count() >= 4)
        );
        assert!(
            short.contains(&("haus", "türen")) && !parts(Language::German, "autotüre").is_empty()
        );
    }
}
