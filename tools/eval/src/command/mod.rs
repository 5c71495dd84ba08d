//! Runs the measurements, and prints their results.

use crate::cli::EvalCommand;
use crate::{Emphasis, SearchSetting, TextLine};
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::out;
use argosy::render::ProgressLine;
use owo_colors::OwoColorize;
use std::sync::Arc;

/// Measures and prints the result.
pub async fn run(what: EvalCommand, mut config: Config, output: Output) -> Result<(), CliError> {
    if let EvalCommand::Retrieval(args) = &what
        && let Some(embedder) = args.embedder
    {
        config.retrieval.embedder = embedder.into();
    }
    let line = Arc::new(ProgressLine::new(output));
    let say = |text| line.say(text);
    let setting = SearchSetting {
        search: &config.retrieval,
        data_dir: &config.data_dir.0,
        retriever: &config.retriever,
    };
    let mut differing = 0;
    let report = match &what {
        EvalCommand::Retrieval(args) => crate::retrieval::run(args, &setting, &say).await?,
        EvalCommand::Collections(args) => crate::collections::run(args, &setting, &say).await?,
        EvalCommand::Conditions(args) => {
            crate::conditions::run(args, &config.retriever, &say).await?
        }
        EvalCommand::Classify(args) => crate::classify::run(args)?,
        EvalCommand::Unanswerable(args) => crate::unanswerable::run(args, &setting, &say).await?,
        EvalCommand::Loop(args) => crate::rounds::run(args, &setting, &say).await?,
        EvalCommand::Answers(args) => Box::pin(crate::answers::run(args, &config, &line)).await?,
        EvalCommand::Trajectories(args) => {
            let report = Box::pin(crate::trajectories::run(args, &say)).await?;
            differing = report.differing();
            report.outcome()
        }
        EvalCommand::Groundedness(args) => crate::groundedness::run(args).await?,
    };
    if let Some(line) = Arc::into_inner(line) {
        line.done();
    }
    match (output == Output::Json, &what) {
        (true, EvalCommand::Retrieval(_)) => print(&format!("{:#}", report.object)),
        (true, _) => print(&report.object.to_string()),
        (false, _) => report.lines.iter().for_each(tell_line),
    }
    match differing {
        0 => Ok(()),
        // What was printed says it all.
        _ => Err(CliError::negative("")),
    }
}

fn tell_line(line: &TextLine) {
    let parts = line.parts().map(|(emphasis, text)| match emphasis {
        Emphasis::None => text.to_owned(),
        Emphasis::Strong => text.bold().to_string(),
        Emphasis::Warning => text.yellow().to_string(),
    });
    print(&parts.collect::<String>());
}

/// Prints a line, for a reader who may leave.
fn print(line: &str) {
    out::write(format_args!("{line}\n"));
}

#[cfg(test)]
mod answers_tests;
#[cfg(test)]
mod trajectories_tests;
