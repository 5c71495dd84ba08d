//! Tests of the features of the reranker.

use super::*;
use proptest::prelude::*;

#[test]
fn the_fused_score_weighs_more_with_an_encoder() {
    for (share, weight) in [(0.0, 0.2), (0.3, 0.2), (0.45, 0.6), (0.6, 1.0), (1.0, 1.0)] {
        let found = found_weight(0.2, share);
        assert!((found - weight).abs() < 1e-6, "{share}: {found}");
    }
}

proptest! {
    #[test]
    fn long_words_are_found_wherever_they_stand(
        text in "([a-z ]{0,20}( |[a-z]{55,70}|[a-zé0-9]{30,40}|[.,-])){0,8}"
    ) {
        let words = text.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
        let longest = words.map(str::len).max().unwrap_or(0);
        prop_assert_eq!(has_long_word(&text), longest >= WORD_BYTES_MAX);
    }
}
