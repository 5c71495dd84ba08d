//! Stores texts as numbers that have the same order, because a range condition of Qdrant compares numbers only.
//!
//! A text is cut into blocks of six bytes. Each block is a number that sorts as its bytes do, stored under the field
//! and a hash of all bytes before the block. Text A comes after text B if they have the same blocks before some block,
//! and the number of A in that block is greater. A bound therefore takes as many conditions as it has blocks. The
//! comparison is exact for texts of any length.

use search::filter_terms;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Bytes of a block: 257^6 fits into the 53 bits of a number that are exact.
const BLOCK_BYTES: usize = 6;
/// Bytes of the hash that are kept.
const HASH_BYTES: usize = 8;

/// A number and the key that it can be compared under.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    /// The kind and the field, and for later blocks of a text what is before them.
    pub(super) of: String,
    /// The number.
    pub(super) v: f64,
}

/// The place of a number.
pub(super) fn of_number(field: &str, n: f64) -> Place {
    Place {
        of: filter_terms::start_of('n', field),
        v: n + 0.0, // -0 becomes 0
    }
}

/// The places of a text, one per block. The last one is not full, if need be with nothing in it: so
/// a text and its continuation differ in it.
pub(super) fn of_text(field: &str, text: &str) -> Vec<Place> {
    let bytes = text.as_bytes();
    (0..=bytes.len() / BLOCK_BYTES)
        .map(|i| {
            let (before, rest) = bytes.split_at(i * BLOCK_BYTES);
            Place {
                of: key(field, before),
                v: block(rest),
            }
        })
        .collect()
}

/// The number of the first block of a text. The end of the text is before every byte.
pub(super) fn block(text: &[u8]) -> f64 {
    (0..BLOCK_BYTES).fold(0.0, |sum, i| {
        sum * 257.0 + text.get(i).map_or(0.0, |byte| f64::from(*byte) + 1.0)
    })
}

fn key(field: &str, before: &[u8]) -> String {
    let mut key = filter_terms::start_of('t', field);
    if !before.is_empty() {
        for byte in &Sha256::digest(before)[..HASH_BYTES] {
            let _ = write!(key, "{byte:02x}");
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the conditions of a search say: the first block that differs decides.
    fn is_less(a: &str, b: &str) -> bool {
        let (a, b) = (of_text("f", a), of_text("f", b));
        b.iter()
            .any(|bound| a.iter().any(|at| at.of == bound.of && at.v < bound.v))
    }

    proptest! {
        #[test]
        fn places_sort_as_texts(a in "[a-c\u{0}äü]{0,20}", b in "[a-c\u{0}äü]{0,20}", common in ".{0,20}") {
            let (a, b) = (format!("{common}{a}"), format!("{common}{b}"));
            prop_assert_eq!(is_less(&a, &b), a < b);
            prop_assert_eq!(of_text("f", &a) == of_text("f", &b), a == b);
        }
    }

    #[test]
    fn a_date_is_two_places() {
        let places = of_text("date", "2024-03-01");
        assert_eq!(places.len(), 2);
        assert_eq!(places[0].of, "t\0date\0");
        assert_eq!(places[0].v, block(b"2024-0"));
        assert!(places[1].of.len() == "t\0date\0".len() + 16);
    }
}
