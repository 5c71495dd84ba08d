//! How the figures of classes look: a table for people, an object for programs, a page to keep.

use super::score::{ClassScore, LabelFigures};
use crate::cli::{EvalClassify, Output};
use crate::machine::machine;
use crate::out::println;
use owo_colors::OwoColorize;
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
        args: &EvalClassify,
        score: &ClassScore,
        mut micros: Vec<f64>,
    ) -> ClassReport {
        micros.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (micros.len().saturating_sub(1) as f64 * share).round() as usize;
            micros.get(place).copied().unwrap_or_default()
        };
        ClassReport {
            dataset: args.dataset.as_str(),
            split: args.split.as_str(),
            questions: score.questions(),
            accuracy: score.accuracy(),
            labels: score.figures(),
            read_micros_p50: at(0.5),
            read_micros_p99: at(0.99),
            machine: machine(),
        }
    }

    /// Prints it; with the failed questions when they are wanted.
    pub(super) fn print(&self, output: Output, score: &ClassScore, failed: bool) {
        if output == Output::Json {
            println!("{}", serde_json::json!(self));
            return;
        }
        if failed {
            score.failed().iter().for_each(|line| println!("{line}"));
        }
        println!(
            "{} split {}: {} questions",
            self.dataset.bold(),
            self.split,
            self.questions
        );
        println!(
            "{:<12} {:>9} {:>9} {:>7} {:>7}",
            "", "questions", "precision", "recall", "F1"
        );
        for one in &self.labels {
            println!(
                "{:<12} {:>9} {:>9.3} {:>7.3} {:>7.3}",
                one.label, one.questions, one.precision, one.recall, one.f1
            );
        }
        println!("accuracy     {:.3}", self.accuracy);
        println!(
            "a question   {:.0} µs (p50), {:.0} µs (p99)",
            self.read_micros_p50, self.read_micros_p99
        );
    }

    /// One page that needs nothing else: figures with a bar for each F1, who was taken for whom, what failed.
    pub(super) fn page(&self, score: &ClassScore) -> String {
        let figures = self.labels.iter().map(|one| {
            format!(
                "<tr><td>{}</td><td>{}</td><td>{:.3}</td><td>{:.3}</td><td>{:.3}</td><td><svg width=\"204\" height=\"14\">\
                 <rect width=\"200\" height=\"14\" fill=\"#ddd\"/><rect width=\"{:.0}\" height=\"14\" fill=\"#2a6\"/></svg></td></tr>",
                one.label, one.questions, one.precision, one.recall, one.f1, one.f1 * 200.0
            )
        });
        let labels = score.labels();
        let head = labels.iter().map(|label| format!("<th>{label}</th>"));
        let confused = labels.iter().map(|right| {
            let cells = labels
                .iter()
                .map(|given| format!("<td>{}</td>", score.count(right, given)));
            format!("<tr><th>{right}</th>{}</tr>", cells.collect::<String>())
        });
        let failed = score
            .failed()
            .iter()
            .map(|line| format!("<li>{}</li>", escaped(line)));
        format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Classes, {dataset} {split}</title>\
             <style>body{{font:15px sans-serif;max-width:60em;margin:2em auto}}td,th{{padding:2px 12px;text-align:right}}li{{margin:6px 0}}</style>\
             <h1>Classes of questions, {dataset} {split}</h1><p>{questions} questions, accuracy {accuracy:.3}; {machine}</p>\
             <table><tr><th></th><th>questions</th><th>precision</th><th>recall</th><th>F1</th></tr>{figures}</table>\
             <h2>Rows are right, columns were given</h2><table><tr><th></th>{head}</tr>{confused}</table>\
             <h2>What failed</h2><ol>{failed}</ol></html>\n",
            dataset = self.dataset,
            split = self.split,
            questions = self.questions,
            accuracy = self.accuracy,
            machine = escaped(&self.machine),
            figures = figures.collect::<String>(),
            head = head.collect::<String>(),
            confused = confused.collect::<String>(),
            failed = failed.collect::<String>(),
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
