//! Measures the fleet with nothing stubbed: the binary that ships with one process per role, the sample corpus, the
//! offline reader, and one nats-server. A closed loop in this process asks the labelled questions.
//!
//! It measures the work of the roles, each by itself: messages, searches, reading. It does *not* measure a model: the
//! offline reader takes microseconds where a model takes seconds.

use crate::cli::FleetArgs;
use crate::driver::{Answered, Cast, Cost, Run, Until, closed_loop_with};
use crate::fleet::{costs, median, medians};
use crate::fleet_run::{Ground, Setting};
use crate::out::println;
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::fleet::{Member, drain};
use argosy::machine::machine;
use argosy::model;
use argosy::sample;
use bytes::Bytes;
use corpus_sync::{Summary, catalog_of_stream};
use documents::PublishMode;
use envelope::{Role, TenantId, Terminal};
use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The fields of a labelled question that belong to the question; the other fields say what the right answer is.
const ASKED: [&str; 3] = ["question", "filters", "buckets"];

/// The result of a closed loop.
#[derive(Debug)]
struct Measured {
    run: Run,
    outcomes: BTreeMap<String, usize>,
}

/// One row of the report: medians over the repetitions.
#[derive(Debug, Serialize)]
struct Row {
    in_flight: usize,
    queries: usize,
    queries_per_s: f64,
    p50_ms: f64,
    p99_ms: f64,
    cpu_ms_per_query: f64,
    /// The peak of the memory of all processes together.
    pss_mb: f64,
    /// By process: the roles, the server, the driver.
    processes: Vec<Cost>,
    /// How the questions of all repetitions ended.
    outcomes: BTreeMap<String, usize>,
}

/// `argosy-bench fleet --real`
pub(super) async fn run(args: &FleetArgs, output: Output) -> Result<(), CliError> {
    let binary = binary(args)?;
    let setting = Setting::of(args)?;
    let config = Config::default();
    let ground = Ground::lay(setting.nats_server.clone(), setting.sync_always, &config).await?;
    let mut plan = ground.plan(vec![format!("model.model={}", model::OFFLINE)], Vec::new())?;
    plan.binary = binary;
    let mut members = plan.start_each(&Role::ALL)?;
    let measured = measure(&setting, &ground, &members, args.repeat.max(1)).await;
    let bad = drain(&mut members, Duration::from_secs(40)).await;
    let (summary, rows) = measured?;
    if !bad.is_empty() {
        return Err(CliError::negative(format!("did not end well: {bad:?}")));
    }
    report(args, &summary, &rows, output);
    Ok(())
}

/// The path of the binary that ships.
fn binary(args: &FleetArgs) -> Result<PathBuf, CliError> {
    let beside = std::env::current_exe()?.with_file_name("argosy");
    let binary = args.argosy.clone().unwrap_or(beside);
    match binary.is_file() {
        true => Ok(binary),
        false => Err(
            CliError::not_found(format!("`{}` is not there", binary.display()))
                .hint("build it with `cargo build --release`, or name it with --argosy FILE"),
        ),
    }
}

async fn measure(
    setting: &Setting,
    ground: &Ground,
    members: &[Member],
    repeat: usize,
) -> Result<(Summary, Vec<Row>), CliError> {
    let summary = index(ground).await?;
    let questions = questions(summary.corpus_seq)?;
    let cast = Cast::of(ground, members);
    // The first question waits until the retriever has the whole corpus.
    let most = setting.in_flight.iter().map(|n| setting.queries(*n)).max();
    let warm = questions.len().min(most.unwrap_or(1));
    looped(&cast, &questions, "warm-", 1, warm).await?;
    let mut rows = Vec::new();
    for in_flight in &setting.in_flight {
        let queries = setting.queries(*in_flight);
        let mut runs = Vec::new();
        for repetition in 0..repeat {
            let prefix = format!("r{in_flight}-{repetition}-");
            runs.push(looped(&cast, &questions, &prefix, *in_flight, queries).await?);
        }
        rows.push(row(*in_flight, queries, &runs));
    }
    Ok((summary, rows))
}

/// Brings the sample into the corpus, as `argosy index` does.
async fn index(ground: &Ground) -> Result<Summary, CliError> {
    let folder = ground.dir.path().join("sample");
    sample::unpack(&folder)?;
    let to = corpus_sync::TargetEditions::default();
    let tenant = TenantId::default_tenant();
    let catalog = catalog_of_stream(&*ground.bus, &tenant, &to.edition).await?;
    let options = corpus_sync::Options::waiting(PublishMode::Incremental);
    let indexed = corpus_sync::index(ground.bus.clone(), folder, &catalog, options, |_| {}).await;
    Ok(indexed?)
}

/// The labelled questions as they are published, without the reply subject.
fn questions(min_seq: Option<u64>) -> Result<Vec<Value>, CliError> {
    let read = |line: &str| {
        let all: Value = serde_json::from_str(line)?;
        let mut one = json!({ "min_seq": min_seq });
        for name in ASKED {
            if let Some(value) = all.get(name).filter(|value| !value.is_null()) {
                one[name] = value.clone();
            }
        }
        Ok(one)
    };
    let questions: Result<Vec<_>, serde_json::Error> =
        sample::QUESTIONS.lines().map(read).collect();
    questions.map_err(|e| CliError::negative(format!("a labelled question: {e}")))
}

/// Runs one closed loop.
async fn looped(
    cast: &Cast,
    questions: &[Value],
    prefix: &str,
    in_flight: usize,
    queries: usize,
) -> Result<Measured, CliError> {
    let body = |name: &str| -> Bytes {
        let number = name.rsplit('-').next().and_then(|n| n.parse().ok());
        let mut question = questions[number.unwrap_or(0) % questions.len()].clone();
        question["reply_to"] = format!("_INBOX.bench.{name}").into();
        question.to_string().into()
    };
    let mut answers = Vec::with_capacity(queries);
    let (until, each) = (Until::Asked(queries), |answer: Answered| {
        answers.push(answer.body)
    });
    let run = closed_loop_with(cast, prefix, &body, in_flight, until, each).await?;
    Ok(Measured {
        run,
        outcomes: outcomes(&answers),
    })
}

/// How the questions ended, counted after the loop.
fn outcomes(answers: &[Bytes]) -> BTreeMap<String, usize> {
    let mut outcomes = BTreeMap::new();
    for answer in answers {
        let terminal = envelope::decode::<Terminal>(answer);
        let name = terminal.map_or("unreadable", |terminal| terminal.outcome.as_str());
        *outcomes.entry(name.to_owned()).or_default() += 1;
    }
    outcomes
}

fn row(in_flight: usize, queries: usize, measured: &[Measured]) -> Row {
    let of = |pick: fn(&Run) -> f64| median(measured.iter().map(|one| pick(&one.run)).collect());
    let mut outcomes = BTreeMap::new();
    for (name, times) in measured.iter().flat_map(|one| &one.outcomes) {
        *outcomes.entry(name.clone()).or_default() += times;
    }
    let runs: Vec<&Run> = measured.iter().map(|one| &one.run).collect();
    Row {
        in_flight,
        queries,
        queries_per_s: of(|run| run.queries_per_s),
        p50_ms: of(|run| run.p50_ms),
        p99_ms: of(|run| run.p99_ms),
        cpu_ms_per_query: of(Run::cpu_ms_per_query),
        pss_mb: of(Run::pss_mb),
        processes: medians(&runs),
        outcomes,
    }
}

fn report(args: &FleetArgs, summary: &Summary, rows: &[Row], output: Output) {
    let class = if args.sync_always { "F" } else { "P" };
    let (documents, chunks) = (summary.indexed, summary.chunks);
    if output == Output::Json {
        let report = json!({
            "class": class, "machine": machine(), "repetitions": args.repeat.max(1), "documents": documents,
            "chunks": chunks, "questions": sample::QUESTIONS.lines().count(), "runs": rows,
        });
        println!("{report:#}");
        return;
    }
    println!(
        "{} class {class}, nothing stubbed: {documents} documents, {chunks} chunks, {} questions in turn, the \
         offline reader, {} repetitions",
        machine(),
        sample::QUESTIONS.lines().count(),
        args.repeat.max(1)
    );
    for row in rows {
        let head = format!(
            "{} in flight: {:.0} questions/s, p50 {:.1} ms, p99 {:.1} ms",
            row.in_flight, row.queries_per_s, row.p50_ms, row.p99_ms
        );
        println!("{}", head.bold());
        println!(
            "  processor time of a question {:.2} ms, memory of all {:.0} MB (Pss)",
            row.cpu_ms_per_query, row.pss_mb
        );
        costs(row.in_flight, &row.processes);
        let ended = row.outcomes.iter();
        let ended: Vec<_> = ended
            .map(|(name, times)| format!("{times} {name}"))
            .collect();
        println!("  ended: {}", ended.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_asked_as_they_are_labelled_and_without_their_answers() {
        let all = questions(Some(7)).unwrap();
        assert_eq!(all.len(), sample::QUESTIONS.lines().count());
        let known = ["question", "filters", "buckets", "min_seq"];
        for one in &all {
            let fields = one.as_object().unwrap();
            assert!(fields["question"].is_string(), "{one}");
            assert_eq!(fields["min_seq"], 7);
            let others: Vec<_> = fields
                .keys()
                .filter(|f| !known.contains(&f.as_str()))
                .collect();
            assert!(others.is_empty(), "{others:?}");
        }
        assert!(all.iter().any(|one| one.get("filters").is_some()));
    }

    #[test]
    fn a_row_is_the_median_of_its_repetitions_and_counts_every_end() {
        let cost = |name: &str, ms| Cost {
            name: name.into(),
            cpu_ms_per_query: ms,
            pss_mb: 10.0 * ms,
        };
        let run = |ms: f64| Measured {
            run: Run {
                queries: 3,
                queries_per_s: 100.0 * ms,
                p50_ms: ms,
                p99_ms: 2.0 * ms,
                processes: vec![cost("mapper", ms), cost("driver", 1.0)],
                messages_per_query: 19.0,
                bytes_per_message: 2_000.0,
            },
            outcomes: [("answered".to_owned(), 3)].into(),
        };
        let row = row(64, 3, &[run(1.0), run(3.0), run(2.0)]);
        let all = (row.p50_ms, row.p99_ms, row.queries_per_s);
        assert_eq!(all, (2.0, 4.0, 200.0));
        assert_eq!(row.processes, [cost("mapper", 2.0), cost("driver", 1.0)]);
        assert_eq!((row.cpu_ms_per_query, row.pss_mb), (3.0, 30.0));
        assert_eq!(row.outcomes["answered"], 9);
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_counted_as_such() {
        assert_eq!(outcomes(&["{}".into()])["unreadable"], 1);
    }
}
