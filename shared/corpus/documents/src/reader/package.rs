//! A document that is an archive of parts: DOCX and its relatives. What an archive says of its sizes is not believed.

use super::xml::bad_xml;
use super::{SkipReason, TEXT_BYTES_MAX};
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Most entries of an archive.
pub(super) const ENTRIES_MAX: usize = 20_000;
/// Most bytes of one part of XML, unpacked.
pub(super) const XML_BYTES_MAX: u64 = 2 * TEXT_BYTES_MAX as u64;

/// An archive, and how much a part of it may unpack to.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    part_bytes_max: u64,
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8], part_bytes_max: u64) -> Result<Package<'a>, SkipReason> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        match archive.len() {
            count if count > ENTRIES_MAX => Err(SkipReason::Broken(format!(
                "{count} entries in its archive"
            ))),
            _ => Ok(Package {
                archive,
                part_bytes_max,
            }),
        }
    }

    /// A part as text; `None` when there is none of that name.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, SkipReason> {
        let Some(bytes) = self.bytes(name)? else {
            return Ok(None);
        };
        let text = super::text::decode(&bytes).map_err(|_| bad_xml("it is not text"))?;
        Ok(Some(text))
    }

    /// The bytes of a part; `None` when there is none of that name.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, SkipReason> {
        let entry = match self.archive.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(broken(error)),
        };
        let mut bytes = Vec::new();
        entry
            .take(self.part_bytes_max + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| SkipReason::Broken(error.to_string()))?;
        match bytes.len() as u64 > self.part_bytes_max {
            true => Err(SkipReason::Inflates(self.part_bytes_max)),
            false => Ok(Some(bytes)),
        }
    }
}

pub(super) fn broken(error: ZipError) -> SkipReason {
    match error {
        ZipError::UnsupportedArchive(what) if what == ZipError::PASSWORD_REQUIRED => {
            SkipReason::Encrypted
        }
        ZipError::Io(error) => failed(error),
        other => SkipReason::Broken(other.to_string()),
    }
}

/// What the disk says is no fault of the archive.
pub(super) fn failed(error: std::io::Error) -> SkipReason {
    match error.raw_os_error() {
        Some(_) => super::unreadable(error),
        None => SkipReason::Broken(error.to_string()),
    }
}
