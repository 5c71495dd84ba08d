//! Measures to how many bytes the streams of a PDF would decompress, without keeping the data.
//!
//! The library decompresses a stream whole and has no limit; a few kilobytes can become gigabytes. So the streams
//! that it decompresses while it loads a file are measured beforehand, in the bytes of the file. All other streams
//! except pictures are measured after loading, through their filters. One case is not covered: a stream of objects in
//! an encrypted document.

use super::super::SkipReason;
use flate2::read::ZlibDecoder;
use hayro_interpret::hayro_syntax::object::{Name, Object, Stream};
use hayro_interpret::hayro_syntax::{Filter, Pdf};
use std::io::{Cursor, Read};

/// How much one byte of LZW can become, at most; it is not unpacked here.
const LZW_RATIO: u64 = 2_600;
/// How far before its data the dictionary of a stream begins, at most, in bytes.
const DICT_BYTES: usize = 2_048;

/// Looks at the streams that hold objects or cross references.
pub(super) fn check_file(bytes: &[u8], bytes_max: u64) -> Result<(), SkipReason> {
    let mut at = 0;
    while let Some(found) = find(&bytes[at..], b"stream") {
        let keyword = at + found;
        at = keyword + b"stream".len();
        let dict = &bytes[keyword.saturating_sub(DICT_BYTES)..keyword];
        let dict = &dict[rfind(dict, b" obj").unwrap_or(0)..];
        let loads = find(dict, b"/ObjStm").is_some() || find(dict, b"/XRef").is_some();
        if !loads || bytes[..keyword].ends_with(b"end") {
            continue;
        }
        let data = bytes[at..].strip_prefix(b"\r").unwrap_or(&bytes[at..]);
        let data = data.strip_prefix(b"\n").unwrap_or(data);
        check(Box::new(ZlibDecoder::new(data)), bytes_max)?;
    }
    Ok(())
}

/// Looks at every stream that is not a picture.
pub(super) fn check_streams(pdf: &Pdf, bytes_max: u64) -> Result<(), SkipReason> {
    for object in pdf.objects() {
        let Object::Stream(stream) = object else {
            continue;
        };
        let is = |key: &str, name: &[u8]| {
            let value = stream.dict().get::<Name<'_>>(key);
            value.is_some_and(|value| value.as_ref() == name)
        };
        if !is("Subtype", b"Image") {
            check_stream(&stream, bytes_max)?;
        }
    }
    Ok(())
}

fn check_stream(stream: &Stream<'_>, bytes_max: u64) -> Result<(), SkipReason> {
    let raw = stream.raw_data();
    let mut chain: Box<dyn Read + '_> = Box::new(Cursor::new(&raw[..]));
    for filter in stream.filters() {
        chain = match filter {
            Filter::FlateDecode => Box::new(ZlibDecoder::new(chain)),
            Filter::Ascii85Decode => Box::new(Ascii85::new(chain)),
            Filter::LzwDecode if raw.len() as u64 * LZW_RATIO > bytes_max => {
                return Err(SkipReason::Inflates(bytes_max));
            }
            // These make less of it, or at most some sixty times as much.
            _ => return Ok(()),
        };
    }
    check(chain, bytes_max)
}

/// Reads to the end, or to the limit. Data that does not unpack is no matter of size.
fn check(mut chain: Box<dyn Read + '_>, bytes_max: u64) -> Result<(), SkipReason> {
    let (mut block, mut total) = ([0; 16 * 1024], 0);
    while let Ok(read @ 1..) = chain.read(&mut block) {
        total += read as u64;
        if total > bytes_max {
            return Err(SkipReason::Inflates(bytes_max));
        }
    }
    Ok(())
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = wanted[0];
    let mut at = 0;
    while let Some(step) = bytes[at..].iter().position(|&b| b == first) {
        at += step;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn rfind(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .rposition(|window| window == wanted)
}

/// Five signs to four bytes, as a reader.
struct Ascii85<R> {
    input: R,
    out: Vec<u8>,
    at: usize,
    word: u32,
    signs: usize,
    ended: bool,
}

impl<R: Read> Ascii85<R> {
    fn new(input: R) -> Self {
        Ascii85 {
            input,
            out: Vec::new(),
            at: 0,
            word: 0,
            signs: 0,
            ended: false,
        }
    }

    fn refill(&mut self) -> std::io::Result<()> {
        let mut block = [0; 4_096];
        let read = self.input.read(&mut block)?;
        self.out.clear();
        self.at = 0;
        self.ended |= read == 0;
        for &sign in &block[..read] {
            match sign {
                b'z' if self.signs == 0 => self.out.extend([0; 4]),
                b'!'..=b'u' => {
                    let digit = u32::from(sign - b'!');
                    self.word = self.word.wrapping_mul(85).wrapping_add(digit);
                    self.signs += 1;
                }
                b'~' => {
                    self.ended = true;
                    break;
                }
                _ => {}
            }
            if self.signs == 5 {
                self.out.extend(self.word.to_be_bytes());
                (self.word, self.signs) = (0, 0);
            }
        }
        if self.ended && self.signs > 1 {
            for _ in self.signs..5 {
                self.word = self.word.wrapping_mul(85).wrapping_add(84);
            }
            let bytes = self.word.to_be_bytes();
            self.out.extend(&bytes[..self.signs - 1]);
            self.signs = 0;
        }
        Ok(())
    }
}

impl<R: Read> Read for Ascii85<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while self.at == self.out.len() && !self.ended {
            self.refill()?;
        }
        let size = out.len().min(self.out.len() - self.at);
        out[..size].copy_from_slice(&self.out[self.at..self.at + size]);
        self.at += size;
        Ok(size)
    }
}
