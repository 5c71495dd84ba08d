//! Reads labelled answers and claims, and articles, from the files of their data sets.

use crate::Error;
use crate::dataset::Split;
use crate::dataset::{draw, json, rows};
use serde::Deserialize;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// What a model was asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Task {
    /// To answer a question from three passages.
    #[serde(rename = "QA")]
    Qa,
    /// To sum up a text.
    Summary,
    /// To describe what a JSON object holds.
    Data2txt,
}

impl Task {
    pub(super) const ALL: [Task; 3] = [Task::Qa, Task::Summary, Task::Data2txt];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Task::Qa => "QA",
            Task::Summary => "Summary",
            Task::Data2txt => "Data2txt",
        }
    }
}

/// An answer of a model in which people marked what is made up.
#[derive(Debug)]
pub(super) struct MarkedAnswer {
    pub(super) task: Task,
    pub(super) text: String,
    pub(super) passages: Vec<String>,
    /// In bytes of the text.
    pub(super) marked: Vec<Range<usize>>,
    /// Answers to one source are on one side.
    pub(super) is_dev: bool,
}

impl MarkedAnswer {
    /// Whether a letter or digit of a part is marked.
    pub(super) fn is_marked(&self, part: &Range<usize>) -> bool {
        self.marked.iter().any(|marked| {
            let both = marked.start.max(part.start)..marked.end.min(part.end);
            both.start < both.end && self.text[both].contains(char::is_alphanumeric)
        })
    }
}

#[derive(Deserialize)]
struct RagTruthRow {
    source_id: String,
    task: Task,
    context: String,
    response: String,
    #[serde(default)]
    spans: Option<Vec<RagTruthSpan>>,
}

/// In characters.
#[derive(Deserialize)]
struct RagTruthSpan {
    start: usize,
    end: usize,
}

/// Reads RAGTruth.
pub(super) fn ragtruth(folder: &Path) -> Result<Vec<MarkedAnswer>, Error> {
    let rows: Vec<RagTruthRow> = rows(&folder.join("ragtruth_test.jsonl"))?;
    Ok(rows.into_iter().map(answer).collect())
}

fn answer(row: RagTruthRow) -> MarkedAnswer {
    let text = row.response;
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
    let spans = row.spans.unwrap_or_default().into_iter();
    MarkedAnswer {
        task: row.task,
        marked: spans
            .map(|span| place(span.start)..place(span.end))
            .collect(),
        passages: match row.task {
            Task::Qa => passages(&row.context),
            Task::Summary | Task::Data2txt => vec![row.context],
        },
        is_dev: Split::Dev.takes(draw(&row.source_id)),
        text,
    }
}

/// The passages of a context: each begins with `passage N:`.
fn passages(context: &str) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    for part in context.split("passage ") {
        let after = part.trim_start_matches(|c: char| c.is_ascii_digit());
        match (
            after.strip_prefix(':').filter(|_| after.len() < part.len()),
            passages.last_mut(),
        ) {
            (Some(text), _) => passages.push(text.to_owned()),
            (None, Some(last)) => last.extend(["passage ", part]),
            (None, None) if part.trim().is_empty() => {}
            (None, None) => passages.push(part.to_owned()),
        }
    }
    passages
}

/// A claim that an abstract supports or contradicts.
#[derive(Debug)]
pub(super) struct LabelledClaim {
    pub(super) text: String,
    pub(super) passage: String,
    pub(super) is_contradicted: bool,
    pub(super) is_dev: bool,
}

#[derive(Deserialize)]
struct SciFactClaim {
    claim: String,
    evidence_doc_id: String,
    evidence_label: String,
    split: String,
}

#[derive(Deserialize)]
struct SciFactAbstract {
    _id: String,
    text: String,
}

/// Reads the labelled claims of SciFact. Weights see those that it calls dev; what it calls train is reported, and the labels
/// of its test are not public.
pub(super) fn scifact(folder: &Path) -> Result<Vec<LabelledClaim>, Error> {
    let abstracts: Vec<SciFactAbstract> = rows(&folder.join("corpus.jsonl"))?;
    let texts: HashMap<String, String> = abstracts
        .into_iter()
        .map(|one| (one._id, one.text))
        .collect();
    let claims: Vec<SciFactClaim> = rows(&folder.join("claims_labelled.jsonl"))?;
    let labelled = claims
        .into_iter()
        .filter(|claim| !claim.evidence_label.is_empty());
    let known = labelled.filter_map(|claim| {
        Some(LabelledClaim {
            passage: texts.get(&claim.evidence_doc_id)?.clone(),
            is_contradicted: claim.evidence_label == "CONTRADICT",
            is_dev: claim.split == "dev",
            text: claim.claim,
        })
    });
    Ok(known.collect())
}

#[derive(Deserialize)]
struct HopArticle {
    title: String,
    body: String,
}

/// Reads the articles of MultiHop-RAG: their texts by their titles.
pub(super) fn multihop(folder: &Path) -> Result<HashMap<String, String>, Error> {
    let articles: Vec<HopArticle> = json(&folder.join("corpus.json"))?;
    let mut texts = HashMap::new();
    for article in articles {
        texts.entry(article.title).or_insert(article.body);
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_begin_with_their_number() {
        let context = "passage 1:One.\n\npassage 2:The passage of time.\n\npassage 3:Three";
        assert_eq!(
            passages(context),
            ["One.\n\n", "The passage of time.\n\n", "Three"]
        );
        assert_eq!(passages("no mark"), ["no mark"]);
    }

    #[test]
    fn spans_are_in_characters() {
        let row: RagTruthRow = serde_json::from_str(
            r#"{"source_id": "1", "task": "QA", "context": "passage 1:x", "response": "é bad. ok", "spans": [{"start": 2, "end": 6}]}"#,
        )
        .unwrap();
        let answer = answer(row);
        assert_eq!(&answer.text[answer.marked[0].clone()], "bad.");
        assert!(answer.is_marked(&(0..7)) && !answer.is_marked(&(7..10)));
    }
}
