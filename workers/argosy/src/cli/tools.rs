//! The arguments of `argosy completions`, `argosy eval`, `argosy offline-model` and `argosy probe`.

use clap::{Args, ValueEnum};
use clap_complete::Shell;
use std::ffi::OsString;
use std::net::SocketAddr;

/// `argosy completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Whose language.
    pub shell: Shell,
}

/// `argosy eval`
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// What `argosy-eval` takes; `argosy eval --help` prints it.
    #[arg(
        value_name = "ARGS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub arguments: Vec<OsString>,
}

/// `argosy offline-model`
#[derive(Debug, Args)]
pub struct OfflineModelArgs {
    /// Where it listens; port 0 takes any free one.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8088")]
    pub listen: SocketAddr,
    /// Calls that are worked on at once; what comes on top is told 429.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub slots: u16,
}

/// `argosy probe`
#[derive(Debug, Args)]
pub struct ProbeArgs {
    /// What is asked.
    #[arg(default_value = "ready")]
    pub what: ProbeTarget,
    /// Where the process serves. Default: where `telemetry.listen` has it serve.
    #[arg(long, value_name = "HOST:PORT")]
    pub at: Option<SocketAddr>,
}

/// What a process is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProbeTarget {
    /// Whether its runtime turns.
    Live,
    /// Whether it works.
    Ready,
    /// Whether it was ready once.
    Startup,
}
