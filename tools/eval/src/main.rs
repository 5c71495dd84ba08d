//! `argosy-eval`: loads the configuration, measures and exits.

use argosy::cli::ServerArgs;
use argosy::cli_error::CliError;
use argosy::{entry, out};
use argosy_eval::cli::EvalCli;
use argosy_eval::command;
use clap::Parser;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = match EvalCli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return out::until_read(|| entry::misused(&error)),
    };
    let output = cli.everywhere.output;
    entry::prepare(&cli.everywhere);
    out::until_read(|| entry::ended(run(cli), output))
}

fn run(cli: EvalCli) -> Result<(), CliError> {
    let config = entry::configuration(&cli.everywhere, &ServerArgs::default())?.value;
    entry::init_logs(&cli.everywhere, false, &config)?;
    let output = cli.everywhere.output;
    entry::runtime(None, &config)?.block_on(command::run(cli.command, config, output))
}
