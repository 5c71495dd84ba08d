//! Tests of the figures: examples calculated by hand, and properties that hold for every ranking.

use super::*;
use proptest::prelude::*;

/// Ranks from the items that are found there.
fn ranks(items: &[&[usize]]) -> Vec<Vec<usize>> {
    items.iter().map(|items| items.to_vec()).collect()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[test]
fn hits_and_ranks() {
    let found = ranks(&[&[], &[], &[1], &[0]]);
    assert!(!hit(&found, 2) && hit(&found, 3) && !hit(&[], 10));
    close(reciprocal_rank(&found, 10), 1.0 / 3.0);
    close(reciprocal_rank(&found, 2), 0.0);
    close(recall(&found, 3, 4), 0.25);
    close(recall(&found, 10, 4), 0.5);
    close(recall(&ranks(&[&[]]), 10, 0), 0.0);
}

#[test]
fn average_precision_divides_by_all_that_is_right() {
    // Right at ranks 1 and 3 of three right ones: (1/1 + 2/3) / 3.
    let found = ranks(&[&[0], &[], &[2]]);
    close(average_precision(&found, 10, 3), 5.0 / 9.0);
    close(average_precision(&found, 1, 3), 1.0 / 3.0);
    close(average_precision(&[], 10, 3), 0.0);
}

#[test]
fn facts_count_once_and_by_their_rank_alone() {
    // Two facts at rank 1, one of them again at 2, a third at 4: (2/1 + 0 + 1/4) / 4.
    let found = ranks(&[&[0, 1], &[1], &[], &[2]]);
    close(fact_precision(&found, 10, 4), 2.25 / 4.0);
    // Never over the first k facts.
    close(fact_precision(&ranks(&[&[0]]), 1, 4), 1.0);
}

#[test]
fn gain_is_linear_in_the_grade() {
    // Grades 3, 2, 1; found: the 1 first, the 3 third.
    let found = ranks(&[&[2], &[], &[0]]);
    let (dcg, ideal) = (1.0 + 3.0 / 2.0, 3.0 + 2.0 / 3f64.log2() + 1.0 / 2.0);
    close(ndcg(&found, 10, &[3.0, 2.0, 1.0]), dcg / ideal);
    close(ndcg(&ranks(&[&[0], &[1], &[2]]), 10, &[3.0, 2.0, 1.0]), 1.0);
    close(ndcg(&ranks(&[&[]]), 10, &[]), 0.0);
}

#[test]
fn ties_are_half_a_win() {
    assert_eq!(auroc(&[2.0, 3.0], &[1.0]), Some(1.0));
    assert_eq!(auroc(&[1.0], &[1.0]), Some(0.5));
    assert_eq!(auroc(&[3.0, 1.0], &[2.0, 1.0]), Some(0.625));
    assert_eq!(auroc(&[], &[1.0]), None);
}

#[test]
fn quantiles_are_values_that_occurred() {
    let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
    assert_eq!(quantile(values.clone(), 0.5), 50.0);
    assert_eq!(quantile(values, 0.99), 99.0);
    assert_eq!(quantile(vec![7.0], 0.99), 7.0);
    assert!(quantile(vec![], 0.5).is_nan());
    assert_eq!(mean([1.0, 2.0]), Some(1.5));
    assert_eq!(mean([]), None);
}

/// How many items the gold of a generated ranking has.
const GOLD: usize = 5;

/// Rankings of documents: each rank holds one item or none, each item stands once.
fn documents() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let ranks: Vec<usize> = (0..20).collect();
    Just(ranks).prop_shuffle().prop_map(|ranks| {
        let there = |item: usize| if item < GOLD { vec![item] } else { vec![] };
        ranks.into_iter().map(there).collect()
    })
}

/// Rankings of chunks: a fact may stand anywhere, and more than once.
fn chunks() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let items = prop::collection::btree_set(0..GOLD, 0..3);
    let items = items.prop_map(|set| set.into_iter().collect());
    prop::collection::vec(items, 0..20)
}

proptest! {
    #[test]
    fn figures_lie_between_nothing_and_all(found in chunks(), k in 1usize..15) {
        let all = [
            reciprocal_rank(&found, k),
            recall(&found, k, GOLD),
            fact_precision(&found, k.max(GOLD), GOLD),
        ];
        prop_assert!(all.iter().all(|x| (0.0..=1.0).contains(x)), "{:?}", all);
        prop_assert!(fact_precision(&found, k.max(GOLD), GOLD) <= recall(&found, k.max(GOLD), GOLD) + 1e-9);
        prop_assert_eq!(hit(&found, k), recall(&found, k, GOLD) > 0.0);
        prop_assert!(recall(&found, k, GOLD) <= recall(&found, k + 1, GOLD));
    }

    #[test]
    fn a_right_document_that_moves_up_never_costs(found in documents(), item in 0..GOLD, grades in prop::collection::vec(1.0f64..4.0, GOLD)) {
        let mut better = found.clone();
        let at = found.iter().position(|items| items.contains(&item)).unwrap();
        // To the next rank above that holds nothing; or it stays.
        if let Some(free) = found[..at].iter().rposition(Vec::is_empty) {
            better.swap(at, free);
        }
        prop_assert!(ndcg(&better, 10, &grades) >= ndcg(&found, 10, &grades));
        prop_assert!(average_precision(&better, 10, GOLD) >= average_precision(&found, 10, GOLD));
        prop_assert!(reciprocal_rank(&better, 10) >= reciprocal_rank(&found, 10));
        prop_assert!((0.0..=1.0 + 1e-9).contains(&ndcg(&found, 10, &grades)));
        prop_assert!((0.0..=1.0).contains(&average_precision(&found, 10, GOLD)));
    }

    #[test]
    fn the_order_of_what_is_after_k_is_nothing(found in documents(), grades in prop::collection::vec(1.0f64..4.0, GOLD)) {
        let mut turned = found.clone();
        turned[10..].reverse();
        prop_assert_eq!(ndcg(&turned, 10, &grades), ndcg(&found, 10, &grades));
        prop_assert_eq!(average_precision(&turned, 10, GOLD), average_precision(&found, 10, GOLD));
    }

    #[test]
    fn the_area_turns_over_with_its_sides(a in prop::collection::vec(0u8..9, 1..9), b in prop::collection::vec(0u8..9, 1..9)) {
        let (a, b): (Vec<f64>, Vec<f64>) = (a.into_iter().map(f64::from).collect(), b.into_iter().map(f64::from).collect());
        let (forth, back) = (auroc(&a, &b).unwrap(), auroc(&b, &a).unwrap());
        prop_assert!((forth + back - 1.0).abs() < 1e-9);
    }
}
