//! Measures what picking a node costs, for `argosy-bench pool --overhead`. The measurement makes no call, and no
//! call uses this module.

use crate::balance;
use crate::error::Error;
use crate::metrics::Metrics;
use crate::node::Node;
use crate::options;
use std::sync::Arc;
use std::time::Duration;
use telemetry::Registry;

/// The cost of picking a node: nanoseconds on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Picks {
    /// To pick one of the nodes when their states are already collected.
    pub pick_ns: f64,
    /// To collect the states of all nodes, pick one, take a lease, and return it with an outcome.
    pub take_ns: f64,
}

/// Measures `picks` picks among `nodes` nodes, all of which have answered calls and are half busy.
///
/// # Errors
/// When no HTTP client can be set up.
pub fn picks(nodes: usize, picks: u32) -> Result<Picks, Error> {
    let connect_timeout = Duration::from_secs(1);
    // These metrics are not exported.
    let metrics = Metrics::new(&Registry::new(), "cost")?;
    let node = |id: usize| {
        let options = options::Node {
            name: format!("node-{id}"),
            base_url: "http://127.0.0.1:1".into(),
            ..options::Node::default()
        };
        let name = options.name.clone();
        let gauge = metrics.node("cost", &name)?;
        Node::new(id as u64, name, &options, None, (connect_timeout, 0))
            .map(|node| (Arc::new(node), gauge))
    };
    let nodes = (0..nodes).map(node).collect::<Result<Vec<_>, Error>>()?;
    Ok(balance::cost(nodes, picks))
}
