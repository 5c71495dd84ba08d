//! Measures which class the rules give to questions whose class is known.
//!
//! The rules are the planner's fallback for the model, so no model is called and no document is read. *Not* measured:
//! the classes that a model would give, and what follows from a class.

mod labels;
mod report;
mod score;

use crate::cli::EvalClassifyArgs;
use crate::error::Error;
use crate::outcome::EvalReport;
use labels::Labelled;
pub(crate) use labels::LabelledSet;
use report::ClassReport;
use score::ClassScore;
use std::time::Instant;

/// Gives every question its class.
///
/// # Errors
/// When the data set cannot be read or has no question, or the page cannot be written.
pub(crate) fn run(options: &EvalClassifyArgs) -> Result<EvalReport, Error> {
    let questions = labels::load(options.dataset, &options.path, options.split)?;
    if questions.is_empty() {
        return Err(Error::NoQuestion);
    }
    let mut score = ClassScore::new(options.dataset.labels());
    let mut micros = Vec::with_capacity(questions.len());
    for Labelled { text, label, .. } in &questions {
        let begun = Instant::now();
        let reading = text::question::read(text);
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
        score.add(text, label, options.dataset.label_of(&reading));
    }
    let report = ClassReport::new(options, &score, micros);
    if let Some(path) = &options.report {
        report.page(&score).write(path)?;
    }
    Ok(report.outcome(&score, options.failed))
}
