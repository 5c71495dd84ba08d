//! Tests that the splits share nothing that could be tuned to: no name, no word of a form, no path, no pattern of a
//! question, no seed. The splits extra and test are not compared, because the result would tell the author of extra
//! something about test. The third, fourth, fifth, sixth and seventh splits share nothing with any split.

use crate::field::{Field, Shelf};
use crate::half::Half;
use crate::path;
use crate::schema::schema;
use crate::words::Called;
use std::collections::BTreeSet;

/// The sides that share nothing.
const PAIRS: [(Half, Half); 27] = [
    (Half::Dev, Half::Test),
    (Half::Dev, Half::Extra),
    (Half::Dev, Half::Third),
    (Half::Dev, Half::Fourth),
    (Half::Third, Half::Test),
    (Half::Third, Half::Extra),
    (Half::Third, Half::Fourth),
    (Half::Fourth, Half::Test),
    (Half::Fourth, Half::Extra),
    (Half::Dev, Half::Fifth),
    (Half::Third, Half::Fifth),
    (Half::Fourth, Half::Fifth),
    (Half::Fifth, Half::Test),
    (Half::Fifth, Half::Extra),
    (Half::Dev, Half::Sixth),
    (Half::Third, Half::Sixth),
    (Half::Fourth, Half::Sixth),
    (Half::Fifth, Half::Sixth),
    (Half::Sixth, Half::Test),
    (Half::Sixth, Half::Extra),
    (Half::Dev, Half::Seventh),
    (Half::Third, Half::Seventh),
    (Half::Fourth, Half::Seventh),
    (Half::Fifth, Half::Seventh),
    (Half::Sixth, Half::Seventh),
    (Half::Seventh, Half::Test),
    (Half::Seventh, Half::Extra),
];

fn every_side() -> impl Iterator<Item = Half> {
    Half::ALL.into_iter().chain(Half::FURTHER)
}

/// The texts of the one side that are also in the other. Case and placeholders do not make a difference.
fn shared<'a>(of: impl Fn(Half) -> Vec<&'a str>) -> Vec<String> {
    let folded = |half: Half| {
        let all = of(half).into_iter().map(|text| text.trim().to_lowercase());
        // What is a value and nothing else, or nothing at all, is no pattern.
        let all =
            all.filter(|text| !matches!(text.as_str(), "" | "{}" | "{n}" | "{plain}" | "{k}"));
        all.collect::<BTreeSet<String>>()
    };
    let mut both = Vec::new();
    for (one, other) in PAIRS {
        let (one, other) = (folded(one), folded(other));
        assert!(!one.is_empty() && !other.is_empty());
        both.extend(one.intersection(&other).cloned());
    }
    both
}

fn called<'a>(half: Half, of: impl Fn(&'static Called) -> &'a str) -> Vec<&'a str> {
    let shelves = half.words().shelves.iter();
    shelves.flat_map(|shelf| shelf.fields).map(of).collect()
}

#[test]
fn no_root_of_a_name_is_in_both() {
    let roots = |half: Half| {
        let fixed = half.words().fixed().into_iter().map(|one| one.name);
        let first = |name: &'static str| name.split(' ').next().unwrap_or_default();
        half.words()
            .roots
            .iter()
            .copied()
            .chain(fixed.map(first))
            .collect()
    };
    assert_eq!(shared(roots), [""; 0]);
    // Nor does one begin another.
    for (one, other) in PAIRS {
        let of_other = roots(other);
        for root in roots(one) {
            let begins = |other: &&&str| {
                let long = root.len().min(other.len()) > 3;
                long && (root.starts_with(**other) || other.starts_with(root))
            };
            assert_eq!(of_other.iter().find(begins), None, "{root}");
        }
    }
}

#[test]
fn no_suffix_and_no_second_word_of_a_name_is_in_both() {
    assert_eq!(shared(|half| half.words().suffixes.to_vec()), [""; 0]);
    let seconds = |half: Half| {
        let fixed = half
            .words()
            .fixed()
            .into_iter()
            .flat_map(|one| one.name.split(' ').skip(1));
        half.words().trades.iter().copied().chain(fixed).collect()
    };
    assert_eq!(shared(seconds), [""; 0]);
}

#[test]
fn no_value_is_in_both() {
    assert_eq!(shared(|half| half.words().cost_bearers.to_vec()), [""; 0]);
    assert_eq!(shared(|half| half.words().subjects.to_vec()), [""; 0]);
    assert_eq!(shared(|half| half.words().part_types.to_vec()), [""; 0]);
    assert_eq!(shared(|half| half.words().packages.to_vec()), [""; 0]);
    assert_eq!(shared(|half| half.words().standards.to_vec()), [""; 0]);
    assert_eq!(shared(|half| half.words().bodies.to_vec()), [""; 0]);
    assert_eq!(shared(|half| half.words().sites.to_vec()), [""; 0]);
    assert_eq!(shared(|half| half.words().articles.to_vec()), [""; 0]);
    assert_eq!(
        shared(|half| half.words().invoice_natures.to_vec()),
        [""; 0]
    );
    assert_eq!(
        shared(|half| half.words().contract_natures.to_vec()),
        [""; 0]
    );
    assert_eq!(shared(|half| half.words().report_natures.to_vec()), [""; 0]);
}

#[test]
fn no_word_of_a_form_is_in_both() {
    assert_eq!(shared(|half| called(half, |one| one.column)), [""; 0]);
    assert_eq!(shared(|half| called(half, |one| one.alias)), [""; 0]);
    assert_eq!(shared(|half| called(half, |one| one.label)), [""; 0]);
    assert_eq!(shared(|half| called(half, |one| one.sentence)), [""; 0]);
    assert_eq!(shared(|half| called(half, |one| one.description)), [""; 0]);
    let prose = |half: Half| {
        let shelves = half.words().shelves.iter();
        let said = shelves.flat_map(|shelf| {
            shelf
                .filler
                .iter()
                .copied()
                .chain([shelf.aside, shelf.neutral_title])
        });
        said.chain([half.words().fiscal_sentence, half.words().fiscal_key])
            .collect()
    };
    assert_eq!(shared(prose), [""; 0]);
}

#[test]
fn no_path_pattern_is_in_both() {
    assert_eq!(
        shared(|half| half
            .words()
            .shelves
            .iter()
            .map(|shelf| shelf.folder)
            .collect()),
        [""; 0]
    );
    assert_eq!(shared(|half| called(half, |one| one.token.0)), [""; 0]);
    let joints = |half: Half| {
        let shelves = half.words().shelves.iter();
        shelves
            .map(|shelf| path::joint(half, shelf))
            .map(|joint| if joint == " " { "blank" } else { joint })
            .collect()
    };
    assert_eq!(shared(joints), [""; 0]);
    let patterns = |half: Half| {
        let all = Shelf::ALL
            .into_iter()
            .flat_map(|shelf| shelf.fields().iter().map(move |field| (shelf, *field)));
        all.map(|(shelf, field): (Shelf, Field)| path::pattern(half, shelf, field))
            .collect::<BTreeSet<String>>()
    };
    for (one, other) in PAIRS {
        assert_eq!(patterns(one).intersection(&patterns(other)).count(), 0);
    }
}

#[test]
fn no_pattern_of_a_question_is_in_both() {
    assert_eq!(shared(|half| half.wording().all()), [""; 0]);
}

#[test]
fn forty_different_questions_must_not_become_a_condition() {
    for half in every_side() {
        let all: BTreeSet<&str> = half.wording().none.iter().copied().collect();
        assert_eq!(all.len(), 40);
    }
}

#[test]
fn seeds_and_buckets_with_a_schema_differ() {
    let seeds: BTreeSet<u64> = every_side().map(Half::seed).collect();
    assert_eq!(seeds.len(), every_side().count());
    let bare = |half: Half| {
        let shelves = half
            .words()
            .shelves
            .iter()
            .filter(|shelf| !shelf.has_schema);
        shelves.map(|shelf| shelf.shelf).collect::<Vec<_>>()
    };
    assert_ne!(bare(Half::Dev), bare(Half::Test));
    for half in Half::FURTHER {
        assert_ne!(bare(Half::Dev), bare(half));
    }
    for half in every_side() {
        for shelf in half.words().shelves.iter() {
            let named = format!("[{}.", shelf.folder);
            assert_eq!(schema(half, false).contains(&named), shelf.has_schema);
            assert_eq!(shelf.fields.len(), shelf.shelf.fields().len());
        }
    }
}

#[test]
fn every_column_of_every_side_has_synonyms_if_they_are_wanted() {
    for half in every_side() {
        let plain = schema(half, false);
        assert!(!plain.contains("synonyms"), "{half:?}");
        let named = schema(half, true);
        let columns = named.matches("\ntype = ").count();
        let buckets = half.words().shelves.iter();
        let buckets = buckets.filter(|shelf| shelf.has_schema).count();
        let given = named.matches("\nsynonyms = [\"").count();
        assert_eq!(given, columns + buckets, "{half:?}");
    }
}
