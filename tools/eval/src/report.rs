//! The report of a measurement of retrieval: a table for people, an object for programs, and a line per question for
//! people who look for the questions that failed. No part of the report contains text of a data set.

use super::dataset::{Dataset, Question};
use super::figures::Figures;
use super::ground::{self, Ground};
use super::measure::Asked;
use super::paired::{Paired, paired};
use crate::cli::EvalRetrievalArgs;
use crate::outcome::{EvalReport, TextLine};
use argosy::machine::machine;
use documents::chunk::{CHUNK_TOKENS_MAX, OVERLAP_TOKENS_MAX};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// One run.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    dataset: String,
    split: String,
    questions: usize,
    null_questions: usize,
    documents: usize,
    chunks: u64,
    judgements_without_document: usize,
    /// The evidence recall that a perfect search would reach: facts that no chunk has whole are lost.
    evidence_ceiling: Option<f64>,
    chunker: Chunker,
    embedder: Option<String>,
    machine: String,
    configurations: Vec<Configuration>,
}

#[derive(Debug, Serialize)]
struct Chunker {
    tokens: usize,
    overlap: usize,
}

#[derive(Debug, Serialize)]
struct Configuration {
    name: &'static str,
    #[serde(flatten)]
    figures: Figures,
    by_type: BTreeMap<String, Figures>,
    /// How much better it is than the first one, question by question.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Against>,
}

#[derive(Debug, Serialize)]
struct Against {
    name: &'static str,
    differences: BTreeMap<String, Paired>,
}

impl Report {
    /// What is the same for every method.
    pub(super) fn begin(options: &EvalRetrievalArgs, dataset: &Dataset, ground: &Ground) -> Report {
        Report {
            dataset: dataset.name.as_str().to_owned(),
            split: options.split.as_str().to_owned(),
            questions: dataset.questions.len(),
            null_questions: dataset.nulls(),
            documents: dataset.documents.len(),
            chunks: ground.index.chunk_count(),
            judgements_without_document: dataset.unmatched,
            evidence_ceiling: options.deep.then(|| ground::ceiling(dataset)).flatten(),
            chunker: Chunker {
                tokens: CHUNK_TOKENS_MAX,
                overlap: OVERLAP_TOKENS_MAX,
            },
            embedder: ground.embedder(),
            machine: machine(),
            configurations: Vec::new(),
        }
    }

    /// Takes in what a method reached, in the whole and by type of question.
    pub(super) fn add(&mut self, name: &'static str, dataset: &Dataset, asked: &[Asked]) {
        let all: Vec<(&Question, &Asked)> = dataset.questions.iter().zip(asked).collect();
        let mut by_type: BTreeMap<String, Vec<(&Question, &Asked)>> = BTreeMap::new();
        for one in &all {
            if let Some(kind) = one.0.kind.as_ref().filter(|_| !one.0.gold.is_empty()) {
                by_type.entry(kind.clone()).or_default().push(*one);
            }
        }
        self.configurations.push(Configuration {
            name,
            figures: Figures::of(dataset.unit, &all),
            by_type: by_type
                .into_iter()
                .map(|(kind, some)| (kind, Figures::of(dataset.unit, &some)))
                .collect(),
            against: None,
        });
    }

    /// Takes in how the last method differs from another.
    pub(super) fn compare(
        &mut self,
        name: &'static str,
        dataset: &Dataset,
        base: &[Asked],
        other: &[Asked],
    ) {
        if let Some(last) = self.configurations.last_mut() {
            let differences = paired(dataset.unit, &dataset.questions, base, other);
            last.against = Some(Against { name, differences });
        }
    }

    /// As it is told.
    pub(super) fn outcome(&self) -> EvalReport {
        let mut outcome = EvalReport::of(self);
        outcome.text(format!(
            "{} split {}: {} questions, {} of them without an answer; {} documents in {} chunks of {} tokens, overlap {}; embedder {}; {}",
            self.dataset,
            self.split,
            self.questions,
            self.null_questions,
            self.documents,
            self.chunks,
            self.chunker.tokens,
            self.chunker.overlap,
            self.embedder.as_deref().unwrap_or("none"),
            self.machine
        ));
        if let Some(ceiling) = self.evidence_ceiling {
            outcome.text(format!(
                "a perfect search would find {ceiling:.3} of the evidence in these chunks"
            ));
        }
        let mut head = format!("{:<22}", "");
        for (name, _) in COLUMNS {
            head.push_str(&format!(" {name:>8}"));
        }
        outcome.line(TextLine::strong(head));
        for configuration in &self.configurations {
            outcome.text(row(configuration.name, &configuration.figures));
            for (kind, figures) in &configuration.by_type {
                outcome.text(row(&format!("  {kind}"), figures));
            }
        }
        for configuration in &self.configurations {
            let Some(against) = &configuration.against else {
                continue;
            };
            let title = format!("{} against {}", configuration.name, against.name);
            outcome.line(TextLine::strong(title));
            for (kind, paired) in &against.differences {
                outcome.text(format!("  {kind:<20} {}", told(paired)));
            }
        }
        outcome
    }
}

/// Differences with their standard errors.
fn told(paired: &Paired) -> String {
    let figures = [
        ("hits@4", Some(paired.hits_at_4)),
        ("ndcg@10", paired.ndcg_at_10),
        ("evid@10", paired.evidence_recall_at_10),
        ("all@10", paired.all_evidence_at_10),
    ];
    let told = figures
        .iter()
        .filter_map(|(name, figure)| Some(format!("{name} {}", (*figure)?)));
    told.collect::<Vec<_>>().join("  ")
}

type Column = (&'static str, fn(&Figures) -> Option<f64>);

const COLUMNS: [Column; 13] = [
    ("hits@4", |f| f.hits_at_4),
    ("hits@10", |f| f.hits_at_10),
    ("map@10", |f| f.map_at_10),
    ("mrr@10", |f| f.mrr_at_10),
    ("ndcg@10", |f| f.ndcg_at_10),
    ("evid@10", |f| f.evidence_recall_at_10),
    ("all@10", |f| f.all_evidence_at_10),
    ("rec@100", |f| f.recall_at_100),
    ("map@100", |f| f.map_at_100),
    ("all@100", |f| f.all_evidence_at_100),
    ("null auc", |f| f.null_auroc),
    ("p50 ms", |f| Some(f.p50_ms)),
    ("p99 ms", |f| Some(f.p99_ms)),
];

fn row(name: &str, figures: &Figures) -> String {
    let mut row = format!("{name:<22}");
    for (_, pick) in COLUMNS {
        let shown = pick(figures).map_or_else(|| "--".into(), |v| format!("{v:.3}"));
        row.push_str(&format!(" {shown:>8}"));
    }
    row
}

/// One line of JSON for each question: at which rank each item of the gold was found (chunks, or
/// documents where these are the unit; null where it was not), and which chunks were found.
pub(super) fn details(name: &str, dataset: &Dataset, asked: &[Asked]) -> Vec<String> {
    let line = |(question, asked): (&Question, &Asked)| {
        let ranking = asked.deep.as_ref().unwrap_or(&asked.ranking);
        let at = |item| ranking.found.iter().position(|items| items.contains(&item));
        let ranks: Vec<Option<usize>> = (0..ranking.grades.len())
            .map(|item| at(item).map(|rank| rank + 1))
            .collect();
        json!({
            "configuration": name, "question": question.id, "type": question.kind,
            "gold_ranks": ranks, "passages": asked.passages, "ms": asked.ms,
        })
        .to_string()
    };
    dataset.questions.iter().zip(asked).map(line).collect()
}
