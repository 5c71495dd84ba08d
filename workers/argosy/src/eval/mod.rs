//! Measuring answers to questions whose right answers are known.
//!
//! Retrieval: which chunks or documents come first. Conditions: what a question says about documents. Classes: what kind of question it is. Groundedness: whether passages say what an answer says. Data is named on the command
//! line and never part of the repository. What happens to a document here is what happens to it in
//! the fleet: the same chunker, the same index, the same search. *Not* measured: what a planner
//! would make of the question; it is asked as it stands.
//!
//! | module | what |
//! |---|---|
//! | `dataset` | questions and what is right; `beir` and `multihop` read files |
//! | `ground` | the index that is asked |
//! | `vectors` | the vectors of chunks, made once |
//! | `methods` | the ways to search, by name |
//! | `measure` | asking, and timing it |
//! | `metrics`, `signal` | figures: pure |
//! | [`classify`] | which class rules give to questions |
//! | [`conditions`] | what questions about documents amount to |
//! | [`unanswerable`] | whether it is told early that the documents do not say |
//! | [`labelled`] | questions put to a whole fleet, and what is expected of their answers |
//! | [`modes`] | the modes of a question beside each other |
//! | [`rounds`] | what the rounds of a turn read, beside one list |
//! | [`trajectories`] | the way that questions take, beside the one that is expected |
//! | [`groundedness`] | which sentences of answers stand in passages |
//! | `figures`, `paired`, `report`, `page` | figures over many questions, and how they look |

mod beir;
pub mod classify;
pub mod conditions;
mod dataset;
mod error;
mod figures;
mod ground;
pub mod groundedness;
pub mod labelled;
mod measure;
mod methods;
mod metrics;
pub mod modes;
mod multihop;
mod page;
mod paired;
mod report;
pub mod rounds;
mod signal;
pub mod trajectories;
pub mod unanswerable;
mod vectors;

pub use error::Error;

use crate::cli::{EvalRetrieval, Output};
use crate::config::Config;
use crate::render::Line;
use dataset::Dataset;
use ground::Ground;
use index_host::search_factory::{self, SearchFactory};
use llm_pool::Pools;
use report::Report;
use std::io::Write;

/// `argosy eval retrieval`
pub async fn retrieval(
    args: EvalRetrieval,
    mut config: Config,
    output: Output,
) -> Result<(), Error> {
    let chosen = methods::chosen(&args.method)?;
    config.retrieval.embedder = args.embedder.map_or(config.retrieval.embedder, Into::into);
    let factory = factory(&config).await?;
    let line = Line::new(output);
    line.say("reading".into());
    let mut dataset = Dataset::load(args.dataset, &args.path)?;
    dataset.keep(args.split, args.limit);
    if dataset.questions.is_empty() {
        return Err(Error::NoQuestion);
    }
    let (folder, cache) = (args.index.as_deref(), args.cache.as_deref());
    let ground = Ground::build(&dataset, factory, folder, cache, &line).await?;
    let mut report = Report::begin(&args, &dataset, &ground);
    let mut details = Vec::new();
    // What the others are compared with: the first one.
    let mut base: Option<(&'static str, Vec<measure::Asked>)> = None;
    for method in chosen {
        let searcher = method.build(&ground, &config.retriever);
        let tell = |done| {
            line.say(format!(
                "{}: {done} of {}",
                method.name,
                dataset.questions.len()
            ))
        };
        let asked = measure::ask(&*searcher, &dataset, args.deep, tell).await?;
        report.add(method.name, &dataset, &asked);
        if args.details.is_some() {
            details.extend(report::details(method.name, &dataset, &asked));
        }
        match &base {
            Some((name, base)) => report.compare(name, &dataset, base, &asked),
            None => base = Some((method.name, asked)),
        }
    }
    line.done();
    if let Some(path) = &args.details {
        write(path, &details)?;
    }
    report.print(output);
    Ok(())
}

/// What is searched with. One process: what is measured is the embedder, and a server would only be further away.
async fn factory(config: &Config) -> Result<SearchFactory, Error> {
    let mut config = config.clone();
    config.retrieval.vectors = index_host::VectorStore::Embedded;
    config.retrieval.validate().map_err(Error::Options)?;
    let registry = telemetry::Registry::new();
    let pools = Pools::default();
    let options = &config.retrieval;
    let embedder = search_factory::embedder(options, &config.data_dir.0, &registry, &pools).await?;
    Ok(SearchFactory::new(options, embedder, &registry, &pools)?)
}

fn write(path: &std::path::Path, lines: &[String]) -> Result<(), Error> {
    let write = || {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        lines.iter().try_for_each(|line| writeln!(file, "{line}"))?;
        file.flush()
    };
    write().map_err(|error| Error::File {
        path: path.to_owned(),
        error,
    })
}
