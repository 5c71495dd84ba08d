//! `argosy setup`

use crate::cli::{self, Output};
use crate::command::connect;
use crate::config::Config;
use crate::fail::Fail;
use crate::out::{self, println};
use harness::nats::{self, Change};
use owo_colors::OwoColorize;

/// Makes streams and consumers, or with `--check` says what is missing or differs.
pub async fn run(args: cli::Setup, config: Config, output: Output) -> Result<(), Fail> {
    let bus = connect(&config).await?;
    let topology = config.topology();
    let changes = match args.check {
        true => nats::check(&bus, &topology).await?,
        false => nats::setup(&bus, &topology).await?,
    };
    let drift = changes
        .iter()
        .filter(|change| !matches!(change, Change::Unchanged(_)))
        .count();
    let ended = out::decided(match (args.check, drift) {
        (true, 1..) => Err(Fail::negative(format!(
            "{drift} of {} differ from what this release wants",
            changes.len()
        ))
        .hint("run `argosy setup` without --check to make them so")),
        _ => Ok(()),
    });
    show(&changes, output);
    ended
}

fn show(changes: &[Change], output: Output) {
    let rows = changes.iter().map(|change| match change {
        Change::Created(name) => ("created", name, ""),
        Change::Unchanged(name) => ("unchanged", name, ""),
        Change::Updated(name, what) => ("updated", name, what.as_str()),
    });
    if output == Output::Json {
        let rows: Vec<_> =
            rows.map(|(change, name, what)| serde_json::json!({ "name": name, "change": change, "what": what })).collect();
        println!("{:#}", serde_json::Value::Array(rows));
        return;
    }
    for (change, name, what) in rows {
        let word = format!("{change:<9}");
        let word = if change == "unchanged" {
            word.dimmed().to_string()
        } else {
            word.green().to_string()
        };
        println!("{word} {name} {what}");
    }
}
