//! Keeps account of every question: when it was to be asked, and each end that was stored for it. Pure.

use envelope::{Outcome, Terminal};
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// What the ids of questions begin with; a number follows.
const PREFIX: &str = "soak-";
/// How much greater memory may be in the last quarter than in the second one.
pub(super) const GROWTH_MAX: f64 = 1.1;

/// One question, by its number.
#[derive(Debug)]
struct Question {
    asked: Duration,
    /// When its end was heard, and where it is stored.
    ended: Option<(Duration, u64)>,
}

/// The account of all questions. Times are since the run began.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    questions: Vec<Question>,
    open: usize,
    outcomes: BTreeMap<&'static str, usize>,
    doubled: Vec<String>,
    strangers: Vec<String>,
    /// The stream position of the last end that was heard.
    position: u64,
}

/// What came of the questions.
#[derive(Debug, Default, serde::Serialize)]
pub(super) struct Account {
    pub(super) asked: usize,
    /// How many ended in which way.
    pub(super) outcomes: BTreeMap<&'static str, usize>,
    /// Questions without an end in the stream, or with one that was there and is gone.
    pub(super) lost: Vec<String>,
    /// Questions of which a second end was stored.
    pub(super) doubled: Vec<String>,
    /// Ends of questions that nobody asked.
    pub(super) strangers: Vec<String>,
    /// What else went wrong: processes that died by themselves, a run that was given up.
    pub(super) trouble: Vec<String>,
    /// When each end came and how long after its question was due, in seconds; by the first of these.
    #[serde(skip)]
    pub(super) answers: Vec<(f64, f64)>,
}

impl Ledger {
    /// The id of the next question, which is due at this time.
    pub(super) fn asked(&mut self, at: Duration) -> String {
        let id = format!("{PREFIX}{}", self.questions.len());
        let ended = None;
        self.questions.push(Question { asked: at, ended });
        self.open += 1;
        id
    }

    /// An end is stored at this position. A position that was read before counts once.
    pub(super) fn ended(&mut self, terminal: &Terminal, position: u64, at: Duration) {
        if position <= self.position {
            return;
        }
        self.position = position;
        let id = terminal.turn.as_str();
        let number = id
            .strip_prefix(PREFIX)
            .and_then(|n| n.parse::<usize>().ok());
        match number.and_then(|number| self.questions.get_mut(number)) {
            None => self.strangers.push(id.to_owned()),
            Some(Question { ended: Some(_), .. }) => self.doubled.push(id.to_owned()),
            Some(question) => {
                question.ended = Some((at, position));
                self.open -= 1;
                *self.outcomes.entry(terminal.outcome.as_str()).or_default() += 1;
            }
        }
    }

    /// From which position on ends are not heard yet.
    pub(super) fn next(&self) -> u64 {
        self.position + 1
    }

    /// How many questions have no end yet.
    pub(super) fn open(&self) -> usize {
        self.open
    }

    /// The account, when no further end is waited for. `stored` is what the stream holds at last, from position `first` on:
    /// an end that was heard and is not there any more is lost, too.
    pub(super) fn close(self, first: u64, stored: &HashSet<u64>) -> Account {
        let (mut lost, mut answers) = (Vec::new(), Vec::new());
        let asked = self.questions.len();
        for (number, question) in self.questions.into_iter().enumerate() {
            match question.ended {
                Some((at, position)) if position < first || stored.contains(&position) => {
                    let took = at.saturating_sub(question.asked);
                    answers.push((at.as_secs_f64(), took.as_secs_f64()));
                }
                _ => lost.push(format!("{PREFIX}{number}")),
            }
        }
        answers.sort_by(|one, other| one.0.total_cmp(&other.0));
        Account {
            asked,
            outcomes: self.outcomes,
            lost,
            doubled: self.doubled,
            strangers: self.strangers,
            trouble: Vec::new(),
            answers,
        }
    }
}

impl Account {
    /// How many questions were answered.
    pub(super) fn answered(&self) -> usize {
        let answered = self.outcomes.get(Outcome::Answered.as_str());
        answered.copied().unwrap_or(0)
    }

    /// The slowest hundredth of all answers, in seconds.
    pub(super) fn p99_s(&self) -> f64 {
        let mut took: Vec<f64> = self.answers.iter().map(|(_, took)| *took).collect();
        took.sort_by(f64::total_cmp);
        took.get(took.len() * 99 / 100).copied().unwrap_or(f64::NAN)
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
        let ended: usize = self.outcomes.values().sum();
        let otherwise = ended - self.answered();
        let otherwise = (otherwise > 0).then(|| format!("{otherwise} not answered"));
        let told: Vec<String> = told.chain(otherwise).collect();
        let of_questions =
            (!told.is_empty()).then(|| format!("of {} questions {}", self.asked, told.join(", ")));
        let told: Vec<String> = of_questions
            .into_iter()
            .chain(self.trouble.clone())
            .collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(turn: &str, outcome: &str) -> Terminal {
        let terminal = serde_json::json!({
            "v": 1, "turn": turn, "tenant": "default", "outcome": outcome, "asked_at": 0, "ended_at": 0,
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
        let ids = [(); 4].map(|()| ledger.asked(at(100)));
        assert_eq!(ids[3], "soak-3");
        let heard = [
            ("soak-0", 1),
            ("soak-1", 2),
            ("soak-1", 2),
            ("soak-0", 3),
            ("x", 4),
            ("soak-3", 5),
        ];
        for (turn, position) in heard {
            ledger.ended(&end(turn, "answered"), position, at(350));
        }
        assert_eq!((ledger.open(), ledger.next()), (1, 6));
        // The end of the last one was stored, and the server has lost it.
        let account = ledger.close(1, &[1, 2, 3, 4].into());
        assert_eq!(account.lost, ["soak-2", "soak-3"]);
        assert_eq!(
            account.doubled,
            ["soak-0"],
            "a position that is read again is no second end"
        );
        assert_eq!(account.strangers, ["x"]);
        assert_eq!(account.answers, [(0.35, 0.25), (0.35, 0.25)]);
        let fault = account.fault().expect("a fault");
        assert!(
            fault.contains("2 lost, such as `soak-2`, 1 ended twice"),
            "{fault}"
        );
    }

    #[test]
    fn what_is_no_answer_and_what_went_wrong_beside_is_a_fault() {
        for (outcome, is_fault) in [("answered", false), ("expired", true)] {
            let mut ledger = Ledger::default();
            let id = ledger.asked(at(0));
            ledger.ended(&end(&id, outcome), 7, at(5));
            // What has aged out of the stream was there.
            let mut account = ledger.close(8, &HashSet::new());
            assert_eq!(account.fault().is_some(), is_fault, "{account:?}");
            account.trouble.push("the mapper ended by itself".into());
            assert!(account.fault().expect("a fault").ends_with("by itself"));
        }
    }
}
