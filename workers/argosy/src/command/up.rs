//! `argosy up`: runs a local nats-server and one process per role in the foreground.

use crate::cli::{self, GlobalArgs, Output};
use crate::cli_error::CliError;
use crate::command::place::must_be_folder;
use crate::command::serve;
use crate::command::setup::no_room;
use crate::config::{Config, FILE};
use crate::fleet::{FleetPlan, Member, drain, nats_server, nats_server_or_fetched};
use crate::out::{self, is_quiet, notice, println};
use crate::signal::Signals;
use bus::Bus;
use bus::sizes::Allowance;
use bus_nats::{self as nats, Change, NatsBus};
use corpus_sync::{Options, Summary, catalog_of_stream};
use documents::PublishMode;
use door::{Door, Setup};
use envelope::{Role, TenantId};
use inspect::disk::{self, Disk};
use inspect::processes::{self, ProcessStatus};
use nats_server::{self as server, Server};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::fs::{File, TryLockError};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use telemetry::Registry;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The line of `up -o json`, printed when everything runs.
#[derive(Debug, Serialize)]
struct Running {
    version: &'static str,
    nats: Nats,
    processes: Vec<Process>,
    /// Where the page is, unless another process has the port.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    /// What the indexing of the folder did, if one was named.
    corpus: Option<Summary>,
}

#[derive(Debug, Serialize)]
struct Nats {
    url: String,
    pid: u32,
    streams_in: PathBuf,
    /// The streams that are smaller than their defaults because the disk has less room, or larger because they were
    /// made so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_sizes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Process {
    role: Role,
    pid: u32,
    /// The address of the metrics, if they are served.
    metrics: Option<String>,
}

/// A role that ends within this time with a configuration error ends the whole fleet.
const STARTING: Duration = Duration::from_secs(10);
/// How long to wait for the processes to report where they serve.
const HEARD_WITHIN: Duration = Duration::from_secs(5);
/// The file in the data folder that a running fleet holds.
const LOCK: &str = "up.lock";
/// The exit code of a process that is configured wrongly.
const MISCONFIGURED: i32 = 2;

/// Runs a fleet until Ctrl-C.
pub async fn run(
    args: cli::UpArgs,
    everywhere: GlobalArgs,
    config: Config,
    output: Output,
) -> Result<(), CliError> {
    if let Some(root) = &args.corpus {
        must_be_folder(root)?;
    }
    let _alone = alone(&config.data_dir.0)?;
    let binary = match args.fetch_server {
        false => nats_server()?,
        true => nats_server_or_fetched(|from| notice!("{from}"))?,
    };
    let mut signals = Signals::listen();
    let mut options = server::Options::new(binary, config.data_dir.0.join("nats"));
    options.port = Some(args.port).filter(|port| *port != 0);
    options.memory = crate::fleet::memory_of_server();
    let mut server = Server::start(options).await.map_err(|e| {
        CliError::negative(e.to_string()).hint(format!(
            "is port {} taken? `--port 0` takes any free one",
            args.port
        ))
    })?;
    let usual = if is_quiet() { "error" } else { "warn" };
    let plan = FleetPlan {
        binary: std::env::current_exe()?,
        server: server.url(),
        data_dir: config.data_dir.0.clone(),
        set: everywhere.set,
        config: everywhere.config,
        args: Vec::new(),
        log: everywhere.log.unwrap_or_else(|| usual.into()),
        log_dir: None,
    };
    let corpus = args.corpus.as_deref();
    let up = fleet(corpus, &plan, &config, &mut server, output, &mut signals).await;
    server
        .stop()
        .await
        .map_err(|e| CliError::negative(e.to_string()))?;
    up
}

/// Holds a data folder for this fleet: two servers on the same streams damage them.
fn alone(data_dir: &Path) -> Result<File, CliError> {
    let at = |error: std::io::Error| {
        CliError::negative(format!("`data_dir`: `{}`: {error}", data_dir.display()))
    };
    std::fs::create_dir_all(data_dir).map_err(at)?;
    let file = File::create(data_dir.join(LOCK)).map_err(at)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let text = format!("another `argosy up` runs in `{}`", data_dir.display());
            Err(CliError::negative(text)
                .hint("end it, or give this one a folder of its own with `--set data_dir=DIR`"))
        }
        Err(TryLockError::Error(error)) => Err(at(error)),
    }
}

/// The hint how the streams get more room; three quarters of the disk are for them.
fn more_room(disk: Option<&Disk>) -> String {
    let free = disk.map_or(String::new(), |disk| {
        let (dir, free) = (disk.dir.display(), bus::sizes::told(disk.free));
        format!(" (`{dir}`: {free} free, of which a quarter is left alone)")
    });
    format!("make room on the disk of `data_dir`{free}, or set `data_dir` to a folder on another")
}

async fn fleet(
    corpus: Option<&Path>,
    plan: &FleetPlan,
    config: &Config,
    server: &mut Server,
    output: Output,
    signals: &mut Signals,
) -> Result<(), CliError> {
    let nats = bus_nats::Options {
        url: server.url(),
        ..config.nats("argosy-up", false)
    };
    let bus = NatsBus::connect(nats).await?;
    let disk = disk::of(server.store_dir()).ok();
    let allowance = Allowance {
        most: disk.as_ref().map(|disk| disk.free / 4 * 3),
        ..config.allowance()
    };
    let changes = nats::setup_within(&bus, &config.streams, &allowance).await;
    let changes = changes.map_err(|error| no_room(error, config, &more_room(disk.as_ref())))?;
    let other_sizes = changes.iter().filter_map(other_size).collect();
    let (closed, mut doors) = (CancellationToken::new(), JoinSet::new());
    let page = open_door(&bus, config, corpus, &closed, &mut doors).await?;
    let mut members = start(plan, &config.telemetry.listen)?;
    let begun = Instant::now();
    let grace = config.run.grace.duration() + Duration::from_secs(5);
    let told = async {
        let seen = heard(&*bus, &mut members).await?;
        let mut running = running(server, &members, &seen);
        running.nats.other_sizes = other_sizes;
        running.page = page;
        tell(running, &bus, corpus, output).await
    };
    match signals.unless_told(Box::pin(told)).await {
        Some(Ok(())) => {}
        ended => {
            closed.cancel();
            drain(&mut members, grace).await;
            return ended.unwrap_or(Ok(()));
        }
    }
    let stop = CancellationToken::new();
    let mut watched = Ok(());
    let watching = async { watched = watch(server, &mut members, begun, &stop).await };
    signals.stop_on_signal(&stop, watching).await;
    if output == Output::Text {
        // Ctrl-C may also have ended the process that reads this output.
        out::offer(format_args!("draining\n"));
    }
    // Before the fleet: what waits here is told, or taken up elsewhere.
    closed.cancel();
    while doors.join_next().await.is_some() {}
    let bad = drain(&mut members, grace).await;
    watched?;
    match bad.as_slice() {
        [] => Ok(()),
        bad => Err(CliError::negative(format!("did not end well: {bad:?}"))),
    }
}

/// Opens the doors in this process, and says where the page is. Where another process has the port, the fleet goes without.
async fn open_door(
    bus: &Arc<NatsBus>,
    config: &Config,
    corpus: Option<&Path>,
    closed: &CancellationToken,
    doors: &mut JoinSet<()>,
) -> Result<Option<String>, CliError> {
    let logins = serve::logins(config)?;
    let listener = match serve::listen(serve::address(config)?).await {
        Ok(listener) => listener,
        Err(fail) => {
            notice!(
                "{} {fail}: no page, HTTP, OpenAI and MCP; --set door.listen=127.0.0.1:0 takes any free port",
                "warning:".yellow()
            );
            return Ok(None);
        }
    };
    let page = format!("http://{}/", listener.local_addr()?);
    // The processes of the fleet have metrics; this one is for its time.
    let door = Door::new(Setup {
        takes_documents: true,
        folder: corpus.map(Path::to_owned),
        ..serve::setup(bus.clone(), config, logins, &Registry::new(), closed)?
    });
    doors.spawn(async move {
        if let Err(error) = door.serve(listener).await {
            tracing::error!(%error, "the door has closed");
        }
    });
    Ok(Some(page))
}

/// Says what runs and what to do next, and in between indexes the folder.
async fn tell(
    mut running: Running,
    bus: &Arc<NatsBus>,
    corpus: Option<&Path>,
    output: Output,
) -> Result<(), CliError> {
    if output == Output::Text {
        tell_processes(&running);
    }
    if let Some(root) = corpus {
        running.corpus = Some(index(bus.clone(), root).await?);
    }
    match output {
        Output::Text => tell_rest(&running, corpus),
        _ => {
            println!("{}", serde_json::to_string(&running)?);
        }
    }
    Ok(())
}

/// Starts one process of each role.
fn start(plan: &FleetPlan, listen: &str) -> Result<Vec<Member>, CliError> {
    let mut members = Vec::new();
    for (place, role) in Role::ALL.into_iter().enumerate() {
        let own = match own_listen(listen, place)? {
            None => Vec::new(),
            Some(own) => vec!["--set".to_owned(), format!("telemetry.listen={own}")],
        };
        members.push(plan.start(role, &own)?);
    }
    Ok(members)
}

/// The address for the role at this place, where a port is set: two processes cannot share one. Text that is no
/// address is left to the roles to refuse.
fn own_listen(listen: &str, place: usize) -> Result<Option<SocketAddr>, CliError> {
    let Ok(mut at) = listen.parse::<SocketAddr>() else {
        return Ok(None);
    };
    if at.port() == 0 {
        return Ok(None);
    }
    let port = u16::try_from(usize::from(at.port()) + place).map_err(|_| {
        let roles = Role::ALL.len();
        CliError::usage(format!(
            "`telemetry.listen`: {listen} leaves no ports for {roles} roles, which take one after the other"
        ))
    })?;
    at.set_port(port);
    Ok(Some(at))
}

/// The reports of the processes, when all have reported or the time is up; or that one of them does not start.
async fn heard(bus: &dyn Bus, members: &mut [Member]) -> Result<Vec<ProcessStatus>, CliError> {
    let begun = Instant::now();
    loop {
        let seen = processes::ask(bus, processes::LISTEN).await?;
        unless_misconfigured(members)?;
        let is_heard = |member: &Member| seen.iter().any(|one| one.role == member.role);
        if members.iter().all(is_heard) || begun.elapsed() >= HEARD_WITHIN {
            return Ok(seen);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn unless_misconfigured(members: &mut [Member]) -> Result<(), CliError> {
    let ended = members.iter_mut().find_map(|member| {
        let code = member.ended()?.code();
        (code == Some(MISCONFIGURED)).then_some(member.role)
    });
    match ended {
        None => Ok(()),
        Some(role) => Err(CliError::usage(format!(
            "the {role} does not start, for the reason that it gives above"
        ))),
    }
}

fn running(server: &Server, members: &[Member], seen: &[ProcessStatus]) -> Running {
    let listens = |role| seen.iter().find(|one| one.role == role)?.listens;
    let process = |member: &Member| Process {
        role: member.role,
        pid: member.pid().unwrap_or_default(),
        metrics: listens(member.role).map(|at| format!("http://{at}/metrics")),
    };
    Running {
        version: env!("CARGO_PKG_VERSION"),
        nats: Nats {
            url: server.url(),
            pid: server.pid(),
            streams_in: server.store_dir().to_owned(),
            other_sizes: Vec::new(),
        },
        processes: members.iter().map(process).collect(),
        page: None,
        corpus: None,
    }
}

/// The message for a stream whose size differs from the wanted one.
fn other_size(change: &Change) -> Option<String> {
    match change {
        Change::Scaled(name, what) | Change::Kept(name, what) => Some(format!("{name} {what}")),
        Change::Created(_) | Change::Unchanged(_) | Change::Updated(..) => None,
    }
}

/// Makes the corpus equal to a folder.
async fn index(bus: Arc<NatsBus>, root: &Path) -> Result<Summary, CliError> {
    let to = corpus_sync::target_editions(&*bus, None).await?;
    let tenant = TenantId::default_tenant();
    let catalog = catalog_of_stream(&*bus, &tenant, &to.edition).await?;
    let options = Options {
        to,
        silent: Some(FILE),
        ..Options::waiting(PublishMode::Incremental)
    };
    Ok(corpus_sync::index(bus, root.to_owned(), &catalog, options, |_| {}).await?)
}

fn tell_processes(running: &Running) {
    println!("{}", format!("argosy {}", running.version).bold());
    let Nats {
        url,
        pid,
        streams_in,
        other_sizes,
    } = &running.nats;
    println!(
        "NATS:         {url} (pid {pid}, streams in {})",
        streams_in.display()
    );
    if !other_sizes.is_empty() {
        println!(
            "Room:         {} streams are of other sizes than the defaults, for what the disk offers",
            other_sizes.len()
        );
        println!("              (`argosy setup --check --server {url}` lists them)");
    }
    for Process { role, pid, metrics } in &running.processes {
        let metrics = metrics.as_deref().unwrap_or_default();
        let line = format!("{:<13} pid {pid:<7} {metrics}", format!("{role}:"));
        println!("{}", line.trim_end());
    }
}

fn tell_rest(running: &Running, corpus: Option<&Path>) {
    if let Some(summary) = &running.corpus {
        println!(
            "Corpus:       {} indexed, {} unchanged, {} skipped",
            summary.indexed,
            summary.unchanged,
            summary.skipped.len()
        );
    }
    if let Some(page) = &running.page {
        println!("Page:         {page}");
    }
    let url = &running.nats.url;
    // After --corpus another folder would replace it: an index run makes the corpus equal to a folder.
    match corpus {
        None => println!("Next:         argosy index ./your-folder --server {url}"),
        Some(corpus) => println!(
            "Next:         argosy index {} --server {url}   (after changes)",
            corpus.display()
        ),
    }
    println!("              argosy ask \"your question\" --server {url}");
    println!("Ctrl-C drains the fleet.");
}

/// Says when a process ends by itself. Returns when it is told to stop, when a process that has just begun is
/// configured wrongly, or when the server has ended.
async fn watch(
    server: &mut Server,
    members: &mut [Member],
    begun: Instant,
    stop: &CancellationToken,
) -> Result<(), CliError> {
    let mut said = Vec::new();
    loop {
        if begun.elapsed() < STARTING {
            unless_misconfigured(members)?;
        }
        if let Ok(Some(status)) = server.ended() {
            return Err(CliError::negative(format!("nats-server ended: {status}"))
                .hint("start `argosy up` again: what was stored is kept"));
        }
        for member in members.iter_mut() {
            if let Some(status) = member.ended().filter(|_| !said.contains(&member.role)) {
                notice!("{} {} ended: {status}", "warning:".yellow(), member.role);
                said.push(member.role);
            }
        }
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_a_port_of_its_own() {
        let own = |listen, place| own_listen(listen, place).unwrap();
        for listen in ["", "127.0.0.1:0", "nonsense"] {
            assert_eq!(own(listen, 3), None, "{listen}");
        }
        let said = [0, 7].map(|place| own("127.0.0.1:9400", place).unwrap().to_string());
        assert_eq!(said, ["127.0.0.1:9400", "127.0.0.1:9407"]);
        assert!(own_listen("127.0.0.1:65535", 0).is_ok());
        assert_eq!(own_listen("127.0.0.1:65535", 1).unwrap_err().exit, 2);
    }
}
