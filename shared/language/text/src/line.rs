//! Puts a text on one line and shortens it to a number of characters. *Not* here: limits in bytes, and the characters
//! that messages and headers do not allow; their users have these rules.

/// A number with its noun.
pub fn count(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// A text with its white space collapsed to single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text on one line, of at most this many characters.
pub fn line_of(text: &str, chars_max: usize) -> String {
    let mut line = one_line(text);
    if let Some((end, _)) = line.char_indices().nth(chars_max) {
        line.truncate(end);
    }
    line
}

/// The first characters of a text, at most this many, with a sign at the end if the text is longer.
pub fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
