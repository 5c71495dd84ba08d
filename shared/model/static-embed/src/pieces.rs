//! The vocabulary of a tokenizer: a map from the text of a word piece to its number.
//!
//! A tokenizer spends most of its time looking up pieces, and a lookup spends most of its time waiting for memory. So
//! the lookup of a short piece reads two small things: a slot of four bytes, and the key (a 128-bit number) to compare
//! with. *Not* a general map: no piece is added once the vocabulary is read.

use std::collections::HashMap;

/// Longest piece that is looked up as a number, in bytes.
pub(crate) const SHORT_BYTES_MAX: usize = 15;
/// Where in such a number its length is, in bits.
pub(crate) const LENGTH_SHIFT: usize = 8 * SHORT_BYTES_MAX;
/// Is set in that of a piece that goes on.
pub(crate) const LATER: u128 = 1 << 127;
/// Pieces that are looked up at once.
pub(crate) const AT_ONCE: usize = 32;

/// Pieces that are numbered; lines of a vocabulary after them are passed over. What is left of a slot's bits
/// tells most other pieces apart.
pub(crate) const PIECES_MAX: usize = 1 << PIECE_BITS;
const PIECE_BITS: u32 = 20;
/// The bits of a slot that are of the hash. The number in a slot is never that of [`EMPTY`].
const MARK: u32 = u32::MAX << PIECE_BITS;
/// A slot that holds nothing.
const EMPTY: u32 = u32::MAX;

/// Pieces and their numbers. Nearly all are short, and a short text is a number itself: to compare it is to
/// compare two numbers. Whether there is one, a slot of four bytes nearly always tells.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The number of a piece and some bits of its hash, in the first free slot from that of its hash on.
    slots: Vec<u32>,
    /// By number; 0 where a piece is not short.
    pub(crate) keys: Vec<u128>,
    /// Those that begin a word, and those that go on.
    long: [HashMap<Box<str>, u32>; 2],
}

impl Pieces {
    /// Room for so many.
    pub(crate) fn with_room(count: usize) -> Pieces {
        Pieces {
            slots: vec![EMPTY; (2 * count).next_power_of_two()],
            ..Pieces::default()
        }
    }

    /// Adds the next piece by number; the last one of the same text holds.
    pub(crate) fn push(&mut self, piece: &str, later: bool) {
        let id = self.keys.len() as u32;
        let Some(key) = short(piece) else {
            self.keys.push(0);
            self.long[usize::from(later)].insert(piece.into(), id);
            return;
        };
        let key = if later { key | LATER } else { key };
        self.keys.push(key);
        let (at, mark) = self.place(key);
        let mut at = at;
        while self.slots[at] != EMPTY && self.keys[(self.slots[at] & !MARK) as usize] != key {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = mark | id;
    }

    pub(crate) fn get(&self, piece: &str, later: bool) -> Option<u32> {
        match short(piece) {
            Some(key) => self.get_short(if later { key | LATER } else { key }),
            None => self.long[usize::from(later)].get(piece).copied(),
        }
    }

    #[inline]
    pub(crate) fn get_short(&self, key: u128) -> Option<u32> {
        let (mut at, mark) = self.place(key);
        loop {
            let slot = *self.slots.get(at)?;
            let id = slot & !MARK;
            if slot == EMPTY {
                return None;
            }
            if slot & MARK == mark && self.keys.get(id as usize) == Some(&key) {
                return Some(id);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The numbers of some short pieces, as far as they are where one looks first. Most of the time goes by waiting
    /// for memory, so it is asked for all of them before any is compared.
    pub(crate) fn get_at_once(&self, keys: &[u128]) -> [Option<u32>; AT_ONCE] {
        let mut slots = [EMPTY; AT_ONCE];
        for (slot, key) in slots.iter_mut().zip(keys) {
            *slot = self.slots[self.place(*key).0];
        }
        let mut found = [None; AT_ONCE];
        for ((found, slot), key) in found.iter_mut().zip(slots).zip(keys) {
            let id = slot & !MARK;
            let known = self.keys.get(id as usize).unwrap_or(&0);
            *found = (known == key).then_some(id);
        }
        found
    }

    /// The slot to look at first, and the key that stands there beside the number. Texts are never put into the
    /// slots, so that no text can provoke collisions.
    #[inline]
    fn place(&self, key: u128) -> (usize, u32) {
        let (low, high) = (key as u64, (key >> u64::BITS) as u64);
        let mixed =
            low.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ high.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let hash = (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let at = (hash >> 32) as usize & (self.slots.len() - 1);
        (at, hash as u32 & MARK)
    }
}

/// The bytes of a short text and how many they are.
#[inline]
pub(crate) fn short(text: &str) -> Option<u128> {
    let mut key = [0; SHORT_BYTES_MAX + 1];
    let room = key[..SHORT_BYTES_MAX].get_mut(..text.len())?;
    room.copy_from_slice(text.as_bytes());
    key[SHORT_BYTES_MAX] = u8::try_from(text.len()).ok()?;
    Some(u128::from_le_bytes(key))
}

/// Its bytes and how many they are.
pub(crate) fn parts(short: u128) -> (u128, usize) {
    let length = short >> LENGTH_SHIFT;
    (short & !(u128::MAX << LENGTH_SHIFT), length as usize)
}
