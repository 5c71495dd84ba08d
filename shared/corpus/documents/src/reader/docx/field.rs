//! What stands in fields: check boxes, the chosen entry of a list, and the numbers of pages.

use super::numbering::is_on;
use super::value;
use crate::reader::xml::attribute;
use quick_xml::events::BytesStart;

/// Fields whose result is a number of pages.
const PAGE_FIELDS: [&str; 3] = ["PAGE", "NUMPAGES", "SECTIONPAGES"];

/// So much of an instruction is read at least.
const INSTRUCTION_BYTES_MAX: usize = 200;

/// The fields that we are in.
#[derive(Default)]
pub(super) struct Fields {
    open: Vec<Field>,
    in_instruction: bool,
    form: Option<Form>,
    /// Whether the check box whose properties are read is ticked.
    ticked: Option<bool>,
    /// The same, where its sign comes next.
    sign: Option<bool>,
}

#[derive(Default)]
struct Field {
    instruction: String,
    is_result: bool,
}

/// A field of a form as it was before content controls.
#[derive(Default)]
struct Form {
    is_box: bool,
    default: Option<String>,
    chosen: Option<String>,
    entries: Vec<String>,
}

impl Fields {
    /// What is shown at the start of an element.
    pub(super) fn start(&mut self, name: &str, start: &BytesStart<'_>) -> Option<String> {
        let ticked = || value(start).is_none_or(|value| is_on(&value));
        match (name, &mut self.form) {
            ("fldSimple", _) => self.open.push(Field {
                instruction: attribute(start, "instr").unwrap_or_default(),
                is_result: true,
            }),
            ("fldChar", _) => match attribute(start, "fldCharType").as_deref() {
                Some("begin") => self.open.push(Field::default()),
                Some("separate") => self.open.last_mut()?.is_result = true,
                _ => drop(self.open.pop()),
            },
            ("instrText", _) => self.in_instruction = true,
            ("ffData", _) => self.form = Some(Form::default()),
            ("checkBox", Some(form)) => form.is_box = true,
            ("default", Some(form)) => form.default = value(start),
            ("result", Some(form)) => form.chosen = value(start),
            ("checked", Some(form)) => form.chosen = Some(u8::from(ticked()).to_string()),
            ("listEntry", Some(form)) => form.entries.extend(value(start)),
            ("checkbox", _) => self.ticked = Some(false),
            ("checked", None) if self.ticked.is_some() => self.ticked = Some(ticked()),
            ("sdtContent", _) => self.sign = self.ticked.take(),
            ("sym", _) => {
                let ticked = self.sign.take().or_else(|| ticked_sign(start));
                return ticked.map(shown_box).map(str::to_owned);
            }
            _ => {}
        }
        None
    }

    /// What is shown at the end of an element.
    pub(super) fn end(&mut self, name: &str) -> Option<String> {
        match name {
            "fldSimple" => drop(self.open.pop()),
            "instrText" => self.in_instruction = false,
            "sdtContent" => self.sign = None,
            "ffData" => return self.form.take()?.shown(),
            _ => {}
        }
        None
    }

    /// Takes the text of an instruction; `false` when it is none.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let field = self.open.last_mut().filter(|_| self.in_instruction);
        if let Some(field) = field.filter(|field| field.instruction.len() < INSTRUCTION_BYTES_MAX) {
            field.instruction.push_str(text);
        }
        self.in_instruction
    }

    /// Whether the text here is a number of pages.
    pub(super) fn counts_pages(&self) -> bool {
        let field = self.open.last().filter(|field| field.is_result);
        let word = field.and_then(|field| field.instruction.split_whitespace().next());
        word.is_some_and(|word| PAGE_FIELDS.contains(&word))
    }

    /// A text with its check boxes as people write them.
    pub(super) fn shown(&mut self, text: &str) -> Option<String> {
        if let Some(ticked) = self.sign.take_if(|_| !text.trim().is_empty()) {
            let rest = text.trim().strip_prefix(|c: char| !c.is_alphanumeric());
            return Some(format!("{}{}", shown_box(ticked), rest.unwrap_or(text)));
        }
        text.contains(['☐', '☑', '☒']).then(|| {
            text.replace('☐', shown_box(false))
                .replace(['☑', '☒'], shown_box(true))
        })
    }
}

impl Form {
    fn shown(self) -> Option<String> {
        let chosen = self.chosen.or(self.default);
        if self.is_box {
            let ticked = chosen.is_some_and(|value| is_on(&value));
            return Some(shown_box(ticked).to_owned());
        }
        let chosen = chosen
            .and_then(|value| value.parse::<usize>().ok())
            .unwrap_or_default();
        self.entries.into_iter().nth(chosen)
    }
}

fn shown_box(ticked: bool) -> &'static str {
    if ticked { "[x]" } else { "[ ]" }
}

/// Whether the sign of a font of symbols is a box with a tick in it; `None` when it is no box.
fn ticked_sign(start: &BytesStart<'_>) -> Option<bool> {
    let font = attribute(start, "font")?;
    let code = u32::from_str_radix(&attribute(start, "char")?, 16).ok()? & 0xff;
    match (font.as_str(), code) {
        ("Wingdings", 0xfd | 0xfe) | ("Wingdings 2", 0x51..=0x54) => Some(true),
        ("Wingdings", 0x6f | 0x71 | 0xa8) | ("Wingdings 2", 0x30 | 0xa3) => Some(false),
        _ => None,
    }
}
