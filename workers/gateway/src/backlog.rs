//! Reads how many messages wait for each role, and sets the gauges. Every gateway does it, with some twenty small
//! requests each time, so that no leader has to be elected. Queries of these gauges use `max by (role)`.

use crate::turns::Turns;
use bus::{BusError, Stream, StreamState};
use envelope::Role;
use streams::backlog;
use streams::editions;

/// Reads again and again until it is dropped.
pub(crate) async fn watch(turns: &Turns) {
    let every = turns.options.backlog_every.duration();
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
            for stream in Stream::ALL {
                turns.metrics.stream(stream, None);
            }
            turns.metrics.conversations.reach(None);
        }
        tokio::time::sleep(every).await;
    }
}

/// Reads what waits and sets the gauges. A role whose consumer is missing is left out; while the bus is away, all
/// roles are.
async fn look(turns: &Turns, counted: &mut Option<StreamState>) -> Result<(), BusError> {
    let editions = editions::read(&*turns.bus).await?.editions;
    for role in Role::ALL {
        let consumers = turns.topology.consumers_of(role, &editions);
        let known = match backlog::of(&*turns.bus, &consumers).await {
            Err(error @ (BusError::Away(_) | BusError::NoJetStream(_))) => return Err(error),
            known => known.ok(),
        };
        turns.metrics.backlog(role, known);
    }
    for stream in Stream::ALL {
        let state = turns.bus.state(stream).await?;
        turns.metrics.stream(stream, Some(&state));
    }
    let reach = backlog::reach(&*turns.bus).await?;
    turns.metrics.conversations.reach(Some(reach));
    dead_letters(turns, counted).await
}

/// Counts the dead letters again when some have been stored or removed since the last look. With many dead letters
/// this is the only reply that is not small.
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

#[cfg(test)]
mod tests {
    use crate::{Gateway, Metrics, Options};
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use bus::{Bus, Publish};
    use envelope::Role;
    use std::time::Duration;
    use telemetry::{Health, Registry};
    use tokio::task::JoinSet;
    use tokio::time::sleep;
    use tokio_util::sync::CancellationToken;

    fn pending(role: Role, count: u64) -> String {
        format!("argosy_consumer_pending_messages{{role=\"{role}\"}} {count}\n")
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_is_shown_and_what_is_not_known_is_not() {
        let topology = Topology::default();
        let bus = MemoryBus::new(&topology);
        let registry = Registry::new();
        let metrics = Metrics::new(&registry).unwrap();
        let gateway = Gateway::new(bus.clone(), topology.clone(), Options::default(), metrics);
        let (mut running, stop) = (JoinSet::new(), CancellationToken::new());
        let told = stop.clone();
        running.spawn(async move { Box::pin(gateway.run(Health::new(&[]), told)).await });
        for subject in ["argosy.step.0.mapper.t.2.0", "argosy.dead.mapper.t.2.1"] {
            let message = Publish::new(subject, bytes::Bytes::new());
            bus.publish(message).await.unwrap();
        }
        sleep(Duration::from_secs(6)).await;
        let text = registry.encode();
        let dead = "argosy_dead_letter_messages{role=\"mapper\"} 1\n";
        let dead = dead.to_owned();
        for line in [pending(Role::Mapper, 1), pending(Role::Planner, 0), dead] {
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
        let mapper = topology.consumer(Role::Mapper);
        bus.drop_consumer(&mapper).await.unwrap();
        sleep(Duration::from_secs(6)).await;
        let text = registry.encode();
        let gauge = "argosy_consumer_pending_messages{role=\"mapper\"}";
        assert!(!text.contains(gauge), "{text}");
        assert!(text.contains(&pending(Role::Planner, 0)), "{text}");
        stop.cancel();
        while running.join_next().await.is_some() {}
    }
}
