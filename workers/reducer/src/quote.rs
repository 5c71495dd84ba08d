//! Finds quotes: the words of a source that support an answer. A quote always occurs in its source word for word.

use crate::evidence::Evidence;
use crate::support::{Words, best};
use envelope::limits::FACT_CHARS_MAX;
use envelope::{Citation, Passage};
use std::ops::Range;
use text::alignment::AlignedText;
use text::{Language, one_line};

/// The least share of a fact's words that sentences must hold to count as saying it.
const SENTENCES_SHARE_MIN: f32 = 0.5;

/// A citation for every source, and the number of cited sources that hold no words for the fact that the answer used most
/// of them. The quote of a cited source supports that fact, or is the nearest sentence; the others have none.
pub(crate) fn citations(evidence: &Evidence, answer: &str) -> (Vec<Citation>, u16) {
    let mut replaced = 0;
    let words = Words::of(answer);
    let citation = |(n, passage): (u16, &Passage)| {
        let span = match answer.contains(&format!("[{n}]")) {
            true => {
                let (span, says_it) = used(evidence, &words, n, passage);
                replaced += u16::from(!says_it);
                span
            }
            false => 0..0,
        };
        let place = passage.place_at(span.start);
        Citation {
            n,
            doc_id: passage.doc_id.clone(),
            chunk_id: passage.chunk_id.clone(),
            title: passage.title.clone(),
            source: passage.source.clone(),
            page: place.page,
            page_name: place.page_name,
            line: place.line,
            score: passage.score,
            quote: cut(one_line(&passage.text[span])),
        }
    };
    let citations = (1u16..).zip(&evidence.sources).map(citation).collect();
    (citations, replaced)
}

/// Where a source says what an answer used of it, and whether it does.
fn used(evidence: &Evidence, words: &Words, n: u16, passage: &Passage) -> (Range<usize>, bool) {
    // A sentence is too short to show its language.
    let language = Language::of(&passage.text);
    let said = evidence.said_by(n);
    let used = best(&said, |(fact, _)| words.share_of(fact, language));
    let used = used.map(|(used, _)| used);
    let placed = used.and_then(|(_, span)| span.as_ref()?.of(&passage.text));
    match placed {
        Some(placed) => (span_in(&passage.text, placed), true),
        None => quote(used.map_or("", |(fact, _)| fact), passage),
    }
}

fn cut(quote: String) -> String {
    quote.chars().take(FACT_CHARS_MAX).collect()
}

/// Where a part of a text stands in it, without the blanks around it.
fn span_in(text: &str, part: &str) -> Range<usize> {
    let start = part.trim_start().as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.trim().len()
}

/// The words of a passage that say `fact`, and whether they do. The quote is the fact itself where it stands there,
/// else the sentences that hold at least half of its words, else the nearest sentence.
fn quote(fact: &str, passage: &Passage) -> (Range<usize>, bool) {
    let beside = [&*passage.title, &*passage.source, &*passage.front];
    let text = AlignedText::new(&passage.text, &beside);
    let said = text.align(fact, SENTENCES_SHARE_MIN);
    let says_it = said.is_some();
    let near = said.or_else(|| text.nearest(fact));
    let span = near.map_or_else(|| text.opening(), |near| near.span);
    (span_in(&passage.text, &passage.text[span]), says_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Stated;
    use crate::pruning::Reading;
    use envelope::FactSpan;
    use proptest::prelude::*;
    use testkit::model::passage;

    const TEXT: &str =
        "The Delta pump is blue.\nIts guarantee runs for\n24 months. Lamps [7] are extra.";

    fn quote(fact: &str, passage: &Passage) -> (String, bool) {
        let (span, says_it) = super::quote(fact, passage);
        (one_line(&passage.text[span]), says_it)
    }

    fn stated(fact: &str) -> Stated {
        (fact.to_owned(), None).into()
    }

    #[test]
    fn copies_from_the_source() {
        for (fact, copied) in [
            ("the delta pump is BLUE.", "The Delta pump is blue"),
            (
                "guarantee runs for 24 months",
                "guarantee runs for 24 months",
            ),
            ("Guarantee: 24 months", "Its guarantee runs for 24 months."),
            ("Lamps (7) are extra.", "Lamps [7] are extra"),
        ] {
            assert_eq!(
                quote(fact, &passage("a", TEXT)),
                (copied.into(), true),
                "{fact}"
            );
        }
        for (fact, nearest) in [
            (
                "A guarantee for everything that ships",
                "Its guarantee runs for",
            ),
            ("Shipping is free", "The Delta pump is blue."),
            ("", "The Delta pump is blue."),
        ] {
            assert_eq!(
                quote(fact, &passage("a", TEXT)),
                (nearest.into(), false),
                "{fact}"
            );
        }
    }

    fn of_facts(found: Vec<(Passage, Vec<Stated>)>) -> Evidence {
        let read = found.into_iter().map(Reading::from);
        Evidence::of_facts(read.collect(), &[], 1_000).0
    }

    #[test]
    fn quotes_the_fact_that_the_answer_used() {
        let facts = ["The Delta pump is blue.", "Lamps are extra."].map(stated);
        let found = vec![
            (passage("a", TEXT), facts.into()),
            (passage("b", "B."), vec![stated("B.")]),
        ];
        let evidence = of_facts(found);
        let (citations, _) = citations(&evidence, "Lamps cost extra [1].");
        let quoted: Vec<_> = citations.iter().map(|c| (c.n, c.quote.as_str())).collect();
        let of_uncited = (2, "");
        assert_eq!(quoted, [(1, "Lamps [7] are extra."), of_uncited]);
        assert_eq!(citations[0].source, "a.txt");
    }

    #[test]
    fn a_quote_knows_its_line() {
        let facts = ["The Delta pump is blue.", "Lamps are extra."].map(stated);
        let evidence = of_facts(vec![(passage("a", TEXT), facts.into())]);
        for (answer, line) in [
            ("The Delta pump is blue [1].", 0),
            ("Lamps cost extra [1].", 2),
        ] {
            let first = passage("a", TEXT).line;
            assert_eq!(
                citations(&evidence, answer).0[0].line,
                first + line,
                "{answer}"
            );
        }
    }

    #[test]
    fn a_cited_fact_without_words_of_its_source_is_counted() {
        let found = vec![
            (passage("a", TEXT), vec![stated("Shipping is free")]),
            (passage("b", TEXT), vec![stated("Shipping is quick")]),
        ];
        let evidence = of_facts(found);
        let (all, replaced) = citations(&evidence, "Shipping is free [1].");
        let quoted = (all[0].quote.as_str(), replaced);
        assert_eq!(
            quoted,
            ("The Delta pump is blue.", 1),
            "the source's own words"
        );
    }

    #[test]
    fn a_fact_is_quoted_from_where_its_mapper_found_it() {
        let at = |start| Some(FactSpan(start, start + 20));
        for (span, quoted) in [
            (at(24), "Its guarantee runs f"),
            // The text has changed since.
            (at(4_000), "The Delta pump is blue."),
            (None, "The Delta pump is blue."),
        ] {
            let fact = Stated {
                text: "The Delta pump is blue.".into(),
                span,
            };
            let evidence = of_facts(vec![(passage("a", TEXT), vec![fact])]);
            let (all, replaced) = citations(&evidence, "It is blue [1].");
            assert_eq!((all[0].quote.as_str(), replaced), (quoted, 0));
        }
    }

    proptest! {
        #[test]
        fn a_part_of_the_source_is_quoted_verbatim(
            words in proptest::collection::vec("[a-zA-Z]{1,8}|[0-9]{1,4}|\\PC", 1..20),
            from in 0usize..20,
            length in 1usize..8,
        ) {
            let line = one_line(&words.join(" "));
            let part: Vec<_> = line.split(' ').skip(from % words.len()).take(length).collect();
            let part = part.join(" ");
            prop_assume!(!part.trim_end_matches('.').trim().is_empty());
            let (quoted, _) = quote(&part, &passage("a", &words.join("\n")));
            prop_assert!(!quoted.is_empty() && line.contains(&quoted), "{} in {}", quoted, line);
        }
    }
}
