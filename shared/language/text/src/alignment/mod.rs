//! Finds where a text contains a statement, either in the same words or reworded in a few sentences.
//!
//! A copied statement is found in spite of the changes that copying and scanning make to a text: blanks, line breaks,
//! hyphens, punctuation, case and letters that look alike. A reworded one is found in the nearest window of sentences
//! that contains most of its words and *all* of its figures, and that has a negation where the statement has one. *Not*
//! here: whether the text means what the statement says. Who does what to whom is ignored, and figures are compared
//! without their units.

pub(crate) mod figures;
mod letters;
pub(crate) mod units;

use crate::is_of;
use crate::words;
use figures::{figures, given_figures};
use letters::Letters;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;
use units::Unit;

/// Most sentences beside each other that a reworded statement is looked for in.
const WINDOW_UNITS_MAX: usize = 3;
/// What a further sentence has to add to the coverage of a window.
const FURTHER_UNIT_MIN: f32 = 0.05;
/// Shortest word, in bytes, that may differ in one letter.
const BLURRED_BYTES_MIN: usize = 6;

/// The place of a statement in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Alignment {
    /// The range in the text, in bytes.
    pub span: Range<usize>,
    /// Share of the statement's content words that occur in the range or in the texts beside the text, 0 to 1.
    pub coverage: f32,
    /// Whether the range contains the statement word by word.
    pub is_verbatim: bool,
}

/// A text in which statements are looked up. Its words are only read when they are first needed: most statements are
/// copied, and do not need them.
pub struct AlignedText<'a> {
    text: &'a str,
    /// What goes for any part of the text.
    beside: &'a [&'a str],
    letters: OnceCell<[Letters; 2]>,
    beside_read: OnceCell<Beside>,
    units: OnceCell<Vec<Read>>,
}

struct Beside {
    words: HashSet<String>,
    figures: HashSet<String>,
}

/// A sentence of the text with what stands in it.
struct Read {
    unit: Unit,
    words: HashSet<String>,
    figures: HashSet<String>,
    denies: bool,
}

impl<'a> AlignedText<'a> {
    /// The text, and texts `beside` it, such as its title. The words and figures of the latter may occur in a statement
    /// about any part of `text`.
    pub fn new(text: &'a str, beside: &'a [&'a str]) -> Self {
        AlignedText {
            text,
            beside,
            letters: OnceCell::new(),
            beside_read: OnceCell::new(),
            units: OnceCell::new(),
        }
    }

    /// The place where `statement` occurs word by word. Blanks, punctuation, hyphens, case and letters that look alike
    /// are ignored; figures have to be the same.
    pub fn verbatim(&self, statement: &str) -> Option<Range<usize>> {
        if let Some(span) = letters::exact(statement.trim(), self.text) {
            return Some(span);
        }
        let form = forms(statement);
        let letters = self.letters.get_or_init(|| forms(self.text));
        let figures = figures(statement);
        // `8` looks like `b`, which may stand before it.
        let holds = |span: &Range<usize>| {
            let given = given_figures(&self.text[span.clone()]);
            figures.iter().all(|figure| given.contains(figure))
        };
        let mut found = letters.iter().zip(&form);
        found.find_map(|(letters, form)| letters.find(form, self.text, holds))
    }

    /// The place of `statement`: where it occurs word by word, or else the nearest one to three sentences that have the
    /// same meaning by their words. These have at least `coverage_min` of its content words, at least one of them in
    /// the text itself, and all of its figures, and they have a negation if the statement has one. `None` if there is
    /// no such place.
    pub fn align(&self, statement: &str, coverage_min: f32) -> Option<Alignment> {
        if let Some(span) = self.verbatim(statement) {
            return Some(Alignment {
                span,
                coverage: 1.0,
                is_verbatim: true,
            });
        }
        let (given, denies) = (figures(statement), denies(statement));
        let nearest = self.windows(statement, |window| {
            let denies_too = !denies || window.iter().any(|read| read.denies);
            denies_too && given.iter().all(|figure| self.has_figure(window, figure))
        });
        nearest.filter(|nearest| nearest.coverage >= coverage_min)
    }

    /// The sentences that share most words with `statement`, whether they have its figures or not; `None` if no
    /// sentence shares a word.
    pub fn nearest(&self, statement: &str) -> Option<Alignment> {
        self.windows(statement, |_| true)
    }

    /// The first sentence; an empty range in an empty text.
    pub fn opening(&self) -> Range<usize> {
        let first = self.units().first();
        first.map_or(0..0, |read| read.unit.span.clone())
    }

    fn windows(&self, statement: &str, fits: impl Fn(&[Read]) -> bool) -> Option<Alignment> {
        let wanted = content(statement);
        let (units, beside) = (self.units(), self.beside());
        let mut best: Option<(f32, Alignment)> = None;
        for first in 0..units.len() {
            let mut missing: Vec<&String> = wanted.iter().collect();
            for further in 0..WINDOW_UNITS_MAX.min(units.len() - first) {
                let window = &units[first..=first + further];
                let added = missing.len();
                missing.retain(|word| !self.has_word(&window[further], word));
                if missing.len() == added && further == 0 {
                    break;
                }
                let left = missing.iter().filter(|word| !beside.words.contains(**word));
                let coverage = 1.0 - left.count() as f32 / wanted.len() as f32;
                let score = coverage - further as f32 * FURTHER_UNIT_MIN;
                if best.as_ref().is_none_or(|(most, _)| score > *most) && fits(window) {
                    let span = window[0].unit.span.start..window[further].unit.span.end;
                    let is_verbatim = false;
                    best = Some((
                        score,
                        Alignment {
                            span,
                            coverage,
                            is_verbatim,
                        },
                    ));
                }
            }
        }
        best.map(|(_, alignment)| alignment)
    }

    fn has_word(&self, read: &Read, word: &str) -> bool {
        let head = read.unit.head.map(|head| &self.units()[head].words);
        holds(&read.words, word) || head.is_some_and(|words| holds(words, word))
    }

    fn has_figure(&self, window: &[Read], figure: &str) -> bool {
        let in_head = |read: &Read| {
            let head = read.unit.head.map(|head| &self.units()[head].figures);
            head.is_some_and(|figures| figures.contains(figure))
        };
        let has = |read: &Read| read.figures.contains(figure) || in_head(read);
        window.iter().any(has) || self.beside().figures.contains(figure)
    }

    fn beside(&self) -> &Beside {
        self.beside_read.get_or_init(|| {
            let joined = self.beside.join("\n");
            Beside {
                words: content(&joined).into_iter().collect(),
                figures: given_figures(&joined),
            }
        })
    }

    fn units(&self) -> &[Read] {
        self.units.get_or_init(|| {
            let units = units::units(self.text).into_iter();
            let read = units.map(|unit| {
                let text = units::without_hyphens(&self.text[unit.span.clone()]);
                Read {
                    words: content(&text).into_iter().collect(),
                    figures: given_figures(&text),
                    denies: denies(&text),
                    unit,
                }
            });
            read.collect()
        })
    }
}

fn forms(text: &str) -> [Letters; 2] {
    [false, true].map(|merges| Letters::of(text, merges))
}

/// The content words of a text, in the form in which scanned words are compared. Numbers are figures, and no words.
fn content(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    words::each_content(text, |word| {
        if !word.bytes().all(|byte| byte.is_ascii_digit()) {
            words.push(letters::folded(word));
        }
    });
    words
}

fn denies(text: &str) -> bool {
    let is_denial = |run: &str| is_of(&run.to_lowercase(), words!(denials));
    words::runs(text).any(is_denial) || text.contains("n't") || text.contains("n’t")
}

/// Whether `word` is one of `words`, or a long one differs from it in a single letter that is not the first.
fn holds(words: &HashSet<String>, word: &str) -> bool {
    if words.contains(word) {
        return true;
    }
    let is_long = word.len() >= BLURRED_BYTES_MIN;
    is_long && words.iter().any(|known| is_blurred(known, word))
}

fn is_blurred(known: &str, word: &str) -> bool {
    let (a, b) = (known.as_bytes(), word.as_bytes());
    if a.len().abs_diff(b.len()) > 1 || a.first() != b.first() {
        return false;
    }
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[head..], &b[head..]);
    let tail = a.iter().rev().zip(b.iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    a.len() - tail <= 1 && b.len() - tail <= 1
}
