//! A document: one file of the corpus, read into lines of text.
//!
//! The path of the file alone determines the bucket and the id of the document, so a file is the same document in
//! every run and on every machine. *Not* here: how a file is read; see [`crate::reader`].

use crate::reader::{SkipReason, TITLE_CHARS_MAX, file_stem};
use envelope::{Bucket, DocId, TenantId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Longest readable part of a document id, in characters; the hash comes on top.
const SLUG_CHARS_MAX: usize = 48;
/// Hash characters of a document id: 40 bits, and only paths with the same slug can collide.
const ID_HASH_CHARS: usize = 10;
/// The same for a part of a file, of which there may be millions: 60 bits.
const ID_HASH_CHARS_PART: usize = 15;

/// One document.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The tenant that owns it.
    pub tenant: TenantId,
    /// Part of the corpus: the first folder of the path.
    pub bucket: Bucket,
    /// Derived from tenant and path.
    pub doc_id: DocId,
    /// Path relative to the corpus root, with `/`. Of a part of a file: `path#name`.
    pub source: String,
    /// From the front matter, the markup, the first heading or the file name, in this order.
    pub title: String,
    /// Extension in lower case, without the dot.
    pub ext: String,
    /// Front matter and `<meta>` fields; keys are lower case.
    pub metadata: BTreeMap<String, Value>,
    /// SHA-256 of what is published of it, in hex: the bytes of the file, or of a part of a file what
    /// [`Document::to_json`] makes of it.
    pub hash: String,
    /// How people name pages that they do not call by their number: `iv`, `Budget 2025`.
    pub page_names: BTreeMap<u32, String>,
    /// The text.
    pub lines: Vec<NumberedLine>,
}

/// A line of text and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedLine {
    /// Line in the file, from 1. For HTML, PDF and DOCX: in the text that is made of them; for
    /// JSONL: in the text of the document.
    pub number: u32,
    /// Page, slide, sheet or chapter, from 1, where the format has them, and where a text has form feeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The text, without its line end.
    pub text: String,
}

impl NumberedLine {
    pub(crate) fn new(number: u32, page: Option<u32>, text: impl Into<String>) -> NumberedLine {
        let text = text.into();
        NumberedLine { number, page, text }
    }
}

/// What the catalog has to know about a document on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Path relative to the corpus root.
    pub source: String,
    /// Part of the corpus.
    pub bucket: Bucket,
    /// The document.
    pub doc_id: DocId,
    /// SHA-256 of its bytes, in hex.
    pub hash: String,
}

/// A document as it travels where it is not a file of its own; the message says its tenant and its source.
#[derive(Serialize, Deserialize)]
struct Body<'a> {
    #[serde(default)]
    title: Cow<'a, str>,
    #[serde(default)]
    ext: Cow<'a, str>,
    #[serde(default)]
    metadata: Cow<'a, BTreeMap<String, Value>>,
    #[serde(default, skip_serializing_if = "no_names")]
    page_names: Cow<'a, BTreeMap<u32, String>>,
    lines: Cow<'a, [NumberedLine]>,
}

fn no_names(names: &BTreeMap<u32, String>) -> bool {
    names.is_empty()
}

impl Document {
    /// Title, extension, metadata and lines as JSON. The same document always gives the same bytes.
    pub fn to_json(&self) -> Vec<u8> {
        let body = Body {
            title: Cow::Borrowed(&self.title),
            ext: Cow::Borrowed(&self.ext),
            metadata: Cow::Borrowed(&self.metadata),
            page_names: Cow::Borrowed(&self.page_names),
            lines: Cow::Borrowed(&self.lines),
        };
        serde_json::to_vec(&body).expect("texts, numbers and JSON have JSON")
    }

    /// Parses the output of [`Document::to_json`], or JSON of that form from another program: only `lines` has to
    /// be there, with some text.
    pub fn from_json(
        bytes: &[u8],
        source: &str,
        tenant: &TenantId,
    ) -> Result<Document, SkipReason> {
        let body: Body<'_> =
            serde_json::from_slice(bytes).map_err(|e| SkipReason::BadForm(e.to_string()))?;
        let lines = body.lines.into_owned();
        if lines.iter().all(|line| line.text.trim().is_empty()) {
            return Err(SkipReason::Empty);
        }
        if lines.iter().any(|line| line.text.contains('\n')) {
            return Err(SkipReason::BadForm("a line has a line break in it".into()));
        }
        let title = match body.title.trim() {
            "" => file_stem(source),
            title => title.to_owned(),
        };
        let metadata = body.metadata.into_owned().into_iter();
        Ok(Document {
            tenant: tenant.clone(),
            bucket: bucket_of(source),
            doc_id: doc_id_of(tenant, source),
            source: source.to_owned(),
            title: title.chars().take(TITLE_CHARS_MAX).collect(),
            ext: body.ext.to_lowercase(),
            metadata: metadata.map(|(k, v)| (k.to_lowercase(), v)).collect(),
            hash: sha256_hex(bytes),
            page_names: body.page_names.into_owned(),
            lines,
        })
    }

    /// The document as it is published where it is no file of its own.
    pub(crate) fn into_part(mut self) -> Document {
        self.hash = sha256_hex(&self.to_json());
        self
    }

    /// The document without its text.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp {
            source: self.source.clone(),
            bucket: self.bucket.clone(),
            doc_id: self.doc_id.clone(),
            hash: self.hash.clone(),
        }
    }
}

/// The bucket of a path relative to the corpus root.
pub fn bucket_of(source: &str) -> Bucket {
    source
        .split_once('/')
        .and_then(|(folder, _)| Bucket::new(folder).ok())
        .unwrap_or_else(|| Bucket::new(Bucket::GENERIC).expect("a constant that keeps the rule"))
}

/// The document id of a path: a readable slug of the path inside its bucket, and a hash of the tenant and the whole
/// path. The hash is always there, because `a.md` and `a.txt` have the same slug, and because the subject of a chunk
/// does not name the tenant.
pub fn doc_id_of(tenant: &TenantId, source: &str) -> DocId {
    let inner = match source.split_once('/') {
        Some((folder, rest)) if Bucket::new(folder).is_ok() => rest,
        _ => source,
    };
    let stem = match inner.rsplit_once('.') {
        Some((stem, ext)) if !stem.is_empty() && !ext.contains(['/', '#']) => stem,
        _ => inner,
    };
    let hash_chars = match source.contains('#') {
        true => ID_HASH_CHARS_PART,
        false => ID_HASH_CHARS,
    };
    let slug: String = stem
        .chars()
        .take(SLUG_CHARS_MAX)
        .map(|c| match c {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' => c,
            _ => '-',
        })
        .collect();
    let hash = sha256_hex(format!("{tenant}/{source}").as_bytes());
    let id = format!("{}-{}", slug.trim_matches('-'), &hash[..hash_chars]);
    DocId::new(id.trim_start_matches('-')).expect("slug and hash keep the rule")
}

/// SHA-256 in lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes)
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}"); // writing to a String cannot fail
            hex
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(source: &str) -> String {
        doc_id_of(&TenantId::default_tenant(), source).to_string()
    }

    #[test]
    fn ids_are_readable_and_tell_files_apart() {
        assert!(id("invoices/acme-001.md").starts_with("acme-001-"));
        assert!(id("a b/c.d.txt").starts_with("a-b-c-d-"));
        assert!(id("x/y/z").starts_with("y-z-"));
        assert_ne!(id("a/x.md"), id("a/x.txt"));
        assert_ne!(id("a/x.md"), id("b/x.md"));
        assert_ne!(id("a/ä.md"), id("a/ö.md"));
        let other = TenantId::new("other").unwrap();
        assert_ne!(id("a/x.md"), doc_id_of(&other, "a/x.md").to_string());
        assert_eq!(id("日本/語.md").len(), ID_HASH_CHARS);
        assert!(id("a/x.jsonl#17").starts_with("x-jsonl-17-"));
        assert_ne!(id("a/x.jsonl#17"), id("a/x.jsonl#18"));
    }

    #[test]
    fn the_bucket_is_the_first_folder() {
        assert_eq!(bucket_of("invoices/2024/a.md").as_str(), "invoices");
        assert_eq!(bucket_of("a.md").as_str(), Bucket::GENERIC);
        assert_eq!(bucket_of("two words/a.md").as_str(), Bucket::GENERIC);
    }

    #[test]
    fn hashes_match_the_published_vector() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn json_that_is_no_document_says_why() {
        let read = |json: &str| {
            let tenant = TenantId::default_tenant();
            Document::from_json(json.as_bytes(), "notes/x.jsonl#7", &tenant)
        };
        let least = read(r#"{"lines": [{"number": 1, "text": "one"}]}"#).unwrap();
        assert_eq!((least.title.as_str(), least.ext.as_str()), ("x 7", ""));
        assert_eq!(least.bucket.as_str(), "notes");
        for (json, code) in [
            ("text", "bad_form"),
            ("{}", "bad_form"),
            (r#"{"lines": [{"text": "no number"}]}"#, "bad_form"),
            (r#"{"lines": [{"number": 1, "text": "a\nb"}]}"#, "bad_form"),
            (r#"{"lines": []}"#, "empty"),
            (r#"{"lines": [{"number": 1, "text": " "}]}"#, "empty"),
        ] {
            assert_eq!(read(json).unwrap_err().as_str(), code, "{json}");
        }
    }

    proptest! {
        #[test]
        fn json_reads_back(
            title in "[^\\s\\p{C}]{1,20}",
            texts in prop::collection::vec("[^\\n]{0,20}", 1..9),
            page in prop::option::of(1u32..9),
            value in "\\PC{0,9}",
        ) {
            prop_assume!(texts.iter().any(|text| !text.trim().is_empty()));
            let (tenant, source) = (TenantId::new("t").unwrap(), "a/x.jsonl#7");
            let lines = (1..).zip(texts).map(|(number, text)| NumberedLine { number, page, text });
            let mut document = Document {
                bucket: bucket_of(source),
                doc_id: doc_id_of(&tenant, source),
                tenant: tenant.clone(),
                source: source.into(),
                title,
                ext: "jsonl".into(),
                metadata: BTreeMap::from([("k".to_owned(), value.into())]),
                hash: String::new(),
                page_names: page.map(|page| (page, "iv".to_owned())).into_iter().collect(),
                lines: lines.collect(),
            };
            let json = document.to_json();
            document.hash = sha256_hex(&json);
            prop_assert_eq!(Document::from_json(&json, source, &tenant), Ok(document));
        }

        #[test]
        fn every_path_has_a_valid_stable_id(source in "\\PC{0,120}") {
            prop_assert!(id(&source).len() <= 64);
            prop_assert_eq!(id(&source), id(&source));
        }

        #[test]
        fn two_paths_have_two_ids(a in "[a-zA-Z0-9/._ äö-]{1,40}", b in "[a-zA-Z0-9/._ äö-]{1,40}") {
            prop_assume!(a != b);
            prop_assert_ne!(id(&a), id(&b));
        }
    }
}
