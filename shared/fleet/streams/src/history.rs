//! Reads everything that is still stored of one turn, for people who want to know how it went.
//!
//! Steps, scatter records and parts expire at the same moment: `streams.keep` after the deadline. The terminal
//! event and dead letters stay for `streams.max_age`. *Not* for workers: the read may come from a follower that
//! lags, and no decision may depend on it.

use bus::{Bus, BusError, StoredMessage, Stream};
use envelope::{Header, Subject, TurnId, subject};

/// The messages of one turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnRecord {
    /// Steps, scatter records and parts, in the order in which they were stored.
    pub steps: Vec<StoredMessage>,
    /// The header with which the turn began, from its timer or from the message that the timer fired.
    pub begun: Option<Header>,
    /// Its terminal event.
    pub answer: Option<StoredMessage>,
    /// Its dead letters, in the order in which they were stored.
    pub dead: Vec<StoredMessage>,
}

impl TurnRecord {
    /// True when no message of the turn is stored.
    pub fn is_empty(&self) -> bool {
        *self == TurnRecord::default()
    }
}

/// The state of a turn, as other turns that refer to it need it.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnState {
    /// The turn.
    pub turn: TurnId,
    /// The header with which the turn began, while it is stored.
    pub begun: Option<Header>,
    /// Its terminal event.
    pub answer: Option<StoredMessage>,
}

/// The shard that every turn lives in; there is one so far.
pub(crate) const SHARD: u16 = 0;

/// Reads a turn. The answer is read first, so that a turn with an answer has all messages that led to it.
pub async fn read(bus: &dyn Bus, turn: &TurnId) -> Result<TurnRecord, BusError> {
    let answer = bus.last(Stream::Answers, &subject::answer(turn)).await?;
    let begun = begun(bus, turn).await?;
    let steps = steps(bus, turn).await?;
    let letters = [subject::letters(turn)];
    let mut dead = bus.last_of_each(Stream::Dead, &letters).await?;
    // An edition of the corpus may be called like the turn.
    dead.retain(|letter| matches!(Subject::parse(&letter.subject), Ok(Subject::Dead { .. })));
    dead.sort_by_key(|letter| letter.sequence);
    Ok(TurnRecord {
        steps,
        begun,
        answer,
        dead,
    })
}

/// The main path at once, then each fan-out by itself: a turn of many rounds is over what one call gives.
async fn steps(bus: &dyn Bus, turn: &TurnId) -> Result<Vec<StoredMessage>, BusError> {
    let stream = Stream::Steps(SHARD);
    let path = [subject::path(SHARD, turn)];
    let mut all = bus.last_of_each(stream, &path).await?;
    let scatters = all.iter().filter_map(|stored| {
        let subject = Subject::parse(&stored.subject).ok()?;
        subject.of_scatter().map(|(_, hop)| hop)
    });
    for hop in scatters.collect::<Vec<_>>() {
        let fanout = [
            subject::map_steps(SHARD, turn, hop + 1),
            subject::parts(SHARD, turn, hop + 1),
        ];
        all.extend(bus.last_of_each(stream, &fanout).await?);
    }
    all.sort_by_key(|stored| stored.sequence);
    Ok(all)
}

/// The header in the timer of a turn, or in the message that the timer fired.
pub async fn begun(bus: &dyn Bus, turn: &TurnId) -> Result<Option<Header>, BusError> {
    Ok(timer(bus, turn).await?.as_ref().and_then(header_in))
}

/// The timer of a turn, or the message that it fired.
pub async fn timer(bus: &dyn Bus, turn: &TurnId) -> Result<Option<StoredMessage>, BusError> {
    for at in timers(turn) {
        if let Some(stored) = bus.last(Stream::Timers, &at).await? {
            return Ok(Some(stored));
        }
    }
    Ok(None)
}

/// Where the timer of a turn stands, before and after it has fired.
fn timers(turn: &TurnId) -> [String; 2] {
    let (turn, hop) = (turn.clone(), None);
    [
        subject::timer(&turn),
        Subject::Due { turn, hop }.to_string(),
    ]
}

fn header_in(timer: &StoredMessage) -> Option<Header> {
    serde_json::from_slice(&timer.body).ok()
}

/// The states of those of `turns` that exist, in the same order.
pub async fn turn_states(bus: &dyn Bus, turns: &[TurnId]) -> Result<Vec<TurnState>, BusError> {
    if turns.is_empty() {
        return Ok(Vec::new());
    }
    let timers: Vec<_> = turns.iter().flat_map(timers).collect();
    let answers: Vec<_> = turns.iter().map(subject::answer).collect();
    let begun = bus.last_of_each(Stream::Timers, &timers).await?;
    let ended = bus.last_of_each(Stream::Answers, &answers).await?;
    let begun: Vec<Header> = begun.iter().filter_map(header_in).collect();
    let one = |(turn, at): (&TurnId, &String)| {
        let begun = begun.iter().find(|header| header.turn == *turn).cloned();
        let answer = ended.iter().find(|stored| stored.subject == *at).cloned();
        (begun.is_some() || answer.is_some()).then(|| TurnState {
            turn: turn.clone(),
            begun,
            answer,
        })
    };
    Ok(turns.iter().zip(&answers).filter_map(one).collect())
}
