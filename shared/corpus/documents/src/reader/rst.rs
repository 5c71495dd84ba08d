//! Reads reStructuredText into lines: headings as `#` lines, tables as rows `| a | b |`, roles and links as their words.
//!
//! Footnotes stay where they are written, and formulas are TeX. It does *not* read comments, targets, raw parts for
//! other formats, and lists of contents; files that are included are named and not followed.

use super::lines::{Lines, is_one_of, left_out};
use super::marks::{Mark, Marked, Shown, Shows};
use super::table::Rows;
use super::{Parsed, SkipReason, text::decode};
use std::collections::HashMap;

/// Directives of which nothing is text, and those of which only what stands inside is.
const SILENT: &str = "contents currentmodule default-domain default-role highlight index meta module py:currentmodule \
    raw role sectnum tabularcolumns toctree title image replace";
const AROUND: &str = "container class rst-class cssclass figure only ifconfig";
/// Directives of which every line stays as it is.
const VERBATIM: &str = "code code-block sourcecode math parsed-literal prompt productionlist graphviz doctest testcode";
/// Widest table, in columns of text.
const WIDTH_MAX: usize = 2_000;

/// Parses a file.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let text = decode(bytes)?.replace('\t', "        ");
    let source: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut reader = Reader {
        source: &source,
        ..Reader::default()
    };
    // `.. |name| replace:: words` holds for the whole file.
    let defined = source
        .iter()
        .filter_map(|line| line.trim_start().strip_prefix(".. |"));
    let named = defined.filter_map(|defined| defined.split_once("| replace:: "));
    reader.replaced.extend(named);
    let mut at = 0;
    while at < source.len() && !reader.lines.is_full() {
        reader.lines.number = u32::try_from(at + 1).ok();
        at = reader.block(at).max(at + 1);
    }
    Ok(Parsed {
        left_out: left_out(&reader.includes),
        lines: reader.lines.finish()?,
        ..Parsed::default()
    })
}

#[derive(Default)]
struct Reader<'a> {
    source: &'a [&'a str],
    lines: Lines,
    replaced: HashMap<&'a str, &'a str>,
    /// Signs under headings, and whether they stand over them as well; the outermost first.
    signs: Vec<(char, bool)>,
    includes: Vec<String>,
    /// The number of the last item `#.`.
    count: u32,
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The sign of which a whole line is made.
fn ruled(line: &str) -> Option<char> {
    let first = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() > 1 && line.chars().all(|c| c == first)).then_some(first)
}

impl<'a> Reader<'a> {
    fn line(&self, at: usize) -> &'a str {
        self.source.get(at).copied().unwrap_or_default()
    }

    /// Where lines like the one at this place end.
    fn end(&self, from: usize, is: impl Fn(&str) -> bool) -> usize {
        let lines = self.source.iter().skip(from);
        from + lines.take_while(|line| is(line)).count()
    }

    /// Where what is indented deeper than this, or empty, ends.
    fn end_inside(&self, from: usize, outer: usize) -> usize {
        self.end(from, |line| line.is_empty() || indent(line) > outer)
    }

    /// Reads what begins at a line; where the next begins.
    fn block(&mut self, at: usize) -> usize {
        let (line, next) = (self.line(at), self.line(at + 1));
        let text = line.trim_start();
        match (ruled(line), ruled(next)) {
            (Some(sign), None) if ruled(self.line(at + 2)) == Some(sign) && !next.is_empty() => {
                return self.heading(next, (sign, true), at + 3);
            }
            (Some(_), _) if line.len() > 3 && next.is_empty() => return at + 1,
            (None, Some(sign)) if next.len() + 2 >= line.chars().count() && !text.is_empty() => {
                return self.heading(text, (sign, false), at + 2);
            }
            _ => {}
        }
        match text.strip_prefix("..") {
            _ if text.is_empty() => self.lines.part(),
            _ if text.starts_with("+-") && text.ends_with('+') => return self.grid(at),
            _ if text.starts_with("==") && text.chars().all(|c| "= ".contains(c)) => {
                return self.simple_table(at);
            }
            Some(explicit) if explicit.is_empty() || explicit.starts_with(' ') => {
                return self.explicit(at, explicit.trim());
            }
            _ => return self.paragraph(at),
        }
        at + 1
    }

    fn heading(&mut self, text: &str, sign: (char, bool), next: usize) -> usize {
        let known = self.signs.iter().position(|known| *known == sign);
        if known.is_none() {
            self.signs.push(sign);
        }
        let text = self.inline(text);
        self.lines.part();
        self.lines
            .heading(known.map_or(self.signs.len(), |at| at + 1), &text);
        next
    }

    /// A directive, a footnote, a target or a comment.
    fn explicit(&mut self, at: usize, text: &str) -> usize {
        let outer = indent(self.line(at));
        // An empty comment ends what is above it, and does not take in what is below.
        if text.is_empty() && self.line(at + 1).trim().is_empty() {
            return at + 1;
        }
        if text.starts_with('[') {
            self.push(text);
            return at + 1;
        }
        let named = text
            .strip_prefix('|')
            .and_then(|rest| rest.split_once("| "));
        let directive = named.map_or(text, |(_, rest)| rest).split_once("::");
        let directive = directive.filter(|(name, _)| !name.contains(' '));
        let (name, argument) = directive.unwrap_or(("", ""));
        let argument = argument.trim();
        let body = self.end(at + 1, |line| {
            indent(line) > outer && line.trim().starts_with(':')
        });
        let option = |name| {
            self.source[at + 1..body]
                .iter()
                .find_map(|line| line.trim().strip_prefix(name))
        };
        match name {
            "" => {}
            "include" | "literalinclude" => self.includes.push(argument.to_owned()),
            "image" | "figure" => self.push(option(":alt:").unwrap_or_default()),
            "math" => self.lines.push(argument),
            "csv-table" | "list-table" => {
                let header = option(":header:").unwrap_or_default();
                self.push(argument);
                let end = self.end_inside(body, outer);
                let lines = self.source[body..end].iter().map(|line| line.trim());
                self.lines.part();
                match name {
                    "list-table" => self.list_table(lines),
                    _ => self.csv([header].into_iter().chain(lines)),
                }
                return end;
            }
            _ if [SILENT, AROUND, VERBATIM]
                .iter()
                .any(|names| is_one_of(names, name)) => {}
            _ => self.push(argument),
        }
        let is_unread = ["", "include", "literalinclude"].contains(&name);
        match is_unread || is_one_of(SILENT, name) {
            true => self.end_inside(at + 1, outer),
            false if is_one_of(VERBATIM, name) => self.verbatim(body, outer),
            false => body,
        }
    }

    /// Adds a text without its marks.
    fn push(&mut self, text: &str) {
        let text = self.inline(text.trim());
        self.lines.push(&text);
    }

    /// Adds what is inside as it is.
    fn verbatim(&mut self, from: usize, outer: usize) -> usize {
        let end = self.end_inside(from, outer);
        for at in from..end {
            self.lines.number = u32::try_from(at + 1).ok();
            self.lines.extend([self.line(at)]);
        }
        end
    }

    fn paragraph(&mut self, at: usize) -> usize {
        let outer = indent(self.line(at));
        let mut end = self.end(at + 1, |line| {
            let is_own = line.is_empty() || indent(line) != outer || is_item(line.trim_start());
            !is_own && ruled(line).is_none()
        });
        // A heading is the line above its rule.
        if end > at + 1 && ruled(self.line(end)).is_some() {
            end -= 1;
        }
        let lines: Vec<&str> = self.source[at..end]
            .iter()
            .map(|line| line.trim())
            .collect();
        let text = lines.join("\n");
        let is_literal = text.ends_with("::") && self.line(end).is_empty();
        let mut text = self.inline(if is_literal {
            &text[..text.len() - 1]
        } else {
            &text
        });
        let is_counted = text.starts_with("#. ");
        if is_counted {
            self.count += 1;
            text = text.replacen('#', &self.count.to_string(), 1);
        } else if text.starts_with(['*', '+']) && is_item(&text) {
            text.replace_range(..1, "-");
        } else if outer == 0 && !is_item(&text) {
            self.count = 0;
        }
        for (line, number) in text.lines().zip(at + 1..) {
            self.lines.number = u32::try_from(number).ok();
            self.lines.push(line.strip_prefix("| ").unwrap_or(line));
        }
        if is_literal {
            self.verbatim(end, outer)
        } else {
            end
        }
    }

    /// Cells between `|` and rows between `+---+`.
    fn grid(&mut self, at: usize) -> usize {
        let end = self.end(at, |line| line.trim_start().starts_with(['+', '|']));
        let mut cells: Vec<String> = Vec::new();
        self.lines.part();
        for line in &self.source[at..end] {
            let line = line.trim();
            if line.starts_with(['+']) {
                self.row(std::mem::take(&mut cells));
                continue;
            }
            let parts = line.trim_matches('|').split('|').take(WIDTH_MAX);
            add(
                &mut cells,
                parts.map(|cell| cell.trim().to_owned()).collect(),
            );
        }
        self.row(cells);
        end
    }

    fn row(&mut self, cells: Vec<String>) {
        let cells: Vec<String> = cells.iter().map(|cell| self.inline(cell.trim())).collect();
        self.lines.row(&cells);
    }

    /// Columns under `==== ====`.
    fn simple_table(&mut self, at: usize) -> usize {
        let (rule, outer) = (self.line(at).trim_start(), indent(self.line(at)));
        let begins = |i: &usize| rule[*i..].starts_with('=') && !rule[..*i].ends_with('=');
        let starts: Vec<usize> = (0..rule.len().min(WIDTH_MAX)).filter(begins).collect();
        let (mut cells, mut end) = (Vec::new(), at + 1);
        self.lines.part();
        while end < self.source.len() && !self.lines.is_full() {
            let line = self.line(end).get(outer..).unwrap_or_default();
            end += 1;
            if line.starts_with(['=', '-']) && line.chars().all(|c| "=- ".contains(c)) {
                self.row(std::mem::take(&mut cells));
                if line.starts_with(rule) && self.line(end).is_empty() {
                    break;
                }
                continue;
            }
            let mut signs = line.chars();
            let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
            let mut texts: Vec<String> = Vec::new();
            for (from, to) in starts.iter().zip(ends) {
                if signs.as_str().is_empty() {
                    break;
                }
                texts.push(
                    signs
                        .by_ref()
                        .take(to - from)
                        .collect::<String>()
                        .trim()
                        .to_owned(),
                );
            }
            // A row without a first cell goes on with the one before.
            if !texts.first().is_none_or(String::is_empty) {
                self.row(std::mem::take(&mut cells));
            }
            add(&mut cells, texts);
        }
        self.row(cells);
        end
    }

    /// Rows `* - a`, with more cells `- b` below.
    fn list_table(&mut self, lines: impl Iterator<Item = &'a str>) {
        let mut cells: Vec<String> = Vec::new();
        for line in lines {
            let cell = line.strip_prefix("* ").unwrap_or(line);
            if cell.len() < line.len() {
                self.row(std::mem::take(&mut cells));
            }
            match (cell.strip_prefix('-'), cells.last_mut()) {
                (Some(cell), _) if cell.is_empty() || cell.starts_with(' ') => {
                    cells.push(cell.to_owned())
                }
                (_, Some(last)) => last.extend(["\n", line]),
                _ => {}
            }
        }
        self.row(cells);
    }

    fn csv(&mut self, lines: impl Iterator<Item = &'a str>) {
        let text = lines.collect::<Vec<_>>().join("\n");
        let mut rows = Rows::new(text.as_bytes(), b',');
        // Reading from memory does not fail.
        while let Ok(Some((_, row))) = rows.next() {
            self.row(row);
        }
    }
}

impl Marked for Reader<'_> {
    const MARKS: &'static [Mark] = &[
        ("``", "``", Shows::Inside),
        ("`", "`", Shows::Link),
        ("**", "**", Shows::Inside),
        ("*", "*", Shows::Inside),
        ("|", "|", Shows::Named),
        ("_", "", Shows::Link),
    ];

    fn named(&self, name: &str) -> Option<String> {
        self.lines.replacing(self.replaced.get(name)?.trim())
    }

    /// `` :role:`words <target>` ``, or `` `words <target>`_ ``.
    fn link<'t>(
        &mut self,
        mark: &str,
        shown: &mut String,
        inside: &str,
        rest: &'t str,
    ) -> Shown<'t> {
        if mark == "_" {
            let is_behind = shown.ends_with(|c: char| c.is_alphanumeric() || c == ']');
            let is_end = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            return (is_behind && is_end).then(|| (String::new(), rest));
        }
        let is_of_role = |c: char| c.is_alphanumeric() || "-+:.".contains(c);
        let role = &shown[shown.trim_end_matches(is_of_role).len()..];
        let role = role.find(':').map_or("", |at| &role[at..]).to_owned();
        if role.len() > 2 && role.ends_with(':') {
            shown.truncate(shown.len() - role.len());
        }
        if role == ":math:" {
            return Some((format!("${inside}$"), rest));
        }
        let before = inside.rsplit_once('<').filter(|_| inside.ends_with('>'));
        let words = before.map_or(inside, |(words, _)| words).trim();
        let words = if words.is_empty() { inside } else { words };
        Some((
            words.trim_start_matches(['~', '!']).to_owned(),
            rest.trim_start_matches('_'),
        ))
    }
}

/// Goes on with the cells of a row.
fn add(cells: &mut Vec<String>, more: Vec<String>) {
    cells.resize(cells.len().max(more.len()), String::new());
    for (cell, more) in cells.iter_mut().zip(more) {
        cell.extend(["\n", &more]);
    }
}

/// Whether a line begins an item of a list.
fn is_item(text: &str) -> bool {
    let (mark, words) = text.split_once(' ').unwrap_or((text, ""));
    let number = mark.trim_start_matches('(').trim_end_matches(['.', ')']);
    let is_number =
        number.len() < mark.len() && number.chars().all(|c| c.is_ascii_digit() || c == '#');
    !words.is_empty() && (is_one_of("* - + |", mark) || is_number && !number.is_empty())
}

#[cfg(test)]
#[path = "rst_tests.rs"]
mod tests;
