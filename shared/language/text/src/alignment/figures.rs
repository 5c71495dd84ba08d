//! Reads the figures of a text as numbers in one form: `1,200.50` is `1200.5`, `03.05.2021` is 3, 5 and 2021. *Not*
//! here: what the figures measure; units and currencies are compared as words.

use crate::{months, numerals, words};
use std::collections::HashSet;

/// The largest number that is read in words.
const SPELT_MAX: f64 = 12.0;
/// Lower-case letters of a word whose end is no number.
const WORD_CHARS_MIN: usize = 3;
/// Letters that a scan takes for digits, and the digits.
const ALIKE: [(char, char); 4] = [('o', '0'), ('O', '0'), ('l', '1'), ('I', '1')];

/// The numbers that a statement names in digits.
pub(crate) fn figures(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens(text) {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
        let read = as_number(token);
        for piece in read.split(|c| !is_number(c)) {
            let piece = piece.trim_matches(['.', ',']);
            if !piece.is_empty() {
                found.extend(numbers(piece));
            }
        }
    }
    found
}

/// The numbers that a text gives: in digits, in words, and as names of months.
pub(crate) fn given_figures(text: &str) -> HashSet<String> {
    let mut given: HashSet<String> = figures(text).into_iter().collect();
    for run in words::runs(text) {
        let word = run.to_lowercase();
        let spelt = numerals::small(&word).filter(|number| *number <= SPELT_MAX);
        given.extend(spelt.map(|number| number.to_string()));
        if run.starts_with(char::is_uppercase) {
            let month = months::number(&word, 3..=3);
            given.extend(month.map(|month| month.to_string()));
        }
    }
    given
}

/// Runs of letters and digits with a digit in them, with the marks between digits.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',');
    let tokens = text.split(move |c| !is_part(c));
    tokens.filter(|token| token.bytes().any(|byte| byte.is_ascii_digit()))
}

/// `2O0` as `200`, where a token has no other letters; `m0nths` without a digit, where it is a word.
fn as_number(token: &str) -> String {
    let digit = |c: char| ALIKE.iter().find(|(letter, _)| *letter == c);
    let is_blurred = |c: char| !c.is_alphabetic() || digit(c).is_some();
    if token.chars().all(is_blurred) {
        let read = |c: char| digit(c).map_or(c, |(_, digit)| *digit);
        return token.chars().map(read).collect();
    }
    let chars: Vec<char> = token.chars().collect();
    let letter = |at: Option<usize>| {
        let c = at.and_then(|at| chars.get(at));
        c.is_some_and(|c| c.is_lowercase())
    };
    let in_word = |at: usize| {
        let before = (1..=WORD_CHARS_MIN).all(|back| letter(at.checked_sub(back)));
        letter(at.checked_sub(1)) && letter(Some(at + 1)) || before && at + 1 == chars.len()
    };
    let shown = chars.iter().enumerate().map(|(at, c)| match c {
        '0' | '1' | '5' | '8' if in_word(at) => ' ',
        c => *c,
    });
    shown.collect()
}

/// What digits with dots and commas between them come to.
fn numbers(piece: &str) -> Vec<String> {
    let groups: Vec<&str> = piece.split(['.', ',']).filter(|g| !g.is_empty()).collect();
    let marks: Vec<char> = piece.chars().filter(|c| !c.is_ascii_digit()).collect();
    let thousands = |groups: &[&str]| {
        let (first, rest) = groups.split_first().unwrap_or((&"", &[]));
        first.len() <= 3 && !rest.is_empty() && rest.iter().all(|group| group.len() == 3)
    };
    let alike = |marks: &[char]| marks.windows(2).all(|two| two[0] == two[1]);
    let Some((last, whole)) = groups.split_last() else {
        return Vec::new();
    };
    if marks.is_empty() {
        return vec![number(piece, "")];
    }
    if marks.len() + 1 != groups.len() {
        return groups.iter().map(|group| number(group, "")).collect();
    }
    if thousands(&groups) && alike(&marks) {
        return vec![number(&groups.concat(), "")];
    }
    let differs = marks.len() > 1 && marks[marks.len() - 2] != marks[marks.len() - 1];
    if marks.len() == 1 || differs && thousands(whole) && alike(&marks[..marks.len() - 1]) {
        return vec![number(&whole.concat(), last)];
    }
    groups.iter().map(|group| number(group, "")).collect()
}

fn number(whole: &str, fraction: &str) -> String {
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}
