//! Tests of stream sizes when there is little room. The cases are tables of data: which streams share the room, which
//! keep their size, and when setting up is refused.

use super::*;
use crate::Stream;
use crate::topology::{Topology, enough_bytes};
use proptest::prelude::*;

const GIB: u64 = 1024 * MIB;
/// What the defaults want.
const WANTED: u64 = 67 * GIB + 256 * MIB;

fn part(name: &str, wanted: u64) -> WantedStream {
    WantedStream {
        name: name.into(),
        wanted,
        enough: wanted,
        is_elastic: true,
        found: None,
    }
}

fn found(part: WantedStream, max_bytes: u64, scaled_from: Option<u64>) -> WantedStream {
    WantedStream {
        found: Some(ExistingStream {
            max_bytes,
            scaled_from,
        }),
        ..part
    }
}

fn fixed(part: WantedStream) -> WantedStream {
    WantedStream {
        is_elastic: false,
        ..part
    }
}

/// The streams and object stores of the defaults, none of which is set.
fn defaults() -> Vec<WantedStream> {
    let all = Topology::default();
    let streams = all.streams().into_iter().map(|spec| WantedStream {
        enough: enough_bytes(spec.stream, spec.max_bytes),
        ..part(&spec.stream.name(), spec.max_bytes)
    });
    let stores = [all.files_bytes, all.snapshots_bytes];
    let stores = stores.map(|wanted| part("store", wanted.bytes()));
    streams.chain(stores).collect()
}

fn sum(sizes: &[StreamSize]) -> u64 {
    sizes.iter().map(|size| size.bytes).sum()
}

#[test]
fn the_defaults_fit_a_laptop_with_20_gb_free() {
    let parts = defaults();
    assert_eq!(growth(&parts, &whole(&parts, None)), WANTED);
    // A nats-server takes three quarters of what is free.
    let offered = 20_000_000_000 / 4 * 3;
    let sizes = fit(&parts, None, offered).unwrap();
    assert!(sum(&sizes) <= offered - offered / 20, "{sizes:?}");
    assert!(sum(&sizes) > offered - offered / 10, "{sizes:?}");
    let of = |stream: Stream| {
        let at = parts.iter().position(|part| part.name == stream.name());
        sizes[at.expect("a stream")]
    };
    let (steps, chunks) = (of(Stream::Steps(0)), of(Stream::Chunks));
    assert_eq!(chunks.scaled_from, Some(16 * GIB));
    assert!(chunks.bytes > 4 * GIB && chunks.bytes < 5 * GIB);
    let ratio = chunks.bytes as f64 / steps.bytes as f64;
    assert!((1.9..2.1).contains(&ratio), "{ratio}");
    assert!(sizes.iter().all(|size| size.bytes % MIB == 0));
}

#[test]
fn what_is_beyond_enough_comes_when_all_have_it() {
    let parts = [
        WantedStream {
            enough: 8 * GIB,
            ..part("a", 24 * GIB)
        },
        part("b", 16 * GIB),
    ];
    // A sixteenth of what is offered stays free. Enough first, in its proportion; then the rest.
    for (offered, a, b) in [(16, 5, 10), (32, 14, 16), (36, 18, 16), (40, 24, 16)] {
        let sizes = fit(&parts, None, offered * GIB).unwrap();
        assert_eq!(
            [sizes[0].bytes, sizes[1].bytes].map(|bytes| (bytes + GIB / 2) / GIB),
            [a, b]
        );
        for (part, size) in parts.iter().zip(&sizes) {
            let is_less = size.bytes < part.wanted;
            assert_eq!(size.scaled_from, is_less.then_some(part.wanted));
        }
    }
}

#[test]
fn what_fits_is_left_as_it_is_wanted() {
    let parts = defaults();
    assert_eq!(fit(&parts, None, WANTED).unwrap(), whole(&parts, None));
    assert_eq!(fit(&parts, None, u64::MAX).unwrap(), whole(&parts, None));
}

#[test]
fn less_than_the_least_is_a_shortage_with_both_figures() {
    let shortage = fit(&defaults(), None, 256 * MIB).unwrap_err();
    let expected = Shortage {
        wanted: WANTED,
        offered: 256 * MIB,
        // Eleven of 32 MiB, and a sixteenth to spare.
        least: 11 * 32 * MIB * 16 / 15 + 1,
    };
    assert_eq!(shortage, expected);
    assert!(fit(&defaults(), None, shortage.least).is_ok());
    assert!(fit(&defaults(), None, shortage.least - MIB).is_err());
}

#[test]
fn a_size_that_was_set_is_kept_to() {
    let parts = [fixed(part("a", 6 * GIB)), part("b", 4 * GIB)];
    let sizes = fit(&parts, None, 8 * GIB).unwrap();
    assert_eq!(sizes[0].bytes, 6 * GIB);
    assert_eq!(sizes[0].scaled_from, None);
    assert_eq!(sizes[1].bytes, GIB + GIB / 2);
    let all_set = parts.map(fixed);
    assert!(fit(&all_set, None, 8 * GIB).is_err());
    assert!(fit(&all_set, None, 10 * GIB).is_ok());
}

#[test]
fn a_second_run_changes_nothing() {
    let mut parts = defaults();
    let sizes = fit(&parts, None, 12 * GIB).unwrap();
    for (part, size) in parts.iter_mut().zip(&sizes) {
        *part = found(part.clone(), size.bytes, size.scaled_from);
    }
    assert_eq!(whole(&parts, None), sizes);
    assert_eq!(growth(&parts, &sizes), 0);
    // The server has less by now: what is there is there.
    assert_eq!(fit(&parts, None, 0).unwrap(), sizes);
}

#[test]
fn a_scaled_stream_grows_when_its_size_is_set() {
    let bytes = |part: &WantedStream| whole(std::slice::from_ref(part), None)[0].bytes;
    let scaled = found(part("a", 4 * GIB), GIB, Some(4 * GIB));
    assert_eq!(bytes(&scaled), GIB);
    let sizes = whole(&[fixed(scaled.clone())], None);
    assert_eq!((sizes[0].bytes, sizes[0].scaled_from), (4 * GIB, None));
    // And when a release wants something else.
    let other = WantedStream {
        wanted: 2 * GIB,
        ..scaled
    };
    assert_eq!(bytes(&other), 2 * GIB);
}

#[test]
fn a_release_that_wants_more_leaves_what_is_enough() {
    let of_before = |max_bytes, scaled_from| {
        let wants = WantedStream {
            enough: 8 * GIB,
            ..part("a", 24 * GIB)
        };
        let found = found(wants, max_bytes, scaled_from);
        whole(std::slice::from_ref(&found), None)[0]
    };
    let size = |bytes, scaled_from| StreamSize { bytes, scaled_from };
    assert_eq!(of_before(8 * GIB, None), size(8 * GIB, None));
    assert_eq!(
        of_before(5 * GIB, Some(8 * GIB)),
        size(5 * GIB, Some(8 * GIB))
    );
    assert_eq!(of_before(5 * GIB, None), size(24 * GIB, None));
    assert_eq!(
        of_before(9 * GIB, Some(24 * GIB)),
        size(9 * GIB, Some(24 * GIB))
    );
}

#[test]
fn what_is_larger_stays_unless_its_size_is_set() {
    let larger = [found(part("a", 4 * GIB), 9 * GIB, None)];
    assert_eq!(whole(&larger, None)[0].bytes, 9 * GIB);
    assert_eq!(whole(&larger.map(fixed), None)[0].bytes, 4 * GIB);
    let unlimited = [found(part("a", 4 * GIB), u64::MAX, None)];
    let sizes = whole(&unlimited, None);
    assert_eq!((sizes[0].bytes, growth(&unlimited, &sizes)), (u64::MAX, 0));
}

#[test]
fn no_stream_is_larger_than_an_account_allows_one() {
    let parts = [part("a", 16 * GIB), part("b", GIB)];
    let sizes = whole(&parts, Some(5 * GIB));
    assert_eq!(
        (sizes[0].bytes, sizes[0].scaled_from),
        (5 * GIB, Some(16 * GIB))
    );
    assert_eq!((sizes[1].bytes, sizes[1].scaled_from), (GIB, None));
    let sizes = fit(&parts, Some(5 * GIB), 4 * GIB).unwrap();
    assert!(sum(&sizes) <= 4 * GIB, "{sizes:?}");
}

#[test]
fn the_limit_of_an_account_is_for_all_copies_and_that_of_a_tier_for_one() {
    assert_eq!(of_account(None, 5, 1, true), None);
    assert_eq!(of_account(Some(-1), 5, 3, true), None, "-1 is no limit");
    assert_eq!(of_account(Some(30), 0, 1, true), Some(30));
    assert_eq!(of_account(Some(30), 6, 3, true), Some(8));
    assert_eq!(of_account(Some(30), 6, 3, false), Some(24));
    assert_eq!(of_account(Some(30), 40, 1, true), Some(0));
}

#[test]
fn figures_are_told_as_people_read_them() {
    assert_eq!(told(38 * GIB), "38 GiB");
    assert_eq!(told(2_900_000_000), "2.7 GiB");
    assert_eq!(told(300 * MIB + 5), "300 MiB");
    assert_eq!(told(u64::MAX), "no limit");
}

fn any_part() -> impl Strategy<Value = WantedStream> {
    let size = 0..=64 * GIB;
    let there = prop::option::of((size.clone(), prop::option::of(size.clone())));
    let sizes = (size.clone(), size);
    (sizes, any::<bool>(), there).prop_map(|((wanted, enough), is_elastic, there)| WantedStream {
        name: "x".into(),
        wanted,
        enough,
        is_elastic,
        found: there.map(|(max_bytes, scaled_from)| ExistingStream {
            max_bytes,
            scaled_from,
        }),
    })
}

proptest! {
    #[test]
    fn sizes_keep_to_what_is_offered_and_shrink_nothing_that_is_not_set(
        parts in prop::collection::vec(any_part(), 0..10),
        offered in 0..=100 * GIB,
    ) {
        if let Ok(sizes) = fit(&parts, None, offered) {
            prop_assert!(growth(&parts, &sizes) <= offered);
            for (part, size) in parts.iter().zip(&sizes) {
                if !part.is_elastic {
                    prop_assert_eq!(size.bytes, part.wanted);
                } else if let Some(found) = part.found {
                    prop_assert!(size.bytes >= found.max_bytes);
                }
                prop_assert!(size.bytes <= part.wanted.max(part.found_bytes()));
            }
        }
    }
}
