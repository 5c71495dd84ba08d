//! Tests of merging lists with a fair share for each.

use super::*;
use proptest::prelude::*;
use std::collections::HashSet;
use testkit::model::passage;

fn list(names: &[(&str, f32)]) -> Vec<Passage> {
    let made = names.iter().map(|(name, score)| Passage {
        score: *score,
        ..passage(name, &format!("text of {name}"))
    });
    made.collect()
}

fn names(passages: &[Passage]) -> Vec<(&str, &[u8])> {
    let named = passages
        .iter()
        .map(|p| (p.doc_id.as_str(), &p.found_by[..]));
    named.collect()
}

#[test]
fn a_weak_side_of_a_comparison_has_its_share() {
    let whole = list(&[("a1", 0.9), ("a2", 0.8), ("a3", 0.7)]);
    let strong = list(&[("a1", 1.0), ("a4", 0.99), ("a5", 0.98)]);
    let weak = list(&[("b1", 0.3), ("b2", 0.2)]);
    let (shared, _) = share(whole, vec![strong, weak], 4);
    assert_eq!(
        names(&shared),
        [
            ("a1", &[0][..]),
            ("a2", &[][..]),
            ("a3", &[][..]),
            ("b1", &[1][..])
        ]
    );
    assert_eq!(
        shared[0].score, 0.9,
        "its best score, that of a part discounted"
    );
}

#[test]
fn without_parts_it_is_the_list() {
    let whole = list(&[("a", 0.9), ("b", 0.8), ("c", 0.7)]);
    let (shared, _) = share(whole.clone(), vec![vec![], vec![]], 2);
    assert_eq!(shared, whole[..2]);
    assert_eq!(share(vec![], vec![whole.clone()], 9).0.len(), 3);
    assert_eq!(share(vec![], vec![], 9).0, []);
    assert_eq!(share(whole, vec![], 0).0, []);
}

#[test]
fn the_same_text_is_there_once() {
    let twin = |name: &str, score| Passage {
        score,
        ..passage(name, "The pump is green.")
    };
    let (shared, repeated) = share(vec![twin("a", 0.5)], vec![vec![twin("b", 0.9)]], 5);
    assert_eq!((names(&shared), repeated), (vec![("a", &[][..])], 1));
}

#[test]
fn one_document_does_not_fill_the_list() {
    let chunk = |name: &str, n: usize| Passage {
        chunk_id: format!("{name}.{n}"),
        ..passage(name, &format!("part {n} of {name}"))
    };
    let long: Vec<Passage> = (0..6).map(|n| chunk("long", n)).collect();
    let whole = [&long[..], &[chunk("other", 0), chunk("third", 0)]].concat();
    let (shared, _) = share(whole, vec![long.clone()], 4);
    let of_long = shared.iter().filter(|p| p.doc_id.as_str() == "long");
    assert_eq!((of_long.count(), shared.len()), (2, 4));
    assert_eq!(
        share(long, vec![], 4).0.len(),
        4,
        "when there is nothing else"
    );
}

proptest! {
    #[test]
    fn nothing_is_made_up_and_every_list_has_its_turn(
        lists in prop::collection::vec(prop::collection::vec((0usize..30, 0.0f32..1.0), 0..12), 1..6),
        top_k in 0usize..16,
    ) {
        let texts: Vec<String> = (0..30).map(|n| format!("d{n}")).collect();
        let mut made = lists.iter().map(|l| {
            let mut seen = HashSet::new();
            let own = l.iter().filter(|(n, _)| seen.insert(*n));
            list(&own.map(|(n, s)| (texts[*n].as_str(), *s)).collect::<Vec<_>>())
        });
        let whole = made.next().unwrap_or_default();
        let parts: Vec<_> = made.collect();
        let (shared, _) = share(whole.clone(), parts.clone(), top_k);
        let all: HashSet<&str> = whole.iter().chain(parts.iter().flatten()).map(|p| p.chunk_id.as_str()).collect();
        prop_assert_eq!(shared.len(), all.len().min(top_k));
        let ids: HashSet<&str> = shared.iter().map(|p| p.chunk_id.as_str()).collect();
        prop_assert_eq!(ids.len(), shared.len());
        prop_assert!(shared.windows(2).all(|two| two[0].score >= two[1].score));
        if top_k > parts.len() {
            for (n, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
                prop_assert!(shared.iter().any(|p| p.found_by.contains(&(n as u8))), "{n}: {part:?}");
            }
        }
    }
}
