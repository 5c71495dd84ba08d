//! Measures whether a search finds the right document first, and then the right passage in it.
//!
//! A collection is a folder with `documents/`, whose file names count, and `questions.jsonl`: for each question the path
//! of the right document and a text that stands in it once. `tools/collections` makes some. *Not* part of the data: what
//! the questions are about in the words of any schema.

use crate::cli::EvalCollectionsArgs;
use crate::dataset::{rows, squeezed};
use crate::details::write;
use crate::measure::request;
use crate::methods::linked_over;
use crate::metrics::{mean, quantile};
use crate::outcome::EvalReport;
use crate::paired::difference;
use crate::{Error, Progress, SearchSetting, vectors};
use documents::corpus::walk;
use documents::record::publish_order;
use envelope::lookup::RankedDocument;
use envelope::{Passage, TenantId};
use index::{HybridSearcher, Index};
use search::Searcher;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Passages that are asked for, and the shorter list.
const LONG: usize = 20;
const SHORT: usize = 10;

#[derive(Debug, Deserialize)]
struct Asked {
    id: String,
    text: String,
    kind: String,
    document: String,
    answer: String,
    page: Option<u32>,
}

/// What came of one question.
#[derive(Debug, Clone, Serialize)]
struct Outcome {
    collection: String,
    id: String,
    kind: String,
    method: &'static str,
    /// The rank of the right document among the documents of the passages, from 1.
    document: Option<usize>,
    /// The rank of the first passage of the right document that holds the answer, or stands on its page.
    passage: Option<usize>,
    ms: f64,
    /// What the ranking of documents went by: sums, and whether the document is the right one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<(Vec<f32>, bool)>,
}

/// The figures of some questions with one way to search.
#[derive(Debug, Clone, Default, Serialize)]
struct Figures {
    questions: usize,
    document_first: f64,
    document_among_10: f64,
    passage_among_10: f64,
    passage_among_20: f64,
    p50_ms: f64,
}

/// Asks the questions of each collection, with the ranking of documents and without it.
///
/// # Errors
/// When a collection cannot be read or indexed, or a search fails.
pub(crate) async fn run(
    options: &EvalCollectionsArgs,
    setting: &SearchSetting<'_>,
    say: Progress<'_>,
) -> Result<EvalReport, Error> {
    let mut outcomes = Vec::new();
    for folder in collections(options)? {
        let name = name_of(&folder);
        let questions: Vec<Asked> = rows(&folder.join("questions.jsonl"))?;
        let factory = setting.factory().await?;
        let index = indexed(
            &folder.join("documents"),
            &options.index.join(&name),
            &factory,
            say,
        )
        .await?;
        let learned = factory.options().document_weight;
        let methods = [
            ("without", 0.0, true),
            ("with", learned, true),
            ("plain, without", 0.0, false),
            ("plain, with", learned, false),
        ];
        for (method, weight, is_linked) in methods {
            let search = index::Options {
                document_weight: weight,
                ..factory.options().clone()
            };
            let searcher: HybridSearcher =
                factory.clone().with_options(search).searcher(index.clone());
            let asking: Arc<dyn Searcher> = match is_linked {
                true => linked_over(Arc::new(searcher.clone()), setting.retriever),
                false => Arc::new(searcher.clone()),
            };
            for (n, asked) in questions.iter().enumerate() {
                say(format!("{name}, {method}: {n} of {}", questions.len()));
                let request = request(&asked.text, LONG);
                let start = Instant::now();
                let result = asking.search(&request).await;
                let ms = start.elapsed().as_secs_f64() * 1_000.0;
                let failed = |error| Error::Question {
                    id: asked.id.clone(),
                    error,
                };
                let passages = result.map_err(failed)?.passages;
                let explained = match options.details.is_some() && weight > 0.0 && !is_linked {
                    true => searcher.explain(&request).await.map_err(failed)?.documents,
                    false => Vec::new(),
                };
                outcomes.push(outcome(&name, method, asked, &passages, ms, explained));
            }
        }
    }
    if let Some(path) = &options.details {
        let lines = outcomes
            .iter()
            .map(|one| serde_json::json!(one).to_string());
        write(path, &lines.collect::<Vec<_>>())?;
    }
    Ok(report(&outcomes))
}

fn outcome(
    collection: &str,
    method: &'static str,
    asked: &Asked,
    passages: &[Passage],
    ms: f64,
    documents: Vec<RankedDocument>,
) -> Outcome {
    let mut seen: Vec<&str> = Vec::new();
    for passage in passages {
        if !seen.contains(&passage.source.as_str()) {
            seen.push(&passage.source);
        }
    }
    let answer = squeezed(&asked.answer);
    let is_right = |passage: &Passage| {
        passage.source == asked.document
            && (squeezed(&passage.text).contains(&answer)
                || asked.page.is_some() && passage.page == asked.page)
    };
    let documents = documents.into_iter();
    Outcome {
        collection: collection.to_owned(),
        id: asked.id.clone(),
        kind: asked.kind.clone(),
        method,
        document: seen
            .iter()
            .take(SHORT)
            .position(|source| *source == asked.document)
            .map(|n| n + 1),
        passage: passages.iter().position(is_right).map(|n| n + 1),
        ms,
        evidence: documents
            .map(|one| (one.evidence, one.source == asked.document))
            .collect(),
    }
}

fn collections(options: &EvalCollectionsArgs) -> Result<Vec<PathBuf>, Error> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(&options.path)? {
        let folder = entry?.path();
        let is_wanted = options.only.is_empty() || options.only.contains(&name_of(&folder));
        if is_wanted && folder.join("questions.jsonl").is_file() {
            folders.push(folder);
        }
    }
    folders.sort();
    match folders.is_empty() {
        true => Err(Error::NoQuestion),
        false => Ok(folders),
    }
}

fn name_of(folder: &Path) -> String {
    folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The index of a folder; one that is there is used again when the folder has as many files of as many bytes.
async fn indexed(
    folder: &Path,
    place: &Path,
    factory: &index_host::search_factory::SearchFactory,
    say: Progress<'_>,
) -> Result<Index, Error> {
    let broken = |error| Error::Index {
        dir: place.to_owned(),
        error,
    };
    let index = Index::open(place, factory.vectors()).map_err(broken)?;
    let (mut files, mut bytes) = (0u64, 0u64);
    for entry in walkdir(folder)? {
        files += 1;
        bytes += entry;
    }
    let stream = format!("{files} files, {bytes} bytes");
    let stands = index.position().map_err(broken)?;
    if stands.is_some_and(|position| position.stream == stream) {
        return Ok(index);
    }
    let tenant = TenantId::default_tenant();
    let mut writer = index.writer().map_err(broken)?;
    writer.clear().map_err(broken)?;
    for (n, (_, document)) in walk(folder, &tenant).enumerate() {
        say(format!("{}: {n} of {files}", folder.display()));
        if let Ok(document) = document {
            let mut records = publish_order(&document, None);
            if let Some(embedder) = factory.embedder() {
                vectors::make(&*embedder, &mut records, None, &|_| ()).await?;
            }
            writer.apply(&records).map_err(broken)?;
        }
    }
    writer.commit(1, &stream).map_err(broken)?;
    writer.refit().map_err(broken)?;
    writer.close().map_err(broken)?;
    Ok(index)
}

/// The sizes of all files below a folder.
fn walkdir(folder: &Path) -> Result<Vec<u64>, Error> {
    let mut sizes = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.metadata()?;
            match kind.is_dir() {
                true => open.push(entry.path()),
                false => sizes.push(kind.len()),
            }
        }
    }
    Ok(sizes)
}

fn report(outcomes: &[Outcome]) -> EvalReport {
    let mut groups: BTreeMap<(String, String), BTreeMap<&str, Vec<&Outcome>>> = BTreeMap::new();
    for one in outcomes {
        let named = if one.kind == "no_document" {
            "no document named"
        } else {
            "document named"
        };
        for key in [
            (one.collection.clone(), named.to_owned()),
            (one.collection.clone(), "all".to_owned()),
            ("all".to_owned(), named.to_owned()),
            ("all".to_owned(), one.kind.clone()),
        ] {
            groups
                .entry(key)
                .or_default()
                .entry(one.method)
                .or_default()
                .push(one);
        }
    }
    let mut rows = Vec::new();
    let mut lines = vec![
        "collection, questions, way: document first / among 10, passage among 10 / 20, p50 ms"
            .to_owned(),
    ];
    for ((collection, kind), by_method) in &groups {
        for (method, of) in by_method {
            let figures = figures(of);
            let (mut told, mut differences) = (String::new(), None);
            if let Some(base) = by_method.get("without").filter(|_| *method == "with") {
                let first = |one: &&&Outcome| f64::from(u8::from(one.document == Some(1)));
                let pairs: Vec<f64> = of
                    .iter()
                    .zip(base)
                    .map(|(a, b)| first(&a) - first(&b))
                    .collect();
                let difference = difference(&pairs);
                told = format!(" ({difference})");
                differences = Some(difference);
            }
            lines.push(format!(
                "{collection}, {kind} ({}), {method}: {:.3}{told} / {:.3}, {:.3} / {:.3}, {:.1}",
                figures.questions,
                figures.document_first,
                figures.document_among_10,
                figures.passage_among_10,
                figures.passage_among_20,
                figures.p50_ms,
            ));
            rows.push(serde_json::json!({
                "collection": collection, "kind": kind, "method": method, "figures": figures,
                "document_first_difference": differences,
            }));
        }
    }
    let mut report = EvalReport::of(&rows);
    report.lines(&lines);
    report
}

fn figures(of: &[&Outcome]) -> Figures {
    let share = |is: &dyn Fn(&Outcome) -> bool| {
        mean(of.iter().map(|one| f64::from(u8::from(is(one))))).unwrap_or_default()
    };
    Figures {
        questions: of.len(),
        document_first: share(&|one| one.document == Some(1)),
        document_among_10: share(&|one| one.document.is_some()),
        passage_among_10: share(&|one| one.passage.is_some_and(|rank| rank <= SHORT)),
        passage_among_20: share(&|one| one.passage.is_some()),
        p50_ms: quantile(of.iter().map(|one| one.ms).collect(), 0.5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six reports that say the same with other figures, and a question that names one of them.
    fn collection(folder: &Path) {
        let documents = folder.join("reports/documents");
        std::fs::create_dir_all(&documents).unwrap();
        for (n, name) in ["BESTBUY", "CORVANE", "DUNMORE"].iter().enumerate() {
            for year in [2017, 2018] {
                let text = format!(
                    "The shops opened early.\n\nSpending on buildings was {n}{year} dollars.\n"
                );
                std::fs::write(documents.join(format!("{name}_{year}_10K.txt")), text).unwrap();
            }
        }
        let asked = serde_json::json!({
            "id": "1", "text": "What did Best Buy invest in its shops in FY18?", "kind": "plain",
            "document": "BESTBUY_2018_10K.txt", "answer": "02018 dollars", "page": null,
        });
        std::fs::write(folder.join("reports/questions.jsonl"), asked.to_string()).unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_report_that_is_named_in_passing_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        collection(folder.path());
        let options = EvalCollectionsArgs {
            path: folder.path().to_owned(),
            only: Vec::new(),
            index: folder.path().join("index"),
            details: None,
        };
        let (search, retriever) = (
            index_host::Options::default(),
            retriever::Options::default(),
        );
        let setting = SearchSetting {
            search: &search,
            data_dir: folder.path(),
            retriever: &retriever,
        };
        let report = run(&options, &setting, &|_| ()).await.unwrap();
        let rows = report.object.as_array().unwrap();
        let first = |method: &str| {
            let row = rows
                .iter()
                .find(|row| row["method"] == method && row["collection"] == "reports");
            row.unwrap()["figures"]["document_first"].as_f64().unwrap()
        };
        assert_eq!(first("plain, with"), 1.0);
        assert_eq!(
            first("plain, without"),
            0.0,
            "no word of the question stands in the report"
        );
        let nothing = EvalCollectionsArgs {
            only: vec!["none".into()],
            ..options
        };
        let error = run(&nothing, &setting, &|_| ()).await.err().unwrap();
        assert!(matches!(error, Error::NoQuestion));
    }
}
