//! A generated corpus as an index would know it: what its documents say, and a dictionary of that.

use crate::eval::Error;
use conditions::question::GoldQuestion;
use conditions::{Corpus, CorpusPlan};
use documents::Document;
use envelope::TenantId;
use indexer::schema::Schemas;
use linking::days::day;
use linking::{Dictionary, FieldValue, LinkedQuestion, NAMED, fiscal, fold, names};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is known, and what is asked.
pub(super) struct Known {
    pub(super) dictionary: Dictionary,
    pub(super) documents: Vec<KnownDocument>,
    pub(super) questions: Vec<GoldQuestion>,
}

/// What a document says.
pub(super) struct KnownDocument {
    pub(super) source: String,
    pub(super) bucket: String,
    pub(super) fields: BTreeMap<String, Value>,
    /// The keys of all that it is called, and of all texts that it says; of documents without a schema.
    pub(super) names: BTreeSet<String>,
}

impl Known {
    pub(super) fn generated(plan: CorpusPlan) -> Result<Known, Error> {
        let folder = tempfile::tempdir().map_err(|error| Error::File {
            path: std::env::temp_dir(),
            error,
        })?;
        Corpus::generate(plan)?.write(folder.path())?;
        let schemas = Schemas::load(&folder.path().join("schema.toml"))?;
        let mut dictionary = Dictionary::default();
        for (bucket, table) in schemas.tables() {
            for column in table.columns() {
                dictionary.describe(bucket.as_str(), &column.name, &column.description);
            }
        }
        let mut known = Known {
            dictionary,
            documents: Vec::new(),
            questions: conditions::read_questions(&folder.path().join("questions.jsonl"))?,
        };
        let tenant = TenantId::default_tenant();
        let folder = folder.path().join("documents");
        for (_, found) in documents::corpus::walk(&folder, &tenant) {
            // Every file of the corpus can be read; one that cannot would be missed among the documents.
            let Ok(mut document) = found else { continue };
            let table = schemas.get(&document.bucket);
            if let Some(table) = table {
                table.apply(&mut document);
            }
            known.take_in(document, table.is_some());
        }
        Ok(known)
    }

    /// What a question amounts to, on its day.
    pub(super) fn link(&self, question: &GoldQuestion) -> Result<LinkedQuestion, Error> {
        let number = |part: Option<&str>| part.and_then(|part| part.parse::<u16>().ok());
        let mut parts = question.today.split('-');
        let [year, month, date] = [(); 3].map(|()| number(parts.next()).unwrap_or_default());
        let [month, date] = [month, date].map(|part| u8::try_from(part).unwrap_or_default());
        let today = day(i32::from(year), month, date);
        let today = today.ok_or_else(|| Error::BadDay(question.today.clone()))?;
        Ok(linking::link(&question.question, &self.dictionary, today))
    }

    fn take_in(&mut self, document: Document, has_schema: bool) {
        let bucket = document.bucket.as_str();
        let dictionary = &mut self.dictionary;
        dictionary.bucket(bucket);
        for (field, value) in &document.metadata {
            match value {
                Value::String(text) => dictionary.add(bucket, field, FieldValue::Text(text)),
                Value::Number(number) => {
                    let number = number.as_f64().unwrap_or_default();
                    dictionary.add(bucket, field, FieldValue::Number(number));
                }
                _ => {}
            }
        }
        let lines = document.lines.iter().map(|line| line.text.as_str());
        let mut names = BTreeSet::new();
        if !has_schema {
            let labelled = names::of_lines(lines.clone());
            let labelled = labelled.into_iter().map(|(_, value)| value.to_owned());
            for name in names::of_path(&document.source).into_iter().chain(labelled) {
                dictionary.add(bucket, NAMED, FieldValue::Text(&name));
                names.insert(fold::name_key(&name));
            }
            names.extend(
                names::of_title(&document.title)
                    .iter()
                    .map(|name| fold::name_key(name)),
            );
            names.extend(
                document
                    .metadata
                    .values()
                    .filter_map(Value::as_str)
                    .map(fold::name_key),
            );
        }
        let text = lines.collect::<Vec<_>>().join(" ");
        if let Some(end) = fiscal::end_in(&text) {
            for company in document.metadata.values().filter_map(Value::as_str) {
                dictionary.fiscal(company, end);
            }
        }
        self.documents.push(KnownDocument {
            bucket: bucket.to_owned(),
            source: document.source,
            fields: document.metadata,
            names,
        });
    }
}
