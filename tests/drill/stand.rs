//! Sets up one fleet for a drill with everything around it: a server, model nodes, simulated users, and a Prometheus
//! that watches all of it with the shortened rules.

use crate::binary::argosy;
use crate::crowd::{Crowd, PLACES};
use crate::disk;
use crate::fleet::{Fleet, Process, connect};
use crate::model::{self, Mind};
use crate::rules;
use crate::tls::Authority;
use crate::wire;
use bus_nats::NatsBus;
use envelope::Role;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use testkit::nats::TestServer;
use testkit::node::{DIMS, FakeNode};
use testkit::prometheus::Prometheus;
use testkit::promtool;
use testkit::sim_node::{Behaviour, SimNode};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The plan of a stand.
pub(crate) struct Plan {
    pub(crate) name: &'static str,
    /// The roles that run; the other roles are missing.
    pub(crate) roles: &'static [Role],
    /// The options of every process.
    pub(crate) set: &'static [&'static str],
    /// Model nodes.
    pub(crate) nodes: usize,
    /// The kind of the additional node, see [`Searches`].
    pub(crate) searches: Searches,
    /// Whether the server requires TLS, see [`tls`](crate::tls).
    pub(crate) tls: bool,
    /// How much shorter times are, see [`rules`].
    pub(crate) factor: u64,
}

/// What the additional node does for searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Searches {
    /// There is no such node.
    Alone,
    /// The node makes vectors.
    Embedder,
    /// The node ranks passages.
    Reranker,
}

/// Every role and one model node.
pub(crate) const WHOLE: Plan = Plan {
    name: "whole",
    roles: &Role::ALL,
    set: &[],
    nodes: 1,
    searches: Searches::Alone,
    tls: false,
    factor: 60,
};

/// A fleet with everything around it.
pub(crate) struct Stand {
    pub(crate) plan: &'static Plan,
    pub(crate) server: TestServer,
    pub(crate) bus: Arc<NatsBus>,
    pub(crate) nodes: Vec<SimNode>,
    pub(crate) mind: Mind,
    /// The node that [`Searches`] describes.
    pub(crate) side: FakeNode,
    pub(crate) tls: Option<Authority>,
    pub(crate) fleet: Fleet,
    pub(crate) crowd: Crowd,
    pub(crate) prometheus: Prometheus,
    /// Tasks that run until the fix.
    pub(crate) helpers: JoinSet<()>,
    /// Tells these tasks to stop.
    pub(crate) enough: CancellationToken,
    /// The port at which Prometheus finds each role.
    pub(crate) ports: BTreeMap<Role, u16>,
}

impl Stand {
    /// Starts everything and waits until it is ready and watched; no questions are asked yet.
    pub(crate) async fn start(plan: &'static Plan) -> Stand {
        let tls = plan.tls.then(Authority::new);
        let server = testkit::nats::server_with(|options| {
            options.extra =
                tls.as_ref().map_or(String::new(), Authority::of_server) + &wire::permissions();
        })
        .await;
        let mind = Mind::new();
        let mut nodes = Vec::new();
        for _ in 0..plan.nodes {
            nodes.push(model::node(&mind).await);
        }
        let mut set: Vec<String> = plan.set.iter().map(|&option| option.to_owned()).collect();
        if !nodes.is_empty() {
            set.extend(model::options(&nodes));
        }
        let side = FakeNode::saying("").await.expect("a fake node");
        let listed = json!([{ "name": "side", "base_url": side.base_url() }]);
        match plan.searches {
            Searches::Alone => {}
            Searches::Embedder => set.extend([
                "retrieval.embedder=http".into(),
                "retrieval.http.model=embedder".into(),
                format!("retrieval.http.dims={DIMS}"),
                format!("retrieval.http.nodes={listed}"),
            ]),
            Searches::Reranker => set.extend([
                "retrieval.reranker.model=reranker".into(),
                format!("retrieval.reranker.nodes={listed}"),
            ]),
        }
        set.extend(tls.iter().flat_map(Authority::of_clients));
        let mut fleet = Fleet::new(server.url(), set);
        fleet.stubbed.clear();
        fleet.setup().await;
        let ports: BTreeMap<_, _> = plan.roles.iter().map(|role| (*role, free_port())).collect();
        let targets: Vec<_> = ports.values().map(address).collect();
        let prometheus = Prometheus::start(address(&free_port()), &targets).await;
        let bus = match &tls {
            Some(authority) => authority.connect(server.url()).await,
            None => connect(server.url()).await,
        };
        let mut stand = Stand {
            plan,
            crowd: Crowd::new(bus.clone()),
            bus,
            server,
            nodes,
            mind,
            side,
            tls,
            fleet,
            prometheus,
            helpers: JoinSet::new(),
            enough: CancellationToken::new(),
            ports,
        };
        for role in plan.roles {
            stand.start_one(*role);
        }
        stand.fleet.ready().await;
        stand.watch().await;
        stand
    }

    /// Starts one process of a role at the address of that role. A role that keeps files gets a disk of its own.
    pub(crate) fn start_one(&mut self, role: Role) -> &mut Process {
        let port = self.ports[&role];
        if !disk::KEEPERS.contains(&role) {
            return self.start_plainly(role, Some(port));
        }
        self.start_from(disk::wrapped(&self.fleet), role, port)
    }

    /// Starts one process of a role in the common folder, at a port that Prometheus watches or at any other.
    pub(crate) fn start_plainly(&mut self, role: Role, port: Option<u16>) -> &mut Process {
        self.start_from(argosy().to_owned(), role, port.unwrap_or(0))
    }

    fn start_from(&mut self, binary: PathBuf, role: Role, port: u16) -> &mut Process {
        let listen = format!("telemetry.listen=127.0.0.1:{port}");
        self.fleet.plan.args = vec!["--set".into(), listen];
        // Commands take the one that is there at other times.
        let plain = std::mem::replace(&mut self.fleet.plan.binary, binary);
        self.fleet.start(role);
        self.fleet.plan.binary = plain;
        self.fleet.processes.last_mut().expect("just started")
    }

    /// Gives Prometheus the shortened copy of what it understood of the shipped rules.
    async fn watch(&self) {
        self.prometheus.rules(&rules::shipped()).await;
        let said = self.prometheus.get("/api/v1/rules").await;
        let file = self.fleet.dir().join("rules.yaml");
        std::fs::write(&file, rules::shortened(&said, self.plan.factor).to_string())
            .expect("a file");
        let checked = file.clone();
        let lint = tokio::task::spawn_blocking(move || promtool::check_rules(&checked)).await;
        assert_eq!(lint.expect("promtool"), Ok(()));
        self.prometheus.rules(&[file]).await;
    }

    /// Indexes a document about each place.
    pub(crate) async fn index(&self) {
        let folder = self.fleet.dir().join("corpus/leases");
        std::fs::create_dir_all(&folder).expect("a folder");
        for (n, place) in PLACES.iter().enumerate() {
            let text = format!(
                "# Lease of the {place} depot\n\nThe lease of the {place} depot ends on {} March 2031.\n",
                n + 1
            );
            std::fs::write(folder.join(format!("{place}.md")), text).expect("a file");
        }
        let root = self.fleet.dir().join("corpus");
        let root = root.to_str().expect("a path");
        let indexed = self.fleet.json(&["index", root]).await;
        assert_eq!(indexed["indexed"], PLACES.len(), "{indexed}");
    }

    /// The alerts that fire now.
    pub(crate) async fn firing(&self) -> BTreeSet<String> {
        let said = self.prometheus.get("/api/v1/alerts").await;
        let alerts = said["data"]["alerts"].as_array().expect("alerts");
        let firing = alerts.iter().filter(|alert| alert["state"] == "firing");
        let names = firing.filter_map(|alert| alert["labels"]["alertname"].as_str());
        names.map(str::to_owned).collect()
    }

    /// The value of a query that has one series, or none.
    pub(crate) async fn value(&self, expression: &str) -> Option<f64> {
        let result = self.prometheus.query(expression).await;
        let value = |series: &Value| series["value"][1].as_str()?.parse().ok();
        result.first().and_then(value)
    }

    /// Makes all model nodes behave in this way from now on.
    pub(crate) fn behave(&self, behaviour: Behaviour) {
        for node in &self.nodes {
            node.behave(behaviour);
        }
    }

    /// Waits until all helper tasks have finished.
    pub(crate) async fn enough(&mut self) {
        std::mem::take(&mut self.enough).cancel();
        while self.helpers.join_next().await.is_some() {}
    }

    /// Kills the process of a role, and starts no other in its place.
    pub(crate) async fn kill(&mut self, role: Role) {
        let place = self
            .fleet
            .processes
            .iter()
            .position(|one| one.member.role == role);
        let mut process = self
            .fleet
            .processes
            .remove(place.expect("a process of the role"));
        process.member.kill().await.expect("a kill");
    }

    /// Sends a signal to the first process of a role.
    pub(crate) fn signal(&mut self, role: Role, which: &str) {
        let pid = self.fleet.of(role).member.pid().expect("it runs");
        signal(pid, which);
    }
}

/// Sends a signal to a process that this test started.
pub(crate) fn signal(pid: u32, which: &str) {
    let mut kill = std::process::Command::new("kill");
    let sent = kill.args([which, &pid.to_string()]).status();
    assert!(sent.expect("kill runs").success(), "{which} {pid}");
}

fn address(port: &u16) -> SocketAddr {
    ([127, 0, 0, 1], *port).into()
}

/// A port that is free and that the system gives to no other process, so that a process that is restarted finds it
/// free again.
fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    /// Below the ports of outgoing connections; other runs of this test begin elsewhere.
    const FIRST: u16 = 20_000;
    const COUNT: u16 = 10_000;
    let begin = (std::process::id() % u32::from(COUNT)) as u16;
    loop {
        let tried = NEXT.fetch_add(1, Ordering::Relaxed);
        assert!(tried < COUNT, "no port is free");
        let port = FIRST + (begin + tried) % COUNT;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
