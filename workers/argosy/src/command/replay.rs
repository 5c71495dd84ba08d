//! `argosy replay`: starts a new turn from a recorded step of another turn.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::conversations::ConversationSource;
use crate::out::println;
use crate::render;
use crate::roles;
use bus::Bus;
use envelope::{ConversationId, Overrides, Role, TurnId};
use harness::replay::{self, ReplayPoint};
use inspect::trace::{self, Trace};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::path::Path;
use streams::history;
use streams::outbox::CreateOutcome;

/// The object of `replay -o json`.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    /// The new turn.
    turn: &'a TurnId,
    /// The turn that it goes on from.
    parent: &'a TurnId,
    /// The role whose step it begins with.
    from: Role,
    /// The hop of that step.
    hop: u16,
    /// What its model calls use instead.
    overrides: &'a Overrides,
    /// Steps whose results are taken over.
    taken_over: Vec<String>,
    /// Steps of the old turn that are made again, and what they may lead to.
    made_again: Vec<String>,
    /// Model calls that the steps made again had cost in the old turn.
    calls_made_again: u32,
    /// The conversation that the new turn was put into, if it was.
    conversation: Option<&'a ConversationId>,
}

/// Starts a new turn from a recorded step of another one.
pub async fn run(args: cli::ReplayArgs, config: Config, output: Output) -> Result<(), CliError> {
    if !Role::THINKING.contains(&args.from) {
        // A conversation is read by whoever continues it.
        let steps = Role::THINKING.into_iter();
        let steps = steps.filter(|role| *role != Role::Conversation);
        return Err(
            CliError::usage(format!("the {} does no step of a turn", args.from))
                .hint(format!("--from {}", Role::one_of(steps))),
        );
    }
    let overrides = overrides(&args.overrides)?;
    let checked = roles::check_prompts(&overrides.prompts);
    checked.map_err(|e| CliError::usage(format!("--with: {e}")))?;
    let bus = super::connect(&config).await?;
    let found = trace::read(&*bus, &args.turn).await?;
    let found = found.ok_or_else(|| {
        CliError::not_found(format!(
            "nothing is known of turn `{}`: there is none, or it has aged out",
            args.turn
        ))
    })?;
    let mut start = ReplayPoint::from_history(&found.history, &args.turn, args.from, args.hop)?;
    if let Some(conversation) = &args.conversation {
        start = start.in_conversation(conversation.clone());
    }
    let time = args
        .deadline
        .map_or(start.time(), settings::TimeSpan::duration);
    let keep = config.streams.keep.duration();
    // A claim is a turn: it is made only for what can be done.
    replay::check(&start, &found.history, &overrides, keep)?;
    let talks = ConversationSource::Fleet(bus.clone());
    if let Some(branch) = &args.conversation {
        talks
            .branch(&args.turn, found.history.begun.as_ref(), branch)
            .await?;
    }
    let claim = claim(&*bus, &args.turn, &start, time, keep).await?;
    if args.conversation.is_some() {
        talks.open_turn(&claim.header, start.case()).await?;
    }
    let messages = replay::messages(&start, &found.history, &claim.header, &overrides, keep)?;
    replay::begin(&*bus, messages).await?;
    let old = trace::build(&args.turn, &found);
    show(&claim.header.turn, &old, &start, &overrides, output, &args);
    Ok(())
}

/// Claims the first id of a replay that is free; another process may be doing the same.
async fn claim(
    bus: &dyn Bus,
    turn: &TurnId,
    start: &ReplayPoint,
    time: std::time::Duration,
    keep: std::time::Duration,
) -> Result<replay::Claim, CliError> {
    let ids = replay::replay_ids(turn);
    let there = history::turn_states(bus, &ids).await?;
    let is_free = |id: &&TurnId| !there.iter().any(|standing| standing.turn == **id);
    for id in ids.iter().filter(is_free) {
        let claim = replay::claim(bus, start, id, time, keep).await?;
        if claim.created == CreateOutcome::Now {
            return Ok(claim);
        }
    }
    Err(CliError::negative(format!(
        "turn `{turn}` has been replayed {} times; the next is possible when the answers of those have aged out",
        replay::REPLAYS_MAX
    )))
}

/// Parses `model=NAME` and `prompt.NAME=FILE`.
fn overrides(pairs: &[String]) -> Result<Overrides, CliError> {
    let mut overrides = Overrides::default();
    for pair in pairs {
        let wrong = |why: &str| {
            CliError::usage(format!("--with `{pair}`: {why}")).hint(
                "as in --with model=NAME or --with prompt.reducer=FILE; options are set with --set",
            )
        };
        let (key, value) = pair
            .split_once('=')
            .ok_or_else(|| wrong("want KEY=VALUE"))?;
        match (key, key.strip_prefix("prompt.")) {
            ("model", _) => overrides.model = Some(value.to_owned()),
            (_, Some(name)) => {
                let text = std::fs::read_to_string(Path::new(value))
                    .map_err(|e| wrong(&format!("`{value}` cannot be read: {e}")))?;
                overrides.prompts.insert(name.to_owned(), text);
            }
            _ => return Err(wrong("neither `model` nor `prompt.NAME`")),
        }
    }
    let checked = overrides.check();
    checked.map_err(|e| CliError::usage(format!("--with: {e}")))?;
    Ok(overrides)
}

fn show(
    turn: &TurnId,
    old: &Trace,
    start: &ReplayPoint,
    overrides: &Overrides,
    output: Output,
    args: &cli::ReplayArgs,
) {
    let branch = args.conversation.as_ref();
    let (taken_over, made_again, calls_made_again) = split(old, start.hop);
    if output == Output::Json {
        render::json(&Shown {
            turn,
            parent: &old.turn,
            from: start.role,
            hop: start.hop,
            overrides,
            taken_over,
            made_again,
            calls_made_again,
            conversation: branch,
        });
        return;
    }
    let list = |steps: &[String]| match steps.is_empty() {
        true => "nothing".to_owned(),
        false => steps.join(", "),
    };
    println!(
        "turn {} goes on from the {} at hop {} of {}",
        turn.bold(),
        start.role,
        start.hop,
        old.turn
    );
    println!("  taken over  {}", list(&taken_over));
    println!(
        "  made again  {}; that was {} then",
        list(&made_again),
        text::count(calls_made_again.into(), "model call")
    );
    let url = args
        .server
        .server
        .as_ref()
        .map(|url| format!(" --server {url}"));
    let url = url.unwrap_or_default();
    if let Some(branch) = branch {
        println!("  in the conversation {}", branch.bold());
    }
    println!("watch it with: argosy trace {turn} --follow{url}");
}

/// The steps of a turn before a hop, the steps from it on, and the number of model calls of the latter.
fn split(old: &Trace, hop: u16) -> (Vec<String>, Vec<String>, u32) {
    let (mut before, mut after, mut calls) = (Vec::new(), Vec::new(), 0);
    for step in &old.steps {
        let name = format!("{} (hop {})", step.role, step.hop);
        if step.hop < hop {
            before.push(name);
        } else {
            after.push(name);
            calls += step.usage.calls;
        }
        let Some(first) = step.maps.first() else {
            continue;
        };
        let name = format!("mapper x{} (hop {})", step.maps.len(), first.hop);
        if first.hop < hop {
            before.push(name);
        } else {
            after.push(name);
            calls += step.maps.iter().map(|map| map.usage.calls).sum::<u32>();
        }
    }
    (before, after, calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_are_read_and_what_is_none_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("own.md");
        std::fs::write(&file, "text").unwrap();
        let prompt = format!("prompt.reducer={}", file.display());
        let read = overrides(&["model=a=b".into(), prompt]).unwrap();
        assert_eq!(read.model.as_deref(), Some("a=b"));
        assert_eq!(read.prompts["reducer"], "text");
        for bad in [
            "model",
            "model=",
            "temperature=1",
            "prompt.reducer=/nowhere/at/all",
        ] {
            let fail = overrides(&[bad.into()]).unwrap_err();
            assert!(
                fail.exit == 2 && fail.message.contains("--with"),
                "{fail:?}"
            );
        }
    }
}
