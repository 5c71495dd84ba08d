//! Reads the questions and answers of a conversation from its events.
//!
//! An `ended` event mostly contains the question, as it was asked or as it was rewritten for the search, so nothing
//! else is read. If it does not, because turns overlapped or an older release wrote it, the `opened` event is read as
//! well. *Not* here: how much of this text a later turn gets (the role `conversation`).

use crate::event::{EventKind, LogEvent, TurnEnd};
use crate::source::{ConversationKey, EventSource, SourceError};
use envelope::ExchangePlace;

/// A turn that has ended, with its question.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedExchange {
    /// The question as it was searched for.
    pub question: String,
    /// How it ended.
    pub end: TurnEnd,
}

/// Reads the exchanges at these places, in their order. An exchange of which too little is kept is `None`.
///
/// # Errors
/// When events cannot be read.
pub async fn read(
    source: &dyn EventSource,
    key: &ConversationKey,
    places: &[ExchangePlace],
) -> Result<Vec<Option<EndedExchange>>, SourceError> {
    let ended: Vec<u64> = places.iter().map(|place| place.ended).collect();
    let ends: Vec<Option<TurnEnd>> = events(source, key, &ended).await?.map(end).collect();
    let lacks = |(_, end): &(&ExchangePlace, &Option<TurnEnd>)| {
        end.as_ref().is_some_and(|end| told(end).is_none())
    };
    let lacking = places.iter().zip(&ends).filter(lacks);
    let opened: Vec<u64> = lacking.map(|(place, _)| place.opened).collect();
    let mut questions = events(source, key, &opened).await?.map(question);
    let whole = ends.into_iter().map(|end| {
        let end = end?;
        let question = match told(&end) {
            Some(question) => Some(question.clone()),
            None => questions.next().flatten(),
        };
        let question = question?;
        Some(EndedExchange { question, end })
    });
    Ok(whole.collect())
}

async fn events(
    source: &dyn EventSource,
    key: &ConversationKey,
    sequences: &[u64],
) -> Result<std::vec::IntoIter<Option<LogEvent>>, SourceError> {
    let events = match sequences.is_empty() {
        true => Vec::new(),
        false => source.events(key, sequences).await?,
    };
    Ok(events.into_iter())
}

fn told(end: &TurnEnd) -> Option<&String> {
    end.rewritten.as_ref().or(end.question.as_ref())
}

fn end(event: Option<LogEvent>) -> Option<TurnEnd> {
    match event?.event {
        EventKind::Ended(ended) => Some(*ended),
        _ => None,
    }
}

fn question(event: Option<LogEvent>) -> Option<String> {
    match event?.event {
        EventKind::Opened(opened) => Some(opened.case.question.original),
        _ => None,
    }
}
