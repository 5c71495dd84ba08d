//! BERT's uncased tokenizer: text to the numbers of word pieces.
//!
//! Lower case, no accents, punctuation and ideographs stand alone, and each word is cut into the
//! longest pieces that the vocabulary has. The numbers are those of the `tokenizers` library (its
//! `BertNormalizer`, `BertPreTokenizer` and `WordPiece`), and the tests compare with it. It is written
//! out here because the library is far heavier than this file, and because the static table needs a
//! tokenizer that costs as little as adding vectors: here most words are one look-up.
//!
//! *Not* a reader of `tokenizer.json`, and no special tokens: `[CLS]` in a text is punctuation around
//! a word, whoever wrote it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Longest word that is cut into pieces, in characters; a longer one is unknown. BERT's own number.
const WORD_CHARS_MAX: usize = 100;

/// The piece for what the vocabulary cannot spell.
const UNKNOWN: &str = "[UNK]";

/// What a piece that goes on within a word begins with in the vocabulary.
const CONTINUATION: &str = "##";

/// Longest piece that is looked up as a number, in bytes.
const SHORT_BYTES_MAX: usize = 15;
/// Where in such a number its length is, in bits.
const LENGTH_SHIFT: usize = 8 * SHORT_BYTES_MAX;

/// Pieces and their numbers. Nearly all are short, and a short text is a number itself: to compare it is to
/// compare two numbers, and to find it is to look in one place.
#[derive(Debug, Default)]
struct Pieces {
    short: HashMap<u128, u32, BuildHasherDefault<ShortHasher>>,
    long: HashMap<Box<str>, u32>,
}

impl Pieces {
    fn insert(&mut self, piece: &str, id: u32) {
        match short(piece) {
            Some(key) => self.short.insert(key, id),
            None => self.long.insert(piece.into(), id),
        };
    }

    fn get(&self, piece: &str) -> Option<u32> {
        match short(piece) {
            Some(key) => self.short.get(&key).copied(),
            None => self.long.get(piece).copied(),
        }
    }
}

/// The bytes of a short text and how many they are.
#[inline]
fn short(text: &str) -> Option<u128> {
    let mut key = [0; SHORT_BYTES_MAX + 1];
    let room = key[..SHORT_BYTES_MAX].get_mut(..text.len())?;
    room.copy_from_slice(text.as_bytes());
    key[SHORT_BYTES_MAX] = u8::try_from(text.len()).ok()?;
    Some(u128::from_le_bytes(key))
}

/// Its bytes and how many they are.
fn parts(short: u128) -> (u128, usize) {
    let length = short >> LENGTH_SHIFT;
    (short & !(u128::MAX << LENGTH_SHIFT), length as usize)
}

/// A hash of a number. What texts say is never put into the map, so nobody can choose what collides.
#[derive(Debug, Default)]
struct ShortHasher(u64);

impl ShortHasher {
    fn add(&mut self, bits: u64) {
        self.0 = (self.0.rotate_left(23) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for ShortHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.add(u64::from(*byte)));
    }

    fn write_u128(&mut self, number: u128) {
        self.add(number as u64);
        self.add((number >> u64::BITS) as u64);
    }

    fn finish(&self) -> u64 {
        // The map looks at the upper bits and at the lower ones; those of a product are poor below.
        self.0 ^ self.0 >> 32
    }
}

/// A vocabulary, ready to cut texts.
#[derive(Debug)]
pub struct Tokenizer {
    /// Pieces that begin a word.
    first: Pieces,
    /// Pieces that go on, without their mark.
    later: Pieces,
    unknown: u32,
    /// Longest piece in bytes: no longer one is looked for.
    longest: usize,
    len: usize,
}

impl Tokenizer {
    /// A tokenizer of the vocabulary: one piece a line, numbered from 0. Without a line `[UNK]` what
    /// cannot be spelled is piece 0.
    pub fn new(vocabulary: &str) -> Self {
        let mut tokenizer = Self {
            first: Pieces::default(),
            later: Pieces::default(),
            unknown: 0,
            longest: 0,
            len: 0,
        };
        for (id, piece) in (0..).zip(vocabulary.lines()) {
            tokenizer.longest = tokenizer.longest.max(piece.len());
            tokenizer.len += 1;
            match piece.strip_prefix(CONTINUATION) {
                Some(rest) if !rest.is_empty() => tokenizer.later.insert(rest, id),
                _ => tokenizer.first.insert(piece, id),
            };
        }
        tokenizer.unknown = tokenizer.first.get(UNKNOWN).unwrap_or(0);
        tokenizer
    }

    /// Pieces in the vocabulary.
    pub fn vocabulary_len(&self) -> usize {
        self.len
    }

    /// The number of a piece as the vocabulary writes it.
    pub fn id(&self, piece: &str) -> Option<u32> {
        match piece.strip_prefix(CONTINUATION) {
            Some(rest) if !rest.is_empty() => self.later.get(rest),
            _ => self.first.get(piece),
        }
    }

    /// The pieces of the text, the first `max` of them, without `[CLS]` and `[SEP]`.
    pub fn encode(&self, text: &str, max: usize) -> Vec<u32> {
        let mut words = Words {
            tokenizer: self,
            word: String::with_capacity(WORD_CHARS_MAX),
            chars: 0,
            ids: Vec::with_capacity(max.min(text.len() / 4 + 1)),
        };
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let length = words.plain(rest);
            match length > 0 && words.push_plain(&rest[..length]) {
                true => rest = &rest[length..],
                false => {
                    words.push(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
            if words.ids.len() >= max {
                break;
            }
        }
        words.end();
        words.ids.truncate(max);
        words.ids
    }

    /// Adds the pieces of one clean word.
    fn cut(&self, word: &str, ids: &mut Vec<u32>) {
        if let Some(id) = self.first.get(word) {
            ids.push(id);
            return;
        }
        let (mut rest, mut map, kept) = (word, &self.first, ids.len());
        while !rest.is_empty() {
            let Some((piece, id)) = self.longest_piece(rest, map) else {
                ids.truncate(kept);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = &rest[piece..];
            map = &self.later;
        }
    }

    /// The same for a short word, as [`short`] has it: its beginnings are numbers too.
    fn cut_short(&self, word: u128, ids: &mut Vec<u32>) {
        let (mut rest, mut length) = parts(word);
        let (mut map, kept) = (&self.first, ids.len());
        while length > 0 {
            let beginnings = (1..=length).rev();
            let mut longest = beginnings.filter_map(|end| {
                let key = rest & !(u128::MAX << (8 * end)) | (end as u128) << LENGTH_SHIFT;
                map.short.get(&key).map(|id| (end, *id))
            });
            let Some((end, id)) = longest.next() else {
                ids.truncate(kept);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest >>= 8 * end;
            length -= end;
            map = &self.later;
        }
    }

    /// Length in bytes and number of the longest piece that the word begins with.
    fn longest_piece(&self, word: &str, map: &Pieces) -> Option<(usize, u32)> {
        let mut end = word.floor_char_boundary(self.longest);
        while end > 0 {
            if let Some(id) = map.get(&word[..end]) {
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
}

impl Words<'_> {
    /// How many bytes the short word of ASCII letters and digits has that stands here; 0 when there is none.
    fn plain(&self, text: &str) -> usize {
        if self.chars > 0 {
            return 0;
        }
        let bytes = text.as_bytes();
        let run = bytes.iter().take(SHORT_BYTES_MAX + 1);
        let length = run.take_while(|byte| byte.is_ascii_alphanumeric()).count();
        // An accent belongs to the word before it, and what is left out does not end a word.
        let ends = |byte: &u8| byte.is_ascii_punctuation() || b" \t\n\r".contains(byte);
        match bytes.get(length).is_none_or(ends) {
            true => length,
            false => 0,
        }
    }

    /// Adds such a word; false when it is too long for that.
    fn push_plain(&mut self, word: &str) -> bool {
        let Some(word) = short(word) else {
            return false;
        };
        let mut word = word.to_le_bytes();
        word[..SHORT_BYTES_MAX].make_ascii_lowercase();
        let word = u128::from_le_bytes(word);
        self.tokenizer.cut_short(word, &mut self.ids);
        true
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
