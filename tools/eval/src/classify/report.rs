//! The report of a measurement of classes: a table for people, an object for programs, and an HTML page.

use super::score::{ClassScore, LabelFigures};
use crate::cli::EvalClassifyArgs;
use crate::metrics::quantile;
use crate::outcome::{EvalReport, TextLine};
use crate::page::Page;
use argosy::machine::machine;
use serde::Serialize;

/// One run.
#[derive(Debug, Serialize)]
pub(super) struct ClassReport {
    dataset: &'static str,
    split: &'static str,
    questions: usize,
    accuracy: f64,
    labels: Vec<LabelFigures>,
    /// Half of the questions were read in this time.
    read_micros_p50: f64,
    read_micros_p99: f64,
    machine: String,
}

impl ClassReport {
    pub(super) fn new(
        options: &EvalClassifyArgs,
        score: &ClassScore,
        micros: Vec<f64>,
    ) -> ClassReport {
        let at = |share| quantile(micros.clone(), share);
        ClassReport {
            dataset: options.dataset.as_str(),
            split: options.split.as_str(),
            questions: score.questions(),
            accuracy: score.accuracy(),
            labels: score.figures(),
            read_micros_p50: at(0.5),
            read_micros_p99: at(0.99),
            machine: machine(),
        }
    }

    /// As it is told; with the failed questions when they are wanted.
    pub(super) fn outcome(&self, score: &ClassScore, failed: bool) -> EvalReport {
        let mut outcome = EvalReport::of(self);
        if failed {
            outcome.lines(score.failed());
        }
        let about = format!(" split {}: {} questions", self.split, self.questions);
        outcome.line(TextLine::strong(self.dataset).plain(about));
        outcome.text(format!(
            "{:<12} {:>9} {:>9} {:>7} {:>7}",
            "", "questions", "precision", "recall", "F1"
        ));
        for one in &self.labels {
            outcome.text(format!(
                "{:<12} {:>9} {:>9.3} {:>7.3} {:>7.3}",
                one.label, one.questions, one.precision, one.recall, one.f1
            ));
        }
        outcome.text(format!("accuracy     {:.3}", self.accuracy));
        outcome.text(format!(
            "a question   {:.0} µs (p50), {:.0} µs (p99)",
            self.read_micros_p50, self.read_micros_p99
        ));
        outcome
    }

    /// A page to keep: figures with a bar for each F1, the confusion matrix, the failures.
    pub(super) fn page(&self, score: &ClassScore) -> Page {
        let bars = self.labels.iter().map(|one| {
            let told = format!(
                "F1 {:.3}, precision {:.3}, recall {:.3} of {}",
                one.f1, one.precision, one.recall, one.questions
            );
            (one.label.to_owned(), one.f1, told)
        });
        Page {
            title: format!("Classes of questions, {} {}", self.dataset, self.split),
            lead: self.machine.clone(),
            rows: vec![
                ("questions".into(), self.questions.to_string()),
                ("accuracy".into(), format!("{:.3}", self.accuracy)),
                (
                    "µs a question, p50".into(),
                    format!("{:.0}", self.read_micros_p50),
                ),
            ],
            bars: bars.collect(),
            bars_title: "F1 of each class".into(),
            plot: confusion(score),
            failed: score.failed().to_vec(),
        }
    }
}

/// The confusion matrix as a table.
fn confusion(score: &ClassScore) -> String {
    let labels = score.labels();
    let head = labels.iter().map(|label| format!("<th>{label}</th>"));
    let rows = labels.iter().map(|right| {
        let cells = labels
            .iter()
            .map(|given| format!("<td>{}</td>", score.count(right, given)));
        format!("<tr><th>{right}</th>{}</tr>", cells.collect::<String>())
    });
    format!(
        "<h2>Rows are right, columns were given</h2><table><tr><th></th>{}</tr>{}</table>",
        head.collect::<String>(),
        rows.collect::<String>()
    )
}
