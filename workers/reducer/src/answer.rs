//! Reads the reply of the reducer's model as an answer, as the fixed sentence for "no information found", or as
//! empty.

use llm::reply::without_thoughts;
use text::is_of;

/// The answer when the facts do not answer the question. Prompts tell models to write this sentence.
pub const NO_INFORMATION: &str = "No relevant information found.";

/// What a model's reply is read as.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// An answer.
    Text(String),
    /// The sentence that says that the facts do not answer the question.
    NoInformation,
    /// An empty reply.
    Nothing,
}

/// Reads a model's reply.
pub(crate) fn read(written: &str) -> Answer {
    let text = without_label(without_thoughts(written));
    if text.is_empty() {
        return Answer::Nothing;
    }
    if says_nothing_found(text) || is_refusal(text) {
        return Answer::NoInformation;
    }
    Answer::Text(text.to_owned())
}

/// The text without the label at its beginning: some models repeat the last word of the prompt.
fn without_label(text: &str) -> &str {
    let text = text.trim();
    let bare = text.trim_start_matches(['*', '#', ' ']);
    let label = bare.get(..6).filter(|l| l.eq_ignore_ascii_case("answer"));
    let after = label.and_then(|l| bare[l.len()..].trim_start_matches('*').strip_prefix(':'));
    after.map_or(text, |after| after.trim_start_matches('*').trim())
}

/// Whether the answer is that sentence or begins with it; in the second case, what follows it is an excuse.
fn says_nothing_found(text: &str) -> bool {
    let wanted = NO_INFORMATION.trim_end_matches('.').split(' ');
    let mut words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    wanted.map(str::to_ascii_lowercase).all(|wanted| {
        words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case(&wanted))
    })
}

/// Words for what a model is shown.
const MATERIAL: &str =
    "passage passages document documents fact facts text texts context source sources";
/// Words that follow a `not` with which a sentence denies that something stands there.
const ABSENT: &str =
    "say mention mentioned provide provided contain answer specify specified state stated include";

/// Whether every sentence says that the material does not say it, and none cites anything: the same in a model's own
/// words.
fn is_refusal(text: &str) -> bool {
    let is_one = |sentence: &String| {
        let lower = sentence.to_lowercase().replace("n't ", " not ");
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        let mut pairs = words.windows(2);
        let is_absent = pairs.any(|pair| pair[0] == "not" && is_of(pair[1], ABSENT));
        let is_all = !words.contains(&"but");
        is_absent && is_all && words.iter().any(|word| is_of(word, MATERIAL))
    };
    crate::marks::named(text).is_empty() && text::sentences::cited::of(text).iter().all(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cleans_what_models_add() {
        for written in [
            "It is 5 [1].",
            "\n It is 5 [1].\n",
            "Answer: It is 5 [1].",
            "**Answer:** It is 5 [1].",
            "<think>Hm. 7?</think>\nIt is 5 [1].",
        ] {
            assert_eq!(
                read(written),
                Answer::Text("It is 5 [1].".into()),
                "{written}"
            );
        }
        assert_eq!(read("Answers vary."), Answer::Text("Answers vary.".into()));
        assert_eq!(read("Größe"), Answer::Text("Größe".into()));
    }

    #[test]
    fn no_information_in_every_dress() {
        for written in [
            "No relevant information found.",
            "no relevant information found",
            "\"No relevant information found.\"",
            "Answer: **No relevant information found.**",
            "No relevant information found. The facts are about lamps [1].",
            "The passages do not mention the weight.",
            "The weight of the pump is not stated in the documents.",
            "The facts don't say it. It is not mentioned in the text, either.",
        ] {
            assert_eq!(read(written), Answer::NoInformation, "{written}");
        }
        for found in [
            "No relevant information was lost.",
            "The contract does not include freight.",
            "The documents do not state a price, but the pump weighs 9 kg.",
            "The passages do not mention the weight. The pump is blue.",
            "The document does not contain a signature [1].",
        ] {
            assert_eq!(read(found), Answer::Text(found.into()), "{found}");
        }
    }

    #[test]
    fn a_reply_without_text_is_no_answer() {
        for written in ["", "  \n", "Answer:", "<think>so</think>"] {
            assert_eq!(read(written), Answer::Nothing, "{written:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(written in "(Answer:|</think>|\\*|\\PC){0,20}") {
            let _ = read(&written);
        }
    }
}
