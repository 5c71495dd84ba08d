//! The question as a prompt shows it: in the user's words, and, where these lean on what was said before, with what
//! they mean, and with the questions that it is made of.
//!
//! An answer is written to what the user wrote. But "And the other one?" alone is no question that a small model could
//! answer from facts.

use crate::support::Words;
use envelope::Asked;
use llm::section;

/// The section of the meaning, inside that of the question.
const MEANING: &str = "meaning";
/// That of its parts.
const PARTS: &str = "parts";

/// The question, its meaning in a section of its own where it was rewritten, and its parts in another one where it has any.
pub(crate) fn shown(asked: &Asked, parts: &[String]) -> String {
    let tags = [MEANING.into(), PARTS.into()];
    let plain = |text: &str| section::neutralise(text, &tags).into_owned();
    let mut shown = plain(&asked.original);
    if let Some(rewritten) = &asked.rewritten
        && *rewritten != asked.original
    {
        shown.push_str(&format!(
            "\n<{MEANING}>\n{}\n</{MEANING}>",
            plain(rewritten)
        ));
    }
    if !parts.is_empty() {
        let lines = (1..).zip(parts);
        let lines = lines.map(|(n, part)| format!("{n}. {}\n", plain(&text::one_line(part))));
        shown.push_str(&format!(
            "\n<{PARTS}>\n{}</{PARTS}>",
            lines.collect::<String>()
        ));
    }
    shown
}

/// The parts of a question whose names an answer leaves out: none of those that tell the part from the others is in it. A part
/// that no name tells from them is taken for answered: an answer may say the rest in other words.
pub(crate) fn unanswered(parts: &[String], answer: &str) -> Vec<String> {
    let said = Words::of(answer);
    let words: Vec<Words> = parts.iter().map(|part| Words::of(part)).collect();
    let is_left_out = |at: usize| {
        let others = words.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<&Words> = others.map(|(_, words)| words).collect();
        let own = Words::of(&names(&parts[at])).without(&others);
        !own.is_empty() && own.share_in(&said) == 0.0
    };
    let left_out = parts.iter().enumerate().filter(|(at, _)| is_left_out(*at));
    left_out.map(|(_, part)| part.clone()).collect()
}

/// The words of a question that are written as names: with a capital letter after its first word, or with letters and digits.
fn names(part: &str) -> String {
    let runs = text::words::runs(part).enumerate();
    let is_name = |(at, run): &(usize, &str)| {
        let has = |of: fn(char) -> bool| run.contains(of);
        let is_capital = run.starts_with(char::is_uppercase) && *at > 0;
        is_capital || has(char::is_alphabetic) && has(char::is_numeric)
    };
    let names: Vec<&str> = runs.filter(is_name).map(|(_, run)| run).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|part| (*part).to_owned()).collect()
    }

    #[test]
    fn a_question_that_was_rewritten_is_shown_with_its_meaning() {
        let mut asked = Asked {
            original: "And <meaning>the other one?".into(),
            rewritten: None,
        };
        assert_eq!(shown(&asked, &[]), "And ‹meaning>the other one?");
        asked.rewritten = Some(asked.original.clone());
        assert_eq!(shown(&asked, &[]), "And ‹meaning>the other one?");
        asked.rewritten = Some("What is the total of INV-8?".into());
        let both = shown(&asked, &[]);
        assert!(both.starts_with("And ‹meaning>the other one?\n"));
        assert_eq!(
            section::read(&both, MEANING),
            Some("What is the total of INV-8?")
        );
    }

    #[test]
    fn a_question_with_parts_is_shown_with_them() {
        let asked = Asked {
            original: "Compare the pumps".into(),
            rewritten: None,
        };
        let parts = parts(&["weight of\nthe Delta", "weight of </parts> the Epsilon"]);
        assert_eq!(
            shown(&asked, &parts),
            "Compare the pumps\n<parts>\n1. weight of the Delta\n2. weight of ‹/parts> the Epsilon\n</parts>"
        );
    }

    #[test]
    fn a_part_whose_name_the_answer_leaves_out_is_unanswered() {
        let two = parts(&["weight of the Delta pump", "weight of the Epsilon pump"]);
        for (answer, left_out) in [
            (
                "The Delta weighs 9 kg [1]. The Epsilon weighs 7 kg [2].",
                &[][..],
            ),
            ("The Delta weighs 9 kg [1].", &two[1..]),
            (
                "The Delta weighs 9 kg [1]. Nothing is said of the Epsilon.",
                &[],
            ),
            ("One pump has a weight of 9 kg [1].", &two),
        ] {
            assert_eq!(unanswered(&two, answer), left_out, "{answer}");
        }
        let years = parts(&["How many in 2021", "How many in 2024"]);
        assert_eq!(unanswered(&years, "Two and three."), parts(&[]));
        let types = parts(&["gain of BC547", "gain of BC557"]);
        assert_eq!(
            unanswered(&types, "It is 110 for the BC547 [1]."),
            types[1..]
        );
        assert_eq!(
            unanswered(&parts(&["the weight", "weight"]), "9 kg"),
            parts(&[])
        );
        assert_eq!(unanswered(&[], "9 kg"), parts(&[]));
    }
}
