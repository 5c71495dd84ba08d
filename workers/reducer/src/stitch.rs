//! Makes an answer without a model: it copies the facts that share most words with the question.

use crate::support::Words;
use envelope::Fact;

/// At most `most` facts that share words with the question, best first, each with its mark. Where no fact shares a
/// word, the first ones are taken.
pub(crate) fn stitch(question: &str, facts: &[Fact], most: usize) -> String {
    let question = Words::of(question);
    let mut scored: Vec<_> = facts
        .iter()
        .map(|fact| (question.share_in(&Words::of(&fact.text)), fact))
        .collect();
    if scored.iter().any(|(share, _)| *share > 0.0) {
        scored.retain(|(share, _)| *share > 0.0);
    }
    // Stable: facts that share as much stay in the order of their sources.
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut said: Vec<String> = Vec::new();
    for (_, fact) in scored {
        let sentence = sentence(fact);
        if said.len() < most && !said.contains(&sentence) {
            said.push(sentence);
        }
    }
    said.join(" ")
}

/// `It is 5.` of source 2 becomes `It is 5 [2].`
fn sentence(fact: &Fact) -> String {
    let text = fact.text.trim();
    let body = text.trim_end_matches(['.', '!', '?', ';', ',']);
    let end = match &text[body.len()..] {
        mark @ ("!" | "?") => mark,
        _ => ".",
    };
    format!("{body} [{}]{end}", fact.n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn facts(facts: &[(u16, &str)]) -> Vec<Fact> {
        let facts = facts.iter();
        facts
            .map(|(n, text)| Fact {
                n: *n,
                text: (*text).into(),
            })
            .collect()
    }

    #[test]
    fn the_facts_about_the_question_come_first() {
        let facts = facts(&[
            (1, "The pump is blue."),
            (1, "Lamps are sold in boxes."),
            (2, "The guarantee of the pump is 24 months"),
            (3, "Is the pump covered?"),
        ]);
        let stitched = stitch("How long is the guarantee on the pump?", &facts, 3);
        assert_eq!(
            stitched,
            "The guarantee of the pump is 24 months [2]. The pump is blue [1]. Is the pump covered [3]?"
        );
    }

    #[test]
    fn where_nothing_is_shared_the_first_facts_speak() {
        let facts = facts(&[(1, "A."), (2, "B;"), (2, "B,"), (3, "C")]);
        assert_eq!(stitch("who?", &facts, 3), "A [1]. B [2]. C [3].");
        assert_eq!(stitch("who?", &[], 3), "");
    }

    proptest! {
        #[test]
        fn cites_only_what_it_was_given(
            // Longer than any stop word.
            said in proptest::collection::vec("[a-z]{9,12}( [a-z]{9,12}){0,5}", 1..12),
            question in "[a-z]{9,12}( [a-z]{1,8}){0,5}",
            most in 1usize..6,
        ) {
            let facts: Vec<_> = (1u16..).zip(&said).map(|(n, t)| Fact { n, text: t.clone() }).collect();
            let stitched = stitch(&question, &facts, most);
            prop_assert!((1..=most).contains(&stitched.matches('[').count()));
            prop_assert_eq!(text::overlap(&stitched, &said), 1.0);
        }
    }
}
