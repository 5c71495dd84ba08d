//! Checks that a store has exactly what was written: it compares every record with its checksum, the events of each
//! conversation with its head, and all records with the counts of the store.
//!
//! sled opens a truncated file without an error, with records missing in the middle; only this check detects the
//! loss.

use crate::sled_store::guard::Beat;
use crate::sled_store::look;
use crate::sled_store::record::{
    EVENT, FORMAT, GONE, Glance, HEAD, META, Meta, read_event_key, read_gone, read_key,
};
use crate::source::ConversationKey;
use crate::store::head::Mark;
use crate::store::{ConversationHead, StoreError};

/// Why a store is not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unsound {
    /// A later release wrote it.
    #[error("a later release wrote it in format {0}, and this release reads up to {FORMAT}")]
    Newer(u16),
    /// It is broken, or cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What was counted on the way.
struct Count<'a> {
    tree: &'a sled::Tree,
    /// What the store would know of itself.
    meta: Meta,
    heads: u64,
    /// The conversation whose events are being read.
    open: Option<(ConversationKey, ConversationHead)>,
}

fn damage(what: impl Into<String>) -> Unsound {
    StoreError::Damage(what.into()).into()
}

/// Reads everything.
pub(super) fn verify(tree: &sled::Tree, beat: &Beat) -> Result<Meta, Unsound> {
    let known = look::meta(tree)?;
    if known.format > FORMAT {
        return Err(Unsound::Newer(known.format));
    }
    let mut count = Count {
        tree,
        meta: Meta {
            conversations: 0,
            events: 0,
            sum: 0,
            ..known
        },
        heads: 0,
        open: None,
    };
    for item in tree.iter() {
        let (key, value) = item.map_err(StoreError::from)?;
        beat.on();
        match key.first() {
            Some(&EVENT) => count.event(&key, &value)?,
            Some(&HEAD) => {
                read_key(&key)?;
                count.heads += 1;
            }
            Some(&GONE) => {
                read_gone(&key, &value)?;
            }
            _ if key == META => {}
            _ => return Err(damage("there is a key of no kind")),
        }
    }
    count.close()?;
    if count.heads != count.meta.conversations {
        return Err(damage("there is a conversation without events"));
    }
    if count.meta != known {
        let Meta { events, .. } = count.meta;
        let text = format!(
            "{events} events, and not those of the {} that there should be",
            known.events
        );
        return Err(damage(text));
    }
    Ok(known)
}

impl Count<'_> {
    fn event(&mut self, key: &[u8], value: &[u8]) -> Result<(), Unsound> {
        let (conversation, sequence) = read_event_key(key)?;
        let Glance { mark, crc, .. } = Glance::at(key, sequence, value)?;
        self.meta.add(crc);
        match &mut self.open {
            Some((open, head)) if *open == conversation => {
                *head = following(*head, mark)?;
            }
            _ => {
                self.close()?;
                self.open = Some((conversation, ConversationHead::first(mark)));
            }
        }
        Ok(())
    }

    /// The events of a conversation were read.
    fn close(&mut self) -> Result<(), Unsound> {
        let Some((key, found)) = self.open.take() else {
            return Ok(());
        };
        self.meta.conversations += 1;
        if look::head(self.tree, &key)? != Some(found) {
            return Err(damage("a conversation is not what is known of it"));
        }
        Ok(())
    }
}

fn following(head: ConversationHead, mark: Mark) -> Result<ConversationHead, Unsound> {
    let next = head.across(mark).filter(|_| !mark.begins_anew());
    next.ok_or_else(|| damage("the events of a conversation are out of order"))
}
