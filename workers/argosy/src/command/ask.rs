//! `argosy ask`: asks one question and prints its answer.

use crate::cli::{self, Output, only_with};
use crate::cli_error::CliError;
use crate::command::asking::ask_once;
use crate::command::turn::save_csv;
use crate::command::{
    IN_THIS_PROCESS, budget, connect_or, for_fleet, must_be_folder, only_for_folder, score_min,
};
use crate::config::Config;
use crate::local::{Local, index_dir};
use crate::model::PLUG_IN;
use crate::out::eprintln;
use crate::render::draft::Canvas;
use crate::render::{self, ProgressLine};
use documents::PublishMode;
use envelope::{Outcome, Terminal};
use owo_colors::OwoColorize;
use serde_json::{Map, Value};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// The tenant whose documents a fleet of one process holds.
pub(crate) const DEFAULT_TENANT: &str = "default";

/// Asks one question and prints its answer.
pub async fn run(args: cli::AskArgs, config: Config, output: Output) -> Result<(), CliError> {
    let is_remote = args.server.is_named(&config)? && args.corpus.is_none();
    let ask = question(&args, &config, is_remote)?;
    let canvas = Canvas::new(output).filter(|_| !args.no_draft);
    if is_remote {
        only_for_folder(&config, &[("--reuse", args.reuse), ("--force", args.force)])?;
        let bus = connect_or(&config, IN_THIS_PROCESS).await?;
        let asked = ask_once(&*bus, ask, output, canvas).await;
        let terminal = asked.map_err(|fail| for_fleet(fail, &config))?;
        let trace_id = streams::client::trace_id(&*bus, &terminal.turn).await;
        let saved = save_csv(&*bus, &terminal, args.csv.as_deref()).await;
        let shown = render::terminal(&terminal, trace_id.as_deref(), output, args.trail).and(saved);
        return allowed(shown, &terminal, args.clarification_ok);
    }
    let corpus = args.corpus.clone().unwrap_or_else(|| PathBuf::from("."));
    must_be_folder(&corpus)?;
    let index = index_dir(&config, &corpus);
    if args.reuse && !index.is_dir() {
        return Err(nothing_to_use_again(&corpus));
    }
    let mut local = Local::start(&config, &index).await?;
    let asked = async {
        prepare(&mut local, &corpus, args.reuse, args.force, output).await?;
        match &args.conversation {
            None => ask_once(&*local.bus, ask, output, canvas).await,
            Some(conversation) => {
                let kept = local.open(conversation).await?;
                let terminal = ask_once(&*local.bus, ask, output, canvas).await;
                kept.end().await?;
                terminal
            }
        }
    };
    let terminal = asked.await;
    let saved = match &terminal {
        Ok(terminal) => save_csv(&*local.bus, terminal, args.csv.as_deref()).await,
        Err(_) => Ok(()),
    };
    let offline = local.chosen.offline;
    local.stop().await;
    let terminal = terminal?;
    let shown = render::terminal(&terminal, None, output, args.trail).and(saved);
    let is_hinted = offline && output == Output::Text && !render::is_quiet();
    if is_hinted && std::io::stderr().is_terminal() {
        eprintln!(
            "{} answered by the offline reader, which is no language model; {PLUG_IN}",
            "hint:".bold()
        );
    }
    allowed(shown, &terminal, args.clarification_ok)
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
    let mut fields = Map::new();
    let is_foreign = args.tenant != DEFAULT_TENANT;
    let has_sequence = args.min_seq.is_some();
    only_with(
        is_remote,
        &[
            ("--tenant", is_foreign),
            ("--min-seq", has_sequence),
            (
                "--answer",
                args.answer.is_some() && args.conversation.is_none(),
            ),
        ],
    )?;
    if let Some(conversation) = &args.conversation {
        fields.insert("conversation".into(), conversation.as_str().into());
    }
    if let Some(after) = &args.after {
        fields.insert("after".into(), after.as_str().into());
    }
    if let Some(when_busy) = &args.when_busy {
        fields.insert("when_busy".into(), when_busy.as_str().into());
    }
    if let Some(turn) = &args.answer {
        fields.insert("reply_to_clarification".into(), turn.as_str().into());
    }
    if is_remote {
        fields.insert("tenant".into(), args.tenant.as_str().into());
    }
    if let Some(filters) = &args.filters {
        let filters: Value = serde_json::from_str(filters).map_err(|e| {
            CliError::usage(format!("--filters is not JSON: {e}"))
                .hint(r#"as in --filters '{"total_amount":{"gte":1000}}'"#)
        })?;
        fields.insert("filters".into(), filters);
    }
    if !args.buckets.is_empty() {
        fields.insert("buckets".into(), args.buckets.clone().into());
    }
    if let Some(sequence) = args.min_seq {
        fields.insert("min_seq".into(), sequence.into());
    }
    if let Some(mode) = &args.mode {
        fields.insert("mode".into(), mode.as_str().into());
    }
    if let Some(model) = &args.model {
        fields.insert("model".into(), model.as_str().into());
    }
    if let Some(profile) = &args.profile {
        fields.insert("profile".into(), profile.as_str().into());
    }
    fields.extend(budget(args.rounds, args.searches));
    fields.extend(score_min(args.score_min));
    // A fleet works on when nobody waits any more; what is in this process ends with it.
    let wait = Duration::from_secs(args.timeout);
    let deadline = match is_remote {
        true => wait.max(config.gateway.deadline.duration()),
        false => wait,
    };
    fields.insert(
        "deadline".into(),
        format!("{}ms", deadline.as_millis()).into(),
    );
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

/// Brings the index up to date with the folder, as far as is wanted.
pub(crate) async fn prepare(
    local: &mut Local,
    corpus: &std::path::Path,
    reuse: bool,
    force: bool,
    output: Output,
) -> Result<(), CliError> {
    if reuse {
        if local.chunk_count() == 0 {
            return Err(nothing_to_use_again(corpus));
        }
        return Ok(());
    }
    let mode = if force {
        PublishMode::Force
    } else {
        PublishMode::Incremental
    };
    let line = ProgressLine::new(output);
    let indexed = local
        .index(corpus.to_owned(), mode, |progress| line.show(progress))
        .await;
    line.done();
    let summary = indexed?;
    render::skipped(&summary.skipped, corpus);
    if local.chunk_count() == 0 {
        return Err(CliError::not_found(format!(
            "`{}` holds no document that can be read",
            corpus.display()
        ))
        .hint("readable are .md, .txt, .html, .pdf, .docx, .csv and .jsonl files"));
    }
    Ok(())
}

fn nothing_to_use_again(corpus: &std::path::Path) -> CliError {
    CliError::not_found(format!(
        "there is no index of `{}` to use again",
        corpus.display()
    ))
    .hint("leave --reuse out to build it")
}
