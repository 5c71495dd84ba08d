//! The earlier part of a conversation, in the form in which the planner gets it with a question.
//!
//! A conversation may be long, so this is a bounded view: the last exchanges with their answers, earlier questions
//! without answers, and the ids of the chunks that the last answer cites. *Not* here: the log of the conversation,
//! which keeps more.

use crate::codec::is_default;
use crate::limits::{
    HISTORY_ANSWER_CHARS_MAX, HISTORY_CHARS_MAX, HISTORY_EXCHANGES_MAX, QUESTION_CHARS_MAX,
};
use serde::{Deserialize, Serialize};

/// A bounded view of what was said before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The last exchanges, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
    /// The questions before those, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub older: Vec<String>,
    /// Chunk ids that the last answer cites, the first cited first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// How many exchanges are in neither list, because there was no room.
    #[serde(default, skip_serializing_if = "is_default")]
    pub left_out: u32,
}

/// A question and what was answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The question, self-contained where it was rewritten.
    pub question: String,
    /// The answer or the question back; empty where there was neither.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
}

/// The place of an exchange in the log of its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExchangePlace {
    /// Sequence of the event that opened its turn.
    pub opened: u64,
    /// Sequence of the event that ended it.
    pub ended: u64,
}

impl History {
    /// The view of a conversation with these exchanges, oldest first. It has the newest
    /// `HISTORY_EXCHANGES_MAX` with the beginnings of their answers, and the questions of earlier ones, within
    /// `HISTORY_CHARS_MAX` characters in all. The newest are kept.
    pub fn of(exchanges: Vec<Exchange>, evidence: Vec<String>) -> History {
        let mut left = HISTORY_CHARS_MAX;
        let mut history = History {
            evidence,
            ..History::default()
        };
        let mut newest_first = exchanges.into_iter().rev();
        for exchange in newest_first.by_ref().take(HISTORY_EXCHANGES_MAX) {
            let exchange = Exchange {
                question: beginning(exchange.question, left.min(QUESTION_CHARS_MAX)),
                answer: beginning(exchange.answer, HISTORY_ANSWER_CHARS_MAX),
            };
            let size = exchange.question.chars().count() + exchange.answer.chars().count();
            if size > left {
                history.left_out += 1;
                break;
            }
            left -= size;
            history.exchanges.push(exchange);
        }
        for exchange in newest_first {
            let size = exchange.question.chars().count();
            if size > left || history.left_out > 0 {
                history.left_out += 1;
                continue;
            }
            left -= size;
            history.older.push(exchange.question);
        }
        history.exchanges.reverse();
        history.older.reverse();
        history
    }

    /// The next shorter view, for a reader that has no room for this one: without the older questions, then without the
    /// oldest exchange, then without the last answer. `None` where only the question before is left.
    pub fn shorter(&self) -> Option<History> {
        let mut shorter = self.clone();
        match (&mut shorter.older, &mut shorter.exchanges[..]) {
            (older, _) if !older.is_empty() => {
                shorter.left_out += std::mem::take(older).len() as u32;
            }
            (_, [last]) if !last.answer.is_empty() => last.answer = String::new(),
            (_, [] | [_]) => return None,
            _ => {
                shorter.exchanges.remove(0);
                shorter.left_out += 1;
            }
        }
        Some(shorter)
    }

    /// Whether nothing was said before.
    pub fn is_empty(&self) -> bool {
        *self == History::default()
    }

    /// The question before; empty where there was none.
    pub fn question_before(&self) -> &str {
        let last = self.exchanges.last().map(|exchange| &exchange.question);
        last.or(self.older.last()).map_or("", String::as_str)
    }

    /// How many exchanges it contains, whole or in part.
    pub fn len(&self) -> usize {
        self.exchanges.len() + self.older.len()
    }
}

fn beginning(mut text: String, chars: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(chars) {
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exchange(n: usize, question: usize, answer: usize) -> Exchange {
        Exchange {
            question: format!("{n}{}", "q".repeat(question)),
            answer: format!("{n}{}", "ä".repeat(answer)),
        }
    }

    #[test]
    fn the_newest_are_whole_and_of_those_before_the_questions_stand() {
        let all = (0..5).map(|n| exchange(n, 5, 10)).collect();
        let history = History::of(all, vec!["lease-1.3".into()]);
        let answered: Vec<_> = history.exchanges.iter().map(|e| &e.question[..1]).collect();
        assert_eq!(answered, ["2", "3", "4"]);
        assert_eq!(history.older, ["0qqqqq", "1qqqqq"]);
        assert_eq!((history.left_out, history.len()), (0, 5));
        assert_eq!(history.question_before(), "4qqqqq");
        assert_eq!(History::default().question_before(), "");
        assert!(History::of(Vec::new(), Vec::new()).is_empty());
    }

    #[test]
    fn what_there_is_no_room_for_is_counted() {
        let long = HISTORY_CHARS_MAX / 2;
        let all = vec![
            exchange(0, 5, 5),
            exchange(1, long, 5),
            exchange(2, long, 5),
        ];
        let history = History::of(all, Vec::new());
        assert_eq!((history.exchanges.len(), history.left_out), (1, 2));
        assert!(history.exchanges[0].question.starts_with('2'));
    }

    #[test]
    fn it_gets_shorter_until_the_question_before_is_left() {
        let all = (0..5).map(|n| exchange(n, 5, 10)).collect();
        let whole = History::of(all, vec!["lease-1.3".into()]);
        let views: Vec<_> = std::iter::successors(Some(whole), History::shorter).collect();
        let sizes = views
            .iter()
            .map(|v| (v.older.len(), v.exchanges.len(), v.left_out));
        let sizes: Vec<_> = sizes.collect();
        assert_eq!(
            sizes,
            [(2, 3, 0), (0, 3, 2), (0, 2, 3), (0, 1, 4), (0, 1, 4)]
        );
        let last = views.last().unwrap();
        assert_eq!(
            (last.question_before(), &*last.exchanges[0].answer),
            ("4qqqqq", "")
        );
        assert_eq!(History::default().shorter(), None);
    }

    proptest! {
        #[test]
        fn it_stays_within_its_room(sizes in prop::collection::vec((0usize..9_000, 0usize..9_000), 0..20)) {
            let count = sizes.len();
            let all = sizes.into_iter().map(|(q, a)| exchange(0, q, a)).collect();
            let history = History::of(all, Vec::new());
            let whole = history.exchanges.iter().map(|e| e.question.chars().count() + e.answer.chars().count());
            let older = history.older.iter().map(|q| q.chars().count());
            prop_assert!(whole.chain(older).sum::<usize>() <= HISTORY_CHARS_MAX);
            prop_assert_eq!(history.len() + history.left_out as usize, count);
        }
    }
}
