//! Checks answers of the offline reader to the questions of the sample corpus. The reader quotes its sources, so
//! nearly all sentences are supported.
//!
//! Searches use words alone and return five passages for each question, which are read as a mapper and a reducer read
//! them.

use super::mutated;
use crate::Error;
use crate::dataset::rows_of;
use crate::ground::in_memory;
use crate::measure::request;
use argosy::sample;
use documents::corpus;
use envelope::{Passage, Role, TenantId};
use groundedness::{SentenceVerdict, Thresholds, check};
use index::{HybridSearcher, Options};
use offline_reader::OfflineReader;
use search::Searcher;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Passages that are read for a question.
const PASSAGES: usize = 5;
/// Tokens of a fact list, and of an answer.
const TOKENS_MAX: u32 = 400;

/// How many sentences of its answers are flagged.
#[derive(Debug, Default, Serialize)]
pub(super) struct ReaderFigures {
    pub(super) answers: usize,
    pub(super) sentences: usize,
    pub(super) flagged: f64,
    pub(super) contradicted: f64,
}

#[derive(Deserialize)]
struct SampleQuestion {
    id: String,
    question: String,
}

#[derive(Deserialize)]
struct Facts {
    facts: Vec<String>,
}

/// The figures over all questions that it answers.
pub(super) async fn figures(
    thresholds: &Thresholds,
    failed: &mut Vec<String>,
) -> Result<ReaderFigures, Error> {
    let folder = tempfile::tempdir()?;
    sample::unpack(folder.path())?;
    let searcher = searcher(folder.path())?;
    let reader = OfflineReader::new();
    let (mut figures, mut flagged, mut contradicted) = (ReaderFigures::default(), 0, 0);
    let questions: Vec<SampleQuestion> = rows_of(sample::QUESTIONS, Path::new("questions.jsonl"))?;
    for question in questions {
        let found = searcher
            .search(&request(&question.question, PASSAGES))
            .await;
        let found = found.map_err(|error| Error::Question {
            id: question.id,
            error,
        })?;
        let Some(answer) = answer(&reader, &question.question, &found.passages) else {
            continue;
        };
        let texts: Vec<String> = found
            .passages
            .iter()
            .map(|passage| format!("{}\n\n{}", passage.title, passage.text))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        figures.answers += 1;
        for one in check(&answer, &texts, thresholds).sentences {
            figures.sentences += usize::from(one.verdict != SentenceVerdict::NoClaim);
            let is_contradicted = one.verdict == SentenceVerdict::Contradicted;
            contradicted += usize::from(is_contradicted);
            if is_contradicted || one.verdict == SentenceVerdict::Unsupported {
                flagged += 1;
                let why = one.reason.map_or(String::new(), |reason| {
                    format!("{} `{}`", reason.kind.as_str(), reason.words)
                });
                failed.push(format!(
                    "offline reader, {why}: {}",
                    text::one_line(&answer[one.start..one.end])
                ));
            }
        }
    }
    figures.flagged = mutated::share(flagged, figures.sentences);
    figures.contradicted = mutated::share(contradicted, figures.sentences);
    Ok(figures)
}

fn searcher(folder: &Path) -> Result<HybridSearcher, Error> {
    // Every document of the sample can be read; a test of the corpus sees to that.
    let documents = corpus::walk(folder, &TenantId::default_tenant());
    let index = in_memory(Vec::new(), documents.filter_map(|(_, found)| found.ok()))?;
    let options = Options {
        vectors: false,
        ..Options::default()
    };
    Ok(HybridSearcher::new(index, options))
}

/// What it answers out of passages; nothing where it finds no fact.
fn answer(reader: &OfflineReader, question: &str, passages: &[Passage]) -> Option<String> {
    let mut facts = Vec::new();
    for (number, passage) in (1..).zip(passages) {
        let Passage {
            source,
            title,
            text,
            ..
        } = passage;
        let user = format!(
            "<question>\n{question}\n</question>\n<text>\nsource: {source}\ntitle: {title}\n\n{text}\n</text>"
        );
        let mapped = reader.answer(Role::Mapper, &user, TOKENS_MAX)?;
        let mapped: Facts = serde_json::from_str(&mapped).ok()?;
        facts.extend(
            mapped
                .facts
                .into_iter()
                .map(|fact| format!("[{number}] {fact}")),
        );
    }
    let facts = facts.join("\n");
    let user = format!("<question>\n{question}\n</question>\n<facts>\n{facts}\n</facts>");
    reader
        .answer(Role::Reducer, &user, TOKENS_MAX)
        .filter(|answer| answer.contains('['))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What quotes is supported; measured: none of 191 sentences is flagged.
    #[tokio::test]
    async fn quotes_are_supported() {
        let mut failed = Vec::new();
        let figures = figures(&Thresholds::default(), &mut failed).await.unwrap();
        assert!(figures.answers >= 60, "{figures:?}");
        assert!(
            figures.flagged <= 0.03,
            "{figures:?}\n{}",
            failed.join("\n")
        );
    }
}
