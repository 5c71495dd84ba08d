//! `argosy ask`: asks one question and prints its answer.

use crate::cli::{self, Output, only_with};
use crate::cli_error::CliError;
use crate::command::asking::{ask_once, fields, filters, given};
use crate::command::for_fleet;
use crate::command::place::{Folder, Place, only_default_tenant};
use crate::command::turn::save_csv;
use crate::config::Config;
use crate::model::PLUG_IN;
use crate::out::{self, eprintln};
use crate::render;
use crate::render::draft::Canvas;
use envelope::{Outcome, Terminal};
use owo_colors::OwoColorize;
use serde_json::json;
use std::io::IsTerminal;
use std::time::Duration;

/// Asks one question and prints its answer.
pub async fn run(args: cli::AskArgs, config: Config, output: Output) -> Result<(), CliError> {
    let is_remote = args.server.is_named(&config)? && args.corpus.is_none();
    let ask = question(&args, &config, is_remote)?;
    let canvas = Canvas::new(output).filter(|_| !args.no_draft);
    let folder = Folder {
        corpus: args.corpus.clone(),
        reuse: args.reuse,
        force: args.force,
    };
    let place = Place::open(is_remote, folder, &config, output).await?;
    let asked = async {
        let kept = match &args.conversation {
            Some(conversation) => place.conversation(conversation).await?,
            None => None,
        };
        let terminal = ask_once(place.bus(), ask, output, canvas).await;
        if let Some(kept) = kept {
            kept.end().await?;
        }
        terminal
    };
    let asked = asked.await;
    let (mut trace_id, mut saved) = (None, Ok(()));
    if let Ok(terminal) = &asked {
        saved = save_csv(place.bus(), terminal, args.csv.as_deref()).await;
        if is_remote {
            trace_id = streams::client::trace_id(place.bus(), &terminal.turn).await;
        }
    }
    let offline = place.is_offline();
    place.close().await;
    let terminal = asked.map_err(|fail| match is_remote {
        true => for_fleet(fail, &config),
        false => fail,
    })?;
    let shown = render::terminal(&terminal, trace_id.as_deref(), output, args.trail).and(saved);
    let shown = shown.map_err(|fail| match terminal.outcome {
        Outcome::Clarification if !is_remote => fail.hint(reply_here(&args, &terminal)),
        _ => fail,
    });
    let is_hinted = offline && output == Output::Text && !out::is_quiet();
    if is_hinted && std::io::stderr().is_terminal() {
        eprintln!(
            "{} answered by the offline reader, which is no language model; {PLUG_IN}",
            "hint:".bold()
        );
    }
    allowed(shown, &terminal, args.clarification_ok)
}

/// How a question back is answered where no fleet is: only a conversation is kept, and it is one with these documents.
fn reply_here(args: &cli::AskArgs, terminal: &Terminal) -> String {
    let Some(conversation) = &args.conversation else {
        return "ask again and say what is meant; `argosy chat` and `--conversation NAME` keep what was asked".into();
    };
    let corpus = args.corpus.as_ref().map_or(String::new(), |corpus| {
        format!("--corpus '{}' ", corpus.display())
    });
    format!(
        "argosy ask {corpus}--conversation {conversation} --answer {} \"…\"",
        terminal.turn
    )
}

/// The end of the command. A question back is a good end where the call says so.
fn allowed(
    shown: Result<(), CliError>,
    terminal: &Terminal,
    clarification_ok: bool,
) -> Result<(), CliError> {
    match clarification_ok && terminal.outcome == Outcome::Clarification {
        true => Ok(()),
        false => shown,
    }
}

/// The question as the ingress message carries it.
fn question(
    args: &cli::AskArgs,
    config: &Config,
    is_remote: bool,
) -> Result<streams::client::Ask, CliError> {
    if args.question.trim().is_empty() {
        return Err(CliError::usage("the question is empty")
            .hint("as in: argosy ask \"When does the lease end?\""));
    }
    only_default_tenant(is_remote, &args.tenant)?;
    let is_reply = args.answer.is_some() && args.conversation.is_none();
    only_with(
        is_remote,
        &[
            ("--min-seq", args.min_seq.is_some()),
            ("--answer", is_reply),
        ],
    )?;
    // A fleet works on when nobody waits any more; what is in this process ends with it.
    let wait = Duration::from_secs(args.timeout);
    let deadline = match is_remote {
        true => wait.max(config.gateway.deadline.duration()),
        false => wait,
    };
    let mut fields = fields(&args.how);
    fields.extend(given(json!({
        "conversation": args.conversation,
        "after": args.after,
        "when_busy": args.when_busy,
        "reply_to_clarification": args.answer,
        "tenant": is_remote.then_some(&args.tenant),
        "groups": args.groups,
        "min_seq": args.min_seq,
        "deadline": format!("{}ms", deadline.as_millis()),
    })));
    if let Some(text) = &args.filters {
        fields.insert("filters".into(), filters(text)?);
    }
    // A little longer than the deadline: the fleet itself says that it has passed.
    let wait = if wait < deadline {
        wait
    } else {
        wait + Duration::from_secs(5)
    };
    Ok(streams::client::Ask {
        question: args.question.clone(),
        fields,
        wait,
    })
}
