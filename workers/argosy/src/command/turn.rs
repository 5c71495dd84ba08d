//! `argosy answer` and `argosy cancel`

use crate::cli::{self, Output};

use crate::command::{connect, for_fleet};
use crate::config::Config;
use crate::fail::Fail;
use crate::out::println;
use crate::render;
use streams::outbox::Created;

/// Prints the answer of a turn.
pub async fn answer(args: cli::Turn, config: Config, output: Output) -> Result<(), Fail> {
    let bus = connect(&config).await?;
    let answer = client::answer(&*bus, &args.turn).await;
    let terminal = answer.map_err(|error| for_fleet(error.into(), &config))?;
    let trace_id = client::trace_id(&*bus, &args.turn).await;
    render::terminal(&terminal, trace_id.as_deref(), output, false)
}

/// Cancels a turn.
pub async fn cancel(args: cli::Turn, config: Config, output: Output) -> Result<(), Fail> {
    let bus = connect(&config).await?;
    let created = client::cancel(&*bus, &args.turn).await?;
    bus.flush().await?;
    let cancelled = created == Created::Now;
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
