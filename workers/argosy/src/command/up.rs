//! `argosy up`: a local nats-server and one process per role in the foreground.

use crate::cli;
use crate::command::must_be_folder;
use crate::config::Config;
use crate::corpus::{self, Options, catalog_of_stream};
use crate::fail::Fail;
use crate::fleet::{Member, Plan, drain, nats_server};
use crate::out::println;
use crate::signal;
use anstream::eprintln;
use envelope::{Role, TenantId};
use harness::nats::{self, NatsBus};
use harness::server::{self, Server};
use owo_colors::OwoColorize;
use retrieval::Mode;
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Runs a fleet until Ctrl-C.
pub async fn run(
    args: cli::Up,
    config_file: Option<PathBuf>,
    set: Vec<String>,
    log: Option<String>,
    config: Config,
) -> Result<(), Fail> {
    if let Some(root) = &args.corpus {
        must_be_folder(root)?;
    }
    let binary = nats_server(|cache| {
        eprintln!(
            "no nats-server found; fetching one into {}",
            cache.display()
        )
    })?;
    let mut options = server::Options::new(binary, config.data_dir.0.join("nats"));
    options.port = Some(args.port).filter(|port| *port != 0);
    let mut server = Server::start(options).await.map_err(|e| {
        Fail::negative(e.to_string()).hint(format!(
            "is port {} taken? `--port 0` takes any free one",
            args.port
        ))
    })?;
    let up = fleet(&args, config_file, set, log, &config, &server).await;
    server
        .stop()
        .await
        .map_err(|e| Fail::negative(e.to_string()))?;
    up
}

async fn fleet(
    args: &cli::Up,
    config_file: Option<PathBuf>,
    set: Vec<String>,
    log: Option<String>,
    config: &Config,
    server: &Server,
) -> Result<(), Fail> {
    let nats = harness::nats::Options {
        url: server.url(),
        ..config.nats("argosy-up", false)
    };
    let bus = NatsBus::connect(nats).await?;
    nats::setup(&bus, &config.topology()).await?;
    let plan = Plan {
        binary: std::env::current_exe()?,
        server: server.url(),
        data_dir: config.data_dir.0.clone(),
        set,
        config: config_file,
        args: Vec::new(),
        log: log.unwrap_or_else(|| "warn".into()),
        log_dir: None,
    };
    let mut members = plan.start_each(&Role::ALL)?;
    println!("{}", format!("argosy {}", env!("CARGO_PKG_VERSION")).bold());
    println!(
        "NATS:       {} (pid {}, streams in {})",
        server.url(),
        server.pid(),
        server.store_dir().display()
    );
    for member in &members {
        println!(
            "{:<11} pid {}",
            format!("{}:", member.role),
            member.pid().unwrap_or_default()
        );
    }
    if let Some(root) = &args.corpus {
        let to = corpus::to(&*bus, None).await?;
        let tenant = TenantId::default_tenant();
        let catalog = catalog_of_stream(&*bus, &tenant, &to.edition).await?;
        let summary = corpus::index(
            bus.clone(),
            root.clone(),
            &catalog,
            Options {
                to,
                ..Options::waiting(Mode::Incremental)
            },
            |_| {},
        )
        .await?;
        println!(
            "Corpus:     {} indexed, {} unchanged, {} skipped",
            summary.indexed,
            summary.unchanged,
            summary.skipped.len()
        );
    }
    let url = server.url();
    // After --corpus another folder would replace it: an index run makes the corpus equal to a folder.
    match &args.corpus {
        None => println!("Next:       argosy index ./your-folder --server {url}"),
        Some(corpus) => println!(
            "Next:       argosy index {} --server {url}   (after changes)",
            corpus.display()
        ),
    }
    println!("            argosy ask \"your question\" --server {url}");
    println!("Ctrl-C drains the fleet.");
    let stop = CancellationToken::new();
    let watched = watch(&mut members, &stop);
    signal::stop_on_signal(&stop, watched).await;
    println!("draining");
    let bad = drain(
        &mut members,
        config.run.grace.duration() + Duration::from_secs(5),
    )
    .await;
    match bad.as_slice() {
        [] => Ok(()),
        bad => Err(Fail::negative(format!("did not end well: {bad:?}"))),
    }
}

/// Says when a process ends by itself; comes back when told to stop.
async fn watch(members: &mut [Member], stop: &CancellationToken) {
    let mut said = Vec::new();
    loop {
        for member in members.iter_mut() {
            if let Some(status) = member.ended().filter(|_| !said.contains(&member.role)) {
                eprintln!("{} {} ended: {status}", "warning:".yellow(), member.role);
                said.push(member.role);
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
    }
}
