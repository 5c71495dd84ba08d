//! Reads RTF into lines: headings as `#` lines, list items as `-` lines or with their numbers, tables as rows
//! `| a | b |`.
//!
//! Notes stand behind the paragraph that refers to them, headers and footers once before and behind the text. It does
//! *not* read pictures, comments, hidden text, and text that was deleted under tracked changes. An RTF has no pages
//! until it is printed. No crate is used: those that there are give text without headings, lists and rows.

mod flow;
mod tokens;

use super::lines::is_one_of;
use super::{Parsed, SkipReason, front_matter};
use flow::Flow;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use tokens::{Token, Tokens, charset, code_page, sign};

/// Deepest nesting of groups.
const DEPTH_MAX: usize = 2_000;
/// Groups whose text is no text, or is there once more.
const PASSED_OVER: &str = "\
    annotation atnauthor atndate atnid aftncn aftnsep aftnsepc bkmkend bkmkstart \
    colortbl datafield filetbl fldinst formfield ftncn ftnsep ftnsepc listoverridetable \
    listtable nonesttables nonshppict objclass objdata objname pict picprop pn pnseclvl \
    revtbl shprslt sp tc template themedata xe";
/// Groups that only some programs know, and have to be read nevertheless.
const OPTIONAL_READ: &str = "moMath moMathPara shpinst shppict";

/// What a document says of itself.
const PROPERTIES: [(&str, &str); 6] = [
    ("title", "title"),
    ("author", "author"),
    ("subject", "subject"),
    ("keywords", "keywords"),
    ("creatim", "created"),
    ("revtim", "modified"),
];

/// Where the text of a group goes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Target {
    #[default]
    Body,
    Nowhere,
    Fonts,
    Styles,
    Info,
    /// A property of the document.
    Property(&'static str),
    /// What stands before a list item.
    Label,
    Note,
    Header,
    Footer,
}

impl Target {
    /// Of a group that begins with this word; `None` when it is not told by that.
    fn of(word: &str, around: Target) -> Option<Target> {
        let property = PROPERTIES.iter().find(|(known, _)| *known == word);
        Some(match (word, property) {
            (_, Some((_, name))) if around == Target::Info => Target::Property(name),
            (_, Some(_)) => return None,
            _ if around == Target::Info => Target::Nowhere,
            ("fonttbl", _) => Target::Fonts,
            ("stylesheet", _) => Target::Styles,
            ("info", _) => Target::Info,
            ("listtext" | "pntext", _) => Target::Label,
            ("footnote", _) => Target::Note,
            ("header" | "headerl" | "headerr" | "headerf", _) => Target::Header,
            ("footer" | "footerl" | "footerr" | "footerf", _) => Target::Footer,
            _ if is_one_of(PASSED_OVER, word) => Target::Nowhere,
            // How formulas look.
            _ if word.starts_with('m') && word.ends_with("Pr") => Target::Nowhere,
            _ => return None,
        })
    }

    /// Whether its text runs apart from what is around it.
    fn is_apart(self) -> bool {
        matches!(self, Target::Note | Target::Header | Target::Footer)
    }
}

/// What holds inside a group.
#[derive(Debug, Default, Clone)]
struct Group {
    target: Target,
    is_hidden: bool,
    is_deleted: bool,
    /// How many characters stand behind a Unicode one, for programs that do not know that.
    stand_ins: usize,
    /// A code page.
    encoding: i32,
    begins: bool,
    /// Whether it is left out by who does not know it.
    is_optional: bool,
}

#[derive(Debug, Default)]
struct Reader {
    groups: Vec<Group>,
    /// The document, and notes and headers that are being read inside it.
    flows: Vec<Flow>,
    /// Stand-ins that are still to come.
    skipped: usize,
    /// Bytes that are not decoded yet, and the first half of a character.
    bytes: Vec<u8>,
    half: Option<u16>,
    /// Code pages: the usual one, and those of fonts.
    usual: i32,
    fonts: HashMap<i32, i32>,
    font: i32,
    /// Levels of headings, by style; and the style that is being described.
    levels: HashMap<i32, i32>,
    style: (i32, String),
    properties: BTreeMap<&'static str, String>,
    headers: Margin,
    footers: Margin,
    notes: u32,
}

/// Headers or footers, each different line once.
#[derive(Debug, Default)]
struct Margin {
    lines: Vec<String>,
    said: HashSet<String>,
}

/// Parses a document.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    if !bytes.trim_ascii_start().starts_with(b"{\\rtf") {
        return Err(SkipReason::no_such(bytes));
    }
    let group = Group {
        stand_ins: 1,
        ..Group::default()
    };
    let mut reader = Reader {
        groups: vec![group],
        flows: vec![Flow::default()],
        ..Reader::default()
    };
    for token in Tokens::of(bytes) {
        reader.token(token)?;
    }
    reader.finish()
}

impl Reader {
    fn token(&mut self, token: Token<'_>) -> Result<(), SkipReason> {
        match token {
            Token::Byte(_) | Token::Word(..) | Token::Symbol(_) if self.skipped > 0 => {
                self.skipped -= 1
            }
            Token::Byte(byte) => self.bytes.push(byte),
            Token::Open => {
                self.decode();
                let mut group = self.group().clone();
                (group.begins, group.is_optional) = (true, false);
                self.groups.push(group);
                if self.groups.len() > DEPTH_MAX {
                    return Err(SkipReason::Broken("groups nested too deep".into()));
                }
            }
            Token::Close => self.close(),
            Token::Symbol(b'*') => self.group().is_optional = true,
            Token::Symbol(symbol) => {
                self.put(match symbol {
                    b'~' => "\u{a0}",
                    b'_' => "-",
                    b'\\' => "\\",
                    b'{' => "{",
                    b'}' => "}",
                    _ => "",
                });
                if matches!(symbol, b'\n' | b'\r') {
                    self.word("par", None);
                }
            }
            Token::Word(word, value) => {
                self.decode();
                self.word(word, value);
            }
        }
        Ok(())
    }

    /// The innermost group; the document is one that is never closed.
    fn group(&mut self) -> &mut Group {
        let last = self.groups.len() - 1;
        &mut self.groups[last]
    }

    fn flow(&mut self) -> &mut Flow {
        let last = self.flows.len() - 1;
        &mut self.flows[last]
    }

    fn close(&mut self) {
        self.decode();
        self.skipped = 0;
        if self.groups.len() == 1 {
            return;
        }
        let target = self.group().target;
        self.groups.pop();
        match (target, self.group().target) {
            (Target::Styles, Target::Styles) => {
                let (style, name) = std::mem::take(&mut self.style);
                let name = name.trim_end_matches(';').trim().to_lowercase();
                let level = name
                    .strip_prefix("heading ")
                    .and_then(|level| level.parse::<i32>().ok());
                let level = level
                    .map(|level| level - 1)
                    .or((name == "title").then_some(0));
                if let Some(level) = level {
                    self.levels.entry(style).or_insert(level);
                }
            }
            (target, around) if target != around && target.is_apart() => self.end_apart(target),
            _ => {}
        }
    }

    /// Puts a note, a header or a footer where it belongs.
    fn end_apart(&mut self, target: Target) {
        if self.flows.len() == 1 {
            return;
        }
        let Some(mut inner) = self.flows.pop() else {
            return;
        };
        inner.end_paragraph(&self.levels);
        let lines = self.flow().lines.apart(inner.lines);
        let margin: &mut Margin = match target {
            Target::Header => &mut self.headers,
            Target::Footer => &mut self.footers,
            _ => {
                self.notes += 1;
                let number = self.notes;
                return self.flow().note(number, &lines.join(" "));
            }
        };
        for line in lines {
            if margin.said.insert(line.clone()) {
                margin.lines.push(line);
            }
        }
    }

    /// Decodes the bytes so far.
    fn decode(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        let (text, _) = code_page(self.group().encoding).decode_without_bom_handling(&bytes);
        self.group().begins = false;
        self.put(&text);
    }

    fn put(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.decode();
        let group = self.group();
        let is_shown = !(group.is_hidden || group.is_deleted);
        match group.target {
            Target::Body | Target::Note | Target::Header | Target::Footer if is_shown => {
                self.flow().paragraph.push_str(text);
            }
            Target::Label if is_shown => self.flow().label.push_str(text),
            Target::Property(name) => self.properties.entry(name).or_default().push_str(text),
            Target::Styles => self.style.1.push_str(text),
            _ => {}
        }
    }

    /// Where the text of the group goes that this word begins.
    fn begin(&mut self, word: &str) {
        let group = self.group();
        group.begins = false;
        let around = group.target;
        if around == Target::Nowhere {
            return;
        }
        let unknown = group.is_optional && !is_one_of(OPTIONAL_READ, word);
        let found = Target::of(word, around).or(unknown.then_some(Target::Nowhere));
        group.target = found.unwrap_or(around);
        if let Some(target) = found.filter(|found| *found != around && found.is_apart()) {
            self.group().target = target;
            self.flows.push(Flow::default());
        }
    }

    fn word(&mut self, word: &str, value: Option<i32>) {
        if self.group().begins {
            self.begin(word);
        }
        let (target, number) = (self.group().target, value.unwrap_or_default());
        let is_on = value != Some(0);
        match (target, word) {
            (_, "ansicpg") => {
                self.usual = number;
                self.groups
                    .iter_mut()
                    .for_each(|group| group.encoding = number);
            }
            (_, "uc") => self.group().stand_ins = number.clamp(0, 100) as usize,
            (_, "u") => self.unicode(number),
            (Target::Nowhere, _) => {}
            (Target::Fonts, "f") => self.font = number,
            (Target::Fonts, "fcharset") => {
                self.fonts.insert(self.font, charset(number, self.usual));
            }
            (_, "f") => {
                self.group().encoding = self.fonts.get(&number).copied().unwrap_or(self.usual)
            }
            (Target::Styles, "s") => self.style.0 = number,
            (Target::Styles, "outlinelevel") => {
                self.levels.insert(self.style.0, number);
            }
            (Target::Property(_), "yr") => self.put(&format!("{number:04}")),
            (Target::Property(_), "mo" | "dy") => self.put(&format!("-{number:02}")),
            (_, "v") => self.group().is_hidden = is_on,
            (_, "deleted") => self.group().is_deleted = is_on,
            (_, "plain") => {
                let usual = self.usual;
                let group = self.group();
                (group.is_hidden, group.is_deleted, group.encoding) = (false, false, usual);
            }
            (Target::Body | Target::Note | Target::Header | Target::Footer, _)
                if self.layout(word, number) => {}
            _ => self.put(sign(word)),
        }
    }

    /// Takes a word that says how text is laid out.
    fn layout(&mut self, word: &str, number: i32) -> bool {
        let Reader { flows, levels, .. } = self;
        let Some(flow) = flows.last_mut() else {
            return false;
        };
        match word {
            "pard" => flow.begin_format(),
            "intbl" => flow.format.in_table = true,
            "s" => flow.format.style = number,
            "outlinelevel" => flow.format.level = Some(number),
            "par" | "sect" => flow.end_paragraph(levels),
            "cell" => flow.end_cell(levels),
            "nestcell" => flow.end_inner_cell(levels),
            "row" => flow.end_row(levels),
            _ => return false,
        }
        true
    }

    /// A character by its number in UTF-16, of which a large one has two.
    fn unicode(&mut self, number: i32) {
        self.skipped = self.group().stand_ins;
        let unit = (number & 0xffff) as u16;
        let units = self.half.take().into_iter().chain([unit]);
        let text: String = char::decode_utf16(units).flatten().collect();
        if (0xd800..0xdc00).contains(&unit) {
            self.half = Some(unit);
        }
        self.put(&text);
    }

    fn finish(mut self) -> Result<Parsed, SkipReason> {
        self.decode();
        while self.flows.len() > 1 {
            self.end_apart(Target::Note);
        }
        self.flow().end_row(&HashMap::new());
        let mut lines = super::lines::Lines::default();
        lines.extend(&self.headers.lines);
        let body = self.flows.pop().unwrap_or_default().lines.finish()?;
        lines.extend(body.iter().map(|line| &line.text));
        lines.extend(&self.footers.lines);
        let mut fields = self.properties;
        let title = fields.remove("title").map(|title| title.trim().to_owned());
        let fields = fields.iter().map(|(&name, value)| (name, value.trim()));
        let fields = fields.filter(|(_, value)| !value.is_empty());
        Ok(Parsed {
            title: title.filter(|title| !title.is_empty()),
            metadata: front_matter::collect(fields.map(|(name, value)| (name, Value::from(value)))),
            lines: lines.finish()?,
            ..Parsed::default()
        })
    }
}

#[cfg(test)]
#[path = "rtf_tests.rs"]
mod tests;
