//! The result of setting up one stream, consumer or object store: what was changed, or what a check would have
//! changed, including its size.

use super::room::SCALED_FROM;
use async_nats::jetstream::stream::Info;
use bus::BusError;
use bus::sizes::{StreamSize, WantedStream, told};
use std::collections::HashMap;

/// A change that setting up has made, or that a check would make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It did not exist and was created.
    Created(String),
    /// It is as wanted.
    Unchanged(String),
    /// It differed in this way and was changed.
    Updated(String, String),
    /// It did not exist, and was made smaller than wanted because there is no more room.
    Scaled(String, String),
    /// It has another size than wanted and keeps it: it was made when there was less room, or is large
    /// enough.
    Kept(String, String),
}

impl Change {
    /// The name of the stream, consumer or object store.
    pub fn name(&self) -> &str {
        match self {
            Change::Created(name)
            | Change::Unchanged(name)
            | Change::Updated(name, _)
            | Change::Scaled(name, _)
            | Change::Kept(name, _) => name,
        }
    }

    /// Whether it differs, or differed, from what is wanted.
    pub fn is_drift(&self) -> bool {
        match self {
            Change::Created(_) | Change::Updated(..) | Change::Scaled(..) => true,
            Change::Unchanged(_) | Change::Kept(..) => false,
        }
    }
}

/// That something was made as wanted, or smaller.
pub(super) fn made(name: String, act: bool, size: StreamSize) -> Change {
    match size.scaled_from.filter(|_| act) {
        None => Change::Created(name),
        Some(wanted) => Change::Scaled(
            name,
            format!("{} of the {} wanted", told(size.bytes), told(wanted)),
        ),
    }
}

/// That something is as wanted, or keeps another size.
pub(super) fn left(name: String, part: &WantedStream, size: StreamSize) -> Change {
    match size.bytes == part.wanted {
        true => Change::Unchanged(name),
        false => Change::Kept(
            name,
            format!("{}, {} wanted", told(size.bytes), told(part.wanted)),
        ),
    }
}

/// The size as the server has it: -1 for no limit.
pub(super) fn max_bytes(size: StreamSize) -> i64 {
    match size.bytes {
        u64::MAX => -1,
        bytes => i64::try_from(bytes).unwrap_or(i64::MAX),
    }
}

/// Says in the metadata of a stream that it was made smaller, or no more.
pub(super) fn mark(metadata: &mut HashMap<String, String>, size: StreamSize) {
    match size.scaled_from {
        Some(wanted) => metadata.insert(SCALED_FROM.into(), wanted.to_string()),
        None => metadata.remove(SCALED_FROM),
    };
}

/// Refuses a size that what is stored does not fit into.
pub(super) fn loses_nothing(name: &str, wanted: i64, found: &Info) -> Result<(), BusError> {
    let holds = found.state.bytes;
    match u64::try_from(wanted).is_ok_and(|wanted| wanted < holds) {
        false => Ok(()),
        true => Err(BusError::Different {
            name: name.to_owned(),
            what: format!(
                "it holds {}, and {} are wanted: messages would be lost",
                told(holds),
                told(wanted.unsigned_abs())
            ),
        }),
    }
}
