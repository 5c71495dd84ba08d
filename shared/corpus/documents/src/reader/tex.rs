//! Reads LaTeX into lines: headings as `#` lines, list items as `-` lines or with their numbers, tables as rows
//! `| a | b |`, commands as the words in them.
//!
//! Formulas stay as they are written, footnotes stand behind their paragraph, and short commands without arguments
//! that the file defines are replaced. It does *not* read comments, drawings, and what is said about the looks;
//! files that are included are named and not followed.

mod words;

use super::lines::{Lines, is_one_of, left_out, near};
use super::{Parsed, SkipReason, text::decode};
use std::collections::HashMap;
use text::one_line;
use words::*;

/// How deep commands may stand for each other.
const DEPTH_MAX: usize = 8;
/// Most columns of a cell.
const COLUMNS_MAX: usize = 100;
/// Longest formula in a line, in bytes.
const FORMULA_BYTES_MAX: usize = 2_000;
/// Environments that stay as they are written, and those that are left out.
const FORMULAS: &str =
    "equation align gather multline eqnarray displaymath math alignat flalign dmath";
const VERBATIM: &str = "verbatim lstlisting minted alltt Verbatim";
const DRAWN: &str = "tikzpicture pgfpicture comment picture axis filecontents";
const TABLES: &str = "tabular tabularx tabulary longtable array supertabular xltabular tabu";
const LISTS: &str = "itemize enumerate description compactitem";
/// Other environments that begin with what is no text.
const WITH_ARGUMENT: &str = "thebibliography minipage multicols wrapfigure";
/// What is read before the document begins, and what defines a command.
const HEAD: &str = "title author begin input include";
const DEFINING: &str = "newcommand renewcommand providecommand def";
/// Commands whose argument is a name.
const REFERRING: &str =
    "cite citep citet citealp ref eqref autoref cref Cref pageref parencite textcite";

/// Parses a file.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let text = decode(bytes)?;
    let mut reader = Reader {
        // The level of a section is 1 where there are no chapters.
        outermost: if text.contains("\\chapter{") { 1 } else { 2 },
        in_head: text.contains("\\begin{document}"),
        line: 1,
        ..Reader::default()
    };
    reader.read(text.split("\\end{document}").next().unwrap_or(&text), 0);
    while !reader.groups.is_empty() {
        reader.close("");
    }
    reader.rows.clear();
    reader.end_paragraph(false);
    Ok(Parsed {
        title: reader.title,
        left_out: left_out(&reader.includes),
        lines: reader.lines.finish()?,
        ..Parsed::default()
    })
}

#[derive(Default)]
struct Reader {
    lines: Lines,
    outermost: usize,
    in_head: bool,
    title: Option<String>,
    /// What commands stand for that the file defines.
    meanings: HashMap<String, String>,
    includes: Vec<String>,
    line: u32,
    /// The paragraph so far, where it began, and what is read behind it.
    text: String,
    begun: u32,
    behind: Vec<String>,
    /// What goes over or under the next letter.
    accent: Option<char>,
    notes: u32,
    /// Braces that are open: what they are, what those behind them are, and the text around them if theirs is apart.
    groups: Vec<(char, &'static str, Option<String>)>,
    /// What the braces are that come next.
    expected: &'static str,
    /// How many open braces have a text of their own, and how many of these are not read.
    apart: usize,
    silent: usize,
    /// Numbers of items in the lists that we are in; `None` for bullets.
    lists: Vec<Option<u32>>,
    /// Cells of the rows of the tables that we are in, and how many columns the next cell has.
    rows: Vec<Vec<String>>,
    columns: usize,
}

/// The name of a command behind its `\`, and what is behind it.
fn command(text: &str) -> (&str, &str) {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    match text.chars().next() {
        Some(sign) if letters == 0 => text.split_at(sign.len_utf8()),
        _ => {
            let (name, rest) = text.split_at(letters);
            (name, rest.strip_prefix('*').unwrap_or(rest))
        }
    }
}

/// What brackets hold that are not long, and what is behind them.
fn bracketed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inside = text.strip_prefix(open)?;
    let (mut depth, mut is_escaped) = (0usize, false);
    let end = near(inside).find(|c| {
        let is_end = c == close && depth == 0 && !is_escaped;
        match c {
            '{' if !is_escaped => depth += 1,
            '}' if !is_escaped => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
        is_end
    })?;
    Some((&inside[..end], &inside[end + 1..]))
}

fn skip_options(mut text: &str) -> &str {
    while let Some((_, rest)) = bracketed(text, '[', ']') {
        text = rest;
    }
    text
}

/// An argument that is a name or a number.
fn argument(text: &str) -> Option<(&str, &str)> {
    bracketed(skip_options(text).trim_start(), '{', '}')
}

impl Reader {
    fn push(&mut self, text: &str) {
        if self.text.is_empty() {
            if text.trim().is_empty() {
                return;
            }
            self.begun = self.line;
        }
        let accented = text.chars().next().zip(self.accent);
        let Some((letter, accent)) = accented else {
            return self.text.push_str(text);
        };
        self.accent = None;
        self.text.extend([letter, accent]);
        self.text.push_str(&text[letter.len_utf8()..]);
    }

    /// Reads a text of the file, or what a command stands for.
    fn read(&mut self, text: &str, depth: usize) {
        let mut rest = text;
        while let Some(at) = rest.find(['\\', '%', '$', '{', '}', '~', '&', '\n', '`', '\'', '-']) {
            self.push(&rest[..at]);
            let after = &rest[at + 1..];
            let (shown, behind) = match &rest[at..=at] {
                "\\" => ("", self.command(after, depth)),
                "%" => (
                    "",
                    after
                        .find('\n')
                        .map_or("", |end| after[end + 1..].trim_start()),
                ),
                "$" if after.starts_with('$') => ("", self.formula(&after[1..], "$$", "$$")),
                "$" => ("", self.formula(after, "$", "$")),
                "{" => ("", self.open(after)),
                "}" => ("", self.close(after)),
                "&" if !self.rows.is_empty() => ("", self.end_cell(after)),
                "\n" if after
                    .trim_start_matches([' ', '\t', '\r'])
                    .starts_with('\n') =>
                {
                    self.end_paragraph(true);
                    ("", after)
                }
                "\n" | "~" => (" ", after),
                sign @ ("`" | "'") if after.starts_with(sign) => ("\"", &after[1..]),
                "-" if after.starts_with("--") => ("—", &after[2..]),
                "-" if after.starts_with('-') => ("–", &after[1..]),
                sign => (sign, after),
            };
            self.push(shown);
            if depth == 0 {
                let breaks = rest[..rest.len() - behind.len()].matches('\n').count();
                self.line = self
                    .line
                    .saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
            }
            rest = behind;
        }
        self.push(rest);
    }

    /// Adds a formula, if it ends.
    fn formula<'t>(&mut self, text: &'t str, close: &str, mark: &str) -> &'t str {
        let within = &text[..text.floor_char_boundary(FORMULA_BYTES_MAX)];
        let Some((formula, _)) = within.split_once(close) else {
            return text;
        };
        self.push(&format!("{mark}{}{mark}", one_line(formula)));
        &text[formula.len() + close.len()..]
    }

    fn open<'t>(&mut self, after: &'t str) -> &'t str {
        let mut acts = std::mem::take(&mut self.expected).chars();
        let act = acts.next().unwrap_or(WORDS);
        let is_apart = act != WORDS && act != CELLS;
        self.apart += usize::from(is_apart);
        self.silent += usize::from(act == SILENT);
        let around = is_apart.then(|| std::mem::take(&mut self.text));
        self.groups.push((act, acts.as_str(), around));
        after
    }

    fn close<'t>(&mut self, after: &'t str) -> &'t str {
        self.accent = None;
        let Some((act, then, around)) = self.groups.pop() else {
            return after;
        };
        let mut inside = String::new();
        if let Some(around) = around {
            self.apart -= 1;
            inside = one_line(&std::mem::replace(&mut self.text, around));
        }
        match act {
            SILENT => self.silent -= 1,
            COLUMNS => self.columns = inside.parse().unwrap_or(1).clamp(1, COLUMNS_MAX),
            CELLS => (1..self.columns).for_each(|_| _ = self.end_cell("")),
            NOTE => {
                self.notes += 1;
                let mark = format!("[note {}]", self.notes);
                self.push(&format!(" {mark}"));
                self.behind.push(format!("{mark} {inside}"));
            }
            CAPTION => self.behind.insert(0, inside),
            AUTHOR => self.lines.push(&inside),
            TITLE => {
                self.lines.heading(1, &inside);
                self.title = Some(inside).filter(|title| !title.is_empty());
            }
            level => {
                if let Some(level) = level.to_digit(10) {
                    self.end_paragraph(true);
                    let level = (level as usize).saturating_sub(self.outermost);
                    self.lines.heading(level.max(1), &inside);
                }
            }
        }
        self.expect(after, then)
    }

    /// Says what the braces are that come next, if any do.
    fn expect<'t>(&mut self, after: &'t str, acts: &'static str) -> &'t str {
        let rest = skip_options(after);
        match rest.starts_with('{') && !acts.is_empty() {
            true => self.expected = acts,
            false => return after,
        }
        rest
    }

    fn command<'t>(&mut self, text: &'t str, depth: usize) -> &'t str {
        let (name, after) = command(text);
        if is_one_of(DEFINING, name) {
            return self.define(after);
        }
        if self.silent > 0 || self.in_head && self.apart == 0 && !is_one_of(HEAD, name) {
            return after;
        }
        let named = || argument(after).unwrap_or(("", after));
        match name {
            "begin" | "end" => return self.environment(name == "begin", after),
            "item" => return self.item(after, depth),
            "input" | "include" | "subfile" => {
                let (file, rest) = named();
                self.includes.push(file.trim().to_owned());
                return rest;
            }
            "bibitem" => {
                self.end_paragraph(false);
                let (key, rest) = named();
                self.push(&format!("[{}] ", key.trim()));
                return rest;
            }
            "verb" | "lstinline" => {
                let mark = after.chars().next().unwrap_or(' ');
                let code = near(after).split(mark).nth(1).unwrap_or_default();
                self.push(code);
                return after.get(code.len() + 2 * mark.len_utf8()..).unwrap_or("");
            }
            "(" => return self.formula(after, "\\)", "$"),
            "[" => return self.formula(after, "\\]", "$$"),
            "\\" | "tabularnewline" => return self.end_row(skip_options(after)),
            "iffalse" => return after.split_once("\\fi").map_or("", |(_, rest)| rest),
            _ => {}
        }
        if is_one_of(REFERRING, name) {
            let (key, rest) = named();
            self.push(&format!("[{}]", key.trim()));
            return rest;
        }
        if let Some(meaning) = self.meanings.get(name) {
            if let Some(meaning) = self.lines.replacing(meaning).filter(|_| depth < DEPTH_MAX) {
                self.read(&meaning, depth + 1);
            }
            return after.strip_prefix("{}").unwrap_or(after);
        }
        if let Some(accent) = paired(ACCENTS, name) {
            self.accent = accent.chars().last();
            return after.trim_start_matches(' ');
        }
        let is_sign = name.len() == 1 && "&%$#_{} ".contains(name);
        let sign = paired(SIGNS, name).or(is_sign.then_some(name));
        if let Some(sign) = sign.or(is_one_of(BLANKS, name).then_some(" ")) {
            self.push(sign);
            let rest = after.strip_prefix("{}").unwrap_or(after);
            return match is_sign {
                true => rest,
                false => rest.trim_start_matches(' '),
            };
        }
        let acts = COMMANDS.iter().find(|(names, _)| is_one_of(names, name));
        match (acts, after.trim_start()) {
            (Some((_, acts)), rest) if rest.starts_with(['{', '[']) => self.expect(rest, acts),
            _ => skip_options(after),
        }
    }

    /// A command of the file, which is known if it has no arguments.
    fn define<'t>(&mut self, after: &'t str) -> &'t str {
        let after = after.trim_start();
        let bare = || command(after.strip_prefix('\\').unwrap_or(after));
        let (name, rest) = bracketed(after, '{', '}').unwrap_or_else(bare);
        match bracketed(rest, '{', '}') {
            Some((meaning, rest)) => {
                let name = name.trim().trim_start_matches('\\').to_owned();
                self.meanings.insert(name, meaning.to_owned());
                rest
            }
            None => {
                let at = near(rest).find('{').unwrap_or(0);
                self.expect(&rest[at..], "s")
            }
        }
    }

    fn item<'t>(&mut self, after: &'t str, depth: usize) -> &'t str {
        self.end_paragraph(false);
        let (label, rest) = bracketed(after, '[', ']').unwrap_or(("", after));
        match self.lists.last_mut() {
            Some(Some(count)) if label.is_empty() => {
                *count += 1;
                let label = format!("{count}. ");
                self.push(&label);
            }
            _ => self.push("- "),
        }
        if !label.is_empty() && depth < DEPTH_MAX {
            self.read(label, depth + 1);
            self.push(": ");
        }
        rest.trim_start_matches(' ')
    }

    fn environment<'t>(&mut self, begins: bool, after: &'t str) -> &'t str {
        let Some((name, rest)) = bracketed(after, '{', '}') else {
            return after;
        };
        let kind = name.trim_end_matches('*');
        if self.in_head {
            self.text.clear();
            self.in_head = kind != "document";
            self.end_paragraph(true);
            return rest;
        }
        let (is_formula, is_verbatim) = (is_one_of(FORMULAS, kind), is_one_of(VERBATIM, kind));
        if begins && (is_formula || is_verbatim || is_one_of(DRAWN, kind)) {
            let end = format!("\\end{{{name}}}");
            let (inside, behind) = rest.split_once(end.as_str()).unwrap_or((rest, ""));
            if is_formula {
                self.push(&format!(" $${}$$ ", one_line(inside)));
            } else if is_verbatim {
                self.end_paragraph(false);
                self.lines.push(inside.trim_start_matches(['\n', '\r']));
            }
            return behind;
        }
        let is_table = is_one_of(TABLES, kind);
        if is_table && !begins {
            self.end_row("");
            self.rows.pop();
        }
        self.end_paragraph(is_table);
        if !begins {
            if is_one_of(LISTS, kind) {
                self.lists.pop();
            }
            return rest;
        }
        if kind == "abstract" {
            self.lines.heading(1, "Abstract");
        } else if is_one_of(LISTS, kind) {
            self.lists.push((kind == "enumerate").then_some(0));
        } else if is_table {
            self.rows.push(Vec::new());
        }
        let mut rest = skip_options(rest);
        while is_table || is_one_of(WITH_ARGUMENT, kind) {
            match bracketed(rest, '{', '}') {
                Some((_, behind)) => rest = behind,
                None => break,
            }
        }
        rest
    }

    fn end_cell<'t>(&mut self, after: &'t str) -> &'t str {
        if let Some(row) = self.rows.last_mut() {
            row.push(std::mem::take(&mut self.text));
        }
        after
    }

    fn end_row<'t>(&mut self, after: &'t str) -> &'t str {
        if self.rows.is_empty() {
            self.push(" ");
            return after;
        }
        self.end_cell("");
        let row = self.rows.last_mut().map(std::mem::take).unwrap_or_default();
        self.lines.number = Some(self.line);
        match self.rows.len() {
            1 if self.apart == 0 => self.lines.row(&row),
            // What a table in a cell holds belongs to that.
            _ => self.text = row.join(" "),
        }
        after
    }

    /// Writes the paragraph so far; `parts` it from what is behind.
    fn end_paragraph(&mut self, parts: bool) {
        if self.apart > 0 || !self.rows.is_empty() {
            return self.push(" ");
        }
        let text = one_line(&std::mem::take(&mut self.text));
        if self.in_head {
            return;
        }
        self.lines.number = Some(match text.is_empty() {
            true => self.line,
            false => self.begun,
        });
        self.lines.push(&text);
        self.lines.extend(std::mem::take(&mut self.behind));
        if parts {
            self.lines.part();
        }
    }
}

#[cfg(test)]
#[path = "tex_tests.rs"]
mod tests;
