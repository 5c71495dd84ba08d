//! Encodes and decodes the records of the tree. Keys keep the events of a conversation together and in order. Values
//! have a checksum over key and content, so that a changed value and a value under the wrong key are both detected.
//! Pure.
//!
//! | key | content |
//! |---|---|
//! | `m` | the state of the store as a whole |
//! | `h`, tenant, 0, conversation | the head of a conversation |
//! | `e`, tenant, 0, conversation, 0, sequence (8 bytes, high first) | the data for the head, then the event |
//! | `g`, tenant, 0, conversation | the sequence up to which it was erased; kept until the next purge |
//!
//! A value consists of a marker of four bytes, the checksum, the sizes of key and content (2 and 4 bytes, low first),
//! the key, and the content. So a value can be found and checked in the bytes of a file that sled cannot read any
//! more.

use crate::event::LogEvent;
use crate::source::ConversationKey;
use crate::store::head::{ConversationHead, Mark};
use crate::store::{LogPosition, StoreError};
use envelope::{ConversationId, TenantId, UnixMs};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Version of this layout.
pub(super) const FORMAT: u16 = 1;
/// ConversationKey of [`Meta`].
pub(super) const META: &[u8] = b"m";
/// First byte of the key of an event, of that of a head, and of that of a conversation that was taken out.
pub(super) const EVENT: u8 = b'e';
pub(super) const HEAD: u8 = b'h';
pub(super) const GONE: u8 = b'g';

/// Ends an id; it is in none.
const END: u8 = 0;
/// What every value begins with. No text does.
const MAGIC: [u8; 4] = [0xa6, 0xc1, 0x0b, 0xff];
/// Magic, checksum, size of the key, size of the content.
const FRONT_BYTES: usize = 4 + 4 + 2 + 4;
/// The longest value that is looked for in the bytes of a file.
pub(super) const VALUE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// `n`, time, flags.
const MARK_BYTES: usize = 8 + 8 + 1;
const IS_EXCHANGE: u8 = 1;
const IS_ERASED: u8 = 2;

/// What a store knows of itself. Written with every batch, so that a part of the tree that was lost is noticed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Meta {
    /// [`FORMAT`].
    pub(super) format: u16,
    pub(super) created: UnixMs,
    pub(super) sequence: u64,
    pub(super) conversations: u64,
    pub(super) events: u64,
    /// Sum of the checksums of all events.
    pub(super) sum: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) purge_due: bool,
}

impl Meta {
    /// That of an empty store.
    pub(super) fn fresh(created: UnixMs) -> Meta {
        Meta {
            format: FORMAT,
            created,
            ..Meta::default()
        }
    }

    pub(super) fn position(&self) -> LogPosition {
        LogPosition {
            created: self.created,
            sequence: self.sequence,
        }
    }

    pub(super) fn add(&mut self, crc: u32) {
        self.events += 1;
        self.sum = self.sum.wrapping_add(u64::from(crc));
    }

    pub(super) fn take(&mut self, crc: u32) {
        self.events = self.events.saturating_sub(1);
        self.sum = self.sum.wrapping_sub(u64::from(crc));
    }
}

fn damage(what: &str) -> StoreError {
    StoreError::Damage(what.to_owned())
}

/// What the keys of a tenant's records begin with.
pub(super) fn of_tenant(kind: u8, tenant: &TenantId) -> Vec<u8> {
    let mut key = vec![kind];
    key.extend_from_slice(tenant.as_str().as_bytes());
    key.push(END);
    key
}

pub(super) fn head_key(key: &ConversationKey) -> Vec<u8> {
    of_conversation(HEAD, key)
}

/// ConversationKey of a conversation that was taken out.
pub(super) fn gone_key(key: &ConversationKey) -> Vec<u8> {
    of_conversation(GONE, key)
}

fn of_conversation(kind: u8, key: &ConversationKey) -> Vec<u8> {
    let mut bytes = of_tenant(kind, &key.tenant);
    bytes.extend_from_slice(key.conversation.as_str().as_bytes());
    bytes
}

/// What the keys of a conversation's events begin with.
pub(super) fn events_of(key: &ConversationKey) -> Vec<u8> {
    let mut bytes = of_conversation(EVENT, key);
    bytes.push(END);
    bytes
}

pub(super) fn event_key(key: &ConversationKey, sequence: u64) -> Vec<u8> {
    let mut bytes = events_of(key);
    bytes.extend_from_slice(&sequence.to_be_bytes());
    bytes
}

/// The conversation that a key names, that of a head or of one that was taken out.
pub(super) fn read_key(bytes: &[u8]) -> Result<ConversationKey, StoreError> {
    let ids = bytes.strip_prefix(&[HEAD]);
    ids.or_else(|| bytes.strip_prefix(&[GONE]))
        .and_then(read_ids)
        .ok_or_else(|| damage("a key is that of no conversation"))
}

/// Conversation and sequence that the key of an event names.
pub(super) fn read_event_key(bytes: &[u8]) -> Result<(ConversationKey, u64), StoreError> {
    let read = || {
        let (ids, sequence) = bytes.strip_prefix(&[EVENT])?.split_last_chunk::<8>()?;
        let key = read_ids(ids.strip_suffix(&[END])?)?;
        Some((key, u64::from_be_bytes(*sequence)))
    };
    read().ok_or_else(|| damage("a key is that of no event"))
}

fn read_ids(bytes: &[u8]) -> Option<ConversationKey> {
    let (tenant, conversation) = std::str::from_utf8(bytes).ok()?.split_once('\0')?;
    Some(ConversationKey {
        tenant: TenantId::new(tenant).ok()?,
        conversation: ConversationId::new(conversation).ok()?,
    })
}

pub(super) fn seal(key: &[u8], content: &[u8]) -> Result<Vec<u8>, StoreError> {
    let large = |_| StoreError::Write("it is too large".to_owned());
    let key_size = u16::try_from(key.len()).map_err(large)?;
    let size = u32::try_from(content.len()).map_err(large)?;
    let mut value = Vec::with_capacity(FRONT_BYTES + key.len() + content.len());
    value.extend_from_slice(&MAGIC);
    value.extend_from_slice(&[0; 4]);
    value.extend_from_slice(&key_size.to_le_bytes());
    value.extend_from_slice(&size.to_le_bytes());
    value.extend_from_slice(key);
    value.extend_from_slice(content);
    let crc = crc32fast::hash(&value[8..]);
    value[4..8].copy_from_slice(&crc.to_le_bytes());
    Ok(value)
}

/// A value that was found whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sealed<'a> {
    pub(super) key: &'a [u8],
    pub(super) content: &'a [u8],
    pub(super) crc: u32,
    pub(super) bytes: &'a [u8],
}

impl<'a> Sealed<'a> {
    /// The value that these bytes begin with, if they do.
    pub(super) fn at_start_of(bytes: &'a [u8]) -> Option<Sealed<'a>> {
        let (front, rest) = bytes.split_first_chunk::<FRONT_BYTES>()?;
        let (magic, front) = front.split_first_chunk::<4>()?;
        let (crc, sizes) = front.split_first_chunk::<4>()?;
        let (key_size, size) = sizes.split_first_chunk::<2>()?;
        let key_size = usize::from(u16::from_le_bytes(*key_size));
        let size = u32::from_le_bytes(*size.first_chunk::<4>()?) as usize;
        let (key, rest) = rest.split_at_checked(key_size)?;
        let (content, _) = rest.split_at_checked(size)?;
        let bytes = &bytes[..FRONT_BYTES + key_size + size];
        let crc = u32::from_le_bytes(*crc);
        let is_whole = *magic == MAGIC && crc == crc32fast::hash(&bytes[8..]);
        is_whole.then_some(Sealed {
            key,
            content,
            crc,
            bytes,
        })
    }

    /// Where in these bytes a value may begin first.
    pub(super) fn may_begin(bytes: &[u8]) -> Option<usize> {
        bytes.windows(MAGIC.len()).position(|four| four == MAGIC)
    }
}

/// A value under its key.
pub(super) fn unseal<'a>(key: &[u8], value: &'a [u8]) -> Result<Sealed<'a>, StoreError> {
    let sealed = Sealed::at_start_of(value);
    let sealed = sealed.filter(|sealed| sealed.key == key && sealed.bytes.len() == value.len());
    sealed.ok_or_else(|| damage("a value is not what was written"))
}

pub(super) fn crc_of(value: &[u8]) -> u32 {
    let crc = value.get(4..8).and_then(<[u8]>::first_chunk::<4>);
    crc.map_or(0, |crc| u32::from_le_bytes(*crc))
}

/// A record other than an event.
pub(super) fn write_json(key: &[u8], record: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    let content = serde_json::to_vec(record).map_err(|e| StoreError::Write(e.to_string()))?;
    seal(key, &content)
}

fn read_json<T: DeserializeOwned>(key: &[u8], value: &[u8]) -> Result<T, StoreError> {
    let sealed = unseal(key, value)?;
    serde_json::from_slice(sealed.content).map_err(|e| StoreError::Damage(e.to_string()))
}

pub(super) fn read_meta(value: &[u8]) -> Result<Meta, StoreError> {
    read_json(META, value)
}

pub(super) fn read_head(key: &[u8], value: &[u8]) -> Result<ConversationHead, StoreError> {
    read_json(key, value)
}

/// Up to which sequence a conversation was taken out.
pub(super) fn read_gone(key: &[u8], value: &[u8]) -> Result<u64, StoreError> {
    read_json(key, value)
}

/// An event as it is stored.
pub(super) fn write_event(
    key: &[u8],
    sequence: u64,
    event: &LogEvent,
) -> Result<Vec<u8>, StoreError> {
    let json = event
        .write()
        .map_err(|e| StoreError::Write(e.to_string()))?;
    let mark = Mark::of(sequence, event);
    let flags = (u8::from(mark.is_exchange) * IS_EXCHANGE) | (u8::from(mark.is_erased) * IS_ERASED);
    let mut content = Vec::with_capacity(MARK_BYTES + json.len());
    content.extend_from_slice(&mark.n.to_le_bytes());
    content.extend_from_slice(&mark.at.0.to_le_bytes());
    content.push(flags);
    content.extend_from_slice(&json);
    seal(key, &content)
}

/// An event of which only what its head is made of has been looked at.
pub(super) struct Glance<'a> {
    pub(super) mark: Mark,
    pub(super) crc: u32,
    json: &'a [u8],
}

impl<'a> Glance<'a> {
    /// Looks at the value of an event.
    pub(super) fn at(key: &[u8], sequence: u64, value: &'a [u8]) -> Result<Glance<'a>, StoreError> {
        let Sealed { content, crc, .. } = unseal(key, value)?;
        let split = || {
            let (n, rest) = content.split_first_chunk::<8>()?;
            let (at, rest) = rest.split_first_chunk::<8>()?;
            let (flags, json) = rest.split_first()?;
            let mark = Mark {
                sequence,
                n: u64::from_le_bytes(*n),
                at: UnixMs(u64::from_le_bytes(*at)),
                is_exchange: flags & IS_EXCHANGE != 0,
                is_erased: flags & IS_ERASED != 0,
            };
            Some((mark, json))
        };
        let (mark, json) = split().ok_or_else(|| damage("an event is too short"))?;
        Ok(Glance { mark, crc, json })
    }

    pub(super) fn event(&self) -> Result<LogEvent, StoreError> {
        Ok(LogEvent::read(self.json)?)
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
