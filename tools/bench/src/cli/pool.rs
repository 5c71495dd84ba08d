//! The command line of `argosy-bench pool`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `argosy-bench pool`
#[derive(Debug, Args)]
pub struct PoolArgs {
    /// How many nodes, one size each.
    #[arg(long, value_delimiter = ',', default_values_t = [1usize, 2, 4, 8, 16])]
    pub nodes: Vec<usize>,
    /// What one of the nodes does. Default: each in turn; `uniform` is always run.
    #[arg(long, value_delimiter = ',', value_enum)]
    pub scenario: Vec<Scenario>,
    /// How nodes are picked.
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = PoolPolicy::ALL)]
    pub policy: Vec<PoolPolicy>,
    /// How long each run is measured, in seconds.
    #[arg(long, default_value_t = 5.0)]
    pub seconds: f64,
    /// How often each run is repeated; the medians are shown.
    #[arg(long, default_value_t = 1)]
    pub repeat: usize,
    /// How much faster than outside the nodes are, and all time-outs with them.
    #[arg(long, default_value_t = 5.0)]
    pub scale: f64,
    /// Draw the result into this file.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Measure instead what a call costs the client, and the memory of 1,000 streams.
    #[arg(long)]
    pub overhead: bool,
}

/// How the pool picks a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum PoolPolicy {
    /// The better of two drawn nodes, by calls in flight, answer time and load.
    Balanced,
    /// One after the other.
    RoundRobin,
    /// The node with the fewest calls in flight.
    LeastInFlight,
}

impl PoolPolicy {
    /// Every one.
    pub(crate) const ALL: [PoolPolicy; 3] = [
        PoolPolicy::Balanced,
        PoolPolicy::RoundRobin,
        PoolPolicy::LeastInFlight,
    ];

    /// The policy's name, as in the configuration.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            PoolPolicy::Balanced => "balanced",
            PoolPolicy::RoundRobin => "round_robin",
            PoolPolicy::LeastInFlight => "least_in_flight",
        }
    }

    /// The policy as the pool knows it.
    pub(crate) const fn of_pool(self) -> llm_pool::BalancePolicy {
        match self {
            PoolPolicy::Balanced => llm_pool::BalancePolicy::Balanced,
            PoolPolicy::RoundRobin => llm_pool::BalancePolicy::RoundRobin,
            PoolPolicy::LeastInFlight => llm_pool::BalancePolicy::LeastInFlight,
        }
    }
}

/// What one of the nodes does; the others are well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scenario {
    /// What the others do.
    Uniform,
    /// The same ten times as slowly.
    Slow,
    /// Accepts calls and answers none, from the start on.
    Stuck,
    /// Is there for 5 s and gone for 5 s.
    Flapping,
}

impl Scenario {
    /// Every one.
    pub(crate) const ALL: [Scenario; 4] = [
        Scenario::Uniform,
        Scenario::Slow,
        Scenario::Stuck,
        Scenario::Flapping,
    ];

    /// Its name.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Scenario::Uniform => "uniform",
            Scenario::Slow => "slow",
            Scenario::Stuck => "stuck",
            Scenario::Flapping => "flapping",
        }
    }

    /// How many of so many nodes work well in this scenario.
    pub(crate) fn healthy(self, nodes: usize) -> usize {
        match self {
            Scenario::Uniform => nodes,
            _ => nodes - 1,
        }
    }
}
