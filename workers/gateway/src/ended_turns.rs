//! Receives the terminal events of all turns with what they spent, for the quota of their tenants.
//!
//! Every gateway receives every terminal event when it is stored, and looks for the ones that it missed. *Not* here:
//! the delivery of a terminal event to the asker, which one gateway does.

use crate::quota::Spent;
use crate::turns::Turns;
use bus::{BusError, Stream, Subscription};
use envelope::{Outcome, Subject, Terminal, TurnId};
use std::time::Duration;
use tokio::time::Instant;

/// How often missed terminal events are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// After how long a failed subscription is tried again.
const AWAY: Duration = Duration::from_millis(500);
/// How many terminal events one request asks for.
const BATCH: usize = 256;

/// Hears terminal events, and looks for missed ones, until it is dropped.
pub(crate) async fn watch(turns: &Turns) {
    if !turns.quota.is_limited() {
        return std::future::pending().await;
    }
    loop {
        match turns.bus.subscribe("argosy.answer.*", None).await {
            Ok(ends) => hear(turns, ends).await,
            Err(error) => tracing::warn!(%error, "ends of turns cannot be received"),
        }
        tokio::time::sleep(AWAY).await;
    }
}

async fn hear(turns: &Turns, mut ends: Box<dyn Subscription>) {
    let mut look_at = Instant::now();
    loop {
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(look_at) => {
                if let Err(error) = look(turns).await {
                    tracing::debug!(%error, "ends of turns not looked for");
                }
                turns.metrics.waiting(turns.quota.waiting());
                look_at = Instant::now() + LOOK_EVERY;
            }
            heard = ends.next() => match heard {
                Some(message) => ended(turns, &message.subject, &message.body),
                None => return,
            },
        }
    }
}

/// Looks whether turns that count as running have ended.
async fn look(turns: &Turns) -> Result<(), BusError> {
    let running = turns.quota.running(turns.now());
    let subject = |turn: &TurnId| Subject::Answer { turn: turn.clone() }.to_string();
    for batch in running.chunks(BATCH) {
        let subjects: Vec<String> = batch.iter().map(subject).collect();
        for end in turns.bus.last_of_each(Stream::Answers, &subjects).await? {
            ended(turns, &end.subject, &end.body);
        }
    }
    Ok(())
}

fn ended(turns: &Turns, subject: &str, body: &[u8]) {
    let Ok(Subject::Answer { turn }) = Subject::parse(subject) else {
        return;
    };
    let terminal = envelope::decode::<Terminal>(body).ok();
    // Who cancels a turn, or ends it at its deadline, does not know what its steps spent.
    let spent = match terminal {
        Some(Terminal { outcome, usage, .. }) => match outcome {
            Outcome::Cancelled | Outcome::Expired => Spent::Unknown,
            _ => Spent::Tokens(usage.tokens_in + usage.tokens_out),
        },
        None => Spent::Unknown,
    };
    turns.quota.ended(&turn, spent, turns.now());
}
