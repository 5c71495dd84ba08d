//! A fleet in this process over the sample corpus, with a door on a free port.

use crate::http::{self, Answer};
use argosy::command::serve;
use argosy::config::{Config, DataDir};
use argosy::local::Local;
use argosy::model::ChosenModel;
use bus::Bus;
use documents::PublishMode;
use door::{Door, Logins, Options, Setup};
use llm::ChatModel;
use offline_reader::OfflineReader;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use telemetry::Registry;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What the sample corpus answers.
pub(crate) const QUESTION: &str = "What is the maximum collector-emitter voltage of the HV2N4410A?";
/// What is in every right answer to it.
pub(crate) const ANSWER: &str = "45 V";

/// A fleet and one door of it.
pub(crate) struct Stand {
    pub(crate) at: SocketAddr,
    pub(crate) bus: Arc<dyn Bus>,
    stop: CancellationToken,
    served: JoinHandle<()>,
    local: Option<Local>,
    _dir: TempDir,
}

impl Stand {
    /// Starts it with these options.
    pub(crate) async fn start(options: Options) -> Stand {
        Stand::with_model(options, Arc::new(OfflineReader::new())).await
    }

    /// Starts it with a model that may be any.
    pub(crate) async fn with_model(options: Options, model: Arc<dyn ChatModel>) -> Stand {
        let dir = tempfile::tempdir().unwrap();
        let corpus = dir.path().join("corpus");
        argosy::sample::unpack(&corpus).unwrap();
        let config = Config {
            data_dir: DataDir(dir.path().join("data")),
            ..Config::default()
        };
        let mut local = Local::start_with(
            &config,
            &dir.path().join("index"),
            chosen(model),
            Registry::new(),
        )
        .await
        .unwrap();
        local
            .index(corpus, PublishMode::Incremental, |_| {})
            .await
            .unwrap();
        let bus = local.bus.clone();
        let (at, stop, served) = open(bus.clone(), options).await;
        Stand {
            at,
            bus,
            stop,
            served,
            local: Some(local),
            _dir: dir,
        }
    }

    /// With the default options, on a free port.
    pub(crate) async fn usual() -> Stand {
        Stand::start(Options::default()).await
    }

    /// Makes its corpus equal to a folder.
    pub(crate) async fn index(&mut self, corpus: PathBuf) {
        let local = self.local.as_mut().unwrap();
        let indexed = local.index(corpus, PublishMode::Incremental, |_| {});
        indexed.await.unwrap();
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        http::send(self.at, "GET", path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, headers: &[&str], body: &Value) -> Answer {
        http::send(self.at, "POST", path, headers, &body.to_string()).await
    }

    /// Ends the door and the fleet.
    pub(crate) async fn end(mut self) {
        self.stop.cancel();
        self.served.await.unwrap();
        self.local.take().unwrap().stop().await;
    }
}

/// This model, whatever else runs on this machine.
fn chosen(model: Arc<dyn ChatModel>) -> ChosenModel {
    ChosenModel {
        model,
        pools: Vec::new(),
        why: "a test".into(),
        offline: true,
    }
}

/// Opens a door of the fleet on `bus`.
pub(crate) async fn open(
    bus: Arc<dyn Bus>,
    options: Options,
) -> (SocketAddr, CancellationToken, JoinHandle<()>) {
    open_counted(bus, options, &Registry::new()).await
}

/// Opens a door that counts in `registry`.
pub(crate) async fn open_counted(
    bus: Arc<dyn Bus>,
    options: Options,
    registry: &Registry,
) -> (SocketAddr, CancellationToken, JoinHandle<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let at = listener.local_addr().unwrap();
    let (door, stop) = door(bus, options, registry);
    let served = tokio::spawn(async move { door.serve(listener).await.unwrap() });
    (at, stop, served)
}

/// A door of the fleet on `bus`, which nobody reaches yet.
pub(crate) fn door(
    bus: Arc<dyn Bus>,
    options: Options,
    registry: &Registry,
) -> (Door, CancellationToken) {
    let stop = CancellationToken::new();
    let logins = Logins::new(&options).unwrap();
    let config = Config {
        door: options,
        ..Config::default()
    };
    let setup = serve::setup(bus, &config, logins, registry, &stop).unwrap();
    let door = Door::new(Setup {
        takes_documents: true,
        ..setup
    });
    (door, stop)
}
