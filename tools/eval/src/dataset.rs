//! The form into which every data set is converted: questions with their right answers.
//!
//! Splits are drawn by the hash of a question's id. So a question is always in the same split, whichever other
//! questions are asked, and thresholds that were chosen on `dev` can be reported on `test`.

use super::{Error, beir, multihop};
use clap::ValueEnum;
use documents::Document;
use documents::document::{NumberedLine, bucket_of, doc_id_of, sha256_hex};
use documents::normalise::normalise;
use envelope::{DocId, Passage, TenantId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Largest file of a data set, in bytes.
const FILE_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// One question in this many is in `dev`.
const DEV_ONE_IN: u64 = 3;
/// Hex digits of a hash that name a document or a question.
const ID_CHARS: usize = 16;

/// A data set.
pub(super) struct Dataset {
    /// Which.
    pub(super) name: DatasetName,
    /// What is searched.
    pub(super) documents: Vec<Document>,
    /// What is asked.
    pub(super) questions: Vec<Question>,
    /// What counts as one hit.
    pub(super) unit: Unit,
    /// Judgements of documents that the corpus does not have.
    pub(super) unmatched: usize,
}

/// What counts as one hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A document, at the rank of its best chunk.
    Document,
    /// A chunk.
    Chunk,
}

/// A question.
pub(super) struct Question {
    /// Stable over runs.
    pub(super) id: String,
    /// As a user writes it.
    pub(super) text: String,
    /// Its type, where the data set has types.
    pub(super) kind: Option<String>,
    /// What is right; nothing where no answer exists.
    pub(super) gold: Gold,
}

/// What is right.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Gold {
    /// Documents with their grades; a grade of 0 or less says that the document is wrong.
    Documents(BTreeMap<DocId, i32>),
    /// Facts, squeezed, that chunks contain to the letter.
    Facts(Vec<String>),
}

/// What was found of the gold.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ranking {
    /// For each rank, best first, which items of the gold are there.
    pub(super) found: Vec<Vec<usize>>,
    /// What each item of the gold is worth.
    pub(super) grades: Vec<f64>,
}

impl Dataset {
    /// Reads a data set from its folder.
    pub(super) fn load(name: DatasetName, folder: &Path) -> Result<Dataset, Error> {
        if !folder.is_dir() {
            return Err(Error::NoFolder(folder.to_owned()));
        }
        match name {
            DatasetName::MultihopRag => multihop::load(folder),
            DatasetName::Scifact | DatasetName::Cranfield | DatasetName::Cacm => {
                beir::load(name, folder)
            }
        }
    }

    /// Keeps the questions of a split, and of those at most `limit`: the ones with the smallest
    /// hashes, which is a sample that does not change. The order stays.
    pub(super) fn keep(&mut self, split: Split, limit: Option<usize>) {
        self.questions.retain(|q| split.takes(draw(&q.id)));
        let Some(limit) = limit.filter(|n| *n < self.questions.len()) else {
            return;
        };
        let mut draws: Vec<u64> = self.questions.iter().map(|q| draw(&q.id)).collect();
        draws.sort_unstable();
        self.questions
            .retain(|q| draws[..limit].contains(&draw(&q.id)));
    }

    /// How many questions have no answer.
    pub(super) fn nulls(&self) -> usize {
        self.questions.iter().filter(|q| q.gold.is_empty()).count()
    }
}

/// A data set with known answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DatasetName {
    /// MultiHop-RAG: news, and questions over several articles.
    #[value(name = "multihop_rag")]
    MultihopRag,
    /// SciFact, as BEIR has it: claims and abstracts.
    Scifact,
    /// Cranfield: aerodynamics.
    Cranfield,
    /// CACM: computing.
    Cacm,
}

impl DatasetName {
    /// As it is called.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            DatasetName::MultihopRag => "multihop_rag",
            DatasetName::Scifact => "scifact",
            DatasetName::Cranfield => "cranfield",
            DatasetName::Cacm => "cacm",
        }
    }
}

/// Part of the questions of a data set, by the hash of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Split {
    /// A third, to choose settings on.
    Dev,
    /// The other two thirds, to report.
    Test,
    /// All questions.
    All,
}

impl Split {
    /// As it is called.
    pub const fn as_str(self) -> &'static str {
        match self {
            Split::Dev => "dev",
            Split::Test => "test",
            Split::All => "all",
        }
    }

    /// Whether a question with this draw is in the split.
    pub(super) fn takes(self, draw: u64) -> bool {
        let dev = draw.is_multiple_of(DEV_ONE_IN);
        match self {
            Split::Dev => dev,
            Split::Test => !dev,
            Split::All => true,
        }
    }
}

/// A number drawn from an id, the same for ever.
pub(super) fn draw(id: &str) -> u64 {
    u64::from_str_radix(&short_hash(id), 16).unwrap_or_default()
}

/// A short name for a text.
pub(super) fn short_hash(text: &str) -> String {
    sha256_hex(text.as_bytes())[..ID_CHARS].to_owned()
}

impl Gold {
    /// Whether nothing is right.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Gold::Documents(grades) => grades.values().all(|grade| *grade <= 0),
            Gold::Facts(facts) => facts.is_empty(),
        }
    }

    /// What of the gold is where among the passages.
    pub(super) fn ranking(&self, passages: &[Passage]) -> Ranking {
        match self {
            Gold::Documents(grades) => ranked_documents(grades, passages),
            Gold::Facts(facts) => Ranking {
                found: passages
                    .iter()
                    .map(|passage| {
                        let text = squeezed(&passage.text);
                        let there = |i: &usize| text.contains(facts[*i].as_str());
                        (0..facts.len()).filter(there).collect()
                    })
                    .collect(),
                grades: vec![1.0; facts.len()],
            },
        }
    }
}

fn ranked_documents(grades: &BTreeMap<DocId, i32>, passages: &[Passage]) -> Ranking {
    let gold: Vec<(&DocId, i32)> = grades
        .iter()
        .filter(|(_, grade)| **grade > 0)
        .map(|(doc, grade)| (doc, *grade))
        .collect();
    let mut seen: Vec<&DocId> = Vec::new();
    for passage in passages {
        if !seen.contains(&&passage.doc_id) {
            seen.push(&passage.doc_id);
        }
    }
    let found = seen
        .into_iter()
        .map(|doc| {
            gold.iter()
                .position(|(id, _)| *id == doc)
                .into_iter()
                .collect()
        })
        .collect();
    Ranking {
        found,
        grades: gold
            .into_iter()
            .map(|(_, grade)| f64::from(grade))
            .collect(),
    }
}

/// A text without blanks and line ends, as facts and chunks are compared.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '\n')).collect()
}

/// Lines of a text, cleaned as the reader of files does it.
pub(super) fn lines(text: &str) -> Vec<NumberedLine> {
    let lines = text.lines().zip(1..).map(|(text, number)| NumberedLine {
        number,
        page: None,
        text: text.to_owned(),
    });
    normalise(lines.collect(), true)
}

/// A document as the reader of files would make it. Its path is a hash of `id`, which no question
/// contains: a path that says something would help the search.
pub(super) fn document(
    id: &str,
    title: &str,
    text: &str,
    metadata: BTreeMap<String, Value>,
) -> Document {
    let tenant = TenantId::default_tenant();
    let source = source_of(id);
    Document {
        bucket: bucket_of(&source),
        doc_id: doc_id_of(&tenant, &source),
        tenant,
        title: title.trim().to_owned(),
        ext: "txt".into(),
        metadata,
        page_names: BTreeMap::new(),
        hash: sha256_hex(text.as_bytes()),
        lines: lines(text),
        source,
    }
}

/// The id that [`document`] gives.
pub(super) fn doc_id(id: &str) -> DocId {
    doc_id_of(&TenantId::default_tenant(), &source_of(id))
}

fn source_of(id: &str) -> String {
    format!("{}.txt", short_hash(id))
}

/// The day with which a text begins, in ISO form.
pub(super) fn day_of(text: &str) -> Option<linking::Date> {
    let mut parts = text.get(..10)?.split('-');
    let year = parts.next()?.parse().ok()?;
    let mut small = || parts.next()?.parse::<u8>().ok();
    linking::days::day(year, small()?, small()?)
}

/// The day that a text is in ISO form, with nothing behind it.
pub(super) fn whole_day(text: &str) -> Option<linking::Date> {
    day_of(text).filter(|_| text.len() == "2023-11-27".len())
}

/// The text of a file.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    let fail = |error: std::io::Error| {
        let path = path.to_owned();
        match error.kind() {
            std::io::ErrorKind::NotFound => Error::NoFile { path, error },
            _ => Error::File { path, error },
        }
    };
    let bytes = std::fs::metadata(path).map_err(fail)?.len();
    if bytes > FILE_BYTES_MAX {
        return Err(at(path, 1, &format!("larger than {FILE_BYTES_MAX} bytes")));
    }
    std::fs::read_to_string(path).map_err(fail)
}

/// The value of a file of JSON.
pub(super) fn json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    serde_json::from_str(&read(path)?).map_err(|error| at(path, error.line(), &error.to_string()))
}

/// The values of a file with one in each line.
pub(super) fn rows<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    rows_of(&read(path)?, path)
}

/// The same of the text of a file.
pub(super) fn rows_of<T: DeserializeOwned>(text: &str, path: &Path) -> Result<Vec<T>, Error> {
    let lines = text
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty());
    let row = |(line, number): (&str, usize)| {
        serde_json::from_str(line).map_err(|error| at(path, number, &error.to_string()))
    };
    lines.map(row).collect()
}

/// What is wrong in which line of which file.
pub(super) fn at(path: &Path, line: usize, what: &str) -> Error {
    Error::Line {
        path: path.to_owned(),
        line,
        what: what.to_owned(),
    }
}

#[cfg(test)]
#[path = "dataset_tests.rs"]
mod tests;
