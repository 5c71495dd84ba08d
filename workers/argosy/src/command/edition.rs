//! `argosy edition`: builds a new edition of the corpus beside the one that is searched, and switches to it.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::command::connect;
use crate::config::Config;
use crate::out::println;
use crate::render;
use bus::Bus;
use corpus_sync::inventory::{self, Difference, EditionInventory};
use envelope::{Edition, EditionError, Editions};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use streams::editions;

/// One edition as it is listed.
#[derive(Debug, Serialize)]
struct Row {
    name: Edition,
    state: &'static str,
    documents: usize,
    chunks: u64,
    pipelines: BTreeSet<String>,
}

/// Runs the command.
pub async fn run(
    args: cli::EditionCommand,
    config: Config,
    output: Output,
) -> Result<(), CliError> {
    let bus = connect(&config).await?;
    match args {
        cli::EditionCommand::Ls(_) => ls(&*bus, output).await,
        cli::EditionCommand::Begin(args) => begin(&*bus, &config, &args.name, output).await,
        cli::EditionCommand::Switch(args) => switch(&*bus, &args, output).await,
        cli::EditionCommand::Drop(args) => drop(&*bus, &config, &args.name, output).await,
    }
}

async fn ls(bus: &dyn Bus, output: Output) -> Result<(), CliError> {
    let editions = editions::read(bus).await?.editions;
    let rows = rows(&editions, inventory::count(bus).await?);
    if output == Output::Json {
        render::json(&rows);
        return Ok(());
    }
    println!(
        "{:<16} {:<8} {:>10} {:>10}  pipeline",
        "edition", "state", "documents", "chunks"
    );
    for row in rows {
        let Row {
            name,
            state,
            documents,
            chunks,
            pipelines,
        } = row;
        let made = joined(&pipelines);
        println!(
            "{:<16} {state:<8} {documents:>10} {chunks:>10}  {made}",
            name.as_str()
        );
    }
    Ok(())
}

/// The editions of the record, the current one first, then what is left of others.
fn rows(editions: &Editions, mut counts: BTreeMap<Edition, EditionInventory>) -> Vec<Row> {
    let named: Vec<Edition> = editions.all().cloned().collect();
    let mut rows: Vec<Row> = named
        .into_iter()
        .map(|name| {
            let count = counts.remove(&name).unwrap_or_default();
            let state = match name == editions.current {
                true => "current",
                false => "beside",
            };
            row(name, state, count)
        })
        .collect();
    rows.extend(
        counts
            .into_iter()
            .map(|(name, count)| row(name, "left", count)),
    );
    rows
}

fn row(name: Edition, state: &'static str, count: EditionInventory) -> Row {
    Row {
        name,
        state,
        documents: count.documents(),
        chunks: count.chunks,
        pipelines: count.pipelines,
    }
}

async fn begin(
    bus: &dyn Bus,
    config: &Config,
    name: &Edition,
    output: Output,
) -> Result<(), CliError> {
    let record = editions::begin(bus, &config.streams, name).await?;
    if output == Output::Json {
        render::json(&record.editions);
        return Ok(());
    }
    println!("edition {name} is begun; what is published from now on is indexed for it as well");
    println!("  argosy run indexer --set indexer.edition={name} --set indexer.chunk_tokens=…");
    println!("  argosy index DIR --edition {name} --server URL    brings what there is already");
    println!("  argosy edition switch {name} --server URL         when it has caught up");
    Ok(())
}

async fn switch(
    bus: &dyn Bus,
    args: &cli::EditionSwitchArgs,
    output: Output,
) -> Result<(), CliError> {
    let name = &args.edition.name;
    let record = editions::read(bus).await?;
    // What cannot be is said before anything is counted.
    record
        .editions
        .switch(name)
        .map_err(editions::Error::from)?;
    let counts = inventory::count(bus).await?;
    let none = EditionInventory::default();
    let of = |edition: &Edition| counts.get(edition).unwrap_or(&none);
    let from = &record.editions.current;
    let difference = of(name).against(of(from));
    if !difference.is_covered() && !args.force {
        return Err(not_covered(name, from, &difference));
    }
    let (was, now) = (from.clone(), editions::switch(bus, name, &record).await?);
    let pipelines = [name, &was].map(|edition| (edition, &of(edition).pipelines));
    if output == Output::Json {
        let shown = serde_json::json!({
            "editions": now.editions, "sequence": now.sequence, "difference": difference,
            "pipelines": BTreeMap::from(pipelines),
        });
        render::json(&shown);
        return Ok(());
    }
    println!(
        "{name} is the current edition; every retriever swaps as soon as its index has caught up"
    );
    for (edition, pipelines) in pipelines {
        println!("  {:<16} made by {}", edition.as_str(), joined(pipelines));
    }
    println!("  argosy edition switch {was}    takes it back");
    println!("  argosy edition drop {was}      deletes it, when its indexers are stopped");
    Ok(())
}

fn joined(pipelines: &BTreeSet<String>) -> String {
    let named: Vec<_> = pipelines.iter().map(String::as_str).collect();
    named.join(", ")
}

fn not_covered(name: &Edition, from: &Edition, difference: &Difference) -> CliError {
    let Difference {
        missing,
        differing,
        sources,
        ..
    } = difference;
    CliError::negative(format!(
        "of the documents of `{from}` {missing} are missing in `{name}` and {differing} are of another version: {}{}",
        sources.join(", "),
        match missing + differing > sources.len() {
            true => ", …",
            false => "",
        }
    ))
    .hint(format!(
        "wait for its indexers, or `argosy index DIR --edition {name}`; --force switches all the same"
    ))
}

async fn drop(
    bus: &dyn Bus,
    config: &Config,
    name: &Edition,
    output: Output,
) -> Result<(), CliError> {
    let editions = editions::read(bus).await?.editions;
    let is_left = bus
        .last(bus::Stream::Chunks, &envelope::subject::edition(name))
        .await?
        .is_some();
    if !editions.has(name) && !is_left {
        let unknown = EditionError::Unknown(name.clone());
        return Err(editions::Error::from(unknown).into());
    }
    let gone = editions::drop(bus, &config.streams, name).await?;
    if output == Output::Json {
        render::json(&serde_json::json!({ "dropped": name, "messages": gone }));
    } else {
        println!("edition {name} is dropped; {gone} of its messages are deleted");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_current_one_comes_first_and_leftovers_last() {
        let edition = |name: &str| Edition::new(name).unwrap();
        let editions = Editions::default().begin(&edition("a-new"), 1).unwrap();
        let counts = BTreeMap::from([(edition("a-left"), EditionInventory::default())]);
        let rows = rows(&editions, counts);
        let shape: Vec<_> = rows.iter().map(|r| (r.name.as_str(), r.state)).collect();
        assert_eq!(
            shape,
            [("main", "current"), ("a-new", "beside"), ("a-left", "left")]
        );
    }
}
