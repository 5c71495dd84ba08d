//! The registry of a process's model nodes: those of chat models, of embedders and of rerankers alike.
//!
//! The code that makes a pool registers it here, and the code that reports on the process finds it. The registry
//! does *not* keep pools alive: when an index closes, its embedder goes with it, and its nodes are no longer
//! reported.

use crate::{NodeView, Pool};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The living pools of a process. Clones share the list.
#[derive(Debug, Clone, Default)]
pub struct Pools(Arc<Mutex<Vec<Weak<Pool>>>>);

impl Pools {
    /// Adds this pool to the list.
    pub fn add(&self, pool: &Arc<Pool>) {
        let mut pools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pools.retain(|pool| pool.strong_count() > 0);
        pools.push(Arc::downgrade(pool));
    }

    /// The nodes of all pools, in the order in which the pools were added.
    pub fn nodes(&self) -> Vec<NodeView> {
        let pools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let there = pools.iter().filter_map(Weak::upgrade);
        there.flat_map(|pool| pool.nodes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use telemetry::Registry;

    #[tokio::test]
    async fn nodes_are_told_as_long_as_somebody_asks_them() {
        let pool = |model: &str| {
            let options = Options::one_node(model, "http://127.0.0.1:9");
            Arc::new(Pool::new(options, &Registry::new()).unwrap())
        };
        let (pools, chat) = (Pools::default(), pool("small"));
        let models = || {
            let nodes = pools.nodes().into_iter();
            nodes.map(|node| node.model).collect::<Vec<_>>()
        };
        pools.add(&chat);
        let vectors = pool("vectors");
        pools.clone().add(&vectors);
        assert_eq!(models(), ["small", "vectors"]);
        drop(vectors);
        assert_eq!(models(), ["small"]);
    }
}
