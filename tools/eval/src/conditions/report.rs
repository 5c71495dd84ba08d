//! The report of a measurement of conditions: a table for people, an object for programs, and an HTML page.

use super::finding::{AmongTen, TenShares};
use super::known::Known;
use super::score::{ConditionSums, KindScore, Score};
use super::sources::SourceSums;
use crate::Error;
use crate::cli::EvalConditionsArgs;
use crate::metrics::quantile;
use crate::outcome::{Emphasis, EvalReport, TextLine};
use crate::page::Page;
use argosy::machine::machine;
use serde::Serialize;
use std::collections::BTreeMap;

/// One run.
#[derive(Debug, Serialize)]
pub(super) struct ConditionReport {
    side: String,
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
        known: &Known,
        score: &Score,
        found: &AmongTen,
        micros: Vec<f64>,
    ) -> ConditionReport {
        let at = |share| quantile(micros.clone(), share);
        ConditionReport {
            side: known.side().to_owned(),
            documents: known.documents,
            sums: score.sums(),
            right_among_ten: found.shares(),
            link_micros_p50: at(0.5),
            link_micros_p99: at(0.99),
            dictionary_values: known.index.dictionary_sizes().values,
            machine: machine(),
        }
    }

    /// As it is told; with the failed questions when they are wanted.
    pub(super) fn outcome(&self, score: &Score, failed: bool) -> EvalReport {
        let mut outcome = EvalReport::of(self);
        if failed {
            outcome.lines(score.failed());
        }
        let (documents, questions) = (self.documents, self.sums.questions);
        let about = format!(" side, {documents} documents, {questions} questions");
        outcome.line(TextLine::strong(&self.side).plain(about));
        for (what, value) in self.rows() {
            outcome.text(format!("{what:<34} {value}"));
        }
        outcome.text("a right document shut out, and what else is wrong");
        add_counts(&mut outcome, &self.sums.harm_beside);
        outcome.text("tables that are not exact");
        add_counts(&mut outcome, &self.sums.tables_unmade);
        outcome.text("named, and no condition");
        add_counts(&mut outcome, &self.sums.dropped);
        outcome.text("a right document among ten");
        for (what, share) in self.right_among_ten.rows() {
            let bar = bar((share * 100.0) as usize, 100);
            outcome.text(format!("  {what:<32} {share:.3}  {bar}"));
        }
        let by_kind = [
            ("tables exact, by kind", &self.sums.tables_of),
            ("all conditions right, by kind", &self.sums.kinds),
        ];
        for (title, kinds) in by_kind {
            outcome.text(title);
            for (kind, score) in kinds {
                let (right, questions) = (score.right, score.questions);
                let bar = bar(right, questions);
                outcome.text(format!("  {kind:<10} {right:>3} of {questions:>3}  {bar}"));
            }
        }
        outcome
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
                "  where conditions filter",
                format!("{:.3}", sums.harm_filtered),
            ),
            (
                "  with a schema, and without",
                format!("{:.3}, {:.3}", sums.harm_described, sums.harm_undescribed),
            ),
            (
                "false conditions",
                format!("{} questions", sums.false_questions),
            ),
            (
                "tables exact given right conditions",
                format!("{:.3} of {}", sums.exact_tables, sums.tables),
            ),
            (
                "  tables with a schema, and without",
                format!(
                    "{} of {}, {} of {}",
                    sums.tables_described.right,
                    sums.tables_described.questions,
                    sums.tables_undescribed.right,
                    sums.tables_undescribed.questions
                ),
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
    pub(super) fn page(&self, score: &Score) -> Page {
        let share = |score: &KindScore| score.right as f64 / score.questions.max(1) as f64;
        let kinds = self.sums.kinds.iter().map(|(kind, score)| {
            let told = format!("{} of {}", score.right, score.questions);
            ((*kind).to_owned(), share(score), told)
        });
        let ten = self.right_among_ten.rows().into_iter();
        let ten = ten.map(|(what, share)| (what.to_owned(), share, format!("{share:.3}")));
        let rows = self.rows().into_iter();
        Page {
            title: format!("Conditions, {} side", self.side),
            lead: format!(
                "{} documents, {} questions; {}",
                self.documents, self.sums.questions, self.machine
            ),
            rows: rows.map(|(what, value)| (what.to_owned(), value)).collect(),
            bars: ten.chain(kinds).collect(),
            bars_title: "A right document among ten passages; all conditions right, by kind".into(),
            failed: score.failed().to_vec(),
            ..Page::default()
        }
    }
}

/// What the questions of a data set came to, as it is told; a page of it is written where one is wanted.
pub(super) fn of_sources(
    options: &EvalConditionsArgs,
    sums: &SourceSums,
) -> Result<EvalReport, Error> {
    let (split, machine) = (options.split.as_str(), machine());
    if let Some(path) = &options.report {
        let rows = sums.rows().into_iter();
        let bars = sums.shares().map(|(what, part, all)| {
            let share = part as f64 / all.max(1) as f64;
            (what.to_owned(), share, format!("{part} of {all}"))
        });
        let page = Page {
            title: format!("Sources and days that questions name, split {split}"),
            lead: format!("{} questions; {machine}", sums.questions),
            rows: rows.map(|(what, value)| (what.to_owned(), value)).collect(),
            bars: bars.to_vec(),
            bars_title: "Shares".into(),
            failed: sums.failed.clone(),
            ..Page::default()
        };
        page.write(path)?;
    }
    let mut outcome = EvalReport::of(sums);
    outcome.object["split"] = split.into();
    outcome.object["machine"] = machine.as_str().into();
    if options.failed {
        outcome.lines(&sums.failed);
    }
    let about = format!(", {} questions, {machine}", sums.questions);
    outcome.line(
        TextLine::of("split ")
            .then(Emphasis::Strong, split)
            .plain(about),
    );
    for (what, value) in sums.rows() {
        outcome.text(format!("{what:<36} {value}"));
    }
    Ok(outcome)
}

fn add_counts<T: std::fmt::Display>(outcome: &mut EvalReport, counts: &BTreeMap<T, usize>) {
    for (what, count) in counts {
        outcome.text(format!("  {what:<64} {count:>3}"));
    }
}

fn bar(part: usize, all: usize) -> String {
    "#".repeat(20 * part / all.max(1))
}
