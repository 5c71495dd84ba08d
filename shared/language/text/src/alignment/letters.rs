//! Reduces a text to its letters and digits, with one form for characters that look alike, and keeps the position of
//! each in the text.

use crate::fold::letter_of;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Pairs of letters that a scan takes for one.
const MERGED: [(char, char, char); 3] = [('r', 'n', 'm'), ('v', 'v', 'w'), ('c', 'l', 'd')];
/// From here on, words stand without blanks between them.
const UNSPACED: char = '\u{2e80}';

/// The letters and digits of a text.
#[derive(Default)]
pub(super) struct Letters {
    form: String,
    /// Where the character that byte `i` of the form comes from begins and ends.
    places: Vec<(u32, u32)>,
}

impl Letters {
    /// Reads a text, and merges pairs of letters that look like one if `merges`.
    pub(super) fn of(text: &str, merges: bool) -> Self {
        let mut letters = Letters::default();
        letters.read(text, merges);
        letters
    }

    /// Where `other` stands in these and `fits`, as bytes of `text`, which they are of: between whole words.
    pub(super) fn find(
        &self,
        other: &Letters,
        text: &str,
        fits: impl Fn(&Range<usize>) -> bool,
    ) -> Option<Range<usize>> {
        let width = other.form.chars().next()?.len_utf8();
        let mut from = 0;
        while let Some(at) = self.form[from..].find(&other.form) {
            let first = from + at;
            let last = first + other.form.len() - 1;
            let span = self.places[first].0 as usize..self.places[last].1 as usize;
            if is_whole(text, &span) && fits(&span) {
                return Some(span);
            }
            from = first + width;
        }
        None
    }

    fn read(&mut self, text: &str, merges: bool) {
        for (at, c) in text.char_indices() {
            let place = (at as u32, (at + c.len_utf8()) as u32);
            if c.is_ascii() {
                if c.is_ascii_alphanumeric() {
                    self.push(alike(c.to_ascii_lowercase()), place, merges);
                }
                continue;
            }
            let plain = std::iter::once(c).nfkd();
            let plain = plain.filter(|c| !is_combining_mark(*c) && c.is_alphanumeric());
            for c in plain.flat_map(char::to_lowercase) {
                self.push(alike(c), place, merges);
            }
        }
    }

    fn push(&mut self, c: char, place: (u32, u32), merges: bool) {
        let last = self.form.chars().next_back();
        let one = MERGED
            .iter()
            .find(|(a, b, _)| merges && last == Some(*a) && *b == c);
        if let Some((_, _, one)) = one {
            let start = self.places.pop().map_or(place.0, |(start, _)| start);
            self.form.pop();
            self.form.push(*one);
            self.places.push((start, place.1));
            return;
        }
        self.form.push(c);
        let wanted = self.form.len();
        self.places.resize(wanted, place);
    }
}

/// A word with letters that look alike in one form.
pub(super) fn folded(word: &str) -> String {
    Letters::of(word, true).form
}

/// One letter for those that a scan takes for each other.
fn alike(c: char) -> char {
    match letter_of(c) {
        'i' => 'l',
        c => c,
    }
}

/// Where `statement` stands in `text` letter by letter, between whole words.
pub(super) fn exact(statement: &str, text: &str) -> Option<Range<usize>> {
    if !statement.contains(char::is_alphanumeric) {
        return None;
    }
    let found = text.match_indices(statement);
    let mut spans = found.map(|(at, _)| at..at + statement.len());
    spans.find(|span| is_whole(text, span))
}

/// Whether a span begins and ends between words, and not within a number.
fn is_whole(text: &str, span: &Range<usize>) -> bool {
    let (before, inside, after) = (&text[..span.start], &text[span.clone()], &text[span.end..]);
    !is_glued(before, inside) && !is_glued(inside, after)
}

fn is_glued(left: &str, right: &str) -> bool {
    let (Some(last), Some(first)) = (left.chars().next_back(), right.chars().next()) else {
        return false;
    };
    let is_mark = |c: char| matches!(c, '.' | ',');
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let before_mark = is_mark(last) && digit(Some(first)) && digit(left.chars().rev().nth(1));
    let after_mark = is_mark(first) && digit(Some(last)) && digit(right.chars().nth(1));
    before_mark || after_mark || is_word(last) && is_word(first)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !is_combining_mark(c) && c < UNSPACED
}
