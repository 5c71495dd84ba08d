//! Chooses the evidence that is kept if not everything that was read fits a prompt: first what a part of the question
//! needs, then what helps most. Pure. It does *not* change the order in which a model sees the evidence, which is the
//! order of reading.

use crate::evidence::Stated;
use crate::question::PartNames;
use envelope::{Findings, Passage};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A passage with the mapper's reading of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reading {
    pub(crate) passage: Passage,
    pub(crate) facts: Vec<Stated>,
    /// The grade, 0 to 1, that the mapper's model gave the passage; 0 where no model graded it.
    pub(crate) grade: f32,
}

impl Reading {
    pub(crate) fn new(passage: Passage, findings: Findings) -> Reading {
        let grade = findings.grade.unwrap_or_default();
        let facts = findings.into_placed().map(Stated::from).collect();
        Reading {
            passage,
            facts,
            grade,
        }
    }
}

/// A passage that no mapper has read.
impl From<Passage> for Reading {
    fn from(passage: Passage) -> Self {
        Reading {
            passage,
            facts: Vec::new(),
            grade: 0.0,
        }
    }
}

#[cfg(test)]
impl From<(Passage, Vec<Stated>)> for Reading {
    fn from((passage, facts): (Passage, Vec<Stated>)) -> Self {
        Reading {
            facts,
            ..Reading::from(passage)
        }
    }
}

/// The facts of a source that fit, as indexes of its facts.
pub(crate) type Places = BTreeSet<usize>;

/// The indexes of `read` in the order in which they are given up last: for each part of the question the best reading
/// that names it, then the best ones of the rest. Of equal readings the first one comes first.
pub(crate) fn ranked(read: &[Reading], parts: &[String]) -> Vec<usize> {
    let by_grade = by_grade(read);
    let names = PartNames::of(parts);
    let needed = names.each().filter_map(|part| {
        let says = |at: &&usize| {
            let Reading { passage, facts, .. } = &read[**at];
            let facts = facts.iter().map(|fact| fact.text.as_str());
            let texts = [&*passage.title, &*passage.front, &*passage.text]
                .into_iter()
                .chain(facts);
            texts.into_iter().any(|text| part.is_in(text))
        };
        by_grade.iter().find(says).copied()
    });
    let mut order: Vec<usize> = needed.collect();
    order.extend(&by_grade);
    let mut seen = BTreeSet::new();
    order.retain(|at| seen.insert(*at));
    order
}

/// The facts that fit into `chars_max` characters: for each part of the question one fact that names it, then the
/// first facts of all sources, then the second ones, and so on. In each of these rounds the best sources come first,
/// so that no source is lost to the length of another. The choice ends with the first fact that does not fit.
pub(crate) fn fitting(read: &[Reading], parts: &[String], chars_max: usize) -> Vec<Places> {
    let by_grade = by_grade(read);
    let mut taken = vec![Places::new(); read.len()];
    let mut room = chars_max;
    let mut take = |(source, place): (usize, usize)| {
        if taken[source].contains(&place) {
            return true;
        }
        let chars = read[source].facts[place].text.chars().count();
        let Some(left) = room.checked_sub(chars) else {
            return false;
        };
        room = left;
        taken[source].insert(place)
    };
    for part in PartNames::of(parts).each() {
        let all = by_grade.iter().flat_map(|source| {
            let places = 0..read[*source].facts.len();
            places.map(move |place| (*source, place))
        });
        let mut naming = all.filter(|(source, place)| {
            let Reading { passage, facts, .. } = &read[*source];
            part.is_in(&passage.heading()) || part.is_in(&facts[*place].text)
        });
        // One that is too long leaves the part to what comes in its turn.
        naming.next().map(&mut take);
    }
    let most = read.iter().map(|one| one.facts.len()).max();
    let ranks = 0..most.unwrap_or(0);
    let in_turn = ranks.flat_map(|place| by_grade.iter().map(move |source| (*source, place)));
    let mut there = in_turn.filter(|(source, place)| *place < read[*source].facts.len());
    let _ = there.all(take);
    taken
}

/// The indexes of `read`, best grade first.
fn by_grade(read: &[Reading]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..read.len()).collect();
    // Grades are at least 0, and bits of such numbers are in their order. Stable: of equals the first stays first.
    places.sort_by_key(|at| Reverse(read[*at].grade.max(0.0).to_bits()));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::model::passage;

    fn reading(name: &str, grade: f32, facts: &[&str]) -> Reading {
        let facts = facts.iter().map(|fact| ((*fact).to_owned(), None));
        Reading {
            passage: passage(name, "…"),
            facts: facts.map(Stated::from).collect(),
            grade,
        }
    }

    fn parts() -> Vec<String> {
        ["What does Acme charge?", "What does Bolt charge?"]
            .map(String::from)
            .into()
    }

    fn places(taken: &[Places]) -> Vec<Vec<usize>> {
        let taken = taken.iter();
        taken
            .map(|places| places.iter().copied().collect())
            .collect()
    }

    #[test]
    fn what_a_part_needs_is_kept_however_late_it_was_read() {
        let long = "x".repeat(90);
        let read = [
            reading("a", 0.9, &["Acme charges 5.", &long]),
            reading("b", 0.9, &[&long, &long]),
            reading("c", 0.3, &[&long, "Bolt charges 7."]),
        ];
        let fits = |parts: &[String]| places(&fitting(&read, parts, 130));
        assert_eq!(fits(&[]), [vec![0], vec![0], vec![]]);
        assert_eq!(fits(&parts()), [vec![0], vec![0], vec![1]]);
        assert_eq!(ranked(&read, &[]), [0, 1, 2]);
        assert_eq!(ranked(&read, &parts()), [0, 2, 1]);
    }

    #[test]
    fn of_what_no_part_needs_the_best_is_kept() {
        let facts = ["x".repeat(60), "y".repeat(60)];
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        let read = [0.2, 0.8, 0.5].map(|grade| reading("d", grade, &facts));
        assert_eq!(
            places(&fitting(&read, &[], 130)),
            [vec![], vec![0], vec![0]]
        );
        assert_eq!(ranked(&read, &[]), [1, 2, 0]);
    }

    #[test]
    fn a_grade_that_is_no_number_is_the_last() {
        let read = [f32::NAN, 0.1].map(|grade| reading("d", grade, &["a"]));
        assert_eq!(ranked(&read, &[]), [1, 0]);
    }

    fn some() -> impl Strategy<Value = Vec<Reading>> {
        let fact = prop_oneof![
            "[a-z ]{1,300}",
            Just("Acme charges 5.".into()),
            Just("Bolt charges 7.".into())
        ];
        let facts = proptest::collection::vec(fact, 0..5);
        let one = (0u8..=10, facts).prop_map(|(grade, facts): (u8, Vec<String>)| {
            let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
            reading("d", f32::from(grade) / 10.0, &facts)
        });
        proptest::collection::vec(one, 0..12)
    }

    proptest! {
        #[test]
        fn every_part_that_was_spoken_of_still_is_and_the_best_sources_stay(
            read in some(),
            chars_max in 1_000usize..2_000,
        ) {
            let parts = parts();
            let taken = fitting(&read, &parts, chars_max);
            let mut all: Vec<&str> = Vec::new();
            for (one, places) in read.iter().zip(&taken) {
                all.extend(places.iter().map(|place| one.facts[*place].text.as_str()));
            }
            prop_assert!(all.iter().map(|text| text.chars().count()).sum::<usize>() <= chars_max);
            let mut needed = Vec::new();
            for name in ["Acme", "Bolt"] {
                let said = |texts: &[&str]| texts.iter().any(|text| text.contains(name));
                let before: Vec<&str> = read.iter().flat_map(|one| &one.facts).map(|fact| fact.text.as_str()).collect();
                prop_assert_eq!(said(&before), said(&all), "{}", name);
                needed.push(name);
            }
            // Whoever lost its first fact to the limit helps no more than who kept one, the facts of parts aside.
            let lost = (0..read.len()).filter(|at| !read[*at].facts.is_empty() && !taken[*at].contains(&0));
            let best_lost = lost.map(|at| read[at].grade).fold(0.0, f32::max);
            for at in (0..read.len()).filter(|at| taken[*at].contains(&0)) {
                let is_needed = needed.iter().any(|name| read[at].facts[0].text.contains(name));
                prop_assert!(is_needed || read[at].grade >= best_lost);
            }
        }

        #[test]
        fn what_fits_is_kept_whole(read in some()) {
            let taken = fitting(&read, &parts(), usize::MAX);
            for (one, places) in read.iter().zip(taken) {
                prop_assert_eq!(places.len(), one.facts.len());
            }
        }
    }
}
