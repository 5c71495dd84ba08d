//! Asks at a fixed rate while every role and the server are killed again and again, and counts what is lost or doubled.
//!
//! The model and the index are stubs: what is shown is that the machine that carries questions loses none. A question
//! counts as lost when no end of it is stored half a minute after the last deadline, and as doubled when two are.

mod ledger;
mod page;
mod storm;

use crate::cli::SoakArgs;
use crate::fleet_run::{Ground, nats_server, settings};
use crate::out::println;
use crate::samples::{self, Sample, watch};
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::fleet::drain;
use argosy::machine::machine;
use argosy::render::ProgressLine;
use bus::{Bus, BusError, Publish, Stream};
use envelope::{Role, Terminal, subject};
use ledger::{Account, Ledger};
use owo_colors::OwoColorize;
use settings::TimeSpan;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use storm::{Kill, Storm, processes};
use streams::outbox::publish_until;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

/// The time for a question, how long its steps are kept after that, and how long a step waits for the ack of a process
/// that was killed.
const DEADLINE: TimeSpan = TimeSpan::from_secs(60);
const KEEP: TimeSpan = TimeSpan::from_secs(15);
const ACK_WAIT: TimeSpan = TimeSpan::from_secs(5);
/// How long is waited for the last ends, and for a question to be stored.
const PATIENCE: Duration = Duration::from_secs(90);
/// How often questions are asked, and how often it is looked whether all have ended.
const TICK: Duration = Duration::from_millis(10);
/// After how long without an end the stream is read anew.
const SILENCE: Duration = Duration::from_secs(2);

/// What a run has shown.
struct Soaked {
    account: Account,
    samples: Vec<Sample>,
    kills: Vec<Kill>,
    /// The memory of all processes in the last quarter by that in the second one.
    memory_growth: f64,
}

/// `argosy-bench soak`
pub async fn soak(args: SoakArgs, output: Output) -> Result<(), CliError> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    let soaked = Box::pin(run(&args, seed, output)).await?;
    report(&args, seed, &soaked, output);
    if let Some(file) = &args.html {
        std::fs::write(file, page::page(&args, seed, &soaked))?;
    }
    match soaked.account.fault() {
        None => Ok(()),
        Some(fault) => Err(CliError::negative(fault)),
    }
}

async fn run(args: &SoakArgs, seed: u64, output: Output) -> Result<Soaked, CliError> {
    let mut config = Config::default();
    config.streams.keep = KEEP;
    config.streams.ack_wait = ACK_WAIT;
    let mut ground = Ground::lay(nats_server()?, false, &config).await?;
    let bus: Arc<dyn Bus> = ground.bus.clone();
    let mut set = settings();
    set.push(format!("streams.keep={KEEP}"));
    set.push(format!("streams.ack_wait={ACK_WAIT}"));
    set.push(format!("gateway.deadline={DEADLINE}"));
    let plan = ground.plan(set, args.stubs())?;
    let mut members = plan.start_each(&Role::ANSWERING)?;
    let running = Mutex::new(processes(&members, &ground.server));
    let (ledger, kills) = (Mutex::new(Ledger::default()), Mutex::new(Vec::new()));
    let (begun, time) = (Instant::now(), Duration::from_secs(args.seconds));
    let storm = Storm {
        plan,
        members: &mut members,
        server: &mut ground.server,
        every: every(args.kill_every),
        server_every: every(args.kill_server_every),
        rng: fastrand::Rng::with_seed(seed),
        processes: &running,
        kills: &kills,
    };
    let mut samples = Vec::new();
    let line = ProgressLine::new(output);
    let asked = async {
        tokio::try_join!(storm.blow(time, begun), ask(&bus, args, &ledger, begun))?;
        last_ends(&ledger).await;
        Ok::<(), CliError>(())
    };
    let look = || locked(&running).clone();
    let ended = tokio::select! {
        ended = asked => ended,
        () = hear(&*bus, &ledger, begun) => Ok(()),
        () = tell(&line, &ledger, &kills, time, begun) => Ok(()),
        Err(error) = watch(&*bus, &look, &mut samples) => Err(error),
    };
    line.done();
    drain(&mut members, Duration::from_secs(40)).await;
    ended?;
    let account = ledger
        .into_inner()
        .unwrap_or_else(|e| e.into_inner())
        .close();
    samples::fill(&mut samples, &account.answers);
    samples.retain(|sample| sample.at_s <= args.seconds as f64);
    Ok(Soaked {
        memory_growth: growth(&samples),
        account,
        samples,
        kills: kills.into_inner().unwrap_or_else(|e| e.into_inner()),
    })
}

fn locked<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(|e| e.into_inner())
}

fn every(seconds: f64) -> Option<Duration> {
    (seconds > 0.0).then(|| Duration::from_secs_f64(seconds))
}

/// Asks at the rate, whatever is answered. A question that is not confirmed is published again: it has an id, and is one
/// question however often it is stored.
async fn ask(
    bus: &Arc<dyn Bus>,
    args: &SoakArgs,
    ledger: &Mutex<Ledger>,
    begun: Instant,
) -> Result<(), CliError> {
    let time = Duration::from_secs(args.seconds);
    let (mut asking, mut ticks, mut next) = (JoinSet::new(), interval(TICK), 0);
    while begun.elapsed() < time {
        ticks.tick().await;
        let due = (begun.elapsed().min(time).as_secs_f64() * f64::from(args.rate)) as u64;
        for number in next..due {
            let id = format!("soak-{number}");
            let body = serde_json::json!({ "id": id, "question": QUESTION }).to_string();
            locked(ledger).asked(id, begun.elapsed());
            let (bus, until) = (bus.clone(), bus.now().plus(PATIENCE.as_millis() as u64));
            asking.spawn(async move {
                publish_until(&*bus, Publish::new(subject::QUERY, body.into()), until).await
            });
        }
        next = due;
        while let Some(stored) = asking.try_join_next() {
            confirmed(stored)?;
        }
    }
    while let Some(stored) = asking.join_next().await {
        confirmed(stored)?;
    }
    Ok(())
}

/// Where ends are stored.
const ENDS: &str = "argosy.answer.*";
/// A question of a usual length.
const QUESTION: &str = "What is the notice period of the cleaning agreement with Osterby?";

fn confirmed<T>(
    stored: Result<Result<T, bus::PublishError>, tokio::task::JoinError>,
) -> Result<(), CliError> {
    let stored = stored.map_err(|e| CliError::negative(e.to_string()))?;
    let told = |e| CliError::negative(format!("a question was not stored: {e}"));
    stored.map_err(told).map(|_| ())
}

/// Reads the ends as they are stored; reads on from where it was when the server was away. Ends only by being dropped.
async fn hear(bus: &dyn Bus, ledger: &Mutex<Ledger>, begun: Instant) {
    loop {
        let next = locked(ledger).next();
        // Not heard now is heard by the next look: nothing is lost by it.
        if hear_from(bus, ledger, next, begun).await.is_err() {
            sleep(TICK).await;
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
async fn last_ends(ledger: &Mutex<Ledger>) {
    let begun = Instant::now();
    while locked(ledger).open() > 0 && begun.elapsed() < PATIENCE {
        sleep(TICK).await;
    }
}

/// Says how far the run is.
async fn tell(
    line: &ProgressLine,
    ledger: &Mutex<Ledger>,
    kills: &Mutex<Vec<Kill>>,
    time: Duration,
    begun: Instant,
) {
    loop {
        let (open, killed) = (locked(ledger).open(), locked(kills).len());
        let done = begun.elapsed().min(time).as_secs();
        let all = time.as_secs();
        line.say(format!(
            "{done} of {all} s, {killed} kills, {open} questions open"
        ));
        sleep(Duration::from_millis(500)).await;
    }
}

/// The median memory of all processes in the last quarter by that in the second one.
fn growth(samples: &[Sample]) -> f64 {
    let quarter = |n: usize| {
        let of = samples.iter().skip(samples.len() * n / 4);
        let of = of.take(samples.len().div_ceil(4));
        crate::fleet::median(of.map(memory_mb).collect())
    };
    quarter(3) / quarter(1)
}

/// The memory of all processes.
fn memory_mb(sample: &Sample) -> f64 {
    sample.workers_pss_mb + sample.server_pss_mb + sample.driver_pss_mb
}

fn report(args: &SoakArgs, seed: u64, soaked: &Soaked, output: Output) {
    let Soaked {
        account,
        samples,
        kills,
        memory_growth,
    } = soaked;
    if output == Output::Json {
        let report = serde_json::json!({
            "machine": machine(), "seconds": args.seconds, "rate": args.rate, "seed": seed, "account": account,
            "memory_growth": memory_growth, "samples": samples, "kills": kills,
        });
        println!("{report:#}");
        return;
    }
    samples::table(samples);
    println!("{}", summary(seed, soaked).bold());
}

/// What a run has shown, in two sentences.
fn summary(seed: u64, soaked: &Soaked) -> String {
    let account = &soaked.account;
    let servers = soaked.kills.iter();
    let servers = servers.filter(|kill| kill.process == crate::driver::SERVER);
    format!(
        "{} questions, {} kills ({} of the server, seed {seed}): {} lost, {} doubled, {:.2} % answered. Memory in the last \
         quarter by the second: {:.2}.",
        account.asked,
        soaked.kills.len(),
        servers.count(),
        account.lost.len(),
        account.doubled.len(),
        account.answered() * 100.0,
        soaked.memory_growth
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_compared_by_quarters() {
        let sample = |n: usize| Sample {
            workers_pss_mb: if n < 12 { 100.0 } else { 150.0 },
            server_pss_mb: 50.0,
            ..Sample::default()
        };
        let samples: Vec<Sample> = (0..16).map(sample).collect();
        assert!((growth(&samples) - 200.0 / 150.0).abs() < 1e-9);
    }
}
