//! A document that is sent to be indexed: the headers of its message, and the event that reports the result.
//!
//! The body of the message is the document itself, byte for byte. If a file contains several documents, the body is
//! one of them as JSON ([`DocumentForm`]). The identity of a document follows from its tenant and source alone, so
//! two publishers cannot make two documents of one source. It does not depend on the subject, in which publishers
//! choose the name freely.

use crate::codec::is_default;
use crate::edition::Edition;
use crate::ids::{Bucket, DocId, TenantId};
use crate::limits::{METADATA_BYTES_MAX, OBJECT_NAME_BYTES_MAX, SOURCE_BYTES_MAX};
use crate::refusal::cut;
use crate::terminal::Problem;
use crate::{WIRE, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The contents of the headers of a document message.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// The tenant that owns it.
    pub tenant: TenantId,
    /// Path inside the corpus, with `/`.
    pub source: String,
    /// True when the document is deleted.
    pub is_deleted: bool,
    /// The form of its bytes.
    pub form: DocumentForm,
    /// True to index it anew although nothing has changed.
    pub is_forced: bool,
    /// SHA-256 of its bytes in hex, where the publisher says it.
    pub hash: Option<String>,
    /// Metadata of the publisher, in addition to the metadata in the document.
    pub metadata: BTreeMap<String, Value>,
    /// The object that holds the bytes, where the body does not.
    pub object: Option<String>,
    /// How many chunks the publisher knows of an earlier version.
    pub chunks: u32,
}

words! {
    /// The form of the bytes of a document message.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum DocumentForm {
        /// A file, as it is.
        #[default]
        File = "file",
        /// A document that was read already, as JSON: one of several in a file.
        Document = "document",
    }
}

/// Why the headers of a document message are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// There is no source.
    #[error(
        "the header `Argosy-Source` is missing: say the path of the document inside the corpus"
    )]
    NoSource,
    /// The source is no path inside a corpus.
    #[error(
        "`{0}` is no path inside a corpus: want up to {SOURCE_BYTES_MAX} bytes, parts between `/`, none of them empty, `.` or `..`, no control characters, no blank at either end"
    )]
    BadSource(String),
    /// Another header has a value that it cannot have.
    #[error("the header `{name}` cannot be `{value}`: {want}")]
    BadHeader {
        /// Which.
        name: &'static str,
        /// Its value, cut short.
        value: String,
        /// What it can be.
        want: &'static str,
    },
}

impl HeaderError {
    /// A word for programs that does not change between releases.
    pub const fn code(&self) -> &'static str {
        match self {
            HeaderError::NoSource => "missing_source",
            HeaderError::BadSource(_) => "bad_source",
            HeaderError::BadHeader { .. } => "bad_header",
        }
    }
}

impl Notice {
    /// A notice of a document that is not deleted, without any optional header.
    pub fn new(tenant: TenantId, source: impl Into<String>) -> Notice {
        Notice {
            tenant,
            source: source.into(),
            is_deleted: false,
            form: DocumentForm::File,
            is_forced: false,
            hash: None,
            metadata: BTreeMap::new(),
            object: None,
            chunks: 0,
        }
    }

    /// Reads the headers; `get` looks one up by name.
    pub fn read<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Result<Notice, HeaderError> {
        let source = get(header::SOURCE).ok_or(HeaderError::NoSource)?;
        if !is_source(source) {
            return Err(HeaderError::BadSource(cut(source)));
        }
        let flag = |name| {
            let value = read(&get, name, "want `true` or `false`", |text| {
                text.parse::<bool>().ok()
            });
            value.map(Option::unwrap_or_default)
        };
        let tenant = read(&get, header::TENANT, crate::ids::ID_RULE, |text| {
            TenantId::new(text).ok()
        })?;
        let form = read(&get, header::FORM, "want `file` or `document`", |text| {
            DocumentForm::ALL
                .into_iter()
                .find(|form| form.as_str() == text)
        })?;
        let hash = read(
            &get,
            header::DOC_HASH,
            "want SHA-256 in lower-case hex",
            |text| is_sha256(text).then(|| text.to_owned()),
        )?;
        let object = read(
            &get,
            header::OBJECT,
            "want letters, digits, `.`, `_`, `-`",
            |text| is_object_name(text).then(|| text.to_owned()),
        )?;
        let chunks = read(&get, header::CHUNKS, "want a whole number", |text| {
            text.parse().ok()
        })?;
        let metadata = read(
            &get,
            header::METADATA,
            "want a JSON object of up to 8 KiB",
            |text| {
                let fits = text.len() <= METADATA_BYTES_MAX;
                serde_json::from_str(text).ok().filter(|_| fits)
            },
        )?;
        Ok(Notice {
            is_deleted: flag(header::DELETED)?,
            form: form.unwrap_or_default(),
            is_forced: flag(header::FORCE)?,
            hash,
            metadata: metadata.unwrap_or_default(),
            object,
            chunks: chunks.unwrap_or(0),
            ..Notice::new(tenant.unwrap_or_else(TenantId::default_tenant), source)
        })
    }

    /// The version of the document: the hash of its bytes, with the publisher's metadata that is not in the bytes.
    pub fn version(&self, bytes_hash: &str) -> String {
        if self.metadata.is_empty() {
            return bytes_hash.to_owned();
        }
        let metadata = serde_json::to_vec(&self.metadata).unwrap_or_default();
        format!("{bytes_hash}-{:016x}", crate::ids::fnv1a_64(&metadata))
    }

    /// The headers from which [`Notice::read`] makes this notice.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let is_file = self.form == DocumentForm::File;
        let metadata = || serde_json::to_string(&self.metadata).unwrap_or_default();
        let headers = [
            (header::TENANT, Some(self.tenant.to_string())),
            (header::SOURCE, Some(self.source.clone())),
            (header::DELETED, self.is_deleted.then(|| "true".into())),
            (header::FORCE, self.is_forced.then(|| "true".into())),
            (header::FORM, (!is_file).then(|| self.form.as_str().into())),
            (header::DOC_HASH, self.hash.clone()),
            (header::OBJECT, self.object.clone()),
            (
                header::CHUNKS,
                (self.chunks > 0).then(|| self.chunks.to_string()),
            ),
            (header::METADATA, (!self.metadata.is_empty()).then(metadata)),
        ];
        let said = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        said.collect()
    }
}

/// The value of a header that may be absent.
fn read<'a, T>(
    get: &impl Fn(&str) -> Option<&'a str>,
    name: &'static str,
    want: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, HeaderError> {
    let bad = |text: &str| HeaderError::BadHeader {
        name,
        value: cut(text),
        want,
    };
    let read = get(name).map(|text| parse(text).ok_or_else(|| bad(text)));
    read.transpose()
}

/// Whether a text is a path inside a corpus that a header can carry.
pub fn is_source(text: &str) -> bool {
    (1..=SOURCE_BYTES_MAX).contains(&text.len())
        && text.trim() == text
        && !text.chars().any(char::is_control)
        && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn is_object_name(text: &str) -> bool {
    let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    (1..=OBJECT_NAME_BYTES_MAX).contains(&text.len()) && text.bytes().all(good)
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

words! {
    /// The result of a document message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum DocumentOutcome {
        /// Its chunks are stored.
        Indexed = "indexed",
        /// It is indexed as it is.
        Unchanged = "unchanged",
        /// It is gone from the corpus.
        Deleted = "deleted",
        /// A newer version of it came first.
        Superseded = "superseded",
        /// It cannot be indexed; there is a dead letter.
        Skipped = "skipped",
    }
}

/// The event that reports the result of a document message, on core NATS, for processes that listen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedEvent {
    /// Wire version.
    pub v: u16,
    /// Sequence of the message in its stream, which the publisher got as confirmation.
    pub sequence: u64,
    /// The tenant that owns the document.
    pub tenant: TenantId,
    /// Its source; empty when the message did not say.
    pub source: String,
    /// The edition that it was indexed for.
    pub edition: Edition,
    /// Part of the corpus.
    pub bucket: Bucket,
    /// The document.
    pub doc_id: DocId,
    /// The result.
    pub outcome: DocumentOutcome,
    /// Messages stored in the corpus.
    pub chunks: u32,
    /// The sequence of the corpus stream from which on the document is as this event says; a question can name it as
    /// `min_seq`. 0 when nothing of the document is stored.
    #[serde(default, skip_serializing_if = "is_default")]
    pub corpus_seq: u64,
    /// Why the document was skipped; for an indexed document, what was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

impl IndexedEvent {
    /// The event of a document.
    pub fn of(
        notice: &Notice,
        edition: Edition,
        bucket: Bucket,
        doc_id: DocId,
        sequence: u64,
        outcome: DocumentOutcome,
    ) -> Self {
        IndexedEvent {
            v: WIRE,
            sequence,
            tenant: notice.tenant.clone(),
            source: notice.source.clone(),
            edition,
            bucket,
            doc_id,
            outcome,
            chunks: 0,
            corpus_seq: 0,
            problem: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(headers: &[(&str, &str)]) -> Result<Notice, HeaderError> {
        Notice::read(|name| headers.iter().find(|(n, _)| *n == name).map(|(_, v)| *v))
    }

    #[test]
    fn a_source_is_all_that_is_needed() {
        let notice = read(&[(header::SOURCE, "contracts/lease.md")]).unwrap();
        let wanted = Notice::new(TenantId::default_tenant(), "contracts/lease.md");
        assert_eq!(notice, wanted);
        assert_eq!(read(&[]).unwrap_err().code(), "missing_source");
    }

    #[test]
    fn sources_stay_inside_the_corpus() {
        for bad in [
            "",
            "/a",
            "a/",
            "a//b",
            "../a",
            "a/./b",
            " a",
            "a\n",
            &"x".repeat(1025),
        ] {
            let refused = read(&[(header::SOURCE, bad)]).unwrap_err();
            assert_eq!(refused.code(), "bad_source", "{bad:?}");
        }
        assert!(is_source("Verträge/Miete 2024 (neu).md"));
    }

    #[test]
    fn a_bad_header_is_named() {
        for (name, value) in [
            (header::TENANT, "a.b"),
            (header::DELETED, "yes"),
            (header::FORCE, ""),
            (header::FORM, "Document"),
            (header::DOC_HASH, "ABC"),
            (header::OBJECT, "a/b"),
            (header::CHUNKS, "-1"),
            (header::METADATA, "[1]"),
        ] {
            let refused = read(&[(header::SOURCE, "a.md"), (name, value)]).unwrap_err();
            assert!(refused.to_string().contains(name), "{refused}");
        }
    }

    #[test]
    fn the_event_stays_as_it_is() {
        let notice = Notice::new(TenantId::default_tenant(), "contracts/lease.md");
        let (bucket, doc) = (Bucket::new("contracts"), DocId::new("lease-84bd23c282"));
        let event = IndexedEvent {
            problem: Some(Problem::new("binary", "binary, not text")),
            ..IndexedEvent::of(
                &notice,
                Edition::main(),
                bucket.unwrap(),
                doc.unwrap(),
                7,
                DocumentOutcome::Skipped,
            )
        };
        let golden = r#"{"v":1,"sequence":7,"tenant":"default","source":"contracts/lease.md","edition":"main","bucket":"contracts","doc_id":"lease-84bd23c282","outcome":"skipped","chunks":0,"problem":{"code":"binary","message":"binary, not text"}}"#;
        assert_eq!(serde_json::to_string(&event).unwrap(), golden);
        assert_eq!(serde_json::from_str::<IndexedEvent>(golden).unwrap(), event);
        let told = IndexedEvent {
            corpus_seq: 41,
            ..event
        };
        let told = serde_json::to_string(&told).unwrap();
        assert!(told.contains(r#""chunks":0,"corpus_seq":41,"#), "{told}");
        for outcome in DocumentOutcome::ALL {
            let word = serde_json::to_string(&outcome).unwrap();
            assert_eq!(word, format!("\"{}\"", outcome.as_str()));
        }
    }

    proptest! {
        #[test]
        fn headers_read_back(
            source in "[a-z0-9 äß]{1,9}(/[a-zA-Z0-9._-]{3,9}){0,3}",
            deleted: bool,
            forced: bool,
            read: bool,
            chunks in 0u32..99,
            value in "\\PC{0,20}",
        ) {
            prop_assume!(is_source(&source));
            let notice = Notice {
                is_deleted: deleted,
                is_forced: forced,
                form: if read { DocumentForm::Document } else { DocumentForm::File },
                chunks,
                hash: Some("a1".repeat(32)),
                object: Some("doc.a1-x".into()),
                metadata: BTreeMap::from([("k".to_owned(), Value::from(value))]),
                ..Notice::new(TenantId::new("t").unwrap(), source)
            };
            let headers = notice.headers();
            let back = Notice::read(|name| {
                headers.iter().find(|(n, _)| *n == name).map(|(_, v)| v.as_str())
            });
            prop_assert_eq!(back, Ok(notice));
        }
    }
}
