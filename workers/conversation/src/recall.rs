//! Turns the events of a log into a history for the planner. Pure.

use conversation_log::EndedExchange;
use envelope::{Exchange, ExchangePlace, History, Outcome, Recall, Resume, TurnId};

/// The places that a recall reads: its exchanges, then the question back that the question answers.
pub(crate) fn places(recall: &Recall) -> Vec<ExchangePlace> {
    let places = recall.exchanges.iter().chain(&recall.answers);
    places.copied().collect()
}

/// The result of a recall.
pub(crate) struct Recalled {
    /// What was said.
    pub(crate) history: History,
    /// The turn that asked back, and what the reply goes on with.
    pub(crate) resumed: Option<(TurnId, Resume)>,
    /// How many exchanges are left out because too little of them is kept. They also count as left out of the
    /// history.
    pub(crate) gone: u16,
}

/// Builds the history from what stands at [`places`].
pub(crate) fn read(recall: &Recall, mut said: Vec<Option<EndedExchange>>) -> Recalled {
    let answered = said.split_off(recall.exchanges.len().min(said.len()));
    let count = said.len();
    let told: Vec<EndedExchange> = said.into_iter().flatten().collect();
    let gone = u16::try_from(count - told.len()).unwrap_or(u16::MAX);
    let answered = answered.into_iter().flatten().next();
    let resumed = answered.and_then(|said| Some((said.end.turn, said.end.resume?)));
    let doubted = resumed.iter().flat_map(|(_, resume)| &resume.evidence);
    // A question back is no answer: what was found before it still stands.
    let mut ends = told.iter().rev().map(|said| &said.end);
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

fn exchange(EndedExchange { question, end }: EndedExchange) -> Exchange {
    let asked_back = end.clarification.map(|asked| asked.question);
    Exchange {
        question,
        answer: end
            .answer
            .map(|kept| kept.text)
            .or(asked_back)
            .unwrap_or_default(),
    }
}
