//! Reads data sets in the format of BEIR: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`.
//!
//! Questions without judgements are skipped. Relevance is judged for whole documents, however the chunker cuts them.

use super::Error;
use super::dataset::{Dataset, Gold, Question, Unit, at, doc_id, document, read, rows};
use crate::dataset::DatasetName;
use envelope::DocId;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Deserialize)]
struct CorpusLine {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

#[derive(Deserialize)]
struct QueryLine {
    #[serde(rename = "_id")]
    id: String,
    text: String,
}

/// Reads a data set.
pub(super) fn load(name: DatasetName, folder: &Path) -> Result<Dataset, Error> {
    let corpus: Vec<CorpusLine> = rows(&folder.join("corpus.jsonl"))?;
    let queries: Vec<QueryLine> = rows(&folder.join("queries.jsonl"))?;
    let path = folder.join("qrels.tsv");
    let text = read(&path)?;
    let judgements = qrels(&text).map_err(|(line, what)| at(&path, line, &what))?;

    let known: BTreeMap<String, &str> = corpus
        .iter()
        .map(|c| (plain_id(&c.id), c.id.as_str()))
        .collect();
    if known.len() < corpus.len() {
        let path = folder.join("corpus.jsonl");
        let mut seen = BTreeSet::new();
        let twice = corpus.iter().position(|c| !seen.insert(plain_id(&c.id)));
        return Err(at(
            &path,
            twice.unwrap_or(0) + 1,
            "an id that was there before",
        ));
    }
    let mut gold: BTreeMap<&str, BTreeMap<DocId, i32>> = BTreeMap::new();
    let mut unmatched = 0;
    for judgement in &judgements {
        let of = gold.entry(judgement.query).or_default();
        // A document that is not in the corpus stays among the right ones: no method can find it, and that counts.
        let id = known.get(&plain_id(judgement.document)).copied();
        unmatched += usize::from(id.is_none());
        of.insert(doc_id(id.unwrap_or(judgement.document)), judgement.grade);
    }
    let questions = queries.into_iter().filter_map(|query| {
        let gold = Gold::Documents(gold.remove(query.id.as_str())?);
        Some(Question {
            id: query.id,
            text: query.text,
            kind: None,
            gold,
        })
    });
    let questions = questions.filter(|q| !q.gold.is_empty()).collect();
    let documents = corpus
        .iter()
        .map(|c| document(&c.id, &c.title, &c.text, BTreeMap::new()))
        .collect();
    Ok(Dataset {
        name,
        documents,
        questions,
        unit: Unit::Document,
        unmatched,
    })
}

#[derive(Debug, PartialEq)]
struct Judgement<'a> {
    query: &'a str,
    document: &'a str,
    grade: i32,
}

/// The judgements, below an optional header; or the line that is wrong, and what it lacks.
fn qrels(text: &str) -> Result<Vec<Judgement<'_>>, (usize, String)> {
    let mut judgements = Vec::new();
    for (line, n) in text.lines().zip(1..) {
        let parts: Vec<&str> = line.split('\t').map(str::trim).collect();
        match parts[..] {
            [""] => {}
            [query, document, grade] => match grade.parse() {
                Ok(grade) => judgements.push(Judgement {
                    query,
                    document,
                    grade,
                }),
                Err(_) if n == 1 => {}
                Err(_) => return Err((n, format!("the grade `{grade}` is no whole number"))),
            },
            _ => {
                return Err((
                    n,
                    "want question, document and grade, with tabs between".into(),
                ));
            }
        }
    }
    Ok(judgements)
}

/// An id without the leading zeros of its number: `CACM-0046` in one file is `CACM-46` in another.
fn plain_id(id: &str) -> String {
    let digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (name, number) = id.split_at(id.len() - digits);
    let number = match number.trim_start_matches('0') {
        "" if digits > 0 => "0",
        rest => rest,
    };
    format!("{name}{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(corpus: &str, queries: &str, qrels: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("corpus.jsonl", corpus),
            ("queries.jsonl", queries),
            ("qrels.tsv", qrels),
        ] {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    }

    const CORPUS: &str = "{\"_id\":\"D-001\",\"title\":\"T\",\"text\":\"one\"}\n{\"_id\":\"D-010\",\"text\":\"two\"}\n";
    const QUERIES: &str = "{\"_id\":\"1\",\"text\":\"q\"}\n{\"_id\":\"2\",\"text\":\"unjudged\"}\n{\"_id\":\"3\",\"text\":\"nothing right\"}\n";

    #[test]
    fn judged_questions_are_asked() {
        let qrels = "query-id\tcorpus-id\tscore\n1\tD-1\t2\n1\tD-010\t0\n1\tD-9\t1\n3\tD-010\t0\n";
        let dir = folder(CORPUS, QUERIES, qrels);
        let data = load(DatasetName::Cacm, dir.path()).unwrap();
        assert_eq!((data.documents.len(), data.unmatched), (2, 1));
        let ids: Vec<&str> = data.questions.iter().map(|q| q.id.as_str()).collect();
        assert_eq!(ids, ["1"]);
        let gold = [
            (doc_id("D-001"), 2),
            (doc_id("D-010"), 0),
            (doc_id("D-9"), 1),
        ];
        assert_eq!(data.questions[0].gold, Gold::Documents(gold.into()));
        assert_eq!(data.documents[0].doc_id, doc_id("D-001"));
    }

    #[test]
    fn what_is_wrong_is_named_with_file_and_line() {
        let cases = [
            (
                "{\"_id\":\"a\",\"text\":\"x\"}\nno\n",
                QUERIES,
                "",
                "corpus.jsonl` line 2",
            ),
            (
                "{\"_id\":\"a1\",\"text\":\"x\"}\n{\"_id\":\"a01\",\"text\":\"x\"}",
                QUERIES,
                "",
                "corpus.jsonl` line 2",
            ),
            (CORPUS, "{\"_id\":\"1\"}", "", "queries.jsonl` line 1"),
            (CORPUS, QUERIES, "h\th\th\n1\ta\tone", "qrels.tsv` line 2"),
            (CORPUS, QUERIES, "1 a 1", "qrels.tsv` line 1"),
        ];
        for (corpus, queries, qrels, want) in cases {
            let dir = folder(corpus, queries, qrels);
            let fail = load(DatasetName::Cacm, dir.path()).err().unwrap();
            let said = fail.to_string();
            assert!(said.contains(want), "{said} lacks {want}");
        }
    }

    #[test]
    fn numbers_are_compared_without_leading_zeros() {
        for (id, plain) in [
            ("CACM-0046", "CACM-46"),
            ("46", "46"),
            ("000", "0"),
            ("x", "x"),
            ("", ""),
        ] {
            assert_eq!(plain_id(id), plain);
        }
    }
}
