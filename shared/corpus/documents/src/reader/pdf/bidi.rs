//! Puts the glyphs of Arabic, Persian and Hebrew, which a page shows from right to left, into the order in which people
//! read them.
//!
//! This is Unicode's bidirectional algorithm backwards. Programs draw such text in any order, so the glyphs of a base
//! line are first sorted by their place. Where most letters of a page run from right to left, its places are counted
//! from the right, so that cells and columns come in reading order, too. Pages without such letters stay as they are.

use super::glyphs::Placed;
use super::layout::{Gap, SAME_ROW};
use unicode_bidi::{BidiClass, Level, ParagraphBidiInfo, bidi_class};

/// Lengthens the line between two letters, and says nothing.
const TATWEEL: &str = "\u{640}";
/// A share of letters of one direction from which on a text has this direction, whatever the page has.
const CLEAR: f64 = 0.8;
/// How far before its letter an accent may begin, in sizes of the type.
const MARK: f64 = 0.05;

/// Letters by direction.
#[derive(Debug, Default, Clone, Copy)]
struct Letters {
    right: usize,
    left: usize,
}

impl Letters {
    fn of(glyphs: &[Placed]) -> Letters {
        let mut letters = Letters::default();
        for c in glyphs.iter().flat_map(|glyph| glyph.text.chars()) {
            if runs_left(c) {
                letters.right += 1;
            } else if c.is_alphabetic() {
                letters.left += 1;
            }
        }
        letters
    }

    fn share(self) -> f64 {
        self.right as f64 / (self.right + self.left).max(1) as f64
    }
}

/// Whether a character belongs to a script that runs from right to left.
fn runs_left(c: char) -> bool {
    c >= '\u{590}' && matches!(bidi_class(c), BidiClass::R | BidiClass::AL)
}

/// Whether it stands at the end of what it belongs to.
fn is_stop(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '،' | '؛' | '؟' | '۔')
}

/// The glyphs of a page in reading order.
pub(super) fn in_reading_order(glyphs: Vec<Placed>) -> Vec<Placed> {
    let mut chars = glyphs.iter().flat_map(|glyph| glyph.text.chars());
    if !chars.any(runs_left) {
        return glyphs;
    }
    let mut page = Page {
        from_right: Letters::of(&glyphs).share() > 0.5,
        out: Vec::with_capacity(glyphs.len()),
        brackets: Vec::new(),
        mirrored: 0,
    };
    let mut line: Vec<Placed> = Vec::new();
    for glyph in glyphs {
        if line
            .first()
            .is_some_and(|first| !is_same_line(first, &glyph))
        {
            page.line(std::mem::take(&mut line));
        }
        line.push(glyph);
    }
    page.line(line);
    page.finish()
}

fn is_same_line(first: &Placed, glyph: &Placed) -> bool {
    let size = first.size.max(glyph.size).max(1.0);
    let far = if is_mark(glyph) { 1.0 } else { SAME_ROW };
    glyph.turn == first.turn && (glyph.base - first.base).abs() <= far * size
}

/// Whether it is an accent, which stands over the letter before it.
fn is_mark(glyph: &Placed) -> bool {
    let mut chars = glyph.text.chars();
    chars.all(|c| bidi_class(c) == BidiClass::NSM)
}

/// A page that is put in order.
struct Page {
    from_right: bool,
    out: Vec<Placed>,
    /// Brackets of text from right to left, by their index.
    brackets: Vec<usize>,
    /// How many lines more begin such text with a closing bracket than with an opening one: these are named by how
    /// they look, and not by what they mean.
    mirrored: i32,
}

impl Page {
    fn line(&mut self, mut line: Vec<Placed>) {
        let right = Letters::of(&line).right;
        if right == 0 && !self.from_right {
            self.out.extend(line);
            return;
        }
        line.sort_by(|a, b| a.start.total_cmp(&b.start));
        let mut segments = segments(with_marks(line));
        if self.from_right {
            segments.reverse();
        }
        for segment in segments {
            self.segment(segment);
        }
    }

    /// A part of a line without a wide gap.
    fn segment(&mut self, segment: Vec<Placed>) {
        let (Some(first), Some(last)) = (segment.first(), segment.last()) else {
            return;
        };
        let mut at = if self.from_right {
            -last.end
        } else {
            first.start
        };
        let letters = Letters::of(&segment);
        let ordered = match letters {
            Letters { right: 0, .. } if !(self.from_right && first.text.starts_with(is_stop)) => {
                segment.into_iter().map(|glyph| (glyph, false)).collect()
            }
            _ if letters.share() >= CLEAR => ordered(segment, true),
            _ if letters.share() <= 1.0 - CLEAR => ordered(segment, false),
            _ => ordered(segment, self.from_right),
        };
        let mut first_bracket = true;
        for (mut glyph, runs_left) in ordered {
            let width = (glyph.end - glyph.start).max(0.0);
            (glyph.start, glyph.end) = (at, at + width);
            at = glyph.end;
            if let Some(is_closing) = closing(&glyph.text)
                && runs_left
            {
                if std::mem::take(&mut first_bracket) {
                    self.mirrored += if is_closing { 1 } else { -1 };
                }
                self.brackets.push(self.out.len());
            }
            if glyph.text != TATWEEL {
                self.out.push(glyph);
            }
        }
    }

    fn finish(mut self) -> Vec<Placed> {
        if self.mirrored > 0 {
            for index in self.brackets {
                let glyph = &mut self.out[index];
                glyph.text = mirror(&glyph.text).to_owned();
            }
        }
        self.out
    }
}

/// Accents become part of the letter over which they stand.
fn with_marks(line: Vec<Placed>) -> Vec<Placed> {
    let (marks, mut letters): (Vec<Placed>, Vec<Placed>) = line.into_iter().partition(is_mark);
    if letters.is_empty() {
        return marks;
    }
    for mark in marks {
        let middle = f64::midpoint(mark.start, mark.end);
        let after = letters.partition_point(|letter| letter.start <= middle + MARK * mark.size);
        let at = (0..after)
            .rev()
            .find(|&at| !letters[at].text.trim().is_empty());
        letters[at.unwrap_or(0)].text.push_str(&mark.text);
    }
    letters
}

/// Parts of a line between wide gaps, with a blank where there is a narrow one.
fn segments(line: Vec<Placed>) -> Vec<Vec<Placed>> {
    let mut segments: Vec<Vec<Placed>> = Vec::new();
    let mut spaced = false;
    let mut end = f64::NEG_INFINITY;
    for glyph in line {
        if glyph.text.trim().is_empty() {
            spaced = true;
            continue;
        }
        let gap = Gap::of((glyph.start - end) / glyph.size.max(1.0), spaced);
        match segments.last_mut() {
            Some(segment) if gap != Gap::Cell => {
                // Words of two directions are two words, as in `وPython`.
                let turns = segment.last().is_some_and(|last| turns(last, &glyph));
                if spaced || gap == Gap::Space || turns {
                    let mut blank = glyph.clone();
                    (blank.start, blank.end, blank.text) = (end, glyph.start, " ".to_owned());
                    segment.push(blank);
                }
                end = end.max(glyph.end);
                segment.push(glyph);
            }
            _ => {
                end = glyph.end;
                segments.push(vec![glyph]);
            }
        }
        spaced = false;
    }
    segments
}

/// Whether two letters are of different directions.
fn turns(last: &Placed, glyph: &Placed) -> bool {
    let direction = |glyph: &Placed| {
        let mut letters = glyph.text.chars().filter(|c| c.is_alphabetic());
        let first = letters.next().map(runs_left)?;
        letters.all(|c| runs_left(c) == first).then_some(first)
    };
    matches!((direction(last), direction(glyph)), (Some(a), Some(b)) if a != b)
}

/// Glyphs in reading order, of those from left to right; each with whether its text runs from right to left.
fn ordered(mut glyphs: Vec<Placed>, from_right: bool) -> Vec<(Placed, bool)> {
    if from_right {
        glyphs.reverse();
    }
    let level = if from_right {
        Level::rtl()
    } else {
        Level::ltr()
    };
    let numbers = numbers_of_words(&glyphs);
    let mut text = String::new();
    let mut starts = Vec::with_capacity(glyphs.len());
    for (glyph, of_word) in glyphs.iter().zip(numbers) {
        starts.push(text.len());
        text.push_str(if of_word { "a" } else { &glyph.text });
    }
    let info = ParagraphBidiInfo::new(&text, Some(level));
    let levels: Vec<u8> = starts
        .iter()
        .map(|&start| info.levels.get(start).map_or(0, |level| level.number()))
        .collect();
    let mut ordered: Vec<(Placed, u8)> = glyphs.into_iter().zip(levels).collect();
    let highest = ordered.iter().map(|(_, level)| *level).max().unwrap_or(0);
    for least in (level.number() + 1..=highest).rev() {
        for run in ordered.chunk_by_mut(|a, b| (a.1 >= least) == (b.1 >= least)) {
            if run[0].1 >= least {
                run.reverse();
            }
        }
    }
    ordered
        .into_iter()
        .map(|(glyph, level)| (glyph, level % 2 == 1))
        .collect()
}

/// Which glyphs are digits beside a word that runs from left to right, at most one other sign between: `ISO 9001`. The
/// algorithm shows this like `9001 ISO`, and the first is what people write.
fn numbers_of_words(glyphs: &[Placed]) -> Vec<bool> {
    let kind = |glyph: &Placed| glyph.text.chars().next().map(bidi_class);
    let kinds: Vec<_> = glyphs.iter().map(kind).collect();
    let mut found = vec![false; glyphs.len()];
    let mut pass = |indexes: &mut dyn Iterator<Item = usize>| {
        let mut signs_since_word = 2;
        for i in indexes {
            match kinds[i] {
                Some(BidiClass::L) => signs_since_word = 0,
                Some(BidiClass::EN) if signs_since_word < 2 => {
                    signs_since_word = 0;
                    found[i] = true;
                }
                Some(BidiClass::EN | BidiClass::R | BidiClass::AL) => signs_since_word = 2,
                _ => signs_since_word += 1,
            }
        }
    };
    pass(&mut (0..glyphs.len()));
    pass(&mut (0..glyphs.len()).rev());
    found
}

const BRACKETS: [(&str, &str); 4] = [("(", ")"), ("[", "]"), ("{", "}"), ("«", "»")];

/// Whether a bracket closes; `None` for other text.
fn closing(text: &str) -> Option<bool> {
    let pair = BRACKETS
        .iter()
        .find(|(open, close)| *open == text || *close == text)?;
    Some(pair.1 == text)
}

fn mirror(bracket: &str) -> &str {
    let pair = BRACKETS.iter().find_map(|(open, close)| match bracket {
        b if b == *open => Some(*close),
        b if b == *close => Some(*open),
        _ => None,
    });
    pair.unwrap_or(bracket)
}

#[cfg(test)]
#[path = "bidi_tests.rs"]
mod tests;
