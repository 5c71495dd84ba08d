//! Measures which share of a text's words occurs in another text. It counts as [`text::overlap`] does, but splits
//! each text into words only once, for texts that are compared many times.

use std::collections::HashSet;
use text::{Language, words};

/// The content words of a text.
pub(crate) struct Words {
    all: Vec<String>,
    known: HashSet<String>,
}

impl Words {
    pub(crate) fn of(text: &str) -> Self {
        let all = words::content(text);
        let known = all.iter().cloned().collect();
        Words { all, known }
    }

    /// The share of the content words of a text of `language` that are among these, 0 to 1; 0 where it has none.
    pub(crate) fn share_of(&self, text: &str, language: Language) -> f32 {
        let (mut all, mut found) = (0, 0);
        words::each_content_in(text, language, |word| {
            all += 1;
            found += usize::from(self.known.contains(word));
        });
        found as f32 / all.max(1) as f32
    }

    /// Those of these words that none of `others` holds.
    pub(crate) fn without(&self, others: &[&Words]) -> Words {
        let is_own = |word: &&String| others.iter().all(|other| !other.known.contains(*word));
        let all: Vec<String> = self.all.iter().filter(is_own).cloned().collect();
        let known = all.iter().cloned().collect();
        Words { all, known }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The share of these words that occur in `other`, 0 to 1; 0 where there are no words.
    pub(crate) fn share_in(&self, other: &Words) -> f32 {
        if self.all.is_empty() {
            return 0.0;
        }
        let found = self.all.iter().filter(|word| other.known.contains(*word));
        found.count() as f32 / self.all.len() as f32
    }
}

/// The item with the highest score, and of equal items the first one. `None` where there is no item.
pub(crate) fn best<T>(
    items: impl IntoIterator<Item = T>,
    mut score: impl FnMut(&T) -> f32,
) -> Option<(T, f32)> {
    let mut best: Option<(T, f32)> = None;
    for item in items {
        let scored = score(&item);
        if best.as_ref().is_none_or(|(_, most)| scored > *most) {
            best = Some((item, scored));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_of_equals_is_best() {
        assert_eq!(best([3, 5, 1, 5], |n| *n as f32), Some((5, 5.0)));
        assert_eq!(best(["a", "b"], |_| 0.0), Some(("a", 0.0)));
        assert_eq!(best(Vec::<u8>::new(), |_| 0.0), None);
    }

    proptest! {
        #[test]
        fn counts_like_overlap(a in "[a-z0-9 .]{0,60}", b in "[a-z0-9 .]{0,60}") {
            let (share, words) = (Words::of(&a).share_in(&Words::of(&b)), Words::of(&b));
            prop_assert_eq!(share, words.share_of(&a, Language::of(&a)));
            // What is compared as the other language stems it, too, is no less.
            prop_assert!(share <= text::overlap(&a, &[b]));
        }
    }
}
