//! The fields of the index, and how a record is stored in them.

use super::words::Words;
use crate::Error;
use crate::profile;
use envelope::{Bucket, ChunkRecord, DocId, access};
use search::filter_terms;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{
    AsciiFoldingFilter, LowerCaser, PreTokenizedString, RawTokenizer, RemoveLongFilter, Stemmer,
    TextAnalyzer,
};
use text::Language;

/// The folder of this schema: a release that changes the schema takes another number and finds an
/// empty index.
pub(super) const FOLDER: &str = "index-7";

/// Whether a folder is that of an earlier schema.
pub(super) fn is_older(name: &str) -> bool {
    let number = |name: &str| name.strip_prefix("index-")?.parse::<u32>().ok();
    number(name) < number(FOLDER) && number(name).is_some()
}

/// Name of the column of rows.
pub(super) const ROW: &str = "row";
/// Name of the column of documents.
pub(super) const DOCUMENT: &str = "document";
/// Name of the analyzer of values that are compared as a whole.
const EXACT: &str = "raw";
/// Name of the analyzer of names: words, lower case, no accents, English stems.
const ANALYZER: &str = "argosy_en";
/// Name of the analyzer of texts, with the stems of the language of each.
const TEXT_ANALYZER: &str = "argosy_text";
/// Words of so many bytes are no words.
pub(crate) const WORD_BYTES_MAX: usize = 64;

/// Handles of the fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// One chunk: `<bucket>/<doc>/<n>`, like its subject.
    pub(super) key: Field,
    /// Its document: `<bucket>/<doc>`.
    pub(super) doc: Field,
    /// The hash of the document.
    pub(super) version: Field,
    pub(super) tenant: Field,
    pub(super) bucket: Field,
    /// The number of the chunk.
    pub(super) n: Field,
    /// The number of the document ([`document_number`]), also as a column: candidates are grouped by it without
    /// their records.
    pub(super) document: Field,
    /// What the path calls a document, of its first chunk alone: see [`profile::of_path`].
    pub(super) path_names: Field,
    /// What title and metadata call it: see [`profile::of_title`].
    pub(super) title_names: Field,
    /// The words of its first chunk: see [`profile::front`].
    pub(super) front: Field,
    /// What filters ask: see [`facts`].
    pub(super) facts: Field,
    pub(super) title: Field,
    /// The words of the source.
    pub(super) path: Field,
    /// The words of the metadata: people name the vendor, the place, the month.
    pub(super) meta: Field,
    pub(super) text: Field,
    /// The record as it came, without its vector, for the passage.
    pub(super) record: Field,
    /// The row of its vector, see [`super::rows`].
    pub(super) row: Field,
}

/// The schema; the same on every call.
pub(super) fn build() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let exact = indexed(EXACT, IndexRecordOption::Basic);
    let words = indexed(ANALYZER, IndexRecordOption::WithFreqs);
    // Only here are words looked for that follow each other.
    let text = indexed(TEXT_ANALYZER, IndexRecordOption::WithFreqsAndPositions);
    let fields = Fields {
        key: schema.add_text_field("key", exact.clone()),
        doc: schema.add_text_field("doc", exact.clone()),
        version: schema.add_text_field("version", exact.clone()),
        tenant: schema.add_text_field("tenant", exact.clone()),
        bucket: schema.add_text_field("bucket", exact.clone()),
        n: schema.add_u64_field("n", INDEXED),
        document: schema.add_u64_field(DOCUMENT, INDEXED | FAST),
        path_names: schema.add_text_field("path_names", exact.clone()),
        title_names: schema.add_text_field("title_names", exact.clone()),
        front: schema.add_text_field("front", exact.clone()),
        facts: schema.add_text_field("facts", exact),
        title: schema.add_text_field("title", words.clone()),
        path: schema.add_text_field("path", words.clone()),
        meta: schema.add_text_field("meta", words),
        text: schema.add_text_field("text", text),
        record: schema.add_bytes_field("record", STORED),
        row: schema.add_u64_field(ROW, FAST),
    };
    (schema.build(), fields)
}

fn indexed(analyzer: &str, option: IndexRecordOption) -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(analyzer)
        .set_fieldnorms(analyzer != EXACT)
        .set_index_option(option);
    TextOptions::default().set_indexing_options(indexing)
}

/// Makes the analyzers known to an index.
pub(super) fn register(index: &tantivy::Index) {
    index.tokenizers().register(ANALYZER, analyzer_of_names());
    let texts = TextAnalyzer::from(Words::new(None).kept());
    index.tokenizers().register(TEXT_ANALYZER, texts);
}

/// The analyzer of names for whoever has many of them to read.
pub(super) fn analyzer_of_names() -> TextAnalyzer {
    Words::new(Some(Language::English)).kept().into()
}

/// The analyzer of names, titles and paths, which are too short to show a language: that of English.
pub(crate) fn analyzer() -> TextAnalyzer {
    analyzer_of(Language::English)
}

/// The analyzer of texts, each in the language that it shows.
pub(crate) fn text_analyzer() -> TextAnalyzer {
    Words::new(None).into()
}

/// The analyzer of the words of a query in a language.
pub(crate) fn analyzer_of(language: Language) -> TextAnalyzer {
    Words::new(Some(language)).into()
}

/// What is made of one word of a language. English words lose their accents before they are stemmed; others have them in
/// their endings.
pub(super) fn chain(language: Language) -> TextAnalyzer {
    use tantivy::tokenizer::Language as Stems;
    let lower = TextAnalyzer::builder(RawTokenizer::default())
        .filter(RemoveLongFilter::limit(WORD_BYTES_MAX))
        .filter(LowerCaser);
    let stems = match language {
        Language::English => {
            let folded = lower.filter(AsciiFoldingFilter);
            return folded.filter(Stemmer::new(Stems::English)).build();
        }
        Language::German => Stems::German,
        Language::French => Stems::French,
        Language::Spanish => Stems::Spanish,
        Language::Italian => Stems::Italian,
        Language::Dutch => Stems::Dutch,
        Language::Portuguese => Stems::Portuguese,
        Language::Swedish => Stems::Swedish,
        Language::Danish => Stems::Danish,
        Language::Turkish => Stems::Turkish,
        Language::Russian => Stems::Russian,
        Language::Arabic => Stems::Arabic,
        Language::Chinese | Language::Japanese | Language::Korean | Language::Thai => {
            return lower.filter(AsciiFoldingFilter).build();
        }
    };
    lower
        .filter(Stemmer::new(stems))
        .filter(AsciiFoldingFilter)
        .build()
}

/// Whether the indexed words of the metadata are exactly those of its texts: numbers and lists have words there
/// too, a long text has not all of its words, and lower case may split a word beyond ASCII.
pub(crate) fn is_plain(metadata: &BTreeMap<String, Value>) -> bool {
    metadata.values().all(|value| match value {
        Value::String(text) => text.is_ascii() && text.len() <= filter_terms::TEXT_CHARS_MAX,
        Value::Null | Value::Bool(_) | Value::Object(_) => true,
        Value::Number(_) | Value::Array(_) => false,
    })
}

/// The key of a chunk.
pub(super) fn key(bucket: &Bucket, doc: &DocId, n: u32) -> String {
    format!("{bucket}/{doc}/{n}")
}

/// The number of a record's document: the first 8 bytes of the SHA-256 of its key.
pub(crate) fn document_number(record: &ChunkRecord) -> u64 {
    let hash = Sha256::digest(record.document_key());
    hash.iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A record without the readers that it names: they are nothing that a question asks for.
fn without_readers(record: &ChunkRecord) -> Cow<'_, ChunkRecord> {
    let mut record = Cow::Borrowed(record);
    if record.metadata.keys().any(|field| access::is_acl(field)) {
        record
            .to_mut()
            .metadata
            .retain(|field, _| !access::is_acl(field));
    }
    record
}

/// Adds the words of a text as an analyzer has them that is not the field's own.
fn add_tokens(
    document: &mut TantivyDocument,
    field: Field,
    text: &str,
    analyzer: &mut TextAnalyzer,
) {
    let mut tokens = Vec::new();
    let mut stream = analyzer.token_stream(text);
    stream.process(&mut |token| tokens.push(token.clone()));
    let text = text.to_owned();
    document.add_pre_tokenized_text(field, PreTokenizedString { text, tokens });
}

/// The key of a record's chunk.
pub(super) fn chunk_key(record: &ChunkRecord) -> String {
    key(&record.bucket, &record.doc_id, record.n)
}

impl Fields {
    /// A record as the index keeps it; `row` is where its vector lies.
    pub(super) fn document(
        &self,
        record: &ChunkRecord,
        key: &str,
        row: Option<u64>,
        names: &mut TextAnalyzer,
    ) -> Result<TantivyDocument, Error> {
        let stored = match &record.embedding {
            None => serde_json::to_vec(record),
            Some(_) => serde_json::to_vec(&ChunkRecord {
                embedding: None,
                ..record.clone()
            }),
        };
        let stored = stored.map_err(Error::index)?;
        let mut document = TantivyDocument::default();
        for fact in filter_terms::of(record) {
            document.add_text(self.facts, fact);
        }
        document.add_text(self.facts, filter_terms::place_term(&record.source));
        let record = &*without_readers(record);
        document.add_text(self.key, key);
        document.add_text(self.doc, record.document_key());
        document.add_text(self.version, &record.hash);
        document.add_text(self.tenant, record.tenant.as_str());
        document.add_text(self.bucket, record.bucket.as_str());
        document.add_u64(self.n, u64::from(record.n));
        document.add_u64(self.document, document_number(record));
        // Names show no language: they have English stems, and those of the text's language.
        let language = Language::of(&record.text);
        let mut own = (language != Language::English).then(|| analyzer_of(language));
        let analyzers = std::iter::once(names).chain(&mut own);
        for analyzer in analyzers.filter(|_| record.is_head()) {
            for name in profile::of_path(record, analyzer) {
                document.add_text(self.path_names, name);
            }
            for name in profile::of_title(record, analyzer) {
                document.add_text(self.title_names, name);
            }
            // The only chunk of a document is found by its text.
            let front = (record.of > 1).then(|| profile::front(record, analyzer));
            for word in front.into_iter().flatten() {
                document.add_text(self.front, word);
            }
        }
        document.add_text(self.title, &record.title);
        document.add_text(self.path, &record.source);
        for value in record.metadata.values() {
            self.add_words(&mut document, value);
        }
        if let Some(analyzer) = &mut own {
            add_tokens(&mut document, self.title, &record.title, analyzer);
            add_tokens(&mut document, self.path, &record.source, analyzer);
            for text in record.metadata.values().filter_map(Value::as_str) {
                let text = filter_terms::folded(text);
                add_tokens(&mut document, self.meta, &text, analyzer);
            }
        }
        document.add_text(self.text, &record.text);
        document.add_bytes(self.record, &stored);
        if let Some(row) = row {
            document.add_u64(self.row, row);
        }
        Ok(document)
    }

    fn add_words(&self, document: &mut TantivyDocument, value: &Value) {
        match value {
            Value::String(text) => document.add_text(self.meta, filter_terms::folded(text)),
            Value::Array(items) => items.iter().for_each(|v| self.add_words(document, v)),
            Value::Number(number) => document.add_text(self.meta, number.to_string()),
            Value::Null | Value::Bool(_) | Value::Object(_) => {}
        }
    }
}
