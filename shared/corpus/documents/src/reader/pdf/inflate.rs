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
            Filter::Ascii85Decode => Box::new(Cursor::new(ascii85(chain, bytes_max))),
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

/// What five signs to four bytes stand for, as far as it may be.
fn ascii85(mut input: impl Read, bytes_max: u64) -> Vec<u8> {
    let mut signs = Vec::new();
    let _ = input.by_ref().take(2 * bytes_max).read_to_end(&mut signs);
    let mut out = Vec::new();
    let (mut word, mut count) = (0_u32, 0);
    for sign in signs.into_iter().take_while(|sign| *sign != b'~') {
        match sign {
            b'z' if count == 0 => out.extend([0; 4]),
            b'!'..=b'u' => {
                word = word.wrapping_mul(85).wrapping_add(u32::from(sign - b'!'));
                count += 1;
            }
            _ => {}
        }
        if count == 5 {
            out.extend(word.to_be_bytes());
            (word, count) = (0, 0);
        }
        if out.len() as u64 > bytes_max {
            break;
        }
    }
    if count > 1 {
        (count..5).for_each(|_| word = word.wrapping_mul(85).wrapping_add(84));
        out.extend(&word.to_be_bytes()[..count - 1]);
    }
    out
}
