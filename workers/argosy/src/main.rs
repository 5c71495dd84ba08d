//! `argosy`: loads the configuration, runs the command, drains and exits.

use argosy::cli::{Cli, Command, ConfigCommand, Output, SchemaCommand, ServerArgs};
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::{apart, command, entry, out};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use std::process::ExitCode;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// How long threads may still work when a command is done.
const READING: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    if let Some(code) = apart::reads() {
        return code;
    }
    let parsed = Cli::command().try_get_matches().and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, server(&matches)))
    });
    let (cli, server) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return out::until_read(|| entry::misused(&error)),
    };
    let output = cli.output();
    let is_probe = output == Output::Nagios && matches!(cli.command, Command::Doctor(_));
    entry::prepare(&cli.everywhere);
    out::until_read(|| match run(cli, &server) {
        Err(fail) if is_probe => ExitCode::from(command::doctor::unknown(&fail)),
        result => entry::ended(result, output),
    })
}

fn run(cli: Cli, server: &ServerArgs) -> Result<(), CliError> {
    if let Some(done) = without_config(&cli) {
        return done;
    }
    let loaded = entry::configuration(&cli.everywhere, server)?;
    if let Command::Config(ConfigCommand::Show(args)) = &cli.command {
        return command::config::show(args, &loaded, cli.everywhere.output);
    }
    let config = loaded.value;
    let role = match &cli.command {
        Command::Run(args) => Some(args.role),
        _ => None,
    };
    entry::init_logs(&cli.everywhere, role.is_some(), &config)?;
    apart::begin(&config.indexer);
    let runtime = entry::runtime(role, &config)?;
    let result = runtime.block_on(dispatch(cli, config));
    // What still reads a file is not waited for: its process ends with this one.
    runtime.shutdown_timeout(READING);
    result
}

/// Runs the commands that work with any configuration, above all the one that says what is wrong with it.
fn without_config(cli: &Cli) -> Option<Result<(), CliError>> {
    let output = cli.everywhere.output;
    match &cli.command {
        command if output == Output::Nagios && !matches!(command, Command::Doctor(_)) => {
            let fail = CliError::usage("`-o nagios` is for `argosy doctor` only");
            Some(Err(fail.hint("take text or json")))
        }
        Command::Explain(args) => Some(command::doctor::explain(args, output)),
        Command::Completions(args) => Some(command::completions::run(args, output)),
        Command::Config(ConfigCommand::Check(args)) => Some(command::config::check(args, output)),
        Command::Eval(_) => Some(command::eval::run()),
        _ => None,
    }
}

async fn dispatch(cli: Cli, config: Config) -> Result<(), CliError> {
    let everywhere = cli.everywhere;
    let output = everywhere.output;
    match cli.command {
        Command::Demo(args) => Box::pin(command::demo::run(args, config, output)).await,
        Command::Ask(args) => command::ask::run(args, config, output).await,
        Command::Chat(args) => Box::pin(command::chat::run(args, config, output)).await,
        Command::Conversation(what) => command::conversation::run(what, config, output).await,
        Command::Search(args) => command::search::search(args, config, output).await,
        Command::Catalog(args) => command::search::catalog(args, config, output).await,
        Command::Show(args) => command::search::show(args, config, output).await,
        Command::Index(args) => command::index::run(args, config, output).await,
        Command::Setup(args) => command::setup::run(args, config, output).await,
        Command::Run(args) => Box::pin(command::run::run(args, config)).await,
        Command::Up(args) => command::up::run(args, everywhere, config, output).await,
        Command::Serve(args) => Box::pin(command::serve::run(args, config, output)).await,
        Command::Mcp(args) => Box::pin(command::mcp::run(args, config, output)).await,
        Command::Permissions(args) => command::permissions::run(args, output),
        Command::Key(what) => command::key::run(what, &config, output),
        Command::Webhook(what) => command::webhook::run(what, &config, output).await,
        Command::Answer(args) => command::turn::answer(args, config, output).await,
        Command::Cancel(args) => command::turn::cancel(args, config, output).await,
        Command::Trace(args) => command::trace::run(args, config, output).await,
        Command::Feedback(what) => command::feedback::run(what, config, output).await,
        Command::Dead(what) => command::dead::run(what, config, output).await,
        Command::Replay(args) => command::replay::run(args, config, output).await,
        Command::Schema(SchemaCommand::Check(args)) => command::schema::check(&args, output),
        Command::Schema(SchemaCommand::Try(args)) => command::schema::attempt(&args, output),
        Command::Prompts(what) => command::prompts::run(&what, &config, output),
        Command::Models(what) => command::models::run(what, config, output).await,
        Command::Status(args) => command::status::once(args, config, output).await,
        Command::Top(args) => command::status::top(args, config, output).await,
        Command::Nodes(args) => command::nodes::run(args, output, config).await,
        Command::Edition(args) => command::edition::run(args, config, output).await,
        Command::Access(what) => command::access::run(what, config, output).await,
        Command::Doctor(args) => command::doctor::run(args, config, output).await,
        Command::Probe(args) => command::probe::run(args, config, output).await,
        Command::OfflineModel(args) => command::offline_model::run(args, output).await,
        // Done without a runtime, see `run`.
        Command::Explain(_) | Command::Completions(_) | Command::Config(_) | Command::Eval(_) => {
            Ok(())
        }
    }
}

/// The fleet that the command line names. Which commands have the flags for it, they say themselves.
fn server(matches: &ArgMatches) -> ServerArgs {
    let mut at = matches;
    while let Some((_, below)) = at.subcommand() {
        at = below;
    }
    // To read a flag that a command does not have panics in a debug build, so it is asked for before. A release build
    // does not know which flags a command has: this is always `Ok` there, and a flag that it has not reads as not given.
    let has_flags = at.try_contains_id("server").is_ok();
    let given = has_flags.then(|| ServerArgs::from_arg_matches(at).ok());
    given.flatten().unwrap_or_default()
}
