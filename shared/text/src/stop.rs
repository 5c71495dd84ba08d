//! Stop words, one list for each use. The lists differ on purpose: a word that asks for a form (`list`, `show`) is
//! useless for a search but useful for a comparison of two texts.

/// Words that carry no content of their own, sorted: for texts that are compared.
const CONTENT_FREE: [&str; 120] = [
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "between", "both", "but", "by", "can", "could", "did",
    "do", "does", "doing", "done", "during", "each", "either", "else", "ever", "every", "for",
    "from", "get", "give", "had", "has", "have", "having", "he", "her", "here", "him", "his",
    "how", "i", "if", "in", "into", "is", "it", "its", "just", "let", "many", "may", "me", "might",
    "more", "most", "much", "must", "my", "no", "not", "of", "on", "only", "or", "other", "our",
    "out", "over", "own", "please", "s", "shall", "she", "should", "so", "some", "such", "t",
    "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "too", "under", "up", "upon", "us", "very", "was", "we", "were", "what", "when",
    "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you",
];

/// Words that say nothing about what is looked for. A query of nothing else is searched as it is.
const UNSEARCHED: &str = "a about all also am an and any are as at be been but by can could did do \
    does for from give had has have how i if in into is it its list many may me more most much my \
    no not of on or our please should show so tell than that the their them then there these they \
    this those to us was we were what when where which who whom whose why will with would you your";

/// The list as numbers, in the same order: one is looked for in every word of a text.
const CONTENT_FREE_PACKED: [u64; CONTENT_FREE.len()] = {
    let mut all = [0; CONTENT_FREE.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = packed(CONTENT_FREE[at].as_bytes());
        at += 1;
    }
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
    let word = word
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    UNSEARCHED.split_ascii_whitespace().any(|stop| stop == word)
}
