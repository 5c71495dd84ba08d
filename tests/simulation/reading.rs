//! Parses the messages that a run leaves behind: questions, terminal events, steps. The invariants judge them.

use crate::fleet::Remains;
use crate::plan::DEADLINE;
use crate::world::since_start;
use bus::StoredMessage;
use envelope::question::Question;
use envelope::{
    Envelope, Header, Role, Scatter, Subject, Terminal, TurnId, UnixMs, decode, header,
};
use std::collections::BTreeMap;

/// A question of the inbox, read as of the time of its storing.
pub(crate) struct Asked<'a> {
    pub(crate) message: &'a StoredMessage,
    pub(crate) turn: TurnId,
    pub(crate) reply: Option<String>,
    pub(crate) question: Option<Question>,
}

impl Asked<'_> {
    pub(crate) fn hash(&self) -> String {
        self.question
            .as_ref()
            .map_or_else(String::new, Question::hash)
    }

    pub(crate) fn deadline(&self) -> UnixMs {
        let default = self.message.stored_at.plus(DEADLINE.as_millis() as u64);
        let named = self
            .question
            .as_ref()
            .and_then(|question| question.deadline);
        named.unwrap_or(default)
    }
}

/// The questions of the inbox.
pub(crate) fn asked(remains: &Remains) -> Vec<Asked<'_>> {
    let read = |(message, turn): (_, TurnId)| {
        let message: &StoredMessage = message;
        let parsed = Question::parse(&message.body, message.stored_at, message.stored_at);
        let in_body = match &parsed {
            Ok(question) => question.reply_to.clone(),
            Err(refusal) => refusal.reply_to.clone(),
        };
        Asked {
            message,
            turn,
            reply: in_body.or_else(|| message.headers.get(header::REPLY).map(str::to_owned)),
            question: parsed.ok(),
        }
    };
    remains.asked().map(read).collect()
}

/// The terminal events, by turn.
pub(crate) fn terminals(remains: &Remains) -> BTreeMap<TurnId, (Terminal, &StoredMessage)> {
    let read = |message: &'_ StoredMessage| Some(decode::<Terminal>(&message.body).ok()?.turn);
    let turns = remains
        .answers
        .iter()
        .filter_map(|message| Some((read(message)?, message)));
    turns
        .filter_map(|(turn, message)| Some((turn, (decode(&message.body).ok()?, message))))
        .collect()
}

/// How turns ended.
pub(crate) fn outcomes(remains: &Remains) -> Vec<String> {
    let ended = terminals(remains);
    ended
        .values()
        .map(|(t, _)| t.outcome.as_str().to_owned())
        .collect()
}

/// One line for each turn.
pub(crate) fn story(remains: &Remains) -> Vec<String> {
    let line = |(turn, (t, _)): (&TurnId, &(Terminal, &StoredMessage))| {
        let taken = remains.ledger.taken.get(turn).copied().unwrap_or_default();
        let (asked, ended) = (since_start(t.asked_at), since_start(t.ended_at));
        let code = t.error.as_ref().map_or("", |problem| problem.code.as_str());
        format!(
            "{turn}: {:?} {code}, asked {asked:?}, ended {ended:?}, taken {taken:?}",
            t.outcome
        )
    };
    terminals(remains).iter().map(line).collect()
}

/// Every step of the stream with its place. Map steps have an index, and scatter records have no role.
pub(crate) fn steps(
    remains: &Remains,
) -> impl Iterator<Item = (TurnId, u16, Option<Role>, Option<u16>, &StoredMessage)> {
    remains
        .steps
        .iter()
        .filter_map(|m| match Subject::parse(&m.subject) {
            Ok(ref subject) if let Some((turn, hop)) = subject.of_scatter() => {
                Some((turn.clone(), hop, None, None, m))
            }
            Ok(Subject::Step {
                role,
                turn,
                hop,
                index,
                ..
            }) => Some((turn, hop, Some(role), index, m)),
            _ => None,
        })
}

/// The fan-outs by place, with the number of passages of each.
pub(crate) fn scatters(remains: &Remains) -> BTreeMap<(TurnId, u16), usize> {
    steps(remains)
        .filter(|(_, _, role, _, _)| role.is_none())
        .filter_map(|(turn, hop, _, _, message)| {
            let record: Envelope<Scatter> = decode(&message.body).ok()?;
            Some(((turn, hop), record.payload.passages.len()))
        })
        .collect()
}

/// The headers with which turns began.
pub(crate) fn begun(remains: &Remains) -> BTreeMap<TurnId, Header> {
    steps(remains)
        .filter(|(_, hop, ..)| *hop == 0)
        .filter_map(|(turn, _, _, _, message)| {
            let step: Envelope<serde_json::Value> = decode(&message.body).ok()?;
            Some((turn, step.header))
        })
        .collect()
}
