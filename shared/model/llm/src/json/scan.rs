//! Finds JSON objects in text and repairs them on the way: one automaton that copies what it reads.
//!
//! It repairs trailing commas, up to [`CLOSERS_MAX`] missing closing brackets at the end of the text, Python's
//! `True`, `False`, `None` and single quotes, and raw control characters and stray backslashes in strings. Anything
//! else that is not JSON ends the attempt, so that chatter is not taken for an object.

use serde_json::Value;

/// Deepest nesting that is followed; answers of workers need 3.
const DEPTH_MAX: usize = 32;
/// Most closing brackets that may be missing at the end of the text.
const CLOSERS_MAX: usize = 2;
/// Bytes looked at, per byte of text, before giving up: bounds the work on hostile text. Attempts
/// that fail cost at most [`DEPTH_MAX`] looks at a byte for each way its quotes can be read.
const LOOKS_MAX: usize = 128;

/// The last object with something in it, else the last empty one.
pub(super) fn last_object(text: &str) -> Option<Value> {
    let mut found: Option<Value> = None;
    let mut looks = text.len().saturating_mul(LOOKS_MAX);
    let mut from = 0;
    while let Some(start) = text[from..].find('{').map(|at| from + at) {
        let mut scan = Scan::at(text, start);
        let end = scan.object();
        from = match end.and_then(|()| serde_json::from_str::<Value>(&scan.copy).ok()) {
            Some(value) => {
                let empty = value.as_object().is_some_and(|fields| fields.is_empty());
                if !empty || found.is_none() {
                    found = Some(value);
                }
                scan.at
            }
            None => start + 1,
        };
        looks = looks.saturating_sub(scan.at - start);
        if looks == 0 {
            break;
        }
    }
    found
}

/// What may come next inside a bracket.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    /// A value, or a closing bracket.
    Value,
    /// A key, or a closing brace.
    Key,
    /// A colon.
    Colon,
    /// A comma or the closing bracket.
    Comma,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    copy: String,
    /// Closing brackets that are owed, innermost last.
    open: Vec<char>,
}

impl<'a> Scan<'a> {
    fn at(text: &'a str, at: usize) -> Self {
        Scan {
            text,
            at,
            copy: String::new(),
            open: Vec::new(),
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Reads one object, from its brace to the matching one. `None`: it is none.
    fn object(&mut self) -> Option<()> {
        let mut want = Want::Value;
        loop {
            while self.peek().is_some_and(char::is_whitespace) {
                self.next();
            }
            let Some(c) = self.peek() else {
                return self.close_at_end(want);
            };
            want = match (want, c) {
                (Want::Value, '{' | '[') => self.opening(c)?,
                (_, '}' | ']') => {
                    self.closing(c, want)?;
                    if self.open.is_empty() {
                        return Some(());
                    }
                    Want::Comma
                }
                (Want::Key, '"' | '\'') => {
                    self.string(c)?;
                    Want::Colon
                }
                (Want::Colon, ':') => {
                    self.take(c);
                    Want::Value
                }
                (Want::Comma, ',') => {
                    self.take(c);
                    match self.open.last() {
                        Some('}') => Want::Key,
                        _ => Want::Value,
                    }
                }
                (Want::Value, '"' | '\'') => {
                    self.string(c)?;
                    Want::Comma
                }
                (Want::Value, _) => {
                    self.word()?;
                    Want::Comma
                }
                _ => return None,
            };
        }
    }

    fn take(&mut self, c: char) {
        self.at += c.len_utf8();
        self.copy.push(c);
    }

    fn opening(&mut self, c: char) -> Option<Want> {
        if self.open.len() == DEPTH_MAX {
            return None;
        }
        self.take(c);
        let (closer, want) = match c {
            '{' => ('}', Want::Key),
            _ => (']', Want::Value),
        };
        self.open.push(closer);
        Some(want)
    }

    /// A closing bracket: the one owed, after a whole member or after a comma that is then dropped.
    fn closing(&mut self, c: char, want: Want) -> Option<()> {
        if self.open.last() != Some(&c) {
            return None;
        }
        self.drop_comma(want)?;
        self.open.pop();
        self.take(c);
        Some(())
    }

    fn drop_comma(&mut self, want: Want) -> Option<()> {
        match (want, self.copy.chars().last()) {
            (Want::Comma, _) | (Want::Key | Want::Value, Some('{' | '[')) => Some(()),
            (Want::Key | Want::Value, Some(',')) => {
                self.copy.pop();
                Some(())
            }
            _ => None,
        }
    }

    /// The text is over: whole so far, and little is owed.
    fn close_at_end(&mut self, want: Want) -> Option<()> {
        let little = self.open.len() <= CLOSERS_MAX && self.copy.len() > 1;
        if !little {
            return None;
        }
        self.drop_comma(want)?;
        while let Some(closer) = self.open.pop() {
            self.copy.push(closer);
        }
        Some(())
    }

    /// A string, copied with double quotes and valid escapes.
    fn string(&mut self, quote: char) -> Option<()> {
        self.next();
        self.copy.push('"');
        loop {
            match self.next()? {
                c if c == quote => break,
                '"' => self.copy.push_str("\\\""),
                '\\' => self.escape()?,
                c if c.is_control() => {
                    let code = u32::from(c);
                    self.copy.push_str(&format!("\\u{code:04x}"));
                }
                c => self.copy.push(c),
            }
        }
        self.copy.push('"');
        Some(())
    }

    fn escape(&mut self) -> Option<()> {
        let c = self.peek()?;
        let hex = self.text.as_bytes().get(self.at + 1..self.at + 5);
        match c {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
                self.copy.push('\\');
                self.take(c);
            }
            'u' if hex.is_some_and(|h| h.iter().all(u8::is_ascii_hexdigit)) => {
                self.copy.push('\\');
                self.take(c);
            }
            '\'' => self.take(c),
            _ => self.copy.push_str("\\\\"),
        }
        Some(())
    }

    /// A number or one of the three words, JSON's or Python's.
    fn word(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        let word = match &rest[..end] {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            word @ ("true" | "false" | "null") => word,
            word if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') => word,
            _ => return None,
        };
        self.copy.push_str(word);
        self.at += end;
        Some(())
    }
}
