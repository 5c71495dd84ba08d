//! `argosy conversation`: lists, shows, copies and erases conversations.

mod copies;
mod removal;
mod stores;

use crate::cli::{self, ConversationCommand, Output};
use crate::cli_error::CliError;
use crate::command::place;
use crate::config::Config;
use crate::conversations::{self, ConversationSource, Talk, key_of};
use crate::out::println;
use crate::render::{self, count};
use conversation_log::{ConversationKey, Read};
use envelope::{Groups, Principal, TenantId, UnixMs};
use owo_colors::OwoColorize;
use serde_json::json;

/// Lists, shows, copies and erases conversations.
pub async fn run(
    what: ConversationCommand,
    config: Config,
    output: Output,
) -> Result<(), CliError> {
    match what {
        ConversationCommand::Ls(args) => {
            let (source, tenant) = place(&args.place, &config).await?;
            let (found, more) = source.list(&whoever(tenant), args.limit as usize).await?;
            list(&found, more, output);
            Ok(())
        }
        ConversationCommand::Show(args) => {
            let (key, events) = events(args, &config).await?;
            show(&key, &events, output);
            Ok(())
        }
        ConversationCommand::Export(args) => {
            let (key, events) = events(args, &config).await?;
            copies::export(&key, &events);
            Ok(())
        }
        ConversationCommand::Import(args) => copies::import(args, &config, output).await,
        ConversationCommand::Fork(args) => copies::fork(args, &config, output).await,
        ConversationCommand::Rm(args) => removal::rm(args, &config, output).await,
    }
}

/// Who holds the server, or the folder, may read everything.
fn whoever(tenant: TenantId) -> Principal {
    let groups = Groups::all();
    Principal { tenant, groups }
}

async fn place(
    args: &cli::ConversationPlaceArgs,
    config: &Config,
) -> Result<(ConversationSource, TenantId), CliError> {
    let is_remote = args.server.is_named(config)?;
    let tenant = place::tenant(is_remote, &args.tenant)?;
    let source = match is_remote {
        true => ConversationSource::Fleet(super::connect(config).await?),
        false => ConversationSource::Here(config.data_dir.0.clone()),
    };
    Ok((source, tenant))
}

async fn one(
    args: cli::OneConversationArgs,
    config: &Config,
) -> Result<(ConversationSource, ConversationKey), CliError> {
    let (source, tenant) = place(&args.place, config).await?;
    Ok((source, key_of(&tenant, &args.conversation)))
}

async fn events(
    args: cli::OneConversationArgs,
    config: &Config,
) -> Result<(ConversationKey, Vec<Read>), CliError> {
    let (source, key) = one(args, config).await?;
    let events = source.events(&key).await?;
    if events.is_empty() {
        return Err(unknown());
    }
    Ok((key, events))
}

fn unknown() -> CliError {
    CliError::not_found("there is no such conversation, or nothing of it is kept any more")
        .hint("list them with: argosy conversation ls")
}

fn list(found: &[Talk], more: bool, output: Output) {
    if output == Output::Json {
        render::json(&json!({"conversations": found, "more": more}));
        return;
    }
    if found.is_empty() {
        println!("no conversations");
        return;
    }
    let now = conversations::now();
    println!(
        "{}",
        format!(
            "{:<36} {:>10} {:>7}  state",
            "conversation", "last used", "events"
        )
        .bold()
    );
    for talk in found {
        let ago = format!("{} ago", render::age(UnixMs(talk.last).until(now)));
        println!(
            "{:<36} {ago:>10} {:>7}  {}",
            talk.conversation,
            talk.events,
            state(talk)
        );
    }
    if more {
        println!("{}", "there are more: --limit".dimmed());
    }
}

fn state(talk: &Talk) -> String {
    if talk.is_newer {
        return "written by a later release".into();
    }
    if talk.is_erased {
        return "erased".into();
    }
    match (talk.open, talk.is_asked_back) {
        (0, true) => "asks back".into(),
        (0, false) => String::new(),
        (n, _) => format!("{} open", count(n as u64, "turn")),
    }
}

fn show(key: &ConversationKey, events: &[Read], output: Output) {
    let turns = conversations::turns(events);
    let state = events.last().map(|read| &read.event.state);
    let (copy_of, forks) = state.map_or((&None, &[][..]), |s| (&s.copy_of, &s.children[..]));
    if output == Output::Json {
        render::json(&json!({
            "tenant": key.tenant,
            "conversation": key.conversation,
            "copy_of": copy_of,
            "forks": forks,
            "turns": turns,
        }));
        return;
    }
    if let Some(of) = copy_of {
        println!("{}", format!("begun as a copy of {of}").dimmed());
    }
    for fork in forks {
        println!("{}", format!("forked as {fork}").dimmed());
    }
    if state.is_some_and(|state| state.is_erased) {
        println!("it was erased; nothing follows on it");
    }
    for had in turns {
        println!("{} {}", ">".cyan(), had.question.bold());
        if let Some(rewritten) = had.rewritten.filter(|rewritten| *rewritten != had.question) {
            println!("  {}", format!("searched for: {rewritten}").dimmed());
        }
        let cut = if had.is_cut { " …" } else { "" };
        match (had.answer.or(had.asked_back), had.outcome) {
            (Some(said), _) => println!("{said}{cut}"),
            (None, Some(outcome)) => println!("{}", outcome.yellow()),
            (None, None) => println!("{}", "not answered yet".yellow()),
        }
        println!("{}", format!("turn {}", had.turn).dimmed());
        println!();
    }
}
