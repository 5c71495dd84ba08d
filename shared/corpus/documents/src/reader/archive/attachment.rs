//! The attachments of a message, which a process that reads it gives all at once.

use super::Container;
use crate::reader::SkipReason;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An attachment, unpacked.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::reader) struct Attachment {
    pub(in crate::reader) name: String,
    #[serde(with = "in_base64")]
    pub(in crate::reader) bytes: Vec<u8>,
}

/// JSON has no bytes.
mod in_base64 {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        STANDARD
            .decode(String::deserialize(from)?)
            .map_err(D::Error::custom)
    }
}

/// The attachments of a message.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::reader) struct Attachments {
    /// In their order; those that have been read are gone.
    pub(in crate::reader) all: VecDeque<Attachment>,
    /// How many more there are, which are not read.
    pub(in crate::reader) more: usize,
    #[serde(skip)]
    read: Vec<u8>,
}

impl Attachments {
    /// Attachments, and how many more there are.
    pub(in crate::reader) fn of(all: VecDeque<Attachment>, more: usize) -> Attachments {
        Attachments {
            all,
            more,
            read: Vec::new(),
        }
    }

    pub(in crate::reader) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.more == 0
    }
}

impl Container for Attachments {
    fn next(&mut self) -> Option<(String, Result<(), SkipReason>)> {
        let next = self.all.pop_front()?;
        self.read = next.bytes;
        Some((next.name, Ok(())))
    }

    fn left_out(&self) -> Option<String> {
        (self.more > 0).then(|| format!("{} more attachments, which are too many", self.more))
    }

    fn bytes(&mut self, _bytes_max: u64) -> Result<Vec<u8>, SkipReason> {
        Ok(std::mem::take(&mut self.read))
    }
}
