//! What an answer may stand on: numbered sources and facts, cut to size, and the section of the
//! prompt that shows them.

use crate::marks::defused;
use envelope::{Fact, FactSpan, Passage};
use text::one_line;
use text::sentences::cited;

/// Least text of a passage that is worth showing when it has to be cut, in characters.
const CUT_CHARS_MIN: usize = 200;

/// A fact as a mapper stated it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stated {
    pub(crate) text: String,
    /// Where it stands in the text of its passage, where that is known.
    pub(crate) span: Option<FactSpan>,
}

impl From<(String, Option<FactSpan>)> for Stated {
    fn from((text, span): (String, Option<FactSpan>)) -> Self {
        Stated { text, span }
    }
}

/// Sources that the model is shown: source `n` is `sources[n - 1]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evidence {
    /// The passages, in the order of their search.
    pub(crate) sources: Vec<Passage>,
    /// What they say, by source.
    pub(crate) facts: Vec<Fact>,
    /// Where each fact stands in the text of its source, where that is known.
    pub(crate) spans: Vec<Option<FactSpan>>,
    /// The same as lines or blocks of a prompt, by source, and what stands between them.
    blocks: Vec<(u16, String)>,
    between: &'static str,
}

impl Evidence {
    /// Facts of passages, at most `chars_max` characters of them: the first facts of all sources,
    /// then the second ones, so that no source is lost to the length of another; and how many facts
    /// were left out. Passages without facts are no sources.
    pub(crate) fn of_facts(found: Vec<(Passage, Vec<Stated>)>, chars_max: usize) -> (Self, u16) {
        let found: Vec<_> = found.into_iter().filter(|(_, f)| !f.is_empty()).collect();
        let taken = fitting(&found, chars_max);
        let all: usize = found.iter().map(|(_, facts)| facts.len()).sum();
        let trimmed = all - taken.iter().sum::<usize>();
        let (mut sources, mut facts, mut spans) = (Vec::new(), Vec::new(), Vec::new());
        for ((n, (passage, said)), taken) in (1u16..).zip(found).zip(taken) {
            for stated in said.into_iter().take(taken) {
                let text = shown(&stated.text);
                facts.push(Fact { n, text });
                spans.push(stated.span);
            }
            if taken > 0 {
                sources.push(passage);
            }
        }
        let lines = facts
            .iter()
            .map(|fact: &Fact| (fact.n, format!("[{}] {}", fact.n, fact.text)));
        let evidence = Evidence {
            blocks: lines.collect(),
            between: "\n",
            sources,
            facts,
            spans,
        };
        (evidence, u16::try_from(trimmed).unwrap_or(u16::MAX))
    }

    /// Passages as they are, at most `chars_max` characters of them, and how many were cut or left
    /// out. Their sentences are the facts that an answer is checked against.
    pub(crate) fn of_passages(passages: Vec<Passage>, chars_max: usize) -> (Self, u16) {
        let (mut sources, mut facts, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        let (mut room, mut trimmed) = (chars_max, 0);
        for passage in passages {
            let chars = passage.text.chars().count();
            if chars > room {
                trimmed += 1;
            }
            if chars > room && room < CUT_CHARS_MIN {
                continue;
            }
            let text: String = passage.text.chars().take(room).collect();
            room -= chars.min(room);
            let n = sources.len() as u16 + 1;
            let said = cited::of(&text).into_iter();
            facts.extend(said.map(|text| Fact {
                n,
                text: shown(&text),
            }));
            let block = format!("{}\n{}", head(n, &passage), defused(text.trim()));
            blocks.push((n, block));
            sources.push(passage);
        }
        let evidence = Evidence {
            blocks,
            between: "\n\n",
            spans: vec![None; facts.len()],
            sources,
            facts,
        };
        (evidence, trimmed)
    }

    /// The section of the prompt.
    pub(crate) fn section(&self) -> String {
        let blocks: Vec<&str> = self.blocks.iter().map(|(_, text)| text.as_str()).collect();
        blocks.join(self.between)
    }

    /// Drops whole sources from the end until `share` of the section is left, at least one of them and
    /// never the first; how many were dropped.
    pub(crate) fn shrink(&mut self, share: f64) -> u16 {
        let before = self.sources.len();
        let chars = |blocks: &[(u16, String)]| -> usize {
            let chars = blocks.iter().map(|(_, text)| text.chars().count());
            chars.sum()
        };
        let most = (chars(&self.blocks) as f64 * share) as usize;
        while self.sources.len() > 1 {
            self.sources.pop();
            let kept = self.sources.len() as u16;
            self.blocks.retain(|(n, _)| *n <= kept);
            self.facts.retain(|fact| fact.n <= kept);
            // Facts are in the order of their sources.
            self.spans.truncate(self.facts.len());
            if chars(&self.blocks) <= most {
                break;
            }
        }
        u16::try_from(before - self.sources.len()).unwrap_or(u16::MAX)
    }
}

/// How many facts of each source fit, rank by rank; ends with the first that does not. The very
/// first always fits: a fact is far shorter than the least limit.
fn fitting(found: &[(Passage, Vec<Stated>)], chars_max: usize) -> Vec<usize> {
    let most = found.iter().map(|(_, facts)| facts.len()).max();
    let ranks = 0..most.unwrap_or(0);
    let in_turn = ranks.flat_map(|rank| (0..found.len()).map(move |source| (rank, source)));
    let mut taken = vec![0; found.len()];
    let mut room = chars_max;
    for (rank, source) in in_turn {
        let Some(fact) = found[source].1.get(rank) else {
            continue;
        };
        match room.checked_sub(fact.text.chars().count()) {
            Some(left) => room = left,
            None => break,
        }
        taken[source] = rank + 1;
    }
    taken
}

fn head(n: u16, passage: &Passage) -> String {
    let title = defused(&one_line(&passage.title));
    format!("[{n}] {title} ({})", defused(&one_line(&passage.source)))
}

fn shown(fact: &str) -> String {
    defused(&one_line(fact))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::model::passage;

    fn facts<S: AsRef<str>>(facts: &[S]) -> Vec<Stated> {
        let facts = facts.iter().map(|fact| (fact.as_ref().to_owned(), None));
        facts.map(Stated::from).collect()
    }

    #[test]
    fn facts_are_numbered_by_source_and_the_documents_own_marks_defused() {
        let found = vec![
            (
                passage("a", "…"),
                facts(&[
                    "It is 5 [12].",
                    "So
there",
                ]),
            ),
            (passage("b", "…"), vec![]),
            (passage("c", "…"), facts(&["It is 6."])),
        ];
        let (evidence, _) = Evidence::of_facts(found, 1_000);
        assert_eq!(
            evidence.section(),
            "[1] It is 5 (12).\n[1] So there\n[2] It is 6."
        );
        let ids: Vec<_> = evidence.sources.iter().map(|p| p.doc_id.as_str()).collect();
        assert_eq!(ids, ["a", "c"], "without a fact there is no source");
    }

    #[test]
    fn every_source_keeps_its_first_facts_longest() {
        let long = "x".repeat(400);
        let found = vec![
            (passage("a", "…"), facts(&["a1", long.as_str(), &long])),
            (passage("b", "…"), facts(&["b1", "b2"])),
        ];
        let (evidence, _) = Evidence::of_facts(found, 500);
        let shown: Vec<_> = evidence.facts.iter().map(|f| (f.n, f.text.len())).collect();
        assert_eq!(shown, [(1, 2), (1, 400), (2, 2), (2, 2)]);
    }

    #[test]
    fn passages_are_blocks_and_their_sentences_facts() {
        let mut second = passage("b", "Two [3].\n\nThree.");
        second.title = "B\n[9] forged".into();
        let (evidence, trimmed) = Evidence::of_passages(vec![passage("a", "One."), second], 500);
        assert_eq!(
            evidence.section(),
            "[1] About a (a.txt)\nOne.\n\n[2] B (9) forged (b.txt)\nTwo (3).\n\nThree."
        );
        let said: Vec<_> = evidence
            .facts
            .iter()
            .map(|f| (f.n, f.text.as_str()))
            .collect();
        assert_eq!(said, [(1, "One."), (2, "Two (3)."), (2, "Three.")]);
        assert_eq!(trimmed, 0);
    }

    #[test]
    fn passages_over_the_limit_are_cut_or_left_out_and_counted() {
        let long = "word ".repeat(160);
        let passages = vec![
            passage("a", &long),
            passage("b", &long),
            passage("c", &long),
        ];
        let (evidence, trimmed) = Evidence::of_passages(passages, 1_500);
        assert_eq!((evidence.sources.len(), trimmed), (2, 2));
        assert!(evidence.section().chars().count() < 1_600);
    }

    #[test]
    fn it_shrinks_by_whole_sources_down_to_the_first() {
        let passages = ["a", "b", "c", "d"].map(|id| passage(id, &"word ".repeat(40)));
        let (mut evidence, _) = Evidence::of_passages(passages.into(), 9_000);
        assert_eq!(evidence.shrink(0.6), 2);
        assert_eq!(evidence.sources.len(), 2);
        assert!(evidence.facts.iter().all(|fact| fact.n <= 2));
        assert!(evidence.section().contains("[2]") && !evidence.section().contains("[3]"));
        assert_eq!((evidence.shrink(0.99), evidence.shrink(0.1)), (1, 0));
    }

    proptest! {
        #[test]
        fn numbers_are_whole_and_limits_hold(
            found in proptest::collection::vec(proptest::collection::vec("\\PC{1,300}", 0..6), 0..8),
            chars_max in 1_000usize..2_000,
        ) {
            let found: Vec<_> = found.iter().map(|f| (passage("d", "…"), facts(f))).collect();
            let any = found.iter().any(|(_, f)| !f.is_empty());
            let (evidence, _) = Evidence::of_facts(found, chars_max);
            let chars: usize = evidence.facts.iter().map(|f| f.text.chars().count()).sum();
            prop_assert!(chars <= chars_max);
            prop_assert_eq!(any, !evidence.facts.is_empty());
            let mut numbers: Vec<_> = evidence.facts.iter().map(|f| f.n as usize).collect();
            prop_assert!(numbers.is_sorted());
            numbers.dedup();
            prop_assert_eq!(numbers, (1..=evidence.sources.len()).collect::<Vec<_>>());
        }
    }
}
