//! Questions for a whole fleet with the expected answers, and the check whether an answer is the expected one.
//!
//! There are two sources: the labelled questions of the sample corpus, and MultiHop-RAG with the words of its
//! answers. *Not* checked: whether an answer is good; the check only looks for strings that have to occur in it.

use super::dataset::{Dataset, DatasetName, Split, draw};
use super::{Error, multihop};
use crate::sample;
use envelope::{Outcome, Terminal};
use reducer::NO_INFORMATION;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;
use text::words;

/// The kind of the sample's questions that have no answer.
const UNANSWERABLE: &str = "unanswerable";
/// What MultiHop-RAG says where there is none.
const INSUFFICIENT: &str = "Insufficient information.";

/// A labelled question of the sample corpus, as the file contains it.
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
    /// What its answer has to contain.
    pub contains: Vec<String>,
}

/// What is expected of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExpectedAnswer {
    /// These strings.
    Strings(Vec<String>),
    /// These words, in order.
    Words(Vec<String>),
    /// The answer that the documents do not say.
    Nothing,
}

/// A question with all that is sent along.
#[derive(Debug, Clone)]
pub(super) struct FleetQuestion {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) text: String,
    pub(super) fields: Map<String, Value>,
    pub(super) expected: ExpectedAnswer,
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

/// Those of the sample corpus, of a split.
pub(super) fn of_sample(split: Split, limit: Option<usize>) -> Result<Vec<FleetQuestion>, Error> {
    let labelled = LabelledQuestion::sample().map_err(std::io::Error::other)?;
    let taken = labelled
        .into_iter()
        .filter(|one| split.takes(draw(&one.id)));
    let all = taken.map(|one| FleetQuestion {
        fields: one.fields(),
        expected: match one.is_unanswerable() {
            true => ExpectedAnswer::Nothing,
            false => ExpectedAnswer::Strings(one.contains),
        },
        id: one.id,
        kind: one.kind,
        text: one.question,
    });
    Ok(all.take(limit.unwrap_or(usize::MAX)).collect())
}

/// Those of MultiHop-RAG, with its documents.
pub(super) fn of_multihop(
    folder: &Path,
    split: Split,
    limit: Option<usize>,
) -> Result<(Dataset, Vec<FleetQuestion>), Error> {
    let mut dataset = Dataset::load(DatasetName::MultihopRag, folder)?;
    dataset.keep(split, limit);
    let answers = multihop::answers(folder)?;
    let all = dataset.questions.iter().map(|one| {
        let answer = answers.get(&one.id).map_or(INSUFFICIENT, String::as_str);
        FleetQuestion {
            id: one.id.clone(),
            kind: one.kind.clone().unwrap_or_default(),
            text: one.text.clone(),
            fields: Map::new(),
            expected: match answer {
                INSUFFICIENT => ExpectedAnswer::Nothing,
                words => ExpectedAnswer::Words(lower_words(words)),
            },
        }
    });
    let all = all.collect();
    Ok((dataset, all))
}

impl ExpectedAnswer {
    /// Whether a turn ended as is expected.
    pub(super) fn is_in(&self, terminal: &Terminal) -> bool {
        let answer = terminal.answer.as_deref().unwrap_or_default();
        let says = !answer.is_empty() && answer != NO_INFORMATION;
        match self {
            ExpectedAnswer::Nothing => is_nothing(terminal),
            ExpectedAnswer::Strings(parts) => {
                let said = plain(answer);
                says && parts.iter().all(|part| said.contains(&plain(part)))
            }
            ExpectedAnswer::Words(wanted) => {
                let said = lower_words(&without_marks(answer));
                says && said.windows(wanted.len().max(1)).any(|run| run == wanted)
            }
        }
    }
}

/// Whether a turn ended without anything that the documents are held to say.
pub fn is_nothing(terminal: &Terminal) -> bool {
    let is_empty = terminal.table.as_ref().is_some_and(|t| t.documents == 0);
    let says_none = terminal.answer.as_deref() == Some(NO_INFORMATION);
    terminal.outcome == Outcome::Clarification || says_none || is_empty
}

fn lower_words(text: &str) -> Vec<String> {
    words::runs(text).map(str::to_lowercase).collect()
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

/// A text without its marks `[n]`.
fn without_marks(answer: &str) -> String {
    let mut parts = answer.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once(']') {
        Some((n, rest)) if n.parse::<u16>().is_ok() => text + rest,
        _ => text + "[" + part,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{TenantId, TurnId, UnixMs};

    fn ended(outcome: Outcome, answer: Option<&str>) -> Terminal {
        let tenant = TenantId::default_tenant();
        Terminal {
            answer: answer.map(str::to_owned),
            ..Terminal::bare(TurnId::again("x"), tenant, outcome, UnixMs(9))
        }
    }

    #[test]
    fn an_answer_is_held_against_what_is_expected() {
        let answered = |text| ended(Outcome::Answered, Some(text));
        let asked_back = ended(Outcome::Clarification, None);
        let strings = ExpectedAnswer::Strings(vec!["90 days".into(), "60 days".into()]);
        assert!(strings.is_in(&answered("It was 90 days [1], now 6O days [2].")));
        assert!(!strings.is_in(&answered("It was 90 days [1].")));
        assert!(!strings.is_in(&asked_back));
        let words = ExpectedAnswer::Words(lower_words("Ada Byron"));
        assert!(words.is_in(&answered("It was Ada [1] Byron.")));
        assert!(!words.is_in(&answered("Byron and Ada.")));
        assert!(!ExpectedAnswer::Words(lower_words("no")).is_in(&answered(NO_INFORMATION)));
        assert!(ExpectedAnswer::Nothing.is_in(&answered(NO_INFORMATION)));
        assert!(ExpectedAnswer::Nothing.is_in(&asked_back));
        assert!(!ExpectedAnswer::Nothing.is_in(&answered("It is 5.")));
        assert!(!ExpectedAnswer::Nothing.is_in(&ended(Outcome::Failed, None)));
    }

    #[test]
    fn the_sample_has_questions_of_both_sorts() {
        let all = of_sample(Split::All, None).unwrap();
        let none = all
            .iter()
            .filter(|one| one.expected == ExpectedAnswer::Nothing);
        assert!(all.len() > 100 && none.count() > 5);
        assert_eq!(of_sample(Split::All, Some(2)).unwrap().len(), 2);
        let halves = [Split::Dev, Split::Test].map(|split| of_sample(split, None).unwrap().len());
        assert_eq!(halves.iter().sum::<usize>(), all.len());
    }
}
