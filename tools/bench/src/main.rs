//! `argosy-bench`: loads the configuration, measures and exits.

use argosy::cli::{Output, ServerArgs};
use argosy::cli_error::CliError;
use argosy::command::run::{Hooks, run_with};
use argosy::config::Config;
use argosy::{entry, out, signal};
use argosy_bench::cli::{BenchCli, BenchCommand, BenchRunArgs};
use argosy_bench::fault::Dice;
use argosy_bench::stub::Stub;
use argosy_bench::{conversation, fleet, floor_role, ingest, pool, retrieval, soak, views};
use clap::Parser;
use std::process::ExitCode;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = match BenchCli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return out::until_read(|| entry::misused(&error)),
    };
    let output = cli.everywhere.output;
    entry::prepare(&cli.everywhere);
    out::until_read(|| entry::ended(run(cli), output))
}

fn run(cli: BenchCli) -> Result<(), CliError> {
    let no_flags = ServerArgs::default();
    let (server, role) = match &cli.command {
        BenchCommand::Run(args) => (&args.run.server, Some(args.run.role)),
        // On the runtime of the role whose messages it sends.
        BenchCommand::FloorRole(args) => (&no_flags, Some(args.role)),
        _ => (&no_flags, None),
    };
    let config = entry::configuration(&cli.everywhere, server)?.value;
    entry::init_logs(&cli.everywhere, role.is_some(), &config)?;
    entry::runtime(role, &config)?.block_on(dispatch(cli, config))
}

async fn dispatch(cli: BenchCli, config: Config) -> Result<(), CliError> {
    let output = cli.everywhere.output;
    if matches!(
        cli.command,
        BenchCommand::Run(_) | BenchCommand::FloorRole(_)
    ) {
        return Box::pin(measure(cli.command, config, output)).await;
    }
    // Dropped, a measurement kills the processes that it has started.
    let measured = signal::unless_told(Box::pin(measure(cli.command, config, output))).await;
    measured.unwrap_or_else(|| Err(CliError::interrupted("nothing was measured")))
}

async fn measure(command: BenchCommand, config: Config, output: Output) -> Result<(), CliError> {
    match command {
        BenchCommand::Fleet(args) => fleet::fleet(args, output).await,
        BenchCommand::Soak(args) => soak::soak(args, output).await,
        BenchCommand::Retrieval(args) => retrieval::retrieval(args, output).await,
        BenchCommand::Views(args) => views::views(args, config, output).await,
        BenchCommand::Ingest(args) => ingest::ingest(args, output).await,
        BenchCommand::Conversation(args) => conversation::conversation(args, output).await,
        BenchCommand::Pool(args) => pool::pool(args, output).await,
        // They hear signals for themselves.
        BenchCommand::Run(args) => Box::pin(role(args, config)).await,
        BenchCommand::FloorRole(args) => floor_role(args).await,
    }
}

/// Runs one role, with the stubs in place of a model and an index where the arguments ask for them.
async fn role(args: BenchRunArgs, config: Config) -> Result<(), CliError> {
    let stub = args.stub_ms.map(|model| Stub {
        model: Duration::from_millis(model),
        search: Duration::from_millis(args.stub_search_ms),
        rounds: args.stub_rounds,
    });
    let hooks = Hooks {
        collaborators: stub.map(Stub::collaborators),
        faults: Dice::parse(&args.fault)?,
    };
    Box::pin(run_with(args.run, config, hooks)).await
}
