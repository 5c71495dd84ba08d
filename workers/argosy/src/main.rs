//! `argosy`: loads, runs, drains, exits.

use argosy::cli::{Bench, Cli, Colour, Command, Edition, Eval, Output, Schema, Server, Settings};
use argosy::config::Config;
use argosy::fail::Fail;
use argosy::{bench, command, eval, out, render};
use clap::Parser;
use std::process::ExitCode;
use telemetry::LogFormat;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return out::until_read(|| misused(&error)),
    };
    let output = cli.output;
    let is_probe = output == Output::Nagios && matches!(cli.command, Command::Doctor(_));
    match cli.color {
        // A terminal that says it knows no codes gets none, also where a CI system would have them.
        Colour::Auto if is_dumb() => anstream::ColorChoice::Never.write_global(),
        Colour::Auto => {}
        Colour::Always => anstream::ColorChoice::Always.write_global(),
        Colour::Never => anstream::ColorChoice::Never.write_global(),
    }
    if cli.quiet {
        render::be_quiet();
    }
    out::until_read(|| match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fail) if is_probe => ExitCode::from(command::doctor::unknown(&fail)),
        Err(fail) => {
            render::fail(&fail, output);
            ExitCode::from(fail.exit)
        }
    })
}

fn is_dumb() -> bool {
    let variable = settings::sources::variable;
    variable("TERM").is_some_and(|name| name == "dumb") && variable("CLICOLOR_FORCE").is_none()
}

/// Help, the version, or what is wrong with the command line: in the words of who reads it.
fn misused(error: &clap::Error) -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let is_for = |output| error.use_stderr() && Output::is_asked_for(output, &arguments);
    let exit = if is_for(Output::Nagios) && arguments.iter().any(|word| word == "doctor") {
        command::doctor::unknown(&wrong_call(error))
    } else if is_for(Output::Json) {
        let fail = wrong_call(error);
        render::fail(&fail, Output::Json);
        fail.exit
    } else {
        let _ = error.print();
        u8::try_from(error.exit_code()).unwrap_or(2)
    };
    ExitCode::from(exit)
}

fn wrong_call(error: &clap::Error) -> Fail {
    let text = error.to_string();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or("wrong command line");
    // What is missing stands indented below the first line.
    let names: Vec<_> = lines
        .take_while(|l| l.starts_with(' '))
        .map(str::trim)
        .collect();
    let message = [&[first.trim_start_matches("error: ")], &*names].concat();
    Fail::usage(message.join(" ")).hint("see --help")
}

fn run(cli: Cli) -> Result<(), Fail> {
    if let Some(done) = without_config(&cli) {
        return done;
    }
    let loaded = Config::loaded(cli.config.clone(), flags(&cli)?)?;
    if let Command::Config(Settings::Show(args)) = &cli.command {
        return command::config::show(args, &loaded, cli.output);
    }
    let config = loaded.value;
    init_logs(&cli, &config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads(&cli.command, &config))
        .enable_all()
        .build()?;
    runtime.block_on(dispatch(cli, config))
}

/// What works whatever the configuration is like: above all, saying what is wrong with it.
fn without_config(cli: &Cli) -> Option<Result<(), Fail>> {
    match &cli.command {
        command if cli.output == Output::Nagios && !matches!(command, Command::Doctor(_)) => {
            let fail = Fail::usage("`-o nagios` is for `argosy doctor` only");
            Some(Err(fail.hint("take text or json")))
        }
        Command::Explain(args) => Some(command::doctor::explain(args, cli.output)),
        Command::Completions(args) => Some(command::completions::run(args, cli.output)),
        Command::Config(Settings::Check(args)) => Some(command::config::check(args, cli.output)),
        _ => None,
    }
}

async fn dispatch(cli: Cli, config: Config) -> Result<(), Fail> {
    let output = cli.output;
    match cli.command {
        Command::Demo(args) => command::demo::run(args, config, output).await,
        Command::Ask(args) => command::ask::run(args, config, output).await,
        Command::Search(args) => command::search::search(args, config, output).await,
        Command::Show(args) => command::search::show(args, config, output).await,
        Command::Index(args) => command::index::run(args, config, output).await,
        Command::Setup(args) => command::setup::run(args, config, output).await,
        Command::Run(args) => command::run::run(args, config).await,
        Command::Up(args) => {
            command::up::run(args, cli.config, cli.set, cli.log, config, output).await
        }
        Command::Answer(args) => command::turn::answer(args, config, output).await,
        Command::Cancel(args) => command::turn::cancel(args, config, output).await,
        Command::Trace(args) => command::trace::run(args, config, output).await,
        Command::Dead(what) => command::dead::run(what, config, output).await,
        Command::Replay(args) => command::replay::run(args, config, output).await,
        Command::Schema(Schema::Check(args)) => command::schema::check(&args, output),
        Command::Schema(Schema::Try(args)) => command::schema::attempt(&args, output),
        Command::Models(what) => command::models::run(what, config, output).await,
        Command::Status(args) => command::status::once(args, config, output).await,
        Command::Top(args) => command::status::top(args, config, output).await,
        Command::Nodes(args) => command::nodes::run(args, output, config).await,
        Command::Edition(args) => command::edition::run(args, config, output).await,
        Command::Doctor(args) => command::doctor::run(args, config, output).await,
        Command::OfflineModel(args) => command::offline_model::run(args, output).await,
        // Done without a runtime, see `run`.
        Command::Explain(_) | Command::Completions(_) | Command::Config(_) => Ok(()),
        Command::Bench(Bench::Fleet(args)) => bench::fleet(args, output).await,
        Command::Bench(Bench::Retrieval(args)) => bench::retrieval(args, output).await,
        Command::Bench(Bench::Views(args)) => bench::views(args, config, output).await,
        Command::Bench(Bench::Ingest(args)) => bench::ingest(args, output).await,
        Command::Bench(Bench::Pool(args)) => bench::pool(args, output).await,
        Command::Bench(Bench::FloorRole(args)) => bench::floor_role(args).await,
        Command::Eval(Eval::Retrieval(args)) => Ok(eval::retrieval(args, config, output).await?),
    }
}

/// Flags that are options by another name come before `--set`, which is the more explicit one.
fn flags(cli: &Cli) -> Result<Vec<(String, String)>, Fail> {
    let none = Server::default();
    let server = match &cli.command {
        Command::Ask(args) => &args.server,
        Command::Search(args) => &args.place.server,
        Command::Show(args) => &args.place.server,
        Command::Index(args) => &args.server,
        Command::Setup(args) => &args.server,
        Command::Run(args) => &args.server,
        Command::Status(args) => &args.server,
        Command::Top(args) => &args.server,
        Command::Nodes(args) => &args.server,
        Command::Answer(args) | Command::Cancel(args) => &args.server,
        Command::Trace(args) => &args.server,
        Command::Dead(what) => what.server(),
        Command::Replay(args) => &args.server,
        Command::Edition(Edition::Ls(args)) => &args.server,
        Command::Edition(Edition::Begin(args)) => &args.server,
        Command::Edition(Edition::Switch(args)) => &args.edition.server,
        Command::Edition(Edition::Drop(args)) => &args.server,
        Command::Doctor(args) => &args.server,
        Command::Config(Settings::Show(args)) => &args.server,
        Command::Demo(_)
        | Command::Up(_)
        | Command::Config(Settings::Check(_))
        | Command::Completions(_)
        | Command::Explain(_)
        | Command::OfflineModel(_)
        | Command::Schema(_)
        | Command::Models(_)
        | Command::Bench(_)
        | Command::Eval(_) => &none,
    };
    let mut flags = server.flags();
    for pair in &cli.set {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Fail::usage(format!("--set `{pair}`: want KEY=VALUE")));
        };
        flags.push((key.trim().to_owned(), value.to_owned()));
    }
    Ok(flags)
}

fn is_service(command: &Command) -> bool {
    matches!(
        command,
        Command::Run(_) | Command::Bench(Bench::FloorRole(_))
    )
}

fn threads(command: &Command, config: &Config) -> usize {
    let all = std::thread::available_parallelism().map_or(2, usize::from);
    if is_service(command) {
        config.run.threads as usize
    } else {
        all.min(4)
    }
}

/// Commands for people are quiet; services say what they do.
fn init_logs(cli: &Cli, config: &Config) -> Result<(), Fail> {
    let usual = match (is_service(&cli.command), cli.quiet) {
        (_, true) => "error",
        (true, false) => config.telemetry.log_level.as_str(),
        (false, false) => "warn",
    };
    let level = cli.log.as_deref().unwrap_or(usual);
    // The client repeats what the harness says of its connection, and a command of its failure.
    let client = match level.split(',').next() {
        Some("info") => ",async_nats=warn",
        Some("warn" | "error") if !is_service(&cli.command) => ",async_nats=off",
        _ => "",
    };
    let level = match level.contains("async_nats") {
        true => level.to_owned(),
        false => format!("{level}{client}"),
    };
    let format = match config.telemetry.log_format {
        LogFormat::Auto if !is_service(&cli.command) => LogFormat::Human,
        format => format,
    };
    let colour = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    telemetry::logs::init(format, &level, colour).map_err(|e| Fail::usage(e.to_string()))
}
