//! Shows a live listener an answer while it is written: the words of one attempt at a time, without the model's
//! reasoning.
//!
//! Each attempt of a call has a writer. The listener sees the attempt that first has a word. It sees another attempt
//! only if that one fails, or if the other one finishes first. *Not* the answer itself: the reply contains the whole
//! text.

use crate::constants::PIECE_EVERY;
use envelope::limits::LIVE_TEXT_BYTES_MAX;
use llm::{Listener, LivePiece};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

pub(crate) struct DraftStream<'a> {
    listener: &'a Listener<'a>,
    floor: Mutex<Floor>,
}

/// Which attempt is shown.
#[derive(Default)]
struct Floor {
    pens: u64,
    writer: Option<u64>,
    /// Something was told that is not void.
    has_told: bool,
}

/// The writer of one attempt. If it is dropped before it is done, the attempt has failed, and its text is void.
pub(crate) struct Pen<'a> {
    stream: &'a DraftStream<'a>,
    thoughts: &'a Thoughts,
    n: u64,
    /// What was told of its text.
    told: Range<usize>,
    last: Option<Instant>,
    is_done: bool,
}

impl<'a> DraftStream<'a> {
    pub(crate) fn new(listener: &'a Listener<'a>) -> Self {
        let floor = Mutex::default();
        DraftStream { listener, floor }
    }

    /// A writer for an attempt at a node with these habits.
    pub(crate) fn pen(&'a self, thoughts: &'a Thoughts) -> Pen<'a> {
        let mut floor = self.floor();
        floor.pens += 1;
        Pen {
            stream: self,
            thoughts,
            n: floor.pens,
            told: 0..0,
            last: None,
            is_done: false,
        }
    }

    /// Held while something is told, so that nothing comes in between. The listener does not block.
    fn floor(&self) -> MutexGuard<'_, Floor> {
        self.floor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn void(&self, floor: &mut Floor) {
        if std::mem::take(&mut floor.has_told) {
            (self.listener)(LivePiece::Anew);
        }
    }
}

impl Pen<'_> {
    /// The answer so far, from its beginning. Only the new part is sent on, and not at once if something was sent a
    /// moment ago: then it is sent with the next piece.
    pub(crate) fn write(&mut self, text: &str) {
        let now = Instant::now();
        let is_due = |last: Instant| now.saturating_duration_since(last) >= PIECE_EVERY;
        if self.last.is_none_or(is_due) && self.tell(text, self.thoughts.prose(text), false) {
            self.last = Some(now);
        }
    }

    /// This is the whole answer, and the one that counts.
    pub(crate) fn done(mut self, text: &str) {
        self.tell(text, prose(text, true), true);
        self.is_done = true;
    }

    /// Tells what is new; whether there was something.
    fn tell(&mut self, text: &str, prose: Range<usize>, counts: bool) -> bool {
        let mut floor = self.stream.floor();
        let is_writer = floor.writer == Some(self.n);
        let may_write = is_writer || counts || (floor.writer.is_none() && !prose.is_empty());
        if !may_write {
            return false;
        }
        // Thoughts without a tag in front are known as such only when they end.
        if !is_writer || prose.start != self.told.start {
            self.stream.void(&mut floor);
            floor.writer = Some(self.n);
            self.told = prose.start..prose.start;
        }
        let Some(new) = text.get(self.told.end..prose.end) else {
            return false;
        };
        for piece in pieces(new) {
            (self.stream.listener)(LivePiece::Text(piece));
        }
        floor.has_told |= !new.is_empty();
        self.told.end = prose.end;
        !new.is_empty()
    }
}

impl Drop for Pen<'_> {
    fn drop(&mut self) {
        let mut floor = self.stream.floor();
        if !self.is_done && floor.writer == Some(self.n) {
            floor.writer = None;
            self.stream.void(&mut floor);
        }
    }
}

/// Text in pieces that fit a message.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (piece, rest) = text.split_at(text.floor_char_boundary(LIVE_TEXT_BYTES_MAX));
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// How a node sends its model's reasoning, as far as that is known.
#[derive(Debug, Default)]
pub(crate) struct Thoughts {
    /// Whether the reasoning comes as text without an opening tag, because the prompt template contains it: only
    /// the closing tag comes.
    are_hidden: AtomicBool,
}

impl Thoughts {
    pub(crate) fn learn(&self, text: &str) {
        let thoughts = text.split_once(CLOSE).map(|(thoughts, _)| thoughts);
        if thoughts.is_some_and(|thoughts| !thoughts.contains(OPEN)) {
            self.are_hidden.store(true, Ordering::Relaxed);
        }
    }

    /// Where the words of an answer are of which so much has come.
    fn prose(&self, text: &str) -> Range<usize> {
        match self.are_hidden.load(Ordering::Relaxed) && !text.contains(CLOSE) {
            true => 0..0,
            false => prose(text, false),
        }
    }
}

/// Where the words of an answer are: after its last thought, and before one that has not ended. White space and what
/// may become a tag wait for what follows.
fn prose(text: &str, is_whole: bool) -> Range<usize> {
    let start = text.rfind(CLOSE).map_or(0, |at| at + CLOSE.len());
    let rest = &text[start..];
    let end = match rest.find(OPEN) {
        Some(at) => at,
        None if is_whole => rest.len(),
        None => rest.len() - tag_begun(rest),
    };
    let words = rest[..end].trim_end();
    let start = start + words.len() - words.trim_start().len();
    start..start + words.trim_start().len()
}

/// How many bytes at the end may be the beginning of a tag.
fn tag_begun(text: &str) -> usize {
    let begins = |tag: &str| (1..tag.len()).rev().find(|n| text.ends_with(&tag[..*n]));
    let (open, close) = (begins(OPEN), begins(CLOSE));
    open.max(close).unwrap_or(0)
}

#[cfg(test)]
#[path = "streaming_tests.rs"]
mod tests;
