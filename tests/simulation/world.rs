//! The parts that all processes of one seed share: the real bus, the clock, the random numbers and the ledger. Starts
//! and kills the processes.

use crate::ledger::{Hit, Ledger};
use crate::plan::{ACK_WAIT, CALM, Plan, Rates};
use bus::StoredMessage;
use bus::memory::{EPOCH, MemoryBus};
use envelope::question::Question;
use envelope::{Role, Subject, TurnId};
use fastrand::Rng;
use futures_util::future::BoxFuture;
use harness::fault::{Faults, Point};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use testkit::conversation::MemoryStore;
use tokio::sync::Notify;
use tokio::time::Instant;

/// What everything in a seed shares.
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) bus: Arc<MemoryBus>,
    /// The disks of the conversation workers.
    pub(crate) stores: Vec<Arc<MemoryStore>>,
    calm: Rates,
    start: Instant,
    ledger: Mutex<Ledger>,
    rng: Mutex<Rng>,
}

impl World {
    pub(crate) fn new(plan: Plan, bus: Arc<MemoryBus>, log: bool) -> Arc<World> {
        let rng = Mutex::new(Rng::with_seed(plan.seed));
        let mut ledger = Ledger::default();
        ledger.events = log.then(Vec::new);
        Arc::new(World {
            stores: (0..plan.instances).map(|_| Arc::default()).collect(),
            plan,
            bus,
            calm: Rates::default(),
            start: Instant::now(),
            ledger: Mutex::new(ledger),
            rng,
        })
    }

    /// Time since the start.
    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap()
    }

    /// The disturbances at this time.
    pub(crate) fn rates(&self) -> &Rates {
        if self.now() < CALM {
            &self.plan.rates
        } else {
            &self.calm
        }
    }

    /// When the bus comes back, if it is away now.
    pub(crate) fn away_until(&self) -> Option<Duration> {
        let now = self.now();
        let outages = self.plan.outages.iter();
        outages
            .filter(|(from, to)| (*from..*to).contains(&now))
            .map(|(_, to)| *to)
            .max()
    }

    /// The random generator of the world itself.
    pub(crate) fn rng(&self) -> MutexGuard<'_, Rng> {
        self.rng.lock().unwrap()
    }

    pub(crate) fn log(&self, line: impl FnOnce() -> String) {
        let now = self.now();
        if let Some(events) = &mut self.ledger().events {
            events.push(format!("{:9.3} {}", now.as_secs_f64(), line()));
        }
    }

    /// Whether a disturbance of the model strikes.
    pub(crate) fn strikes(&self, rate: f64, hit: Hit) -> bool {
        let strikes = rate > 0.0 && self.rng().f64() < rate;
        if strikes {
            self.ledger().hit(hit);
        }
        strikes
    }
}

/// One incarnation of a process.
pub(crate) struct Process {
    pub(crate) world: Arc<World>,
    pub(crate) id: u64,
    pub(crate) role: Role,
    pub(crate) name: String,
    rng: Mutex<Rng>,
    dead: AtomicBool,
    killed: Notify,
}

impl Process {
    pub(crate) fn new(
        world: Arc<World>,
        role: Role,
        instance: usize,
        incarnation: u64,
    ) -> Arc<Process> {
        let id = ((role as u64) << 40) | ((instance as u64) << 32) | incarnation;
        let seed =
            envelope::ids::fnv1a_64(&[world.plan.seed.to_le_bytes(), id.to_le_bytes()].concat());
        Arc::new(Process {
            world,
            id,
            role,
            name: format!("{role}-{instance}.{incarnation}"),
            rng: Mutex::new(Rng::with_seed(seed)),
            dead: AtomicBool::new(false),
            killed: Notify::new(),
        })
    }

    pub(crate) fn log(&self, line: impl FnOnce() -> String) {
        self.world.log(|| format!("{:14} {}", self.name, line()));
    }

    pub(crate) fn rng(&self) -> MutexGuard<'_, Rng> {
        self.rng.lock().unwrap()
    }

    /// Whether a disturbance strikes here.
    pub(crate) fn strikes(&self, rate: f64, hit: Hit) -> bool {
        let strikes = rate > 0.0 && self.rng().f64() < rate;
        if strikes {
            self.world.ledger().hit(hit);
        }
        strikes
    }

    /// A random time below `most`.
    pub(crate) fn while_below(&self, most: Duration) -> Duration {
        Duration::from_millis(self.rng().u64(1..=most.as_millis() as u64))
    }

    /// Kills the process: from here on nothing that it does has an effect.
    pub(crate) async fn die(&self, at: &str) {
        self.log(|| format!("CRASH {at}"));
        if !self.dead.swap(true, Ordering::Relaxed) {
            self.world
                .ledger()
                .died(self.id, self.world.now(), ACK_WAIT);
            self.killed.notify_one();
        }
        std::future::pending().await
    }

    /// Returns when the process has died.
    pub(crate) async fn killed(&self) {
        self.killed.notified().await;
    }

    /// Goes on in a living process; a dead one stops here.
    pub(crate) async fn live(&self) {
        if self.dead.load(Ordering::Relaxed) {
            std::future::pending().await
        }
    }

    /// Goes on in a living process, with the chance to die here.
    pub(crate) async fn live_or_die(&self, at: &str) {
        self.live().await;
        let rate = self.world.rates().crash_at_bus;
        let hit = if self.role == Role::Gateway {
            "crash of a gateway"
        } else {
            "crash at the bus"
        };
        if self.strikes(rate, hit) {
            self.die(at).await;
        }
    }
}

impl Faults for Process {
    fn at(&self, point: Point) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.live().await;
            let hit = match point {
                Point::Delivered => "crash at delivered",
                Point::Handled => "crash at handled",
                Point::ScatterStored => "crash at scatter-stored",
                Point::PartStored => "crash at part-stored",
                Point::Mapped => "crash at mapped",
                Point::Published => "crash at published",
            };
            if self.strikes(self.world.rates().crash_at_point, hit) {
                self.die(point.as_str()).await;
            }
        })
    }
}

/// The turn of a subject or a filter.
pub(crate) fn turn_in(subject: &str) -> Option<TurnId> {
    let tokens: Vec<&str> = subject.split('.').collect();
    let token = match tokens.as_slice() {
        ["argosy", "step", _, _, turn, ..] | ["argosy", "part", _, turn, ..] => turn,
        [
            "argosy",
            "timer" | "due" | "listen" | "answer" | "live" | "cancel",
            turn,
            ..,
        ] => turn,
        ["argosy", "dead", _, turn, ..] => turn,
        _ => return None,
    };
    TurnId::new(*token).ok()
}

/// The turn of a stored message; for a question, the one that its body names.
pub(crate) fn turn_of(message: &StoredMessage) -> Option<TurnId> {
    if message.subject == envelope::subject::QUERY {
        return Some(turn_asked(message));
    }
    turn_in(&message.subject)
}

/// The turn of a question: the id that it names, or the one derived from its place. A question that is refused takes
/// no id.
pub(crate) fn turn_asked(message: &StoredMessage) -> TurnId {
    let question = Question::parse(&message.body, message.stored_at, message.stored_at);
    let named = question.ok().and_then(|question| question.id);
    named.unwrap_or_else(|| TurnId::derived(message.sequence, message.stored_at.0))
}

/// A time of the bus, as the time since the start.
pub(crate) fn since_start(at: envelope::UnixMs) -> Duration {
    Duration::from_millis(EPOCH.until(at))
}

/// The subject of a turn's terminal event.
pub(crate) fn answer_subject(turn: &TurnId) -> String {
    Subject::Answer { turn: turn.clone() }.to_string()
}
