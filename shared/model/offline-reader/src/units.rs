//! Splits a passage into units that can be part of an answer: sentences, table rows, fields. Words are kept as they
//! are; only markers, line breaks and outer bars are removed.

use text::words;

/// A piece of a passage.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    pub(super) text: String,
    pub(super) kind: UnitKind,
    /// The heading it stands under: an index of the units.
    pub(super) heading: Option<usize>,
    /// The head of its table, or the sentence before it in its paragraph.
    pub(super) before: Option<usize>,
    /// The few words that its paragraph opens with, as in "Cause. The ring was missing."
    pub(super) lead: Option<usize>,
}

impl Unit {
    /// A sentence that stands alone.
    pub(super) fn alone(text: &str) -> Unit {
        Unit {
            text: text.to_owned(),
            kind: UnitKind::Sentence,
            heading: None,
            before: None,
            lead: None,
        }
    }
}

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitKind {
    Sentence,
    Row,
    /// `Key: value`.
    Field,
    Heading,
    /// The first row of a table, which names its columns.
    Head,
}

/// Splits a passage.
pub(super) fn split(text: &str) -> Vec<Unit> {
    let mut splitter = Splitter::default();
    for line in text.lines() {
        splitter.line(line);
    }
    splitter.flush();
    splitter.without_lone_heads()
}

#[derive(Default)]
struct Splitter {
    units: Vec<Unit>,
    paragraph: String,
    heading: Option<usize>,
    head: Option<usize>,
    lead: Option<usize>,
}

/// Characters from which on a line of a script without blanks is taken for a wrapped one.
const WRAPPED_CHARS_MIN: usize = 25;
/// Most words of what a paragraph opens with.
const LEAD_WORDS_MAX: usize = 3;

impl Splitter {
    fn line(&mut self, raw: &str) {
        let line = raw.trim();
        let columns = has_columns(line) && self.at_sentence_start();
        if line.is_empty() || line == "---" {
            self.flush();
            self.head = None;
        } else if let Some(cells) = row(line, columns) {
            self.flush();
            self.row(cells);
        } else if let Some(heading) = heading(line) {
            self.flush();
            self.head = None;
            self.heading = None;
            self.heading = Some(self.push(heading, UnitKind::Heading, None));
        } else if is_field(line) && self.at_sentence_start() {
            self.flush();
            self.push(line, UnitKind::Field, None);
        } else {
            let item = without_marker(line);
            if item.len() < line.len() {
                self.flush();
            }
            let is_cut = !self.paragraph.ends_with(words::is_unspaced)
                || !item.starts_with(words::is_unspaced);
            if !self.paragraph.is_empty() && is_cut {
                self.paragraph.push(' ');
            }
            self.paragraph.push_str(item);
            // Without blanks nobody can see whether a short line goes on: it is a line of an address or of a head.
            if item.contains(words::is_unspaced) && item.chars().count() < WRAPPED_CHARS_MIN {
                self.flush();
            }
        }
    }

    fn row(&mut self, cells: &str) {
        let rule = cells
            .chars()
            .all(|c| matches!(c, '|' | '-' | ':' | ' ' | '=' | '+'));
        match (rule, self.head) {
            (true, _) => {}
            (false, None) => self.head = Some(self.push(cells, UnitKind::Head, None)),
            (false, head) => {
                self.push(cells, UnitKind::Row, head);
            }
        }
    }

    /// A head without rows is a row: a piece may begin in the middle of a table.
    fn without_lone_heads(mut self) -> Vec<Unit> {
        let heads: Vec<usize> = self.units.iter().filter_map(|unit| unit.before).collect();
        for (at, unit) in self.units.iter_mut().enumerate() {
            if unit.kind == UnitKind::Head && !heads.contains(&at) {
                unit.kind = UnitKind::Row;
            }
        }
        self.units
    }

    fn at_sentence_start(&self) -> bool {
        self.paragraph.is_empty()
            || self
                .paragraph
                .ends_with(['.', '!', '?', ':', ',', '。', '！', '？', '，'])
    }

    fn flush(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph).replace("**", "");
        let sentences = text::sentences::read(&paragraph);
        let mut before = None;
        for (at, sentence) in sentences.iter().enumerate() {
            let few = sentence.split_whitespace().count() <= LEAD_WORDS_MAX
                && !sentence.contains(words::is_unspaced);
            let at = match at == 0 && few && sentences.len() > 1 {
                true => {
                    self.lead = Some(self.push(sentence, UnitKind::Heading, None));
                    self.lead
                }
                false => Some(self.push(sentence, UnitKind::Sentence, before)),
            };
            before = at;
        }
        self.lead = None;
    }

    fn push(&mut self, text: &str, kind: UnitKind, before: Option<usize>) -> usize {
        self.units.push(Unit {
            text: text.to_owned(),
            kind,
            heading: self.heading,
            before,
            lead: self.lead,
        });
        self.units.len() - 1
    }
}

/// The cells of a table row, without its outer bars.
fn row(line: &str, columns: bool) -> Option<&str> {
    let piped = line.starts_with('|') || line.matches('|').count() >= 2;
    (piped || columns || line.contains('\t'))
        .then(|| line.trim_matches(|c: char| c == '|' || c.is_whitespace()))
        .filter(|cells| !cells.is_empty())
}

/// Cells set apart by spaces, as scanners leave them; the last one holds a figure.
fn has_columns(line: &str) -> bool {
    let last = line.rsplit("  ").next().unwrap_or_default();
    line.contains("  ") && last.contains(|c: char| c.is_ascii_digit()) && !last.ends_with('.')
}

fn heading(line: &str) -> Option<&str> {
    if line.starts_with('#') {
        return Some(line.trim_start_matches('#').trim()).filter(|h| !h.is_empty());
    }
    let letters = || line.chars().filter(|c| c.is_alphabetic());
    let capitals = letters().count() >= 5 && letters().all(char::is_uppercase);
    (capitals && line.len() <= 60 && !line.contains(|c: char| c.is_ascii_digit())).then_some(line)
}

/// `Key: value` with a short key.
fn is_field(line: &str) -> bool {
    let Some((key, value)) = line.split_once([':', '：']) else {
        return false;
    };
    let is_apart = value.starts_with(' ') || key.ends_with(words::is_unspaced);
    let short = key.len() <= 40 && key.split_whitespace().count() <= 5;
    let word = key.starts_with(char::is_alphabetic) && !key.contains(['.', ',', ';', '(']);
    short && word && is_apart && line.len() <= 200
}

/// A line without the mark of a list item.
fn without_marker(line: &str) -> &str {
    let bullet = ["- ", "* ", "• ", "– ", "> "];
    if let Some(item) = bullet.iter().find_map(|mark| line.strip_prefix(mark)) {
        return item.trim_start();
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = &line[digits..];
    let numbered =
        (1..=2).contains(&digits) && (after.starts_with(". ") || after.starts_with(") "));
    if numbered {
        after[2..].trim_start()
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<String> {
        split(text).into_iter().map(|unit| unit.text).collect()
    }

    #[test]
    fn wrapped_lines_are_one_paragraph_and_items_are_not() {
        let text = "# Terms\n\nThe term is\n24 months. It renews.\n- first item\n- second\n  goes on\n3. third";
        assert_eq!(
            texts(text),
            [
                "Terms",
                "The term is 24 months.",
                "It renews.",
                "first item",
                "second goes on",
                "third"
            ]
        );
        let units = split(text);
        assert_eq!(units[2].before, Some(1));
        assert_eq!(units[2].heading, Some(0));
        assert_eq!(units[3].before, None);
    }

    #[test]
    fn rows_know_their_head() {
        let text = "| Part | Price |\n|---|---|\n| A-1 | 5 |\n| B-2 | 6 |\n\nTotal: 11 EUR";
        let units = split(text);
        let kinds: Vec<UnitKind> = units.iter().map(|u| u.kind).collect();
        use UnitKind::{Field, Head, Row};
        assert_eq!(kinds, [Head, Row, Row, Field]);
        assert_eq!(units[2].text, "B-2 | 6");
        assert_eq!(units[2].before, Some(0));
        assert_eq!(split("| A-1 | 5 |")[0].kind, Row);
    }

    proptest! {
        #[test]
        fn every_word_is_kept_and_none_is_made(text in "([a-zA-Z0-9.!? |:\n#-]|\\PC){0,120}") {
            let letters = |t: &str| t.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            let units = split(&text);
            let kept: String = units.iter().map(|u| letters(&u.text)).collect();
            prop_assert_eq!(kept, letters(&text));
            for (at, unit) in units.iter().enumerate() {
                prop_assert!(unit.before.is_none_or(|b| b < at) && unit.heading.is_none_or(|h| h <= at));
            }
        }
    }
}
