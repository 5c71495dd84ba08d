//! The words of a source that support an answer, copied from the source wherever they stand there.

use crate::evidence::Evidence;
use crate::support::{Words, best};
use envelope::limits::FACT_CHARS_MAX;
use envelope::{Citation, Passage};
use text::one_line;
use text::sentences::cited;

/// Least share of a fact's words that a sentence must hold to be quoted for it.
const SENTENCE_SHARE_MIN: f32 = 0.5;

/// A citation for every source, cited or not; its quote supports the fact that the answer used
/// most. And how many of the cited ones have the mapper's words for a quote, since the source has none.
pub(crate) fn citations(evidence: &Evidence, answer: &str) -> (Vec<Citation>, u16) {
    let mut replaced = 0;
    let words = Words::of(answer);
    let numbered = (1u16..).zip(&evidence.sources);
    let citation = |(n, passage): (u16, &Passage)| {
        let facts = evidence.facts.iter().filter(|fact| fact.n == n);
        let used = best(facts, |fact| Words::of(&fact.text).share_in(&words));
        let quote = used.map(|(fact, _)| match quote(&fact.text, &passage.text) {
            Some(said) => said,
            None => {
                replaced += u16::from(answer.contains(&format!("[{n}]")));
                fact.text.clone()
            }
        });
        Citation {
            n,
            doc_id: passage.doc_id.clone(),
            chunk_id: passage.chunk_id.clone(),
            title: passage.title.clone(),
            source: passage.source.clone(),
            page: passage.page,
            line: passage.line,
            score: passage.score,
            quote: cut(quote.unwrap_or_default()),
        }
    };
    let citations = numbered.map(citation).collect();
    (citations, replaced)
}

fn cut(quote: String) -> String {
    quote.chars().take(FACT_CHARS_MAX).collect()
}

/// The words of `text` that say `fact`: itself where it stands there, else the sentence with most of
/// its words, if it has half of them. Line breaks become spaces.
fn quote(fact: &str, text: &str) -> Option<String> {
    let line = one_line(text);
    verbatim(fact, &line).map(str::to_owned).or_else(|| {
        let words = Words::of(fact);
        let (sentence, share) = best(cited::of(text), |s| words.share_in(&Words::of(s)))?;
        (share >= SENTENCE_SHARE_MIN).then_some(sentence)
    })
}

/// Where `fact` stands in `line`, ASCII case and a full stop at its end aside.
fn verbatim<'a>(fact: &str, line: &'a str) -> Option<&'a str> {
    let fact = fact.trim().trim_end_matches('.').to_ascii_lowercase();
    if fact.is_empty() {
        return None;
    }
    let at = line.to_ascii_lowercase().find(&fact)?;
    Some(&line[at..at + fact.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::model::passage;

    const TEXT: &str =
        "The Delta pump is blue.\nIts guarantee runs for\n24 months. Lamps [7] are extra.";

    #[test]
    fn copies_from_the_source() {
        for (fact, copied) in [
            ("the delta pump is BLUE.", "The Delta pump is blue"),
            (
                "guarantee runs for 24 months",
                "guarantee runs for 24 months",
            ),
            ("Guarantee: 24 months", "Its guarantee runs for 24 months."),
            ("Lamps (7) are extra.", "Lamps [7] are extra."),
        ] {
            assert_eq!(quote(fact, TEXT).as_deref(), Some(copied), "{fact}");
        }
        for fact in ["Shipping is free", ""] {
            assert_eq!(quote(fact, TEXT), None, "{fact}");
        }
    }

    #[test]
    fn quotes_the_fact_that_the_answer_used() {
        let facts = vec![
            "The Delta pump is blue.".to_owned(),
            "Lamps are extra.".into(),
        ];
        let found = vec![
            (passage("a", TEXT), facts),
            (passage("b", "B."), vec!["B.".into()]),
        ];
        let (evidence, _) = Evidence::of_facts(found, 1_000);
        let (citations, _) = citations(&evidence, "Lamps cost extra [1].");
        let quoted: Vec<_> = citations.iter().map(|c| (c.n, c.quote.as_str())).collect();
        assert_eq!(quoted, [(1, "Lamps [7] are extra."), (2, "B")]);
        assert_eq!(citations[0].source, "a.txt");
    }

    #[test]
    fn a_cited_fact_without_words_of_its_source_is_counted() {
        let found = vec![
            (passage("a", TEXT), vec!["Shipping is free".to_owned()]),
            (passage("b", TEXT), vec!["Shipping is quick".to_owned()]),
        ];
        let (evidence, _) = Evidence::of_facts(found, 1_000);
        let (all, replaced) = citations(&evidence, "Shipping is free [1].");
        assert_eq!((all[0].quote.as_str(), replaced), ("Shipping is free", 1));
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
            let quoted = quote(&part, &words.join("\n"));
            let quoted = quoted.unwrap_or_default();
            prop_assert!(!quoted.is_empty() && line.contains(&quoted), "{} in {}", quoted, line);
        }
    }
}
