//! Questions with the values that a right answer states: of the sample corpus, of a folder, or of MultiHop-RAG.

use crate::dataset::{Dataset, DatasetName, Split, draw, rows};
use crate::labelled::LabelledQuestion;
use crate::{Error, articles, multihop};
use argosy::sample;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The answers of MultiHop-RAG where there is none.
const INSUFFICIENT: &str = "Insufficient information.";

/// A question, and what its answer is judged by.
#[derive(Debug, Clone, Default)]
pub(super) struct AnswerQuestion {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) text: String,
    /// Fields that are sent along.
    pub(super) fields: Map<String, Value>,
    /// The values of a right answer, each with its alternatives; none where the documents do not say.
    pub(super) contains: Vec<String>,
    /// Values that make an answer wrong.
    pub(super) rivals: Vec<String>,
    /// The documents that say it, as the corpus names them.
    pub(super) sources: BTreeSet<String>,
}

/// Questions, and the documents that they are asked of.
pub(super) struct QuestionSet {
    pub(super) name: String,
    pub(super) corpus: PathBuf,
    pub(super) questions: Vec<AnswerQuestion>,
}

impl AnswerQuestion {
    /// Whether the documents answer it.
    pub(super) fn is_answerable(&self) -> bool {
        !self.contains.is_empty()
    }

    /// The same without the documents that say it, so that there is no answer.
    pub(super) fn without_sources(&self) -> AnswerQuestion {
        AnswerQuestion {
            id: format!("{}-taken-away", self.id),
            kind: "taken_away".into(),
            contains: Vec::new(),
            rivals: Vec::new(),
            ..self.clone()
        }
    }
}

impl From<LabelledQuestion> for AnswerQuestion {
    fn from(one: LabelledQuestion) -> AnswerQuestion {
        AnswerQuestion {
            fields: one.fields(),
            id: one.id,
            kind: one.kind,
            text: one.question,
            contains: one.contains,
            rivals: one.rivals,
            sources: one.sources,
        }
    }
}

impl QuestionSet {
    /// The set in `path`: a folder with `questions.jsonl` and `corpus`, or MultiHop-RAG. Default: the sample corpus.
    /// Documents that are no files yet are written below `scratch`.
    pub(super) fn load(path: Option<&Path>, scratch: &Path) -> Result<QuestionSet, Error> {
        let corpus = scratch.join("corpus");
        let Some(path) = path else {
            sample::unpack(&corpus)?;
            let questions = LabelledQuestion::sample().map_err(std::io::Error::other)?;
            return Ok(QuestionSet {
                name: "sample".into(),
                corpus,
                questions: questions.into_iter().map(AnswerQuestion::from).collect(),
            });
        };
        let file = path.join("questions.jsonl");
        if !file.is_file() {
            return multihop_rag(path, corpus);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let questions: Vec<LabelledQuestion> = rows(&file)?;
        Ok(QuestionSet {
            name: name.into_owned(),
            corpus: path.join("corpus"),
            questions: questions.into_iter().map(AnswerQuestion::from).collect(),
        })
    }

    /// Keeps the questions of a split, and of them a number that is spread over all kinds.
    pub(super) fn keep(&mut self, split: Split, limit: Option<usize>) {
        self.questions.retain(|one| split.takes(draw(&one.id)));
        if let Some(limit) = limit {
            self.questions.sort_by_key(|one| draw(&one.id));
            self.questions.truncate(limit);
        }
    }
}

fn multihop_rag(path: &Path, corpus: PathBuf) -> Result<QuestionSet, Error> {
    let dataset = Dataset::load(DatasetName::MultihopRag, path)?;
    let answers = multihop::answers(path)?;
    let evidence = multihop::evidence(path)?;
    let sources = |id: &String| {
        let wanted = evidence.get(id);
        let is_wanted = |document: &&documents::Document| {
            wanted.is_some_and(|ids| ids.contains(&document.doc_id))
        };
        let found = dataset.documents.iter().filter(is_wanted);
        found
            .map(|document| articles::file_name(&document.source))
            .collect()
    };
    let questions = dataset.questions.iter().map(|one| {
        let answer = answers
            .get(&one.id)
            .filter(|answer| *answer != INSUFFICIENT);
        let lower = answer.map(|answer| answer.to_lowercase());
        let rival = match lower.as_deref() {
            Some("yes") => Some("no"),
            Some("no") => Some("yes"),
            _ => None,
        };
        AnswerQuestion {
            id: one.id.clone(),
            kind: one.kind.clone().unwrap_or_default(),
            text: one.text.clone(),
            contains: answer.cloned().into_iter().collect(),
            rivals: rival.map(str::to_owned).into_iter().collect(),
            sources: sources(&one.id),
            ..AnswerQuestion::default()
        }
    });
    let questions = questions.collect();
    articles::write(&dataset.documents, &corpus)?;
    Ok(QuestionSet {
        name: "multihop_rag".into(),
        corpus,
        questions,
    })
}
