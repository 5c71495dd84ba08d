//! Runs the measurements, and prints their results.

mod fleet;
mod options;

use crate::cli::{
    EvalAnswersArgs, EvalCommand, EvalLoopArgs, EvalRetrievalArgs, EvalTrajectoriesArgs,
    EvalUnanswerableArgs,
};
use crate::{Emphasis, EvalReport, SearchSetting, TextLine};
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::out;
use argosy::render::ProgressLine;
use owo_colors::OwoColorize;
use std::sync::Arc;

/// Measures and prints the result.
pub async fn run(what: EvalCommand, config: Config, output: Output) -> Result<(), CliError> {
    match what {
        EvalCommand::Retrieval(args) => retrieval(args, config, output).await,
        EvalCommand::Collections(args) => {
            let line = ProgressLine::new(output);
            let say = |text| line.say(text);
            let outcome = crate::collections::run(&args.into(), &setting(&config), &say).await?;
            line.done();
            tell(&outcome, output);
            Ok(())
        }
        EvalCommand::Conditions(args) => {
            let line = ProgressLine::new(output);
            let outcome =
                crate::conditions::run(&args.into(), &config.retriever, &|text| line.say(text))
                    .await?;
            line.done();
            tell(&outcome, output);
            Ok(())
        }
        EvalCommand::Classify(args) => {
            tell(&crate::classify::run(&args.into())?, output);
            Ok(())
        }
        EvalCommand::Unanswerable(args) => unanswerable(args, &config, output).await,
        EvalCommand::Loop(args) => rounds(args, &config, output).await,
        EvalCommand::Answers(args) => Box::pin(answers(args, config, output)).await,
        EvalCommand::Trajectories(args) => Box::pin(trajectories(args, output)).await,
        EvalCommand::Groundedness(args) => {
            tell(&crate::groundedness::run(&args.into()).await?, output);
            Ok(())
        }
    }
}

async fn retrieval(
    args: EvalRetrievalArgs,
    mut config: Config,
    output: Output,
) -> Result<(), CliError> {
    if let Some(embedder) = args.embedder {
        config.retrieval.embedder = embedder.into();
    }
    let line = ProgressLine::new(output);
    let say = |text| line.say(text);
    let outcome = crate::retrieval::run(&args.into(), &setting(&config), &say).await?;
    line.done();
    match output == Output::Json {
        true => print(&format!("{:#}", outcome.object)),
        false => tell(&outcome, output),
    }
    Ok(())
}

async fn unanswerable(
    args: EvalUnanswerableArgs,
    config: &Config,
    output: Output,
) -> Result<(), CliError> {
    let line = ProgressLine::new(output);
    let say = |text| line.say(text);
    let outcome = crate::unanswerable::run(&args.into(), &setting(config), &say).await?;
    line.done();
    tell(&outcome, output);
    Ok(())
}

async fn rounds(args: EvalLoopArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let line = ProgressLine::new(output);
    let say = |text| line.say(text);
    let outcome = crate::rounds::run(&args.into(), &setting(config), &say).await?;
    line.done();
    tell(&outcome, output);
    Ok(())
}

async fn answers(args: EvalAnswersArgs, config: Config, output: Output) -> Result<(), CliError> {
    let line = Arc::new(ProgressLine::new(output));
    let (shown, said) = (line.clone(), line.clone());
    let retriever = config.retriever.clone();
    let start = async move |wanted| fleet::for_answers(&config, wanted, shown.clone()).await;
    let say = move |text| said.say(text);
    let outcome = crate::answers::run(&args.into(), &retriever, start, &say).await?;
    drop(say);
    if let Some(line) = Arc::into_inner(line) {
        line.done();
    }
    tell(&outcome, output);
    Ok(())
}

async fn trajectories(args: EvalTrajectoriesArgs, output: Output) -> Result<(), CliError> {
    let line = ProgressLine::new(output);
    let say = |text| line.say(text);
    let report = crate::trajectories::run(&args.into(), fleet::for_case, &say).await?;
    line.done();
    tell(&report.outcome(), output);
    match report.differing() {
        0 => Ok(()),
        // What was printed says it all.
        _ => Err(CliError::negative("")),
    }
}

/// The search as it is configured.
fn setting(config: &Config) -> SearchSetting<'_> {
    SearchSetting {
        search: &config.retrieval,
        data_dir: &config.data_dir.0,
        retriever: &config.retriever,
    }
}

fn tell(outcome: &EvalReport, output: Output) {
    match output == Output::Json {
        true => print(&outcome.object.to_string()),
        false => outcome.lines.iter().for_each(tell_line),
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
