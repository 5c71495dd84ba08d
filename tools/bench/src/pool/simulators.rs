//! Runs the simulated nodes of a measurement on a thread of their own, so that their cost can be told from that of
//! the pool.

use crate::host::{cpu_ms, threads_cpu_ms};
use argosy::cli_error::CliError;
use sim_node::{NodeCounts, Options, SimNode};
use tokio::runtime::{Builder, Runtime};

/// What the thread is called.
const THREAD: &str = "sim-node";

/// Running nodes; dropping them ends them.
pub(super) struct Simulators {
    pub(super) nodes: Vec<SimNode>,
    runtime: Option<Runtime>,
}

/// The CPU time so far, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cpu {
    /// The time of the client, that is, of the pool and its callers.
    pub(super) client: f64,
    /// The time of the nodes.
    pub(super) nodes: f64,
}

impl Cpu {
    pub(super) fn now() -> Cpu {
        let nodes = threads_cpu_ms(THREAD);
        Cpu {
            client: cpu_ms(std::process::id()) - nodes,
            nodes,
        }
    }

    pub(super) fn since(self, before: Cpu) -> Cpu {
        Cpu {
            client: self.client - before.client,
            nodes: self.nodes - before.nodes,
        }
    }
}

impl Simulators {
    pub(super) async fn start(
        options: Vec<Options>,
        on_thread: impl Fn() + Send + Sync + 'static,
    ) -> Result<Simulators, CliError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name(THREAD)
            .on_thread_start(on_thread)
            .enable_all()
            .build()?;
        let starting = runtime.spawn(async move {
            let mut nodes = Vec::new();
            for options in options {
                nodes.push(SimNode::start(options).await?);
            }
            std::io::Result::Ok(nodes)
        });
        let mut simulators = Simulators {
            nodes: Vec::new(),
            runtime: Some(runtime),
        };
        let started = starting.await;
        simulators.nodes = started.map_err(|e| CliError::negative(e.to_string()))??;
        Ok(simulators)
    }

    pub(super) fn addresses(&self) -> Vec<String> {
        self.nodes.iter().map(SimNode::base_url).collect()
    }

    /// The counts of all nodes so far. `busiest` is the sum of each node's busiest moment.
    pub(super) fn seen(&self) -> NodeCounts {
        let mut all = NodeCounts::default();
        for seen in self.nodes.iter().map(SimNode::seen) {
            all.calls += seen.calls;
            all.in_flight += seen.in_flight;
            all.busiest += seen.busiest;
            all.finished += seen.finished;
            all.abandoned += seen.abandoned;
            all.prompt_tokens += seen.prompt_tokens;
            all.cached_tokens += seen.cached_tokens;
            all.answer_tokens += seen.answer_tokens;
        }
        all
    }
}

impl Drop for Simulators {
    fn drop(&mut self) {
        self.nodes.clear();
        // A runtime may not be waited for inside another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
