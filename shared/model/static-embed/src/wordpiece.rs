//! BERT's uncased tokenizer: text to the numbers of word pieces.
//!
//! Text is put into lower case without accents, punctuation and ideographs become words of their own, and each word
//! is cut into the longest pieces that the vocabulary has. The numbers are those of the `tokenizers` library (its
//! `BertNormalizer`, `BertPreTokenizer` and `WordPiece`), and the tests compare with it. The tokenizer is written
//! out here because the library is far heavier than this file, and because the static table needs a tokenizer that
//! costs as little as adding vectors: here most words are one look-up.
//!
//! *Not* a reader of `tokenizer.json`, and there are no special tokens: `[CLS]` in a text is a word with
//! punctuation around it.

use crate::pieces::{AT_ONCE, LATER, LENGTH_SHIFT, PIECES_MAX, Pieces, SHORT_BYTES_MAX, parts};
use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Longest word that is cut into pieces, in characters; a longer one is unknown. BERT's own number.
const WORD_CHARS_MAX: usize = 100;

/// The piece for what the vocabulary cannot spell.
const UNKNOWN: &str = "[UNK]";

/// What a piece that goes on within a word begins with in the vocabulary.
const CONTINUATION: &str = "##";

/// Is set where a sign waits among words: then it is a number of a piece.
const SIGN: u128 = 1 << 126;
/// This bit tells small ASCII letters from capital ones; digits have it.
const SMALL: u128 = u128::from_le_bytes([0x20; SHORT_BYTES_MAX + 1]);

/// What a byte is to a word of ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// A letter or a digit.
    Part,
    /// Ends a word and is none.
    Blank,
    /// Ends a word and is one by itself.
    Sign,
    /// What has to be looked at closer.
    Other,
}

const BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Other; 256];
    let mut at = 0;
    while at < 128 {
        let byte = at as u8;
        bytes[at] = if byte.is_ascii_alphanumeric() {
            Byte::Part
        } else if byte.is_ascii_punctuation() {
            Byte::Sign
        } else if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            Byte::Blank
        } else {
            Byte::Other
        };
        at += 1;
    }
    bytes
};

/// A tokenizer with its vocabulary.
#[derive(Debug)]
pub struct Tokenizer {
    pieces: Pieces,
    /// What a sign of ASCII is by itself.
    signs: [u32; 128],
    unknown: u32,
    /// Longest piece in bytes: no longer one is looked for.
    longest: usize,
}

impl Tokenizer {
    /// A tokenizer with this vocabulary: one piece a line, numbered from 0. If there is no line `[UNK]`, text that
    /// cannot be spelled becomes piece 0.
    pub fn new(vocabulary: &str) -> Self {
        let lines = || vocabulary.lines().take(PIECES_MAX - 1);
        let mut tokenizer = Self {
            pieces: Pieces::with_room(lines().count().max(1)),
            signs: [0; 128],
            unknown: 0,
            longest: 0,
        };
        for piece in lines() {
            tokenizer.longest = tokenizer.longest.max(piece.len());
            match piece.strip_prefix(CONTINUATION) {
                Some(rest) if !rest.is_empty() => tokenizer.pieces.push(rest, true),
                _ => tokenizer.pieces.push(piece, false),
            };
        }
        tokenizer.unknown = tokenizer.pieces.get(UNKNOWN, false).unwrap_or(0);
        for (sign, byte) in (0..128u8).enumerate() {
            let piece = tokenizer
                .pieces
                .get(char::from(byte).encode_utf8(&mut [0; 4]), false);
            tokenizer.signs[sign] = piece.unwrap_or(tokenizer.unknown);
        }
        tokenizer
    }

    pub(crate) fn vocabulary_len(&self) -> usize {
        self.pieces.keys.len()
    }

    /// The number of a piece, given as the vocabulary writes it.
    pub fn id(&self, piece: &str) -> Option<u32> {
        match piece.strip_prefix(CONTINUATION) {
            Some(rest) if !rest.is_empty() => self.pieces.get(rest, true),
            _ => self.pieces.get(piece, false),
        }
    }

    /// The pieces of the text, the first `max` of them, without `[CLS]` and `[SEP]`.
    pub fn encode(&self, text: &str, max: usize) -> Vec<u32> {
        let mut ids = Vec::with_capacity(max.min(text.len() / 4 + 1));
        self.encode_into(text, max, &mut ids);
        ids
    }

    /// The same in the place of what is in `ids`.
    pub(crate) fn encode_into(&self, text: &str, max: usize, ids: &mut Vec<u32>) {
        ids.clear();
        let mut words = Words {
            ids: std::mem::take(ids),
            ..Words::new(self)
        };
        let mut at = 0;
        while at < text.len() && words.ids.len() < max {
            at += words.step(text, at);
        }
        words.cut_waiting();
        words.end();
        *ids = words.ids;
        ids.truncate(max);
    }

    /// Adds the pieces of one clean word.
    fn cut(&self, word: &str, ids: &mut Vec<u32>) {
        if let Some(id) = self.pieces.get(word, false) {
            ids.push(id);
            return;
        }
        let (mut rest, mut later, kept) = (word, false, ids.len());
        while !rest.is_empty() {
            let Some((piece, id)) = self.longest_piece(rest, later) else {
                ids.truncate(kept);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = &rest[piece..];
            later = true;
        }
    }

    /// The same for a short word, as [`short`] has it: its beginnings are numbers too.
    fn cut_short(&self, word: u128, ids: &mut Vec<u32>) {
        let (mut rest, mut length) = parts(word);
        let (mut later, kept) = (0, ids.len());
        while length > 0 {
            let beginnings = (1..=length).rev();
            let mut longest = beginnings.filter_map(|end| {
                let bytes = rest & !(u128::MAX << (8 * end));
                let key = bytes | (end as u128) << LENGTH_SHIFT | later;
                Some((end, self.pieces.get_short(key)?))
            });
            let Some((end, id)) = longest.next() else {
                ids.truncate(kept);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest >>= 8 * end;
            length -= end;
            later = LATER;
        }
    }

    /// Length in bytes and number of the longest piece that the word begins with.
    fn longest_piece(&self, word: &str, later: bool) -> Option<(usize, u32)> {
        let mut end = word.floor_char_boundary(self.longest);
        while end > 0 {
            if let Some(id) = self.pieces.get(&word[..end], later) {
                return Some((end, id));
            }
            end = word.floor_char_boundary(end - 1);
        }
        None
    }
}

/// A text on its way: the word that is being read, and the pieces of those before.
struct Words<'a> {
    tokenizer: &'a Tokenizer,
    word: String,
    chars: usize,
    ids: Vec<u32>,
    /// Short words that are whole, and signs, in the order of the text. None while a word is read letter by letter.
    waiting: [u128; AT_ONCE],
    waits: usize,
}

/// The short word of ASCII letters and digits that stands here: its length, and what [`short`] says of it in
/// small letters. `None` where it is longer, or may go on.
#[inline]
fn plain(bytes: &[u8]) -> Option<(usize, u128)> {
    let first = match bytes.first_chunk() {
        Some(first) => *first,
        None => {
            let mut first = [0; SHORT_BYTES_MAX + 1];
            first[..bytes.len()].copy_from_slice(bytes);
            first
        }
    };
    let is_part = |byte: &&u8| BYTES[usize::from(**byte)] == Byte::Part;
    let length = first.iter().take_while(is_part).count();
    // An accent belongs to the word before it, and what is left out does not end a word.
    let ends = |byte: &u8| BYTES[usize::from(*byte)] != Byte::Other;
    if length > SHORT_BYTES_MAX || !bytes.get(length).is_none_or(ends) {
        return None;
    }
    let bytes = (u128::from_le_bytes(first) | SMALL) & !(u128::MAX << (8 * length));
    Some((length, bytes | (length as u128) << LENGTH_SHIFT))
}

impl<'a> Words<'a> {
    fn new(tokenizer: &'a Tokenizer) -> Words<'a> {
        Words {
            tokenizer,
            word: String::new(),
            chars: 0,
            ids: Vec::new(),
            waiting: [0; AT_ONCE],
            waits: 0,
        }
    }

    fn wait(&mut self, word: u128) {
        if self.waits == AT_ONCE {
            self.cut_waiting();
        }
        self.waiting[self.waits] = word;
        self.waits += 1;
    }

    /// Adds the pieces of the words that wait. Most are a piece themselves, and most of the time goes by waiting for
    /// memory: so that is asked for all of them at once.
    fn cut_waiting(&mut self) {
        let waiting = &self.waiting[..self.waits];
        let found = self.tokenizer.pieces.get_at_once(waiting);
        for (word, piece) in waiting.iter().zip(found) {
            match piece {
                _ if word & SIGN != 0 => self.ids.push(*word as u32),
                Some(id) => self.ids.push(id),
                None => self.tokenizer.cut_short(*word, &mut self.ids),
            }
        }
        self.waits = 0;
    }

    /// Reads on from a place of the text, and tells how far.
    fn step(&mut self, text: &str, at: usize) -> usize {
        let bytes = &text.as_bytes()[at..];
        match BYTES[usize::from(bytes[0])] {
            Byte::Blank => {
                self.end();
                return 1;
            }
            Byte::Sign => {
                self.end();
                let sign = self.tokenizer.signs[usize::from(bytes[0])];
                self.wait(SIGN | u128::from(sign));
                return 1;
            }
            Byte::Part if self.chars == 0 => {
                if let Some((length, word)) = plain(bytes) {
                    self.wait(word);
                    return length;
                }
            }
            Byte::Part | Byte::Other => {}
        }
        self.cut_waiting();
        let next = text[at..].chars().next();
        next.map_or(1, |c| {
            self.push(c);
            c.len_utf8()
        })
    }

    /// The next character as it stands in the text.
    fn push(&mut self, c: char) {
        match c {
            'a'..='z' | '0'..='9' => self.add(c),
            'A'..='Z' => self.add(c.to_ascii_lowercase()),
            ' ' | '\t' | '\n' | '\r' => self.end(),
            '\0'..='\x1f' | '\x7f' => {}
            '\0'..='\x7f' => self.alone(c),
            _ => self.push_wide(c),
        }
    }

    /// A character beyond ASCII: cleaned, parted from its accents, in lower case.
    fn push_wide(&mut self, c: char) {
        if c == '\u{fffd}' || is_other(c) {
            return;
        }
        let ideograph = is_ideograph(c);
        if ideograph {
            self.end();
        }
        decompose_canonical(c, |part| {
            if part.general_category() != GeneralCategory::NonspacingMark {
                part.to_lowercase().for_each(|low| self.push_clean(low));
            }
        });
        if ideograph {
            self.end();
        }
    }

    fn push_clean(&mut self, c: char) {
        if c.is_whitespace() {
            self.end();
        } else if is_punctuation(c) {
            self.alone(c);
        } else {
            self.add(c);
        }
    }

    /// A character that is a word by itself.
    fn alone(&mut self, c: char) {
        self.end();
        self.add(c);
        self.end();
    }

    fn add(&mut self, c: char) {
        self.chars += 1;
        if self.chars <= WORD_CHARS_MAX {
            self.word.push(c);
        }
    }

    /// The word ends here, if there is one.
    fn end(&mut self) {
        match self.chars {
            0 => {}
            1..=WORD_CHARS_MAX => self.tokenizer.cut(&self.word, &mut self.ids),
            _ => self.ids.push(self.tokenizer.unknown),
        }
        self.word.clear();
        self.chars = 0;
    }
}

/// Whether the character is left out: control, format, private use.
fn is_other(c: char) -> bool {
    matches!(
        c.general_category(),
        GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
    )
}

/// Punctuation as BERT has it: Unicode's, and every sign of ASCII.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// The blocks of ideographs that BERT cuts into single characters. Not kana, not hangul.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x2_0000..=0x2_A6DF | 0x2_A700..=0x2_B73F
        | 0x2_B740..=0x2_B81F | 0x2_B920..=0x2_CEAF | 0xF900..=0xFAFF | 0x2_F800..=0x2_FA1F)
}

#[cfg(test)]
#[path = "wordpiece_tests.rs"]
mod tests;
