//! Drives a closed loop: a fixed number of questions is in flight, and each answer starts the next question.

use crate::fleet_run::Ground;
use crate::host::{cpu_ms, pss_mb};
use argosy::cli_error::CliError;
use argosy::fleet::Member;
use bus::{Bus, Publish, Stream};
use bytes::Bytes;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The names of the processes that are no workers.
pub(super) const SERVER: &str = "nats-server";
pub(super) const DRIVER: &str = "driver";

/// The result of one closed loop.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) queries: usize,
    pub(super) queries_per_s: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    /// What each process has cost.
    pub(super) processes: Vec<Cost>,
    pub(super) messages_per_query: f64,
    pub(super) bytes_per_message: f64,
}

/// What a process has cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Cost {
    /// The role, [`SERVER`] or [`DRIVER`].
    pub(super) name: String,
    /// User and system time of a question.
    pub(super) cpu_ms_per_query: f64,
    /// Proportional memory when that of all processes together was at its peak.
    pub(super) pss_mb: f64,
}

impl Run {
    /// The processor time of a question in all processes.
    pub(super) fn cpu_ms_per_query(&self) -> f64 {
        self.processes.iter().map(|one| one.cpu_ms_per_query).sum()
    }

    /// The peak of the memory of all processes together.
    pub(super) fn pss_mb(&self) -> f64 {
        self.processes.iter().map(|one| one.pss_mb).sum()
    }
}

/// The processes that take part: the workers, the server, and this one.
pub(super) struct Cast {
    pub(super) bus: Arc<dyn Bus>,
    pub(super) processes: Vec<(String, u32)>,
}

impl Cast {
    /// The server, this process, and these workers.
    pub(super) fn new(ground: &Ground, workers: Vec<(String, u32)>) -> Cast {
        let others = [(SERVER, ground.server.pid()), (DRIVER, std::process::id())];
        let others = others.map(|(name, pid)| (name.to_owned(), pid));
        Cast {
            bus: ground.bus.clone(),
            processes: workers.into_iter().chain(others).collect(),
        }
    }

    /// The same with the members of a fleet.
    pub(super) fn of(ground: &Ground, members: &[Member]) -> Cast {
        let workers = members.iter();
        let workers = workers.filter_map(|one| Some((one.role.to_string(), one.pid()?)));
        Cast::new(ground, workers.collect())
    }

    /// The proportional memory of each process now.
    pub(super) fn memory_mb(&self) -> Vec<f64> {
        self.processes.iter().map(|(_, pid)| pss_mb(*pid)).collect()
    }

    fn cpu_ms(&self) -> Vec<f64> {
        self.processes.iter().map(|(_, pid)| cpu_ms(*pid)).collect()
    }

    /// The messages and bytes stored so far.
    async fn stored(&self) -> Result<(f64, f64), CliError> {
        let (mut messages, mut bytes) = (0.0, 0.0);
        for stream in STREAMS {
            let state = self.bus.state(stream).await?;
            messages += state.last as f64;
            bytes += state.bytes as f64;
        }
        Ok((messages, bytes))
    }
}

/// Makes the body of a question from the question's name. The answer goes to `_INBOX.bench.<name>`.
pub(super) type Body<'a> = &'a (dyn Fn(&str) -> Bytes + Sync);

/// When a loop asks no further question.
#[derive(Debug, Clone, Copy)]
pub(super) enum Until {
    Asked(usize),
    Elapsed(Duration),
}

/// An answer that came.
pub(super) struct Answered {
    pub(super) body: Bytes,
    /// How long after the loop had begun.
    pub(super) at: Duration,
    /// How long after its question.
    pub(super) took: Duration,
}

/// How long no answer may come before a run is given up.
const SILENCE: Duration = Duration::from_secs(30);
/// How often memory is looked at; it takes some milliseconds of processor time.
const LOOK: Duration = Duration::from_secs(2);
/// The streams that hold the messages of a question.
const STREAMS: [Stream; 4] = [
    Stream::Inbox,
    Stream::Steps(0),
    Stream::Timers,
    Stream::Answers,
];

/// Asks `queries` questions, `in_flight` at a time.
pub(super) async fn closed_loop(
    cast: &Cast,
    prefix: &str,
    body: Body<'_>,
    in_flight: usize,
    queries: usize,
) -> Result<Run, CliError> {
    closed_loop_with(cast, prefix, body, in_flight, Until::Asked(queries), |_| {}).await
}

/// Asks in a closed loop, and calls `each` with every answer. A timer that fires counts when it fires: after the run, if that is
/// shorter than the deadline of its questions.
pub(super) async fn closed_loop_with(
    cast: &Cast,
    prefix: &str,
    body: Body<'_>,
    in_flight: usize,
    until: Until,
    mut each: impl FnMut(Answered),
) -> Result<Run, CliError> {
    let mut answers = cast.bus.subscribe("_INBOX.bench.*", None).await?;
    let mut asked: HashMap<String, Instant> = HashMap::new();
    let mut asking = JoinSet::new();
    let mut latencies = Vec::new();
    let (stored, cpu) = (cast.stored().await?, cast.cpu_ms());
    let begun = Instant::now();
    let (mut peak, mut looked) = (vec![0.0; cast.processes.len()], begun);
    let mut next = 0;
    loop {
        while asked.len() < in_flight && until.allows(next, begun) {
            let name = format!("{prefix}{next}");
            let message = Publish::new(envelope::subject::QUERY, body(&name));
            asked.insert(name, Instant::now());
            let bus = cast.bus.clone();
            asking.spawn(async move { bus.publish(message).await });
            next += 1;
        }
        if asked.is_empty() {
            break;
        }
        tokio::select! {
            Some(stored) = asking.join_next(), if !asking.is_empty() => {
                let stored = stored.map_err(|e| CliError::negative(e.to_string()))?;
                stored.map_err(|e| CliError::negative(format!("a question was not stored: {e}")))?;
            }
            answer = tokio::time::timeout(SILENCE, answers.next()) => {
                let Ok(Some(answer)) = answer else {
                    return Err(CliError::negative(format!("no answer for {} s; {} of {next} came", SILENCE.as_secs(), latencies.len())));
                };
                let name = answer.subject.rsplit('.').next().unwrap_or_default();
                // A delivery may come twice; the question counts once.
                if let Some(at) = asked.remove(name) {
                    let took = at.elapsed();
                    latencies.push(took.as_secs_f64() * 1000.0);
                    each(Answered { body: answer.body, at: begun.elapsed(), took });
                }
            }
        }
        if looked.elapsed() > LOOK {
            peak = greater(peak, cast.memory_mb());
            looked = Instant::now();
        }
    }
    let (wall, n) = (begun.elapsed().as_secs_f64(), latencies.len() as f64);
    peak = greater(peak, cast.memory_mb());
    let spent = cast
        .cpu_ms()
        .into_iter()
        .zip(cpu)
        .map(|(now, then)| now - then);
    let (messages, bytes) = cast.stored().await?;
    latencies.sort_by(f64::total_cmp);
    let percentile = |p: f64| latencies[((latencies.len() - 1) as f64 * p).round() as usize];
    let costs = cast.processes.iter().zip(spent.zip(peak));
    Ok(Run {
        queries: latencies.len(),
        queries_per_s: n / wall,
        p50_ms: percentile(0.50),
        p99_ms: percentile(0.99),
        processes: costs
            .map(|((name, _), (cpu, pss_mb))| Cost {
                name: name.clone(),
                cpu_ms_per_query: cpu / n,
                pss_mb,
            })
            .collect(),
        messages_per_query: (messages - stored.0) / n,
        bytes_per_message: (bytes - stored.1) / (messages - stored.0).max(1.0),
    })
}

impl Until {
    fn allows(self, asked: usize, begun: Instant) -> bool {
        match self {
            Until::Asked(most) => asked < most,
            Until::Elapsed(most) => begun.elapsed() < most,
        }
    }
}

/// Which of two looks at the same processes saw more memory in all.
fn greater(before: Vec<f64>, now: Vec<f64>) -> Vec<f64> {
    match now.iter().sum::<f64>() > before.iter().sum() {
        true => now,
        false => before,
    }
}
