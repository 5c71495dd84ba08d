//! Checks that a store has exactly what was written: it compares every record with its checksum, the events of each
//! conversation with its head, and all records with the counts of the store.
//!
//! sled opens a truncated file without an error, with records missing in the middle; only this check detects the
//! loss.

use crate::sled_store::guard::Beat;
use crate::sled_store::look;
use crate::sled_store::record::{EVENT, FORMAT, GONE, HEAD, META, Meta, read_gone, read_key};
use crate::store::{ConversationHead, StoreError};
use std::io;

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

impl From<io::Error> for Unsound {
    fn from(error: io::Error) -> Unsound {
        Unsound::Store(error.into())
    }
}

fn damage(what: impl Into<String>) -> StoreError {
    StoreError::Damage(what.into())
}

pub(super) fn verify(tree: &sled::Tree, beat: &Beat) -> Result<Meta, Unsound> {
    let known = look::meta(tree)?;
    if known.format > FORMAT {
        return Err(Unsound::Newer(known.format));
    }
    let mut found = Meta {
        conversations: 0,
        events: 0,
        sum: 0,
        ..known
    };
    look::by_conversation(tree, beat, |key, events| {
        found.conversations += 1;
        events.iter().for_each(|(_, crc)| found.add(*crc));
        let marks = events.iter().map(|(mark, _)| *mark);
        let is_begun_again = marks.clone().skip(1).any(|mark| mark.begins_anew());
        match ConversationHead::of(marks) {
            Ok(head) if !is_begun_again && head == look::head(tree, key)? => Ok(()),
            Ok(_) if !is_begun_again => Err(damage("a conversation is not what is known of it")),
            _ => Err(damage("the events of a conversation are out of order")),
        }
    })?;
    if others(tree, beat)? != found.conversations {
        return Err(damage("there is a conversation without events").into());
    }
    if found != known {
        let (events, wanted) = (found.events, known.events);
        let text = format!("{events} events, and not those of the {wanted} that there should be");
        return Err(damage(text).into());
    }
    Ok(known)
}

/// Reads the records that are no events, and returns how many heads are among them.
fn others(tree: &sled::Tree, beat: &Beat) -> Result<u64, StoreError> {
    let mut heads = 0;
    for item in tree.range(..[EVENT]).chain(tree.range([EVENT + 1]..)) {
        let (key, value) = item?;
        beat.on();
        match key.first() {
            Some(&HEAD) => {
                read_key(&key)?;
                heads += 1;
            }
            Some(&GONE) => {
                read_gone(&key, &value)?;
            }
            _ if key == META => {}
            _ => return Err(damage("there is a key of no kind")),
        }
    }
    Ok(heads)
}
