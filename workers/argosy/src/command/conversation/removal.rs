//! Erases a conversation, and reports the result.

use super::stores::{self, ErasedStore};
use super::{one, unknown};
use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::conversations::{self, ConversationSource, key_of};
use crate::out::{self, println};
use crate::render::{self, count};
use conversation_log::{ConversationKey, copy};
use envelope::ConversationId;
use harness::erasure::{ErasedCount, ErasureReport};
use owo_colors::OwoColorize;
use serde_json::json;
use std::collections::BTreeSet;

/// Erases a conversation, or tells what would be erased.
pub(super) async fn rm(
    args: cli::ConversationRmArgs,
    config: &Config,
    output: Output,
) -> Result<(), CliError> {
    let (source, key) = one(args.one, config).await?;
    if !args.yes {
        return would(&source, &key, args.forks, output).await;
    }
    let mut done = Vec::new();
    let mut seen = BTreeSet::new();
    let mut todo = vec![key.conversation.clone()];
    while let Some(conversation) = todo.pop() {
        if !seen.insert(conversation.clone()) {
            continue;
        }
        let key = key_of(&key.tenant, &conversation);
        let report = match source.erase(&key, &config.streams).await {
            Ok(report) => report,
            Err(conversations::Error::Erase(harness::erasure::Error::Unknown))
                if done.is_empty() =>
            {
                return Err(unknown());
            }
            // A fork may have aged out.
            Err(conversations::Error::Erase(harness::erasure::Error::Unknown)) => continue,
            Err(error) => {
                // What was erased before it failed stays erased.
                told(&done, args.forks, None, output);
                return Err(error.into());
            }
        };
        if args.forks {
            for fork in &report.forks {
                let fork_key = key_of(&key.tenant, fork);
                if source.is_copy(&fork_key, &conversation).await? {
                    todo.push(fork.clone());
                }
            }
        }
        done.push((conversation, report));
    }
    let stores = match &source {
        ConversationSource::Fleet(bus) => Some(stores::read_back(&**bus).await?),
        ConversationSource::Here(_) => None,
    };
    told(&done, args.forks, stores.as_deref(), output);
    match done.iter().map(|(_, report)| report.left()).sum::<u64>() {
        0 => Ok(()),
        left => Err(CliError::still_running(format!(
            "{} still there: something writes to the conversation at this moment",
            count(left, "message")
        ))
        .hint("say it again; the gateways go on with it by themselves, too")),
    }
}

async fn would(
    source: &ConversationSource,
    key: &ConversationKey,
    with_forks: bool,
    output: Output,
) -> Result<(), CliError> {
    let events = source.events(key).await?;
    let Some(last) = events.last() else {
        return Err(unknown());
    };
    let turns = copy::ended_turns(&events).len() + last.event.state.open.len();
    let forks = &last.event.state.children;
    let ended = out::decided(Err(unconfirmed()));
    if output == Output::Json {
        render::json(&json!({
            "conversation": key.conversation,
            "erased": false,
            "turns": turns,
            "events": events.len(),
            "forks": forks,
            "with_forks": with_forks,
        }));
        return ended.map_err(CliError::without_words);
    }
    println!(
        "{} with {} would be erased",
        key.conversation.bold(),
        count(turns as u64, "turn")
    );
    for fork in forks {
        match with_forks {
            true => println!("its fork {fork} and the forks of that would be erased as well"),
            false => println!("its fork {fork} would stay; --forks takes the forks as well"),
        }
    }
    ended
}

/// A script that erases would take a success for done.
fn unconfirmed() -> CliError {
    CliError::negative("nothing was erased; say --yes to do it")
        .code("not_confirmed")
        .exit(7)
}

fn told(
    done: &[(ConversationId, ErasureReport)],
    forks: bool,
    stores: Option<&[ErasedStore]>,
    output: Output,
) {
    if output == Output::Json {
        let each = done.iter().map(|(id, report)| {
            json!({"conversation": id, "erased": report.left() == 0, "report": report})
        });
        let mut said = json!({"conversations": each.collect::<Vec<_>>()});
        if let Some(stores) = stores {
            said["stores"] = json!(stores);
        }
        render::json(&said);
        return;
    }
    for (id, report) in done {
        let again = if report.was_erased { ", as before" } else { "" };
        println!("{} is erased{again}", id.bold());
        let rows = [
            ("events of its log", report.log),
            ("questions", report.questions),
            ("steps and parts", report.steps),
            ("answers", report.answers),
            ("feedback", report.feedback),
            ("dead letters", report.letters),
            ("files", report.files),
        ];
        for (what, tally) in rows {
            println!("  {what:<20} {}", numbers(tally));
        }
        if report.cancelled > 0 {
            let turns = count(report.cancelled, "turn");
            println!(
                "  {turns} that had not ended {} cancelled",
                be(report.cancelled)
            );
        }
        let left = conversations::now().until(report.swept_until);
        if left > 0 {
            let left = render::age(left);
            println!("  steps that a worker may still store are looked for for another {left}");
        }
        for fork in report.forks.iter().filter(|_| !forks) {
            println!("  its fork {fork} stays; --forks takes the forks as well");
        }
    }
    if let Some(stores) = stores {
        stores::told(stores);
    }
}

fn be(n: u64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

fn numbers(tally: ErasedCount) -> String {
    let mut text = format!("{} erased", tally.erased);
    if tally.gone > 0 {
        text.push_str(&format!(", {} gone before", tally.gone));
    }
    if tally.left > 0 {
        text.push_str(&format!(", {} still there", tally.left));
    }
    text
}
