//! A cluster of three or more servers, for tests of behaviour that depends on replicas.

use super::process::PORT_TAKEN;
use super::{Options, Routes, Server, ServerError, io, probe};
use futures_util::future::try_join_all;
use serde::Deserialize;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the members may take to agree on a leader.
const LIMIT: Duration = Duration::from_secs(20);
/// How often they are asked.
const LOOK: Duration = Duration::from_millis(50);

/// Servers on this machine that know each other.
#[derive(Debug)]
pub struct Cluster {
    /// The members. Any of them may be killed and restarted.
    pub servers: Vec<Server>,
}

#[derive(Deserialize)]
struct Jsz {
    meta_cluster: Option<Meta>,
}

#[derive(Default, Deserialize)]
struct Meta {
    #[serde(default)]
    leader: String,
    cluster_size: usize,
    /// The other members as the leader sees them; only the leader tells.
    #[serde(default)]
    replicas: Vec<Peer>,
}

#[derive(Deserialize)]
struct Peer {
    #[serde(default)]
    offline: bool,
}

impl Meta {
    fn online(&self) -> usize {
        self.replicas.iter().filter(|peer| !peer.offline).count()
    }
}

impl Cluster {
    /// Starts `size` servers, each with a folder in `store_dir`, and waits until all of them know
    /// one leader.
    pub async fn start(
        binary: &Path,
        store_dir: &Path,
        size: usize,
    ) -> Result<Cluster, ServerError> {
        let begun = Instant::now();
        loop {
            let all = free_ports(size).map_err(io("find free ports"))?;
            let members = all.iter().enumerate().map(|(n, port)| {
                let name = format!("argosy-{n}");
                let mut options = Options::new(binary, store_dir.join(&name));
                options.name = name;
                options.routes = Some(Routes {
                    port: *port,
                    all: all.clone(),
                });
                Server::start(options)
            });
            match try_join_all(members).await {
                // Others take free ports too, the members themselves among them.
                Err(ServerError::Ended { log, .. })
                    if log.contains(PORT_TAKEN) && begun.elapsed() < LIMIT => {}
                servers => {
                    let cluster = Cluster { servers: servers? };
                    cluster.await_leader().await?;
                    return Ok(cluster);
                }
            }
        }
    }

    /// Where clients connect: every member, separated by commas.
    pub fn url(&self) -> String {
        let urls: Vec<String> = self.servers.iter().map(Server::url).collect();
        urls.join(",")
    }

    /// Waits, at most twenty seconds, until every running member names the same leader, and this leader has heard from
    /// all running members, which it needs for placing streams. Members that were killed are not asked.
    pub async fn await_leader(&self) -> Result<(), ServerError> {
        let start = Instant::now();
        loop {
            let mut seen = Vec::new();
            for server in &self.servers {
                seen.extend(self.meta_of(server).await);
            }
            let leader = seen.first().map_or("", |meta| &meta.leader);
            let agreed = !leader.is_empty() && seen.iter().all(|meta| meta.leader == leader);
            let heard_of = seen.iter().map(Meta::online).max().unwrap_or_default();
            if agreed && heard_of + 1 >= seen.len() {
                return Ok(());
            }
            if start.elapsed() > LIMIT {
                let leaders: Vec<&str> = seen.iter().map(|meta| meta.leader.as_str()).collect();
                return Err(ServerError::NotReady {
                    after: LIMIT,
                    what: format!("leaders seen: {leaders:?}, members heard of: {heard_of}"),
                    log: String::new(),
                });
            }
            sleep(LOOK).await;
        }
    }

    /// What a member knows of the cluster, without a leader while it does not know all members;
    /// `None` when it does not answer.
    async fn meta_of(&self, server: &Server) -> Option<Meta> {
        let body = probe::get(server.monitor(), "/jsz").await.ok()?;
        let jsz: Jsz = serde_json::from_str(&body).ok()?;
        let mut meta = jsz.meta_cluster.unwrap_or_default();
        if meta.cluster_size != self.servers.len() {
            meta.leader.clear();
        }
        Some(meta)
    }
}

/// Ports that were free a moment ago. Members must know each other's before any of them listens, so
/// the server's own way of choosing one does not help here.
fn free_ports(count: usize) -> std::io::Result<Vec<u16>> {
    let bound = (0..count).map(|_| TcpListener::bind(("127.0.0.1", 0)));
    let held: Vec<TcpListener> = bound.collect::<Result<_, _>>()?;
    held.iter().map(|l| Ok(l.local_addr()?.port())).collect()
}
