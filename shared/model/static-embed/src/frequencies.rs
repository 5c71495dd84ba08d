//! Counts in how many documents of a corpus each word piece occurs.
//!
//! The weight of a word in a text follows from this count: a word that every document has weighs nothing. *Not* an
//! index: it has no positions and no documents, and a document that was counted cannot be taken back.

use llm::embed::Error;

/// Bytes that a stored count begins with: a mark and the version.
const MAGIC: [u8; 3] = [b'D', b'F', 1];

/// Word pieces that are counted: any number below this. Bounds what a count takes (4 MiB) whatever it
/// is told.
const TOKENS_MAX: u32 = 1 << 20;

/// Document frequencies of word pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frequencies {
    documents: u32,
    /// By token; as long as the highest that was seen.
    counts: Vec<u32>,
}

impl Frequencies {
    /// Counts a document by its word pieces, in any order; each piece counts once.
    pub fn count(&mut self, tokens: &[u32]) {
        if self.documents == u32::MAX {
            return;
        }
        self.documents += 1;
        let mut seen: Vec<u32> = tokens.iter().copied().filter(|t| *t < TOKENS_MAX).collect();
        seen.sort_unstable();
        seen.dedup();
        let len = seen.last().map_or(0, |t| *t as usize + 1);
        self.counts.resize(self.counts.len().max(len), 0);
        for token in seen {
            self.counts[token as usize] += 1;
        }
    }

    /// Documents counted so far.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// Documents that have the piece.
    pub fn of(&self, token: u32) -> u32 {
        self.counts.get(token as usize).copied().unwrap_or(0)
    }

    /// The counts as bytes: documents, then each piece that occurs as its distance from the one before
    /// and its count, in variable length, and a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        push(&mut bytes, self.documents);
        let mut next = 0;
        for (token, count) in (0..).zip(&self.counts) {
            if *count > 0 {
                push(&mut bytes, token - next);
                push(&mut bytes, *count);
                next = token + 1;
            }
        }
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Error::Model`] when it is anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        parse(bytes).ok_or_else(|| Error::Model {
            name: crate::STATIC_NAME.to_owned(),
            text: "the stored word frequencies are damaged; index the corpus again".to_owned(),
        })
    }
}

fn parse(bytes: &[u8]) -> Option<Frequencies> {
    let (body, sum) = bytes.split_last_chunk::<4>()?;
    if checksum(body) != u32::from_le_bytes(*sum) {
        return None;
    }
    let mut rest = body.strip_prefix(&MAGIC)?;
    let documents = take(&mut rest)?;
    let mut counts: Vec<u32> = Vec::new();
    while !rest.is_empty() {
        let gap = take(&mut rest)?;
        let count = take(&mut rest)?;
        let token = u32::try_from(counts.len()).ok()?.checked_add(gap)?;
        if token >= TOKENS_MAX || count == 0 || count > documents {
            return None;
        }
        counts.resize(token as usize, 0);
        counts.push(count);
    }
    Some(Frequencies { documents, counts })
}

/// Seven bits a byte, lowest first; the high bit says that more follow.
fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number > 0x7f {
        bytes.push(number as u8 & 0x7f | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u64;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}

/// FNV-1a: finds what is torn or turned, not what is forged.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(documents: &[Vec<u32>]) -> Frequencies {
        let mut frequencies = Frequencies::default();
        documents.iter().for_each(|d| frequencies.count(d));
        frequencies
    }

    #[test]
    fn a_piece_counts_once_for_each_document() {
        let frequencies = counted(&[vec![7, 7, 3], vec![7], vec![], vec![u32::MAX]]);
        assert_eq!(frequencies.documents(), 4);
        assert_eq!([3, 7, 8, u32::MAX].map(|t| frequencies.of(t)), [1, 2, 0, 0]);
    }

    #[test]
    fn every_damaged_byte_is_found() {
        let good = counted(&[vec![1, 300, 70_000], vec![300]]).to_bytes();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(Frequencies::from_bytes(&bad).is_err(), "byte {at}");
            assert!(Frequencies::from_bytes(&good[..at]).is_err(), "cut at {at}");
        }
    }

    proptest! {
        #[test]
        fn bytes_give_the_counts_back(
            documents in prop::collection::vec(prop::collection::vec(0u32..40_000, 0..20), 0..20)
        ) {
            let frequencies = counted(&documents);
            let back = Frequencies::from_bytes(&frequencies.to_bytes()).unwrap();
            prop_assert_eq!(back, frequencies);
        }

        #[test]
        fn any_bytes_are_refused_or_read(body in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Frequencies::from_bytes(&body);
            // With mark and checksum right, the reader itself is reached.
            let mut bytes = [&MAGIC[..], &body[..]].concat();
            let sum = checksum(&bytes);
            bytes.extend_from_slice(&sum.to_le_bytes());
            if let Ok(read) = Frequencies::from_bytes(&bytes) {
                prop_assert!((0..100).all(|t| read.of(t) <= read.documents()));
            }
        }
    }
}
