//! A small table of words that mean the same in questions and documents. *Not* a thesaurus.

use super::vocabulary::{NUMBER_DIGITS, SYNONYMS};
use std::collections::HashMap;
use text::{Language, words};

/// Looks words up by what they mean.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// Stem to the key that stands for it.
    keys: HashMap<String, String>,
    /// Stem to the first group that it is in.
    groups: HashMap<String, Vec<&'static str>>,
}

impl Lexicon {
    pub(super) fn new() -> Self {
        let (mut keys, mut groups) = (HashMap::new(), HashMap::new());
        for line in SYNONYMS.lines() {
            let group: Vec<&str> = line.split_ascii_whitespace().collect();
            for word in &group {
                let stem = words::stem(word);
                keys.entry(stem.clone())
                    .or_insert_with(|| words::stem(group[0]));
                groups.entry(stem).or_insert_with(|| group.clone());
            }
        }
        for (word, digits) in NUMBER_DIGITS
            .lines()
            .filter_map(|l| l.trim().split_once(' '))
        {
            keys.insert(words::stem(word), digits.to_owned());
        }
        Lexicon { keys, groups }
    }

    /// The key of a word of a language as written: alike for its forms and its synonyms.
    pub(super) fn key(&self, word: &str, language: Language) -> String {
        let stem = language.stem(&word.to_lowercase());
        match self.known(&stem, language) {
            Some(key) => key.to_owned(),
            None => stem,
        }
    }

    /// The key of a stem that stands in the tables, which are of English; any other stem is its own.
    pub(super) fn known(&self, stem: &str, language: Language) -> Option<&str> {
        let key = (language == Language::English).then(|| self.keys.get(stem))?;
        key.map(String::as_str)
    }

    /// Other words for a word, most usual first; empty for most.
    pub(super) fn synonyms(&self, word: &str) -> Vec<&'static str> {
        let stem = words::stem(&word.to_lowercase());
        let Some(group) = self.groups.get(&stem) else {
            return Vec::new();
        };
        let others = group.iter().copied();
        others.filter(|w| words::stem(w) != stem).collect()
    }
}

/// Whether two keys are forms of one word that the stemmer keeps apart: `terminat`, `termination`.
pub(super) fn akin(a: &str, b: &str) -> bool {
    // Most words part at once: five characters that are alike are at least five bytes that are.
    if a.len() < 5 || a.as_bytes().get(..5) != b.as_bytes().get(..5) {
        return false;
    }
    let same = a
        .chars()
        .zip(b.chars())
        .take_while(|(x, y)| x == y && x.is_alphabetic())
        .count();
    let shorter = a.chars().count().min(b.chars().count());
    same >= 5 && same + 1 >= shorter
}

/// Whether two keys of the same first letter differ by one typing error: a letter left out, added, changed, or two
/// letters swapped. Short words are left alone: too many are apart by one letter.
pub(super) fn misspelt(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let (short, long) = (short.as_bytes(), long.as_bytes());
    let letters = |w: &[u8]| w.iter().all(u8::is_ascii_alphabetic);
    if long.len() < 5 || long.len() > short.len() + 1 || short[0] != long[0] {
        return false;
    }
    if !letters(short) || !letters(long) {
        return false;
    }
    let at = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let (rest, other) = (&short[at..], &long[at..]);
    let exchanged =
        || rest.len() >= 2 && other.len() >= 2 && rest[0] == other[1] && rest[1] == other[0];
    match long.len() - short.len() {
        0 if rest.is_empty() => true,
        0 => rest[1..] == other[1..] || (exchanged() && rest[2..] == other[2..]),
        _ => *rest == other[1..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_and_synonyms_share_a_key() {
        let lexicon = Lexicon::new();
        assert_eq!(
            lexicon.key("Prices", Language::English),
            lexicon.key("cost", Language::English)
        );
        assert_eq!(
            lexicon.key("payable", Language::English),
            lexicon.key("payments", Language::English)
        );
        assert_eq!(lexicon.key("thirty", Language::English), "30");
        assert_ne!(
            lexicon.key("voltage", Language::English),
            lexicon.key("current", Language::English)
        );
        assert_eq!(lexicon.synonyms("vendors"), ["supplier", "seller"]);
        assert!(lexicon.synonyms("zebra").is_empty());
    }

    #[test]
    fn one_typo_is_tolerated_in_longer_words() {
        for (a, b) in [
            ("notic", "notc"),
            ("period", "peroid"),
            ("framework", "framwork"),
        ] {
            assert!(misspelt(a, b) && misspelt(b, a), "{a} {b}");
        }
        for (a, b) in [("cost", "coat"), ("hv2n4410", "hv2n4411")] {
            assert!(!misspelt(a, b), "{a} {b}");
        }
    }

    #[test]
    fn akin_words_differ_only_at_the_end() {
        assert!(akin("calibrat", "calibration"));
        assert!(!akin("contract", "contrast"));
        assert!(!akin("2024", "2024"));
    }
}
