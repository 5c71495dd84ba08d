//! Tests the documents with the document readers of the repository: every document can be read, each value is where
//! it should be and nowhere else, and the schema finds the values that it should.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use argosy_conditions::field::{Datum, Field, FileKind, Stand};
use argosy_conditions::record::BusinessRecord;
use argosy_conditions::{Corpus, CorpusPlan, Half, text_appearances};
use documents::Document;
use envelope::TenantId;
use indexer::schema::Schemas;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

struct ReadBack {
    corpus: Corpus,
    documents: BTreeMap<String, Document>,
}

fn read(half: Half) -> ReadBack {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Corpus::generate(CorpusPlan::new(half, 500)).unwrap();
    corpus.write(folder.path()).unwrap();
    let tenant = TenantId::default_tenant();
    let found = documents::corpus::walk(&folder.path().join("documents"), &tenant);
    let documents = found.map(|(path, found)| {
        let document = found.unwrap_or_else(|skip| panic!("{}: {:?}", path.display(), skip));
        (document.source.clone(), document)
    });
    let documents = documents.collect();
    ReadBack { corpus, documents }
}

/// The sides that are read.
const SIDES: [Half; 7] = [
    Half::Dev,
    Half::Test,
    Half::Third,
    Half::Fourth,
    Half::Fifth,
    Half::Sixth,
    Half::Seventh,
];

/// A side, read once.
fn read_back(half: Half) -> &'static ReadBack {
    static READ: [OnceLock<ReadBack>; SIDES.len()] = [const { OnceLock::new() }; SIDES.len()];
    let at = SIDES.iter().position(|side| *side == half).unwrap();
    READ[at].get_or_init(|| read(half))
}

/// The text without case, blanks and the marks of scanners.
fn folded(text: &str) -> String {
    let signs = text.to_lowercase();
    let signs = signs
        .chars()
        .filter(|c| c.is_alphanumeric() || ".,-".contains(*c));
    signs
        .map(|c| {
            if c == 'o' {
                '0'
            } else if c == 'l' || c == 'i' {
                '1'
            } else {
                c
            }
        })
        .collect()
}

/// The text and the title; the title of a CSV is made of its path.
fn text_of(document: &Document) -> String {
    let lines: Vec<&str> = document
        .lines
        .iter()
        .map(|line| line.text.as_str())
        .collect();
    let title = if document.ext == "csv" {
        ""
    } else {
        &document.title
    };
    format!("{title}\n{}", lines.join("\n"))
}

/// In how many characters two texts of one length differ.
fn differ(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).filter(|(a, b)| a != b).count()
}

/// Whether a value stands in a text; in a scan one letter of it may be wrong.
fn stands(text: &str, value: &str, wrong: usize) -> bool {
    let (text, value) = (folded(text), folded(value));
    let (text, value): (Vec<char>, Vec<char>) = (text.chars().collect(), value.chars().collect());
    text.windows(value.len().max(1)).any(|window| {
        let window: String = window.iter().collect();
        differ(&window, &value.iter().collect::<String>()) <= wrong
    })
}

/// Whether a value stands in a text exactly, and not as the end of another number.
fn stands_alone(text: &str, value: &str) -> bool {
    let (text, value) = (folded(text), folded(value));
    let is_digit = |c: char| c.is_ascii_digit();
    text.match_indices(&value)
        .any(|(at, _)| !text[..at].ends_with(is_digit))
}

/// Whether a value is distinctive: numbers of one or two digits stand in any text.
fn is_telling(record: &BusinessRecord, field: Field) -> bool {
    match record.truth(field) {
        Datum::Hundredths(n) => n.abs() >= 1_000_000,
        Datum::Text(text) => text.len() > 4,
        Datum::Day(_) => true,
    }
}

#[test]
fn every_record_is_a_document_and_nothing_else_is() {
    for half in SIDES {
        let back = read_back(half);
        let records: Vec<&str> = back
            .corpus
            .records
            .iter()
            .map(|record| record.source.as_str())
            .collect();
        assert_eq!(records.len(), 500);
        assert_eq!(back.documents.len(), 500);
        for source in records {
            let document = back
                .documents
                .get(source)
                .unwrap_or_else(|| panic!("`{source}` is not read"));
            let (bucket, _) = source.split_once('/').unwrap();
            assert_eq!(document.bucket.as_str(), bucket);
        }
    }
}

#[test]
fn values_stand_where_they_should_and_nowhere_else() {
    for half in SIDES {
        let back = read_back(half);
        let (mut seen, mut scans) = (0, 0);
        for record in &back.corpus.records {
            let document = &back.documents[&record.source];
            let text = text_of(document);
            for field in record.shelf().fields() {
                let ways = text_appearances(record, *field);
                let wrong = usize::from(record.file == FileKind::Scan);
                let in_text = |wrong| ways.iter().any(|way| stands(&text, way, wrong));
                let metadata: Vec<String> =
                    document.metadata.values().map(Value::to_string).collect();
                let said = format!("{text}\n{}", metadata.join("\n"));
                let leaks = ways.iter().any(|way| stands_alone(&said, way));
                let in_front = ways.iter().any(|way| {
                    metadata
                        .iter()
                        .any(|value| folded(value).contains(&folded(way)))
                });
                let in_path = ways
                    .iter()
                    .any(|way| folded(&record.source).contains(&folded(way).replace(' ', "")));
                let place = format!("{half:?} {} {field:?} {ways:?}", record.source);
                seen += 1;
                match record.stand(*field) {
                    Stand::Front => assert!(
                        in_front || in_iso(&metadata, record, *field),
                        "{place}: {metadata:?}"
                    ),
                    Stand::Text => {
                        assert!(in_text(wrong), "{place}:\n{text}");
                        scans += wrong;
                    }
                    Stand::Path | Stand::Nowhere
                        if is_telling(record, *field) && is_alone(record, *field) =>
                    {
                        assert!(!leaks, "{place}: {metadata:?}\n{text}");
                    }
                    _ => {}
                }
                if record.stand(*field) == Stand::Nowhere
                    && is_telling(record, *field)
                    && is_alone(record, *field)
                {
                    assert!(!in_path, "{place}");
                }
            }
        }
        assert!(seen > 3_000 && scans > 40, "{seen} {scans}");
    }
}

/// Numbers without a point are plain in JSON.
fn in_iso(metadata: &[String], record: &BusinessRecord, field: Field) -> bool {
    let truth = record.truth(field);
    metadata
        .iter()
        .any(|value| match (&truth, value.parse::<f64>()) {
            (Datum::Hundredths(n), Ok(value)) => (value * 100.0).round() as i64 == *n,
            _ => false,
        })
}

/// Whether a value that is found in the text can only be that of this field: words that also stand in labels and
/// asides do not tell, and net and gross may be equal.
fn is_alone(record: &BusinessRecord, field: Field) -> bool {
    let twin = match field {
        Field::Net => record.truth(Field::Amount) == record.truth(Field::Net),
        Field::Amount if record.shelf().fields().contains(&Field::Net) => {
            record.truth(Field::Amount) == record.truth(Field::Net)
        }
        _ => false,
    };
    matches!(
        field,
        Field::Company | Field::Number | Field::Date | Field::Due | Field::Net | Field::Amount
    ) && !twin
}

/// Values that questions refer to where there is no schema can be told from key, title or path.
#[test]
fn without_a_schema_titles_and_paths_tell() {
    let asked = [
        Field::Company,
        Field::Number,
        Field::Nature,
        Field::Category,
        Field::Package,
        Field::Site,
        Field::Year,
    ];
    for half in SIDES {
        let back = read_back(half);
        let mut seen = 0;
        for record in back
            .corpus
            .records
            .iter()
            .filter(|record| !back.corpus.has_schema(record.shelf()))
        {
            let document = &back.documents[&record.source];
            let company = back.corpus.companies.iter();
            let company = company
                .into_iter()
                .find(|one| Datum::Text(one.name.clone()) == record.truth(Field::Company));
            for field in asked
                .iter()
                .filter(|field| record.shelf().fields().contains(field))
            {
                if record.stand(*field) == Stand::Nowhere {
                    continue;
                }
                let mut ways = text_appearances(record, *field);
                if *field == Field::Company {
                    ways.extend(company.unwrap().forms());
                }
                let key = document
                    .metadata
                    .get(back.corpus.column(record.shelf(), *field))
                    .map(Value::to_string);
                let places = [
                    key.unwrap_or_default(),
                    document.title.clone(),
                    record.source.clone(),
                ];
                let plain = |text: &str| folded(text).replace(['-', '.'], "");
                let is_told = ways.iter().any(|way| {
                    places
                        .iter()
                        .any(|place| plain(place).contains(&plain(way)))
                });
                assert!(
                    is_told,
                    "{} {field:?} {:?}: {places:?}",
                    record.source,
                    record.stand(*field)
                );
                seen += 1;
            }
        }
        assert!(seen > 150, "{seen}");
    }
}

/// Whether a found value is that of the column, without case and punctuation, and for a company without its suffix.
fn same(record: &BusinessRecord, field: Field, found: &Value, forms: &[String]) -> bool {
    match (record.truth(field), found) {
        (Datum::Hundredths(n), Value::Number(found)) => found
            .as_f64()
            .is_some_and(|found| (found * 100.0).round() as i64 == n),
        (Datum::Day(day), Value::String(found)) => *found == day.to_string(),
        (Datum::Text(text), Value::String(found)) => {
            let plain = |text: &str| folded(text).replace([' ', '-', '.'], "");
            let found = plain(found);
            let is = |form: &str| {
                let form = plain(form);
                form == found
                    || record.file == FileKind::Scan
                        && form.len() == found.len()
                        && differ(&form, &found) <= 1
            };
            is(&text) || forms.iter().any(|form| is(form))
        }
        _ => false,
    }
}

#[test]
fn the_schema_finds_what_stands_somewhere() {
    for half in SIDES {
        let back = read_back(half);
        let schemas = Schemas::parse("schema.toml", &back.corpus.schema).unwrap();
        let (mut right, mut all, mut wrong) = (0, 0, Vec::new());
        for record in &back.corpus.records {
            let mut document = back.documents[&record.source].clone();
            let Some(table) = schemas.get(&document.bucket) else {
                assert!(!back.corpus.has_schema(record.shelf()));
                continue;
            };
            table.apply(&mut document);
            let company = back
                .corpus
                .companies
                .iter()
                .find(|one| Datum::Text(one.name.clone()) == record.truth(Field::Company));
            for field in record.shelf().fields() {
                let found = document
                    .metadata
                    .get(back.corpus.column(record.shelf(), *field));
                let forms = match field {
                    Field::Company => company.unwrap().forms(),
                    _ => Vec::new(),
                };
                let is_right = match (record.said(*field), found) {
                    (None, None) => true,
                    (Some(_), Some(found)) => same(record, *field, found, &forms),
                    _ => false,
                };
                all += 1;
                right += usize::from(is_right);
                if !is_right {
                    let stand = record.stand(*field);
                    wrong.push(format!(
                        "{} {field:?} {stand:?} {:?}: {found:?}",
                        record.source,
                        record.truth(*field)
                    ));
                }
            }
        }
        println!(
            "{half:?}: {right} of {all} columns right\n{}",
            wrong.join("\n")
        );
        assert!(
            right * 1_000 >= all * 998,
            "{half:?}: {right} of {all}\n{}",
            wrong.join("\n")
        );
    }
}
