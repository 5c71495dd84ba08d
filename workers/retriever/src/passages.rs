//! Which passages of those that were found go on: those worth reading, and as many as fit into one scatter record.
//!
//! Sizes are those of the *encoded* passage, which is never shorter than its text: line breaks, quotes and metadata
//! take room in the message, too.

use envelope::limits::{FANOUT_MAX, SCATTER_TEXT_BYTES_MAX};
use envelope::{CodecError, Passage};

/// The longest text that fits whatever it holds: JSON writes one byte as six at most.
const TEXT_BYTES_SAFE: usize = SCATTER_TEXT_BYTES_MAX / 8;

/// Passages that are read at once, whatever their scores: the first ones hold the values of the answer for four fifths of the
/// questions (ADR 0036).
const READ_ALWAYS: usize = 3;

/// Leaves out the passages, behind the first three, whose score is below this share of the best one; and says how many. Where a
/// score is not above 0, scores say nothing of shares, and nothing is left out.
pub(crate) fn leave_out_faint(found: &mut Vec<Passage>, share: f32) -> usize {
    let best = found.iter().map(|one| one.score).fold(0.0, f32::max);
    if found.iter().any(|one| one.score <= 0.0) {
        return 0;
    }
    let before = found.len();
    let mut places = 0..before;
    found.retain(|one| {
        let is_first = places.next().is_some_and(|place| place < READ_ALWAYS);
        is_first || one.score >= share * best
    });
    before - found.len()
}

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

    #[test]
    fn what_is_far_below_the_best_is_not_read() {
        let left = |scores: &[f32], share| {
            let scored = scores.iter().map(|score| Passage {
                score: *score,
                ..passage("d", "text")
            });
            let mut found: Vec<Passage> = scored.collect();
            let count = leave_out_faint(&mut found, share);
            assert_eq!(found.len() + count, scores.len());
            found.iter().map(|one| one.score).collect::<Vec<_>>()
        };
        // The best need not be the first: documents are ranked before passages.
        let scores = [0.3, 0.2, 0.1, 0.19, 0.6, 0.27, 0.26];
        assert_eq!(left(&scores, 0.45), [0.3, 0.2, 0.1, 0.6, 0.27]);
        assert_eq!(left(&scores, 0.0), scores);
        assert_eq!(left(&[0.9, 0.1, 0.1], 0.45), [0.9, 0.1, 0.1]);
        // Scores of another searcher may lie on either side of 0.
        assert_eq!(left(&[2.0, 0.8, 0.5, 0.4, -0.1], 0.45).len(), 5);
        assert_eq!(
            left(&[-1.0, -2.0, -3.0, -4.0], 0.45),
            [-1.0, -2.0, -3.0, -4.0]
        );
        assert!(left(&[], 0.45).is_empty());
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
