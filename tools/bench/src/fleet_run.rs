//! Runs one repetition of a measurement: a fresh server, one process per role (of the fleet or of the floor), and all
//! closed loops.

use crate::cli::{FleetArgs, FloorRoleArgs};
use crate::driver::{Body, Cast, DRIVER, Run, SERVER, closed_loop};
use crate::fleet::median;
use crate::floor::{self, Load};
use crate::sizes::{Size, sizes};
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::fleet::{FleetPlan, drain, memory_of_server, nats_server_or_fetched};
use argosy::signal;
use bus_nats::{self as nats, NatsBus};
use bytes::Bytes;
use envelope::Role;
use nats_server::{self as server, Server};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// The passages of a question.
pub(super) const MAPS: u16 = 5;
/// The bytes of a message of the floor.
const FLOOR_BYTES: usize = 4096;
/// How many questions go before a run without being counted.
const WARM_UP: usize = 200;

/// The setting of a repetition.
pub(super) struct Setting {
    pub(super) nats_server: PathBuf,
    pub(super) in_flight: Vec<usize>,
    pub(super) queries: Option<usize>,
    pub(super) model_delay_ms: u64,
    pub(super) search_delay_ms: u64,
    /// How the workers of the fleet are stubbed.
    pub(super) stubs: Vec<String>,
    pub(super) sync_always: bool,
}

/// Which processes run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Fleet,
    /// Bare JetStream with as many messages.
    Floor,
}

/// The result of a repetition.
pub(super) struct Measured {
    pub(super) runs: Vec<Run>,
    pub(super) idle_worker_pss_mb: f64,
    /// The sizes of the fleet's messages; those of the floor all have one size.
    pub(super) sizes: Vec<Size>,
}

impl Setting {
    pub(super) fn of(args: &FleetArgs) -> Result<Setting, CliError> {
        Ok(Setting {
            nats_server: nats_server()?,
            in_flight: args.in_flight.clone(),
            queries: args.queries,
            model_delay_ms: args.model_delay_ms,
            search_delay_ms: args.search_delay_ms,
            stubs: args.stubs(),
            sync_always: args.sync_always,
        })
    }

    pub(super) fn queries(&self, in_flight: usize) -> usize {
        let fast = if in_flight == 1 { 300 } else { 4_000 };
        let slow = in_flight * 20;
        self.queries
            .unwrap_or(if self.model_delay_ms > 0 || self.sync_always {
                slow.max(100)
            } else {
                fast
            })
    }
}

/// The nats-server for the measurement, fetched where there is none.
pub(super) fn nats_server() -> Result<PathBuf, CliError> {
    Ok(nats_server_or_fetched(|from| tracing::warn!("{from}"))?)
}

/// A server with its streams, and a connection to it.
pub(super) struct Ground {
    // Dropped first: a connection that outlives its server would complain.
    pub(super) bus: Arc<NatsBus>,
    pub(super) server: Server,
    pub(super) dir: tempfile::TempDir,
}

impl Ground {
    pub(super) async fn lay(
        binary: PathBuf,
        sync_always: bool,
        config: &Config,
    ) -> Result<Ground, CliError> {
        let dir = tempfile::tempdir()?;
        let mut options = server::Options::new(binary, dir.path().join("nats"));
        options.sync_always = sync_always;
        options.memory = memory_of_server();
        let server = Server::start(options)
            .await
            .map_err(|e| CliError::negative(e.to_string()))?;
        let nats = nats::Options {
            url: server.url(),
            ..config.nats("argosy-bench", false)
        };
        let bus = NatsBus::connect(nats).await?;
        nats::setup(&bus, &config.streams).await?;
        Ok(Ground { server, bus, dir })
    }

    pub(super) fn plan(&self, set: Vec<String>, args: Vec<String>) -> Result<FleetPlan, CliError> {
        Ok(FleetPlan {
            binary: std::env::current_exe()?,
            server: self.server.url(),
            data_dir: self.dir.path().join("data"),
            set,
            config: None,
            args,
            log: "error".into(),
            log_dir: Some(self.dir.path().join("logs")),
        })
    }
}

/// The options of a stubbed fleet. A small model would read the five passages at once (ADR 0022), without a map step, and
/// the floor has one.
pub(super) fn settings() -> Vec<String> {
    vec!["run.slots=256".into(), "model.profile=large".into()]
}

/// Runs one repetition.
pub(super) async fn run(setting: &Setting, kind: Kind) -> Result<Measured, CliError> {
    let config = Config::default();
    let ground = Ground::lay(setting.nats_server.clone(), setting.sync_always, &config).await?;
    if kind == Kind::Fleet {
        let mut members = ground
            .plan(settings(), setting.stubs.clone())?
            .start_each(&Role::ANSWERING)?;
        let measured = loops(setting, Cast::of(&ground, &members), &question).await;
        drain(&mut members, Duration::from_secs(40)).await;
        return measured;
    }
    let mut members = start_floor(&ground, setting)?;
    let workers = members.iter();
    let workers = workers.filter_map(|(role, child)| Some((role.to_string(), child.id()?)));
    let cast = Cast::new(&ground, workers.collect());
    let measured = loops(setting, cast, &floor_question).await;
    for (_, member) in &mut members {
        member.kill().await?;
    }
    measured
}

async fn loops(setting: &Setting, cast: Cast, body: Body<'_>) -> Result<Measured, CliError> {
    // The first answer says that every process is there.
    closed_loop(&cast, "hello-", body, 1, 1).await?;
    let workers = cast.processes.iter().zip(cast.memory_mb());
    let workers = workers.filter(|((name, _), _)| name != SERVER && name != DRIVER);
    let idle_worker_pss_mb = median(workers.map(|(_, pss_mb)| pss_mb).collect());
    closed_loop(&cast, "warm-", body, 16, WARM_UP).await?;
    let mut runs = Vec::new();
    for in_flight in &setting.in_flight {
        let prefix = format!("r{in_flight}-");
        runs.push(
            closed_loop(
                &cast,
                &prefix,
                body,
                *in_flight,
                setting.queries(*in_flight),
            )
            .await?,
        );
    }
    Ok(Measured {
        runs,
        idle_worker_pss_mb,
        sizes: sizes(&*cast.bus).await?,
    })
}

/// A question to the fleet, of a usual length.
pub(super) fn question(name: &str) -> Bytes {
    let text =
        "What is the notice period of the cleaning agreement with Osterby, and when does it end?";
    format!(r#"{{"question":"{text}","reply_to":"_INBOX.bench.{name}"}}"#).into()
}

fn floor_question(name: &str) -> Bytes {
    let mut body = format!("{name}|").into_bytes();
    body.resize(300, b'x');
    body.into()
}

fn start_floor(ground: &Ground, setting: &Setting) -> Result<Vec<(Role, Child)>, CliError> {
    let binary = std::env::current_exe()?;
    let roles = Role::ANSWERING
        .into_iter()
        .filter(|role| *role != Role::Clarifier);
    roles
        .map(|role| {
            let mut command = Command::new(&binary);
            command.args([
                "floor-role",
                role.as_str(),
                "--server",
                &ground.server.url(),
            ]);
            command.args(["--model-delay-ms", &setting.model_delay_ms.to_string()]);
            command.args(["--search-delay-ms", &setting.search_delay_ms.to_string()]);
            command.stdin(Stdio::null()).kill_on_drop(true);
            Ok((role, command.spawn()?))
        })
        .collect()
}

/// `argosy-bench floor-role`: one process of the floor.
pub async fn floor_role(args: FloorRoleArgs) -> Result<(), CliError> {
    let stop = CancellationToken::new();
    let load = Load {
        body_bytes: FLOOR_BYTES,
        model_delay: Duration::from_millis(args.model_delay_ms),
        search_delay: Duration::from_millis(args.search_delay_ms),
    };
    let topology = Config::default().streams;
    let run = floor::run(&args.server, &topology, args.role, load, stop.clone());
    let work = async {
        if let Err(error) = run.await {
            tracing::error!(%error, role = %args.role, "floor ended");
        }
    };
    signal::stop_on_signal(&stop, Box::pin(work)).await;
    Ok(())
}
