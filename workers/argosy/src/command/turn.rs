//! `argosy answer`, which prints the answer of a turn, and `argosy cancel`, which ends a turn as cancelled.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::command::{connect, for_fleet};
use crate::config::Config;
use crate::out::println;
use crate::render;
use bus::Bus;
use envelope::{Outcome, Terminal};
use std::path::Path;
use streams::outbox::CreateOutcome;

/// Prints the answer of a turn.
pub async fn answer(args: cli::AnswerArgs, config: Config, output: Output) -> Result<(), CliError> {
    let bus = connect(&config).await?;
    let answer = streams::client::answer(&*bus, &args.turn).await;
    let terminal = answer.map_err(|error| for_fleet(error.into(), &config))?;
    let trace_id = streams::client::trace_id(&*bus, &args.turn).await;
    let saved = save_csv(&*bus, &terminal, args.csv.as_deref()).await;
    render::terminal(&terminal, trace_id.as_deref(), output, false).and(saved)
}

/// Writes the table of an answer where the call asks for it. A turn without an answer has already said why.
pub(crate) async fn save_csv(
    bus: &dyn Bus,
    terminal: &Terminal,
    path: Option<&Path>,
) -> Result<(), CliError> {
    let Some(path) = path.filter(|_| terminal.outcome == Outcome::Answered) else {
        return Ok(());
    };
    let csv = streams::client::csv(bus, terminal).await?;
    std::fs::write(path, csv).map_err(|error| {
        CliError::negative(format!("`{}` cannot be written: {error}", path.display()))
    })
}

/// Cancels a turn.
pub async fn cancel(args: cli::TurnArgs, config: Config, output: Output) -> Result<(), CliError> {
    let bus = connect(&config).await?;
    let created = streams::client::cancel(&*bus, &args.turn).await?;
    bus.flush().await?;
    let cancelled = created == CreateOutcome::Now;
    if output == Output::Json {
        println!(
            "{}",
            serde_json::json!({ "turn": args.turn, "cancelled": cancelled })
        );
    } else if cancelled {
        println!("turn {} is cancelled", args.turn);
    } else {
        println!("turn {} had ended before", args.turn);
    }
    Ok(())
}
