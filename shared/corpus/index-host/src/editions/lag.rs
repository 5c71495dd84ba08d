//! Measures every few seconds how many messages an index is behind the corpus stream. *Not* here: the feed, by which
//! the index catches up.

use bus::{Bus, Stream};
use index::IndexLag;
use std::time::Duration;
use tokio::sync::watch;

/// How often it looks: one small request.
const EVERY: Duration = Duration::from_secs(5);

/// Reports until it is dropped. Messages of other editions are counted where they lie in between, so the figure is
/// an upper bound.
pub(super) async fn tell(bus: &dyn Bus, filter: &str, seen: &watch::Receiver<u64>, lag: &IndexLag) {
    loop {
        let newest = bus.last(Stream::Chunks, filter).await.ok();
        let newest = newest.map(|newest| newest.map_or(0, |newest| newest.sequence));
        let at = *seen.borrow();
        lag.set(newest.map(|newest| newest.saturating_sub(at)));
        tokio::time::sleep(EVERY).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Publish;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use envelope::{Edition, subject};
    use telemetry::Registry;

    #[tokio::test(start_paused = true)]
    async fn an_index_is_behind_by_what_it_has_not_taken_in() {
        let bus = MemoryBus::new(&Topology::default());
        for edition in ["main", "main", "main", "small"] {
            let message =
                Publish::new(format!("argosy.chunk.{edition}.b.d.0"), bytes::Bytes::new());
            bus.publish(message).await.unwrap();
        }
        let registry = Registry::new();
        let metrics = index::Metrics::new(&registry).unwrap();
        let (at, seen) = watch::channel(1);
        let edition = Edition::new("main").unwrap();
        let lag = metrics.lag(edition.as_str());
        let filter = subject::edition(&edition);
        let value = || {
            let text = registry.encode();
            let lines = text.lines().map(str::to_owned);
            let series = "argosy_index_lag_messages{edition=\"main\"} ";
            let mut values =
                lines.filter_map(|line| line.strip_prefix(series)?.parse::<u64>().ok());
            values.next()
        };
        let look = async || {
            let _ = tokio::time::timeout(EVERY / 2, tell(&*bus, &filter, &seen, &lag)).await;
            value()
        };
        assert_eq!(
            look().await,
            Some(2),
            "what is not of the edition does not count at its end"
        );
        at.send_replace(3);
        assert_eq!(look().await, Some(0));
        drop(lag);
        assert_eq!(
            value(),
            None,
            "of an edition that is no more nothing is known"
        );
    }
}
