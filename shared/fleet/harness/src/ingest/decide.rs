//! Decides what to do about a document message, from what is stored of the document. Pure.
//!
//! Two stored messages are enough: the newest one of the document, whatever it is, and the head, chunk 0. A version
//! is complete when its head is the newest message; a deletion is complete when its last tombstone is. Any other
//! state was left behind by a writer that was interrupted.

use envelope::UnixMs;
use stage::ChunkPlace;

/// The message that is worked on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mine<'a> {
    pub(super) sequence: u64,
    pub(super) stored_at: UnixMs,
    pub(super) is_deleted: bool,
    pub(super) is_forced: bool,
    /// The version of the document; absent until its bytes were read.
    pub(super) version: Option<&'a str>,
    pub(super) pipeline: &'a str,
    /// How many chunks the publisher knows of.
    pub(super) chunks: u32,
}

/// What is stored of its document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen<'a> {
    pub(super) newest: Option<&'a ChunkPlace>,
    pub(super) head: Option<&'a ChunkPlace>,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing to do: a newer version was begun.
    Superseded,
    /// Nothing: it is indexed as it is.
    Unchanged,
    /// Nothing to do: an earlier delivery of this message has published this many chunks.
    Done(u32),
    /// Publish its chunks; whatever is stored lies below `extent`.
    Write { extent: u32 },
    /// Publish that many tombstones, the head first.
    Delete { extent: u32 },
}

/// The decision.
pub(super) fn decide(mine: &Mine<'_>, seen: &Seen<'_>) -> Next {
    let known = || seen.newest.into_iter().chain(seen.head);
    if known().any(|k| is_newer(k, mine)) {
        return Next::Superseded;
    }
    // A writer that was interrupted says in each message how far it and what it found may reach.
    let extent = known().map(|k| k.of).fold(mine.chunks, u32::max);
    let is_mine = |k: &ChunkPlace| (k.sequence, k.stored_at) == (mine.sequence, mine.stored_at);
    if mine.is_deleted {
        return match seen.newest {
            None if mine.chunks == 0 => Next::Unchanged,
            Some(last) if last.is_deleted && last.n + 1 == last.of => match is_mine(last) {
                true => Next::Done(last.of),
                false => Next::Unchanged,
            },
            _ => Next::Delete {
                extent: extent.max(1),
            },
        };
    }
    match seen.newest.filter(|k| k.n == 0 && !k.is_deleted) {
        Some(head) if is_mine(head) => Next::Done(head.of),
        Some(head)
            if !mine.is_forced
                && mine.version == Some(&head.version)
                && mine.pipeline == head.pipeline =>
        {
            Next::Unchanged
        }
        _ => Next::Write { extent },
    }
}

/// Whether it was made of a newer message. Sequences start again when a stream is made anew; then
/// the times tell.
fn is_newer(known: &ChunkPlace, mine: &Mine<'_>) -> bool {
    known.sequence > mine.sequence && known.stored_at >= mine.stored_at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mine(sequence: u64) -> Mine<'static> {
        Mine {
            sequence,
            stored_at: UnixMs(sequence * 10),
            is_deleted: false,
            is_forced: false,
            version: Some("v"),
            pipeline: "p",
            chunks: 0,
        }
    }

    fn known(sequence: u64, n: u32, of: u32) -> ChunkPlace {
        ChunkPlace {
            n,
            of,
            version: "v".into(),
            pipeline: "p".into(),
            sequence,
            stored_at: UnixMs(sequence * 10),
            is_deleted: false,
        }
    }

    fn gone(sequence: u64, n: u32, of: u32) -> ChunkPlace {
        ChunkPlace {
            is_deleted: true,
            ..known(sequence, n, of)
        }
    }

    fn at(mine: Mine<'_>, newest: &ChunkPlace, head: Option<&ChunkPlace>) -> Next {
        let newest = Some(newest);
        decide(&mine, &Seen { newest, head })
    }

    #[test]
    fn what_is_new_is_written() {
        assert_eq!(
            decide(&mine(5), &Seen::default()),
            Next::Write { extent: 0 }
        );
        let told = Mine {
            chunks: 4,
            ..mine(5)
        };
        assert_eq!(decide(&told, &Seen::default()), Next::Write { extent: 4 });
    }

    #[test]
    fn what_is_the_same_stays() {
        let head = known(4, 0, 3);
        assert_eq!(at(mine(5), &head, Some(&head)), Next::Unchanged);
        let other = [
            Mine {
                version: Some("w"),
                ..mine(5)
            },
            Mine {
                version: None,
                ..mine(5)
            },
            Mine {
                pipeline: "q",
                ..mine(5)
            },
            Mine {
                is_forced: true,
                ..mine(5)
            },
        ];
        for other in other {
            assert_eq!(at(other, &head, Some(&head)), Next::Write { extent: 3 });
        }
    }

    #[test]
    fn what_was_interrupted_is_written_again() {
        // The head is that of the version before; a longer one was begun.
        let (head, newest) = (known(4, 0, 3), known(5, 7, 9));
        assert_eq!(at(mine(5), &newest, Some(&head)), Next::Write { extent: 9 });
        // The content went back to what the head says: all the same.
        assert_eq!(at(mine(6), &newest, Some(&head)), Next::Write { extent: 9 });
        assert_eq!(at(mine(6), &newest, None), Next::Write { extent: 9 });
    }

    #[test]
    fn a_document_whose_head_is_stored_is_not_indexed_again() {
        let head = known(5, 0, 3);
        let forced = Mine {
            is_forced: true,
            ..mine(5)
        };
        assert_eq!(at(forced, &head, Some(&head)), Next::Done(3));
    }

    #[test]
    fn an_older_version_gives_way() {
        let (head, newest) = (known(4, 0, 3), known(9, 2, 3));
        assert_eq!(at(mine(5), &newest, Some(&head)), Next::Superseded);
        assert_eq!(at(mine(5), &gone(9, 0, 1), None), Next::Superseded);
        // A stream that was made anew counts from 1.
        let later = Mine {
            stored_at: UnixMs(1_000),
            ..mine(5)
        };
        assert_eq!(at(later, &newest, Some(&head)), Next::Write { extent: 3 });
    }

    #[test]
    fn a_deletion_is_whole_with_its_last_tombstone() {
        let delete = |sequence| Mine {
            is_deleted: true,
            ..mine(sequence)
        };
        let head = known(4, 0, 3);
        assert_eq!(
            at(delete(5), &head, Some(&head)),
            Next::Delete { extent: 3 }
        );
        let (begun, first) = (gone(5, 1, 3), gone(5, 0, 3));
        assert_eq!(
            at(delete(5), &begun, Some(&first)),
            Next::Delete { extent: 3 }
        );
        let last = gone(5, 2, 3);
        assert_eq!(at(delete(5), &last, Some(&first)), Next::Done(3));
        assert_eq!(at(delete(6), &last, Some(&first)), Next::Unchanged);
        assert_eq!(decide(&delete(5), &Seen::default()), Next::Unchanged);
        let told = Mine {
            chunks: 2,
            ..delete(5)
        };
        assert_eq!(decide(&told, &Seen::default()), Next::Delete { extent: 2 });
        // And what comes back is written over the tombstones.
        assert_eq!(at(mine(6), &last, Some(&first)), Next::Write { extent: 3 });
    }

    proptest! {
        /// Nothing that is stored lies beyond what the next writer clears, and nothing newer is
        /// written over.
        #[test]
        fn the_extent_covers_what_is_known(
            sequence in 1u64..9, newest in (1u64..9, 0u32..9, 1u32..9), head in (1u64..9, 1u32..9),
            deleted: bool, forced: bool, chunks in 0u32..9,
        ) {
            let newest = known(newest.0, newest.1.min(newest.2 - 1), newest.2);
            let head = known(head.0, 0, head.1);
            let mine = Mine { is_deleted: deleted, is_forced: forced, chunks, ..mine(sequence) };
            match at(mine, &newest, Some(&head)) {
                Next::Write { extent } | Next::Delete { extent } => {
                    prop_assert!(extent >= newest.of.max(head.of).max(chunks));
                    prop_assert!(newest.sequence <= sequence && head.sequence <= sequence);
                }
                Next::Superseded => {
                    prop_assert!(newest.sequence.max(head.sequence) > sequence);
                }
                Next::Done(_) => prop_assert_eq!(newest.sequence, sequence),
                Next::Unchanged => prop_assert!(!forced || deleted),
            }
        }
    }
}
