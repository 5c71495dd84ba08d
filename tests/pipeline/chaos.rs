//! Kills one process every second, and the server in the middle. Whatever is killed, every question ends once, nearly
//! all are answered, and the model is called hardly more often than without kills.

use crate::fleet::{Fleet, connect};
use crate::model::{self, CALLS};
use crate::turns::{Tally, asked, publish, question, redeliveries, terminals, wait_for_ends};
use bus_nats::NatsBus;
use envelope::TurnId;
use std::collections::BTreeMap;
use std::time::Duration;
use testkit::nats::{TestCluster, TestServer};
use tokio::time::{Instant, sleep, sleep_until};

/// How long the fake model takes.
const MODEL: Duration = Duration::from_millis(40);
/// Time for each question.
const DEADLINE: &str = "120s";
/// How long the last turns may take after the last kill.
const TAIL: Duration = Duration::from_secs(60);

/// The servers of NATS that can be killed.
#[expect(clippy::large_enum_variant, reason = "a test holds one of them")]
enum Nats {
    One(TestServer),
    Three(TestCluster),
}

impl Nats {
    fn url(&self) -> String {
        match self {
            Nats::One(server) => server.url(),
            Nats::Three(cluster) => cluster.url(),
        }
    }

    /// Kills a server with SIGKILL and brings it back on its store half a second later.
    async fn blow(&mut self, rng: &mut fastrand::Rng) {
        let server = match self {
            Nats::One(server) => &mut **server,
            Nats::Three(cluster) => {
                let member = rng.usize(..cluster.servers.len());
                &mut cluster.servers[member]
            }
        };
        server.kill().expect("a kill");
        sleep(Duration::from_millis(500)).await;
        server.restart().await.expect("a restart");
    }
}

/// A storm over a fleet: each second a burst of questions, with a kill in the middle of it.
struct Storm {
    questions: usize,
    bursts: usize,
    rng: fastrand::Rng,
    killed: BTreeMap<&'static str, usize>,
}

impl Storm {
    fn new(questions: usize, bursts: usize) -> Storm {
        let seed = fastrand::u64(..);
        println!("seed of the storm: {seed}");
        Storm {
            questions,
            bursts,
            rng: fastrand::Rng::with_seed(seed),
            killed: BTreeMap::new(),
        }
    }

    async fn blow(&mut self, fleet: &mut Fleet, nats: &mut Nats, bus: &NatsBus) {
        let each = self.questions / self.bursts;
        let begun = Instant::now();
        for burst in 0..self.bursts {
            publish(bus, questions(&format!("storm-{burst}"), each)).await;
            // Anywhere in the life of the burst's questions, the first plan to the last answer.
            sleep(Duration::from_millis(self.rng.u64(..300))).await;
            let place = self.rng.usize(..fleet.processes.len());
            let role = fleet.processes[place].member.role;
            *self.killed.entry(role.as_str()).or_default() += 1;
            fleet.replace(place).await;
            if burst == self.bursts / 2 {
                publish(bus, questions("outage", each)).await;
                sleep(Duration::from_millis(self.rng.u64(..150))).await;
                nats.blow(&mut self.rng).await;
            }
            sleep_until(begun + Duration::from_secs(burst as u64 + 1)).await;
        }
    }

    /// The number of questions of the whole storm, with those of the outage.
    fn total(&self) -> usize {
        self.questions + self.questions / self.bursts
    }
}

/// Half of the questions choose an id, and the fleet gives the others one.
fn questions(prefix: &str, count: usize) -> Vec<serde_json::Value> {
    let id = |n| (n % 2 == 0).then(|| format!("{prefix}-{n}"));
    (0..count).map(|n| question(id(n), DEADLINE)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn survives_kill_9() {
    let mut nats = Nats::One(testkit::nats::server().await);
    let node = model::node(MODEL).await;
    let set = [model::options(&node), vec!["streams.ack_wait=2s".into()]].concat();
    let mut fleet = Fleet::new(nats.url(), set);
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(nats.url()).await;
    let mut storm = Storm::new(200, 20);

    // The same questions with nothing in their way.
    let (begun, total) = (Instant::now(), storm.total());
    publish(&*bus, questions("calm", total)).await;
    wait_for_ends(&*bus, total as u64, TAIL).await;
    let (calm, calm_calls) = (begun.elapsed(), node.seen().calls);
    let calm_turns = asked(&*bus).await;
    assert_eq!(
        calm_calls,
        total * CALLS,
        "model calls of an undisturbed run"
    );

    let begun = Instant::now();
    storm.blow(&mut fleet, &mut nats, &bus).await;
    let blown = begun.elapsed();
    wait_for_ends(&*bus, 2 * total as u64, TAIL).await;
    let (whole, calls) = (begun.elapsed(), node.seen().calls - calm_calls);
    fleet.ready().await;
    fleet.drain().await;

    let Nats::One(server) = &nats else {
        unreachable!()
    };
    let again = redeliveries(&*bus, server.monitor()).await;
    let (all, ends) = (asked(&*bus).await, terminals(&*bus).await);
    assert_eq!(Tally::of(&all, &ends).turns, 2 * total);
    let is_calm = |turn: &TurnId| calm_turns.contains_key(turn);
    let stormy = all.into_iter().filter(|(turn, _)| !is_calm(turn)).collect();
    let (undisturbed, ends): (Vec<_>, Vec<_>) =
        ends.into_iter().partition(|end| is_calm(&end.turn));
    Tally::of(&calm_turns, &undisturbed).print("survives_kill_9, undisturbed");
    let tally = Tally::of(&stormy, &ends);
    let ratio = calls as f64 / calm_calls as f64;
    tally.print("survives_kill_9");
    println!("  killed            {:?}, nats-server once", storm.killed);
    println!("  redeliveries      {again:?}");
    println!("  model calls       {calls}, undisturbed {calm_calls}, ratio {ratio:.3}");
    println!(
        "  seconds           calm {calm:.1?}, storm {blown:.1?}, until the last end {whole:.1?}"
    );
    assert!(tally.answered() >= 0.99, "{:?}", tally.outcomes);
    assert!(
        ratio <= 1.3,
        "the model was asked {ratio:.2} times as often"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_replicas() {
    let mut nats = Nats::Three(testkit::nats::cluster().await);
    let node = model::node(MODEL).await;
    let more = vec!["streams.ack_wait=2s".into(), "streams.replicas=3".into()];
    let mut fleet = Fleet::new(nats.url(), [model::options(&node), more].concat());
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(nats.url()).await;
    let mut storm = Storm::new(40, 4);
    let total = storm.total();

    let begun = Instant::now();
    storm.blow(&mut fleet, &mut nats, &bus).await;
    wait_for_ends(&*bus, total as u64, TAIL).await;
    let whole = begun.elapsed();
    fleet.ready().await;
    fleet.drain().await;

    let tally = Tally::of(&asked(&*bus).await, &terminals(&*bus).await);
    let ratio = node.seen().calls as f64 / (total * CALLS) as f64;
    tally.print("three_replicas");
    println!(
        "  killed            {:?}, one nats-server once",
        storm.killed
    );
    println!(
        "  model calls       {}, ratio {ratio:.3}",
        node.seen().calls
    );
    println!("  seconds           {whole:.1?}");
    assert_eq!(tally.turns, total);
    assert!(tally.answered() >= 0.99, "{:?}", tally.outcomes);
    assert!(
        ratio <= 1.5,
        "the model was asked {ratio:.2} times as often"
    );
}
