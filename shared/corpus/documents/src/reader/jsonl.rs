//! Reads JSONL, where each line is a document, so that one file contains many.
//!
//! A line is `{"text": ..., "title"?, "id"?, "source"?, "metadata"? {..}}`; other fields are ignored. Its document
//! gets the name `file.jsonl#<id>`, or `file.jsonl#<line>` if it has no id, and its `source` becomes the field
//! `origin`. A bad line is reported and left out. Memory holds one line at a time.

use super::text::{Decoded, stream_of};
use super::{File, Parsed, SkipReason, front_matter, text};
use crate::document::Document;
use crate::reader::Skip;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Longest line, in bytes.
const LINE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Longest id, in bytes.
const ID_BYTES_MAX: usize = 200;
/// Bad lines that are named one by one; after them a line of this file is passed over in silence
/// until the last report counts them.
const NAMED_MAX: usize = 100;

#[derive(Deserialize)]
struct Record {
    text: String,
    title: Option<String>,
    id: Option<Value>,
    source: Option<String>,
    #[serde(default)]
    metadata: Option<BTreeMap<String, Value>>,
}

/// The documents of a file, read as they are asked for.
pub(super) struct Records {
    file: File,
    input: BufReader<Decoded>,
    line: u64,
    /// Hashes of the ids so far: two documents under one name would replace each other.
    seen: HashSet<u64>,
    bad: usize,
    ended: bool,
}

impl Records {
    pub(super) fn open(path: &Path, file: File) -> Result<Records, SkipReason> {
        Ok(Records {
            input: stream_of(path)?,
            file,
            line: 0,
            seen: HashSet::new(),
            bad: 0,
            ended: false,
        })
    }

    /// The next line; `None` at the end.
    fn read_line(&mut self) -> Option<Result<String, SkipReason>> {
        let mut bytes = Vec::new();
        let read = self
            .input
            .by_ref()
            .take(LINE_BYTES_MAX + 1)
            .read_until(b'\n', &mut bytes);
        self.line += 1;
        match read {
            Err(error) => {
                self.ended = true;
                Some(Err(SkipReason::Unreadable(error.to_string())))
            }
            Ok(0) => None,
            Ok(_) if bytes.len() as u64 > LINE_BYTES_MAX => {
                drop(bytes);
                // An error here is met again by the next line.
                let _ = self.input.skip_until(b'\n');
                Some(Err(SkipReason::TooLarge(LINE_BYTES_MAX)))
            }
            Ok(_) => Some(Ok(String::from_utf8_lossy(&bytes).into_owned())),
        }
    }

    fn record(&mut self, line: &str) -> Result<Document, SkipReason> {
        let bad = |error: serde_json::Error| SkipReason::BadLine(error.to_string());
        let record: Record = serde_json::from_str(line).map_err(bad)?;
        let name = match &record.id {
            None | Some(Value::Null) => self.line.to_string(),
            Some(Value::String(id)) => id.trim().to_owned(),
            Some(Value::Number(id)) => id.to_string(),
            Some(_) => return Err(SkipReason::BadLine("`id` is no text or number".into())),
        };
        if name.is_empty() || name.len() > ID_BYTES_MAX || name.contains(char::is_control) {
            let rule = format!("`id` is not 1 to {ID_BYTES_MAX} bytes of plain text");
            return Err(SkipReason::BadLine(rule));
        }
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        if !self.seen.insert(hasher.finish()) {
            return Err(SkipReason::BadLine(format!("`id` `{name}` is used above")));
        }
        let fields = record.metadata.unwrap_or_default();
        let origin = record.source.map(|s| ("origin", Value::String(s)));
        let flat = fields.iter().filter(|(_, value)| !value.is_object());
        let pairs = flat.map(|(key, value)| (key.as_str(), value.clone()));
        let parsed = Parsed {
            title: record.title.filter(|title| !title.trim().is_empty()),
            metadata: front_matter::collect(pairs.chain(origin)),
            lines: text::numbered(&record.text, 0),
        };
        self.file.part(&name).document(parsed, None)
    }

    fn skip(&mut self, reason: SkipReason) -> Option<Skip> {
        if matches!(reason, SkipReason::Unreadable(_)) {
            let source = self.file.source.clone();
            return Some(Skip { source, reason });
        }
        self.bad += 1;
        let source = format!("{}#{}", self.file.source, self.line);
        (self.bad <= NAMED_MAX).then_some(Skip { source, reason })
    }

    fn end(&mut self) -> Option<Skip> {
        self.ended = true;
        let more = self.bad.saturating_sub(NAMED_MAX);
        (more > 0).then(|| Skip {
            source: self.file.source.clone(),
            reason: SkipReason::Partial(format!("{more} more lines are bad")),
        })
    }
}

impl Iterator for Records {
    type Item = Result<Document, Skip>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let reason = match self.read_line() {
                None => return self.end().map(Err),
                Some(Ok(line)) if line.trim().is_empty() => continue,
                Some(Ok(line)) => match self.record(&line) {
                    Ok(document) => return Some(Ok(document)),
                    Err(reason) => reason,
                },
                Some(Err(reason)) => reason,
            };
            if let Some(skip) = self.skip(reason) {
                return Some(Err(skip));
            }
        }
        None
    }
}
