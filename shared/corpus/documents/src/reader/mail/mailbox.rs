//! A mailbox: messages one below the other, each behind a line `From ...` with a date.
//!
//! Memory holds one message. Lines that a message quotes from an earlier one of the same mailbox are left out; quotes
//! of what is not there stay.

use crate::document::Document;
use crate::reader::archive::Container;
use crate::reader::text::Input;
use crate::reader::{CONTAINER_BYTES_MAX, File, Format, SkipReason};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read};

/// Lines of earlier messages that are known; of those behind them quotes stay.
const KNOWN_MAX: usize = 4_000_000;
/// Longest id of a message that can be its name, in bytes.
const ID_BYTES_MAX: usize = 120;
/// Longest line that is looked at as a whole, in bytes.
const LINE_BYTES_MAX: u64 = 64 * 1024;

pub(in crate::reader) struct Mailbox {
    input: BufReader<Box<dyn Input>>,
    message: Result<Vec<u8>, SkipReason>,
    /// Messages so far.
    count: u64,
    ended: bool,
    known: HashSet<u64>,
}

impl Mailbox {
    pub(in crate::reader) fn open(input: Box<dyn Input>) -> Mailbox {
        Mailbox {
            input: BufReader::new(input),
            message: Ok(Vec::new()),
            count: 0,
            ended: false,
            known: HashSet::new(),
        }
    }

    /// The next message; empty at the end. What stands before the first line `From ...` is none.
    fn read(&mut self) -> Result<Vec<u8>, SkipReason> {
        let mut message = Vec::new();
        let mut is_blank = true;
        let mut size = 0;
        loop {
            let mut line = Vec::new();
            let read = self
                .input
                .by_ref()
                .take(LINE_BYTES_MAX)
                .read_until(b'\n', &mut line);
            if read
                .map_err(crate::reader::unreadable)
                .inspect_err(|_| self.ended = true)?
                == 0
            {
                self.ended = true;
                break;
            }
            if is_blank && begins_message(&line) {
                if size > 0 {
                    break;
                }
                continue;
            }
            is_blank = line.iter().all(u8::is_ascii_whitespace);
            size += line.len() as u64;
            if size > CONTAINER_BYTES_MAX {
                message = Vec::new();
                continue;
            }
            let marks = line.iter().take_while(|byte| **byte == b'>').count();
            let is_escaped = marks > 0 && line[marks..].starts_with(b"From ");
            message.extend_from_slice(&line[usize::from(is_escaped)..]);
        }
        match size > CONTAINER_BYTES_MAX {
            true => Err(SkipReason::TooLarge(CONTAINER_BYTES_MAX)),
            false => Ok(message),
        }
    }
}

/// `From ann@example.org Sun Mar  3 14:05:00 2024`
fn begins_message(line: &[u8]) -> bool {
    let year = |word: &[u8]| word.len() == 4 && word.iter().all(u8::is_ascii_digit);
    line.starts_with(b"From ")
        && line.split(u8::is_ascii_whitespace).any(year)
        && line.iter().filter(|byte| **byte == b':').count() >= 1
}

impl Container for Mailbox {
    fn next(&mut self) -> Option<(String, Result<(), SkipReason>)> {
        while !self.ended {
            self.message = self.read();
            let message = self.message.as_deref();
            if message.is_ok_and(|message| message.trim_ascii().is_empty()) {
                continue;
            }
            self.count += 1;
            let id = message.ok().and_then(id_of);
            return Some((id.unwrap_or_else(|| self.count.to_string()), Ok(())));
        }
        None
    }

    fn bytes(&mut self, _bytes_max: u64) -> Result<Vec<u8>, SkipReason> {
        std::mem::replace(&mut self.message, Ok(Vec::new()))
    }

    fn entry(&self, within: &File, name: &str) -> Result<File, SkipReason> {
        let mut file = within.part(name);
        (file.format, file.ext) = (Format::Mail, "eml".into());
        Ok(file)
    }

    fn see(&mut self, document: &mut Document) {
        let before = document.lines.len();
        document
            .lines
            .retain(|line| match line.text.strip_prefix('>') {
                Some(quoted) => !self.known.contains(&hash(quoted)) && !quoted.trim().is_empty(),
                None => true,
            });
        for line in &document.lines {
            if self.known.len() < KNOWN_MAX {
                self.known.insert(hash(line.text.trim_start_matches('>')));
            }
        }
        if document.lines.len() < before {
            *document = std::mem::replace(document, document.clone()).into_part();
        }
    }
}

/// The id of a message, by which it has the same name when others are deleted.
fn id_of(message: &[u8]) -> Option<String> {
    let head = message.split(|byte| *byte == b'\n').take(500);
    let mut head = head.take_while(|line| !line.iter().all(u8::is_ascii_whitespace));
    let id = head.find_map(|line| {
        let (name, value) = line.split_at_checked(b"message-id:".len())?;
        name.eq_ignore_ascii_case(b"message-id:")
            .then(|| value.trim_ascii())
    })?;
    let id = std::str::from_utf8(id).ok()?.trim_matches(['<', '>']);
    let good =
        !id.is_empty() && id.len() <= ID_BYTES_MAX && id.bytes().all(|b| b.is_ascii_graphic());
    good.then(|| id.to_owned())
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in line.split_whitespace() {
        word.hash(&mut hasher);
    }
    hasher.finish()
}
