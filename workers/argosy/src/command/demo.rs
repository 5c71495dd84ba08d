//! `argosy demo`: asks the sample corpus a few different kinds of questions, in one process.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::command::asking::ask_and_show;
use crate::config::Config;
use crate::local::Local;
use crate::model::{OFFLINE, PLUG_IN};
use crate::offline_model::serve;
use crate::out::{self, println};
use crate::render::{self, ProgressLine, Shown};
use crate::sample;
use documents::PublishMode;
use envelope::{Outcome, Terminal};
use owo_colors::OwoColorize;
use serde_json::{Map, Value};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use streams::client::Ask;
use tokio_util::sync::CancellationToken;

/// The name of the sample corpus.
const SAMPLE: &str = "the sample, which is in this binary";
/// How many of the labelled questions are asked: the first ones are the showcase. Those about documents follow.
const SHOWN: usize = 5;
/// From how many documents on the demonstration asks back; the number is small because the sample is.
const TOO_MANY: u64 = 5;
/// How many calls the offline reader works on at once.
const SLOTS: usize = 64;

#[derive(serde::Deserialize)]
struct Sample {
    question: String,
    kind: String,
    #[serde(default)]
    filters: Option<Value>,
    #[serde(default)]
    buckets: Option<Value>,
}

/// Runs the demonstration.
pub async fn run(args: cli::DemoArgs, mut config: Config, output: Output) -> Result<(), CliError> {
    let stop = CancellationToken::new();
    config.retriever.too_many = config.retriever.too_many.min(TOO_MANY);
    if !args.http {
        return demonstrate(args, config, None, output).await;
    }
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
    let (address, serving) = serve(nowhere, SLOTS, stop.clone()).await?;
    config.model = llm_pool::Options::one_node(OFFLINE, format!("http://{address}"));
    let why = format!("the offline reader over HTTP at {address}; it is not a language model");
    let (shown, served) = tokio::join!(
        async {
            let shown = demonstrate(args, config, Some(why), output).await;
            stop.cancel();
            shown
        },
        serving
    );
    shown.and(served.map_err(CliError::from))
}

async fn demonstrate(
    args: cli::DemoArgs,
    config: Config,
    served: Option<String>,
    output: Output,
) -> Result<(), CliError> {
    let dir = tempfile::tempdir()?;
    let (corpus, named) = match args.corpus {
        Some(corpus) => (corpus.clone(), corpus.display().to_string()),
        None => {
            let corpus = dir.path().join("sample");
            sample::unpack(&corpus)?;
            (corpus, SAMPLE.to_owned())
        }
    };
    let mut local = Local::start(&config, &dir.path().join("index")).await?;
    if let Some(why) = served {
        local.chosen.why = why;
        local.chosen.offline = true;
    }
    let shown = show(&mut local, corpus, &named, output).await;
    let why = local.chosen.why.clone();
    let offline = local.chosen.offline;
    local.stop().await;
    shown?;
    if output == Output::Text {
        what_next(&why, offline);
    }
    Ok(())
}

async fn show(
    local: &mut Local,
    corpus: PathBuf,
    named: &str,
    output: Output,
) -> Result<(), CliError> {
    let begun = Instant::now();
    let line = ProgressLine::new(output);
    let summary = local
        .index(corpus, PublishMode::Incremental, |p| line.show(p))
        .await;
    line.done();
    let summary = summary?;
    if output == Output::Text {
        println!("{} {}", "Model: ".bold(), local.chosen.why);
        println!("{} {named}", "Corpus:".bold());
        println!(
            "        {} documents, {} chunks, indexed in {:.2} s",
            summary.indexed,
            local.chunk_count(),
            begun.elapsed().as_secs_f64()
        );
    }
    let mut ended = Vec::new();
    let about_documents = sample::TABLE_QUESTIONS.lines();
    for line in sample::QUESTIONS.lines().take(SHOWN).chain(about_documents) {
        let sample: Sample = serde_json::from_str(line)
            .map_err(|e| CliError::negative(format!("questions.jsonl: {e}")))?;
        ended.push(ask_one(local, sample, output).await?);
    }
    if output == Output::Json {
        render::json(&ended.iter().map(Shown::from).collect::<Vec<_>>());
    }
    Ok(())
}

async fn ask_one(local: &Local, sample: Sample, output: Output) -> Result<Terminal, CliError> {
    let mut fields = Map::new();
    for (name, value) in [("filters", &sample.filters), ("buckets", &sample.buckets)] {
        if let Some(value) = value.clone().filter(|v| !v.is_null()) {
            fields.insert(name.into(), value);
        }
    }
    if output == Output::Text {
        println!();
        println!(
            "{} {}",
            format!("Question ({}):", sample.kind).bold().green(),
            sample.question.bold()
        );
        if let Some(filters) = &sample.filters {
            println!("{} {filters}", "filters:".dimmed());
        }
        println!();
    }
    let ask = Ask {
        question: sample.question,
        fields,
        wait: Duration::from_secs(130),
    };
    let terminal = ask_and_show(&*local.bus, ask, output, None).await?;
    if output == Output::Json {
        return Ok(terminal);
    }
    match render::terminal(&terminal, None, output, true) {
        Err(fail) if !matches!(terminal.outcome, Outcome::Clarification) => Err(fail),
        // A question back is part of the show.
        _ => out::decided(Ok(terminal)),
    }
}

fn what_next(why: &str, offline: bool) {
    println!();
    println!("{}", "What next".bold());
    println!("  Ask your own documents:  argosy ask \"your question\" --corpus ./your-folder");
    println!("  Start a real fleet:      argosy up --corpus ./your-folder");
    println!(
        "  Ask the fleet:           argosy ask \"your question\" --server nats://127.0.0.1:4222"
    );
    if offline {
        println!(
            "  These answers were extracted by the offline reader, which is no language model:"
        );
        println!("  {PLUG_IN}");
    } else {
        println!("  Model: {why}");
    }
}
