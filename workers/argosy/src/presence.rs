//! Reports the status of this process whenever another process asks the processes of the fleet
//! (`inspect::processes`).

use bus::{Bus, CoreMessage, Headers};
use bytes::Bytes;
use conversation_log::store::StoreSizes;
use envelope::Role;
use harness::{Metrics, Tally};
use index_host::editions::EditionRouter;
use inspect::disk;
use inspect::processes::{IndexState, ProcessStatus, Recent, SUBJECT, StoreState};
use llm::ChatModel;
use llm_pool::{Pool, Pools};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use telemetry::Health;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The state of a process' own store of conversations.
#[derive(Debug, Clone)]
pub(crate) struct StoreSeen {
    /// See [`StoreState::at`].
    pub(crate) seen: watch::Receiver<u64>,
    /// How much the store holds; `None` while it is not open.
    pub(crate) sizes: watch::Receiver<Option<StoreSizes>>,
}

impl StoreSeen {
    fn now(&self) -> Option<StoreState> {
        let sizes = (*self.sizes.borrow())?;
        Some(StoreState {
            at: *self.seen.borrow(),
            conversations: sizes.conversations,
            events: sizes.events,
            bytes: sizes.bytes,
        })
    }
}

/// The time over which a process reports its recent work.
const RECENT: Duration = Duration::from_secs(300);
/// How often it notes what it has done so far.
const MARK_EVERY: Duration = Duration::from_secs(15);

/// What a process remembers of its work, to report what it did lately.
#[derive(Debug)]
struct Window {
    marks: VecDeque<(Instant, Tally)>,
}

impl Window {
    fn new(start: Instant) -> Window {
        Window {
            marks: VecDeque::from([(start, Tally::default())]),
        }
    }

    /// Notes what was done by `now`, and keeps one mark that is old enough to count from.
    fn mark(&mut self, now: Instant, tally: Tally) {
        self.marks.push_back((now, tally));
        while self.marks.get(1).is_some_and(|(at, _)| *at + RECENT <= now) {
            self.marks.pop_front();
        }
    }

    fn recent(&self, now: Instant, tally: &Tally) -> Recent {
        let none = (now, Tally::default());
        let (since, before) = self.marks.front().unwrap_or(&none);
        let durations = tally.durations.iter().enumerate();
        let earlier = |place: usize| before.durations.get(place).copied().unwrap_or(0);
        Recent {
            seconds: now.saturating_duration_since(*since).as_secs(),
            answered: tally.answered - before.answered,
            errors: tally.errors - before.errors,
            durations: durations.map(|(at, n)| n - earlier(at)).collect(),
        }
    }
}

/// Reports the status of a process.
pub(crate) struct StatusReporter {
    role: Role,
    health: Health,
    metrics: Metrics,
    started: Instant,
    data_dir: PathBuf,
    listens: OnceLock<SocketAddr>,
    model: OnceLock<String>,
    pools: Pools,
    index: OnceLock<Arc<EditionRouter>>,
    store: OnceLock<StoreSeen>,
    conversations: OnceLock<bool>,
    window: Mutex<Window>,
}

impl StatusReporter {
    /// A reporter for a process of this role, with its metrics and its health. An index or a store of the process is
    /// in `data_dir`.
    pub(crate) fn new(
        role: Role,
        health: Health,
        metrics: Metrics,
        data_dir: PathBuf,
    ) -> Arc<StatusReporter> {
        let started = Instant::now();
        Arc::new(StatusReporter {
            role,
            health,
            metrics,
            started,
            data_dir,
            listens: OnceLock::new(),
            model: OnceLock::new(),
            pools: Pools::default(),
            index: OnceLock::new(),
            store: OnceLock::new(),
            conversations: OnceLock::new(),
            window: Mutex::new(Window::new(started)),
        })
    }

    /// The role of the process.
    pub(crate) fn role(&self) -> Role {
        self.role
    }

    /// Reports from now on the address at which metrics and probes are served.
    pub(crate) fn listens(&self, at: SocketAddr) {
        let _ = self.listens.set(at);
    }

    /// Reports these model nodes from now on; the first ones are those of the model that the process asks.
    pub(crate) fn asks(&self, pool: &Arc<Pool>) {
        // Which model a process asks is decided once.
        let _ = self.model.set(pool.name().to_owned());
        self.pools.add(pool);
    }

    /// The place where further model nodes are noted.
    pub(crate) fn pools(&self) -> &Pools {
        &self.pools
    }

    /// Reports these indexes from now on.
    pub(crate) fn searches(&self, serving: Arc<EditionRouter>) {
        let _ = self.index.set(serving);
    }

    /// Reports this store from now on.
    pub(crate) fn keeps(&self, store: StoreSeen) {
        let _ = self.store.set(store);
    }

    /// Reports from now on whether the process takes questions of conversations.
    pub(crate) fn takes_conversations(&self, takes: bool) {
        let _ = self.conversations.set(takes);
    }

    /// Answers requests until it is told to stop.
    pub(crate) async fn answer(&self, bus: &dyn Bus, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = self.marks() => {}
                // Only with the connection does a subscription end: it is made again.
                _ = self.hear(bus) => tokio::time::sleep(Duration::from_secs(1)).await,
            }
        }
    }

    async fn marks(&self) {
        loop {
            tokio::time::sleep(MARK_EVERY).await;
            let tally = self.metrics.tally(self.role);
            self.window().mark(Instant::now(), tally);
        }
    }

    async fn hear(&self, bus: &dyn Bus) -> Option<()> {
        let mut asked = bus.subscribe(SUBJECT, None).await.ok()?;
        while let Some(message) = asked.next().await {
            let Some(reply) = message.reply else { continue };
            let body = serde_json::to_vec(&self.seen()).unwrap_or_default();
            let answer = CoreMessage {
                subject: reply,
                reply: None,
                headers: Headers::default(),
                body: Bytes::from(body),
            };
            if let Err(error) = bus.broadcast(answer).await {
                tracing::debug!(%error, "the status of this process could not be sent");
            }
        }
        Some(())
    }

    fn seen(&self) -> ProcessStatus {
        let (now, tally) = (Instant::now(), self.metrics.tally(self.role));
        let report = self.health.report();
        let unmet = report.conditions.iter().find(|(_, one)| !one.ready);
        let why = |(name, one): (&String, &telemetry::health::ConditionReport)| {
            let reason = one.reason.as_deref().unwrap_or_default();
            format!("{name}: {reason}")
        };
        let (index, store) = (self.index.get(), self.store.get());
        let keeps_files = index.is_some() || store.is_some();
        let waits = report.conditions.iter().filter(|(_, one)| !one.ready);
        let waits = waits.map(|(name, one)| (name.clone(), one.reason.clone().unwrap_or_default()));
        ProcessStatus {
            role: self.role,
            process: format!("{}-{}", self.role, std::process::id()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            listens: self.listens.get().copied(),
            uptime_s: now.saturating_duration_since(self.started).as_secs(),
            ready: report.ready,
            reason: match report.draining {
                true => Some("draining".to_owned()),
                false => unmet.map(why),
            },
            waits_for: waits.collect(),
            index: index.map(|serving| {
                let (edition, at) = serving.reached();
                IndexState { edition, at }
            }),
            store: store.and_then(StoreSeen::now),
            conversations: self.conversations.get().copied(),
            disk: keeps_files.then(|| disk::of(&self.data_dir).ok()).flatten(),
            in_flight: tally.in_flight,
            limit: tally.limit,
            recent: self.window().recent(now, &tally),
            model: self.model.get().cloned(),
            nodes: self.pools.nodes(),
        }
    }

    fn window(&self) -> std::sync::MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use inspect::processes::{LISTEN, ask};
    use telemetry::Registry;

    fn done(answered: u64, errors: u64, quick: u64) -> Tally {
        Tally {
            answered,
            errors,
            durations: vec![quick, answered - errors - quick],
            ..Tally::default()
        }
    }

    #[test]
    fn recent_is_the_last_five_minutes_and_not_for_ever() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut window = Window::new(start);
        let early = window.recent(after(10), &done(4, 1, 2));
        let wanted = Recent {
            seconds: 10,
            answered: 4,
            errors: 1,
            durations: vec![2, 1],
        };
        assert_eq!(early, wanted);
        for at in (15..=600).step_by(15) {
            window.mark(after(at), done(at, 0, 0));
        }
        let late = window.recent(after(610), &done(700, 5, 50));
        assert!((300..330).contains(&late.seconds), "{late:?}");
        assert_eq!(late.answered, 700 - 300);
        assert_eq!((late.errors, late.durations[0]), (5, 50));
        assert!(window.marks.len() < 30, "{}", window.marks.len());
    }

    #[tokio::test(start_paused = true)]
    async fn every_process_answers_for_itself() {
        let bus = MemoryBus::new(&Topology::default());
        let stop = CancellationToken::new();
        let mut running = tokio::task::JoinSet::new();
        for role in [Role::Mapper, Role::Gateway] {
            let metrics = Metrics::new(&Registry::new(), &[role]).unwrap();
            metrics.limit(role, 8);
            let health = Health::new(&["nats"]);
            if role == Role::Mapper {
                health.ready("nats");
            }
            let reporter = StatusReporter::new(role, health, metrics, PathBuf::new());
            let (bus, stop) = (bus.clone(), stop.clone());
            running.spawn(async move { reporter.answer(&*bus, &stop).await });
        }
        // Past a mark, which must not end the listening.
        tokio::time::sleep(MARK_EVERY * 2).await;
        let seen = ask(&*bus, LISTEN).await.unwrap();
        let told: Vec<_> = seen.iter().map(|s| (s.role, s.ready, s.limit)).collect();
        assert_eq!(
            told,
            [(Role::Mapper, true, 8), (Role::Gateway, false, 8)],
            "{seen:?}"
        );
        assert_eq!(seen[1].reason.as_deref(), Some("nats: starting"));
        assert_eq!(seen[0].uptime_s, 30);
        stop.cancel();
        while running.join_next().await.is_some() {}
        assert_eq!(ask(&*bus, LISTEN).await, Ok(Vec::new()));
    }
}
