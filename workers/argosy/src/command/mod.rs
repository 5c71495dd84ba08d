//! One module per command. Each takes its arguments and the configuration, and prints its result.

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
pub mod index;
pub mod models;
pub mod nodes;
pub mod offline_model;
pub mod probe;
pub mod prompts;
pub mod replay;
pub mod run;
pub mod schema;
pub mod search;
pub mod setup;
pub mod status;
pub mod trace;
pub mod turn;
pub mod up;

use crate::cli::Output;
use crate::cli_error::CliError;
use crate::config::Config;
use crate::out::eprintln;
use crate::render::is_quiet;
use bus::BusError;
use bus_nats::{NatsBus, without_secrets};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How a process exits that found no server.
const CANNOT_CONNECT: u8 = 4;

/// How long a server that is about to come up is waited for.
const SOON: Duration = Duration::from_secs(5);
/// How often it is looked for meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// A connection for one command.
pub(crate) async fn connect(config: &Config) -> Result<Arc<NatsBus>, CliError> {
    Ok(NatsBus::connect(config.nats("argosy-cli", false)).await?)
}

/// The same for one that may be told to begin before its server has.
pub(crate) async fn connect_soon(
    config: &Config,
    output: Output,
) -> Result<Arc<NatsBus>, CliError> {
    let begun = Instant::now();
    let mut has_said = false;
    loop {
        let connected = NatsBus::connect(config.nats("argosy-cli", false)).await;
        if !matches!(connected, Err(BusError::Away(_))) || begun.elapsed() >= SOON {
            return Ok(connected?);
        }
        if !has_said && output == Output::Text && !is_quiet() {
            let url = without_secrets(&config.nats.url);
            eprintln!("waiting up to {} s for NATS at {url}", SOON.as_secs());
        }
        has_said = true;
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// The same for one that works in this process too: it names both ways when nothing is there. `here` says
/// how it goes without a fleet.
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

/// How a server comes to be where a URL says: on this machine `argosy up` brings one.
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

/// What works where only a folder is looked at.
pub(crate) const IN_THIS_PROCESS: &str = "name a folder with --corpus to work in this process";

/// The field `budget` of a question for whose rounds or searches a limit is given.
pub(crate) fn budget(
    rounds: Option<u8>,
    searches: Option<u16>,
) -> Option<(String, serde_json::Value)> {
    let limits = [
        ("rounds", rounds.map(u64::from)),
        ("searches", searches.map(u64::from)),
    ];
    let given = limits
        .into_iter()
        .filter_map(|(name, limit)| Some((name.to_owned(), limit?.into())));
    let given: serde_json::Map<_, _> = given.collect();
    (!given.is_empty()).then(|| ("budget".to_owned(), given.into()))
}

/// The field `score_min` of a question for which it is given.
pub(crate) fn score_min(least: Option<f32>) -> Option<(String, serde_json::Value)> {
    Some(("score_min".to_owned(), least?.into()))
}

/// What was given for a folder although a fleet is asked: nothing of it would happen.
pub(crate) fn only_for_folder(config: &Config, given: &[(&str, bool)]) -> Result<(), CliError> {
    let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    let by = config.given.by("nats.url").unwrap_or("default");
    Err(CliError::usage(format!(
        "{flag} is for a folder, and `nats.url` ({by}) names a fleet"
    ))
    .hint("name the folder with --corpus"))
}

/// Says that `root` is no folder before anything is made for it.
pub(crate) fn must_be_folder(root: &Path) -> Result<(), CliError> {
    if root.is_dir() {
        return Ok(());
    }
    let what = if root.exists() {
        "is not a folder"
    } else {
        "does not exist"
    };
    Err(CliError::not_found(format!("`{}` {what}", root.display()))
        .hint("name a folder with .md, .txt, .html, .pdf, .docx, .csv or .jsonl files"))
}

/// A hint that names a command for a turn, so that it goes to the same fleet.
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
