//! `argosy setup`: creates the streams and consumers, or checks them.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::command::{connect, connect_soon, unless_away};
use crate::config::Config;
use crate::out::{self, println};
use bus::BusError;
use bus::sizes::Allowance;
use bus::topology::Topology;
use bus_nats::{self as nats, Change, NatsBus};
use owo_colors::OwoColorize;
use std::time::Duration;

/// The note for streams of a size that differs from the default.
const OTHER_SIZES: &str = "Sizes that no option sets are scaled to the room that the server offers, and a stream that is there \
     keeps its own. To decide otherwise set `streams.chunks_bytes`, `streams.steps_bytes` and the like.";

/// The hint how a server offers more.
const MORE: &str =
    "give the server more: `max_file_store` of nats-server, or the limit of the account";

/// The failure where the streams want more than there is. It says which sizes are set, and how to get `more`.
pub(crate) fn no_room(error: BusError, config: &Config, more: &str) -> CliError {
    let is_room = matches!(error, BusError::NoRoom { .. });
    let fail = CliError::from(error);
    if !is_room {
        return fail;
    }
    let smaller = match config.set_sizes() {
        set if set.is_empty() => {
            "set every size of `streams` (`streams.chunks_bytes` and the like) smaller than 32 MiB"
                .to_owned()
        }
        set => format!(
            "make {} smaller, or leave it out: what is not set is scaled",
            set.join(", ")
        ),
    };
    fail.hint(format!("{smaller}; or {more}"))
}

/// How long the servers of a cluster may take to have a leader.
const LEADER_MAX: Duration = Duration::from_secs(30);

/// Creates the streams and consumers. With `--check` it only reports which are missing or differ.
pub async fn run(args: cli::SetupArgs, config: Config, output: Output) -> Result<(), CliError> {
    let bus = match args.check {
        true => connect(&config).await?,
        false => connect_soon(&config, output).await?,
    };
    let (topology, allowance) = (config.streams.clone(), config.allowance());
    let changes = match args.check {
        true => nats::check_within(&bus, &topology, &allowance).await,
        false => made_soon(&bus, &topology, &allowance, output).await,
    };
    let changes = changes.map_err(|error| no_room(error, &config, MORE))?;
    let drift = changes.iter().filter(|change| change.is_drift()).count();
    let ended = out::decided(match (args.check, drift) {
        (true, 1..) => Err(CliError::negative(format!(
            "{drift} of {} differ from what this release wants",
            changes.len()
        ))
        .hint("run `argosy setup` without --check to make them so")),
        _ => Ok(()),
    });
    show(&changes, args.check, output);
    ended
}

/// Makes them, and tries again while the cluster has no leader: servers that have just started take connections
/// before that.
async fn made_soon(
    bus: &NatsBus,
    topology: &Topology,
    allowance: &Allowance,
    output: Output,
) -> Result<Vec<Change>, BusError> {
    let most = LEADER_MAX.as_secs();
    let said = format!("JetStream does not answer yet: waiting up to {most} s for it");
    let make = async || nats::setup_within(bus, topology, allowance).await;
    unless_away(LEADER_MAX, &said, output, make).await
}

fn show(changes: &[Change], is_check: bool, output: Output) {
    let [absent, other] = match is_check {
        true => ["missing", "differs"],
        false => ["created", "updated"],
    };
    let rows = changes.iter().map(|change| match change {
        Change::Created(name) => (absent, name, ""),
        Change::Unchanged(name) => ("unchanged", name, ""),
        Change::Updated(name, what) => (other, name, what.as_str()),
        Change::Scaled(name, what) => ("scaled", name, what.as_str()),
        Change::Kept(name, what) => ("kept", name, what.as_str()),
    });
    if output == Output::Json {
        let rows: Vec<_> =
            rows.map(|(change, name, what)| serde_json::json!({ "name": name, "change": change, "what": what })).collect();
        println!("{:#}", serde_json::Value::Array(rows));
        return;
    }
    for (change, name, what) in rows {
        let word = format!("{change:<9}");
        let word = if ["unchanged", "kept"].contains(&change) {
            word.dimmed().to_string()
        } else {
            word.green().to_string()
        };
        println!("{word} {name} {what}");
    }
    let other_size = |change: &Change| matches!(change, Change::Scaled(..) | Change::Kept(..));
    if changes.iter().any(other_size) {
        println!("{OTHER_SIZES}");
    }
}
