//! Reads MultiHop-RAG: `corpus.json` with news articles, and `MultiHopRAG.json` with questions whose evidence is two
//! to four facts, each quoted literally from an article.
//!
//! A chunk is right when it contains a fact; blanks and line ends are ignored. Questions of the type [`NULL`] have no
//! answer in the corpus.

use super::Error;
use super::dataset::{
    Dataset, Gold, Question, Unit, doc_id, document, json, lines, short_hash, squeezed,
};
use crate::dataset::DatasetName;
use envelope::DocId;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The type of the questions that have no answer.
const NULL: &str = "null_query";

#[derive(Deserialize)]
struct Article {
    url: String,
    title: String,
    source: String,
    category: String,
    published_at: String,
    author: Option<String>,
    body: String,
}

#[derive(Deserialize)]
struct Asked {
    query: String,
    question_type: String,
    #[serde(default)]
    answer: String,
    evidence_list: Vec<Evidence>,
}

#[derive(Deserialize)]
struct Evidence {
    fact: String,
    #[serde(default)]
    url: String,
}

/// Reads the data set.
pub(super) fn load(folder: &Path) -> Result<Dataset, Error> {
    let articles: Vec<Article> = json(&folder.join("corpus.json"))?;
    let asked: Vec<Asked> = json(&folder.join("MultiHopRAG.json"))?;
    Ok(Dataset {
        name: DatasetName::MultihopRag,
        documents: articles.iter().map(of_article).collect(),
        questions: asked.into_iter().map(question).collect(),
        unit: Unit::Chunk,
        unmatched: 0,
    })
}

/// The documents of each answerable question's evidence, by the question's id.
pub(super) fn evidence(folder: &Path) -> Result<BTreeMap<String, BTreeSet<DocId>>, Error> {
    let asked: Vec<Asked> = json(&folder.join("MultiHopRAG.json"))?;
    let answerable = asked.iter().filter(|one| one.question_type != NULL);
    let of = |one: &Asked| one.evidence_list.iter().map(|e| doc_id(&e.url)).collect();
    Ok(answerable
        .map(|one| (short_hash(&one.query), of(one)))
        .collect())
}

/// The words of the right answers, by the question's id.
pub(super) fn answers(folder: &Path) -> Result<BTreeMap<String, String>, Error> {
    let asked: Vec<Asked> = json(&folder.join("MultiHopRAG.json"))?;
    let of = |one: Asked| (short_hash(&one.query), one.answer);
    Ok(asked.into_iter().map(of).collect())
}

fn of_article(article: &Article) -> documents::Document {
    let mut metadata = BTreeMap::new();
    for (name, value) in [
        ("publisher", Some(&article.source)),
        ("published_at", Some(&article.published_at)),
        ("category", Some(&article.category)),
        ("author", article.author.as_ref()),
    ] {
        if let Some(value) = value {
            metadata.insert(name.to_owned(), Value::from(value.as_str()));
        }
    }
    document(&article.url, &article.title, &article.body, metadata)
}

fn question(asked: Asked) -> Question {
    let mut facts = Vec::new();
    // The evidence of a null question, where one is given, is not in the corpus.
    for evidence in asked
        .evidence_list
        .iter()
        .filter(|_| asked.question_type != NULL)
    {
        let fact = squeezed_fact(&evidence.fact);
        if !fact.is_empty() && !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    Question {
        id: short_hash(&asked.query),
        text: asked.query,
        kind: Some(asked.question_type),
        gold: Gold::Facts(facts),
    }
}

/// A fact as it stands in a chunk: cleaned like the text of a document.
fn squeezed_fact(fact: &str) -> String {
    lines(fact)
        .iter()
        .map(|line| squeezed(&line.text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(corpus: &str, questions: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("corpus.json"), corpus).unwrap();
        std::fs::write(dir.path().join("MultiHopRAG.json"), questions).unwrap();
        dir
    }

    const ARTICLE: &str = r#"[{"url":"u","title":"T","source":"S","category":"c","author":null,
        "published_at":"2023-11-27","body":"One fact\nhere."}]"#;

    #[test]
    fn facts_are_distinct_and_null_questions_have_none() {
        let questions = r#"[
            {"query":"a","question_type":"inference_query","evidence_list":[{"fact":"One fact"},{"fact":"One  fact"},{"fact":"here."}]},
            {"query":"b","question_type":"null_query","evidence_list":[{"fact":"x"}]}]"#;
        let dir = folder(ARTICLE, questions);
        let data = load(dir.path()).unwrap();
        assert_eq!(
            data.questions[0].gold,
            Gold::Facts(vec!["Onefact".into(), "here.".into()])
        );
        assert_eq!(data.nulls(), 1);
        assert_eq!(data.documents[0].metadata["publisher"], "S");
        assert!(!data.documents[0].metadata.contains_key("author"));
    }

    #[test]
    fn what_is_wrong_is_named_with_file_and_line() {
        let dir = folder(ARTICLE, "[\n{\"query\":1}]");
        let message = load(dir.path()).err().unwrap().to_string();
        assert!(message.contains("MultiHopRAG.json` line 2"), "{message}");
    }
}
