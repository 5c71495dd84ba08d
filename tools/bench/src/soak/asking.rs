//! Asks, and reads the ends that are stored.

use super::ledger::Ledger;
use super::locked;
use crate::cli::SoakArgs;
use argosy::cli_error::CliError;
use bus::{Bus, BusError, Publish, Stream};
use envelope::{Terminal, subject};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use streams::outbox::publish_until;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

/// Where ends are stored.
const ENDS: &str = "argosy.answer.*";
/// A question of a usual length.
const QUESTION: &str = "What is the notice period of the cleaning agreement with Osterby?";
/// How long is waited for the last ends, and for a question to be stored.
const PATIENCE: Duration = Duration::from_secs(90);
/// How often questions are asked, and how often it is looked whether all have ended.
const TICK: Duration = Duration::from_millis(10);
/// After how long without an end the stream is read anew.
const SILENCE: Duration = Duration::from_secs(2);
/// For how long the stream of answers may be out of reach.
const AWAY: Duration = Duration::from_secs(30);
/// How many questions may wait for their confirmation.
const UNCONFIRMED_MAX: usize = 50_000;

/// Asks at the rate, whatever is answered. A question that is not confirmed is published again: it has an id, and is one
/// question however often it is stored.
pub(super) async fn ask(
    bus: &dyn Bus,
    args: &SoakArgs,
    ledger: &Mutex<Ledger>,
    begun: Instant,
) -> Result<(), CliError> {
    let all = args.seconds * u64::from(args.rate);
    let mut asking: FuturesUnordered<BoxFuture<'_, Result<(), CliError>>> = FuturesUnordered::new();
    let (mut ticks, mut asked) = (interval(TICK), 0);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    while asked < all {
        tokio::select! {
            Some(stored) = asking.next(), if !asking.is_empty() => stored?,
            _ = ticks.tick() => {
                let due = (begun.elapsed().as_secs_f64() * f64::from(args.rate)) as u64;
                while asked < due.min(all) {
                    // When it was due: whoever is late must not look fast.
                    let at = Duration::from_secs_f64(asked as f64 / f64::from(args.rate));
                    asking.push(publish(bus, locked(ledger).asked(at)).boxed());
                    asked += 1;
                }
                if asking.len() > UNCONFIRMED_MAX {
                    let why = format!("{UNCONFIRMED_MAX} questions wait to be stored; ask at a lower --rate");
                    return Err(CliError::negative(why));
                }
            }
        }
    }
    while let Some(stored) = asking.next().await {
        stored?;
    }
    Ok(())
}

async fn publish(bus: &dyn Bus, id: String) -> Result<(), CliError> {
    let body = serde_json::json!({ "id": id, "question": QUESTION }).to_string();
    let until = bus.now().plus(PATIENCE.as_millis() as u64);
    let stored = publish_until(bus, Publish::new(subject::QUERY, body.into()), until).await;
    let told = |e| CliError::negative(format!("a question was not stored: {e}"));
    stored.map_err(told).map(|_| ())
}

/// Reads the ends as they are stored, and reads on from where it was when the server was away. Ends only where that takes too
/// long.
pub(super) async fn hear(
    bus: &dyn Bus,
    ledger: &Mutex<Ledger>,
    begun: Instant,
) -> Result<Infallible, CliError> {
    let mut heard = Instant::now();
    loop {
        let next = locked(ledger).next();
        match hear_from(bus, ledger, next, begun).await {
            Ok(()) => heard = Instant::now(),
            Err(_) if heard.elapsed() < AWAY => sleep(TICK).await,
            Err(error) => return Err(error.into()),
        }
        if locked(ledger).next() > next {
            heard = Instant::now();
        }
    }
}

async fn hear_from(
    bus: &dyn Bus,
    ledger: &Mutex<Ledger>,
    from: u64,
    begun: Instant,
) -> Result<(), BusError> {
    let mut reader = bus.read(Stream::Answers, ENDS, from).await?;
    while let Ok(message) = timeout(SILENCE, reader.next()).await {
        let (message, _) = message?;
        match envelope::decode::<Terminal>(&message.body) {
            Ok(terminal) => locked(ledger).ended(&terminal, message.sequence, begun.elapsed()),
            Err(error) => tracing::error!(%error, subject = message.subject, "no end"),
        }
    }
    Ok(())
}

/// Waits until every question has ended, for as long as one may take.
pub(super) async fn last_ends(ledger: &Mutex<Ledger>) {
    let begun = Instant::now();
    while locked(ledger).open() > 0 && begun.elapsed() < PATIENCE {
        sleep(TICK).await;
    }
}

/// The first position of the stream of answers, and every position at which it holds an end.
pub(super) async fn stored(bus: &dyn Bus) -> Result<(u64, HashSet<u64>), CliError> {
    let late = || CliError::negative("the stream of answers cannot be read to its end");
    let state = bus.state(Stream::Answers).await?;
    let mut positions = HashSet::new();
    if state.messages == 0 {
        return Ok((state.last + 1, positions));
    }
    let mut reader = bus.read(Stream::Answers, ENDS, 1).await?;
    loop {
        let next = timeout(AWAY, reader.next()).await.map_err(|_| late())?;
        let (message, left) = next?;
        positions.insert(message.sequence);
        if left == 0 {
            let first = positions.iter().min().copied().unwrap_or(1);
            return Ok((first, positions));
        }
    }
}
