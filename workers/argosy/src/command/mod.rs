//! One module per command. Each takes its arguments and the configuration, and prints its result.

pub mod ask;
pub mod completions;
pub mod config;
pub mod dead;
pub mod demo;
pub mod doctor;
pub mod edition;
pub mod index;
pub mod models;
pub mod nodes;
pub mod offline_model;
pub mod replay;
pub mod run;
pub mod schema;
pub mod search;
pub mod setup;
pub mod status;
pub mod trace;
pub mod turn;
pub mod up;

use crate::cli::Server;
use crate::config::Config;
use crate::fail::Fail;
use bus_nats::NatsBus;
use std::path::Path;
use std::sync::Arc;

/// How a process exits that found no server.
const CANNOT_CONNECT: u8 = 4;

/// A connection for one command.
pub(crate) async fn connect(config: &Config) -> Result<Arc<NatsBus>, Fail> {
    Ok(NatsBus::connect(config.nats("argosy-cli", false)).await?)
}

/// The same for one that works in this process too: it names both ways when nothing is there. `here` says
/// how it goes without a fleet.
pub(crate) async fn connect_or(config: &Config, here: &str) -> Result<Arc<NatsBus>, Fail> {
    connect(config).await.map_err(|fail| match fail.exit {
        CANNOT_CONNECT => {
            let by = config.given.by("nats.url").unwrap_or("default");
            fail.hint(format!(
                "a fleet is asked because `nats.url` is set ({by}): start one there with `argosy up`, or {here}"
            ))
        }
        _ => fail,
    })
}

/// What works where only a folder is looked at.
pub(crate) const IN_THIS_PROCESS: &str = "name a folder with --corpus to work in this process";

/// What was given for a folder although a fleet is asked: nothing of it would happen.
pub(crate) fn only_for_folder(config: &Config, given: &[(&str, bool)]) -> Result<(), Fail> {
    let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    let by = config.given.by("nats.url").unwrap_or("default");
    Err(Fail::usage(format!(
        "{flag} is for a folder, and `nats.url` ({by}) names a fleet"
    ))
    .hint("name the folder with --corpus"))
}

/// Says that `root` is no folder before anything is made for it.
pub(crate) fn must_be_folder(root: &Path) -> Result<(), Fail> {
    if root.is_dir() {
        return Ok(());
    }
    let what = if root.exists() {
        "is not a folder"
    } else {
        "does not exist"
    };
    Err(Fail::not_found(format!("`{}` {what}", root.display()))
        .hint("name a folder with .md, .txt, .html, .pdf, .docx, .csv or .jsonl files"))
}

/// A hint that names a command for a turn, so that it goes to the same fleet.
pub(crate) fn for_fleet(fail: Fail, server: &Server) -> Fail {
    match (&server.server, &fail.turn, fail.hint.clone()) {
        (Some(url), Some(_), Some(hint)) => fail.hint(format!("{hint} --server {url}")),
        _ => fail,
    }
}
