//! A zip: its entries in the order of their names.

use super::Container;
use crate::reader::SkipReason;
use crate::reader::package::{ENTRIES_MAX, broken, failed};
use crate::reader::text::Input;
use ::zip::ZipArchive;
use std::io::{Read, Seek, SeekFrom};

/// Where the end of the directory stands at the latest: behind it is a comment of at most 64 KiB.
const TAIL_BYTES: u64 = 66 * 1024;
/// The folder in which macOS puts what it knows of files.
const OF_MACOS: &str = "__MACOSX";

pub(super) struct Archive {
    archive: ZipArchive<Box<dyn Input>>,
    /// Names and places, the next one last.
    entries: Vec<(String, usize)>,
    /// How many entries have the name of another, which is read in their place.
    replaced: u64,
    /// Where in the archive the entry stands that was named last.
    at: usize,
    /// The hidden folder that was named last.
    hidden: Option<String>,
}

impl Archive {
    pub(super) fn open(mut input: Box<dyn Input>, size: u64) -> Result<Archive, SkipReason> {
        if size == 0 {
            return Err(SkipReason::Empty);
        }
        let most = entries_said(&mut input, size).map_err(crate::reader::unreadable)?;
        if most > ENTRIES_MAX as u64 {
            return Err(too_many(most));
        }
        let archive = ZipArchive::new(input).map_err(broken)?;
        let mut entries = Vec::new();
        for at in 0..archive.len() {
            let name = archive.name_for_index(at);
            let name = name.and_then(Result::ok).unwrap_or_default();
            entries.push((name.replace('\\', "/"), at));
        }
        if entries.len() > ENTRIES_MAX {
            return Err(too_many(entries.len() as u64));
        }
        entries.sort_unstable_by(|one, other| other.cmp(one));
        Ok(Archive {
            archive,
            replaced: most.saturating_sub(entries.len() as u64),
            entries,
            at: 0,
            hidden: None,
        })
    }
}

fn too_many(count: u64) -> SkipReason {
    SkipReason::Entry(format!(
        "{count} entries, of {ENTRIES_MAX} at most; split it"
    ))
}

/// How many entries the end of the directory says that there are. All of them are read at once, so one looks before.
fn entries_said(input: &mut Box<dyn Input>, size: u64) -> std::io::Result<u64> {
    let mut tail = Vec::new();
    input.seek(SeekFrom::Start(size.saturating_sub(TAIL_BYTES)))?;
    input.take(TAIL_BYTES).read_to_end(&mut tail)?;
    input.rewind()?;
    // The comment behind the end says how long it is; what looks like an end in an entry or in a comment does not fit.
    let is_end = |at: &usize| {
        let comment = number(&tail, at + 20, 2).unwrap_or(0);
        tail[*at..].starts_with(b"PK\x05\x06") && *at as u64 + 22 + comment == tail.len() as u64
    };
    let Some(end) = (0..tail.len()).rev().find(is_end) else {
        return Ok(0);
    };
    match number(&tail, end + 10, 2) {
        Some(0xffff) => Ok(long_count(&tail, end, size).unwrap_or(0xffff)),
        said => Ok(said.unwrap_or(0)),
    }
}

/// The count of entries where two bytes do not hold it: in a record of its own, which a locator before the end points to.
fn long_count(tail: &[u8], end: usize, size: u64) -> Option<u64> {
    let locator = end.checked_sub(20)?;
    tail[locator..].starts_with(b"PK\x06\x07").then_some(())?;
    let record = number(tail, locator + 8, 8)?.checked_sub(size - tail.len() as u64)?;
    let record = usize::try_from(record).ok()?;
    tail.get(record..)?
        .starts_with(b"PK\x06\x06")
        .then_some(())?;
    number(tail, record + 32, 8)
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + size)?;
    let add = |sum, byte: &u8| sum << 8 | u64::from(*byte);
    Some(bytes.iter().rev().fold(0, add))
}

impl Container for Archive {
    fn next(&mut self) -> Option<(String, Result<(), SkipReason>)> {
        loop {
            let (name, at) = self.entries.pop()?;
            if name.ends_with('/') {
                continue;
            }
            self.at = at;
            if name.starts_with('/') || name.contains(':') || name.split('/').any(|n| n == "..") {
                let reason = "its name leads out of the archive; pack it again";
                return Some((name, Err(SkipReason::Entry(reason.into()))));
            }
            let Some(hidden) = hidden(&name) else {
                return Some((name, Ok(())));
            };
            // Of a folder only the folder is named.
            if self.hidden.as_deref() != Some(hidden) {
                self.hidden = Some(hidden.to_owned());
                return Some((hidden.to_owned(), Err(SkipReason::Hidden)));
            }
        }
    }

    fn left_out(&self) -> Option<String> {
        let count = self.replaced;
        (count > 0).then(|| format!("{count} more with the name of a later one, which was read"))
    }

    fn bytes(&mut self, bytes_max: u64) -> Result<Vec<u8>, SkipReason> {
        let entry = self.archive.by_index(self.at).map_err(broken)?;
        if entry.is_symlink() {
            return Err(SkipReason::Entry(
                "it is a link; pack what it leads to".into(),
            ));
        }
        let mut bytes = Vec::new();
        entry
            .take(bytes_max + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        Ok(bytes)
    }
}

/// The hidden file or folder that an entry is or lies in, or the one that macOS keeps for itself.
fn hidden(name: &str) -> Option<&str> {
    let mut end = 0;
    for part in name.split('/') {
        end += part.len();
        if part == OF_MACOS || part.starts_with('.') {
            return Some(&name[..end]);
        }
        end += 1;
    }
    None
}
