//! What came of one question in one system. Pure.

use super::judge::{Verdict, is_refusal, judge};
use super::question::AnswerQuestion;
use super::recording::Call;
use super::values::states;
use envelope::{Outcome, Role, Terminal};
use serde::Serialize;

/// An answer, and what it cost.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) system: String,
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) question: String,
    pub(super) expected: Vec<String>,
    pub(super) answer: Option<String>,
    pub(super) verdict: Verdict,
    /// Whether it is what is expected: a right value, or a refusal where the documents do not say.
    pub(super) is_right: bool,
    /// Of a fleet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<f32>,
    pub(super) is_marked_low: bool,
    /// Whether every value stood in what the model was shown; absent where no value is expected or no model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_shown: Option<bool>,
    /// Whether every value stands in the quotes that a right answer cites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_cited: Option<bool>,
    pub(super) calls: usize,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    /// How long a call of it was running.
    pub(super) ms: u64,
}

/// An answer before it is judged.
#[derive(Debug, Default)]
pub(super) struct Given {
    answer: Option<String>,
    has_failed: bool,
    confidence: Option<f32>,
    is_marked_low: bool,
    quotes: Option<String>,
}

impl Given {
    /// Of a call of its own.
    pub(super) fn plain(answer: Option<String>) -> Given {
        Given {
            has_failed: answer.is_none(),
            answer,
            ..Given::default()
        }
    }

    /// Of a fleet.
    pub(super) fn by_fleet(terminal: &Terminal) -> Given {
        let is_empty = terminal
            .table
            .as_ref()
            .is_some_and(|table| table.documents == 0);
        let quotes = terminal.citations.iter().map(|one| one.quote.as_str());
        Given {
            answer: terminal.answer.clone().filter(|_| !is_empty),
            has_failed: !matches!(terminal.outcome, Outcome::Answered | Outcome::Clarification),
            confidence: terminal.confidence,
            is_marked_low: terminal.low_confidence,
            quotes: Some(quotes.collect::<Vec<_>>().join("\n")),
        }
    }
}

impl Row {
    pub(super) fn of(system: &str, question: &AnswerQuestion, given: Given, calls: &[Call]) -> Row {
        let verdict = match given.has_failed {
            true => Verdict::Failed,
            false => judge(question, given.answer.as_deref()),
        };
        let states_all = |text: &str| question.contains.iter().all(|value| states(text, value));
        let reading = calls
            .iter()
            .filter(|call| matches!(call.role, Role::Mapper | Role::Reducer));
        let shown: Vec<&str> = reading.map(|call| call.prompt.as_str()).collect();
        let is_shown = question.is_answerable() && !shown.is_empty();
        let quotes = given.quotes.filter(|_| verdict == Verdict::Right);
        Row {
            system: system.to_owned(),
            id: question.id.clone(),
            kind: question.kind.clone(),
            question: question.text.clone(),
            expected: question.contains.clone(),
            is_right: match question.is_answerable() {
                true => verdict == Verdict::Right,
                false => verdict == Verdict::Refused,
            },
            verdict,
            confidence: given.confidence,
            is_marked_low: given.is_marked_low,
            is_shown: is_shown.then(|| states_all(&shown.join("\n"))),
            is_cited: quotes.map(|quotes| states_all(&quotes)),
            calls: calls.len(),
            tokens_in: calls.iter().map(|call| call.tokens_in).sum(),
            tokens_out: calls.iter().map(|call| call.tokens_out).sum(),
            ms: busy(calls),
            answer: given.answer,
        }
    }

    /// Whether something is asserted that can be right or wrong.
    pub(super) fn is_assertion(&self) -> bool {
        let is_empty = self.answer.as_deref().is_none_or(is_refusal);
        matches!(self.verdict, Verdict::Right | Verdict::Wrong) && !is_empty
    }

    /// Whether the documents answer the question.
    pub(super) fn is_answerable(&self) -> bool {
        !self.expected.is_empty()
    }
}

/// How long at least one of some calls was running, in milliseconds.
fn busy(calls: &[Call]) -> u64 {
    let mut spans: Vec<(u64, u64)> = calls
        .iter()
        .map(|call| (call.began, call.began + call.ms))
        .collect();
    spans.sort_unstable();
    let mut until = 0;
    spans.iter().fold(0, |sum, (began, ended)| {
        let new = ended.saturating_sub(until.max(*began));
        until = until.max(*ended);
        sum + new
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(began: u64, ms: u64) -> Call {
        Call {
            role: Role::Mapper,
            prompt: "It is 45 V.".into(),
            tokens_in: 10,
            tokens_out: 1,
            began,
            ms,
        }
    }

    #[test]
    fn calls_beside_one_another_take_their_time_once() {
        assert_eq!(busy(&[]), 0);
        assert_eq!(
            busy(&[call(100, 50), call(120, 50), call(125, 10), call(300, 5)]),
            75
        );
    }

    #[test]
    fn a_row_says_whether_the_model_saw_the_answer() {
        let question = AnswerQuestion {
            contains: vec!["45 V".into()],
            ..AnswerQuestion::default()
        };
        let given = || Given::plain(Some("45 V".into()));
        let row = Row::of("plain-3", &question, given(), &[call(0, 1)]);
        assert!(row.is_right && row.is_shown == Some(true) && row.is_assertion());
        let row = Row::of("plain-3", &question, given(), &[]);
        assert_eq!((row.is_shown, row.is_cited), (None, None));
        let gone = question.without_sources();
        let row = Row::of(
            "plain-3",
            &gone,
            Given::plain(Some("It is not mentioned.".into())),
            &[],
        );
        assert!(row.is_right && !row.is_assertion() && !row.is_answerable());
        let failed = Row::of("plain-3", &question, Given::plain(None), &[]);
        assert_eq!(failed.verdict, Verdict::Failed);
    }
}
