//! Tests that each kind of question has an answer of the right shape, that each family of near-misses occurs, and
//! that the corpus has the counts that the plan asks for.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use argosy_conditions::field::Shelf;
use argosy_conditions::record::Matter;
use argosy_conditions::{Corpus, CorpusPlan, GoldCondition, Half, NearMiss, QuestionKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

fn corpora() -> &'static [Corpus] {
    static CORPORA: OnceLock<Vec<Corpus>> = OnceLock::new();
    let plans = [
        (Half::Dev, 500),
        (Half::Dev, 5_000),
        (Half::Test, 500),
        (Half::Test, 5_000),
        (Half::Third, 500),
        (Half::Fourth, 500),
        (Half::Fifth, 500),
        (Half::Sixth, 500),
        (Half::Seventh, 500),
    ];
    let generate = |(half, documents)| Corpus::generate(CorpusPlan::new(half, documents)).unwrap();
    CORPORA.get_or_init(|| plans.map(generate).into())
}

#[test]
fn every_kind_has_its_shape() {
    for corpus in corpora() {
        let mut kinds: BTreeMap<QuestionKind, usize> = BTreeMap::new();
        let mut families: BTreeMap<NearMiss, usize> = BTreeMap::new();
        let mut asked = BTreeSet::new();
        for question in &corpus.questions {
            let said = format!("{} {}", question.id, question.question);
            *kinds.entry(question.kind).or_default() += 1;
            if let Some(family) = question.family {
                *families.entry(family).or_default() += 1;
                assert!(
                    corpus.plan.half != Half::Dev || !family.is_test_only(),
                    "{said}"
                );
            }
            assert!(asked.insert(question.question.clone()), "{said}");
            assert!(!question.question.contains(['{', '}']), "{said}");
            assert!(question.template.starts_with(corpus.plan.half.as_str()));
            let has_conditions = !question.conditions.is_empty() || !question.parts.is_empty();
            let is_none = question.kind == QuestionKind::None;
            assert_eq!(has_conditions, !is_none, "{said}");
            assert_eq!(question.documents.is_empty(), is_none, "{said}");
            assert_eq!(question.bucket.is_none(), is_none, "{said}");
            let rows = question.table.as_ref().map(|table| table.rows.len());
            match question.kind {
                QuestionKind::None => {
                    assert!(question.left_out.is_empty() && rows.is_none(), "{said}")
                }
                QuestionKind::Lookup => assert_eq!(question.documents.len(), 1, "{said}"),
                QuestionKind::Extreme => {
                    assert!(question.documents.len() == 1 && rows == Some(1), "{said}");
                }
                QuestionKind::Count => assert_eq!(rows, Some(1), "{said}"),
                QuestionKind::Sum | QuestionKind::Average => {
                    assert!(matches!(rows, Some(1..=3)), "{said}")
                }
                QuestionKind::Group => assert!(rows.is_some_and(|rows| rows >= 2), "{said}"),
                QuestionKind::Compare => assert_eq!(question.parts.len(), 2, "{said}"),
                QuestionKind::Except => {
                    let negated = |condition: &GoldCondition| {
                        ["ne", "not_in"].contains(&condition.op.as_str())
                    };
                    assert!(question.conditions.iter().any(negated), "{said}");
                }
                QuestionKind::Threshold | QuestionKind::Time | QuestionKind::List => {
                    assert_eq!(rows, None, "{said}")
                }
            }
            // The words that say a condition stand in the question.
            for condition in question
                .conditions
                .iter()
                .chain(question.parts.iter().flatten())
            {
                let raw = condition
                    .raw
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ");
                assert!(question.question.contains(&raw), "{said}: {raw}");
            }
        }
        assert_eq!(kinds.values().sum::<usize>(), 400);
        for kind in QuestionKind::ALL {
            assert_eq!(kinds[&kind], kind.quota());
        }
        for family in NearMiss::ALL {
            let count = families.get(&family).copied().unwrap_or_default();
            let wanted = if corpus.plan.half == Half::Dev && family.is_test_only() {
                0
            } else {
                6
            };
            assert!(
                count >= wanted && (wanted > 0) == (count > 0),
                "{:?} {family:?}: {count}",
                corpus.plan
            );
        }
    }
}

#[test]
fn proportions_are_those_that_were_wanted() {
    for corpus in corpora() {
        let summary = corpus.summary();
        let whole = summary.documents;
        for (shelf, wanted) in Shelf::ALL.into_iter().zip([1_600, 700, 900, 500, 1_300]) {
            let count = summary.buckets[corpus.bucket(shelf)];
            assert!(
                count.abs_diff(wanted * whole / 5_000) <= 4,
                "{shelf:?} {count}"
            );
        }
        let values: usize = summary.values.values().sum();
        for (stand, wanted) in [
            ("front", 400),
            ("text", 250),
            ("path", 250),
            ("nowhere", 100),
        ] {
            let share = summary.values[stand] * 1_000 / values;
            let off = if whole == 5_000 { 10 } else { 30 };
            assert!(
                share.abs_diff(wanted) <= off,
                "{stand}: {share} of 1,000 {summary:?}"
            );
        }
        let natures = corpus
            .records
            .iter()
            .filter_map(|record| match &record.matter {
                Matter::Invoice(one) => Some(one.nature),
                _ => None,
            });
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        natures.for_each(|nature| *counts.entry(nature).or_default() += 1);
        let mut counts: Vec<usize> = counts.into_values().collect();
        counts.sort_unstable();
        let share = |n: usize| n * 100 / counts.iter().sum::<usize>();
        assert!(
            (3..=11).contains(&share(counts[0])) && (7..=16).contains(&share(counts[1])),
            "{counts:?}"
        );
    }
}
