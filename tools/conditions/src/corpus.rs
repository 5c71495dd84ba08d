//! A whole corpus: generates records, documents and questions, and writes them to a folder.

use crate::asking;
use crate::company::{Company, companies};
use crate::dice::Dice;
use crate::error::Error;
use crate::field::{Field, FileKind, Shelf, Stand};
use crate::half::Half;
use crate::making::matters;
use crate::manuscript::{appearances, manuscript};
use crate::path;
use crate::placing;
use crate::question::GoldQuestion;
use crate::record::{BusinessRecord, Matter};
use crate::render::render;
use crate::schema::schema;
use crate::summary::CorpusSummary;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The fewest documents: with fewer, some kinds of questions have no answer.
pub const DOCUMENTS_MIN: usize = 400;

/// The plan for a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorpusPlan {
    /// The split.
    pub half: Half,
    /// How many documents it has: 5,000 for figures, 500 for every run of CI.
    pub documents: usize,
    /// The seed; for published figures it is that of the split.
    pub seed: u64,
    /// Whether its schema has synonyms; without by default.
    pub has_synonyms: bool,
}

impl CorpusPlan {
    /// A split of this size, with its own seed.
    pub fn new(half: Half, documents: usize) -> CorpusPlan {
        let seed = half.seed();
        CorpusPlan {
            half,
            documents,
            seed,
            has_synonyms: false,
        }
    }
}

/// A file of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorpusFile {
    /// Path below `documents/`.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A corpus.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The plan that it was made by.
    pub plan: CorpusPlan,
    /// The companies.
    pub companies: Vec<Company>,
    /// The records that documents are about, one for each.
    pub records: Vec<BusinessRecord>,
    /// The files, sorted by path. A file of JSONL holds several documents.
    pub files: Vec<CorpusFile>,
    /// The questions.
    pub questions: Vec<GoldQuestion>,
    /// The schema, as TOML.
    pub schema: String,
}

impl Corpus {
    /// Makes a corpus. The same plan gives the same bytes.
    pub fn generate(plan: CorpusPlan) -> Result<Corpus, Error> {
        if plan.documents < DOCUMENTS_MIN {
            return Err(Error::TooSmall {
                documents: plan.documents,
            });
        }
        let companies = companies(plan.half, plan.documents, plan.seed);
        let records = records(plan, &companies);
        let files = files(plan, &companies, &records);
        let questions = asking::questions(plan.half, &companies, &records, plan.seed);
        Ok(Corpus {
            plan,
            companies,
            records,
            files,
            questions,
            schema: schema(plan.half, plan.has_synonyms),
        })
    }

    /// Writes `documents/`, `questions.jsonl`, `schema.toml`, `names.json` and `summary.json` into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let put = |path: &Path, bytes: &[u8]| {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(|e| Error::io(parent, e))?;
            }
            fs::write(path, bytes).map_err(|e| Error::io(path, e))
        };
        for file in &self.files {
            put(&folder.join("documents").join(&file.path), &file.bytes)?;
        }
        put(&folder.join("questions.jsonl"), &self.questions_jsonl())?;
        put(&folder.join("schema.toml"), self.schema.as_bytes())?;
        put(&folder.join("names.json"), &self.names_json())?;
        put(&folder.join("summary.json"), &self.summary().to_json())
    }

    /// The questions, one a line.
    pub fn questions_jsonl(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for question in &self.questions {
            serde_json::to_writer(&mut out, question).expect("texts and numbers have JSON");
            out.push(b'\n');
        }
        out
    }

    /// For each company, the names that documents use for it.
    pub fn names_json(&self) -> Vec<u8> {
        let names: BTreeMap<&str, Vec<String>> = self
            .companies
            .iter()
            .map(|company| (company.name.as_str(), company.forms()))
            .collect();
        let mut out = serde_json::to_vec_pretty(&names).expect("texts have JSON");
        out.push(b'\n');
        out
    }

    /// The summary of the corpus.
    pub fn summary(&self) -> CorpusSummary {
        CorpusSummary::of(self)
    }

    /// The name of a shelf's field in this split, which is its column and its key in front matter.
    pub fn column(&self, shelf: Shelf, field: Field) -> &'static str {
        self.plan.half.words().shelf(shelf).called(field).column
    }

    /// The bucket of a shelf.
    pub fn bucket(&self, shelf: Shelf) -> &'static str {
        self.plan.half.words().shelf(shelf).folder
    }

    /// Whether the bucket of a shelf has a schema.
    pub fn has_schema(&self, shelf: Shelf) -> bool {
        self.plan.half.words().shelf(shelf).has_schema
    }
}

/// The forms that a value can have in the text of its document.
pub fn text_appearances(record: &BusinessRecord, field: Field) -> Vec<String> {
    appearances(record, field)
}

fn company_of<'a>(companies: &'a [Company], matter: &Matter) -> &'a Company {
    let name = match matter {
        Matter::Invoice(one) => &one.company,
        Matter::Contract(one) => &one.company,
        Matter::Datasheet(one) => &one.company,
        Matter::Certificate(one) => &one.company,
        Matter::YearlyReport(one) => &one.company,
    };
    let found = companies.iter().find(|company| company.name == *name);
    found.expect("records name companies of the corpus")
}

fn records(plan: CorpusPlan, companies: &[Company]) -> Vec<BusinessRecord> {
    let words = plan.half.words();
    let mut dice = Dice::new(plan.seed, "places");
    let mut deck = placing::FileDeck::default();
    let matters = matters(plan.half, companies, plan.documents, plan.seed);
    let mut all = Vec::with_capacity(matters.len());
    for (serial, matter) in (1..).zip(matters) {
        let mut record = BusinessRecord {
            serial,
            matter,
            file: FileKind::Markdown,
            source: String::new(),
            stands: [Stand::Nowhere; Field::COUNT],
        };
        let shelf = record.shelf();
        let second_scan = words.invoice_natures[2];
        record.file = placing::file(
            &record.matter,
            words.shelf(shelf),
            second_scan,
            &mut deck,
            &mut dice,
        );
        record.stands = placing::stands(shelf, record.file, &mut dice);
        record.source = path::source(plan.half, company_of(companies, &record.matter), &record);
        all.push(record);
    }
    all
}

fn files(plan: CorpusPlan, companies: &[Company], records: &[BusinessRecord]) -> Vec<CorpusFile> {
    let mut dice = Dice::new(plan.seed, "text");
    let mut files: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for record in records {
        let own = company_of(companies, &record.matter);
        let mut other = dice.pick(companies);
        while other == own {
            other = dice.pick(companies);
        }
        let paper = manuscript(record, plan.half.words(), &other.name, &mut dice);
        let (path, id) = record
            .source
            .split_once('#')
            .unwrap_or((&record.source, ""));
        files
            .entry(path)
            .or_default()
            .extend(render(&paper, record.file, id, &mut dice));
    }
    let file = |(path, bytes): (&str, Vec<u8>)| CorpusFile {
        path: path.to_owned(),
        bytes,
    };
    files.into_iter().map(file).collect()
}
