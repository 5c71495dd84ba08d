//! Reading what waits for each role, for the gauges. Every gateway does it: some twenty small requests per
//! look, and no gateway has to be the one. Who reads the gauges takes `max by (role)`.

use crate::turns::Turns;
use envelope::Role;
use harness::backlog;
use harness::bus::{BusError, Stream, StreamState};
use harness::editions;

/// Reads again and again until it is dropped.
pub(crate) async fn watch(turns: &Turns) {
    let every = turns.options.backlog_every;
    if every.is_zero() {
        return std::future::pending().await;
    }
    let mut counted = None;
    loop {
        if let Err(error) = look(turns, &mut counted).await {
            tracing::debug!(%error, "backlog not known");
            counted = None;
            for role in Role::ALL {
                turns.metrics.backlog(role, None);
                turns.metrics.dead_letters(role, None);
            }
        }
        tokio::time::sleep(every).await;
    }
}

/// Shows what waits. A role whose consumer is missing is left out; with the bus away all of them are.
async fn look(turns: &Turns, counted: &mut Option<StreamState>) -> Result<(), BusError> {
    let editions = editions::read(&*turns.bus).await?.editions;
    for role in Role::ALL {
        let consumers = turns.topology.consumers_of(role, &editions);
        let known = match backlog::of(&*turns.bus, &consumers).await {
            Err(BusError::Away(why)) => return Err(BusError::Away(why)),
            known => known.ok(),
        };
        turns.metrics.backlog(role, known);
    }
    for stream in Stream::ALL {
        let state = turns.bus.state(stream).await?;
        turns.metrics.stream(stream, &state);
    }
    dead_letters(turns, counted).await
}

/// Counts the dead letters when some have come or gone since; with many it is the one answer that is
/// not small.
async fn dead_letters(turns: &Turns, counted: &mut Option<StreamState>) -> Result<(), BusError> {
    let state = turns.bus.state(Stream::Dead).await?;
    if *counted == Some(state) {
        return Ok(());
    }
    for role in Role::ALL {
        let letters = match state.messages {
            0 => 0,
            _ => backlog::dead_letters(&*turns.bus, role).await?,
        };
        turns.metrics.dead_letters(role, Some(letters));
    }
    *counted = Some(state);
    Ok(())
}
