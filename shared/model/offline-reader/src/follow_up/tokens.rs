//! Splits a text into tokens with positions, and edits the text by position. *Not* the tokens of a search: capitals and
//! punctuation matter here.

/// The most bytes that are read of one text.
const BYTES_MAX: usize = 2_000;

/// A piece between white space, without the punctuation and the `'s` around it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) lower: String,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it opens a sentence.
    pub(super) first: bool,
    /// Whether it is followed by `'s` or `'re` or the like.
    pub(super) clitic: bool,
    /// Whether punctuation stands before it.
    pub(super) opens: bool,
    /// Whether punctuation stands after it.
    pub(super) closes: bool,
}

impl Token<'_> {
    pub(super) fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    pub(super) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
            && self
                .text
                .bytes()
                .all(|b| b.is_ascii_digit() || b",.%".contains(&b))
    }

    pub(super) fn is_year(&self) -> bool {
        super::super::question::is_year(self.text)
    }

    /// Letters and digits in one word: a part or document number.
    pub(super) fn is_code(&self) -> bool {
        self.text.len() >= 4
            && self.text.contains(|c: char| c.is_ascii_digit())
            && self.text.contains(|c: char| c.is_uppercase())
    }
}

/// The part of a text that is read.
pub(super) fn cut(text: &str) -> &str {
    match text.char_indices().find(|(at, _)| *at >= BYTES_MAX) {
        Some((at, _)) => &text[..at],
        None => text,
    }
}

pub(super) fn read(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut first = true;
    let mut from = 0;
    for raw in text.split_whitespace() {
        let at = from + text[from..].find(raw).unwrap_or(0);
        from = at + raw.len();
        let left = raw.trim_start_matches(|c: char| !c.is_alphanumeric());
        let bare = left.trim_end_matches(|c: char| !c.is_alphanumeric());
        let start = at + (raw.len() - left.len());
        let text = without_clitic(bare);
        if !text.is_empty() {
            tokens.push(Token {
                text,
                lower: text.to_lowercase(),
                start,
                end: start + text.len(),
                first,
                clitic: text.len() < bare.len(),
                opens: left.len() < raw.len(),
                closes: bare.len() < left.len(),
            });
            first = false;
        }
        let initial = bare.chars().count() == 1 && bare.starts_with(char::is_uppercase);
        let ends = raw.trim_end_matches(['"', '”', '\'', '’', ')', ']']);
        first |= ends.ends_with(['.', '?', '!', ':', ';']) && !initial;
    }
    tokens
}

fn without_clitic(word: &str) -> &str {
    const CLITICS: [&str; 5] = ["s", "re", "d", "ll", "ve"];
    match word.rsplit_once(['\'', '’']) {
        Some((head, clitic)) if CLITICS.contains(&clitic) => head,
        _ => word,
    }
}

/// A change of a text: what stands between two bytes becomes something else.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) with: String,
}

impl Edit {
    /// Puts words in the place of all from one token to another.
    pub(super) fn of(first: &Token<'_>, last: &Token<'_>, with: String) -> Edit {
        Edit {
            start: first.start,
            end: last.end,
            with,
        }
    }
}

/// The text with its edits made; of two that overlap the first one counts.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let mut out = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for edit in edits {
        if edit.start < from {
            continue;
        }
        out.push_str(&text[from..edit.start]);
        out.push_str(&edit.with);
        from = edit.end;
    }
    out.push_str(&text[from..]);
    out
}
