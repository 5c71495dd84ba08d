//! Reads JSONL, where each line is a document, and JSON: an array of documents, an object with such an array, one
//! document, or several below each other.
//!
//! A document is an object with a text under one of the usual names; see [`record`]. It gets the name
//! `file.jsonl#<id>`, or `file.jsonl#<line>` if it has no id (in JSON the number of the document), and its `source`
//! becomes the field `origin`. A bad line is reported and left out. Memory holds one document at a time.

mod record;
mod values;

use super::text::Decoded;
use super::{File, SkipReason};
use crate::document::{Document, bucket_of};
use crate::reader::Skip;
use envelope::Bucket;
use record::Record;
pub use record::RecordFields;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::sync::OnceLock;
use values::Values;

/// Longest line, in bytes.
const LINE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Longest id, in bytes.
const ID_BYTES_MAX: usize = 200;
/// Bad lines that are named one by one; after them a line of this file is passed over in silence
/// until the last report counts them.
const NAMED_MAX: usize = 100;

static FIELDS: OnceLock<BTreeMap<Bucket, RecordFields>> = OnceLock::new();

/// Has the records of these buckets read so from now on. Only the first call counts.
pub fn read_records_with(fields: BTreeMap<Bucket, RecordFields>) {
    let _ = FIELDS.set(fields);
}

/// The documents of a file, read as they are asked for.
pub(super) struct Records {
    file: File,
    fields: RecordFields,
    input: BufReader<Decoded>,
    /// In JSON, where a document ends; lines end by themselves.
    values: Option<Values>,
    /// Documents that were found in one object.
    inner: VecDeque<Map<String, Value>>,
    line: u64,
    /// Hashes of the ids so far: two documents under one name would replace each other.
    seen: HashSet<u64>,
    bad: usize,
    ended: bool,
}

impl Records {
    pub(super) fn open(input: BufReader<Decoded>, file: File) -> Result<Records, SkipReason> {
        let fields = FIELDS.get().and_then(|of| of.get(&bucket_of(&file.source)));
        Ok(Records {
            fields: fields.cloned().unwrap_or_default(),
            input,
            values: (file.ext == "json").then(Values::default),
            inner: VecDeque::new(),
            file,
            line: 0,
            seen: HashSet::new(),
            bad: 0,
            ended: false,
        })
    }

    /// Passes over line breaks, of which a small archive may hold a billion.
    fn skip_breaks(&mut self) {
        // An error here is met again by what reads the line.
        while let Ok(block) = self.input.fill_buf() {
            let breaks = block.iter().take_while(|byte| **byte == b'\n').count();
            let is_all = breaks > 0 && breaks == block.len();
            self.line += breaks as u64;
            self.input.consume(breaks);
            if !is_all {
                return;
            }
        }
    }

    /// The next line, or value of JSON; `None` at the end.
    fn read_line(&mut self) -> Option<Result<String, SkipReason>> {
        if self.values.is_none() {
            self.skip_breaks();
        }
        let mut bytes = Vec::new();
        let read = match &mut self.values {
            Some(values) => values.read(&mut self.input, LINE_BYTES_MAX + 1, &mut bytes),
            None => {
                let mut line = self.input.by_ref().take(LINE_BYTES_MAX + 1);
                line.read_until(b'\n', &mut bytes)
            }
        };
        self.line += 1;
        match read {
            Err(error) => {
                self.ended = true;
                Some(Err(SkipReason::Unreadable(error.to_string())))
            }
            Ok(0) => None,
            Ok(_) if bytes.len() as u64 > LINE_BYTES_MAX => {
                drop(bytes);
                // Where the next value begins is not known.
                self.ended = self.values.is_some();
                // An error here is met again by the next line.
                let _ = self.input.skip_until(b'\n');
                Some(Err(SkipReason::TooLarge(LINE_BYTES_MAX)))
            }
            Ok(_) => Some(Ok(String::from_utf8_lossy(&bytes).into_owned())),
        }
    }

    fn document(&mut self, line: &str) -> Result<Document, SkipReason> {
        let bad = |error| SkipReason::BadLine(format!("{error}; correct that line"));
        let object: Map<String, Value> = serde_json::from_str(line).map_err(bad)?;
        if self.values.is_some() {
            return self.one_of(object);
        }
        self.record(object)
    }

    /// The document of an object, or the first of those in its longest list.
    fn one_of(&mut self, mut object: Map<String, Value>) -> Result<Document, SkipReason> {
        let length = |value: &Value| match value {
            Value::Array(items) if items.iter().all(Value::is_object) => items.len(),
            _ => 0,
        };
        let longest = object.iter().max_by_key(|(_, value)| length(value));
        let longest = longest
            .filter(|(_, value)| length(value) > 0)
            .map(|(name, _)| name.clone());
        let (Err(_), Some(name)) = (Record::of(object.clone(), &self.fields), longest) else {
            return self.record(object);
        };
        if let Some(Value::Array(items)) = object.remove(&name) {
            self.inner = items
                .into_iter()
                .filter_map(|item| match item {
                    Value::Object(inner) => Some(inner),
                    _ => None,
                })
                .collect();
        }
        match self.inner.pop_front() {
            Some(first) => self.record(first),
            None => Err(SkipReason::Empty),
        }
    }

    fn record(&mut self, object: Map<String, Value>) -> Result<Document, SkipReason> {
        let record = Record::of(object, &self.fields).map_err(SkipReason::BadLine)?;
        let name = match &record.id {
            None => self.line.to_string(),
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
        self.file.part(&name).document(record.parsed, None)
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
            let inner = self.inner.pop_front();
            if let Some(inner) = inner {
                self.line += 1;
                match self.record(inner) {
                    Ok(document) => return Some(Ok(document)),
                    Err(reason) => match self.skip(reason) {
                        Some(skip) => return Some(Err(skip)),
                        None => continue,
                    },
                }
            }
            let reason = match self.read_line() {
                None => return self.end().map(Err),
                Some(Ok(line)) if line.trim().is_empty() => continue,
                Some(Ok(line)) => match self.document(&line) {
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

#[cfg(test)]
#[path = "jsonl_tests.rs"]
mod tests;
