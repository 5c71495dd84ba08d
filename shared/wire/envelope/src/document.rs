//! A document that is sent to be indexed: the headers of its message, and the event that reports the result.
//!
//! The body of the message is the document itself, byte for byte. If a file contains several documents, the body is
//! one of them as JSON ([`DocumentForm`]). The identity of a document follows from its tenant and source alone, so
//! two publishers cannot make two documents of one source. It does not depend on the subject, in which publishers
//! choose the name freely.

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

/// The form of the bytes of a document message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DocumentForm {
    /// A file, as it is.
    #[default]
    File,
    /// A document that was read already, as JSON: one of several in a file.
    Document,
}

impl DocumentForm {
    /// The word in the header.
    pub const fn as_str(self) -> &'static str {
        match self {
            DocumentForm::File => "file",
            DocumentForm::Document => "document",
        }
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
        let bad = |name, value: &str, want| HeaderError::BadHeader {
            name,
            value: cut(value),
            want,
        };
        let flag = |name| match get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(bad(name, other, "want `true` or `false`")),
        };
        let tenant = match get(header::TENANT) {
            None => TenantId::default_tenant(),
            Some(text) => {
                TenantId::new(text).map_err(|_| bad(header::TENANT, text, crate::ids::ID_RULE))?
            }
        };
        let form = match get(header::FORM) {
            None | Some("file") => DocumentForm::File,
            Some("document") => DocumentForm::Document,
            Some(other) => return Err(bad(header::FORM, other, "want `file` or `document`")),
        };
        let hash = match get(header::DOC_HASH) {
            None => None,
            Some(text) if is_sha256(text) => Some(text.to_owned()),
            Some(text) => {
                return Err(bad(
                    header::DOC_HASH,
                    text,
                    "want SHA-256 in lower-case hex",
                ));
            }
        };
        let object = match get(header::OBJECT) {
            None => None,
            Some(text) if is_object_name(text) => Some(text.to_owned()),
            Some(text) => {
                return Err(bad(
                    header::OBJECT,
                    text,
                    "want letters, digits, `.`, `_`, `-`",
                ));
            }
        };
        let chunks = match get(header::CHUNKS) {
            None => 0,
            Some(text) => text
                .parse()
                .map_err(|_| bad(header::CHUNKS, text, "want a whole number"))?,
        };
        let metadata = match get(header::METADATA) {
            None => BTreeMap::new(),
            Some(text) => serde_json::from_str(text)
                .ok()
                .filter(|_| text.len() <= METADATA_BYTES_MAX)
                .ok_or_else(|| bad(header::METADATA, text, "want a JSON object of up to 8 KiB"))?,
        };
        Ok(Notice {
            tenant,
            source: source.to_owned(),
            is_deleted: flag(header::DELETED)?,
            form,
            is_forced: flag(header::FORCE)?,
            hash,
            metadata,
            object,
            chunks,
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
        let mut headers = vec![
            (header::TENANT, self.tenant.to_string()),
            (header::SOURCE, self.source.clone()),
        ];
        for (name, flag) in [
            (header::DELETED, self.is_deleted),
            (header::FORCE, self.is_forced),
        ] {
            if flag {
                headers.push((name, "true".into()));
            }
        }
        if self.form != DocumentForm::File {
            headers.push((header::FORM, self.form.as_str().into()));
        }
        let optional = [
            (header::DOC_HASH, self.hash.clone()),
            (header::OBJECT, self.object.clone()),
            (
                header::CHUNKS,
                (self.chunks > 0).then(|| self.chunks.to_string()),
            ),
            (
                header::METADATA,
                (!self.metadata.is_empty())
                    .then(|| serde_json::to_string(&self.metadata).unwrap_or_default()),
            ),
        ];
        headers.extend(optional.into_iter().filter_map(|(n, v)| Some((n, v?))));
        headers
    }
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

/// The result of a document message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentOutcome {
    /// Its chunks are stored.
    Indexed,
    /// It is indexed as it is.
    Unchanged,
    /// It is gone from the corpus.
    Deleted,
    /// A newer version of it came first.
    Superseded,
    /// It cannot be indexed; there is a dead letter.
    Skipped,
}

impl DocumentOutcome {
    /// Every one.
    pub const ALL: [DocumentOutcome; 5] = [
        DocumentOutcome::Indexed,
        DocumentOutcome::Unchanged,
        DocumentOutcome::Deleted,
        DocumentOutcome::Superseded,
        DocumentOutcome::Skipped,
    ];

    /// The word for events and metric labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            DocumentOutcome::Indexed => "indexed",
            DocumentOutcome::Unchanged => "unchanged",
            DocumentOutcome::Deleted => "deleted",
            DocumentOutcome::Superseded => "superseded",
            DocumentOutcome::Skipped => "skipped",
        }
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
    #[serde(default, skip_serializing_if = "is_zero")]
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

fn is_zero(n: &u64) -> bool {
    *n == 0
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
