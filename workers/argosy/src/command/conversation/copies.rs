//! Exports conversations to a file, imports them from one, and forks them.

use super::{one, place, unknown};
use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::conversations::{ConversationSource, key_of};
use crate::out::println;
use crate::render::{self, count};
use conversation_log::{ConversationKey, EventError, LogEvent, Read, copy};
use envelope::ConversationId;
use owo_colors::OwoColorize;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// The version of an exported conversation.
const EXPORT: u16 = 1;
/// The longest file that is read, in bytes: that of a log at its limits.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// An exported conversation: everything that its log still had.
#[derive(Serialize, Deserialize)]
struct Exported {
    v: u16,
    tenant: String,
    conversation: ConversationId,
    events: Vec<ExportedEvent>,
}

#[derive(Serialize, Deserialize)]
struct ExportedEvent {
    /// The event's place in the log that it comes from; other events refer to it by that.
    sequence: u64,
    event: Value,
}

/// Prints a conversation as a file.
pub(super) fn export(key: &ConversationKey, events: &[Read]) {
    let events = events
        .iter()
        .map(|read| json!({"sequence": read.sequence, "event": read.event}));
    render::json(&json!({
        "v": EXPORT,
        "tenant": key.tenant,
        "conversation": key.conversation,
        "events": events.collect::<Vec<Value>>(),
    }));
}

/// Writes such a file where there is no such conversation yet.
pub(super) async fn import(
    args: cli::ConversationImportArgs,
    config: &Config,
    output: Output,
) -> Result<(), CliError> {
    let (exported, events) = read(&args.file)?;
    let (source, tenant) = place(&args.place, config).await?;
    let from = exported.conversation;
    let is_other = exported.tenant != tenant.as_str() && args.id.is_none();
    if is_other && matches!(source, ConversationSource::Fleet(_)) {
        return Err(CliError::usage(format!(
            "it is of the tenant `{}`, and its turns have ids there",
            exported.tenant
        ))
        .hint("--tenant names that one; --as gives the turns ids of their own"));
    }
    let (conversation, events) = match args.id {
        None => (from, events),
        Some(id) if id == from => (from, events),
        Some(id) => {
            let copied = copy::fork(&from, &events, None, &id);
            (id, copied.map_err(|error| no_export(&args.file, &error))?)
        }
    };
    let key = key_of(&tenant, &conversation);
    let is_new = source.write(&key, &events).await?;
    let turns = copy::ended_turns(&events).len();
    let key = key.conversation;
    if output == Output::Json {
        render::json(&json!({"conversation": key, "turns": turns, "written": is_new}));
    } else if is_new {
        println!(
            "{} {}",
            count(turns as u64, "turn"),
            format!("in {key}").bold()
        );
    } else {
        println!("{key} is there already, with all of it");
    }
    Ok(())
}

/// Reads an exported file. The file has no mark by which it is recognised; what cannot be a log is refused.
fn read(file: &Path) -> Result<(Exported, Vec<Read>), CliError> {
    let text = text(file).map_err(|error| {
        CliError::usage(format!("`{}` cannot be read: {error}", file.display()))
    })?;
    let exported: Exported =
        serde_json::from_str(&text).map_err(|error| no_export(file, &error))?;
    if exported.v > EXPORT {
        let newer = format!("it has version {}, this release reads {EXPORT}", exported.v);
        return Err(no_export(file, &newer));
    }
    let event = |exported: &ExportedEvent| {
        Ok(Read {
            sequence: exported.sequence,
            event: LogEvent::read(exported.event.to_string().as_bytes())?,
        })
    };
    let events: Result<Vec<Read>, EventError> = exported.events.iter().map(event).collect();
    let events = events.map_err(|error| no_export(file, &error))?;
    copy::check(&events).map_err(|error| no_export(file, &error))?;
    Ok((exported, events))
}

fn text(file: &Path) -> std::io::Result<String> {
    use std::io::Read;
    let mut text = String::new();
    let source: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(std::io::stdin()),
        false => Box::new(std::fs::File::open(file)?),
    };
    let read = source.take(FILE_BYTES_MAX + 1).read_to_string(&mut text)?;
    if read as u64 > FILE_BYTES_MAX {
        let why = format!("it is larger than {FILE_BYTES_MAX} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, why));
    }
    Ok(text)
}

fn no_export(file: &Path, why: &dyn std::fmt::Display) -> CliError {
    CliError::usage(format!(
        "`{}` is no exported conversation: {why}",
        file.display()
    ))
    .hint("make one with: argosy conversation export ID > FILE")
}

/// Begins another conversation with the first turns of one.
pub(super) async fn fork(
    args: cli::ConversationForkArgs,
    config: &Config,
    output: Output,
) -> Result<(), CliError> {
    let (source, key) = one(args.one, config).await?;
    if source.events(&key).await?.is_empty() {
        return Err(unknown());
    }
    let child = match args.id {
        Some(id) => id,
        None => streams::client::new_conversation()?,
    };
    let turns = source.fork(&key, args.at, &child).await?;
    if output == Output::Json {
        render::json(&json!({"conversation": child, "copy_of": key.conversation, "turns": turns}));
    } else {
        println!("{} with {}", child.bold(), count(turns as u64, "turn"));
    }
    Ok(())
}
