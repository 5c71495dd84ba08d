//! `argosy probe`: asks a process on this machine whether it is live or ready, for health checks of containers
//! without a shell.

use crate::cli::{Output, ProbeArgs, ProbeTarget};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::out::println;
use crate::render;
use std::net::SocketAddr;
use telemetry::probe::HealthProbe;

/// Asks a process whether it is alive, ready or started. The exit code is 1 if it answers no, and 4 if it does not
/// answer.
pub async fn run(args: ProbeArgs, config: Config, output: Output) -> Result<(), CliError> {
    let (what, word) = match args.what {
        ProbeTarget::Live => (HealthProbe::Live, "alive"),
        ProbeTarget::Ready => (HealthProbe::Ready, "ready"),
        ProbeTarget::Startup => (HealthProbe::Startup, "started"),
    };
    let at = match args.at {
        Some(at) => at,
        None => served(&config.telemetry.listen)?,
    };
    let answer = what.ask(at).await;
    let answer = answer.map_err(|error| {
        CliError::cannot_connect(error.to_string())
            .hint("does the role run here, and is `telemetry.listen` the same as its own?")
    })?;
    let body = answer.body.trim_end();
    if !answer.is_so {
        return Err(CliError::negative(format!("the role at {at} is not {word}: {body}"))
            .hint("what each condition wants stands in docs/operations/watch.md; `argosy doctor` looks for the cause"));
    }
    match output {
        Output::Json => render::json(&serde_json::json!({"at": at, "body": body})),
        _ => println!("{body}"),
    }
    Ok(())
}

/// The address at which a process with this option serves.
fn served(listen: &str) -> Result<SocketAddr, CliError> {
    let at = listen.parse::<SocketAddr>().ok();
    at.filter(|at| at.port() > 0).ok_or_else(|| {
        CliError::usage(format!(
            "`telemetry.listen` is `{listen}`, which names no port"
        ))
        .hint("say where with --at HOST:PORT, or set `telemetry.listen` as the role has it")
    })
}
