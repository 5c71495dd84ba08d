//! What the events of a log come to as history. Pure.

use conversation_log::{EventKind, LogEvent, TurnEnd, TurnOpening};
use envelope::{Exchange, History, Outcome, Recall, Resume, TurnId};

/// The sequences that a recall reads: of each exchange where its turn was opened and where it ended, then the same of the
/// question back that it answers.
pub(crate) fn sequences(recall: &Recall) -> Vec<u64> {
    let places = recall.exchanges.iter().chain(&recall.answers);
    places
        .flat_map(|place| [place.opened, place.ended])
        .collect()
}

/// What the events of a recall come to.
pub(crate) struct Recalled {
    /// What was said.
    pub(crate) history: History,
    /// The question that was asked back about.
    pub(crate) resumed: Option<(TurnId, Resume)>,
    /// Exchanges that are no longer kept, one event of each at least. They count as left out, too.
    pub(crate) gone: u16,
}

/// What was said, from the events at [`sequences`].
pub(crate) fn read(recall: &Recall, events: Vec<Option<LogEvent>>) -> Recalled {
    let mut pairs = pairs(events);
    let answered = pairs.split_off(recall.exchanges.len().min(pairs.len()));
    let count = pairs.len();
    let told: Vec<_> = pairs.into_iter().flatten().collect();
    let gone = u16::try_from(count - told.len()).unwrap_or(u16::MAX);
    let end = answered.into_iter().flatten().next().map(|(_, end)| end);
    let resumed = end.and_then(|end| Some((end.turn, end.resume?)));
    let doubted = resumed.iter().flat_map(|(_, resume)| &resume.evidence);
    // A question back is no answer: what was found before it still stands.
    let mut ends = told.iter().rev().map(|(_, end)| end);
    let answer = ends.find(|end| end.outcome == Some(Outcome::Answered));
    let mut evidence: Vec<String> = doubted.cloned().collect();
    for id in answer.iter().flat_map(|end| &end.evidence) {
        if !evidence.contains(id) {
            evidence.push(id.clone());
        }
    }
    let exchanges = told.into_iter().map(exchange).collect();
    let mut history = History::of(exchanges, evidence);
    history.left_out += u32::from(gone);
    Recalled {
        history,
        resumed,
        gone,
    }
}

type Pair = (TurnOpening, TurnEnd);

fn pairs(events: Vec<Option<LogEvent>>) -> Vec<Option<Pair>> {
    let mut events = events.into_iter();
    let mut pairs = Vec::new();
    while let (Some(opened), Some(ended)) = (events.next(), events.next()) {
        pairs.push(match (opened.map(|e| e.event), ended.map(|e| e.event)) {
            (Some(EventKind::Opened(opened)), Some(EventKind::Ended(ended))) => {
                Some((*opened, *ended))
            }
            _ => None,
        });
    }
    pairs
}

fn exchange((opened, ended): Pair) -> Exchange {
    let asked_back = ended.clarification.map(|asked| asked.question);
    Exchange {
        question: ended.rewritten.unwrap_or(opened.case.question.original),
        answer: ended
            .answer
            .map(|kept| kept.text)
            .or(asked_back)
            .unwrap_or_default(),
    }
}
