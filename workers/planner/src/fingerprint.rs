//! Tells whether two searches are the same. A round whose search has the same words as the round before continues in
//! the result list of that round.

use std::collections::BTreeSet;
use text::words;

/// The words of a search, without order, repetition, case, endings and stop words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint(BTreeSet<String>);

impl Fingerprint {
    /// The fingerprint of a query. A query of stop words alone is compared by these.
    pub(crate) fn of(query: &str) -> Self {
        let content: BTreeSet<_> = words::content(query).into_iter().collect();
        if content.is_empty() {
            return Fingerprint(words::runs(query).map(str::to_lowercase).collect());
        }
        Fingerprint(content)
    }

    /// Whether one of `earlier` is the same search.
    pub(crate) fn is_among(&self, earlier: &[String]) -> bool {
        earlier.iter().any(|query| Fingerprint::of(query) == *self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn same_words_are_the_same_search() {
        let earlier = [
            "What is the total of the invoice?".to_owned(),
            "who?".into(),
        ];
        for (query, same) in [
            ("the invoice's total", true),
            ("TOTAL, invoices, invoice", true),
            ("invoice total 2024", false),
            ("invoice", false),
            ("Who", true),
            ("", false),
        ] {
            assert_eq!(Fingerprint::of(query).is_among(&earlier), same, "{query}");
        }
        assert!(!Fingerprint::of("anything").is_among(&[]));
    }

    proptest! {
        #[test]
        fn order_case_and_repetition_do_not_matter(
            words in proptest::collection::vec("[a-z]{1,8}", 1..8),
            turn in 0usize..8,
        ) {
            let mut turned = words.clone();
            turned.rotate_left(turn % words.len());
            turned.push(words[0].to_uppercase());
            prop_assert_eq!(Fingerprint::of(&words.join(" ")), Fingerprint::of(&turned.join(", ")));
        }
    }
}
