//! Does what surrounds every command: sets up colour, reports wrong arguments, loads the configuration, starts logs
//! and the runtime, and returns the exit code. The binaries `argosy` and `argosy-bench` use it. *Not* here: which
//! commands there are.

use crate::cli::{Colour, GlobalArgs, Output, ServerArgs};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::{command, out, render};
use envelope::Role;
use settings::Configuration;
use std::process::ExitCode;
use telemetry::LogFormat;
use tokio::runtime::{Builder, Runtime};

/// The most threads of a command that is no service.
const THREADS_MAX: usize = 4;
/// The roles whose work may keep a thread for a while. The runtime is told so, and goes on with another thread.
const KEEPING_THREADS: [Role; 2] = [Role::Retriever, Role::Indexer];

/// Sets the colour of all output, and whether stderr is for errors alone.
pub fn prepare(everywhere: &GlobalArgs) {
    match everywhere.color {
        // A terminal that says it knows no codes gets none, also where a CI system would have them.
        Colour::Auto if is_dumb() => anstream::ColorChoice::Never.write_global(),
        Colour::Auto => {}
        Colour::Always => anstream::ColorChoice::Always.write_global(),
        Colour::Never => anstream::ColorChoice::Never.write_global(),
    }
    if everywhere.quiet {
        out::be_quiet();
    }
}

fn is_dumb() -> bool {
    let variable = settings::sources::variable;
    variable("TERM").is_some_and(|name| name == "dumb") && variable("CLICOLOR_FORCE").is_none()
}

/// Prints the result of a command and returns its exit code.
pub fn ended(result: Result<(), CliError>, output: Output) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(fail) => {
            render::fail(&fail, output);
            ExitCode::from(fail.exit)
        }
    }
}

/// Prints the help, the version, or what is wrong with the command line, in the output format that the call asks for.
pub fn misused(error: &clap::Error) -> ExitCode {
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

fn wrong_call(error: &clap::Error) -> CliError {
    let text = error.to_string();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or("wrong command line");
    // What is missing stands indented below the first line.
    let names: Vec<_> = lines
        .take_while(|l| l.starts_with(' '))
        .map(str::trim)
        .collect();
    let message = [&[first.trim_start_matches("error: ")], &*names].concat();
    CliError::usage(message.join(" ")).hint("see --help")
}

/// Loads the configuration. A flag that is another name of an option counts less than `--set`, which is more
/// explicit.
///
/// # Errors
/// A usage error that names the option.
pub fn configuration(
    everywhere: &GlobalArgs,
    server: &ServerArgs,
) -> Result<Configuration<Config>, CliError> {
    let mut flags = server.flags();
    for pair in &everywhere.set {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(CliError::usage(format!("--set `{pair}`: want KEY=VALUE")));
        };
        flags.push((key.trim().to_owned(), value.to_owned()));
    }
    Ok(Config::loaded(everywhere.config.clone(), flags)?)
}

/// Starts the logs. Commands for people are quiet, whereas services log what they do.
///
/// # Errors
/// A usage error for a level that is none.
pub fn init_logs(
    everywhere: &GlobalArgs,
    is_service: bool,
    config: &Config,
) -> Result<(), CliError> {
    let usual = match (is_service, everywhere.quiet) {
        (_, true) => "error",
        (true, false) => config.telemetry.log_level.as_str(),
        (false, false) => "warn",
    };
    let level = everywhere.log.as_deref().unwrap_or(usual);
    // The client repeats what the harness says of its connection, and a command of its failure; and the command tells by
    // itself which documents it could not read.
    let client = match level.split(',').next() {
        Some("info") => ",async_nats=warn",
        Some("warn" | "error") if !is_service => ",async_nats=off,argosy_harness::ingest=off",
        _ => "",
    };
    let level = match level.contains("async_nats") {
        true => level.to_owned(),
        false => format!("{level}{client}"),
    };
    let format = match config.telemetry.log_format {
        LogFormat::Auto if !is_service => LogFormat::Human,
        format => format,
    };
    let colour = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    Ok(telemetry::logs::init(format, &level, colour)?)
}

/// Makes the runtime. For a role it has the configured threads, and for a command as many as the machine has cores.
///
/// A role that mostly waits has the plain runtime of one thread unless it is given more: tasks run in the
/// order in which they became ready, so that what several of them write leaves the process together.
///
/// # Errors
/// What the system says.
pub fn runtime(role: Option<Role>, config: &Config) -> std::io::Result<Runtime> {
    let all = std::thread::available_parallelism().map_or(2, usize::from);
    let threads = match role {
        Some(_) => config.run.threads as usize,
        None => all.min(THREADS_MAX),
    };
    let is_plain = threads == 1 && role.is_some_and(|role| !KEEPING_THREADS.contains(&role));
    let mut builder = match is_plain {
        true => Builder::new_current_thread(),
        false => Builder::new_multi_thread(),
    };
    if !is_plain {
        builder.worker_threads(threads);
    }
    builder.enable_all().build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::RuntimeFlavor::{CurrentThread, MultiThread};

    #[test]
    fn only_a_role_that_mostly_waits_and_has_one_thread_has_the_plain_runtime() {
        let flavour = |role, threads| {
            let mut config = Config::default();
            config.run.threads = threads;
            let runtime = runtime(role, &config).expect("a runtime");
            runtime.handle().runtime_flavor()
        };
        assert_eq!(flavour(Some(Role::Mapper), 1), CurrentThread);
        assert_eq!(flavour(Some(Role::Mapper), 2), MultiThread);
        assert_eq!(flavour(Some(Role::Retriever), 1), MultiThread);
        assert_eq!(flavour(None, 1), MultiThread);
    }
}
