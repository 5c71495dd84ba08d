//! Tells whether the given passages contain what a question asks for. Pure.
//!
//! The rules err on the side of caution: a needless search costs a second, whereas an answer from the wrong passages
//! is wrong. Every name and number of the question has to occur in the passages. If the question has none, all of its
//! significant words have to occur.

use envelope::Passage;
use serde_json::Value;
use std::collections::BTreeSet;
use text::{stop, words};

/// The names and numbers of `question` that `passages` lack, each once, as the question writes them. A question
/// without a significant word lacks everything, because nothing shows that it is answered.
pub(crate) fn lacking(question: &str, passages: &[Passage]) -> Vec<String> {
    let named = named(question);
    if named.is_empty() {
        return vec![question.trim().to_owned()];
    }
    let mut there = BTreeSet::new();
    for passage in passages {
        there.extend(tokens(&passage.heading()).map(compared));
        there.extend(tokens(&passage.text).map(compared));
    }
    without(named, &there).1
}

/// How many different names and numbers `question` has (or significant words, where it has none), and which of them
/// `passages` lack in text, title, path and metadata.
pub(crate) fn named_and_lacking(question: &str, passages: &[Passage]) -> (usize, Vec<String>) {
    let mut there = BTreeSet::new();
    for passage in passages {
        let values = passage.metadata.values().filter_map(Value::as_str);
        let texts = [
            &*passage.title,
            &*passage.front,
            &*passage.text,
            &*passage.source,
        ];
        for text in texts.into_iter().chain(values) {
            for word in tokens(text) {
                there.insert(compared(word));
                // `AX-1042-B` has `1042`, and `best-buy` has `buy`.
                there.extend(word.split(|c: char| !c.is_alphanumeric()).map(compared));
            }
        }
    }
    without(named(question), &there)
}

/// How many different words there are, and which of them are not among `there`.
fn without(words: Vec<&str>, there: &BTreeSet<String>) -> (usize, Vec<String>) {
    let mut different: Vec<String> = Vec::new();
    let mut lacking: Vec<String> = Vec::new();
    for word in words {
        let compared = compared(word);
        if different.contains(&compared) {
            continue;
        }
        if !there.contains(&compared) {
            lacking.push(word.to_owned());
        }
        different.push(compared);
    }
    (different.len(), lacking)
}

/// The names and numbers of a question; without any, all of its significant words.
fn named(question: &str) -> Vec<&str> {
    let telling = |word: &&str| !stop::is_content_free(&word.to_lowercase());
    let words: Vec<&str> = tokens(question).filter(telling).collect();
    let names: Vec<&str> = words.iter().copied().filter(|word| is_name(word)).collect();
    match names.is_empty() {
        true => words,
        false => names,
    }
}

fn is_name(word: &str) -> bool {
    word.contains(|c: char| c.is_uppercase() || c.is_ascii_digit())
}

/// Words and numbers; `1,000`, `2.5` and `AX-1042` are one each.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "/()[]{}\"“”„;:?!–—".contains(c));
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let words = words.filter(|word| !word.is_empty());
    // Where no blanks stand between words, groups of characters are compared.
    let parts = words.flat_map(words::by_script);
    parts.flat_map(|part| match part.starts_with(words::is_cut) {
        true => words::pieces(part).collect(),
        false => vec![part],
    })
}

/// A word in the form in which it is compared: without a possessive `'s`, its case and its ending; a number without
/// the separators of its thousands.
fn compared(word: &str) -> String {
    let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
    let word = owner.unwrap_or(word).to_lowercase();
    match word.contains(|c: char| c.is_ascii_digit()) {
        true => word.replace([',', '-', '\''], ""),
        false => words::stem(&word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::model::passage;

    #[test]
    fn every_name_and_number_has_to_be_there() {
        let passages = [
            passage(
                "a",
                "Acme's grant for 2 children is $1,200 a month, see AX-1042.",
            ),
            passage("b", "It was raised in May 2024. Two dogs cost 45.5 euros."),
        ];
        for (question, missing) in [
            ("How much is the grant of Acme for 2 children?", ""),
            ("How much is the grant of ACME in may 2024?", ""),
            ("Is 1200 what AX1042 says?", ""),
            ("How much is the grant of Acme for 3 children?", "3"),
            (
                "How much is the grant of Bolt AG for 20 children?",
                "Bolt AG 20",
            ),
            ("Was it 2,024 or 1,201?", "1,201"),
            ("Acme and Bolt and Bolt?", "Bolt"),
            ("what did it cost?", ""),
            ("what was the guarantee?", "guarantee"),
            ("And then?", "And then?"),
            ("Acmeの補助金は?", ""),
            ("補助金は?", "補助 助金 金は"),
        ] {
            assert_eq!(
                lacking(question, &passages).join(" "),
                missing,
                "{question}"
            );
        }
        assert_eq!(lacking("Acme?", &[]), ["Acme"]);
    }

    proptest! {
        #[test]
        fn what_says_the_question_itself_lacks_nothing(question in "\\PC{0,60}") {
            let lacking = lacking(&question, &[passage("a", &question)]);
            prop_assert_eq!(lacking.is_empty(), !named(&question).is_empty());
        }
    }
}
