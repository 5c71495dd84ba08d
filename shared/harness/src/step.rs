//! A message of the steps stream, read: which step it is, and what it carries.

use crate::bus::Stored;
use envelope::{
    Case, CodecError, Doubt, Draft, Envelope, Header, MapTask, Plan, PlanTask, ReduceTask, Role,
    Subject, TrailEntry, TurnId, UnixMs, decode, header,
};
use serde::de::DeserializeOwned;

/// Where a step stands, as its subject says: known even when its body cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) shard: u16,
    pub(crate) role: Role,
    pub(crate) turn: TurnId,
    pub(crate) hop: u16,
    pub(crate) index: Option<u16>,
}

impl Place {
    pub(crate) fn of(subject: &str) -> Option<Place> {
        match Subject::parse(subject) {
            Ok(Subject::Step {
                shard,
                role,
                turn,
                hop,
                index,
            }) => Some(Place {
                shard,
                role,
                turn,
                hop,
                index,
            }),
            _ => None,
        }
    }
}

/// The payload of a step as it is on the wire.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Payload {
    Plan(PlanTask),
    Retrieve(Plan),
    Map(MapTask),
    Reduce(ReduceTask),
    Validate(Draft),
    Clarify(Doubt),
}

/// A step that can be worked on.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) header: Header,
    pub(crate) case: Case,
    pub(crate) trail: Vec<TrailEntry>,
    pub(crate) payload: Payload,
}

impl Step {
    /// Reads the body of a step of `role`.
    pub(crate) fn read(role: Role, body: &[u8]) -> Result<Step, CodecError> {
        match role {
            Role::Planner => Self::of(body, Payload::Plan),
            Role::Retriever => Self::of(body, Payload::Retrieve),
            Role::Mapper => Self::of(body, Payload::Map),
            Role::Reducer => Self::of(body, Payload::Reduce),
            Role::Validator => Self::of(body, Payload::Validate),
            Role::Clarifier | Role::Gateway | Role::Indexer => Self::of(body, Payload::Clarify),
        }
    }

    fn of<P: DeserializeOwned>(
        body: &[u8],
        payload: impl FnOnce(P) -> Payload,
    ) -> Result<Step, CodecError> {
        let Envelope {
            header,
            case,
            trail,
            payload: inner,
            ..
        } = decode::<Envelope<P>>(body)?;
        Ok(Step {
            header,
            case,
            trail,
            payload: payload(inner),
        })
    }
}

/// The deadline as the headers say it, for messages whose body is not to be read.
pub(crate) fn deadline_of(message: &Stored) -> Option<UnixMs> {
    message
        .headers
        .get(header::DEADLINE)?
        .parse()
        .ok()
        .map(UnixMs)
}

/// The wire version as the headers say it.
pub(crate) fn wire_of(message: &Stored) -> Option<u16> {
    message.headers.get(header::WIRE)?.parse().ok()
}
