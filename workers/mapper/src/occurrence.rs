//! Tells whether the facts of a reply occur in the passage that they are said to come from, and where.
//!
//! A copied fact occurs there. So does a reworded one if a few sentences of the passage contain most of its words and
//! all of its figures. A fact that occurs only in the prompt (in its examples or its instructions) does not, however
//! similar a sentence of the passage is. *Not* here: whether a fact has the meaning of its sentence; the validator
//! checks what an answer makes of it.

use crate::findings::{self, Read};
use envelope::{FactSpan, Fallback, Passage};
use text::alignment::AlignedText;

/// Where a fact stands.
enum Place {
    /// The fact stands in the text of the passage.
    Text(FactSpan),
    /// The fact stands in the title or the source alone.
    Head,
    Nowhere,
}

/// Gives the facts of a reading their places, drops those that have none, and returns how many it dropped. A reading
/// of which nothing is left is taken to be of something else: it passes by default and does not count.
///
/// `own` is the text of the prompt itself, `least` the share of a reworded fact's words that must stand in the passage;
/// with 0 nothing is dropped.
pub(crate) fn settle(read: &mut Read, passage: &Passage, own: &str, least: f32) -> usize {
    let dropped = place(read, passage, own, least);
    if dropped > 0 && read.findings.facts.is_empty() {
        *read = findings::of_something_else(passage);
        place(read, passage, "", 0.0);
    }
    if read.findings.spans.iter().all(Option::is_none) {
        read.findings.spans.clear();
    }
    dropped
}

fn place(read: &mut Read, passage: &Passage, own: &str, least: f32) -> usize {
    let heads = [passage.title.as_str(), passage.source.as_str()];
    let beside = [heads[0], heads[1], &passage.front];
    let places = Places {
        text: AlignedText::new(&passage.text, &beside),
        heads: heads.map(|head| AlignedText::new(head, &[])),
        own: AlignedText::new(own, &[]),
        least,
    };
    let told = std::mem::take(&mut read.findings.facts);
    let before = told.len();
    let placed = told.into_iter().filter_map(|fact| match places.of(&fact) {
        Place::Text(span) => Some((fact, Some(span))),
        Place::Head => Some((fact, None)),
        Place::Nowhere => (least == 0.0).then_some((fact, None)),
    });
    (read.findings.facts, read.findings.spans) = placed.unzip();
    before - read.findings.facts.len()
}

struct Places<'a> {
    text: AlignedText<'a>,
    heads: [AlignedText<'a>; 2],
    own: AlignedText<'a>,
    least: f32,
}

impl Places<'_> {
    fn of(&self, fact: &str) -> Place {
        if let Some(span) = self.text.verbatim(fact) {
            return Place::Text(span.into());
        }
        if self.heads.iter().any(|head| head.verbatim(fact).is_some()) {
            return Place::Head;
        }
        if self.own.verbatim(fact).is_some() {
            return Place::Nowhere;
        }
        let found = self.text.align(fact, self.least);
        found.map_or(Place::Nowhere, |found| Place::Text(found.span.into()))
    }
}

/// The fallback in the trail for dropped facts.
pub(crate) fn unsupported(dropped: usize) -> Option<Fallback> {
    let count = u16::try_from(dropped).unwrap_or(u16::MAX);
    (count > 0).then_some(Fallback::FactsUnsupported { count })
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::model::passage;

    const TEXT: &str = "The total of INV-7 is 200 EUR, due in May. The pump was serviced by Kelm.";
    const OWN: &str = "Two examples:\n{\"facts\": [\"The pump was serviced on 3 May.\"]}";

    fn settled(facts: &[&str], least: f32) -> (Read, usize) {
        let passage = passage("invoice", TEXT);
        let answer = serde_json::json!({"grade": 0.9, "facts": facts}).to_string();
        let mut read = findings::read(&answer, &passage, "", 0.7);
        let dropped = settle(&mut read, &passage, OWN, least);
        (read, dropped)
    }

    #[test]
    fn facts_have_their_places_and_what_stands_nowhere_is_dropped() {
        let told = [
            "total of INV-7 is 200 EUR",
            "Napoleon was born on Corsica",
            "Total for INV-7: 200 EUR",
            "invoice.txt",
            "The total of INV-7 is 300 EUR",
            // Most of its words stand in the passage, all of it in the prompt.
            "The pump was serviced on 3 May.",
        ];
        let (read, dropped) = settled(&told, 0.6);
        assert_eq!((dropped, read.fallback), (3, None));
        let findings = read.findings;
        assert_eq!(findings.facts, [told[0], told[2], told[3]]);
        let shown = findings
            .spans
            .iter()
            .map(|span| span.and_then(|span| span.of(TEXT)));
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                Some("total of INV-7 is 200 EUR"),
                Some("The total of INV-7 is 200 EUR, due in May."),
                None
            ]
        );
        assert!(findings.grade == Some(0.9) && !findings.defaulted);
        let (read, dropped) = settled(&told, 0.0);
        assert_eq!((read.findings.facts.len(), dropped), (6, 0));
    }

    #[test]
    fn a_fact_may_name_what_the_beginning_of_the_document_says_and_not_consist_of_it() {
        let kept = |front: &str| {
            let told = [
                "The total of INV-7 of Harrow House 12 is 200 EUR",
                "All of this is about Harrow House 12",
            ];
            let passage = Passage {
                front: front.into(),
                ..passage("invoice", TEXT)
            };
            let answer = serde_json::json!({"grade": 0.9, "facts": told}).to_string();
            let mut read = findings::read(&answer, &passage, "", 0.7);
            settle(&mut read, &passage, "", 0.6);
            let findings = read.findings;
            (findings.counts(), findings.facts.len())
        };
        assert_eq!(kept("All of this is about Harrow House 12."), (true, 1));
        assert!(!kept("").0, "12 stands nowhere");
    }

    #[test]
    fn a_reading_of_something_else_is_unread() {
        let (read, dropped) = settled(&["The pump was serviced on 3 May."], 0.6);
        assert_eq!((dropped, &read.fallback), (1, &Some(Fallback::MapDefault)));
        assert!(read.findings.relevant && !read.findings.counts());
        assert_eq!(read.findings.grade, None);
        assert_eq!(
            read.findings.facts,
            [
                "The total of INV-7 is 200 EUR, due in May.",
                "The pump was serviced by Kelm."
            ]
        );
        assert!(read.findings.spans.iter().all(Option::is_some));
    }

    #[test]
    fn without_a_place_nothing_is_told_of_places() {
        let (read, _) = settled(&["invoice.txt"], 0.6);
        assert_eq!(
            (read.findings.facts.len(), read.findings.spans.len()),
            (1, 0)
        );
    }
}
