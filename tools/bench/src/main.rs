//! `argosy-bench`: loads, measures, exits.

use argosy::cli::Server;
use argosy::command::run::{Hooks, run_with};
use argosy::config::Config;
use argosy::fail::Fail;
use argosy::{entry, out};
use argosy_bench::cli::{Cli, Command, RunArgs};
use argosy_bench::fault::Dice;
use argosy_bench::stub::Stub;
use argosy_bench::{conversation, fleet, floor_role, ingest, pool, retrieval, views};
use clap::Parser;
use std::process::ExitCode;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return out::until_read(|| entry::misused(&error)),
    };
    let output = cli.everywhere.output;
    entry::prepare(&cli.everywhere);
    out::until_read(|| entry::ended(run(cli), output))
}

fn run(cli: Cli) -> Result<(), Fail> {
    let (server, role) = match &cli.command {
        Command::Run(args) => (&args.run.server, Some(args.run.role)),
        // On the runtime of the role whose messages it sends.
        Command::FloorRole(args) => (Server::NONE, Some(args.role)),
        _ => (Server::NONE, None),
    };
    let config = entry::configuration(&cli.everywhere, server)?.value;
    entry::init_logs(&cli.everywhere, role.is_some(), &config)?;
    entry::runtime(role, &config)?.block_on(dispatch(cli, config))
}

async fn dispatch(cli: Cli, config: Config) -> Result<(), Fail> {
    let output = cli.everywhere.output;
    match cli.command {
        Command::Fleet(args) => fleet::fleet(args, output).await,
        Command::Retrieval(args) => retrieval::retrieval(args, output).await,
        Command::Views(args) => views::views(args, config, output).await,
        Command::Ingest(args) => ingest::ingest(args, output).await,
        Command::Conversation(args) => conversation::conversation(args, output).await,
        Command::Pool(args) => pool::pool(args, output).await,
        Command::Run(args) => role(args, config).await,
        Command::FloorRole(args) => floor_role(args).await,
    }
}

/// One role, with what it is told to have in the place of a model and an index.
async fn role(args: RunArgs, config: Config) -> Result<(), Fail> {
    let stub = args.stub_ms.map(|model| Stub {
        model: Duration::from_millis(model),
        search: Duration::from_millis(args.stub_search_ms),
        rounds: args.stub_rounds,
    });
    let hooks = Hooks {
        collaborators: stub.map(Stub::collaborators),
        faults: Dice::parse(&args.fault)?,
    };
    run_with(args.run, config, hooks).await
}
