//! Reads the reply of the reducer's model as an answer, as the fixed sentence for "no information found", or as
//! empty.

use llm::reply::without_thoughts;

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
    if says_nothing_found(text) {
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
        ] {
            assert_eq!(read(written), Answer::NoInformation, "{written}");
        }
        let found = "No relevant information was lost.";
        assert_eq!(read(found), Answer::Text(found.into()));
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
