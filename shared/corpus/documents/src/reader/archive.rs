//! Files that are in other files: entries of archives, messages of mailboxes, attachments of messages. Each is read
//! by the reader of its own name, and is a document of its own: `a.zip#b/report.docx`.
//!
//! Memory holds one entry of each file that is open. What all of them unpack to has one limit. It does *not* read
//! files that are more than [`DEPTH_MAX`] deep.

mod attachment;
mod zip;

pub(super) use attachment::{Attachment, Attachments};

use super::text::{Input, stream};
use super::{
    CONTAINER_BYTES_MAX, Documents, File, Format, Skip, SkipReason, apart, fits, jsonl, mail,
    table, unreadable,
};
use crate::document::Document;
use std::collections::HashSet;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many files a file may be in.
const DEPTH_MAX: u32 = 3;
/// Most bytes that all in one file unpack to, or [`GROWTH_MAX`] times its size.
const UNPACKED_BYTES_MAX: u64 = 1 << 30;
/// See [`UNPACKED_BYTES_MAX`].
const GROWTH_MAX: u64 = 20;
/// Left-out entries of a file that are named one by one.
const NAMED_MAX: usize = 100;
/// Entries without a reader that are named.
const OTHERS_MAX: usize = 10;
/// Longest name of an entry, in bytes.
const NAME_BYTES_MAX: usize = 400;

/// A file with files in it.
pub(super) trait Container: Send {
    /// The name of the next entry, or why it is not read.
    fn next(&mut self) -> Option<(String, Result<(), SkipReason>)>;

    /// The bytes of that entry, up to one more than so many.
    fn bytes(&mut self, bytes_max: u64) -> Result<Vec<u8>, SkipReason>;

    /// What an entry is, by its name.
    fn entry(&self, within: &File, name: &str) -> Result<File, SkipReason> {
        within.entry(name)
    }

    /// What of it cannot be named.
    fn left_out(&self) -> Option<String> {
        None
    }

    /// Sees the document of each entry, but not those of files in it, before it is given out.
    fn see(&mut self, _document: &mut Document) {}
}

/// Where a file is, and what may still be unpacked there.
#[derive(Clone)]
struct Room {
    depth: u32,
    bytes_left: Arc<AtomicU64>,
    bytes_max: u64,
}

impl Room {
    fn of_file(bytes: u64) -> Room {
        let bytes_max = UNPACKED_BYTES_MAX.max(bytes.saturating_mul(GROWTH_MAX));
        Room {
            depth: 0,
            bytes_left: Arc::new(AtomicU64::new(bytes_max)),
            bytes_max,
        }
    }

    /// One file deeper.
    fn inside(&self) -> Result<Room, SkipReason> {
        match self.depth < DEPTH_MAX {
            true => Ok(Room {
                depth: self.depth + 1,
                ..self.clone()
            }),
            false => Err(SkipReason::Entry(format!(
                "it is a file of files in more than {DEPTH_MAX} others; unpack them"
            ))),
        }
    }

    fn take(&self, bytes: u64) -> Result<(), SkipReason> {
        let taken = self
            .bytes_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes)
            });
        taken
            .map(drop)
            .map_err(|_| SkipReason::Inflates(self.bytes_max))
    }
}

/// The documents of a file on disk.
pub(super) fn documents(mut input: Box<dyn Input>, file: File) -> Result<Documents, SkipReason> {
    let bytes = input.seek(SeekFrom::End(0)).map_err(unreadable)?;
    input.rewind().map_err(unreadable)?;
    read(input, bytes, file, Room::of_file(bytes))
}

fn read(input: Box<dyn Input>, size: u64, file: File, room: Room) -> Result<Documents, SkipReason> {
    let is_part = room.depth > 0;
    Ok(match file.format {
        Format::Jsonl => Box::new(jsonl::Records::open(stream(input)?, file)?),
        Format::Table if size > table::PART_BYTES as u64 => {
            Box::new(table::Parts::open(stream(input)?, file)?)
        }
        Format::Zip => {
            let room = room.inside()?;
            Box::new(Inside::of(zip::Archive::open(input, size)?, file, room))
        }
        Format::Mbox => {
            let room = room.inside()?;
            Box::new(Inside::of(mail::Mailbox::open(input), file, room))
        }
        format => {
            let bytes = bytes_of(input, format.bytes_max()?)?;
            if !format.has_attachments() {
                let (document, left_out) = apart::whole(&bytes, file.clone())?;
                let document = if is_part {
                    document.into_part()
                } else {
                    document
                };
                let left_out = left_out.map(|reason| Err(file.skip(reason)));
                return Ok(Box::new(std::iter::once(Ok(document)).chain(left_out)));
            }
            // What it says is left out are its attachments, which are read here.
            let (message, _) = apart::whole(&bytes, file.clone())?;
            let message = std::iter::once(Ok(message.into_part()));
            match apart::attachments(&bytes, &file).and_then(|found| Ok((found, room.inside()?))) {
                Ok((found, _)) if found.is_empty() => Box::new(message),
                Ok((found, room)) => Box::new(message.chain(Inside::of(found, file, room))),
                Err(reason) => Box::new(message.chain(std::iter::once(Err(file.skip(reason))))),
            }
        }
    })
}

/// The bytes of a file that is one document.
pub(super) fn bytes_of(input: impl Read, bytes_max: u64) -> Result<Vec<u8>, SkipReason> {
    let mut bytes = Vec::new();
    let mut input = input.take(bytes_max + 1);
    input.read_to_end(&mut bytes).map_err(unreadable)?;
    fits(&bytes, bytes_max)?;
    Ok(bytes)
}

/// The documents of a file with files in it.
struct Inside<C> {
    container: C,
    file: File,
    room: Room,
    /// The names so far: two documents under one name would replace each other.
    names: HashSet<String>,
    reading: Option<Documents>,
    /// The source of the entry that is read.
    entry: String,
    named: usize,
    /// Whether what is not named may be indexed already.
    hides: bool,
    /// What has no reader.
    others: Vec<String>,
    others_count: usize,
    ended: bool,
}

impl<C: Container> Inside<C> {
    fn of(container: C, file: File, room: Room) -> Inside<C> {
        Inside {
            container,
            file,
            room,
            names: HashSet::new(),
            reading: None,
            entry: String::new(),
            named: 0,
            hides: false,
            others: Vec::new(),
            others_count: 0,
            ended: false,
        }
    }

    /// Begins to read an entry.
    fn open(&mut self, file: File) -> Result<Documents, SkipReason> {
        // Those that are read in parts are held as a whole here.
        let bytes_max = file.format.bytes_max().unwrap_or(CONTAINER_BYTES_MAX);
        // Where the disk fails, or all is unpacked that may be, the rest cannot be told either: that is of the whole file.
        let bytes = self.container.bytes(bytes_max).inspect_err(|reason| {
            self.ended = matches!(reason, SkipReason::Unreadable(_));
        })?;
        let size = bytes.len() as u64;
        self.room.take(size).inspect_err(|_| self.ended = true)?;
        fits(&bytes, bytes_max)?;
        self.entry.clone_from(&file.source);
        read(Box::new(Cursor::new(bytes)), size, file, self.room.clone())
    }

    /// What is told of an entry that is left out; those without a reader are told together.
    fn skip(&mut self, name: &str, reason: SkipReason) -> Option<Skip> {
        if let SkipReason::UnknownExtension(_) = reason {
            self.others_count += 1;
            if self.others.len() < OTHERS_MAX {
                self.others.push(name.to_owned());
            }
            return None;
        }
        if self.ended {
            return Some(self.file.skip(reason));
        }
        self.named += 1;
        let is_named = self.named <= NAMED_MAX;
        self.hides |= !is_named && reason.hides();
        let source = format!("{}#{name}", self.file.source);
        is_named.then_some(Skip { source, reason })
    }

    fn end(&mut self) -> Option<Skip> {
        self.ended = true;
        if self.names.is_empty() {
            return Some(self.file.skip(SkipReason::Empty));
        }
        let more = self.named.saturating_sub(NAMED_MAX);
        let mut told: Vec<String> = self.container.left_out().into_iter().collect();
        if self.others_count > 0 {
            let rest = self.others_count - self.others.len();
            told.push(format!(
                "{} in it without a reader: {}{}",
                self.others_count,
                self.others.join(", "),
                if rest > 0 { ", ..." } else { "" }
            ));
        }
        if more > 0 {
            told.push(format!("{more} more in it are left out"));
        }
        if self.hides {
            return Some(self.file.skip(SkipReason::Unreadable(told.join("; "))));
        }
        (!told.is_empty()).then(|| self.file.skip(SkipReason::Partial(told.join("; "))))
    }
}

impl<C: Container> Iterator for Inside<C> {
    type Item = Result<Document, Skip>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reading.as_mut().map(Iterator::next) {
                Some(Some(mut found)) => {
                    if let Ok(document) = &mut found
                        && document.source == self.entry
                    {
                        self.container.see(document);
                    }
                    return Some(found);
                }
                Some(None) => self.reading = None,
                None => {}
            }
            if self.ended {
                return None;
            }
            let Some((name, readable)) = self.container.next() else {
                return self.end().map(Err);
            };
            let name = unused(&mut self.names, &shortened(&name));
            let opened = readable
                .and_then(|()| self.container.entry(&self.file, &name))
                .and_then(|file| self.open(file));
            match opened {
                Ok(documents) => self.reading = Some(documents),
                Err(reason) => {
                    if let Some(skip) = self.skip(&name, reason) {
                        return Some(Err(skip));
                    }
                }
            }
        }
    }
}

/// A name that can be part of a source.
fn shortened(name: &str) -> String {
    let name: String = name
        .chars()
        // The sign that parts names would make two names of one.
        .map(|c| if c.is_control() || c == '#' { '_' } else { c })
        .collect();
    match name.trim() {
        "" => "unnamed".to_owned(),
        name if name.len() <= NAME_BYTES_MAX => name.to_owned(),
        name => {
            let (stem, ext) = stem_of(name);
            let room = NAME_BYTES_MAX.saturating_sub(ext.len());
            let end = stem.floor_char_boundary(room);
            format!(
                "{}{}",
                &stem[..end],
                &ext[..ext.floor_char_boundary(NAME_BYTES_MAX)]
            )
        }
    }
}

/// What stands before the extension, and that with its dot.
fn stem_of(name: &str) -> (&str, &str) {
    let at = name.rfind('.').filter(|_| Format::of_source(name).is_ok());
    name.split_at(at.unwrap_or(name.len()))
}

/// The name, or the first one with a number that is not used yet: `a (2).txt`.
fn unused(names: &mut HashSet<String>, name: &str) -> String {
    if names.insert(name.to_owned()) {
        return name.to_owned();
    }
    let (stem, ext) = stem_of(name);
    // Of a million entries of one name each would try the names of those before it, so the count goes on from all.
    (2..64)
        .chain(names.len()..)
        .map(|n| format!("{stem} ({n}){ext}"))
        .find(|name| names.insert(name.clone()))
        .unwrap_or_default()
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
