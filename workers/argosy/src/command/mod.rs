//! The commands, one module for each. A command takes its arguments and the configuration, and prints its result.

pub mod access;
pub mod ask;
mod asking;
pub mod chat;
pub mod completions;
pub mod config;
pub mod conversation;
pub mod dead;
pub mod demo;
pub mod doctor;
pub mod edition;
pub mod eval;
pub mod feedback;
pub mod index;
pub mod key;
pub mod mcp;
pub mod models;
pub mod nodes;
pub mod offline_model;
pub mod permissions;
mod place;
pub mod probe;
pub mod prompts;
pub mod replay;
pub mod run;
pub mod schema;
pub mod search;
pub mod serve;
pub mod setup;
pub mod status;
pub mod trace;
pub mod turn;
pub mod up;
pub mod webhook;

use crate::cli::Output;
use crate::cli_error::CliError;
use crate::config::Config;
use crate::out::notice;
use bus::BusError;
use bus_nats::{NatsBus, without_secrets};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The exit code of a process that found no server.
const CANNOT_CONNECT: u8 = 4;

/// How long to wait for a server that is about to start.
const SOON: Duration = Duration::from_secs(5);
/// How often to look for it meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// A connection for one command.
pub(crate) async fn connect(config: &Config) -> Result<Arc<NatsBus>, CliError> {
    Ok(NatsBus::connect(config.nats("argosy-cli", false)).await?)
}

/// A connection for a command that may be started before its server.
pub(crate) async fn connect_soon(
    config: &Config,
    output: Output,
) -> Result<Arc<NatsBus>, CliError> {
    let url = without_secrets(&config.nats.url);
    let said = format!("waiting up to {} s for NATS at {url}", SOON.as_secs());
    let connect = async || NatsBus::connect(config.nats("argosy-cli", false)).await;
    Ok(unless_away(SOON, &said, output, connect).await?)
}

/// Tries again for this long while the server is away, and says once that it waits.
pub(crate) async fn unless_away<T>(
    most: Duration,
    said: &str,
    output: Output,
    attempt: impl AsyncFn() -> Result<T, BusError>,
) -> Result<T, BusError> {
    let begun = Instant::now();
    let mut has_said = false;
    loop {
        let made = attempt().await;
        if !matches!(made, Err(BusError::Away(_))) || begun.elapsed() >= most {
            return made;
        }
        if !has_said && output == Output::Text {
            notice!("{said}");
        }
        has_said = true;
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// A connection for a command that also works in this process. When there is no server, the failure names both ways;
/// `here` says how it goes without a fleet.
pub(crate) async fn connect_or(config: &Config, here: &str) -> Result<Arc<NatsBus>, CliError> {
    connect(config).await.map_err(|fail| match fail.exit {
        CANNOT_CONNECT => {
            let by = config.given.by("nats.url").unwrap_or("default");
            let start = start_there(&config.nats.url);
            fail.hint(format!(
                "a fleet is asked because `nats.url` is set ({by}): {start}, or {here}"
            ))
        }
        _ => fail,
    })
}

/// The hint how to start a server at a URL: on this machine `argosy up` starts one.
fn start_there(url: &str) -> String {
    const PORT: u16 = 4222;
    let host = url.rsplit_once('@').map_or(url, |(_, host)| host);
    let host = host.rsplit_once("://").map_or(host, |(_, host)| host);
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) => (host, port.trim_end_matches('/').parse().ok()),
        None => (host, Some(PORT)),
    };
    match (host, port) {
        ("127.0.0.1" | "localhost" | "[::1]", Some(PORT)) => {
            "start one with `argosy up`".to_owned()
        }
        ("127.0.0.1" | "localhost" | "[::1]", Some(port)) => {
            format!("start one with `argosy up --port {port}`")
        }
        _ => "see that its server runs and can be reached".to_owned(),
    }
}

/// The failure with a hint that names a command for a turn, so that the command goes to the same fleet.
pub(crate) fn for_fleet(fail: CliError, config: &Config) -> CliError {
    let is_given = config.given.by("nats.url").is_some();
    match (is_given, &fail.turn, fail.hint.clone()) {
        (true, Some(_), Some(hint)) => {
            let url = without_secrets(&config.nats.url);
            fail.hint(format!("{hint} --server {url}"))
        }
        _ => fail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_starts_a_server_where_the_url_says() {
        for (url, hint) in [
            ("nats://127.0.0.1:4222", "start one with `argosy up`"),
            ("localhost", "start one with `argosy up`"),
            (
                "nats://u:p@127.0.0.1:14999/",
                "start one with `argosy up --port 14999`",
            ),
            (
                "nats://nats.example:4222",
                "see that its server runs and can be reached",
            ),
            (
                "nats://a:1,nats://b:2",
                "see that its server runs and can be reached",
            ),
        ] {
            assert_eq!(start_there(url), hint, "{url}");
        }
    }
}
