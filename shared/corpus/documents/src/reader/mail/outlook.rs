//! A message as Outlook saves it (`.msg`): a compound file with a stream for each property, named by its number.
//!
//! It does *not* read messages whose only text is compressed RTF, and messages that are attached to others.

use super::{Mail, of_html, person};
use crate::reader::archive::{Attachment, Attachments};
use crate::reader::{ReadOptions, SkipReason};
use cfb::CompoundFile;
use encoding_rs::{UTF_16LE, WINDOWS_1252};
use std::collections::VecDeque;
use std::io::{Cursor, Read};
use text::one_line;

/// Kinds of properties: text in UTF-16, text in the code page of the sender, bytes.
const WIDE: &str = "001F";
const NARROW: &str = "001E";
const BYTES: &str = "0102";
/// Seconds from 1601, where Windows begins to count, to 1970.
const EPOCH_SECS: u64 = 11_644_473_600;
/// Where the properties of fixed size begin in their stream, and the size of each.
const FIXED_AT: usize = 32;
const FIXED_BYTES: usize = 16;

struct Outlook<'a> {
    file: CompoundFile<Cursor<&'a [u8]>>,
}

pub(super) fn read(bytes: &[u8], options: ReadOptions) -> Result<Mail, SkipReason> {
    let file = CompoundFile::open(Cursor::new(bytes));
    let file = file.map_err(|error| SkipReason::Broken(error.to_string()))?;
    let mut outlook = Outlook { file };
    let (name, address) = (outlook.text("", "0C1A"), outlook.text("", "5D01"));
    let address = address.or_else(|| outlook.text("", "0C1F"));
    let body = outlook
        .text("", "1000")
        .filter(|body| !body.trim().is_empty());
    let people = |list: Option<String>| {
        let list = list.unwrap_or_default();
        let people = list.split(';').map(one_line).filter(|one| !one.is_empty());
        people.collect()
    };
    Ok(Mail {
        subject: one_line(&outlook.text("", "0037").unwrap_or_default()),
        from: person(name.as_deref(), address.as_deref())
            .into_iter()
            .collect(),
        to: people(outlook.text("", "0E04")),
        cc: people(outlook.text("", "0E03")),
        date: outlook.date(),
        message_id: outlook
            .text("", "1035")
            .unwrap_or_default()
            .trim_matches(['<', '>'])
            .to_owned(),
        body: match body {
            Some(body) => body,
            None => outlook
                .html()
                .map(|html| of_html(&html, options))
                .unwrap_or_default(),
        },
        attachments: outlook.attachments(),
    })
}

impl Outlook<'_> {
    fn bytes(&mut self, folder: &str, property: &str, kind: &str) -> Option<Vec<u8>> {
        self.stream(&format!("{folder}/__substg1.0_{property}{kind}"))
    }

    fn stream(&mut self, path: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file
            .open_stream(path)
            .ok()?
            .read_to_end(&mut bytes)
            .ok()?;
        Some(bytes)
    }

    fn text(&mut self, folder: &str, property: &str) -> Option<String> {
        let text = match self.bytes(folder, property, WIDE) {
            Some(bytes) => UTF_16LE.decode_without_bom_handling(&bytes).0.into_owned(),
            None => narrow(&self.bytes(folder, property, NARROW)?),
        };
        Some(text.trim_end_matches('\0').to_owned())
    }

    fn html(&mut self) -> Option<String> {
        match self.bytes("", "1013", BYTES) {
            Some(bytes) => crate::reader::text::decode(&bytes).ok(),
            None => self.text("", "1013"),
        }
    }

    /// When it was sent, or else when it came, in UTC.
    fn date(&mut self) -> Option<[u32; 5]> {
        let fixed = self.stream("/__properties_version1.0")?;
        let properties = fixed.get(FIXED_AT..)?.chunks_exact(FIXED_BYTES);
        let time = |property: &[u8; 4]| {
            let found = properties
                .clone()
                .find(|fixed| fixed.starts_with(property))?;
            Some(u64::from_le_bytes(found.get(8..16)?.try_into().ok()?))
        };
        let time = time(b"\x40\x00\x39\x00").or_else(|| time(b"\x40\x00\x06\x0e"))?;
        let secs = (time / 10_000_000).checked_sub(EPOCH_SECS)?;
        let date = mail_parser::DateTime::from_timestamp(i64::try_from(secs).ok()?);
        super::date_of(&date)
    }

    fn attachments(&mut self) -> Attachments {
        let storages = self.file.read_root_storage();
        let names = storages.map(|entry| entry.name().to_owned());
        let mut names: Vec<String> = names
            .filter(|n| n.starts_with("__attach_version1.0_"))
            .collect();
        names.sort_unstable();
        let more = names.len().saturating_sub(super::ATTACHMENTS_MAX);
        names.truncate(super::ATTACHMENTS_MAX);
        let mut found = VecDeque::new();
        for (folder, number) in names.iter().zip(1..) {
            let folder = format!("/{folder}");
            let name = self
                .text(&folder, "3707")
                .or_else(|| self.text(&folder, "3704"));
            let name = name.or_else(|| self.text(&folder, "3001"));
            let name = name.unwrap_or_else(|| format!("attachment {number}"));
            // What is no stream of bytes, as a message, is named without any.
            let bytes = self.bytes(&folder, "3701", BYTES).unwrap_or_default();
            found.push_back(Attachment {
                name: one_line(&name.replace(['/', '\\'], "_")),
                bytes,
            });
        }
        Attachments::of(found, more)
    }
}

fn narrow(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => WINDOWS_1252
            .decode_without_bom_handling(bytes)
            .0
            .into_owned(),
    }
}
