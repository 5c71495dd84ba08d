//! The report of a measurement of groundedness: a table for people, an object for programs, and an HTML page.

use super::marked::TaskFigures;
use super::mutated::MutationFigures;
use super::reader::ReaderFigures;
use crate::outcome::{EvalReport, TextLine};
use crate::page::Page;
use argosy::machine::machine;
use serde::Serialize;

/// Figures of claims that are supported or contradicted.
#[derive(Debug, Serialize)]
pub(super) struct ClaimFigures {
    pub(super) claims: usize,
    /// How well the contrast of a sentence tells the contradicted ones, and what plain coverage does.
    pub(super) auroc: Option<f64>,
    pub(super) coverage_auroc: Option<f64>,
}

/// One run.
#[derive(Debug, Default, Serialize)]
pub(super) struct GroundednessReport {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ragtruth: Vec<TaskFigures>,
    /// The mean of the tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sentence_auroc_mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scifact: Option<ClaimFigures>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) multihop_rag: Vec<MutationFigures>,
    pub(super) sample: Vec<MutationFigures>,
    /// Answers that quote.
    pub(super) offline_reader: ReaderFigures,
    /// Half of the answers of 200 words beside five passages were checked in this time.
    pub(super) answer_micros_p50: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fitted: Vec<String>,
    pub(super) machine: String,
    /// What was judged wrongly, a line each: for the page, and for the output on request.
    #[serde(skip)]
    pub(super) failed: Vec<String>,
}

impl GroundednessReport {
    pub(super) fn new() -> GroundednessReport {
        GroundednessReport {
            machine: machine(),
            ..GroundednessReport::default()
        }
    }

    /// The figures with their names, as all ways to look at them have them.
    fn rows(&self) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        let shown =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.3}"));
        for one in &self.ragtruth {
            let task = one.task;
            let mut row = |name: &str, value: String| rows.push((format!("{task}: {name}"), value));
            row(
                "answers, marked",
                format!("{}, {}", one.answers, one.answers_marked),
            );
            row(
                "answers, AUROC",
                format!(
                    "{} (overlap {}, length {})",
                    shown(one.answer_auroc),
                    shown(one.overlap_auroc),
                    shown(one.length_auroc)
                ),
            );
            row(
                "answers, balanced accuracy, F1",
                format!("{:.3}, {:.3}", one.answer_balanced_accuracy, one.answer_f1),
            );
            row(
                "answers, calibration error, Brier skill",
                format!(
                    "{:.3}, {:.3}",
                    one.expected_calibration_error, one.brier_skill
                ),
            );
            row(
                "confidence: AUROC, calibration error, Brier skill",
                format!(
                    "{}, {:.3}, {:.3}",
                    shown(one.confidence_auroc),
                    one.confidence_calibration_error,
                    one.confidence_brier_skill
                ),
            );
            row(
                "sentences, marked",
                format!("{}, {}", one.sentences, one.sentences_marked),
            );
            row(
                "sentences, AUROC",
                format!(
                    "{} (coverage {})",
                    shown(one.sentence_auroc),
                    shown(one.coverage_auroc)
                ),
            );
            row(
                "sentences, balanced accuracy, F1",
                format!(
                    "{:.3}, {:.3}",
                    one.sentence_balanced_accuracy, one.sentence_f1
                ),
            );
            let flagged = one
                .marked_flagged_at
                .iter()
                .map(|(share, marked)| format!("{marked:.3} at {share}"));
            row(
                "marked sentences flagged, by unmarked ones flagged",
                flagged.collect::<Vec<_>>().join(", "),
            );
            let verdicts = &one.verdicts;
            row(
                "verdicts: flagged, contradicted of the unmarked",
                format!(
                    "{:.3}, {:.3}",
                    verdicts.unmarked_flagged, verdicts.unmarked_contradicted
                ),
            );
            row(
                "verdicts: flagged, contradicted of the marked",
                format!(
                    "{:.3}, {:.3}",
                    verdicts.marked_flagged, verdicts.marked_contradicted
                ),
            );
            row(
                "precision of unsupported, contradicted",
                format!(
                    "{:.3}, {:.3}",
                    verdicts.unsupported_precision, verdicts.contradicted_precision
                ),
            );
        }
        if self.sentence_auroc_mean.is_some() {
            rows.push((
                "sentences, AUROC, mean of the tasks".into(),
                shown(self.sentence_auroc_mean),
            ));
        }
        if let Some(claims) = &self.scifact {
            let value = format!(
                "{} (coverage {}; {} claims)",
                shown(claims.auroc),
                shown(claims.coverage_auroc),
                claims.claims
            );
            rows.push(("SciFact: contradicted or supported, AUROC".into(), value));
        }
        let reader = &self.offline_reader;
        let value = format!(
            "{:.3}, {:.3} of {} in {} answers",
            reader.flagged, reader.contradicted, reader.sentences, reader.answers
        );
        rows.push((
            "offline reader: sentences flagged, contradicted".into(),
            value,
        ));
        rows.push((
            "an answer of 200 words, five passages".into(),
            format!("{:.0} µs (p50)", self.answer_micros_p50),
        ));
        rows
    }

    fn mutations(&self) -> impl Iterator<Item = (String, &MutationFigures)> {
        let named = |name: &'static str| move |one| (name.to_owned(), one);
        self.multihop_rag
            .iter()
            .map(named("MultiHop-RAG"))
            .chain(self.sample.iter().map(named("sample")))
    }

    /// As it is told; with what was judged wrongly when that is wanted.
    pub(super) fn outcome(&self, failed: bool) -> EvalReport {
        let mut outcome = EvalReport::of(self);
        if failed {
            outcome.lines(&self.failed);
        }
        for (name, value) in self.rows() {
            outcome.text(format!("{name:<62} {value}"));
        }
        outcome.line(TextLine::strong(format!(
            "{:<14} {:<18} {:>9} {:>8} {:>12}",
            "sentences of", "mutation", "sentences", "flagged", "contradicted"
        )));
        for (of, one) in self.mutations() {
            outcome.text(format!(
                "{of:<14} {:<18} {:>9} {:>8.3} {:>12.3}",
                one.mutation, one.sentences, one.flagged, one.contradicted
            ));
        }
        outcome.lines(&self.fitted);
        outcome
    }

    /// A page to keep: all figures, a bar for each mutation, what was judged wrongly.
    pub(super) fn page(&self) -> Page {
        let bars = self.mutations().map(|(of, one)| {
            let told = format!(
                "{:.3} of {}, contradicted {:.3}",
                one.flagged, one.sentences, one.contradicted
            );
            (format!("{of}: {}", one.mutation), one.flagged, told)
        });
        Page {
            title: "Groundedness".into(),
            lead: self.machine.clone(),
            rows: self.rows(),
            bars: bars.collect(),
            bars_title: "Sentences flagged, by mutation".into(),
            failed: self.failed.clone(),
            ..Page::default()
        }
    }
}
