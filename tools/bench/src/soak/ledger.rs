//! Keeps account of every question: when it was asked, and each end that was stored for it. Pure.

use envelope::{Outcome, Terminal};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// One question.
#[derive(Debug)]
struct Question {
    asked: Duration,
    ended: Option<Duration>,
}

/// The account of all questions. Times are since the run began.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    questions: HashMap<String, Question>,
    ended: usize,
    outcomes: BTreeMap<&'static str, usize>,
    doubled: Vec<String>,
    strangers: Vec<String>,
    /// The stream position of the last end that was counted.
    position: u64,
}

/// What came of the questions.
#[derive(Debug, serde::Serialize)]
pub(super) struct Account {
    pub(super) asked: usize,
    /// How many ended in which way.
    pub(super) outcomes: BTreeMap<&'static str, usize>,
    /// Questions without an end.
    pub(super) lost: Vec<String>,
    /// Questions with more than one end.
    pub(super) doubled: Vec<String>,
    /// Ends of questions that nobody asked.
    pub(super) strangers: Vec<String>,
    /// When each end came and how long after its question, in seconds.
    #[serde(skip)]
    pub(super) answers: Vec<(f64, f64)>,
}

impl Ledger {
    /// A question is about to be asked.
    pub(super) fn asked(&mut self, id: String, at: Duration) {
        let question = Question {
            asked: at,
            ended: None,
        };
        self.questions.insert(id, question);
    }

    /// An end is stored at this position. A position that was read before counts once.
    pub(super) fn ended(&mut self, terminal: &Terminal, position: u64, at: Duration) {
        if position <= self.position {
            return;
        }
        self.position = position;
        let id = terminal.turn.as_str();
        match self.questions.get_mut(id) {
            None => self.strangers.push(id.to_owned()),
            Some(Question { ended: Some(_), .. }) => self.doubled.push(id.to_owned()),
            Some(question) => {
                question.ended = Some(at);
                self.ended += 1;
                *self.outcomes.entry(terminal.outcome.as_str()).or_default() += 1;
            }
        }
    }

    /// From which position on ends are not counted yet.
    pub(super) fn next(&self) -> u64 {
        self.position + 1
    }

    /// How many questions have no end yet.
    pub(super) fn open(&self) -> usize {
        self.questions.len() - self.ended
    }

    /// The account, when no further end is waited for.
    pub(super) fn close(self) -> Account {
        let asked = self.questions.len();
        let (mut lost, mut answers) = (Vec::new(), Vec::new());
        for (id, question) in self.questions {
            match question.ended {
                None => lost.push(id),
                Some(at) => {
                    let took = at.saturating_sub(question.asked);
                    answers.push((at.as_secs_f64(), took.as_secs_f64()));
                }
            }
        }
        lost.sort();
        Account {
            asked,
            outcomes: self.outcomes,
            lost,
            doubled: self.doubled,
            strangers: self.strangers,
            answers,
        }
    }
}

impl Account {
    /// The share of questions that were answered.
    pub(super) fn answered(&self) -> f64 {
        let answered = self.outcomes.get(Outcome::Answered.as_str());
        answered.copied().unwrap_or(0) as f64 / self.asked.max(1) as f64
    }

    /// What must not be, in a sentence; nothing where all is as it should be.
    pub(super) fn fault(&self) -> Option<String> {
        let kinds = [
            ("lost", &self.lost),
            ("ended twice", &self.doubled),
            ("ended and were never asked", &self.strangers),
        ];
        let told = kinds.into_iter().filter(|(_, ids)| !ids.is_empty());
        let told = told.map(|(what, ids)| format!("{} {what}, such as `{}`", ids.len(), ids[0]));
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| format!("of {} questions {}", self.asked, told.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(turn: &str) -> Terminal {
        let terminal = serde_json::json!({
            "v": 1, "turn": turn, "tenant": "default", "outcome": "answered", "asked_at": 0, "ended_at": 0,
            "usage": { "calls": 0, "tokens_in": 0, "tokens_out": 0 }, "trail": [],
        });
        serde_json::from_value(terminal).expect("a terminal event")
    }

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_question_is_lost_answered_or_doubled() {
        let mut ledger = Ledger::default();
        for id in ["a", "b", "c"] {
            ledger.asked(id.into(), at(100));
        }
        for (turn, position) in [("a", 1), ("b", 2), ("b", 2), ("a", 3), ("x", 4)] {
            ledger.ended(&end(turn), position, at(350));
        }
        assert_eq!((ledger.open(), ledger.next()), (1, 5));
        let account = ledger.close();
        assert_eq!(account.lost, ["c"]);
        assert_eq!(
            account.doubled,
            ["a"],
            "a position that is read again is no second end"
        );
        assert_eq!(account.strangers, ["x"]);
        assert_eq!(account.answers, [(0.35, 0.25), (0.35, 0.25)]);
        assert!((account.answered() - 2.0 / 3.0).abs() < 1e-9);
        let fault = account.fault().expect("a fault");
        assert!(
            fault.contains("1 lost, such as `c`, 1 ended twice"),
            "{fault}"
        );
    }

    #[test]
    fn nothing_is_wrong_with_a_question_that_ended_once() {
        let mut ledger = Ledger::default();
        ledger.asked("a".into(), at(0));
        ledger.ended(&end("a"), 1, at(5));
        assert_eq!(ledger.close().fault(), None);
    }
}
