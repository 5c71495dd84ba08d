//! `argosy serve`: opens the doors, over a folder in this process or for a fleet, until a signal stops it.

mod behind;

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::command::place::{Folder, Place};
use crate::config::Config;
use crate::model::PLUG_IN;
use crate::out::{notice, println};
use crate::{render, signal};
use behind::Behind;
use bus::Bus;
use bus_nats::NatsBus;
use door::{Door, Logins, Metrics, Setup, WebhookFile};
use owo_colors::OwoColorize;
use serde_json::json;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use telemetry::{Admin, Health, Registry};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Opens the doors until a signal stops it.
pub async fn run(args: cli::ServeArgs, mut config: Config, output: Output) -> Result<(), CliError> {
    let is_remote = args.server.is_named(&config)? && args.corpus.is_none();
    if let Some(listen) = args.listen {
        config.door.listen = listen;
    }
    let (address, logins) = (address(&config)?, logins(&config)?);
    if let Some(path) = &config.door.webhooks {
        WebhookFile::read(path).map_err(|error| CliError::usage(error.to_string()))?;
    }
    // Before the index is built: a port that is taken is told at once.
    let listener = listen(address).await?;
    let stop = CancellationToken::new();
    let opened = Opened {
        address: listener.local_addr()?,
        listener,
        logins,
        config: &config,
        stop: &stop,
        output,
    };
    let mut served = Ok(());
    signal::stop_on_signal(&stop, async {
        served = match is_remote {
            true => Box::pin(opened.fleet()).await,
            false => {
                let folder = Folder {
                    corpus: args.corpus,
                    reuse: args.reuse,
                    force: false,
                };
                Box::pin(opened.here(folder)).await
            }
        };
    })
    .await;
    served
}

/// A door whose port is taken, and what it is to be opened with.
struct Opened<'a> {
    listener: TcpListener,
    address: SocketAddr,
    logins: Logins,
    config: &'a Config,
    stop: &'a CancellationToken,
    output: Output,
}

impl Opened<'_> {
    /// Serves a fleet in this process.
    async fn here(self, folder: Folder) -> Result<(), CliError> {
        let Opened {
            config,
            stop,
            output,
            ..
        } = self;
        let root = folder.corpus.clone().unwrap_or_else(|| ".".into());
        // Told to stop while it indexes: what is indexed so far is kept.
        let place = tokio::select! {
            place = Place::open(false, folder, config, output) => place?,
            () = stop.cancelled() => return Ok(()),
        };
        let Place::Here(mut local) = place else {
            return Ok(());
        };
        let kept = local.keep_conversations(stop.clone()).await?;
        say(self.address, output);
        if local.chosen.offline && output == Output::Text {
            notice!(
                "{} the offline reader answers, which is no language model; {PLUG_IN}",
                "hint:".bold()
            );
        }
        let door = Door::new(Setup {
            folder: Some(root),
            ..setup(
                local.bus.clone(),
                config,
                self.logins,
                &Registry::new(),
                stop,
            )?
        });
        let served = door.serve(self.listener).await;
        local.stop().await;
        if kept.is_cancelled() {
            let text = "conversations could not be kept any more, so the door has closed";
            return Err(CliError::negative(text)
                .hint("the line above says why; what was said before is kept"));
        }
        Ok(served?)
    }

    /// Serves a fleet of processes, with probes and metrics beside its doors.
    async fn fleet(self) -> Result<(), CliError> {
        let Opened { config, stop, .. } = self;
        let revision = settings::sources::revision();
        let registry = Registry::for_process("door", env!("CARGO_PKG_VERSION"), revision)?;
        let health = Health::new(&["nats"]);
        health.measure(&registry, "door")?;
        let counted = bus_nats::Metrics::new(&registry, "door")?;
        let drained = CancellationToken::new();
        let admin = match config.telemetry.listen.as_str() {
            "" => None,
            listen => {
                let at = listen.parse().map_err(|_| {
                    CliError::usage(format!("`telemetry.listen`: `{listen}` is not HOST:PORT"))
                })?;
                Some(Admin::serve(at, health.clone(), registry.clone(), drained.clone()).await?)
            }
        };
        let bus = tokio::select! {
            bus = NatsBus::connect(config.nats("argosy-door", true)) => bus?,
            () = stop.cancelled() => return Ok(()),
        };
        let mut watched = JoinSet::new();
        watched.spawn(watch(bus.clone(), health.clone(), counted, stop.clone()));
        health.started();
        say(self.address, self.output);
        if !bus.connected() {
            let url = bus_nats::without_secrets(&config.nats.url);
            notice!(
                "{} waiting for NATS at {url}: questions get 503 until it is there",
                "warning:".yellow()
            );
        }
        let door = Door::new(Setup {
            takes_documents: true,
            ..setup(bus.clone(), config, self.logins, &registry, stop)?
        });
        let served = door.serve(self.listener).await;
        while watched.join_next().await.is_some() {}
        let _ = tokio::time::timeout(Duration::from_secs(2), bus.flush()).await;
        drained.cancel();
        if let Some(admin) = admin {
            admin.join().await?;
        }
        Ok(served?)
    }
}

/// Ready while the server is there and nobody has told it to stop; shows the connection meanwhile.
async fn watch(
    bus: Arc<NatsBus>,
    health: Health,
    counted: bus_nats::Metrics,
    stop: CancellationToken,
) {
    let connection = bus.connection();
    let mut look = tokio::time::interval(Duration::from_millis(250));
    while !stop.is_cancelled() {
        counted.show(&connection);
        match bus.connected() {
            true => health.ready("nats"),
            false => health.not_ready("nats", "not connected"),
        }
        tokio::select! {
            () = stop.cancelled() => {}
            _ = look.tick() => {}
        }
    }
    health.drain();
}

/// What a door of the fleet on a bus is made of. It reads the conversations that the fleet keeps, and takes no documents.
///
/// # Errors
/// When another family has the name of one of its metrics.
pub fn setup(
    bus: Arc<dyn Bus>,
    config: &Config,
    logins: Logins,
    registry: &Registry,
    stop: &CancellationToken,
) -> Result<Setup, CliError> {
    let behind = Arc::new(Behind::new(bus.clone(), config));
    Ok(Setup {
        bus,
        conversations: behind.clone(),
        fleet: behind,
        options: config.door.clone(),
        logins,
        metrics: Metrics::new(registry)?,
        takes_documents: false,
        folder: None,
        stop: stop.clone(),
    })
}

/// Where the doors listen.
pub(crate) fn address(config: &Config) -> Result<SocketAddr, CliError> {
    let address = config.door.address();
    address.map_err(|error| CliError::usage(error.to_string()))
}

/// Who is let in.
pub(crate) fn logins(config: &Config) -> Result<Logins, CliError> {
    Logins::new(&config.door).map_err(|error| CliError::usage(error.to_string()))
}

/// Takes the port.
pub(crate) async fn listen(address: SocketAddr) -> Result<TcpListener, CliError> {
    TcpListener::bind(address)
        .await
        .map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => CliError::negative(format!("{address} is taken"))
                .hint("another process listens there; --listen 127.0.0.1:0 takes any free port"),
            _ => CliError::negative(format!("{address}: {error}")),
        })
}

fn say(address: SocketAddr, output: Output) {
    let url = format!("http://{address}");
    if output == Output::Json {
        render::json(
            &json!({"url": url, "openai": format!("{url}/v1"), "mcp": format!("{url}/mcp")}),
        );
        return;
    }
    println!("{}   {url}/", "Page:".bold());
    println!("{}   {url}/api/openapi.json", "HTTP:".bold());
    println!("{} {url}/v1", "OpenAI:".bold());
    println!("{}    {url}/mcp", "MCP:".bold());
}
