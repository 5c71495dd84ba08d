//! `argosy access`: shows and replaces the rules of who may read which documents of a fleet.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::command::connect;
use crate::config::Config;
use crate::out::println;
use crate::render;
use envelope::access::read_rules;
use serde_json::json;
use std::path::Path;
use streams::access;

/// Runs the command.
pub async fn run(args: cli::AccessCommand, config: Config, output: Output) -> Result<(), CliError> {
    match args {
        cli::AccessCommand::Ls(args) => ls(&args, &config, output).await,
        cli::AccessCommand::Set(args) => set(&args, &config, output).await,
    }
}

async fn ls(args: &cli::AccessArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let bus = connect(config).await?;
    let stored = access::read(&*bus).await?;
    let rules = stored.rules.of(&args.tenant);
    if output == Output::Json {
        render::json(&rules);
        return Ok(());
    }
    if rules.is_empty() {
        println!("no rules: everybody may read what does not name its readers");
    }
    for rule in rules {
        let path = match rule.path.as_str() {
            "" => "(everything)",
            path => path,
        };
        let readers = match rule.groups.to_string() {
            none if none.is_empty() => "nobody".to_owned(),
            groups => groups,
        };
        println!("{path:<40} {readers}");
    }
    Ok(())
}

async fn set(args: &cli::AccessSetArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let rules = rules_in(&args.file)?;
    let count = rules.len();
    let bus = connect(config).await?;
    let corpus_seq = access::set(&*bus, &args.of.tenant, rules).await?;
    match output {
        Output::Json => render::json(&json!({"rules": count, "corpus_seq": corpus_seq})),
        _ => println!("{count} rules hold now for the tenant `{}`", args.of.tenant),
    }
    Ok(())
}

/// The rules of a file.
fn rules_in(file: &Path) -> Result<Vec<envelope::AccessRule>, CliError> {
    let of_file = |why: String| CliError::usage(format!("{}: {why}", file.display()));
    let text = std::fs::read(file).map_err(|error| of_file(error.to_string()))?;
    read_rules(&text).map_err(of_file)
}
