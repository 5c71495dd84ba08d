//! Asks at a fixed rate while every role and the server are killed again and again, and counts what is lost or doubled.
//!
//! The model and the index are stubs: what is shown is that the machine that carries questions loses none. A question
//! counts as lost when the stream of answers holds no end of it after all have had their time, and as doubled when a second
//! end was stored. *Not* here: what clients hear. A reply may come twice where a question was published twice (docs/wire.md).

mod asking;
mod ledger;
mod page;
pub(crate) mod storm;

use crate::cli::SoakArgs;
use crate::fleet_run::{Ground, nats_server, settings};
use crate::out::println;
use crate::samples::{self, Sample, watch};
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::fleet::{Member, drain};
use argosy::machine::machine;
use argosy::render::ProgressLine;
use asking::{ask, hear, last_ends, stored};
use envelope::Role;
use ledger::{Account, GROWTH_MAX, Ledger};
use owo_colors::OwoColorize;
use settings::TimeSpan;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use storm::{Kill, Storm, fallen, processes};
use tokio::time::sleep;

/// The time for a question, how long its steps are kept after that, and how long a step waits for the ack of a process
/// that was killed.
const DEADLINE: TimeSpan = TimeSpan::from_secs(60);
const KEEP: TimeSpan = TimeSpan::from_secs(15);
const ACK_WAIT: TimeSpan = TimeSpan::from_secs(5);
/// Samples of a quarter from which on its memory is compared.
const QUARTER_MIN: usize = 12;
/// The memory in the second quarter from which on that of the server is compared, in MB: its collector lets it grow up to its
/// limit of 512 MiB, and what is far below that grows by itself.
const SERVER_MB_MIN: f64 = 400.0;

/// What a run has shown.
struct Soaked {
    seed: u64,
    account: Account,
    samples: Vec<Sample>,
    kills: Vec<Kill>,
    memory_growth: Option<Growth>,
}

/// The median memory in the last quarter by that in the second one. Memory of the process that asks grows by what it keeps of
/// each question, and is left out.
#[derive(Debug, Clone, Copy, serde::Serialize)]
struct Growth {
    workers: f64,
    /// `None` where it is still far below its limit.
    server: Option<f64>,
}

impl Growth {
    /// What grew by more than it may.
    fn fault(self) -> Option<String> {
        let server = self.server.unwrap_or_default();
        let mut all = vec![("workers", self.workers), ("nats-server", server)];
        all.retain(|(_, grown)| *grown > GROWTH_MAX);
        let told = all
            .iter()
            .map(|(of, by)| format!("memory of {of} grows by {by:.2}"));
        (!all.is_empty()).then(|| told.collect::<Vec<_>>().join(", "))
    }
}

/// `argosy-bench soak`
pub async fn soak(args: SoakArgs, output: Output) -> Result<(), CliError> {
    args.check()?;
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    let created = |file: &std::path::PathBuf| {
        let failed =
            |error| CliError::negative(format!("cannot write `{}`: {error}", file.display()));
        File::create(file).map_err(failed)
    };
    let mut html = args.html.as_ref().map(created).transpose()?;
    let soaked = Box::pin(run(&args, seed, output)).await?;
    report(&args, &soaked, output);
    if let Some(html) = &mut html {
        html.write_all(page::page(&args, &soaked).as_bytes())?;
    }
    verdict(&soaked)
}

fn verdict(soaked: &Soaked) -> Result<(), CliError> {
    let Some(fault) = soaked.account.fault() else {
        return Ok(());
    };
    let told = format!("{fault} (seed {})", soaked.seed);
    Err(CliError::negative(told))
}

/// Runs it. Once the fleet is there, whatever goes wrong is part of what is shown.
async fn run(args: &SoakArgs, seed: u64, output: Output) -> Result<Soaked, CliError> {
    let mut config = Config::default();
    config.streams.keep = KEEP;
    config.streams.ack_wait = ACK_WAIT;
    let mut ground = Ground::lay(nats_server()?, false, &config).await?;
    let mut set = settings();
    set.push(format!("streams.keep={KEEP}"));
    set.push(format!("streams.ack_wait={ACK_WAIT}"));
    set.push(format!("gateway.deadline={DEADLINE}"));
    let plan = ground.plan(set, args.stubs())?;
    let mut members = plan.start_each(&Role::ANSWERING)?;
    let bus = ground.bus.clone();
    let running = Mutex::new(processes(&members, &ground.server));
    let (ledger, kills) = (Mutex::new(Ledger::default()), Mutex::new(Vec::new()));
    let felled = Mutex::new(Vec::new());
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
        fallen: &felled,
    };
    let (mut samples, line) = (Vec::new(), ProgressLine::new(output));
    let asked = async {
        tokio::try_join!(storm.blow(time, begun), ask(&*bus, args, &ledger, begun))?;
        last_ends(&ledger).await;
        Ok::<(), CliError>(())
    };
    let look = || locked(&running).clone();
    let went = tokio::select! {
        went = asked => went,
        Err(error) = hear(&*bus, &ledger, begun) => Err(error),
        Err(error) = watch(&*bus, &look, &mut samples) => Err(error),
        never = tell(&line, &ledger, &kills, time, begun) => match never {},
    };
    line.done();
    let mut trouble = taken(felled);
    trouble.extend(went.err().map(|error| format!("given up: {error}")));
    trouble.extend(ended(&mut members).await);
    let account = match stored(&*bus).await {
        Ok((first, stored)) => taken(ledger).close(first, &stored),
        Err(error) => {
            trouble.push(format!("what is stored cannot be read: {error}"));
            taken(ledger).close(u64::MAX, &Default::default())
        }
    };
    samples::fill(&mut samples, &account.answers);
    let memory_growth = growth(&samples);
    trouble.extend(memory_growth.and_then(Growth::fault));
    Ok(Soaked {
        seed,
        account: Account { trouble, ..account },
        samples,
        kills: taken(kills),
        memory_growth,
    })
}

/// Ends the fleet; what did not run any more, or did not end as it should, in words.
async fn ended(members: &mut [Member]) -> Vec<String> {
    let mut trouble: Vec<String> = members.iter_mut().filter_map(fallen).collect();
    let bad = drain(members, Duration::from_secs(40)).await;
    let is_told = |role: &Role| trouble.iter().any(|told| told.contains(role.as_str()));
    let new: Vec<&Role> = bad.iter().filter(|role| !is_told(role)).collect();
    trouble.extend(new.iter().map(|role| format!("the {role} did not drain")));
    trouble
}

pub(super) fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(|e| e.into_inner())
}

fn taken<T>(of: Mutex<T>) -> T {
    of.into_inner().unwrap_or_else(|e| e.into_inner())
}

fn every(seconds: f64) -> Option<Duration> {
    (seconds > 0.0).then(|| Duration::from_secs_f64(seconds))
}

/// Says how far the run is.
async fn tell(
    line: &ProgressLine,
    ledger: &Mutex<Ledger>,
    kills: &Mutex<Vec<Kill>>,
    time: Duration,
    begun: Instant,
) -> std::convert::Infallible {
    loop {
        let (open, killed) = (locked(ledger).open(), locked(kills).len());
        let (done, all) = (begun.elapsed().min(time).as_secs(), time.as_secs());
        line.say(format!(
            "{done} of {all} s, {killed} kills, {open} questions open"
        ));
        sleep(Duration::from_millis(500)).await;
    }
}

/// `None` where the run was too short to tell.
fn growth(samples: &[Sample]) -> Option<Growth> {
    if samples.len() < 4 * QUARTER_MIN {
        return None;
    }
    let quarter = |n: usize| &samples[samples.len() * n / 4..samples.len() * (n + 1) / 4];
    let median =
        |n, of: fn(&Sample) -> f64| crate::fleet::median(quarter(n).iter().map(of).collect());
    let [workers, server] = [|s: &Sample| s.workers_pss_mb, |s: &Sample| s.server_pss_mb];
    let before = median(1, server);
    Some(Growth {
        workers: median(3, workers) / median(1, workers),
        server: (before >= SERVER_MB_MIN).then(|| median(3, server) / before),
    })
}

fn report(args: &SoakArgs, soaked: &Soaked, output: Output) {
    if output == Output::Json {
        let report = serde_json::json!({
            "machine": machine(), "seconds": args.seconds, "rate": args.rate, "seed": soaked.seed,
            "account": soaked.account, "p99_s": soaked.account.p99_s(), "memory_growth": soaked.memory_growth,
            "samples": soaked.samples, "kills": soaked.kills,
        });
        println!("{report:#}");
        return;
    }
    samples::table(&soaked.samples);
    println!("{}", summary(soaked).bold());
}

/// What a run has shown, in sentences.
fn summary(soaked: &Soaked) -> String {
    let account = &soaked.account;
    let servers = soaked.kills.iter();
    let servers = servers.filter(|kill| kill.process == crate::driver::SERVER);
    let memory = soaked.memory_growth.map_or(
        "The run was too short to compare memory.".to_owned(),
        |grown| {
            let server = grown.server.map_or("still far below its limit".to_owned(), |server| {
                format!("{server:.2}")
            });
            format!(
                "Memory in the last quarter by the second one: workers {:.2}, nats-server {server}.",
                grown.workers
            )
        },
    );
    format!(
        "{} questions, {} kills ({} of the server, seed {}): {} lost, {} doubled, {} not answered; p99 {:.1} s. {memory}",
        account.asked,
        soaked.kills.len(),
        servers.count(),
        soaked.seed,
        account.lost.len(),
        account.doubled.len(),
        account.asked - account.answered(),
        account.p99_s(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soaked(account: Account) -> Soaked {
        Soaked {
            seed: 7,
            account,
            samples: Vec::new(),
            kills: Vec::new(),
            memory_growth: None,
        }
    }

    #[test]
    fn a_loss_ends_with_one_and_says_the_seed() {
        verdict(&soaked(Account::default())).expect("nothing was lost");
        let lost = Account {
            asked: 2,
            lost: vec!["soak-1".into()],
            ..Account::default()
        };
        let error = verdict(&soaked(lost)).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("soak-1") && told.contains("seed 7"), "{told}");
        let code = argosy::entry::ended(Err(error), Output::Json);
        assert_eq!(code, std::process::ExitCode::from(1));
    }

    #[test]
    fn memory_is_compared_by_quarters() {
        for (workers, server, fault) in [
            (100.0, 50.0, None),
            (105.0, 500.0, None),
            (150.0, 500.0, Some("memory of workers grows by 1.50")),
            (100.0, 900.0, Some("memory of nats-server grows by 2.00")),
        ] {
            let sample = |n: usize| Sample {
                workers_pss_mb: if n < 36 { 100.0 } else { workers },
                server_pss_mb: if n < 36 && server > 500.0 {
                    450.0
                } else {
                    server
                },
                ..Sample::default()
            };
            let samples: Vec<Sample> = (0..48).map(sample).collect();
            let grown = growth(&samples).expect("enough samples");
            // A server that has not come near its limit grows by itself.
            assert_eq!(grown.server.is_some(), server >= SERVER_MB_MIN, "{grown:?}");
            assert_eq!(grown.fault().as_deref(), fault, "{grown:?}");
            assert!(growth(&samples[1..]).is_none());
        }
    }
}
