//! The words of a source that support an answer, copied from the source wherever they stand there.

use crate::evidence::Evidence;
use crate::sentences::{self, one_line};
use crate::support::{Words, best};
use envelope::limits::FACT_CHARS_MAX;
use envelope::{Citation, Passage};

/// Least share of a fact's words that a sentence must hold to be quoted for it.
const SENTENCE_SHARE_MIN: f32 = 0.5;

/// A citation for every source, cited or not; its quote supports the fact that the answer used
/// most.
pub(crate) fn citations(evidence: &Evidence, answer: &str) -> Vec<Citation> {
    let answer = Words::of(answer);
    let numbered = (1u16..).zip(&evidence.sources);
    let citation = |(n, passage): (u16, &Passage)| {
        let facts = evidence.facts.iter().filter(|fact| fact.n == n);
        let used = best(facts, |fact| Words::of(&fact.text).share_in(&answer));
        let quote = used.map(|(fact, _)| quote(&fact.text, &passage.text));
        Citation {
            n,
            doc_id: passage.doc_id.clone(),
            chunk_id: passage.chunk_id.clone(),
            title: passage.title.clone(),
            source: passage.source.clone(),
            page: passage.page,
            line: passage.line,
            score: passage.score,
            quote: quote.unwrap_or_default(),
        }
    };
    numbered.map(citation).collect()
}

/// The words of `text` that say `fact`: itself where it stands there, else the sentence with most of
/// its words, else the fact as the mapper worded it. Line breaks become spaces.
fn quote(fact: &str, text: &str) -> String {
    let line = one_line(text);
    let said = verbatim(fact, &line).map(str::to_owned).or_else(|| {
        let words = Words::of(fact);
        let (sentence, share) = best(sentences::of(text), |s| words.share_in(&Words::of(s)))?;
        (share >= SENTENCE_SHARE_MIN).then_some(sentence)
    });
    let said = said.unwrap_or_else(|| fact.to_owned());
    said.chars().take(FACT_CHARS_MAX).collect()
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
            ("Shipping is free", "Shipping is free"),
            ("", ""),
        ] {
            assert_eq!(quote(fact, TEXT), copied, "{fact}");
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
        let evidence = Evidence::of_facts(found, 1_000);
        let citations = citations(&evidence, "Lamps cost extra [1].");
        let quoted: Vec<_> = citations.iter().map(|c| (c.n, c.quote.as_str())).collect();
        assert_eq!(quoted, [(1, "Lamps [7] are extra."), (2, "B")]);
        assert_eq!(citations[0].source, "a.txt");
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
            prop_assert!(line.contains(&quoted), "{} in {}", quoted, line);
        }
    }
}
