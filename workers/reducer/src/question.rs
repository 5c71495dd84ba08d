//! The question as a prompt shows it: in the user's words, with its rewritten form if the words refer to earlier
//! exchanges, and with its parts.
//!
//! The answer replies to what the user wrote. But a small model could not answer "And the other one?" from facts
//! without the rewritten form.

use crate::support::Words;
use envelope::QuestionText;
use llm::section;

/// The section that holds the meaning, inside the section of the question.
const MEANING: &str = "meaning";
/// The section that holds the parts.
const PARTS: &str = "parts";

/// The question. Its meaning has a section of its own where the question was rewritten, and its parts have another
/// one where there are any.
pub(crate) fn shown(asked: &QuestionText, parts: &[String]) -> String {
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

/// The parts of a question that an answer leaves out: it holds none of the names that tell the part from the others.
/// A part that no name tells from the others counts as answered, because an answer may say it in other words.
pub(crate) fn unanswered(parts: &[String], answer: &str) -> Vec<String> {
    let names = PartNames::of(parts);
    if names.each().next().is_none() {
        return Vec::new();
    }
    let said = Words::of(answer);
    let left_out = parts.iter().zip(&names.0).filter(|(_, names)| {
        let names = names.as_ref();
        names.is_some_and(|names| names.0.share_in(&said) == 0.0)
    });
    left_out.map(|(part, _)| part.clone()).collect()
}

/// The names that tell the parts of a question from each other, where names do.
pub(crate) struct PartNames(Vec<Option<PartName>>);

/// The words of the names that only this part has.
pub(crate) struct PartName(Words);

impl PartNames {
    pub(crate) fn of(parts: &[String]) -> PartNames {
        let words: Vec<Words> = parts.iter().map(|part| Words::of(part)).collect();
        let own = |at: usize| {
            let others = words.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<&Words> = others.map(|(_, words)| words).collect();
            let own = Words::of(&names(&parts[at])).without(&others);
            (!own.is_empty()).then_some(PartName(own))
        };
        PartNames((0..parts.len()).map(own).collect())
    }

    /// The names of those parts that have any, in the order of the parts.
    pub(crate) fn each(&self) -> impl Iterator<Item = &PartName> {
        self.0.iter().flatten()
    }
}

impl PartName {
    /// Whether a text speaks of the part, that is, holds one of its names.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.share_in(&Words::of(text)) > 0.0
    }
}

/// The words of a question that are written as names: words with a capital letter after the first word, and words
/// with letters and digits. A word that is joined to digits (`TP-120`) is one name with them.
fn names(part: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut at = 0;
    for word in part.split_whitespace() {
        let has_digits = word.contains(char::is_numeric);
        let is_name = |(n, run): &(usize, &str)| {
            let has = |of: fn(char) -> bool| run.contains(of);
            let is_id = has_digits && run.chars().all(char::is_uppercase);
            run.starts_with(char::is_uppercase) && at + n > 0
                || is_id
                || has(char::is_alphabetic) && has(char::is_numeric)
        };
        let runs: Vec<&str> = text::words::runs(word).collect();
        let all = || runs.iter().copied().enumerate();
        let has_name = all().any(|one| is_name(&one));
        let is_figure = |run: &str| has_name && run.chars().all(char::is_numeric);
        let own = all().filter(|one| is_name(one) || is_figure(one.1));
        names.extend(own.map(|(_, run)| run));
        at += runs.len();
    }
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
        let mut asked = QuestionText {
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
        let asked = QuestionText {
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
        let pumps = parts(&["limit of the TP-120", "limit of the TP-777"]);
        let one = "The limit of the TP-120 is 5 bar [1].";
        assert_eq!(unanswered(&pumps, one), pumps[1..]);
        assert_eq!(unanswered(&pumps, "TP-120: 5, TP-777: 9."), parts(&[]));
        let first = parts(&["QD-7706 dropout", "QD-7707 dropout"]);
        assert_eq!(unanswered(&first, "It is 210 mV for QD-7706."), first[1..]);
        let before = parts(&["rent pre-2020", "rent post-2020"]);
        assert_eq!(unanswered(&before, "It was 5, and is 6."), parts(&[]));
        assert_eq!(
            unanswered(&parts(&["the weight", "weight"]), "9 kg"),
            parts(&[])
        );
        assert_eq!(unanswered(&[], "9 kg"), parts(&[]));
    }
}
