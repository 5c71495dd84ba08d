//! Parses a message of the steps stream: its address, and the step that it carries.

use bus::StoredMessage;
use envelope::{Envelope, Payload, Role, Subject, TurnId, UnixMs, header, subject};

/// The address of a step according to its subject: known even when its body cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StepAddress {
    pub(crate) shard: u16,
    pub(crate) role: Role,
    pub(crate) turn: TurnId,
    pub(crate) hop: u16,
    pub(crate) index: Option<u16>,
}

impl StepAddress {
    pub(crate) fn of(subject: &str) -> Option<StepAddress> {
        match Subject::parse(subject) {
            Ok(Subject::Step {
                shard,
                role,
                turn,
                hop,
                index,
            }) => Some(StepAddress {
                shard,
                role,
                turn,
                hop,
                index,
            }),
            _ => None,
        }
    }

    /// The subject at this address.
    pub(crate) fn subject(&self) -> String {
        subject::step(self.shard, self.role, &self.turn, self.hop, self.index)
    }
}

/// A step that can be worked on.
pub(crate) type Step = Envelope<Payload>;

/// The deadline as the headers say it, for messages whose body is not to be read.
pub(crate) fn deadline_of(message: &StoredMessage) -> Option<UnixMs> {
    message
        .headers
        .get(header::DEADLINE)?
        .parse()
        .ok()
        .map(UnixMs)
}

/// The wire version as the headers say it.
pub(crate) fn wire_of(message: &StoredMessage) -> Option<u16> {
    message.headers.get(header::WIRE)?.parse().ok()
}
