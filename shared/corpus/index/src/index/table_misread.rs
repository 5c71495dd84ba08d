//! Finds values that a scanner probably misread as another value, so that both are one group: `rescarch` among
//! documents of `research`. Pure.
//!
//! A number is never taken for another one, because a number that looks like a misread one may be right.

use std::collections::{BTreeMap, HashMap};
use text::fold;

/// A shorter value may differ in one letter and be right.
const LETTERS_MIN: usize = 6;
/// How many times as many documents have to have the other value.
const TIMES: u64 = 3;

/// The values that are probably misread, each with the right one. The values are keys, with the number of their documents.
pub(super) fn misread<'a>(values: &BTreeMap<&'a str, u64>) -> HashMap<&'a str, &'a str> {
    let mut alike: HashMap<String, Vec<(&str, u64)>> = HashMap::new();
    for (value, documents) in values {
        if value.chars().count() >= LETTERS_MIN {
            let skeleton = fold::skeleton(value);
            alike.entry(skeleton).or_default().push((value, *documents));
        }
    }
    let mut misread = HashMap::new();
    for mut alike in alike.into_values() {
        alike.sort_by_key(|(_, documents)| std::cmp::Reverse(*documents));
        let (right, documents) = alike[0];
        if right.contains(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let rare = alike[1..]
            .iter()
            .filter(|(_, rare)| documents >= TIMES * rare);
        misread.extend(rare.map(|(rare, _)| (*rare, right)));
    }
    misread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_values_that_look_like_frequent_ones_are_misread() {
        let values = BTreeMap::from([
            ("acc0unting", 1),
            ("accounting", 69),
            ("rescarch", 3),
            ("research", 7),
            ("bell", 9),
            ("beil", 1),
            ("hx1001", 9),
            ("hx100i", 1),
            ("shipping", 5),
        ]);
        assert_eq!(
            misread(&values),
            HashMap::from([("acc0unting", "accounting")])
        );
    }
}
