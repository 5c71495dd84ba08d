//! How the figures of conditions look: a table for people, an object for programs, a page to keep.

use super::finding::{AmongTen, TenShares};
use super::known::Known;
use super::score::{ConditionSums, Score};
use crate::cli::{EvalConditions, Output};
use crate::machine::machine;
use crate::out::println;
use owo_colors::OwoColorize;
use serde::Serialize;

/// One run.
#[derive(Debug, Serialize)]
pub(super) struct ConditionReport {
    side: &'static str,
    documents: usize,
    #[serde(flatten)]
    sums: ConditionSums,
    /// The share of questions with a right document among the first ten passages.
    right_among_ten: TenShares,
    /// Half of the questions were linked in this time.
    link_micros_p50: f64,
    link_micros_p99: f64,
    dictionary_values: usize,
    machine: String,
}

impl ConditionReport {
    pub(super) fn new(
        args: &EvalConditions,
        known: &Known,
        score: &Score,
        found: &AmongTen,
        mut micros: Vec<f64>,
    ) -> ConditionReport {
        micros.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (micros.len().saturating_sub(1) as f64 * share).round() as usize;
            micros.get(place).copied().unwrap_or_default()
        };
        ConditionReport {
            side: args.side.as_str(),
            documents: known.documents,
            sums: score.sums(),
            right_among_ten: found.shares(),
            link_micros_p50: at(0.5),
            link_micros_p99: at(0.99),
            dictionary_values: known.index.dictionary_sizes().values,
            machine: machine(),
        }
    }

    /// Prints it; with the failed questions when they are wanted.
    pub(super) fn print(&self, output: Output, score: &Score, failed: bool) {
        if output == Output::Json {
            println!("{}", serde_json::json!(self));
            return;
        }
        if failed {
            score.failed().iter().for_each(|line| println!("{line}"));
        }
        println!(
            "{} side, {} documents, {} questions",
            self.side.bold(),
            self.documents,
            self.sums.questions
        );
        for (what, value) in self.rows() {
            println!("{what:<34} {value}");
        }
        println!("a right document among ten");
        for (what, share) in self.right_among_ten.rows() {
            println!(
                "  {what:<32} {share:.3}  {}",
                bar((share * 100.0) as usize, 100)
            );
        }
        println!("all conditions right, by kind");
        for (kind, score) in &self.sums.kinds {
            println!(
                "  {kind:<10} {:>3} of {:>3}  {}",
                score.right,
                score.questions,
                bar(score.right, score.questions)
            );
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let sums = &self.sums;
        vec![
            ("condition precision", format!("{:.3}", sums.precision)),
            ("condition recall", format!("{:.3}", sums.recall)),
            ("condition F1", format!("{:.3}", sums.f1)),
            (
                "exact document sets",
                format!("{:.3}", sums.exact_documents),
            ),
            (
                "harm: a right document shut out",
                format!("{:.3}", sums.harm),
            ),
            (
                "false conditions",
                format!("{} questions", sums.false_questions),
            ),
            (
                "linking, p50 and p99",
                format!(
                    "{:.0} and {:.0} µs",
                    self.link_micros_p50, self.link_micros_p99
                ),
            ),
            (
                "values of the dictionary",
                self.dictionary_values.to_string(),
            ),
        ]
    }

    /// One page that needs nothing else: figures, a bar for each kind of question, what failed.
    pub(super) fn page(&self, score: &Score) -> String {
        let rows = self.rows().into_iter();
        let rows = rows
            .map(|(what, value)| format!("<tr><td>{what}</td><td>{}</td></tr>", escaped(&value)));
        let kinds = self.sums.kinds.iter().map(|(kind, score)| {
            let share = 100.0 * score.right as f64 / score.questions.max(1) as f64;
            format!(
                "<tr><td>{kind}</td><td><svg width=\"204\" height=\"14\"><rect width=\"200\" height=\"14\" fill=\"#ddd\"/>\
                 <rect width=\"{:.0}\" height=\"14\" fill=\"#2a6\"/></svg></td><td>{} of {}</td></tr>",
                share * 2.0, score.right, score.questions
            )
        });
        let ten = self.right_among_ten.rows().map(|(what, share)| {
            format!(
                "<tr><td>{what}</td><td><svg width=\"204\" height=\"14\"><rect width=\"200\" height=\"14\" fill=\"#ddd\"/>\
                 <rect width=\"{:.0}\" height=\"14\" fill=\"#26a\"/></svg></td><td>{share:.3}</td></tr>",
                share * 200.0
            )
        });
        let failed = score
            .failed()
            .iter()
            .map(|line| format!("<li>{}</li>", escaped(line)));
        format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Conditions, {side} side</title>\
             <style>body{{font:15px sans-serif;max-width:60em;margin:2em auto}}td{{padding:2px 12px}}li{{margin:6px 0}}</style>\
             <h1>Conditions, {side} side</h1><p>{documents} documents, {questions} questions; {machine}</p>\
             <table>{rows}</table><h2>A right document among the first ten passages</h2><table>{ten}</table>\
             <h2>Questions with all conditions right, by kind</h2><table>{kinds}</table>\
             <h2>What failed</h2><ol>{failed}</ol></html>\n",
            side = self.side,
            documents = self.documents,
            questions = self.sums.questions,
            machine = escaped(&self.machine),
            rows = rows.collect::<String>(),
            ten = ten.concat(),
            kinds = kinds.collect::<String>(),
            failed = failed.collect::<String>(),
        )
    }
}

fn bar(part: usize, all: usize) -> String {
    "#".repeat(20 * part / all.max(1))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
