//! Begins an erasure, or continues one that another process has left unfinished.

use crate::erasure::note::Note;
use crate::erasure::pass::Pass;
use crate::erasure::report::ErasureReport;
use bus::topology::Topology;
use bus::{Bus, BusError, PublishError};
use conversation_log::{AppendError, ConversationKey, Erasure, EventKind, Read};
use std::sync::Arc;
use streams::conversation::{AppendResult, LogError, Logs};

/// How often the log is read again because another writer was quicker.
const TRIES: usize = 32;

/// Why a conversation was not erased, or not completely.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no log of it.
    #[error("there is no such conversation, or nothing of it is kept any more")]
    Unknown,
    /// The bus could not be asked.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// Something was not stored.
    #[error("a message of the erasure could not be stored: {0}")]
    Publish(#[from] PublishError),
    /// A terminal event cannot be written.
    #[error(transparent)]
    Outbox(#[from] streams::outbox::OutboxError),
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Other processes kept writing to the log.
    #[error("other writers kept writing to the conversation; try again")]
    Contended,
    /// A reader returned fewer messages than the stream has.
    #[error("the inbox could not be read to its end; try again")]
    NotRead,
}

/// The end of a log that was erased.
struct Erased {
    /// Where it stands.
    sequence: u64,
    what: Erasure,
    /// Whether it was there before.
    was_there: bool,
}

/// Erases a conversation: ends its log, and erases from every stream what was said in it. It may be called again, and
/// by several processes at the same time.
///
/// # Errors
/// [`Error::Unknown`] when there is nothing; any other one leaves an unfinished erasure, which the next call or the
/// sweep continues.
pub async fn erase(
    bus: &Arc<dyn Bus>,
    topology: &Topology,
    key: &ConversationKey,
) -> Result<ErasureReport, Error> {
    let erased = ended(bus, topology, key).await?;
    pass(bus, topology, key, erased).await
}

/// Continues an erasure of which a note is left. If the log was never ended, nothing is done, because the caller of
/// the erasure had no confirmation.
///
/// # Errors
/// When something is left to be continued.
pub async fn go_on(
    bus: &Arc<dyn Bus>,
    topology: &Topology,
    key: &ConversationKey,
) -> Result<Option<ErasureReport>, Error> {
    let last = Logs::on(bus.clone()).last(key).await?;
    let Some(erased) = last.as_ref().and_then(as_erased) else {
        return Ok(None);
    };
    Ok(Some(pass(bus, topology, key, erased).await?))
}

/// The conversations of which a note is left.
///
/// # Errors
/// When the bus cannot be asked.
pub async fn unfinished(bus: &dyn Bus) -> Result<Vec<ConversationKey>, BusError> {
    let notes = Note::all(bus).await?;
    Ok(notes.iter().map(Note::key).collect())
}

fn as_erased(last: &Read) -> Option<Erased> {
    match &last.event.event {
        EventKind::Erased(erasure) => Some(Erased {
            sequence: last.sequence,
            what: (**erasure).clone(),
            was_there: true,
        }),
        _ => None,
    }
}

/// Ends the log, if that was not done before. The note comes first: a process that dies after the end leaves it.
async fn ended(
    bus: &Arc<dyn Bus>,
    topology: &Topology,
    key: &ConversationKey,
) -> Result<Erased, Error> {
    let logs = Logs::on(bus.clone());
    let kept = topology.max_age.as_millis();
    for _ in 0..TRIES {
        let events = logs.all(key).await?;
        if let Some(erased) = events.last().and_then(as_erased) {
            return Ok(erased);
        }
        if events.is_empty() {
            return Err(Error::Unknown);
        }
        let now = bus.now();
        let event = match conversation_log::erasure::erase(&events, kept, now) {
            Ok(event) => event,
            Err(
                AppendError::Erased | AppendError::Open | AppendError::NotOpen | AppendError::Forks,
            ) => continue,
        };
        let EventKind::Erased(what) = event.event.clone() else {
            continue;
        };
        let until = Pass::until(topology, what.deadline);
        Note::of(key, 0).store(&**bus, until).await?;
        if let AppendResult::Stored { sequence, .. } =
            logs.append(key, events.last(), &event).await?
        {
            return Ok(Erased {
                sequence,
                what: *what,
                was_there: false,
            });
        }
    }
    Err(Error::Contended)
}

async fn pass(
    bus: &Arc<dyn Bus>,
    topology: &Topology,
    key: &ConversationKey,
    erased: Erased,
) -> Result<ErasureReport, Error> {
    let note = Note::stored(&**bus, key).await?;
    let until = Pass::until(topology, erased.what.deadline);
    let mut pass = Pass {
        bus: &**bus,
        topology,
        key,
        erased_at: erased.sequence,
        what: &erased.what,
        report: ErasureReport {
            was_erased: erased.was_there,
            forks: erased.what.forks.clone(),
            swept_until: until,
            ..ErasureReport::default()
        },
    };
    let seen = note.as_ref().map_or(0, |note| note.inbox);
    let inbox = pass.run(seen).await?;
    let report = pass.report;
    // A replay has a deadline of its own.
    let until = report.swept_until;
    if bus.now() > until && report.left() == 0 {
        // Nothing that knew the conversation can write any more.
        Note::drop(&**bus, key).await?;
    } else if note.is_none_or(|note| note.inbox != inbox) {
        Note::of(key, inbox).store(&**bus, until).await?;
    }
    Ok(report)
}
