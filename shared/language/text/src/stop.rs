//! Stop words, one list for each use. The lists differ on purpose: a word that asks for a form (`list`, `show`) is
//! useless for a search but useful for a comparison of two texts.

use crate::is_of;

/// How many words carry no content of their own.
const CONTENT_FREE: usize = 120;

/// Those words as numbers, in the order of their list: one is looked for in every word of a text.
const CONTENT_FREE_PACKED: [u64; CONTENT_FREE] = {
    let list = words!(content_free).as_bytes();
    let (mut all, mut at, mut word) = ([0; CONTENT_FREE], 0, 0);
    while at < list.len() {
        let from = at;
        while at < list.len() && list[at] > b' ' {
            at += 1;
        }
        if at > from {
            all[word] = packed(list.split_at(at).0.split_at(from).1);
            word += 1;
        }
        at += 1;
    }
    assert!(word == CONTENT_FREE);
    all
};

/// The bytes of a word of at most eight, the first one in the highest place.
const fn packed(word: &[u8]) -> u64 {
    let (mut number, mut at) = (0, 0);
    while at < word.len() {
        number |= (word[at] as u64) << (56 - 8 * at);
        at += 1;
    }
    number
}

/// Whether a lower-case word carries no content of its own.
pub fn is_content_free(word: &str) -> bool {
    word.len() <= 8
        && CONTENT_FREE_PACKED
            .binary_search(&packed(word.as_bytes()))
            .is_ok()
}

/// Whether a word is useless for a search.
pub fn is_unsearched(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    is_of(&word.to_lowercase(), words!(unsearched))
}
