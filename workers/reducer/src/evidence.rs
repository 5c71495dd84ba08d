//! The evidence for an answer: numbered sources and facts, cut to a size limit, and the section of the prompt that
//! shows them.

use crate::marks::defused;
use crate::pruning::{Reading, fitting, ranked};
use envelope::{Fact, FactSpan, Passage};
use std::borrow::Cow;
use text::one_line;
use text::sentences::cited;

/// The least text of a passage, in characters, that is worth showing when the passage has to be cut.
const CUT_CHARS_MIN: usize = 200;

/// A fact as a mapper stated it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stated {
    pub(crate) text: String,
    /// Where the fact stands in the text of its passage, where that is known.
    pub(crate) span: Option<FactSpan>,
}

impl From<(String, Option<FactSpan>)> for Stated {
    fn from((text, span): (String, Option<FactSpan>)) -> Self {
        Stated { text, span }
    }
}

/// The sources that the model is shown: source `n` is `sources[n - 1]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Evidence {
    /// The passages, in the order of their search.
    pub(crate) sources: Vec<Passage>,
    /// The facts that mappers stated of the sources, with the number of the source; none where the model is shown the
    /// passages themselves.
    stated: Vec<Fact>,
    /// Where each fact stands in the text of its source, where that is known.
    spans: Vec<Option<FactSpan>>,
    /// How many bytes of the text of each source the model is shown; empty where it is shown facts.
    shown: Vec<usize>,
    /// The text that separates the lines or blocks of the prompt.
    between: &'static str,
    /// The rank of each source: the one with the lowest rank is given up last.
    worth: Vec<usize>,
}

impl Evidence {
    /// Evidence made of facts, at most `chars_max` characters of them, and the number of facts that were left out.
    /// Facts that a part of the question needs are taken first. A passage without facts is no source.
    pub(crate) fn of_facts(
        mut read: Vec<Reading>,
        parts: &[String],
        chars_max: usize,
    ) -> (Self, u16) {
        read.retain(|one| !one.facts.is_empty());
        let taken = fitting(&read, parts, chars_max);
        let all: usize = read.iter().map(|one| one.facts.len()).sum();
        let trimmed = all - taken.iter().map(|places| places.len()).sum::<usize>();
        let worth = places(&ranked(&read, parts));
        let mut kept = Evidence::empty("\n");
        for ((reading, places), worth) in read.into_iter().zip(taken).zip(worth) {
            if places.is_empty() {
                continue;
            }
            let n = kept.source(reading.passage, worth);
            let facts = reading.facts.into_iter().enumerate();
            for (_, stated) in facts.filter(|(place, _)| places.contains(place)) {
                let text = shown(&stated.text);
                kept.stated.push(Fact { n, text });
                kept.spans.push(stated.span);
            }
        }
        (kept, u16::try_from(trimmed).unwrap_or(u16::MAX))
    }

    /// Evidence made of the passages themselves, at most `chars_max` characters of them, and the number of passages
    /// that were cut or left out. Passages that a part of the question needs are taken first. Their sentences are the
    /// facts, which are read where one asks for them: of most sources nobody does.
    pub(crate) fn of_passages(
        read: Vec<Reading>,
        parts: &[String],
        chars_max: usize,
    ) -> (Self, u16) {
        let order = ranked(&read, parts);
        let (mut room, mut trimmed) = (chars_max, 0);
        let mut shown: Vec<Option<usize>> = vec![None; read.len()];
        for at in &order {
            let text = &read[*at].passage.text;
            let chars = text.chars().count();
            if chars > room {
                trimmed += 1;
            }
            if chars > room && room < CUT_CHARS_MIN {
                continue;
            }
            let end = text.char_indices().nth(room);
            shown[*at] = Some(end.map_or(text.len(), |(end, _)| end));
            room -= chars.min(room);
        }
        let mut kept = Evidence::empty("\n\n");
        for ((reading, shown), worth) in read.into_iter().zip(shown).zip(places(&order)) {
            let Some(shown) = shown else { continue };
            kept.source(reading.passage, worth);
            kept.shown.push(shown);
        }
        (kept, trimmed)
    }

    /// What the model is shown as lines or blocks of the prompt, by source: facts, or passages with their heads. What the
    /// beginning of a document says stands there once: where no earlier block of the same document has it.
    fn blocks(&self) -> Vec<(u16, String)> {
        if !self.is_of_passages() {
            let facts = self.stated.iter();
            return facts.map(|fact| (fact.n, fact.text.clone())).collect();
        }
        let texts = self.sources.iter().zip(&self.shown);
        let texts: Vec<_> = texts
            .map(|(one, shown)| (one, &one.text[..*shown]))
            .collect();
        let blocks = texts.iter().enumerate().map(|(at, (passage, text))| {
            let is_told = texts[..at].iter().any(|(one, text)| {
                let has_it =
                    || one.front == passage.front || one_line(text).contains(&passage.front);
                one.doc_id == passage.doc_id && has_it()
            });
            let front = if is_told { "" } else { &passage.front };
            let block = format!("{}\n{}", head(passage, front), defused(text.trim()));
            (u16::try_from(at + 1).unwrap_or(u16::MAX), block)
        });
        blocks.collect()
    }

    fn empty(between: &'static str) -> Evidence {
        Evidence {
            between,
            ..Evidence::default()
        }
    }

    /// Adds a source and returns its number.
    fn source(&mut self, passage: Passage, worth: usize) -> u16 {
        self.sources.push(passage);
        self.worth.push(worth);
        u16::try_from(self.sources.len()).unwrap_or(u16::MAX)
    }

    /// Whether the model is shown the passages themselves.
    pub(crate) fn is_of_passages(&self) -> bool {
        !self.shown.is_empty()
    }

    /// Whether there is nothing to answer from.
    pub(crate) fn is_empty(&self) -> bool {
        let mut shown = self.sources.iter().zip(&self.shown);
        self.stated.is_empty()
            && shown.all(|(source, shown)| source.text[..*shown].trim().is_empty())
    }

    /// The facts that the sources say, with the number of the source.
    pub(crate) fn facts(&self) -> Cow<'_, [Fact]> {
        if !self.is_of_passages() {
            return Cow::from(&self.stated);
        }
        let all = (1..).zip(&self.sources).flat_map(|(n, _)| {
            let said = self.said_by(n).into_iter();
            said.map(move |(text, _)| {
                let text = text.into_owned();
                Fact { n, text }
            })
        });
        Cow::from(all.collect::<Vec<_>>())
    }

    /// The facts that a source says, with their places in its text where these are known.
    pub(crate) fn said_by(&self, n: u16) -> Vec<(Cow<'_, str>, Option<&FactSpan>)> {
        let at = usize::from(n) - 1;
        if let Some(shown) = self.shown.get(at) {
            let said = cited::of(&self.sources[at].text[..*shown]).into_iter();
            return said.map(|text| (Cow::from(defused(&text)), None)).collect();
        }
        let stated = self.stated.iter().zip(&self.spans);
        let stated = stated.filter(|(fact, _)| fact.n == n);
        stated
            .map(|(fact, span)| (Cow::from(&fact.text), span.as_ref()))
            .collect()
    }

    /// The section of the prompt.
    pub(crate) fn section(&self) -> String {
        let blocks = self.blocks().into_iter();
        let blocks = blocks.map(|(n, text)| format!("[{n}] {text}"));
        blocks.collect::<Vec<_>>().join(self.between)
    }

    /// The first source, as text without its number.
    pub(crate) fn first(&self) -> String {
        let blocks = self.blocks().into_iter().filter(|(n, _)| *n == 1);
        let blocks = blocks.map(|(_, text)| text).collect::<Vec<_>>();
        blocks.join(self.between)
    }

    /// Gives up whole sources, the least valuable first, until `share` of the section is left, and returns how many
    /// it gave up. It gives up at least one source, and never the last one.
    pub(crate) fn shrink(&mut self, share: f64) -> u16 {
        let before = self.sources.len();
        let chars = |evidence: &Evidence| -> usize {
            let blocks = evidence.blocks().into_iter();
            blocks.map(|(_, text)| text.chars().count()).sum()
        };
        let most = (chars(self) as f64 * share) as usize;
        while self.sources.len() > 1 {
            let Some(least) = (0..self.worth.len()).max_by_key(|at| self.worth[*at]) else {
                break;
            };
            self.remove(least);
            if chars(self) <= most {
                break;
            }
        }
        u16::try_from(before - self.sources.len()).unwrap_or(u16::MAX)
    }

    /// Removes the source at `at`; the sources behind it move up by one number.
    fn remove(&mut self, at: usize) {
        self.sources.remove(at);
        self.worth.remove(at);
        if self.is_of_passages() {
            self.shown.remove(at);
        }
        let gone = u16::try_from(at + 1).unwrap_or(u16::MAX);
        let moved = |n: u16| if n > gone { n - 1 } else { n };
        let mut facts = self.stated.iter();
        self.spans
            .retain(|_| facts.next().is_some_and(|fact| fact.n != gone));
        self.stated.retain(|fact| fact.n != gone);
        self.stated
            .iter_mut()
            .for_each(|fact| fact.n = moved(fact.n));
    }
}

/// The position of each item in an order of all items.
fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (place, at) in order.iter().enumerate() {
        places[*at] = place;
    }
    places
}

fn head(passage: &Passage, front: &str) -> String {
    let [title, source, front] =
        [&passage.title, &passage.source, front].map(|text| defused(&one_line(text)));
    match &*front {
        "" => format!("{title} ({source})"),
        front => format!("{title} ({source}) … {front}"),
    }
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

    fn of_facts(found: Vec<(Passage, Vec<Stated>)>, chars_max: usize) -> (Evidence, u16) {
        let read = found.into_iter().map(Reading::from);
        Evidence::of_facts(read.collect(), &[], chars_max)
    }

    fn of_passages(passages: Vec<Passage>, chars_max: usize) -> (Evidence, u16) {
        let read = passages.into_iter().map(Reading::from);
        Evidence::of_passages(read.collect(), &[], chars_max)
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
        let (evidence, _) = of_facts(found, 1_000);
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
        let (evidence, _) = of_facts(found, 500);
        let shown: Vec<_> = evidence
            .facts()
            .iter()
            .map(|f| (f.n, f.text.len()))
            .collect();
        assert_eq!(shown, [(1, 2), (1, 400), (2, 2), (2, 2)]);
    }

    #[test]
    fn passages_are_blocks_and_their_sentences_facts() {
        let mut second = passage("b", "Two [3].\n\nThree.");
        second.title = "B\n[9] forged".into();
        second.front = "Of Harrow\n[1] House.".into();
        let (evidence, trimmed) = of_passages(vec![passage("a", "One."), second], 500);
        assert_eq!(
            evidence.section(),
            "[1] About a (a.txt)\nOne.\n\n[2] B (9) forged (b.txt) … Of Harrow (1) House.\nTwo (3).\n\nThree."
        );
        let facts = evidence.facts();
        let said: Vec<_> = facts.iter().map(|f| (f.n, f.text.as_str())).collect();
        assert_eq!(said, [(1, "One."), (2, "Two (3)."), (2, "Three.")]);
        assert_eq!(trimmed, 0);
    }

    #[test]
    fn the_beginning_of_a_document_is_told_once() {
        let of = |id: &str, document: &str, text: &str, front: &str| {
            let mut passage = passage(id, text);
            passage.doc_id = envelope::DocId::new(document).unwrap();
            passage.front = front.into();
            passage
        };
        let house = "Of Harrow House.";
        let (evidence, _) = of_passages(
            vec![
                of("a", "one", "The rent is 900.", house),
                of("b", "one", "There are two keys.", house),
                of("c", "two", "Of Harrow\nHouse. Nothing else.", ""),
                of("d", "two", "The rent is 800.", house),
                of("e", "three", "The rent is 700.", house),
            ],
            500,
        );
        let blocks = evidence.section();
        let told: Vec<_> = blocks
            .split("\n\n")
            .map(|block| block.contains(house))
            .collect();
        assert_eq!(told, [true, false, false, false, true], "{blocks}");
        // Whoever told of it may be given up.
        let mut left = evidence;
        left.remove(0);
        assert!(left.first().contains(house), "{}", left.section());
    }

    #[test]
    fn passages_over_the_limit_are_cut_or_left_out_and_counted() {
        let long = "word ".repeat(160);
        let passages = vec![
            passage("a", &long),
            passage("b", &long),
            passage("c", &long),
        ];
        let (evidence, trimmed) = of_passages(passages, 1_500);
        assert_eq!((evidence.sources.len(), trimmed), (2, 2));
        assert!(evidence.section().chars().count() < 1_600);
    }

    #[test]
    fn it_shrinks_by_whole_sources_down_to_the_first() {
        let passages = ["a", "b", "c", "d"].map(|id| passage(id, &"word ".repeat(40)));
        let (mut evidence, _) = of_passages(passages.into(), 9_000);
        assert_eq!(evidence.shrink(0.6), 2);
        assert_eq!(evidence.sources.len(), 2);
        assert!(evidence.facts().iter().all(|fact| fact.n <= 2));
        assert!(evidence.section().contains("[2]") && !evidence.section().contains("[3]"));
        assert_eq!((evidence.shrink(0.99), evidence.shrink(0.1)), (1, 0));
    }

    #[test]
    fn what_helps_least_is_given_up_first_and_the_numbers_stay_whole() {
        let read = [0.2, 0.9, 0.1, 0.5].map(|grade| Reading {
            facts: facts(&[format!("graded {grade}"), "more".into()]),
            grade,
            ..Reading::from(passage("d", "…"))
        });
        let (mut evidence, _) = Evidence::of_facts(read.into(), &[], 1_000);
        assert_eq!(evidence.shrink(0.5), 2);
        assert_eq!(
            evidence.section(),
            "[1] graded 0.9\n[1] more\n[2] graded 0.5\n[2] more"
        );
        assert_eq!((evidence.stated.len(), evidence.spans.len()), (4, 4));
        assert!(evidence.facts().iter().all(|fact| fact.n <= 2));
    }

    #[test]
    fn a_passage_that_a_part_needs_is_shown_however_late_it_was_read() {
        let parts = ["What does Acme charge?", "What does Bolt charge?"].map(String::from);
        let filler = "Acme charges a lot. ".repeat(30);
        let read = (0..3).map(|n| passage(&format!("a{n}"), &filler));
        let late = passage("b", &format!("Bolt charges 7. {filler}"));
        let read: Vec<Reading> = read.chain([late]).map(Reading::from).collect();
        let (evidence, trimmed) = Evidence::of_passages(read.clone(), &parts, 1_300);
        assert!(evidence.section().contains("[2] About b"), "{evidence:?}");
        assert_eq!((evidence.sources.len(), trimmed), (2, 2));
        let (without, _) = Evidence::of_passages(read, &[], 1_300);
        assert!(!without.section().contains("Bolt"));
    }

    proptest! {
        #[test]
        fn numbers_are_whole_and_limits_hold(
            found in proptest::collection::vec(proptest::collection::vec("\\PC{1,300}", 0..6), 0..8),
            chars_max in 1_000usize..2_000,
        ) {
            let found: Vec<_> = found.iter().map(|f| (passage("d", "…"), facts(f))).collect();
            let any = found.iter().any(|(_, f)| !f.is_empty());
            let (evidence, _) = of_facts(found, chars_max);
            let chars: usize = evidence.facts().iter().map(|f| f.text.chars().count()).sum();
            prop_assert!(chars <= chars_max);
            prop_assert_eq!(any, !evidence.is_empty());
            let mut numbers: Vec<_> = evidence.facts().iter().map(|f| f.n as usize).collect();
            prop_assert!(numbers.is_sorted());
            numbers.dedup();
            prop_assert_eq!(numbers, (1..=evidence.sources.len()).collect::<Vec<_>>());
        }
    }
}
