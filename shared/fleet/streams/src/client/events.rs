//! Follows a turn as a numbered list of events, which can be taken up again where it broke off: by another process,
//! too, because the numbers and what was missed come from what is stored.
//!
//! A step's number is its hop plus one, so it is the same for everybody. Pieces of drafts, map steps and expected waits
//! have no number: they are told once, to those who listen, and an answer needs none of them.

use crate::client::ends::{self, Awaited, Ends};
use crate::client::turn::{listen, read, terminal};
use crate::client::{DraftText, Error, News};
use crate::history::{self, SHARD};
use bus::{Bus, CoreMessage, Stream, Subscription};
use envelope::live::{LiveText, LiveWait};
use envelope::{Outcome, Principal, Role, Subject, Terminal, TrailEntry, TurnId, subject};
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often the answers stream itself is looked at, should the delivery be lost.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// When it is looked at first: a turn that ended at once, or that somebody else asked for.
const LOOK_FIRST: Duration = Duration::from_millis(500);
/// When it is looked at after a step that may be the last one.
const LOOK_SOON: Duration = Duration::from_millis(100);

/// What happens in a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEvent {
    /// A step has ended, of one number.
    Step(u32, Box<TrailEntry>),
    /// A map step of a fan-out has ended.
    Part(Box<TrailEntry>),
    /// A stage has begun something that will likely take this long.
    Expected(LiveWait),
    /// More of a draft, which is unchecked.
    Draft(String),
    /// The draft so far is void.
    Reset,
    /// The end. Nothing follows.
    End(Box<Terminal>),
}

/// The events of one turn. Dropping it ends the subscriptions.
pub struct TurnEvents {
    bus: Arc<dyn Bus>,
    turn: TurnId,
    replies: Replies,
    /// What is told while the turn runs; `None` for who waits for the end alone.
    live: Option<Box<dyn Subscription>>,
    draft: DraftText,
    /// As much of the draft as was told.
    told: String,
    /// The number of the last step that was told.
    last: u32,
    waiting: VecDeque<TurnEvent>,
    /// The hash of the question whose end counts; that of any where it is not said.
    of: Option<String>,
    look: Instant,
    is_over: bool,
}

/// Where the end of a turn is heard.
enum Replies {
    /// As who has asked.
    Mine(Awaited),
    /// As anybody: those of all who asked under its id.
    All(Box<dyn Subscription>),
}

impl TurnEvents {
    /// Listens for a turn whose question is published after this: for all that is told of it, or for its end alone.
    ///
    /// # Errors
    /// When the bus cannot be asked.
    pub async fn begin(ends: &Arc<Ends>, turn: TurnId, is_live: bool) -> Result<TurnEvents, Error> {
        let replies = Replies::Mine(ends.wait_for(&turn).await?);
        TurnEvents::listen(ends.bus().clone(), turn, replies, is_live).await
    }

    async fn listen(
        bus: Arc<dyn Bus>,
        turn: TurnId,
        replies: Replies,
        is_live: bool,
    ) -> Result<TurnEvents, Error> {
        let at = Subject::Live { turn: turn.clone() }.to_string();
        let live = match is_live {
            true => Some(listen(&*bus, &at).await?),
            false => None,
        };
        Ok(TurnEvents {
            bus,
            turn,
            replies,
            live,
            draft: DraftText::default(),
            told: String::new(),
            last: 0,
            waiting: VecDeque::new(),
            of: None,
            look: Instant::now() + LOOK_FIRST,
            is_over: false,
        })
    }

    /// Takes a turn that `principal` may see up behind the event of number `after`; 0 for all of them.
    ///
    /// # Errors
    /// [`Error::NoTurn`] if there is no such turn for it, or it has aged out.
    pub async fn resume(
        bus: Arc<dyn Bus>,
        turn: TurnId,
        principal: &Principal,
        after: u32,
    ) -> Result<TurnEvents, Error> {
        // Whoever asked, the end is heard.
        let replies = Replies::All(listen(&*bus, &ends::of_turn(&turn)).await?);
        let mut events = TurnEvents::listen(bus, turn, replies, true).await?;
        events.last = after;
        if let Some(stored) = terminal(&*events.bus, &events.turn).await? {
            let ended = read(&stored.body)?;
            if !principal.covers(&ended.principal()) {
                return Err(Error::NoTurn(events.turn));
            }
            events.end(ended);
            return Ok(events);
        }
        let begun = history::begun(&*events.bus, &events.turn).await?;
        if begun.is_none_or(|header| !principal.covers(&header.principal())) {
            return Err(Error::NoTurn(events.turn));
        }
        events.catch_up(u32::MAX).await?;
        Ok(events)
    }

    /// Takes only the end of the question with this hash: another one may have been asked under the same id.
    pub fn only(mut self, question_hash: String) -> TurnEvents {
        self.of = Some(question_hash);
        self
    }

    /// The turn.
    pub fn turn(&self) -> &TurnId {
        &self.turn
    }

    /// Where the end has to be delivered: the `reply_to` of the question. `None` for a turn that was taken up.
    pub fn reply(&self) -> Option<&str> {
        match &self.replies {
            Replies::Mine(awaited) => Some(&awaited.subject),
            Replies::All(_) => None,
        }
    }

    /// The next event; `None` after the end. May be dropped at any await: a numbered event that is lost thereby is told with
    /// the one after it, from what is stored.
    ///
    /// # Errors
    /// When the bus cannot be asked; it can be tried again.
    pub async fn next(&mut self) -> Result<Option<TurnEvent>, Error> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            if self.is_over {
                return Ok(None);
            }
            tokio::select! {
                biased;
                Some(message) = next_of(&mut self.live) => self.hear(&message).await?,
                Some(reply) = self.replies.next() => {
                    let ended = read(&reply.body)?;
                    // What is told to somebody who asked something else under the same id.
                    let is_other = self.reply().is_none() && ended.outcome == Outcome::Refused;
                    if !is_other {
                        self.end(ended);
                    }
                }
                () = tokio::time::sleep_until(self.look) => {
                    let stored = terminal(&*self.bus, &self.turn).await;
                    self.look = Instant::now() + LOOK_EVERY;
                    if let Some(stored) = stored? {
                        let ended = read(&stored.body)?;
                        // Another question has ended under this id: a gateway will refuse ours.
                        if self.of.as_ref().is_none_or(|of| *of == ended.question_hash) {
                            self.end(ended);
                        }
                    }
                }
            }
        }
    }

    async fn hear(&mut self, message: &CoreMessage) -> Result<(), Error> {
        let body = &message.body[..];
        if let Ok(entry) = serde_json::from_slice::<TrailEntry>(body) {
            self.draft(&News::Stage(&entry));
            if entry.index.is_some() {
                self.waiting.push_back(TurnEvent::Part(Box::new(entry)));
            } else {
                if !follows(self.last, &entry) {
                    self.catch_up(number(&entry)).await?;
                }
                self.step(entry);
            }
        } else if let Ok(piece) = serde_json::from_slice::<LiveText>(body) {
            self.draft(&News::Text(&piece));
        } else if let Ok(wait) = serde_json::from_slice::<LiveWait>(body) {
            self.waiting.push_back(TurnEvent::Expected(wait));
        }
        Ok(())
    }

    fn draft(&mut self, news: &News<'_>) {
        if !self.draft.hear(news) {
            return;
        }
        let text = self.draft.text();
        let more = text.strip_prefix(self.told.as_str());
        if more.is_none() {
            self.waiting.push_back(TurnEvent::Reset);
        }
        let more = more.unwrap_or(text);
        if !more.is_empty() {
            self.waiting.push_back(TurnEvent::Draft(more.to_owned()));
        }
        text.clone_into(&mut self.told);
    }

    /// Tells a step that was not told before.
    fn step(&mut self, entry: TrailEntry) {
        let number = number(&entry);
        if number > self.last {
            self.last = number;
            if matches!(entry.role, Role::Validator | Role::Clarifier) {
                self.look = self.look.min(Instant::now() + LOOK_SOON);
            }
            let step = TurnEvent::Step(number, Box::new(entry));
            self.waiting.push_back(step);
        }
    }

    /// Tells the steps below `before` that the stored steps after them know of.
    async fn catch_up(&mut self, before: u32) -> Result<(), Error> {
        let path = [subject::path(SHARD, &self.turn)];
        let stored = self.bus.last_of_each(Stream::Steps(SHARD), &path).await?;
        let (mut known, mut first_hop) = (Vec::new(), 0);
        for step in stored {
            if let Ok(step) = serde_json::from_slice::<StepTrail>(&step.body) {
                first_hop = step.header.first_hop;
                known.extend(step.trail);
            }
        }
        known.retain(|entry| number(entry) < before);
        self.steps(known, first_hop);
        Ok(())
    }

    fn end(&mut self, ended: Terminal) {
        self.steps(ended.trail.clone(), ended.first_hop);
        self.waiting.push_back(TurnEvent::End(Box::new(ended)));
        self.is_over = true;
    }

    /// Tells those steps of a trail that were not told before. What a parent did was not done in this turn.
    fn steps(&mut self, mut trail: Vec<TrailEntry>, first_hop: u16) {
        trail.retain(|entry| entry.index.is_none() && entry.hop >= first_hop);
        trail.sort_by_key(|entry| entry.hop);
        trail.into_iter().for_each(|entry| self.step(entry));
    }
}

impl Replies {
    async fn next(&mut self) -> Option<CoreMessage> {
        match self {
            Replies::Mine(awaited) => Some(awaited.next().await),
            Replies::All(all) => all.next().await,
        }
    }
}

/// The next message of a subscription; never comes where there is none.
async fn next_of(live: &mut Option<Box<dyn Subscription>>) -> Option<CoreMessage> {
    match live {
        Some(live) => live.next().await,
        None => std::future::pending().await,
    }
}

/// As much of a stored step as is read here.
#[derive(Deserialize)]
struct StepTrail {
    header: FirstHop,
    #[serde(default)]
    trail: Vec<TrailEntry>,
}

#[derive(Deserialize)]
struct FirstHop {
    #[serde(default)]
    first_hop: u16,
}

fn number(entry: &TrailEntry) -> u32 {
    u32::from(entry.hop) + 1
}

/// Whether no step can have ended between that of number `last` and this one.
fn follows(last: u32, entry: &TrailEntry) -> bool {
    number(entry) <= last.saturating_add(1)
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
