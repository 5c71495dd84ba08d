//! Finds the dictionary keys that a misspelt or badly scanned key may stand for, by a map from the hash of a part of a
//! key to the keys that have this part. Pure.
//!
//! Only hashes are kept, so the caller has to compare the keys that it gets. Two keys are one edit apart when one
//! letter is added, left out or replaced, or two neighbouring letters are swapped. Such keys have the same letters in
//! another order, or the same first half, or the same second half.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// The part of a key that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Whole,
    /// The key with characters that scanners confuse folded together.
    Skeleton,
    Letters,
    Head,
    Tail,
    /// The acronym of a value: the first letters of its words.
    Acronym,
}

/// The places of keys or values, by the hash of a part.
#[derive(Debug, Default)]
pub(crate) struct Signatures(HashMap<u64, Places, BuildHasherDefault<HashIsKey>>);

/// One place or several. Most parts have one, which needs no list.
#[derive(Debug)]
enum Places {
    One(u32),
    #[expect(
        clippy::box_collection,
        reason = "nearly all places are `One`, which a `Vec` here would make three times as large"
    )]
    Many(Box<Vec<u32>>),
}

/// The most places that are kept for one part. A part that more keys share identifies none of them.
const PLACES_MAX: usize = 256;

impl Signatures {
    pub(crate) fn insert(&mut self, part: Part, text: &str, place: u32) {
        let places = self.0.entry(hash(part, text));
        let places = places.or_insert(Places::One(place));
        match places {
            Places::One(one) if *one == place => {}
            Places::One(one) => *places = Places::Many(Box::new(vec![*one, place])),
            Places::Many(all) if all.len() < PLACES_MAX && all.last() != Some(&place) => {
                all.push(place);
            }
            Places::Many(_) => {}
        }
    }

    /// The places that have the part. A few others with the same hash may be among them.
    pub(crate) fn get(&self, part: Part, text: &str) -> &[u32] {
        match self.0.get(&hash(part, text)) {
            None => &[],
            Some(Places::One(one)) => std::slice::from_ref(one),
            Some(Places::Many(all)) => all,
        }
    }
}

fn hash(part: Part, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    part.hash(&mut hasher);
    text.hash(&mut hasher);
    hasher.finish()
}

/// A hasher that passes the keys of the map through, because they are hashes already.
#[derive(Debug, Default)]
struct HashIsKey(u64);

impl Hasher for HashIsKey {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// The parts under which a key is stored for misspelt forms. There are none for a key that is short, or that has
/// digits, because every character of a number counts.
pub(crate) fn parts(key: &str) -> Vec<(Part, String)> {
    let letters: Vec<char> = key.chars().collect();
    of_halves(&letters, letters.len() / 2..=letters.len() / 2)
}

/// The parts of a key that may be misspelt. The halves of the correct key may be a letter longer or shorter.
pub(crate) fn parts_near(key: &str) -> Vec<(Part, String)> {
    let letters: Vec<char> = key.chars().collect();
    let length = letters.len();
    of_halves(&letters, length.saturating_sub(1) / 2..=length.div_ceil(2))
}

fn of_halves(letters: &[char], halves: std::ops::RangeInclusive<usize>) -> Vec<(Part, String)> {
    if letters.len() < LETTERS_MIN || letters.iter().any(char::is_ascii_digit) {
        return Vec::new();
    }
    let mut sorted = letters.to_vec();
    sorted.sort_unstable();
    let mut parts = vec![(Part::Letters, sorted.into_iter().collect())];
    for half in halves {
        parts.push((Part::Head, letters[..half].iter().collect()));
        parts.push((Part::Tail, letters[letters.len() - half..].iter().collect()));
    }
    parts
}

const LETTERS_MIN: usize = 5;

/// Whether one edit turns one text into the other. An exchange of two neighbours is one edit.
pub(crate) fn is_one_edit(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = match one.len() <= other.len() {
        true => (&one, &other),
        false => (&other, &one),
    };
    let head = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let rest = short.len() - head;
    let tail = short[head..].iter().rev().zip(long[head..].iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    match long.len() - short.len() {
        0 if rest - tail == 2 => short[head] == long[head + 1] && short[head + 1] == long[head],
        0 => rest - tail == 1,
        1 => rest == tail,
        _ => false,
    }
}
