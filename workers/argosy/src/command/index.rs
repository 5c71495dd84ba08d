//! `argosy index`: makes the corpus equal to a folder.

use crate::cli::{self, Output, only_with};
use crate::cli_error::CliError;
use crate::command::connect_or;
use crate::command::place::{mode, must_be_folder, only_default_tenant, tenant};
use crate::config::{Config, FILE};
use crate::local::{Local, index_dir};
use crate::out::{self, eprintln};
use crate::render::{self, ProgressLine};
use crate::roles;
use bus::{Bus, BusError};
use corpus_sync::{Options, Summary, Unread, catalog_of_stream};
use indexer::Recognition;
use std::time::Duration;
use streams::editions;

/// How to index without a fleet.
const IN_THIS_PROCESS: &str = "set it to nothing (`--set nats.url=`) to index in this process";

/// Says into which fleet the documents go, where no flag names it.
fn into_fleet(config: &Config) -> String {
    let by = config.given.by("nats.url").unwrap_or("default");
    format!(
        "into the fleet at {} (`nats.url`, {by})",
        bus_nats::without_secrets(&config.nats.url)
    )
}

/// Brings a folder into the corpus and prints what was done. With skipped files the exit code is 1, unless the call
/// allows them.
pub async fn run(args: cli::IndexArgs, config: Config, output: Output) -> Result<(), CliError> {
    let is_remote = args.server.is_named(&config)?;
    let for_a_fleet = [
        ("--edition", args.edition.is_some()),
        ("--no-wait", args.no_wait),
    ];
    only_with(is_remote, &for_a_fleet)?;
    only_default_tenant(is_remote, &args.tenant)?;
    // A missing folder is told before a tenant that is no name.
    must_be_folder(&args.path)?;
    let tenant = tenant(is_remote, &args.tenant)?;
    let patience = args.patience.map(Duration::from_secs);
    let line = ProgressLine::new(output);
    let say = |progress| line.show(progress);
    // A sequence is of use to questions about the edition that is searched.
    let mut is_searched = false;
    let summary = if is_remote {
        // Records are read here.
        roles::schemas(&config)?;
        let bus = connect_or(&config, IN_THIS_PROCESS).await?;
        if args.server.server.is_none() && output == Output::Text {
            eprintln!("{}", into_fleet(&config));
        }
        let to = corpus_sync::target_editions(&*bus, args.edition).await?;
        is_searched = editions::read(&*bus).await?.editions.current == to.edition;
        // A queue that nobody takes from keeps nothing.
        let taken = bus.consume(&config.streams.documents(&to.edition)).await;
        if let Err(error @ BusError::Missing(_)) = taken {
            return Err(error.into());
        }
        let catalog = catalog_of_stream(&*bus, &tenant, &to.edition).await?;
        // Text recognition may be at one file for so long without a word.
        let recognition = match config.indexer.ocr {
            Recognition::Off => Duration::ZERO,
            Recognition::Tesseract => config.indexer.program_timeout.into(),
        };
        let patience = patience.unwrap_or(corpus_sync::PATIENCE + recognition);
        let options = Options {
            mode: mode(args.force),
            to,
            patience: (!args.no_wait).then_some(patience),
            silent: Some(FILE),
            unread: Unread::default(),
        };
        let indexed = corpus_sync::index(bus, args.path, &catalog, options, say).await;
        indexed.map_err(CliError::from)
    } else {
        let mut local = Local::start(&config, &index_dir(&config, &args.path)).await?;
        local.patience = patience.unwrap_or(local.patience);
        // Whoever asks for it, and not in passing, has the time.
        local.tries_max = u32::MAX;
        let summary = local.index(args.path, mode(args.force), say).await;
        local.stop().await;
        summary.map_err(CliError::from)
    };
    line.done();
    let summary: Summary = summary?;
    let skipped = summary.skipped.iter().filter(|one| !one.in_part).count();
    let files = |n: usize, what: &str| match n {
        1 => CliError::negative(format!("1 file was {what}; the rest is indexed")),
        n => CliError::negative(format!("{n} files were {what}; the rest is indexed")),
    };
    let ended = out::decided(match (skipped, summary.skipped.len()) {
        (0, 0) => Ok(()),
        _ if args.skipped_ok => Ok(()),
        _ if output == Output::Json => Err(CliError::negative("")),
        (0, n) => Err(files(n, "read in part")),
        (n, _) => Err(files(n, "skipped")),
    });
    render::summary(&summary, is_searched, output);
    ended
}
