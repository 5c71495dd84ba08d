//! Measures what a search finds, for each method: every question of a data set is asked and timed, and the result is
//! compared with the right answers.

use super::dataset::Dataset;
use super::ground::Ground;
use super::report::{Report, details};
use super::{Error, Progress, SearchSetting, measure, methods};
use crate::cli::EvalRetrievalArgs;
use crate::details::write;
use crate::outcome::EvalReport;

/// Asks every question with every method, and reports the progress to `say`.
///
/// # Errors
/// When a method is not known, the data set cannot be read or has no question, a search fails, or a file cannot be written.
pub(crate) async fn run(
    options: &EvalRetrievalArgs,
    setting: &SearchSetting<'_>,
    say: Progress<'_>,
) -> Result<EvalReport, Error> {
    let chosen = methods::chosen(&options.method)?;
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
