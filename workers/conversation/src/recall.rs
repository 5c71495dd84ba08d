//! What the events of a log come to as history. Pure.

use conversation_log::{EventKind, LogEvent, TurnEnd, TurnOpening};
use envelope::{Exchange, History, Recall, Resume, TurnId};

/// The sequences that a recall reads: of each exchange where its turn was opened and where it ended, then the same of the
/// question back that it answers.
pub(crate) fn sequences(recall: &Recall) -> Vec<u64> {
    let places = recall.exchanges.iter().chain(&recall.answers);
    places
        .flat_map(|place| [place.opened, place.ended])
        .collect()
}

/// What was said, from the events at [`sequences`], and the question that was asked back about. An exchange of which
/// one event is gone counts as left out.
pub(crate) fn read(
    recall: &Recall,
    events: Vec<Option<LogEvent>>,
) -> (History, Option<(TurnId, Resume)>) {
    let mut pairs = pairs(events);
    let answered = pairs.split_off(recall.exchanges.len().min(pairs.len()));
    let count = pairs.len();
    let told: Vec<_> = pairs.into_iter().flatten().collect();
    let gone = count - told.len();
    let evidence = told.last().map(|(_, end)| end.evidence.clone());
    let exchanges = told.into_iter().map(exchange).collect();
    let mut history = History::of(exchanges, evidence.unwrap_or_default());
    history.left_out += gone as u32;
    let end = answered.into_iter().flatten().next().map(|(_, end)| end);
    let resumed = end.and_then(|end| Some((end.turn, end.resume?)));
    (history, resumed)
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
