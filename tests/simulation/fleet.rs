//! Runs the fleet of one seed: every role in several processes that die and restart, and the clients that ask.
//! Returns the state at the end.

use crate::bus::DisturbedBus;
use crate::fakes::{FakeIndex, FakeModel, Watched};
use crate::ledger::Ledger;
use crate::plan::{ACK_WAIT, Ask, CALM, DEADLINE, Plan, STOP};
use crate::views::{View, erase_all, follow, views};
use crate::world::{Process, World, turn_asked};
use argosy::config::Config;
use argosy::roles::{self, Collaborators};
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, CoreMessage, Headers, Publish, StoredMessage, Stream};
use conversation_log::EventSource;
use envelope::{Role, TurnId};
use gateway::Gateway;
use harness::{Metrics, Worker};
use llm_pool::Options as Nodes;
use settings::TimeSpan;
use stage::ErasedStage;
use std::sync::Arc;
use std::time::Duration;
use telemetry::{Health, Registry};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// How long a process is away after it died.
const DOWN_MS: std::ops::RangeInclusive<u64> = 50..=4_000;
/// How often a process may be told to restart.
const RESTART_EVERY: Duration = Duration::from_secs(5);
/// Time for running steps when a process is told to stop.
const GRACE: TimeSpan = TimeSpan::from_secs(1);
/// The longest delay that any code asks for before a message is delivered again.
const AGAIN: Duration = Duration::from_secs(65);

/// Everything that is left of a seed.
pub(crate) struct Remains {
    pub(crate) plan: Plan,
    pub(crate) inbox: Vec<StoredMessage>,
    pub(crate) steps: Vec<StoredMessage>,
    pub(crate) answers: Vec<StoredMessage>,
    pub(crate) dead: Vec<StoredMessage>,
    pub(crate) conversations: Vec<StoredMessage>,
    /// The contents of the conversation workers' stores.
    pub(crate) views: Vec<View>,
    /// What is left of the questions after every conversation was erased.
    pub(crate) left: Vec<String>,
    /// Deliveries that came although everything should have been answered.
    pub(crate) pending: Vec<String>,
    /// How many tasks live on after the fleet has stopped.
    pub(crate) tasks: usize,
    /// How many dead letters could not be stored, by the counter.
    pub(crate) lost_dead: u64,
    /// How many dead letters were counted, by role.
    pub(crate) counted_dead: Vec<(Role, u64)>,
    pub(crate) ledger: Ledger,
}

/// Runs a seed to its end.
pub(crate) fn simulate(plan: Plan, log: bool) -> Remains {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(run(plan, log))
}

fn topology() -> Topology {
    Topology {
        ack_wait: TimeSpan::from_millis(ACK_WAIT.as_millis() as u64),
        keep: TimeSpan::from_secs(900),
        ..Topology::default()
    }
}

async fn run(plan: Plan, log: bool) -> Remains {
    let topology = topology();
    let world = World::new(plan, MemoryBus::new(&topology), log);
    let registry = Registry::new();
    let stop = CancellationToken::new();
    let mut fleet = JoinSet::new();
    for role in [Role::Gateway].into_iter().chain(Role::THINKING) {
        for instance in 0..world.plan.instances {
            let launch = Launch {
                world: world.clone(),
                topology: topology.clone(),
                registry: registry.clone(),
                role,
                instance,
            };
            fleet.spawn(launch.keep_up(stop.clone()));
        }
    }
    fleet.spawn(ask_all(world.clone()));
    sleep(STOP).await;
    stop.cancel();
    let stopped = async { while fleet.join_next().await.is_some() {} };
    let stuck = timeout(GRACE.duration() * 4, stopped).await.is_err();
    // What was aborted is only gone when it has been scheduled once more.
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
    let tasks = tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks();
    let pending = pending(&world, &topology).await;
    let bus = &*world.bus;
    let mut remains = Remains {
        plan: world.plan.clone(),
        inbox: all(bus, Stream::Inbox).await,
        steps: all(bus, Stream::Steps(0)).await,
        answers: all(bus, Stream::Answers).await,
        dead: all(bus, Stream::Dead).await,
        conversations: all(bus, Stream::Conversations).await,
        views: views(&world).await,
        left: Vec::new(),
        pending,
        tasks: tasks.max(usize::from(stuck)),
        lost_dead: Role::THINKING
            .into_iter()
            .map(|role| counted(&registry, "argosy_dead_letters_lost_total", role))
            .sum(),
        counted_dead: Role::THINKING
            .into_iter()
            .map(|role| (role, counted(&registry, "argosy_dead_letters_total", role)))
            .collect(),
        ledger: std::mem::take(&mut *world.ledger()),
    };
    remains.left = erase_all(&world, &topology).await;
    remains
}

/// The restarts of one process.
struct Launch {
    world: Arc<World>,
    topology: Topology,
    registry: Registry,
    role: Role,
    instance: usize,
}

impl Launch {
    /// Keeps the process up until `stop`: when it dies, it comes back after a while.
    async fn keep_up(self, stop: CancellationToken) {
        for incarnation in 0.. {
            let process = Process::new(self.world.clone(), self.role, self.instance, incarnation);
            let own = stop.child_token();
            let mut task = JoinSet::new();
            self.start(&process, own.clone(), &mut task);
            let died = watch_over(&process, &mut task, &own).await;
            task.shutdown().await;
            if !died && stop.is_cancelled() {
                return;
            }
            let down = Duration::from_millis(process.rng().u64(DOWN_MS));
            self.world
                .ledger()
                .take(None, down / self.world.plan.instances as u32);
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = sleep(down) => {}
            }
        }
    }

    fn start(&self, process: &Arc<Process>, stop: CancellationToken, task: &mut JoinSet<()>) {
        let bus: Arc<dyn Bus> = Arc::new(DisturbedBus(process.clone()));
        let seed = process.rng().u64(..);
        let health = Health::new(&[]);
        let run = harness::Options {
            slots: self.world.plan.slots as u32,
            grace: GRACE,
            early_reduce: self.world.plan.early as u32,
            ..harness::Options::default()
        };
        if self.role == Role::Gateway {
            let options = gateway::Options {
                deadline: TimeSpan::from_millis(DEADLINE.as_millis() as u64),
                sweep_every: TimeSpan::from_secs(10),
                tenant_turns: self.world.plan.tenant_turns as u32,
                judged: self.world.plan.judged,
                // Gauges decide nothing; what fails while reading them would excuse every turn.
                backlog_every: TimeSpan::default(),
                run,
                seed,
                ..gateway::Options::default()
            };
            let metrics = gateway::Metrics::new(&self.registry).expect("metrics");
            let gateway = Gateway::new(bus, self.topology.clone(), options, metrics);
            task.spawn(async move {
                let _ = Box::pin(gateway.run(health, stop)).await;
            });
            return;
        }
        let store = (self.role == Role::Conversation)
            .then(|| follow(&self.world, self.instance, bus.clone(), stop.clone(), task));
        let handler = Arc::new(Watched {
            inner: stage(self.role, &self.world, &bus, store),
            process: process.clone(),
        });
        let metrics = Metrics::new(&self.registry, &[self.role]).expect("metrics");
        let worker = Worker::new(bus, self.topology.clone(), handler, run, seed, metrics)
            .with_batch(self.world.plan.batch)
            .with_faults(process.clone());
        task.spawn(async move {
            let _ = worker.run(health, stop).await;
        });
    }
}

/// Returns when the process died (true), or stopped as it was told to.
async fn watch_over(process: &Process, task: &mut JoinSet<()>, stop: &CancellationToken) -> bool {
    loop {
        tokio::select! {
            biased;
            () = process.killed() => return true,
            // A store that stops following is done before its worker has drained.
            _ = task.join_next() => if task.is_empty() {
                return false;
            },
            () = sleep(RESTART_EVERY) => {
                if process.strikes(process.world.rates().restart, "restart") {
                    process.log(|| "told to restart".into());
                    stop.cancel();
                }
            }
        }
    }
}

/// The real stage of a role.
fn stage(
    role: Role,
    world: &Arc<World>,
    bus: &Arc<dyn Bus>,
    conversations: Option<Arc<dyn EventSource>>,
) -> Arc<dyn ErasedStage> {
    let with = Collaborators {
        model: Arc::new(FakeModel(world.clone())),
        searcher: Arc::new(FakeIndex(world.clone())),
        caught_up: None,
        conversations,
        embedder: None,
        catalog: Arc::new(search::NoCatalog),
    };
    roles::handler(role, &configured(&world.plan), &with, bus).unwrap()
}

/// The fleet's configuration, as far as stages read it.
fn configured(plan: &Plan) -> Config {
    let mut config = Config::default();
    config.validator.contradicted = plan.contradicted;
    if plan.judged {
        config.model.model = "writer".into();
        let judge = Nodes::one_node("judge", "http://127.0.0.1:9");
        config.models.insert("judge".into(), judge);
        config.model_of.insert(Role::Validator, "judge".into());
    }
    config
}

/// Runs every client of the seed. The clients' own connection is undisturbed: what they publish is stored.
async fn ask_all(world: Arc<World>) {
    let mut asking = JoinSet::new();
    for ask in world.plan.asks.clone() {
        asking.spawn(ask_one(world.clone(), ask));
    }
    while asking.join_next().await.is_some() {}
}

async fn ask_one(world: Arc<World>, ask: Ask) {
    sleep(ask.at).await;
    world.log(|| format!("client         ask {}", ask.body));
    let body = bytes::Bytes::from(ask.body);
    match ask.request {
        Some(reply) => {
            let request = CoreMessage {
                subject: envelope::subject::ASK.into(),
                reply: Some(reply),
                headers: Headers::default(),
                body: body.clone(),
            };
            world
                .bus
                .broadcast(request)
                .await
                .expect("the memory bus broadcasts");
        }
        None => {
            let message = Publish::new(envelope::subject::QUERY, body.clone());
            world
                .bus
                .publish(message)
                .await
                .expect("the memory bus stores");
        }
    }
    let id = serde_json::from_slice::<serde_json::Value>(&body).ok();
    let id = id.and_then(|body| TurnId::new(body.get("id")?.as_str()?).ok());
    if let (Some(after), Some(turn)) = (ask.cancel_after, id) {
        sleep(after).await;
        if streams::client::cancel(&*world.bus, &turn).await.is_ok() {
            world.log(|| format!("client         cancelled {turn}"));
            world.ledger().cancelled.push(turn);
        }
    }
}

/// The deliveries that the consumers still make when everything should have been answered.
async fn pending(world: &World, topology: &Topology) -> Vec<String> {
    let mut found = Vec::new();
    let until = tokio::time::Instant::now() + AGAIN;
    for consumer in topology.consumers(&envelope::Editions::default()) {
        let Ok(mut puller) = world.bus.consume(&consumer).await else {
            found.push(format!("{} is gone", consumer.name));
            continue;
        };
        while let Ok(Ok(delivery)) = tokio::time::timeout_at(until, puller.next(1)).await {
            let _ = delivery.ack.ack().await;
            let subject = &delivery.message.subject;
            if subject != envelope::subject::SWEEP_DUE {
                found.push(format!("{subject}, delivery {}", delivery.delivered));
            }
        }
    }
    found
}

pub(crate) async fn all(bus: &MemoryBus, stream: Stream) -> Vec<StoredMessage> {
    let mut found = Vec::new();
    let state = bus.state(stream).await.expect("a stream");
    if state.messages == 0 {
        return found;
    }
    let mut reader = bus.read(stream, ">", 0).await.expect("a stream");
    loop {
        let (message, after) = reader.next().await.expect("a message");
        found.push(message);
        if after == 0 {
            return found;
        }
    }
}

/// The sum of a counter over all processes of a role.
fn counted(registry: &Registry, family: &str, role: Role) -> u64 {
    let (text, label) = (registry.encode(), format!("role=\"{role}\""));
    let of_role = text
        .lines()
        .filter(|line| line.starts_with(&format!("{family}{{")) && line.contains(&label));
    of_role
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        .sum::<f64>() as u64
}

impl Remains {
    /// The questions with their turns, in the order of the inbox.
    pub(crate) fn asked(&self) -> impl Iterator<Item = (&StoredMessage, TurnId)> {
        self.inbox
            .iter()
            .map(|message| (message, turn_asked(message)))
    }
}

const _: () = assert!(CALM.as_secs() < STOP.as_secs());
