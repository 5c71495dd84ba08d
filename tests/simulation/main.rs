//! Simulates the whole fleet on the memory bus, by seed, with a paused clock.
//!
//! A seed determines a whole experiment: the questions, the fleet and the faults (`plan`). Real workers and gateways
//! run on a bus that loses, repeats and delays messages and gives false replies (`bus`, `deliveries`). They die at
//! every named point and at every call of the bus (`world`, `fleet`), and ask a model that fails (`fakes`). At the
//! end, every named invariant is checked on the state that is left (`invariants`).
//!
//! ```text
//! ARGOSY_SIM_SEED=7 cargo test -p argosy-tests --test simulation -- --nocapture    one seed, with its events
//! ARGOSY_SIM_SEEDS=5000 cargo test -p argosy-tests --test simulation               more of them
//! ```
//! *Not* here: a real server (tests/pipeline), three replicas (harness/tests/replicas.rs).

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on may panic, in its helpers too"
)]

mod bus;
mod conversation;
mod deliveries;
mod denials;
mod drafts;
mod early;
mod fakes;
mod fleet;
mod invariants;
mod ledger;
mod loops;
mod outcomes;
mod paid;
mod parts;
mod plan;
mod quota;
mod reading;
mod views;
mod world;

use fleet::{Remains, simulate};
use ledger::{HITS, Hit};
use plan::Plan;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The default number of seeds of a run.
const SEEDS: u64 = 500;
/// From this number of seeds on, every disturbance must have been seen.
const SEEDS_FOR_ALL: u64 = 300;

/// The results of all seeds.
#[derive(Default)]
struct Tally {
    hits: BTreeMap<Hit, u64>,
    outcomes: BTreeMap<String, u64>,
    failures: Vec<String>,
    calls: u64,
    /// How many reducers did not wait for all parts.
    early: usize,
    /// How many answers deny their sources.
    denials: usize,
    /// How many answers a second model has judged.
    judged: usize,
    /// How many answers are drafts that had been kept.
    earlier: usize,
    loops: usize,
    /// Parts that came after their own round was reduced, and were read by a later one.
    late: usize,
    /// How many mappers came back after another one had done their batch.
    woken: usize,
    /// How many turns waited in the log of their conversation.
    waiting: usize,
}

#[test]
fn every_invariant_holds_on_every_seed() {
    if let Some(seed) = number("ARGOSY_SIM_SEED") {
        return replay(seed);
    }
    let seeds = number("ARGOSY_SIM_SEEDS").unwrap_or(SEEDS);
    let (next, tally) = (AtomicU64::new(1), Mutex::new(Tally::default()));
    let begun = std::time::Instant::now();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > seeds {
                        return;
                    }
                    let ended = catch_unwind(|| simulate(Plan::of(seed), false));
                    tally.lock().unwrap().add(seed, ended.ok());
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    println!("{seeds} seeds in {:.1} s", begun.elapsed().as_secs_f64());
    println!("invariants: {}", invariants::names().join(", "));
    println!(
        "outcomes: {:?}, model calls: {}, early reducers: {}, late parts that counted: {}, woken mappers: {}",
        tally.outcomes, tally.calls, tally.early, tally.late, tally.woken
    );
    println!(
        "turns that waited in a log: {}, answers that deny their sources: {}, judged: {}, of an earlier draft: {}",
        tally.waiting, tally.denials, tally.judged, tally.earlier
    );
    println!("disturbances: {:?}", tally.hits);
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
    if seeds >= SEEDS_FOR_ALL {
        let unseen: Vec<_> = HITS
            .iter()
            .filter(|hit| !tally.hits.contains_key(*hit))
            .collect();
        assert!(unseen.is_empty(), "never struck: {unseen:?}");
        assert!(tally.early > 0, "no reducer was early");
        assert!(tally.denials > 0, "no source was denied");
        assert!(tally.judged > 0, "no answer was judged");
        assert!(tally.earlier > 0, "no answer is of an earlier draft");
        assert!(tally.loops > 0, "no loop came to its end");
        assert!(
            tally.late > 0,
            "no part came late and was read by a later reducer"
        );
        assert!(tally.woken > 0, "no mapper came back to a batch");
        assert!(tally.waiting > 0, "no turn waited for another one");
    }
}

#[test]
fn a_seed_is_a_whole_experiment() {
    for seed in 1..=10 {
        let once = simulate(Plan::of(seed), true)
            .ledger
            .events
            .unwrap_or_default();
        let again = simulate(Plan::of(seed), true)
            .ledger
            .events
            .unwrap_or_default();
        for (n, (a, b)) in once.iter().zip(&again).enumerate() {
            assert_eq!(a, b, "seed {seed}, event {n} of {}", once.len());
        }
        assert_eq!(once.len(), again.len(), "seed {seed}");
    }
}

impl Tally {
    fn add(&mut self, seed: u64, remains: Option<Remains>) {
        let Some(remains) = remains else {
            return self
                .failures
                .push(failure(seed, "no_panic", "the simulation panicked"));
        };
        for (hit, times) in &remains.ledger.hits {
            *self.hits.entry(hit).or_default() += times;
        }
        self.calls += remains.ledger.calls;
        self.early += early::count(&remains);
        self.denials += denials::count(&remains);
        self.judged += outcomes::judged(&remains);
        self.earlier += drafts::count(&remains);
        self.loops += loops::count(&remains);
        self.late += parts::late(&remains);
        self.woken += parts::woken(&remains);
        self.waiting += conversation::waiting(&remains);
        for outcome in reading::outcomes(&remains) {
            *self.outcomes.entry(outcome).or_default() += 1;
        }
        for (name, broken) in check(&remains) {
            self.failures.push(failure(seed, name, &broken));
        }
    }
}

/// The invariants that are broken, with the reasons.
fn check(remains: &Remains) -> Vec<(&'static str, String)> {
    let held = |check: invariants::Check| {
        catch_unwind(AssertUnwindSafe(|| check(remains)))
            .unwrap_or_else(|_| Err("the checker panicked".into()))
    };
    let broken = invariants::ALL
        .iter()
        .map(|(name, check)| (*name, held(*check)));
    broken
        .filter_map(|(name, held)| Some((name, held.err()?)))
        .collect()
}

fn failure(seed: u64, name: &str, broken: &str) -> String {
    format!(
        "seed {seed} breaks `{name}`: {broken}\n  replay: ARGOSY_SIM_SEED={seed} cargo test -p argosy-tests --test simulation every_invariant -- --nocapture"
    )
}

fn replay(seed: u64) {
    let plan = Plan::of(seed);
    println!("{plan:#?}");
    let remains = simulate(plan, true);
    for event in remains.ledger.events.iter().flatten() {
        println!("{event}");
    }
    println!("disturbances: {:?}", remains.ledger.hits);
    for line in reading::story(&remains) {
        println!("{line}");
    }
    let broken = check(&remains);
    let broken: Vec<_> = broken
        .iter()
        .map(|(name, how)| failure(seed, name, how))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    println!("seed {seed} keeps {}", invariants::names().join(", "));
}

fn number(variable: &str) -> Option<u64> {
    let value = settings::sources::variable(variable)?;
    let value = value.to_string_lossy().into_owned();
    Some(
        value
            .parse()
            .unwrap_or_else(|_| panic!("{variable}=`{value}`: want a number")),
    )
}
