//! Puts the parts of all fan-outs together, and tells what they lack to pass the gate.
//!
//! The gate has two criteria: the number of passages that were *judged* relevant, and whether there is any fact at
//! all. The fallback of a mapper brings facts, but its passage does not count as relevant. A passage that was judged
//! relevant without a fact counts, but brings no text for the answer. An optional third criterion is the mean search
//! score of the passages. A question of several parts needs a passage for each part, as far as the names in the parts
//! tell them apart.

use crate::gate::Gate;
use crate::pruning::Reading;
use crate::question::unanswered;
use envelope::{Fallback, FanOut, Findings, Passage};
use text::line_of;

/// The most titles that a planner is told, and the most characters of one.
const TITLES_MAX: usize = 8;
const TITLE_CHARS_MAX: usize = 80;

/// What the mappers found, without the passages that they found irrelevant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gathered {
    /// Relevant passages with their facts, in the order of reading.
    pub(crate) found: Vec<Reading>,
    /// How many passages were judged relevant.
    counting: usize,
    /// How many passages there were.
    candidates: usize,
    /// The mean score of the best search, by the scores of its passages.
    score: f32,
    /// The parts of the question, as the first plan that has any divides it.
    pub(crate) parts: Vec<String>,
    /// The titles of what was read, each once, in the order of reading.
    titles: Vec<String>,
    /// The titles and facts of the passages that count; for a passage without a fact, its text.
    told: String,
}

impl Gathered {
    /// Puts together what all rounds have read, in their order. A passage that two rounds have read counts once, at
    /// the place of its first reading. Of the two readings the one that found most in it is kept, with the text that
    /// this round was shown; where both found as much, the first one is kept.
    pub(crate) fn of(evidence: Vec<FanOut>) -> Self {
        let score = evidence.iter().map(mean_score).fold(0.0, f32::max);
        let mut plans = evidence.iter().map(|round| &round.scatter.plan.sub_queries);
        let parts = plans.find(|parts| !parts.is_empty()).cloned();
        let mut read: Vec<(Passage, Option<Findings>)> = Vec::new();
        for (passage, findings) in evidence.into_iter().flat_map(FanOut::into_read) {
            let is_it = |(known, _): &&mut (Passage, _)| known.chunk_id == passage.chunk_id;
            match read.iter_mut().find(is_it) {
                Some(known) if worth(known.1.as_ref()) < worth(findings.as_ref()) => {
                    *known = (passage, findings);
                }
                Some(_) => {}
                None => read.push((passage, findings)),
            }
        }
        let counts = |(_, f): &&(_, Option<Findings>)| f.as_ref().is_some_and(Findings::counts);
        let (candidates, counting) = (read.len(), read.iter().filter(counts).count());
        let told = read.iter().filter(counts).map(told).collect();
        let titles = titles(&read);
        let found = read
            .into_iter()
            .filter_map(|(passage, findings)| Some((passage, findings?)))
            .filter(|(_, findings)| findings.relevant)
            .map(|(passage, findings)| Reading::new(passage, findings));
        Gathered {
            found: found.collect(),
            counting,
            candidates,
            score,
            parts: parts.unwrap_or_default(),
            titles,
            told,
        }
    }

    /// What is missing, with what was read, in words for the planner.
    pub(crate) fn feedback(&self, missing: &str) -> String {
        format!("{missing}; read so far: {}", self.titles.join(", "))
    }

    /// What is missing, in words; `None` when the gate is passed.
    pub(crate) fn shortfall(&self, gate: Gate) -> Option<String> {
        let Gathered {
            counting,
            candidates,
            score,
            ..
        } = self;
        let wanted = gate.min_relevant.unwrap_or(1).min(*candidates);
        if *counting < wanted {
            let helps = if *counting == 1 { "helps" } else { "help" };
            let are = if wanted == 1 { "is" } else { "are" };
            return Some(format!(
                "{counting} of {candidates} passages {helps} with the question, {wanted} {are} wanted"
            ));
        }
        if gate.wants_facts && self.found.iter().all(|one| one.facts.is_empty()) {
            return Some(format!(
                "none of {candidates} passages states a fact that answers the question"
            ));
        }
        let uncovered = match gate.min_relevant {
            Some(_) => Vec::new(),
            None => unanswered(&self.parts, &self.told),
        };
        if !uncovered.is_empty() {
            return Some(format!("nothing was found of: {}", uncovered.join(" ")));
        }
        let least = gate.score_min;
        (*score < least)
            .then(|| format!("the passages score {score:.2} on average, {least:.2} is wanted"))
    }
}

/// The titles of passages, each once and cut short, at most [`TITLES_MAX`].
fn titles(read: &[(Passage, Option<Findings>)]) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    for (passage, _) in read {
        let title = line_of(&passage.title, TITLE_CHARS_MAX);
        if titles.len() < TITLES_MAX && !titles.contains(&title) {
            titles.push(title);
        }
    }
    titles
}

/// The text of a passage that counts, for the planner.
fn told((passage, findings): &(Passage, Option<Findings>)) -> String {
    let facts = findings.as_ref().map_or(&[][..], |found| &found.facts);
    let said = match facts.is_empty() {
        true => passage.text.clone(),
        false => facts.join("\n"),
    };
    format!("{}\n{said}\n", passage.title)
}

/// The mean score of the passages of a search; 0 where it found none.
fn mean_score(fan_out: &FanOut) -> f32 {
    let passages = &fan_out.scatter.passages;
    let sum: f32 = passages.iter().map(|passage| passage.score).sum();
    sum / passages.len().max(1) as f32
}

/// The value of a reading, for the comparison with another reading of the same passage.
fn worth(findings: Option<&Findings>) -> u8 {
    match findings {
        None => 0,
        Some(found) if !found.relevant => 1,
        Some(found) if found.facts.is_empty() => 2,
        Some(found) if found.defaulted => 3,
        Some(_) => 4,
    }
}

/// The fallbacks of the newest fan-out: one entry for the parts that were not there in time, and one for those that
/// failed. What an earlier fan-out lacks is told in its own round.
pub(crate) fn fallbacks(evidence: &[FanOut]) -> Vec<Fallback> {
    let mut fallbacks = Vec::new();
    let Some(newest) = evidence.last() else {
        return fallbacks;
    };
    let (missing, failed) = (newest.missing(), newest.failed());
    if !missing.is_empty() {
        fallbacks.push(Fallback::PartsMissing { indexes: missing });
    }
    if !failed.is_empty() {
        fallbacks.push(Fallback::PartsFailed { indexes: failed });
    }
    fallbacks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Stated;
    use envelope::{After, FilterMatch, PartResult, Plan, Scatter};
    use proptest::prelude::*;
    use testkit::model::passage;

    fn findings(relevant: bool, defaulted: bool, facts: &[&str]) -> Option<Findings> {
        let facts = facts.iter().map(|f| (*f).to_owned()).collect();
        Some(Findings {
            relevant,
            facts,
            defaulted,
            ..Findings::default()
        })
    }

    fn said(facts: &[Stated]) -> String {
        let facts = facts.iter().map(|fact| fact.text.as_str());
        facts.collect::<Vec<_>>().join(",")
    }

    fn gathered(findings: Vec<Option<Findings>>) -> Gathered {
        Gathered::of(vec![fan_out(2, findings)])
    }

    /// A fan-out over passages `d0`, `d1` and so on.
    fn fan_out(hop: u16, findings: Vec<Option<Findings>>) -> FanOut {
        let names = (0..findings.len()).map(|n| format!("d{n}"));
        let scatter = Scatter {
            plan: Plan::default(),
            passages: names.map(|name| passage(&name, "…")).collect(),
            matched: FilterMatch::Matched,
            total_hits: 9,
            after: After::Map,
        };
        let results = findings
            .into_iter()
            .map(|findings| Some(PartResult::Findings(findings?)));
        FanOut {
            hop,
            scatter,
            results: results.collect(),
        }
    }

    #[test]
    fn a_passage_that_two_rounds_have_read_counts_once() {
        let first = vec![
            findings(true, false, &["a"]),
            None,
            findings(true, false, &["c"]),
        ];
        let second = vec![
            findings(true, false, &["again"]),
            findings(true, false, &["late"]),
        ];
        let gathered = Gathered::of(vec![fan_out(2, first), fan_out(7, second)]);
        let facts: Vec<_> = gathered.found.iter().map(|one| said(&one.facts)).collect();
        assert_eq!(facts, ["a", "late", "c"]);
        assert_eq!((gathered.counting, gathered.candidates), (3, 3));
    }

    #[test]
    fn of_two_readings_the_one_with_facts_counts_with_its_own_passage() {
        let worst_first = [
            None,
            findings(false, false, &[]),
            findings(true, false, &[]),
            findings(true, true, &["its opening"]),
            findings(true, false, &["a fact"]),
        ];
        for (first, one) in worst_first.iter().enumerate() {
            for (second, other) in worst_first.iter().enumerate() {
                let mut rounds = [one, other].map(|read| fan_out(2, vec![read.clone()]));
                rounds[1].scatter.passages[0].text = "of the second round".into();
                let gathered = Gathered::of(rounds.into());
                let better = &worst_first[first.max(second)];
                let wanted = better.clone().filter(|found| found.relevant);
                let [Reading { passage, facts, .. }] = &gathered.found[..] else {
                    assert_eq!((gathered.found.len(), wanted), (0, None));
                    continue;
                };
                assert_eq!(Some(said(facts)), wanted.map(|found| found.facts.join(",")));
                assert_eq!(passage.text == "of the second round", second > first);
                assert_eq!(gathered.candidates, 1);
            }
        }
    }

    #[test]
    fn what_is_irrelevant_missing_or_failed_is_left_out() {
        let gathered = gathered(vec![
            findings(true, false, &["a"]),
            findings(false, false, &["b"]),
            None,
            findings(true, true, &["c"]),
            findings(true, false, &[]),
        ]);
        let facts: Vec<_> = gathered.found.iter().map(|one| said(&one.facts)).collect();
        assert_eq!(facts, ["a", "c", ""]);
        assert_eq!((gathered.counting, gathered.candidates), (2, 5));
    }

    /// A gate that asks for nothing but relevant passages.
    fn helped_by(min_relevant: usize) -> Gate {
        Gate {
            min_relevant: Some(min_relevant),
            score_min: 0.0,
            wants_facts: true,
        }
    }

    #[test]
    fn one_search_whose_passages_score_enough_is_enough() {
        let scored = |hop, scores: [f32; 2]| {
            let mut fan_out = fan_out(hop, vec![findings(true, false, &["a"]), None]);
            for (passage, score) in fan_out.scatter.passages.iter_mut().zip(scores) {
                passage.score = score;
            }
            fan_out
        };
        let (poor, good) = ([0.2, 0.3], [0.9, 0.3]);
        let gate = |score_min| Gate {
            score_min,
            ..helped_by(1)
        };
        let shortfall = |searches: &[[f32; 2]], score_min| {
            let evidence = searches.iter().zip([2, 7]);
            let evidence = evidence.map(|(scores, hop)| scored(hop, *scores)).collect();
            Gathered::of(evidence).shortfall(gate(score_min))
        };
        assert_eq!(
            shortfall(&[poor], 0.3).as_deref(),
            Some("the passages score 0.25 on average, 0.30 is wanted")
        );
        // As much as is wanted is enough, and nothing is wanted unless that is set.
        for (searches, least) in [
            (&[good, poor] as &[_], 0.3),
            (&[poor, good], 0.6),
            (&[poor], 0.25),
            (&[poor], 0.0),
        ] {
            assert_eq!(shortfall(searches, least), None, "{searches:?} {least}");
        }
    }

    #[test]
    fn enough_relevant_passages_with_facts_make_an_answer() {
        for (min_relevant, given, passes) in [
            (1, vec![findings(true, false, &["a"]), None], true),
            (2, vec![findings(true, false, &["a"]), None], false),
            (3, vec![findings(true, false, &["a"])], true),
            (
                1,
                vec![findings(true, true, &["a"]), findings(true, true, &["b"])],
                false,
            ),
            (
                1,
                vec![findings(true, false, &[]), findings(true, true, &["b"])],
                true,
            ),
            (1, vec![findings(true, false, &[])], false),
            (1, vec![findings(false, false, &[])], false),
            (1, vec![None, None], false),
            (0, vec![findings(true, true, &["a"])], true),
        ] {
            let shortfall = gathered(given.clone()).shortfall(helped_by(min_relevant));
            assert_eq!(
                shortfall.is_none(),
                passes,
                "{min_relevant} of {given:?}: {shortfall:?}"
            );
        }
        let none = gathered(vec![None, None]).shortfall(helped_by(3));
        assert_eq!(
            none.as_deref(),
            Some("0 of 2 passages help with the question, 2 are wanted")
        );
    }

    #[test]
    fn each_part_wants_a_passage_of_its_own_unless_a_number_is_set() {
        let parts = ["What does Acme charge?", "What does Bolt charge?"].map(String::from);
        let round = |facts: &[&str]| {
            let found = facts.iter().map(|fact| findings(true, false, &[fact]));
            let mut round = fan_out(2, found.collect());
            round.scatter.plan.sub_queries = parts.to_vec();
            round
        };
        let by_class = Gate {
            min_relevant: None,
            ..helped_by(1)
        };
        let one = || Gathered::of(vec![round(&["Acme charges 5."])]);
        assert_eq!(
            one().shortfall(by_class).as_deref(),
            Some("nothing was found of: What does Bolt charge?")
        );
        assert_eq!(
            one().shortfall(helped_by(1)),
            None,
            "one is enough when set"
        );
        // A later round, planned as one search, brings the other side.
        let mut later = fan_out(6, vec![findings(true, false, &["Bolt charges 7."])]);
        later.scatter.passages[0].chunk_id = "other.0".into();
        let both = Gathered::of(vec![round(&["Acme charges 5."]), later]);
        assert_eq!(both.shortfall(by_class), None);
        assert_eq!(both.parts, parts);
        let neither = Gathered::of(vec![round(&["The price is 5."])]);
        assert!(
            neither
                .shortfall(by_class)
                .is_some_and(|why| why.contains("Acme"))
        );
    }

    #[test]
    fn passages_are_enough_where_they_are_composed_from() {
        let gathered = gathered(vec![
            findings(true, false, &[]),
            findings(false, false, &[]),
        ]);
        let gate = |wants_facts| Gate {
            wants_facts,
            ..helped_by(1)
        };
        assert!(gathered.shortfall(gate(true)).is_some());
        assert_eq!(gathered.shortfall(gate(false)), None);
        assert_eq!(gathered.found.len(), 1);
        assert_eq!(gathered.found[0].passage.doc_id.as_str(), "d0");
    }

    #[test]
    fn missing_and_failed_parts_are_told() {
        assert_eq!(fallbacks(&[]), []);
        let read = || findings(true, false, &["a"]);
        assert_eq!(
            fallbacks(&[fan_out(2, vec![None]), fan_out(7, vec![read()])]),
            []
        );
        let mut lacking = fan_out(2, vec![read(), None, None, None]);
        lacking.results[2] = Some(PartResult::Error("bug".into()));
        assert_eq!(
            fallbacks(&[lacking]),
            [
                Fallback::PartsMissing {
                    indexes: vec![1, 3]
                },
                Fallback::PartsFailed { indexes: vec![2] }
            ]
        );
    }

    proptest! {
        #[test]
        fn a_passed_gate_has_facts(
            given in proptest::collection::vec(
                proptest::option::of((any::<bool>(), any::<bool>(), 0usize..3)), 0..8),
            min_relevant in 0usize..6,
        ) {
            let given: Vec<_> = given
                .into_iter()
                .map(|f| f.and_then(|(r, d, n)| findings(r, d, &["x"; 3][..n])))
                .collect();
            let gathered = gathered(given);
            if gathered.shortfall(helped_by(min_relevant)).is_none() {
                prop_assert!(gathered.counting >= min_relevant.min(gathered.candidates));
                prop_assert!(gathered.found.iter().any(|one| !one.facts.is_empty()));
            }
        }
    }
}
