//! Reads dead letters, selects some of them, and tells what a retry of each would do.
//!
//! A dead letter of a turn is retried as a new turn that begins at its step; a dead letter of a document by publishing
//! the document again. Only [`act`] changes anything, and nothing here prints.

mod document;
mod error;

pub use error::Error;

use bus::{Bus, BusError, Publish, StoredMessage, Stream};
use envelope::{Overrides, Role, Subject, TurnId, UnixMs, WebhookName, header, subject};
use harness::replay::{self, ReplayPoint};
use serde::{Serialize, Serializer};
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;
use streams::history::{self, TurnRecord};
use streams::outbox::{CreateOutcome, publish_until};

/// How many of the last sequences of the stream are searched.
pub const SCAN_MAX: u64 = 100_000;
/// The most dead letters that can be handled at once.
pub const CHOSEN_MAX: usize = 1_000;
/// How long the next letter may take.
const NEXT_WAIT: Duration = Duration::from_secs(10);

/// Who gave a message up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUpBy {
    /// A process of this role.
    Role(Role),
    /// A door, for a webhook.
    Webhook,
}

impl fmt::Display for GivenUpBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GivenUpBy::Role(role) => role.fmt(f),
            GivenUpBy::Webhook => f.pad("webhook"),
        }
    }
}

impl Serialize for GivenUpBy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A dead letter without its bytes. Every field is always there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Letter {
    /// Its number: the sequence in the stream of dead letters.
    pub number: u64,
    /// When it was stored, in Unix milliseconds.
    pub stored_at: UnixMs,
    /// The role of the step; for documents, the indexer.
    pub role: GivenUpBy,
    /// The turn, for steps and webhooks.
    pub turn: Option<TurnId>,
    /// The hop, for steps.
    pub hop: Option<u16>,
    /// The index of a map step in its fan-out.
    pub index: Option<u16>,
    /// The webhook that was not told of the end of the turn.
    pub webhook: Option<WebhookName>,
    /// The document, for documents.
    pub source: Option<String>,
    /// The reason, as one word.
    pub reason: String,
    /// The last error.
    pub error: String,
    /// The subject of the message.
    pub subject: String,
    /// The stream of the message, and its sequence there.
    pub origin: String,
    /// How often it had been delivered.
    pub delivered: u64,
    /// Bytes of its body.
    pub bytes: usize,
    /// Size of the body before it was cut; more than `bytes` if only the beginning is kept.
    pub bytes_before: usize,
    /// The id of the turn that retries the step, whether this turn exists yet or not.
    #[serde(skip)]
    pub retry: Option<TurnId>,
}

impl Letter {
    /// Parses a stored dead letter; `None` when it is not one of ours.
    pub fn of(stored: &StoredMessage) -> Option<Letter> {
        let by = GivenUpBy::Role;
        let (role, turn, place, webhook) = match Subject::parse(&stored.subject).ok()? {
            Subject::Dead {
                role,
                turn,
                hop,
                index,
            } => (by(role), Some(turn), Some((hop, index)), None),
            Subject::DeadWebhook { turn, webhook } => {
                (GivenUpBy::Webhook, Some(turn), None, Some(webhook))
            }
            Subject::DeadDocument { .. } => (by(Role::Indexer), None, None, None),
            _ => return None,
        };
        let of = |name| stored.headers.get(name).map(str::to_owned);
        let number = |name| stored.headers.get(name)?.parse::<u64>().ok();
        Some(Letter {
            number: stored.sequence,
            stored_at: stored.stored_at,
            role,
            retry: place.is_some().then(|| replay::retry_id(stored)),
            turn,
            hop: place.map(|(hop, _)| hop),
            index: place.and_then(|(_, index)| index),
            webhook,
            // Of an unreadable document there is one, and it is empty.
            source: of(header::SOURCE).filter(|source| !source.is_empty()),
            reason: of(header::DEAD_REASON).unwrap_or_default(),
            error: of(header::DEAD_ERROR).unwrap_or_default(),
            subject: of(header::DEAD_SUBJECT).unwrap_or_default(),
            origin: of(header::DEAD_ORIGIN).unwrap_or_default(),
            delivered: number(header::DEAD_DELIVERED).unwrap_or(0),
            bytes: stored.body.len(),
            bytes_before: number(header::DEAD_BYTES).map_or(stored.body.len(), |n| n as usize),
        })
    }

    /// Sequence of the message in its stream; 0 where that is not said.
    fn origin_sequence(&self) -> u64 {
        let sequence = self.origin.rsplit_once('/');
        sequence.and_then(|(_, n)| n.parse().ok()).unwrap_or(0)
    }

    /// What the letter is about, in a word or two: the turn and hop, the turn, or the document.
    pub fn about(&self) -> String {
        match (&self.turn, self.hop, self.index) {
            (Some(turn), Some(hop), Some(index)) => format!("{turn} hop {hop}.{index}"),
            (Some(turn), Some(hop), None) => format!("{turn} hop {hop}"),
            (Some(turn), None, _) => turn.to_string(),
            _ => self.source.clone().unwrap_or_else(|| self.subject.clone()),
        }
    }
}

/// A selection of dead letters; the default selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LetterFilter {
    /// Of this role.
    pub role: Option<Role>,
    /// With this reason.
    pub reason: Option<String>,
    /// Stored at this time or before.
    pub until: Option<UnixMs>,
    /// Stored at this time or after.
    pub since: Option<UnixMs>,
}

impl LetterFilter {
    /// Whether a letter is meant.
    pub(crate) fn takes(&self, letter: &Letter) -> bool {
        self.role
            .is_none_or(|role| letter.role == GivenUpBy::Role(role))
            && (self.reason.as_ref()).is_none_or(|reason| *reason == letter.reason)
            && self.until.is_none_or(|until| letter.stored_at <= until)
            && self.since.is_none_or(|since| letter.stored_at >= since)
    }

    fn filter(&self) -> String {
        match self.role {
            Some(role) => subject::dead_of(role),
            None => "argosy.dead.>".into(),
        }
    }
}

/// Selected letters in the order in which they were stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LetterList {
    /// The newest of the selected letters.
    pub letters: Vec<Letter>,
    /// How many older letters are selected, within the range that was searched.
    pub older: u64,
}

/// Returns the newest `limit` selected letters.
pub async fn list(bus: &dyn Bus, wanted: &LetterFilter, limit: usize) -> Result<LetterList, Error> {
    let filter = wanted.filter();
    let Some(last) = bus.last(Stream::Dead, &filter).await? else {
        return Ok(LetterList::default());
    };
    let from = last.sequence.saturating_sub(SCAN_MAX) + 1;
    let mut reader = bus.read(Stream::Dead, &filter, from).await?;
    let (mut kept, mut older) = (VecDeque::new(), 0);
    loop {
        let next = tokio::time::timeout(NEXT_WAIT, reader.next()).await;
        let (stored, pending) = next.map_err(|_| Error::Away)??;
        if let Some(letter) = Letter::of(&stored).filter(|letter| wanted.takes(letter)) {
            kept.push_back(letter);
            if kept.len() > limit {
                kept.pop_front();
                older += 1;
            }
        }
        // What comes while it is read is for the next time; the last may have been deleted meanwhile.
        if stored.sequence >= last.sequence || pending == 0 {
            let letters = kept.into();
            return Ok(LetterList { letters, older });
        }
    }
}

/// Returns the letter with this number, including its bytes.
pub async fn get(bus: &dyn Bus, number: u64) -> Result<StoredMessage, Error> {
    let stored = bus.message(Stream::Dead, number).await?;
    stored.ok_or(Error::NotThere(number))
}

/// What a retry of a dead letter would do.
#[derive(Debug, Clone, PartialEq)]
pub enum Retry {
    /// A new turn continues from the step.
    Turn {
        /// Its id.
        turn: TurnId,
        /// Whether the turn already exists and has not ended. Then its missing messages are published again.
        is_there: bool,
        /// The step from which the turn continues.
        start: Box<ReplayPoint>,
        /// The stored messages of the old turn.
        history: Box<TurnRecord>,
    },
    /// The turn of an earlier retry has ended, or can no longer be completed.
    Before(TurnId),
    /// The document is published again.
    Document(Box<Publish>),
    /// No retry is needed, because there is a newer version of the document; the text says which.
    Superseded(String),
    /// A retry is impossible; the text says why.
    Cannot(String),
}

/// Tells what a retry of a dead letter would do. The messages of a new turn would be kept for `keep` after its
/// deadline. Nothing is changed, and [`act`] can do whatever is returned here.
pub async fn plan(
    bus: &dyn Bus,
    stored: &StoredMessage,
    keep: Duration,
) -> Result<Retry, BusError> {
    let Some(letter) = Letter::of(stored) else {
        let why = format!("`{}` is no dead letter", stored.subject);
        return Ok(Retry::Cannot(why));
    };
    if let (Some(webhook), Some(turn)) = (&letter.webhook, &letter.turn) {
        let why = format!(
            "an endpoint is not told again of what it did not take; `argosy answer {turn}` shows it to whoever mends `{webhook}`"
        );
        return Ok(Retry::Cannot(why));
    }
    // A map step is not read: its scatter record is.
    if letter.bytes_before != letter.bytes && letter.index.is_none() {
        let (kept, of) = (letter.bytes, letter.bytes_before);
        let fix = match letter.turn {
            Some(_) => "ask the question again",
            None => "publish the document again",
        };
        let why = format!("only the first {kept} of its {of} bytes are kept; {fix}");
        return Ok(Retry::Cannot(why));
    }
    let (Some(old), Some(turn)) = (&letter.turn, letter.retry.clone()) else {
        if letter.source.is_none() {
            let why = "it does not say which document it is";
            return Ok(Retry::Cannot(why.into()));
        }
        return Ok(match document::superseded(bus, &letter, stored).await? {
            Some(why) => Retry::Superseded(why),
            None => Retry::Document(Box::new(document::publish(&letter, stored))),
        });
    };
    let there = history::turn_states(bus, std::slice::from_ref(&turn)).await?;
    let is_there = !there.is_empty();
    if there.iter().any(|standing| standing.answer.is_some()) {
        return Ok(Retry::Before(turn));
    }
    let history = history::read(bus, old).await?;
    let start = ReplayPoint::from_letter(stored, &history).and_then(|start| {
        replay::check(&start, &history, &Overrides::default(), keep)?;
        Ok(start)
    });
    Ok(match start {
        Ok(start) => Retry::Turn {
            turn,
            is_there,
            start: Box::new(start),
            history: Box::new(history),
        },
        Err(_) if is_there => Retry::Before(turn),
        Err(error) => Retry::Cannot(error.to_string()),
    })
}

/// The result of a retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryOutcome {
    /// Retried as this turn, which has just been started.
    Now(TurnId),
    /// An earlier retry has already run as this turn.
    Before(TurnId),
    /// The document is published and waits for an indexer.
    Published,
    /// No retry was needed; the text says why.
    Superseded(String),
    /// Not retried; the text says why.
    Not(String),
}

/// Retries a dead letter. Retrying twice has the same effect as retrying once: the turn has the same id.
pub async fn act(
    bus: &dyn Bus,
    retry: Retry,
    time: Option<Duration>,
    keep: Duration,
) -> Result<RetryOutcome, Error> {
    match retry {
        Retry::Cannot(why) => Ok(RetryOutcome::Not(why)),
        Retry::Before(turn) => Ok(RetryOutcome::Before(turn)),
        Retry::Superseded(why) => Ok(RetryOutcome::Superseded(why)),
        Retry::Document(message) => {
            let until = bus.now().plus(5_000);
            publish_until(bus, *message, until).await?;
            Ok(RetryOutcome::Published)
        }
        Retry::Turn {
            turn,
            start,
            history,
            ..
        } => {
            let time = time.unwrap_or(start.time());
            let claim = replay::claim(bus, &start, &turn, time, keep).await?;
            if claim.has_ended {
                return Ok(RetryOutcome::Before(turn));
            }
            // A claim whose maker went no further is continued.
            let none = Overrides::default();
            let messages = replay::messages(&start, &history, &claim.header, &none, keep);
            replay::begin(bus, messages?).await?;
            Ok(match claim.created {
                CreateOutcome::Now => RetryOutcome::Now(turn),
                CreateOutcome::Before => RetryOutcome::Before(turn),
            })
        }
    }
}

#[cfg(test)]
#[path = "dead_letters_tests.rs"]
mod tests;
