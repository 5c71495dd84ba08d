//! Questions whose class is known, read from the files of two public data sets: MultiHop-RAG and Break.

use crate::Error;
use crate::dataset::{Split, at, draw, json, read, short_hash};
use clap::ValueEnum;
use envelope::{QuestionClass, QuestionIntent};
use serde::Deserialize;
use std::path::Path;
use text::question::QuestionReading;

/// A data set of questions whose class is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LabelledSet {
    /// MultiHop-RAG: comparisons and orders of time among questions over news.
    #[value(name = "multihop_rag")]
    MultihopRag,
    /// Break, high-level decompositions: comparisons, numbers to work out, one step or several.
    #[value(name = "break_qdmr")]
    BreakQdmr,
}

/// A question, and what it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Labelled {
    /// Stable over runs.
    pub(super) id: String,
    pub(super) text: String,
    pub(super) label: &'static str,
}

const COMPARISON: &str = "comparison";
const TEMPORAL: &str = "temporal";
const NEITHER: &str = "neither";
const COMPUTE: &str = "compute";
const ONE_STEP: &str = "one_step";
const MULTI_STEP: &str = "multi_step";

/// The questions of a split.
pub(super) fn load(set: LabelledSet, folder: &Path, split: Split) -> Result<Vec<Labelled>, Error> {
    if !folder.is_dir() {
        return Err(Error::NoFolder(folder.to_owned()));
    }
    let mut questions = match set {
        LabelledSet::MultihopRag => multihop(&folder.join("MultiHopRAG.json"))?,
        LabelledSet::BreakQdmr => decomposed(&folder.join("QDMR-high-level_dev.csv"))?,
    };
    questions.retain(|question| split.takes(draw(&question.id)));
    Ok(questions)
}

impl LabelledSet {
    /// As it is called.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            LabelledSet::MultihopRag => "multihop_rag",
            LabelledSet::BreakQdmr => "break_qdmr",
        }
    }

    /// Every label of the set.
    pub(super) const fn labels(self) -> &'static [&'static str] {
        match self {
            LabelledSet::MultihopRag => &[COMPARISON, TEMPORAL, NEITHER],
            LabelledSet::BreakQdmr => &[COMPARISON, COMPUTE, ONE_STEP, MULTI_STEP],
        }
    }

    /// The label of what rules read.
    pub(super) fn label_of(self, reading: &QuestionReading) -> &'static str {
        match (self, reading.class, reading.intent) {
            (LabelledSet::BreakQdmr, _, QuestionIntent::Compute) => COMPUTE,
            (_, QuestionClass::Comparative, _) => COMPARISON,
            (LabelledSet::MultihopRag, QuestionClass::Temporal, _) => TEMPORAL,
            (LabelledSet::MultihopRag, _, _) => NEITHER,
            (LabelledSet::BreakQdmr, QuestionClass::Simple, _) => ONE_STEP,
            (LabelledSet::BreakQdmr, _, _) => MULTI_STEP,
        }
    }
}

#[derive(Deserialize)]
struct Asked {
    query: String,
    question_type: String,
}

/// Questions over news: comparisons, orders of time, and others.
fn multihop(path: &Path) -> Result<Vec<Labelled>, Error> {
    let asked: Vec<Asked> = json(path)?;
    let labelled = |one: Asked| Labelled {
        id: short_hash(&one.query),
        label: match one.question_type.as_str() {
            "comparison_query" => COMPARISON,
            "temporal_query" => TEMPORAL,
            _ => NEITHER,
        },
        text: one.query,
    };
    Ok(asked.into_iter().map(labelled).collect())
}

/// Questions with the operators of their decomposition: id, question, steps, operators, split.
fn decomposed(path: &Path) -> Result<Vec<Labelled>, Error> {
    let text = read(path)?;
    let mut questions = Vec::new();
    for (number, row) in rows(&text).into_iter().enumerate().skip(1) {
        let [id, question, _, operators, ..] = &row[..] else {
            let what = format!("has {} columns; want 5", row.len());
            return Err(at(path, number + 1, &what));
        };
        if let Some(label) = label_of_operators(operators) {
            questions.push(Labelled {
                id: id.clone(),
                text: question.clone(),
                label,
            });
        }
    }
    Ok(questions)
}

/// The first label that fits; none where an operator is not known.
fn label_of_operators(listed: &str) -> Option<&'static str> {
    let operators: Vec<&str> = listed
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let has = |operator: &str| operators.contains(&operator);
    match operators.len() {
        0 => None,
        _ if has("None") => None,
        _ if has("aggregate") || has("arithmetic") => Some(COMPUTE),
        _ if has("comparison") => Some(COMPARISON),
        1 => Some(ONE_STEP),
        _ => Some(MULTI_STEP),
    }
}

/// The rows of comma-separated values. Quoted fields may hold commas, line ends and doubled quotes.
fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, is_quoted) {
            ('"', true) if chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            ('"', _) => is_quoted = !is_quoted,
            (',', false) => row.push(std::mem::take(&mut field)),
            ('\r', false) => {}
            ('\n', false) => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            (c, _) => field.push(c),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(name: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        folder
    }

    #[test]
    fn a_label_is_the_first_that_fits_its_operators() {
        let table = "question_id,question_text,decomposition,operators,split\n\
            a,\"Which is heavier, \"\"A\"\" or B?\",\"return A ;\nreturn B\",\"['select', 'select', 'comparison']\",dev\n\
            b,How many crates?,x,\"['select', 'aggregate', 'comparison']\",dev\r\n\
            c,Who signed?,x,['select'],dev\n\
            d,Who signed what?,x,\"['select', 'project']\",dev\n\
            e,Unknown,x,\"['select', 'None']\",dev";
        let folder = write("QDMR-high-level_dev.csv", table);
        let all = load(LabelledSet::BreakQdmr, folder.path(), Split::All).unwrap();
        let labels: Vec<_> = all.iter().map(|one| one.label).collect();
        assert_eq!(labels, [COMPARISON, COMPUTE, ONE_STEP, MULTI_STEP]);
        assert_eq!(all[0].text, "Which is heavier, \"A\" or B?");
    }

    #[test]
    fn splits_share_no_question() {
        let asked: Vec<_> = (0..60)
            .map(|n| serde_json::json!({"query": format!("q{n}"), "question_type": "temporal_query"}))
            .collect();
        let folder = write("MultiHopRAG.json", &serde_json::json!(asked).to_string());
        let of = |split| load(LabelledSet::MultihopRag, folder.path(), split).unwrap();
        let (dev, test) = (of(Split::Dev), of(Split::Test));
        assert_eq!(dev.len() + test.len(), 60);
        assert!(!dev.is_empty() && dev.iter().all(|one| !test.contains(one)));
        assert!(dev.iter().all(|one| one.label == TEMPORAL));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let folder = write("QDMR-high-level_dev.csv", "a,b\nc,d\n");
        let error = load(LabelledSet::BreakQdmr, folder.path(), Split::All).unwrap_err();
        assert!(
            error.to_string().ends_with("line 2: has 2 columns; want 5"),
            "{error}"
        );
        let gone = load(LabelledSet::MultihopRag, folder.path(), Split::All).unwrap_err();
        assert!(matches!(gone, Error::NoFile { .. }));
        let nowhere = folder.path().join("none");
        let error = load(LabelledSet::MultihopRag, &nowhere, Split::All).unwrap_err();
        assert!(matches!(error, Error::NoFolder(_)));
    }
}
