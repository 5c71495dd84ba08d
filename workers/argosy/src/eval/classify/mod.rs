//! `argosy eval classify`: which class rules give to questions whose class is known.
//!
//! The rules are those that a planner falls back on, so no model is asked and no document read. *Not* measured: what a
//! model would say, nor what follows from a class.

mod labels;
mod report;
mod score;

use super::error::Error;
use crate::cli::{EvalClassify, Output};
use labels::Labelled;
use report::ClassReport;
use score::ClassScore;
use std::time::Instant;

/// `argosy eval classify`
pub fn run(args: &EvalClassify, output: Output) -> Result<(), Error> {
    let questions = labels::load(args.dataset, &args.path, args.split)?;
    if questions.is_empty() {
        return Err(Error::NoQuestion);
    }
    let mut score = ClassScore::new(args.dataset.labels());
    let mut micros = Vec::with_capacity(questions.len());
    for Labelled { text, label, .. } in &questions {
        let begun = Instant::now();
        let reading = text::question::read(text);
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
        score.add(text, label, args.dataset.label_of(&reading));
    }
    let report = ClassReport::new(args, &score, micros);
    if let Some(path) = &args.report {
        report.page(&score).write(path)?;
    }
    report.print(output, &score, args.failed);
    Ok(())
}
