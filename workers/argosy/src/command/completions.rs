//! `argosy completions`: prints the script with which a shell completes this command line.

use crate::cli::{Cli, CompletionsArgs, Output};
use crate::cli_error::CliError;
use crate::out::print;
use crate::render;
use clap::CommandFactory;

/// Prints the script of a shell; in JSON as one text.
pub fn run(args: &CompletionsArgs, output: Output) -> Result<(), CliError> {
    let mut script = Vec::new();
    let mut command = Cli::command();
    clap_complete::generate(args.shell, &mut command, "argosy", &mut script);
    if output == Output::Json {
        let script = String::from_utf8_lossy(&script).into_owned();
        let shell = args.shell.to_string();
        render::json(&serde_json::json!({"shell": shell, "script": script}));
        return Ok(());
    }
    print!("{}", String::from_utf8_lossy(&script));
    Ok(())
}
