//! The background task of a pool: it resolves names, asks nodes for their load, and updates gauges.
//!
//! There is one task, which ends with the pool. A failed probe never counts as a failure of its node: only real
//! calls do.

use crate::balance::NodeId;
use crate::constants::{LOOKUP_TIMEOUT, PROBE_EVERY};
use crate::node::{Node, Probe};
use crate::options;
use crate::pool::Shared;
use futures_util::future::join_all;
use reqwest::Url;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

/// A node that does not tell its load is asked again after this time.
const SILENT: Duration = Duration::from_secs(60);

/// Most addresses that are looked at, of which the pool takes as many as it may have.
const ADDRESSES_MAX: usize = 4_096;

/// Runs until the pool is gone.
pub(crate) async fn watch(shared: Weak<Shared>) {
    let mut tick = interval(PROBE_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut looked_up: Option<Instant> = None;
    let mut silent: HashMap<NodeId, Instant> = HashMap::new();
    let mut unknown = HashSet::new();
    loop {
        tick.tick().await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let every = shared.options.resolve_every.duration();
        let now = Instant::now();
        if looked_up.is_none_or(|at| now >= at + every) {
            looked_up = Some(now);
            look_up(&shared, &mut unknown).await;
        }
        if shared.options.probe {
            probe(&shared, &mut silent).await;
        }
        shared.show();
    }
}

async fn probe(shared: &Shared, silent: &mut HashMap<NodeId, Instant>) {
    let now = Instant::now();
    silent.retain(|_, until| now < *until);
    let nodes = shared.balance().nodes();
    let asked: Vec<Arc<Node>> = nodes
        .into_iter()
        .filter(|node| !silent.contains_key(&node.id))
        .collect();
    let told = join_all(asked.iter().map(|node| node.probe())).await;
    for (node, told) in asked.iter().zip(told) {
        let load = match told {
            Probe::Load(load) => Some(load),
            Probe::Silent => {
                silent.insert(node.id, now + SILENT);
                None
            }
            Probe::Away => None,
        };
        let well = told != Probe::Away;
        shared.balance().probed(node.id, well, load, Instant::now());
    }
}

/// Looks up every name that stands for several nodes. A name that cannot be looked up leaves its nodes
/// as they are: the calls find out whether they are gone. `unknown` are the names that could not be looked
/// up the last time: a line is written when one begins to be, and when it is over.
async fn look_up(shared: &Shared, unknown: &mut HashSet<String>) {
    for options in shared.options.nodes.iter().filter(|node| node.resolve) {
        let Some((host, port)) = host_and_port(options) else {
            continue;
        };
        let found = timeout(LOOKUP_TIMEOUT, lookup_host((host.as_str(), port))).await;
        match found.unwrap_or_else(|late| Err(late.into())) {
            Ok(found) => {
                if unknown.remove(&options.name) {
                    tracing::info!(
                        node = options.name,
                        host,
                        "the name of a node resolves again"
                    );
                }
                shared.follow(options, &found.take(ADDRESSES_MAX).collect());
            }
            Err(error) if unknown.insert(options.name.clone()) => {
                tracing::warn!(node = options.name, host, %error, "the name of a node cannot be resolved");
            }
            Err(error) => {
                tracing::debug!(node = options.name, host, %error, "the name of a node cannot be resolved");
            }
        }
    }
}

fn host_and_port(options: &options::Node) -> Option<(String, u16)> {
    let url = Url::parse(&options.base_url).ok()?;
    Some((url.host_str()?.to_owned(), url.port_or_known_default()?))
}
