//! Measures what a search finds, for each method: every question of a data set is asked and timed, and the result is
//! compared with the right answers.

use super::dataset::{Dataset, DatasetName, Split};
use super::ground::Ground;
use super::report::{Report, details};
use super::{Error, Say, SearchSetting, measure, methods};
use crate::details::write;
use crate::outcome::EvalReport;
use std::path::PathBuf;

/// What is asked, and what is kept of it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which data set.
    pub dataset: DatasetName,
    /// Its folder.
    pub path: PathBuf,
    /// Which questions.
    pub split: Split,
    /// How many of them, always the same ones. Default: all.
    pub limit: Option<usize>,
    /// Where vectors of chunks are kept. Default: nowhere.
    pub cache: Option<PathBuf>,
    /// Ways to search, by name. Empty means all.
    pub methods: Vec<String>,
    /// Where the index is kept. Default: nowhere.
    pub index: Option<PathBuf>,
    /// Whether the first hundred are looked at, too.
    pub deep: bool,
    /// Where a line of JSON is written for each question and method.
    pub details: Option<PathBuf>,
}

/// Asks every question in every way; `say` is told how far it is.
///
/// # Errors
/// When a method is not known, the data set cannot be read or has no question, a search fails, or a file cannot be written.
pub async fn run(
    options: &Options,
    setting: &SearchSetting<'_>,
    say: Say<'_>,
) -> Result<EvalReport, Error> {
    let chosen = methods::chosen(&options.methods)?;
    let factory = setting.factory().await?;
    say("reading".into());
    let mut dataset = Dataset::load(options.dataset, &options.path)?;
    dataset.keep(options.split, options.limit);
    if dataset.questions.is_empty() {
        return Err(Error::NoQuestion);
    }
    let (folder, cache) = (options.index.as_deref(), options.cache.as_deref());
    let ground = Ground::build(&dataset, factory, folder, cache, say).await?;
    let mut report = Report::begin(options, &dataset, &ground);
    let mut lines = Vec::new();
    // What the others are compared with: the first one.
    let mut base: Option<(&'static str, Vec<measure::Asked>)> = None;
    for method in chosen {
        let searcher = method.build(&ground, setting.retriever);
        let tell = |done| {
            say(format!(
                "{}: {done} of {}",
                method.name,
                dataset.questions.len()
            ))
        };
        let asked = measure::ask(&*searcher, &dataset, options.deep, tell).await?;
        report.add(method.name, &dataset, &asked);
        if options.details.is_some() {
            lines.extend(details(method.name, &dataset, &asked));
        }
        match &base {
            Some((name, base)) => report.compare(name, &dataset, base, &asked),
            None => base = Some((method.name, asked)),
        }
    }
    if let Some(path) = &options.details {
        write(path, &lines)?;
    }
    Ok(report.outcome())
}
