//! Decodes bytes into text: UTF-8, UTF-16 and Windows-1252, as a whole or as a stream.
//!
//! A byte order mark determines the encoding; without one, the bytes themselves do. Bytes that fit none of the three
//! encodings count as binary, and their skip reason says to save the file as UTF-8.

use super::{Parsed, SkipReason, front_matter, take_title, unreadable};
use crate::document::NumberedLine;
use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::io::{self, BufReader, Read, Seek};

/// Of a text, at most one character in this many may be unreadable; beyond it the file is binary.
const UNREADABLE_ONE_IN: usize = 20;
/// Of a text in Windows-1252, at most one byte in this many is no ASCII: other alphabets have more.
const ACCENTED_ONE_IN: usize = 3;
/// How much of a stream is looked at to find its encoding, in bytes.
const SNIFF_BYTES: usize = 1024 * 1024;
/// Bytes that are decoded at once.
const BLOCK_BYTES: usize = 64 * 1024;

/// The text of a whole file.
pub(super) fn decode(bytes: &[u8]) -> Result<String, SkipReason> {
    let encoding = encoding_of(bytes).ok_or(SkipReason::Binary)?;
    let (text, _, _) = encoding.decode(bytes);
    let broken = text.chars().filter(|&c| c == '\u{fffd}').count();
    if broken * UNREADABLE_ONE_IN > text.chars().count() {
        return Err(SkipReason::Binary);
    }
    Ok(text.into_owned())
}

/// The encoding of a text; `None` when it is none that is known, or no text.
fn encoding_of(bytes: &[u8]) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Some(encoding);
    }
    if bytes.contains(&0) {
        return utf16(bytes);
    }
    let (mut valid, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    // UTF-8 with a few bad bytes has more good characters than bad ones; Latin text hardly any.
    if broken <= 1 && bytes.len() >= SNIFF_BYTES || broken == 0 || valid > broken {
        return Some(UTF_8);
    }
    is_latin(bytes).then_some(WINDOWS_1252)
}

/// UTF-16 without a mark: western text has a zero in every other byte, always on the same side.
fn utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let zeros = |side: usize| {
        bytes
            .iter()
            .skip(side)
            .step_by(2)
            .filter(|&&b| b == 0)
            .count()
    };
    let pairs = bytes.len() / 2;
    let (even, odd) = (zeros(0), zeros(1));
    match pairs {
        0 => None,
        _ if odd * 2 > pairs && even * 20 < pairs => Some(UTF_16LE),
        _ if even * 2 > pairs && odd * 20 < pairs => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether bytes read as western text in Windows-1252.
fn is_latin(bytes: &[u8]) -> bool {
    let control = |b: u8| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0xc);
    let undefined = |b: u8| matches!(b, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d);
    let accented = bytes.iter().filter(|b| !b.is_ascii()).count();
    !bytes.iter().any(|&b| control(b) || undefined(b)) && accented * ACCENTED_ONE_IN <= bytes.len()
}

/// What can be read twice.
pub(super) trait Input: Read + Seek + Send {}

impl<T: Read + Seek + Send> Input for T {}

/// Bytes as a stream of UTF-8.
pub(super) fn stream(mut input: Box<dyn Input>) -> Result<BufReader<Decoded>, SkipReason> {
    let mut head = Vec::new();
    input
        .by_ref()
        .take(SNIFF_BYTES as u64)
        .read_to_end(&mut head)
        .map_err(unreadable)?;
    if head.is_empty() {
        return Err(SkipReason::Empty);
    }
    let encoding = encoding_of(&head).ok_or(SkipReason::Binary)?;
    input.rewind().map_err(unreadable)?;
    let decoded = Decoded {
        input,
        decoder: encoding.new_decoder(),
        raw: Vec::new(),
        text: Vec::new(),
        at: 0,
        ended: false,
    };
    Ok(BufReader::with_capacity(BLOCK_BYTES, decoded))
}

/// Reads a file as UTF-8 whatever it is written in. Memory holds a block.
pub(super) struct Decoded {
    input: Box<dyn Input>,
    decoder: Decoder,
    raw: Vec<u8>,
    text: Vec<u8>,
    at: usize,
    ended: bool,
}

impl Decoded {
    fn refill(&mut self) -> io::Result<()> {
        self.raw.clear();
        let read = self
            .input
            .by_ref()
            .take(BLOCK_BYTES as u64)
            .read_to_end(&mut self.raw)?;
        self.ended = read == 0;
        let room = self
            .decoder
            .max_utf8_buffer_length(read)
            .unwrap_or(read * 3 + 16);
        self.text.resize(room, 0);
        let (_, _, written, _) = self
            .decoder
            .decode_to_utf8(&self.raw, &mut self.text, self.ended);
        self.text.truncate(written);
        self.at = 0;
        Ok(())
    }
}

impl Read for Decoded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.ended {
            self.refill()?;
        }
        let size = out.len().min(self.text.len() - self.at);
        out[..size].copy_from_slice(&self.text[self.at..self.at + size]);
        self.at += size;
        Ok(size)
    }
}

/// Text and Markdown: lines as they stand, below the front matter.
pub(super) fn plain(text: &str) -> Parsed {
    let (front, skipped, body) = front_matter::split(text);
    let mut metadata = front_matter::parse(front);
    let title = take_title(&mut metadata);
    Parsed {
        title,
        metadata,
        lines: numbered(body, skipped),
        ..Parsed::default()
    }
}

/// Lines with numbers that start behind `skipped` lines; form feeds count pages.
pub(super) fn numbered(body: &str, skipped: u32) -> Vec<NumberedLine> {
    let mut page = body.contains('\u{c}').then_some(1);
    let mut lines = Vec::new();
    for (number, line) in (skipped + 1..).zip(body.lines()) {
        for (i, part) in line.split('\u{c}').enumerate() {
            if i > 0 {
                page = page.map(|p| p + 1);
            }
            if i == 0 || !part.is_empty() {
                lines.push(NumberedLine::new(number, page, part));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn utf16(text: &str, mark: bool, big: bool) -> Vec<u8> {
        let mark = mark.then_some('\u{feff}').into_iter();
        let units: Vec<u16> = mark
            .chain(text.chars())
            .collect::<String>()
            .encode_utf16()
            .collect();
        let bytes = |unit: u16| {
            if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        };
        units.into_iter().flat_map(bytes).collect()
    }

    #[test]
    fn encodings_are_told_apart() {
        let text = "Größe: 45 € – “café”, naïve façade";
        assert_eq!(decode(text.as_bytes()).unwrap(), text);
        assert_eq!(
            decode(&[b"\xef\xbb\xbf", text.as_bytes()].concat()).unwrap(),
            text
        );
        for big in [true, false] {
            assert_eq!(decode(&utf16(text, true, big)).unwrap(), text);
            assert_eq!(decode(&utf16(text, false, big)).unwrap(), text);
        }
        let (latin, _, _) = WINDOWS_1252.encode(text);
        assert_eq!(decode(&latin).unwrap(), text);
    }

    #[test]
    fn what_is_no_text_is_binary() {
        for bytes in [
            &[0xff; 8][..],
            &[0xe4; 40],
            b"a\0b",
            b"\x01\x02\xff",
            b"\x7fELF\x02\x01\0\0",
        ] {
            assert_eq!(decode(bytes), Err(SkipReason::Binary), "{bytes:?}");
        }
    }

    #[test]
    fn a_few_bad_bytes_among_utf8_are_replaced() {
        let mut bytes = "größer, länger, höher und weiter in einem Text "
            .as_bytes()
            .to_vec();
        bytes.push(0xff);
        assert!(decode(&bytes).unwrap().ends_with('\u{fffd}'));
    }

    proptest! {
        #[test]
        fn a_stream_reads_what_the_whole_reads(text in "[a-zäöü €]{1,200}", big in any::<bool>()) {
            let file = tempfile::NamedTempFile::new().unwrap();
            for bytes in [text.as_bytes().to_vec(), utf16(&text, true, big)] {
                std::fs::write(file.path(), &bytes).unwrap();
                let mut streamed = String::new();
                stream(Box::new(file.reopen().unwrap())).unwrap().read_to_string(&mut streamed).unwrap();
                prop_assert_eq!(&streamed, &decode(&bytes).unwrap());
                prop_assert_eq!(&streamed, &text);
            }
        }
    }
}
