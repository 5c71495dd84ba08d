//! Conversations as a gateway would write them, and a store that keeps them in memory.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod memory_store;

pub use memory_store::MemoryStore;

use crate::model::step;
use conversation_log::state::append;
use conversation_log::{
    ConversationKey, EntryBatch, Erasure, EventKind, KeptText, LogEntry, LogEvent, LogPosition,
    Read, TurnEnd, TurnOpening,
};
use envelope::{ConversationId, Header, Outcome, Role, TenantId, TurnId, UnixMs};
use stage::StepContext;
use std::collections::BTreeMap;

/// Which conversation.
pub fn key(tenant: &str, conversation: &str) -> ConversationKey {
    ConversationKey {
        tenant: TenantId::new(tenant).unwrap(),
        conversation: ConversationId::new(conversation).unwrap(),
    }
}

/// A stream that is written, with the events that no batch has yet.
#[derive(Clone)]
pub struct Script {
    /// When the stream was created.
    pub created: UnixMs,
    /// When the next event is written.
    pub now: UnixMs,
    /// That of the last event.
    pub sequence: u64,
    last: BTreeMap<ConversationKey, Read>,
    turns: u64,
    pending: Vec<LogEntry>,
}

impl Default for Script {
    fn default() -> Script {
        Script {
            created: UnixMs(1_000),
            now: UnixMs(2_000),
            sequence: 0,
            last: BTreeMap::new(),
            turns: 0,
            pending: Vec::new(),
        }
    }
}

impl Script {
    /// Opens a turn; returns the sequence of its event.
    pub fn open(&mut self, key: &ConversationKey, question: &str) -> u64 {
        self.turns += 1;
        let StepContext { header, case, .. } = step(Role::Planner, question);
        let opened = TurnOpening {
            header: Header {
                turn: self.turn(),
                tenant: key.tenant.clone(),
                hop: 0,
                asked_at: self.now,
                created_at: self.now,
                deadline: self.now.plus(30_000),
                conversation: Some(key.conversation.clone()),
                ..header
            },
            case,
            inbox: self.turns,
            answers: None,
        };
        self.append(key, EventKind::Opened(Box::new(opened)))
    }

    /// Ends the first open turn with an answer.
    pub fn answer(&mut self, key: &ConversationKey, answer: &str) -> u64 {
        let turn = self.last[key].event.state.open[0].turn.clone();
        let ended = TurnEnd {
            turn,
            outcome: Some(Outcome::Answered),
            at: self.now,
            answer: Some(KeptText::answer(answer)),
            rewritten: None,
            question: None,
            evidence: Vec::new(),
            clarification: None,
            resume: None,
            expires: None,
        };
        self.append(key, EventKind::Ended(Box::new(ended)))
    }

    /// Opens and answers a turn.
    pub fn exchange(&mut self, key: &ConversationKey, text: &str) -> (u64, u64) {
        (self.open(key, text), self.answer(key, text))
    }

    /// Erases the conversation.
    pub fn erase(&mut self, key: &ConversationKey) -> u64 {
        let erasure = Erasure {
            turns: vec![self.turn()],
            ..Erasure::default()
        };
        self.append(key, EventKind::Erased(Box::new(erasure)))
    }

    /// Writes events of the conversation that the store does not get.
    pub fn skip(&mut self, key: &ConversationKey, events: u64) {
        if !self.last.contains_key(key) {
            self.exchange(key, "skipped");
            self.pending.truncate(self.pending.len() - 2);
        }
        if let Some(read) = self.last.get_mut(key) {
            read.event.state.n += events;
        }
    }

    /// Begins the log of the conversation again at its first event.
    pub fn forget(&mut self, key: &ConversationKey) {
        self.last.remove(key);
    }

    /// The last event of a conversation.
    pub fn last(&self, key: &ConversationKey) -> Option<&Read> {
        self.last.get(key)
    }

    /// The events since the last batch.
    pub fn batch(&mut self) -> EntryBatch {
        EntryBatch {
            entries: std::mem::take(&mut self.pending),
            position: self.position(),
        }
    }

    /// How far the stream is written.
    pub fn position(&self) -> LogPosition {
        LogPosition {
            created: self.created,
            sequence: self.sequence,
        }
    }

    fn turn(&self) -> TurnId {
        TurnId::new(format!("q{}", self.turns)).unwrap()
    }

    fn append(&mut self, key: &ConversationKey, event: EventKind) -> u64 {
        let event = append(self.last.get(key), event, self.now).unwrap();
        self.sequence += 1;
        self.now = self.now.plus(1);
        self.remember(key, event);
        self.sequence
    }

    fn remember(&mut self, key: &ConversationKey, event: LogEvent) {
        let sequence = self.sequence;
        let read = Read {
            sequence,
            event: event.clone(),
        };
        self.last.insert(key.clone(), read);
        self.pending.push(LogEntry {
            key: key.clone(),
            sequence,
            event,
        });
    }
}
