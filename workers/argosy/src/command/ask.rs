//! `argosy ask`

use crate::cli::{self, Output};
use crate::client;
use crate::command::{connect, is_remote};
use crate::config::Config;
use crate::corpus::Progress;
use crate::fail::Fail;
use crate::local::{Local, index_dir};
use crate::model::PLUG_IN;
use crate::render::{self, Line};
use envelope::{Terminal, TrailEntry};
use harness::bus::Bus;
use retrieval::Mode;
use serde_json::{Map, Value};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// Asks one question and prints its answer.
pub async fn run(args: cli::Ask, config: Config, output: Output) -> Result<(), Fail> {
    let ask = question(&args)?;
    if is_remote(&args.server) {
        let bus = connect(&config).await?;
        let terminal = ask_and_show(&*bus, ask, output).await?;
        return render::terminal(&terminal, output, args.trail);
    }
    let corpus = args.corpus.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut local = Local::start(&config, &index_dir(&config, &corpus)).await?;
    let asked = async {
        prepare(&mut local, &corpus, &args, output).await?;
        ask_and_show(&*local.bus, ask, output).await
    };
    let terminal = asked.await;
    let offline = local.chosen.offline;
    local.stop().await;
    let shown = render::terminal(&terminal?, output, args.trail);
    if offline && output == Output::Text && std::io::stderr().is_terminal() {
        eprintln!("hint: answered by the offline reader, which is no language model; {PLUG_IN}");
    }
    shown
}

/// The question as the ingress message has it.
fn question(args: &cli::Ask) -> Result<client::Ask, Fail> {
    let mut fields = Map::new();
    if let Some(filters) = &args.filters {
        let filters: Value = serde_json::from_str(filters).map_err(|e| {
            Fail::usage(format!("--filters is not JSON: {e}"))
                .hint(r#"as in --filters '{"total_amount":{"gte":1000}}'"#)
        })?;
        fields.insert("filters".into(), filters);
    }
    if !args.buckets.is_empty() {
        fields.insert("buckets".into(), args.buckets.clone().into());
    }
    if let Some(mode) = &args.mode {
        fields.insert("mode".into(), mode.as_str().into());
    }
    fields.insert("deadline".into(), format!("{}s", args.timeout).into());
    // A little longer than the deadline: the fleet itself says that it has passed.
    let wait = Duration::from_secs(args.timeout + 5);
    Ok(client::Ask {
        question: args.question.clone(),
        fields,
        wait,
    })
}

/// Brings the index up to date with the folder, as far as is wanted.
async fn prepare(
    local: &mut Local,
    corpus: &std::path::Path,
    args: &cli::Ask,
    output: Output,
) -> Result<(), Fail> {
    if args.reuse {
        if local.chunk_count() == 0 {
            return Err(Fail::not_found(format!(
                "there is no index of `{}` to use again",
                corpus.display()
            ))
            .hint("leave --reuse out to build it"));
        }
        return Ok(());
    }
    let mode = if args.force {
        Mode::Force
    } else {
        Mode::Incremental
    };
    let line = Line::new(output);
    let indexed = local
        .index(corpus.to_owned(), mode, |progress| line.say(told(progress)))
        .await;
    line.done();
    let summary = indexed?;
    for skip in &summary.skipped {
        tracing::warn!(source = skip.source, reason = skip.reason, "file skipped");
    }
    if local.chunk_count() == 0 {
        return Err(Fail::not_found(format!(
            "`{}` holds no document that can be read",
            corpus.display()
        ))
        .hint("readable are .md, .txt and .html files"));
    }
    Ok(())
}

/// How far an indexing run is.
pub(crate) fn told(progress: Progress) -> String {
    match progress {
        Progress::Scanned(n) => format!("looked at {n} files"),
        Progress::Published(done, total) => format!("indexed {done} of {total} documents"),
    }
}

/// Asks with a live line of stages.
pub(crate) async fn ask_and_show(
    bus: &dyn Bus,
    ask: client::Ask,
    output: Output,
) -> Result<Terminal, Fail> {
    let line = Line::new(output);
    line.say("asked".into());
    let stage = |entry: &TrailEntry| {
        line.say(format!(
            "{}: {}",
            entry.role,
            render::one_line(&entry.decided, 70)
        ))
    };
    let terminal = client::ask(bus, ask, stage).await;
    line.done();
    terminal
}
