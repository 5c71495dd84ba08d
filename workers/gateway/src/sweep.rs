//! Finds turns that nothing else will end, that is, questions of the inbox without a terminal event.
//!
//! A timer may be lost, a schedule dropped, or a gateway may die between two publishes and never come back. Whatever
//! the reason, the sweep ends a turn that is past its deadline and makes a missing timer again. Everything is
//! create-once, so it does not matter how many gateways sweep.

use crate::conversations;
use crate::turns::{Error, Turns};
use bus::{BusError, Publish, Schedule, StoredMessage, Stream};
use envelope::{Header, Subject, subject};
use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::Duration;
use streams::asked::{InboxQuestion, read};

/// How many questions are compared at once.
const BATCH: usize = 256;
/// How long after a deadline the turn's own timer has precedence over the sweep.
const COURTESY_MS: u64 = 2_000;

/// Sweeps at the start and whenever the connection comes back, and makes sure that the schedule of the regular sweep
/// exists. It never returns.
pub(crate) async fn on_start_and_reconnect(turns: &Turns) {
    let mut was_up = false;
    loop {
        let up = turns.bus.connected();
        if up && !was_up {
            let swept = async {
                sweep(turns).await?;
                arm(turns).await
            };
            match swept.await {
                Ok(()) => was_up = true,
                Err(error) => tracing::warn!(%error, "sweep failed; it is tried again"),
            }
        }
        was_up &= up;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Schedules the next sweep. There is one schedule for the whole fleet, and the new one replaces it.
pub(crate) async fn arm(turns: &Turns) -> Result<(), Error> {
    let at = turns.now().plus(turns.options.sweep_every.as_millis());
    let schedule = Some(Schedule {
        at,
        target: subject::SWEEP_DUE.into(),
        ttl: Some(turns.topology.keep.duration()),
    });
    let message = Publish {
        schedule,
        ..Publish::new(subject::SWEEP_TIMER, bytes::Bytes::new())
    };
    turns.bus.publish(message).await?;
    Ok(())
}

/// Looks after turns that nothing else ends, and after unfinished erasures.
pub(crate) async fn sweep(turns: &Turns) -> Result<(), Error> {
    let unfinished = erasures(turns).await;
    turns
        .metrics
        .conversations
        .unfinished(unfinished.as_ref().ok().copied());
    if let Err(error) = unfinished {
        // The next sweep looks again; turns are looked after all the same.
        tracing::warn!(%error, "unfinished erasures could not be read");
    }
    inbox(turns).await
}

/// Compares the inbox with the answers, from the point up to which the last sweep of this process found nothing open.
async fn inbox(turns: &Turns) -> Result<(), Error> {
    let bus = &turns.bus;
    let state = bus.state(Stream::Inbox).await?;
    let from = (*turns.swept.lock().unwrap_or_else(PoisonError::into_inner) + 1).max(state.first);
    if state.messages == 0 || from > state.last {
        return Ok(());
    }
    let mut reader = bus.read(Stream::Inbox, subject::QUESTIONS, from).await?;
    let mut all_ended = true;
    loop {
        let mut batch = Vec::new();
        let mut last = 0;
        while batch.len() < BATCH && last < state.last {
            // A reader that has nothing to say is not waited for: the next sweep goes on.
            let next = tokio::time::timeout(Duration::from_secs(2), reader.next()).await;
            let Ok(next) = next else { break };
            let (message, pending) = next?;
            last = message.sequence;
            batch.push(message);
            if pending == 0 {
                last = state.last;
            }
        }
        let done = last >= state.last || batch.is_empty();
        let newest = batch.last().map(|message| message.sequence);
        all_ended &= compare(turns, batch).await?;
        if let (true, Some(newest)) = (all_ended, newest) {
            *turns.swept.lock().unwrap_or_else(PoisonError::into_inner) = newest;
        }
        if done {
            return Ok(());
        }
    }
}

/// Goes on with unfinished erasures: the process that began one may have died, and a worker may store a step after
/// it. Returns how many erasures failed or left something; one that only waits for late steps does not count.
async fn erasures(turns: &Turns) -> Result<u64, Error> {
    let mut unfinished = 0;
    for key in harness::erasure::unfinished(&*turns.bus).await? {
        match harness::erasure::go_on(&turns.bus, &turns.topology, &key).await {
            Ok(Some(report)) => {
                unfinished += u64::from(report.left() > 0);
                if !report.is_empty() {
                    tracing::info!(left = report.left(), "erasure continued");
                }
            }
            Ok(None) => {}
            // One that fails holds up no other.
            Err(error) => {
                unfinished += 1;
                tracing::warn!(%error, "erasure could not be continued");
            }
        }
    }
    Ok(unfinished)
}

/// Looks after the open turns of a batch; returns true when there is none.
async fn compare(turns: &Turns, batch: Vec<StoredMessage>) -> Result<bool, Error> {
    let asked: Vec<(StoredMessage, InboxQuestion)> = batch
        .into_iter()
        .map(|m| {
            let asked = read(&m);
            (m, asked)
        })
        .collect();
    let answers: Vec<String> = asked
        .iter()
        .map(|(_, a)| {
            Subject::Answer {
                turn: a.turn.clone(),
            }
            .to_string()
        })
        .collect();
    let answered: HashSet<String> = match answers.is_empty() {
        true => HashSet::new(),
        false => turns
            .bus
            .last_of_each(Stream::Answers, &answers)
            .await?
            .into_iter()
            .map(|m| m.subject)
            .collect(),
    };
    let mut none_open = true;
    for ((message, asked), answer) in asked.into_iter().zip(answers) {
        if !answered.contains(&answer) {
            none_open = false;
            look_after(turns, &message, asked).await?;
        }
    }
    Ok(none_open)
}

fn is_overdue(turns: &Turns, header: &Header) -> bool {
    header.deadline.plus(COURTESY_MS) <= turns.now()
}

/// Ends a turn that is past its deadline. A turn that was not begun is claimed first: another question under the same
/// id may become its owner at this moment, with a later deadline and a listener of its own that would never be told.
async fn end_overdue(
    turns: &Turns,
    header: &Header,
    waits: bool,
    message: &StoredMessage,
) -> Result<(), Error> {
    let owner = match waits {
        true => turns.claim(header, message).await?,
        false => header.clone(),
    };
    match is_overdue(turns, &owner) {
        true => turns.expire(&owner).await.map(drop),
        false => Ok(()),
    }
}

/// Looks after one open turn: past its deadline it is ended, and before that its timer has to be there. The follower
/// that was asked may lag, but both acts are create-once and ask the leader.
async fn look_after(
    turns: &Turns,
    message: &StoredMessage,
    asked: InboxQuestion,
) -> Result<(), BusError> {
    let InboxQuestion {
        turn,
        reply,
        question,
    } = asked;
    let Ok(question) = question else {
        return Ok(());
    }; // Its refusal is the inbox consumer's work.
    // An earlier question may own the turn under this id: then the turn ends at the deadline of that question.
    let header: Header = turns.header(turn, &question, message, reply);
    let begun = turns.begun(&header).await?;
    // One that has not been begun gets its timer from the inbox consumer.
    let waits = begun.is_none();
    let header = match begun {
        Some(owner) => owner,
        None => (turns.claimed_or_due(&header.turn).await?).unwrap_or(header),
    };
    let acted = if is_overdue(turns, &header) {
        end_overdue(turns, &header, waits, message).await
    } else if waits {
        Ok(())
    } else {
        turns.create_timer(&header, message).await.map(drop)
    };
    if let Err(error) = acted {
        tracing::warn!(%error, turn = %header.turn, "an open turn could not be looked after");
    }
    // Without the end of this turn in the log, the turns after it in the conversation would wait for ever.
    if let Some(key) = conversations::key(&header)
        && let Err(error) = turns.repair(&key).await
    {
        tracing::warn!(%error, turn = %header.turn, "the conversation of a turn could not be repaired");
    }
    Ok(())
}
