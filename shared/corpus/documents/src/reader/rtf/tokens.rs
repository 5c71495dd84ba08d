//! The words and signs that an RTF is written with, and its code pages.

use encoding_rs::{Encoding, WINDOWS_1252};

/// Longest name of a control word.
const WORD_BYTES_MAX: usize = 40;

pub(super) enum Token<'a> {
    Open,
    Close,
    /// `\par`, or `\fs24` with its number.
    Word(&'a str, Option<i32>),
    /// `\~`.
    Symbol(u8),
    /// A byte of text, also where it is written as `\'e4`.
    Byte(u8),
}

pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Tokens<'a> {
        Tokens { bytes }
    }

    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(count.min(self.bytes.len()));
        self.bytes = rest;
        taken
    }

    fn take_while(&mut self, max: usize, is: impl Fn(&u8) -> bool) -> &'a str {
        let count = self
            .bytes
            .iter()
            .take(max)
            .take_while(|byte| is(byte))
            .count();
        str::from_utf8(self.take(count)).unwrap_or_default()
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let first = *self.bytes.first()?;
        if first == b'\'' {
            let digits = str::from_utf8(self.take(3).get(1..)?).ok();
            return Some(Token::Byte(
                digits
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok())
                    .unwrap_or(b'?'),
            ));
        }
        if !first.is_ascii_alphabetic() {
            self.take(1);
            return Some(Token::Symbol(first));
        }
        let word = self.take_while(WORD_BYTES_MAX, u8::is_ascii_alphabetic);
        let sign = if self.bytes.starts_with(b"-") {
            self.take(1).len()
        } else {
            0
        };
        let digits = self.take_while(10, u8::is_ascii_digit);
        let value = digits
            .parse::<i32>()
            .ok()
            .map(|value| if sign == 1 { -value } else { value });
        if self.bytes.starts_with(b" ") {
            self.take(1);
        }
        if word == "bin" {
            self.take(value.unwrap_or_default().max(0) as usize);
        }
        Some(Token::Word(word, value))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            return match *self.take(1).first()? {
                b'{' => Some(Token::Open),
                b'}' => Some(Token::Close),
                b'\r' | b'\n' | 0 => continue,
                b'\\' => self.control(),
                byte => Some(Token::Byte(byte)),
            };
        }
    }
}

/// What a control word stands for in the text.
pub(super) fn sign(word: &str) -> &'static str {
    match word {
        "tab" | "line" | "page" | "column" | "emspace" | "enspace" | "qmspace" | "lbr" => " ",
        "emdash" => "—",
        "endash" => "–",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        _ => "",
    }
}

/// By the number of a code page.
pub(super) fn code_page(number: i32) -> &'static Encoding {
    let label = match number {
        866 => "ibm866",
        932 => "shift_jis",
        936 => "gbk",
        949 => "euc-kr",
        950 => "big5",
        10000 => "macintosh",
        20866 => "koi8-r",
        65001 => "utf-8",
        _ => &format!("windows-{number}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252)
}

/// By the number that a font has for its letters.
pub(super) fn charset(number: i32, usual: i32) -> i32 {
    match number {
        77 => 10000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        0 => 1252,
        _ => usual,
    }
}
