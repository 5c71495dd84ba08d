//! Fits the passages that were found into one scatter record.
//!
//! Sizes are those of the *encoded* passage, which is never shorter than its text: line breaks, quotes and metadata
//! take room in the message, too.

use envelope::limits::{FANOUT_MAX, SCATTER_TEXT_BYTES_MAX};
use envelope::{CodecError, Passage};

/// The longest text that fits whatever it holds: JSON writes one byte as six at most.
const TEXT_BYTES_SAFE: usize = SCATTER_TEXT_BYTES_MAX / 8;

/// The best passages that fit, at most `count_max`, and how many were left out or cut for their
/// size. At least one is kept: a single passage that is too large is cut.
pub(crate) fn fit(
    mut found: Vec<Passage>,
    count_max: usize,
) -> Result<(Vec<Passage>, u16), CodecError> {
    found.truncate(count_max.min(FANOUT_MAX));
    let (mut kept, mut room, mut trimmed) = (Vec::new(), SCATTER_TEXT_BYTES_MAX, 0);
    for passage in found {
        let bytes = serde_json::to_vec(&passage)?.len();
        if let Some(left) = room.checked_sub(bytes) {
            room = left;
            kept.push(passage);
        } else {
            trimmed += 1;
            if kept.is_empty() {
                kept.push(cut(passage));
                break;
            }
        }
    }
    Ok((kept, trimmed))
}

fn cut(mut passage: Passage) -> Passage {
    let end = passage.text.floor_char_boundary(TEXT_BYTES_SAFE);
    passage.text.truncate(end);
    passage.metadata.clear();
    passage
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::model::passage;

    #[test]
    fn the_best_are_kept_in_order() {
        let found: Vec<_> = (0..9).map(|i| passage(&format!("d{i}"), "text")).collect();
        let (kept, trimmed) = fit(found.clone(), 5).unwrap();
        assert_eq!(
            (&kept[..], trimmed),
            (&found[..5], 0),
            "the count is no trimming"
        );
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_counted() {
        let large = "x".repeat(SCATTER_TEXT_BYTES_MAX - 1_000);
        let found = vec![
            passage("a", &large),
            passage("b", &large),
            passage("c", "small"),
        ];
        let (kept, trimmed) = fit(found, 5).unwrap();
        let ids: Vec<_> = kept.iter().map(|p| p.doc_id.as_str()).collect();
        assert_eq!((ids, trimmed), (vec!["a", "c"], 1));
    }

    #[test]
    fn a_passage_that_is_too_large_alone_is_cut() {
        let found = vec![
            passage("a", &"\u{1}".repeat(SCATTER_TEXT_BYTES_MAX)),
            passage("b", "b"),
        ];
        let (kept, trimmed) = fit(found, 5).unwrap();
        assert_eq!((kept.len(), trimmed), (1, 1));
        assert!(serde_json::to_vec(&kept).unwrap().len() <= SCATTER_TEXT_BYTES_MAX);
    }

    proptest! {
        // Large inputs: fewer of them.
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn it_always_fits_and_something_is_always_kept(
            sizes in proptest::collection::vec(0usize..60_000, 1..70),
            fill in prop::sample::select(vec!["a", "\n", "ü", "\u{1}", "\""]),
            count_max in 1usize..80,
        ) {
            let found: Vec<_> = sizes.iter().map(|n| passage("d", &fill.repeat(*n))).collect();
            let (kept, trimmed) = fit(found, count_max).unwrap();
            let text: usize = kept.iter().map(|p| p.text.len()).sum();
            prop_assert!(text <= SCATTER_TEXT_BYTES_MAX);
            prop_assert!((1..=count_max.min(FANOUT_MAX)).contains(&kept.len()));
            prop_assert!(kept.len() + usize::from(trimmed) <= sizes.len() + 1);
            prop_assert!(serde_json::to_vec(&kept).unwrap().len() <= envelope::limits::ENVELOPE_BYTES_MAX);
        }
    }
}
