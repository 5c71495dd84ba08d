//! Reads AsciiDoc into lines: headings as `#` lines, tables as rows `| a | b |`, macros and links as their words.
//!
//! Footnotes stand behind their line, attributes are replaced, and formulas stay what they are. It does *not* read
//! comments, passed-through markup, and what stands under a condition that does not hold; files that are included are
//! named and not followed. Tables in cells and tables of CSV stay as they are written.

use super::lines::{Lines, is_one_of, left_out};
use super::marks::{Mark, Marked, Shown, Shows};
use super::{Parsed, SkipReason, front_matter, text::decode};
use serde_json::Value;
use std::collections::HashMap;

/// Most columns of a table.
const COLUMNS_MAX: usize = 200;
/// Longest name and target of a macro, in bytes.
const CALL_BYTES_MAX: usize = 300;
/// Macros whose brackets hold nothing to read, and those that are links.
const SILENT: &str = "anchor indexterm include toc";
const LINKS: &str = "http https ftp irc";

/// Parses a file.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let text = decode(bytes)?;
    let mut reader = Reader::default();
    for (number, line) in (1..).zip(text.lines()) {
        if reader.lines.is_full() {
            break;
        }
        reader.lines.number = Some(number);
        reader.line(line.trim_end());
    }
    reader.end_rows(true);
    let author = reader.attributes.remove("author");
    Ok(Parsed {
        metadata: front_matter::collect(author.map(|author| ("author", Value::String(author)))),
        left_out: left_out(&reader.includes),
        lines: reader.lines.finish()?,
        ..Parsed::default()
    })
}

#[derive(Default)]
struct Reader {
    lines: Lines,
    attributes: HashMap<String, String>,
    includes: Vec<String>,
    /// The line that ends what stays as it is.
    fence: String,
    /// Whether each condition that we are under holds, and how many of them do not.
    conditions: Vec<bool>,
    unmet: usize,
    /// Cells of the table that are not written yet.
    table: Option<Vec<String>>,
    /// The columns that the table has, or the next one.
    columns: Option<usize>,
    /// Whether the line above is the title of the document.
    in_head: bool,
    /// Numbers of `.` items, by level.
    counts: Vec<u32>,
    notes: u32,
    notes_here: Vec<String>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if !self.fence.is_empty() {
            match line == self.fence {
                true => self.fence.clear(),
                false if self.fence.starts_with(['/', '+']) => {}
                false => self.lines.push(line),
            }
            return;
        }
        let (word, rest) = line.split_once("::").unwrap_or((line, ""));
        if is_one_of("ifdef ifndef ifeval endif", word) {
            return self.condition(word, rest);
        }
        if self.unmet > 0 || line.starts_with("//") && !line.starts_with("///") {
            return;
        }
        if word == "include" {
            return self
                .includes
                .extend(rest.split('[').next().map(str::to_owned));
        }
        let attribute = line.strip_prefix(':').and_then(|line| line.split_once(':'));
        if let Some((name, value)) =
            attribute.filter(|(name, _)| !name.contains(' ') && !name.is_empty())
        {
            self.attributes
                .insert(name.to_lowercase(), value.trim().to_owned());
            return;
        }
        let in_head = std::mem::take(&mut self.in_head);
        let is_made_of = |signs: &str, least| {
            line.len() >= least
                && line.starts_with(|c| signs.contains(c))
                && line.chars().all(|c| line.starts_with(c))
        };
        match line {
            "" => {
                self.end_rows(false);
                self.lines.part();
            }
            "|===" => {
                self.end_rows(true);
                self.lines.part();
                self.table = match self.table {
                    Some(_) => None,
                    None => Some(Vec::new()),
                };
            }
            _ if self.table.is_some() => self.cells(line),
            "--" | "+" | "<<<" => {}
            _ if is_made_of("-./+", 4) || is_made_of("`", 3) => line.clone_into(&mut self.fence),
            _ if is_made_of("=*_'-", 3) => self.lines.part(),
            _ if line.starts_with('[') && line.ends_with(']') => self.columns = columns(line),
            _ if self.heading(line) => {}
            _ if in_head && !line.starts_with(['v', '*']) && line.contains(char::is_alphabetic) => {
                let author = line.split('<').next().unwrap_or_default().trim();
                self.attributes
                    .insert("author".to_owned(), author.to_owned());
            }
            _ => self.paragraph(line),
        }
    }

    fn condition(&mut self, word: &str, rest: &str) {
        let (names, inside) = rest.split_once('[').unwrap_or((rest, ""));
        let mut names = names.split([',', '+']);
        let is_set = names.any(|name| self.attributes.contains_key(&name.to_lowercase()));
        let holds = word == "ifeval" || is_set == (word == "ifdef");
        let words = inside.trim_end_matches(']');
        if word == "endif" {
            self.unmet -= usize::from(self.conditions.pop() == Some(false));
        } else if words.is_empty() || word == "ifeval" {
            self.conditions.push(holds);
            self.unmet += usize::from(!holds);
        } else if holds && self.unmet == 0 {
            self.paragraph(words);
        }
    }

    /// `= Title`, `== Section`.
    fn heading(&mut self, line: &str) -> bool {
        let (mark, text) = line.split_once(' ').unwrap_or_default();
        let is_heading = ['=', '#']
            .iter()
            .any(|sign| mark.chars().all(|c| c == *sign));
        if mark.is_empty() || !is_heading || mark.len() > 6 {
            return false;
        }
        let text = self.inline(text);
        self.lines.part();
        self.lines.heading(mark.len(), &text);
        self.in_head = mark.len() == 1;
        true
    }

    fn cells(&mut self, line: &str) {
        let line = self.inline(line);
        let cells = self.table.get_or_insert_default();
        let mut parts = line.split('|').peekable();
        let mut is_new = false;
        let before = cells.len();
        while let Some(part) = parts.next() {
            // The last word before a sign may say how the cell behind it looks.
            let (words, last) = part.rsplit_once(' ').unwrap_or(("", part));
            let is_look = parts.peek().is_some()
                && last.chars().all(|c| "0123456789.+*<>^asdehlmv".contains(c));
            let text = if is_look { words } else { part };
            // What stands before the first sign goes on with the cell above.
            match cells.last_mut() {
                Some(cell) if !is_new => cell.extend([" ", text]),
                _ if is_new => cells.push(text.trim().to_owned()),
                _ => {}
            }
            is_new = true;
        }
        let found = cells.len() - before;
        if found > 1 {
            self.columns.get_or_insert(found);
        }
        self.end_rows(false);
    }

    /// Writes the rows of a table that are whole; the last cell may go on while the table does.
    fn end_rows(&mut self, ends: bool) {
        let Some(cells) = &mut self.table else {
            return;
        };
        let columns = self.columns.unwrap_or(1);
        let whole = cells.len().saturating_sub(1) / columns * columns;
        let kept = cells.split_off(if ends { cells.len() } else { whole });
        let whole = std::mem::replace(cells, kept);
        whole.chunks(columns).for_each(|row| self.lines.row(row));
        if ends {
            self.columns = None;
        }
    }

    fn paragraph(&mut self, line: &str) {
        let text = line.trim_start();
        let (mark, words) = text.split_once(' ').unwrap_or((text, ""));
        let is_made_of = |sign| !mark.is_empty() && mark.chars().all(|c| c == sign);
        let (label, words) = match () {
            () if is_made_of('*') || mark == "-" => ("- ".to_owned(), words),
            () if is_made_of('.') => {
                self.counts.resize(mark.len(), 0);
                let level = mark.len() - 1;
                self.counts[level] += 1;
                (format!("{}. ", self.counts[level]), words)
            }
            () => {
                let title = text.strip_prefix('.');
                // A paragraph of its own ends a list of numbers, but not what is attached to an item.
                if title.is_some() || self.lines.is_parted() && !line.starts_with(' ') {
                    self.counts.clear();
                }
                (String::new(), title.unwrap_or(text))
            }
        };
        let words = words.trim_end_matches(" +");
        let words = words
            .strip_suffix("::")
            .map_or(words.replacen(":: ", ": ", 1), |term| format!("{term}:"));
        let shown = self.inline(&words);
        self.lines.push(&format!("{label}{shown}"));
        self.lines.extend(std::mem::take(&mut self.notes_here));
    }
}

/// How many columns `[cols="1,2*"]` says that a table has.
fn columns(line: &str) -> Option<usize> {
    let (_, columns) = line.split_once("cols=")?;
    let columns = columns.trim_start_matches('"').split(['"', ']']).next()?;
    let count = |part: &str| {
        part.split_once('*')
            .map_or(Ok(1), |(times, _)| times.trim().parse::<usize>())
    };
    let counts = columns.split([',', ';']).flat_map(count);
    Some(
        counts
            .map(|count| count.min(COLUMNS_MAX))
            .sum::<usize>()
            .clamp(1, COLUMNS_MAX),
    )
}

impl Marked for Reader {
    const MARKS: &'static [Mark] = &[
        ("[[", "]]", Shows::Nothing),
        ("[", "]", Shows::Link),
        ("<<", ">>", Shows::Link),
        ("{", "}", Shows::Named),
        ("(((", ")))", Shows::Nothing),
        ("((", "))", Shows::Inside),
        ("**", "**", Shows::Words),
        ("__", "__", Shows::Words),
        ("``", "``", Shows::Words),
        ("##", "##", Shows::Words),
        ("++", "++", Shows::Words),
        ("*", "*", Shows::Words),
        ("_", "_", Shows::Words),
        ("`", "`", Shows::Words),
        ("#", "#", Shows::Words),
        ("+", "+", Shows::Words),
        ("^", "^", Shows::Words),
        ("~", "~", Shows::Words),
    ];

    fn named(&self, name: &str) -> Option<String> {
        if let Some(words) = self.attributes.get(&name.to_lowercase()) {
            return self.lines.replacing(words);
        }
        let words = match name {
            "nbsp" | "sp" => " ",
            "empty" => "",
            "plus" => "+",
            "asterisk" => "*",
            "vbar" => "/",
            "apos" => "'",
            _ => return None,
        };
        Some(words.to_owned())
    }

    /// `<<target,words>>`, `name:target[words]`, `[.role]#words#`.
    fn link<'t>(
        &mut self,
        mark: &str,
        shown: &mut String,
        inside: &str,
        rest: &'t str,
    ) -> Shown<'t> {
        if mark == "<<" {
            let words = inside.split_once(',').map_or(inside, |(_, words)| words);
            return Some((words.trim().to_owned(), rest));
        }
        let near = &shown[shown.ceil_char_boundary(shown.len().saturating_sub(CALL_BYTES_MAX))..];
        let word = near
            .rsplit(|c: char| c.is_whitespace() || "(|".contains(c))
            .next()
            .unwrap_or_default();
        let name = word.split(':').next().unwrap_or_default();
        let before = name
            .rfind(|c: char| !c.is_alphanumeric())
            .map_or(0, |at| at + 1);
        let call = word.get(before..).unwrap_or_default().to_owned();
        let words = inside
            .split(",role=")
            .next()
            .unwrap_or_default()
            .trim_matches('"')
            .trim_end_matches('^');
        let Some((name, target)) = call.split_once(':').filter(|(name, _)| !name.is_empty()) else {
            return (rest.starts_with('#') && call.is_empty()).then(|| (String::new(), rest));
        };
        let target = target.trim_start_matches(':');
        let text = match name {
            "footnote" | "footnoteref" => {
                let words = self.inline(words);
                self.notes += 1;
                let mark = format!("[note {}]", self.notes);
                self.notes_here.push(format!("{mark} {words}"));
                format!(" {mark}")
            }
            "menu" => format!("{target} > {words}"),
            "stem" | "latexmath" | "asciimath" => format!("${words}$"),
            "image" => words.split(',').next().unwrap_or_default().to_owned(),
            _ if is_one_of(SILENT, name) => String::new(),
            _ if is_one_of(LINKS, name) && words.is_empty() => return Some((String::new(), rest)),
            _ if words.is_empty() => target.to_owned(),
            _ => self.inline(words),
        };
        shown.truncate(shown.len() - call.len());
        Some((text, rest))
    }
}

#[cfg(test)]
#[path = "asciidoc_tests.rs"]
mod tests;
