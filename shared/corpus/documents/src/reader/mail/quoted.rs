//! Tells what a message quotes from what it says: each quoted line gets `> ` before it.
//!
//! Quotes are found by the signs that programs put there: `>`, a line that says who wrote when, the head of the
//! message that Outlook puts below the answer. A forwarded message is no quote.

/// How "wrote" is said at the end of a line that introduces a quote.
const WROTE: [&str; 8] = [
    "wrote:",
    "schrieb:",
    "a écrit :",
    "a écrit:",
    "escribió:",
    "ha scritto:",
    "schreef:",
    "escreveu:",
];
/// First and second line of the head that Outlook puts above a quote.
const HEADS: [(&str, &str); 8] = [
    ("From:", "Sent:"),
    ("From:", "Date:"),
    ("Von:", "Gesendet:"),
    ("Von:", "Datum:"),
    ("De :", "Envoyé :"),
    ("De:", "Enviado"),
    ("Da:", "Inviato:"),
    ("Van:", "Verzonden:"),
];
/// Longest line that introduces a quote, in bytes.
const INTRODUCTION_BYTES_MAX: usize = 300;

/// The text with its quotes marked.
pub(super) fn marked(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut marked = String::with_capacity(text.len());
    let mut is_quote = false;
    let mut is_introduced = 0;
    for (at, line) in lines.iter().enumerate() {
        let next = &lines[at + 1..];
        if !is_quote {
            is_quote = begins_quote(line, next);
            is_introduced = is_introduced.max(introduction(line, next));
            // A program that marks lines itself says where the quote ends.
            is_quote |= is_introduced == 1 && !is_marked(next);
        }
        let words = line.trim_start_matches(['>', ' ', '\u{a0}']);
        let is_own = !is_quote && is_introduced == 0 && !line.starts_with('>');
        is_introduced = is_introduced.saturating_sub(1);
        if !is_own {
            marked.push_str(if words.is_empty() { ">" } else { "> " });
        }
        marked.push_str(if is_own { line } else { words });
        marked.push('\n');
    }
    marked
}

/// Whether the next line that says something is marked.
fn is_marked(next: &[&str]) -> bool {
    let said = next.iter().take(4).find(|line| !line.is_empty());
    said.is_some_and(|line| line.starts_with('>'))
}

/// How many lines from this one on introduce a quote: `On 3 March 2024, Ann wrote:`, which may be broken.
fn introduction(line: &str, next: &[&str]) -> usize {
    let ends = |line: &str| WROTE.iter().any(|wrote| line.ends_with(wrote));
    let has_digit = |line: &str| line.bytes().any(|b| b.is_ascii_digit());
    let is_dated = has_digit(line) && line.len() < INTRODUCTION_BYTES_MAX;
    match next.first() {
        _ if !is_dated || line.starts_with('>') => 0,
        _ if ends(line) => 1,
        Some(second) if ends(second) && !has_digit(second) && !line.starts_with('|') => 2,
        // In any language: a date or a time, a colon, and marked lines at once.
        Some(_) if line.ends_with(':') && is_marked(next) => 1,
        _ => 0,
    }
}

/// Whether all from here on is the message that was answered.
fn begins_quote(line: &str, next: &[&str]) -> bool {
    let bare = |line: &str| line.trim_matches(['*', '_', ' ']).to_owned();
    let line = bare(line);
    let ruled = line
        .strip_prefix("-----")
        .and_then(|l| l.strip_suffix("-----"));
    let said = next
        .iter()
        .take(4)
        .map(|l| bare(l))
        .filter(|l| !l.is_empty());
    let mut said = said.peekable();
    let second = said.peek().cloned().unwrap_or_default();
    let is_head = |first: &str, second: &str| {
        HEADS
            .iter()
            .any(|(from, sent)| first.starts_with(from) && second.starts_with(sent))
    };
    // `-----Original Message-----`, in any language.
    let is_ruled = ruled.is_some_and(|words| {
        let words = words.trim_matches(['-', ' ']);
        words.chars().any(char::is_alphabetic)
            && !["BEGIN", "END", "Forward", "Weitergeleitet"]
                .iter()
                .any(|w| words.starts_with(w))
            && HEADS.iter().any(|(from, _)| second.starts_with(from))
    });
    is_ruled || is_head(&line, &second)
}
