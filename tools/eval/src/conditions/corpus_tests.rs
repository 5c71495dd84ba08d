//! Tests the generated corpora of `tools/conditions`: the same bytes for the same seed, so that no side can change, and
//! known answers that the documents bear out when the document readers of the repository read them.

use super::gold::{GoldCondition, GoldQuestion, QuestionKind};
use crate::Error;
use documents::Document;
use indexer::schema::Schemas;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use text::fold;

const SIDES: [&str; 8] = [
    "dev", "test", "extra", "third", "fourth", "fifth", "sixth", "seventh",
];

fn tool() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/conditions")
}

fn run(side: &str, folder: &Path, options: &[&str]) -> Output {
    let mut command = Command::new("python3");
    command.arg(tool().join("generate.py")).arg(side);
    command.arg(folder).args(options);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command.output().expect("python3 runs")
}

fn read(questions: &Path) -> Result<Vec<GoldQuestion>, Error> {
    crate::dataset::rows(questions)
}

/// A folder with a corpus.
pub(super) fn generated(side: &str, options: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let output = run(side, folder.path(), options);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    folder
}

/// The files below a folder, by path.
fn files(folder: &Path, below: &str) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{below}/{name}");
        match fs::read(folder.join(&path)) {
            Ok(bytes) => all.extend([(path, bytes)]),
            Err(_) => all.extend(files(folder, &path)),
        }
    }
    all
}

/// The hash of the documents with their paths, and of the other files without `summary.json`.
fn hash(folder: &Path) -> String {
    let mut hasher = Sha256::new();
    for (path, bytes) in files(folder, "documents") {
        hasher.update(path.trim_start_matches("documents/"));
        hasher.update(bytes);
    }
    for name in ["questions.jsonl", "schema.toml", "names.json"] {
        hasher.update(fs::read(folder.join(name)).unwrap());
    }
    let hex = hasher.finalize();
    hex.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A change of words or rules changes these hashes, and then earlier figures do not compare. The test side must not
/// change once something was tuned.
#[test]
fn the_bytes_are_those_that_conditions_were_measured_on() {
    let expected = "\
        dev 500 45889efcc7e555549f414cb5517fc8d17ebc4a5d929221680dc8a3bbb1d5b90a
        dev 5000 764ce393f165cfa2dfa48d4522a53ceaedad2413d7aca8b144c7ebf46f887694
        test 500 029717ef88c70469af34dbf28cfc6f7c20c76d384de5361776a2654033723261
        test 5000 da37362834c308bba4e1e533e49cd4a662db0c10757d60c61a6abe1649fdf1f9
        extra 400 c6ead87f757d43dd7bbb8c03d453941a488525b288a06fdbdd4aae1a3dbe6874
        third 400 841d637b26341e8f2c4f7c7eceb2a2e88ad6f3f866b7429481c444d26b3542bc
        fourth 400 1c0bded312a00db3ba1dfad109abe707f6fbed6b95d962a645e238c9a47357b7
        fifth 400 d68ee9f0a2d272f591ecc522b2967bdf1628d71398d06a73166a99a0411f6988
        sixth 400 f353d4cababd6d4e68ed0a6733735e833a9932108ae18db732c41395d375a97b
        seventh 400 2a60e2962e13f5baf43724bbd82588271dec846adf5e8d8499135e6282c30614";
    for line in expected.lines() {
        let [side, documents, known] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("`{line}` has three parts");
        };
        let folder = generated(side, &["--documents", documents]);
        assert_eq!(hash(folder.path()), known, "{side} {documents}");
    }
}

#[test]
fn another_seed_is_another_corpus_and_too_few_documents_are_refused() {
    let one = generated("dev", &["--documents", "400"]);
    let other = generated("dev", &["--documents", "400", "--seed", "7"]);
    assert_ne!(hash(one.path()), hash(other.path()));
    let questions = read(&other.path().join("questions.jsonl")).unwrap();
    assert_eq!(questions.len(), 400);
    let empty = tempfile::tempdir().unwrap();
    let refused = run("dev", empty.path(), &["--documents", "20"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("want 400 or more"), "{said}");
}

/// The documents of a corpus as our readers and its schema read them, by source.
fn read_back(folder: &Path) -> BTreeMap<String, Document> {
    let schemas = Schemas::load(&folder.join("schema.toml")).unwrap();
    let tenant = envelope::TenantId::default_tenant();
    let read = documents::corpus::walk(&folder.join("documents"), &tenant);
    let read = read.map(|(path, found)| {
        let mut document = found.unwrap_or_else(|skip| panic!("{}: {skip:?}", path.display()));
        if let Some(table) = schemas.get(&document.bucket) {
            table.apply(&mut document);
        }
        (document.source.clone(), document)
    });
    read.collect()
}

/// Whether a condition may hold for what was read: it does, or the document does not say.
fn may_hold(condition: &GoldCondition, document: &Document) -> bool {
    let Some(found) = document.metadata.get(&condition.field) else {
        return true;
    };
    let forms = Value::from(condition.forms.clone());
    let forms = forms.as_array().into_iter().flatten();
    let wanted = condition.value.as_array().cloned();
    let wanted = wanted.unwrap_or_else(|| vec![condition.value.clone()]);
    // But for case, signs and what scanners confuse.
    let plain = |value: &Value| {
        fold::skeleton(&fold::key(value.as_str().unwrap_or_default())).replace('e', "c")
    };
    let is_same = |wanted: &Value| match (found.as_f64(), wanted.as_f64()) {
        (Some(found), Some(wanted)) => (found - wanted).abs() < 0.005,
        _ => plain(found) == plain(wanted),
    };
    let is = wanted.iter().chain(forms).any(is_same);
    let is_over = match (found.as_f64(), wanted[0].as_f64()) {
        (Some(found), Some(wanted)) => found > wanted,
        _ => found.as_str() > wanted[0].as_str(),
    };
    match condition.op.as_str() {
        "eq" | "in" => is,
        "ne" | "not_in" => !is,
        "gt" => is_over && !is,
        "gte" => is_over || is,
        "lt" => !is_over && !is,
        _ => !is_over || is,
    }
}

/// The sources of documents that no condition excludes.
fn open(question: &GoldQuestion, documents: &BTreeMap<String, Document>) -> BTreeSet<String> {
    let bucket = question.bucket.as_deref();
    let here = documents
        .values()
        .filter(|one| Some(one.bucket.as_str()) == bucket);
    let is_open = |one: &&Document| {
        let holds = |conditions: &[GoldCondition]| conditions.iter().all(|it| may_hold(it, one));
        let parts = &question.parts;
        holds(&question.conditions) && (parts.is_empty() || parts.iter().any(|part| holds(part)))
    };
    here.filter(is_open).map(|one| one.source.clone()).collect()
}

#[test]
fn documents_bear_out_what_is_known_of_conditions() {
    for side in SIDES {
        let folder = generated(side, &["--documents", "500"]);
        let documents = read_back(folder.path());
        assert_eq!(documents.len(), 500, "{side}");
        let schemas = Schemas::load(&folder.path().join("schema.toml")).unwrap();
        let described = schemas.tables().map(|(bucket, _)| bucket.as_str());
        let described: BTreeSet<&str> = described.collect();
        let questions = read(&folder.path().join("questions.jsonl")).unwrap();
        let (mut right, mut wrong) = (0, Vec::new());
        for question in &questions {
            let id = question.id.as_str();
            let gold: BTreeSet<String> = question.documents.iter().cloned().collect();
            let left_out: BTreeSet<String> = question.left_out.iter().cloned().collect();
            assert!(gold.is_disjoint(&left_out), "{id}");
            let is_described = described.contains(question.bucket.as_deref().unwrap_or_default());
            if !is_described || question.kind == QuestionKind::Extreme {
                continue;
            }
            match open(question, &documents) == &gold | &left_out {
                true => right += 1,
                false => wrong.push(id),
            }
        }
        // What a scanner did to a value cannot always be read back.
        assert!(
            right > 100 && right >= 19 * wrong.len(),
            "{side}: {right}, {wrong:?}"
        );
    }
}

#[test]
fn a_folder_without_a_corpus_and_a_line_that_is_no_question_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = super::known::Known::load(folder.path());
    assert!(matches!(missing, Err(Error::NoCorpus(_))));
    let questions = folder.path().join("questions.jsonl");
    let line = r#"{"id": "dev-none-01", "kind": "none", "question": "q", "today": "2025-01-01",
        "conditions": [], "documents": [], "left_out": []}"#;
    fs::write(&questions, format!("{}\n{{}}\n", line.replace('\n', ""))).unwrap();
    let broken = read(&questions).unwrap_err().to_string();
    assert!(broken.contains("line 2: missing field `id`"), "{broken}");
}
