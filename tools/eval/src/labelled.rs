//! Questions with the expected answers, as files contain them: those of the sample corpus are in the binary.
//!
//! The check for the offline reader only looks for strings that have to occur in an answer; [`crate::answers`] judges
//! answers by values.

use crate::answers::without_marks;
use argosy::sample;
use envelope::{Outcome, Terminal};
use reducer::NO_INFORMATION;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The kind of the sample's questions that have no answer.
const UNANSWERABLE: &str = "unanswerable";

/// A labelled question, as a file contains it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledQuestion {
    /// Its name.
    pub id: String,
    /// As it is asked.
    pub question: String,
    /// The kind of question, such as `unanswerable`.
    pub kind: String,
    /// Conditions that are sent with the question.
    #[serde(default)]
    pub filters: Option<Value>,
    /// Parts of the corpus that it is asked of.
    #[serde(default)]
    pub buckets: Option<Vec<String>>,
    /// The documents that contain the answer.
    pub sources: BTreeSet<String>,
    /// What its answer has to contain, alternatives separated by `|`.
    pub contains: Vec<String>,
    /// Values that make an answer wrong: those of a sibling, or of an older version.
    #[serde(default)]
    pub rivals: Vec<String>,
}

impl LabelledQuestion {
    /// The labelled questions of the sample corpus.
    ///
    /// # Errors
    /// When a line of the file in the binary is invalid.
    pub fn sample() -> Result<Vec<LabelledQuestion>, serde_json::Error> {
        sample::QUESTIONS
            .lines()
            .map(serde_json::from_str)
            .collect()
    }

    /// The fields that a client sends with the question.
    pub fn fields(&self) -> Map<String, Value> {
        let filters = self.filters.clone().map(|filters| ("filters", filters));
        let buckets = self.buckets.clone().map(|names| ("buckets", names.into()));
        let said = filters.into_iter().chain(buckets);
        said.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The expected strings that an answer does not contain.
    pub fn missing(&self, answer: &str) -> Vec<&str> {
        let said = plain(answer);
        let wanted = self.contains.iter().map(String::as_str);
        wanted.filter(|part| !said.contains(&plain(part))).collect()
    }

    /// Whether the documents do not contain an answer.
    pub fn is_unanswerable(&self) -> bool {
        self.kind == UNANSWERABLE
    }
}

/// Whether a turn ended without anything that the documents are held to say.
pub fn is_nothing(terminal: &Terminal) -> bool {
    let is_empty = terminal.table.as_ref().is_some_and(|t| t.documents == 0);
    let says_none = terminal.answer.as_deref() == Some(NO_INFORMATION);
    terminal.outcome == Outcome::Clarification || says_none || is_empty
}

/// Letters and digits as a scanner may confuse them: what is left of a text when marks, spaces and
/// the usual confusions are taken away.
pub fn plain(text: &str) -> String {
    let unmarked = without_marks(text);
    let kept = unmarked.to_lowercase().replace('μ', "µ").replace("rn", "m");
    kept.chars()
        .filter(|c| c.is_alphanumeric() || *c == '%')
        .map(|c| match c {
            'o' => '0',
            'l' | 'i' => '1',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{TenantId, TurnId, UnixMs};

    #[test]
    fn a_turn_ends_without_a_statement() {
        let ended = |outcome, answer: Option<&str>| Terminal {
            answer: answer.map(str::to_owned),
            ..Terminal::bare(
                TurnId::again("x"),
                TenantId::default_tenant(),
                outcome,
                UnixMs(9),
            )
        };
        assert!(is_nothing(&ended(Outcome::Clarification, None)));
        assert!(is_nothing(&ended(Outcome::Answered, Some(NO_INFORMATION))));
        assert!(!is_nothing(&ended(Outcome::Answered, Some("It is 5."))));
        assert!(!is_nothing(&ended(Outcome::Failed, None)));
    }

    #[test]
    fn what_an_answer_lacks_is_named() {
        let all = LabelledQuestion::sample().unwrap();
        assert!(all.len() > 100 && all.iter().filter(|one| one.is_unanswerable()).count() > 5);
        let one = LabelledQuestion {
            contains: vec!["90 days".into(), "60 days".into()],
            ..all[0].clone()
        };
        assert_eq!(one.missing("It was 9O days [1]."), ["60 days"]);
    }
}
