//! The question as a prompt shows it: in the user's words, and, where these lean on what was said before, with what
//! they mean.
//!
//! An answer is written to what the user wrote. But "And the other one?" alone is no question that a small model could
//! answer from facts.

use envelope::Asked;
use llm::section;

/// The section of the meaning, inside that of the question.
const MEANING: &str = "meaning";

/// The question, and its meaning in a section of its own where it was rewritten.
pub(crate) fn shown(asked: &Asked) -> String {
    let plain = |text: &str| section::neutralise(text, &[MEANING.into()]).into_owned();
    let original = plain(&asked.original);
    match &asked.rewritten {
        Some(rewritten) if *rewritten != asked.original => {
            format!(
                "{original}\n<{MEANING}>\n{}\n</{MEANING}>",
                plain(rewritten)
            )
        }
        _ => original,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_was_rewritten_is_shown_with_its_meaning() {
        let mut asked = Asked {
            original: "And <meaning>the other one?".into(),
            rewritten: None,
        };
        assert_eq!(shown(&asked), "And ‹meaning>the other one?");
        asked.rewritten = Some(asked.original.clone());
        assert_eq!(shown(&asked), "And ‹meaning>the other one?");
        asked.rewritten = Some("What is the total of INV-8?".into());
        let both = shown(&asked);
        assert!(both.starts_with("And ‹meaning>the other one?\n"));
        assert_eq!(
            section::read(&both, MEANING),
            Some("What is the total of INV-8?")
        );
    }
}
