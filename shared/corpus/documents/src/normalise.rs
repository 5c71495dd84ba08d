//! Makes text from scans and exports searchable without changing what it says.
//!
//! The rules are conservative. They unify compatibility characters (NFKC), remove invisible characters, join words
//! that were broken at line ends, remove repeated page headers and footers, and correct digits and letters that a
//! scanner confused, where there may have been one. Spelling is *not* corrected, and `10²` does not become `102`.

mod ocr;
mod pages;

use crate::document::NumberedLine;
use std::collections::HashSet;
use text::unify;

/// Names how text is cleaned. It changes whenever the cleaned text of a document would.
pub const NORMALISER: &str = "clean-2";

/// Spaces in a row that are kept: enough to still see a column.
const SPACES_MAX: usize = 2;

/// Cleans lines. Numbers and count of the lines stay. Signs that a scanner confused are corrected only where they
/// `may_be_scanned`: elsewhere `List1` and `web1prod` are names.
pub fn normalise(mut lines: Vec<NumberedLine>, may_be_scanned: bool) -> Vec<NumberedLine> {
    for line in &mut lines {
        line.text = clean(&line.text);
    }
    pages::say_once(&mut lines);
    join_hyphenated(&mut lines);
    for line in &mut lines {
        if line.text.contains(SOFT_HYPHEN) {
            line.text = line.text.replace(SOFT_HYPHEN, "");
        }
    }
    if may_be_scanned {
        ocr::repair(&mut lines);
    }
    lines
}

const SOFT_HYPHEN: char = '\u{ad}';

/// One line: NFKC, no control or zero-width characters, no odd or endless spaces. Soft hyphens stay
/// for the moment: at a line end they say that a word goes on.
fn clean(text: &str) -> String {
    if text.bytes().all(|b| (0x20..0x7f).contains(&b)) && !text.contains("   ") {
        return text.trim_end().to_owned();
    }
    let unified = unify(text);
    let mut out = String::with_capacity(unified.len());
    let mut spaces = 0;
    for c in unified.chars() {
        match c {
            '\t' => out.push(c),
            _ if c.is_whitespace() => {
                spaces += 1;
                if spaces <= SPACES_MAX {
                    out.push(' ');
                }
                continue;
            }
            _ if is_invisible(c) => continue,
            _ => out.push(c),
        }
        spaces = 0;
    }
    out.truncate(out.trim_end().len());
    out
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}')
}

/// Joins `infor-` and `mation` at a line end. The document decides between `wellknown` and
/// `well-known`: the form that it also writes inside a line wins.
fn join_hyphenated(lines: &mut [NumberedLine]) {
    let breaks: Vec<usize> = (1..lines.len())
        .filter(|&i| broken_word(&lines[i - 1].text, &lines[i].text).is_some())
        .collect();
    if breaks.is_empty() {
        return;
    }
    let compounds = compounds(lines);
    for i in breaks {
        let (before, after) = lines.split_at_mut(i);
        let (Some(before), after) = (before.last_mut(), &mut after[0]) else {
            continue;
        };
        // Looked at again: an earlier join may have emptied this line.
        let Some((head, tail)) = broken_word(&before.text, &after.text) else {
            continue;
        };
        let compound = compounds.contains(&format!("{head}-{tail}"));
        let tail_bytes = after.text.len() - after.text.trim_start().len() + tail.len();
        let moved = take_word(&after.text[tail_bytes..]);
        let rest = after.text[tail_bytes + moved.len()..]
            .trim_start()
            .to_owned();
        before.text.pop();
        if compound {
            before.text.push('-');
        }
        before.text.push_str(&tail);
        before.text.push_str(moved);
        after.text = rest;
    }
}

/// The two halves of a word that is broken between two lines.
fn broken_word(before: &str, after: &str) -> Option<(String, String)> {
    let stem = before
        .strip_suffix('-')
        .or_else(|| before.strip_suffix('\u{2010}'))
        .or_else(|| before.strip_suffix(SOFT_HYPHEN))?;
    let head: String = {
        let start = stem
            .char_indices()
            .rev()
            .take_while(|(_, c)| c.is_alphabetic())
            .last()?
            .0;
        stem[start..].to_owned()
    };
    let tail: String = after
        .trim_start()
        .chars()
        .take_while(|c| c.is_alphabetic())
        .collect();
    let word = tail.chars().next()?.is_lowercase() && head.chars().last()?.is_lowercase();
    word.then_some((head, tail))
}

/// Punctuation that clings to a moved word.
fn take_word(text: &str) -> &str {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    &text[..end]
}

/// Words with a hyphen inside a line, as the document writes them.
fn compounds(lines: &[NumberedLine]) -> HashSet<String> {
    lines
        .iter()
        .flat_map(|line| line.text.split_whitespace())
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.contains('-'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(text: &str) -> Vec<String> {
        let lines = text
            .split('\n')
            .zip(1..)
            .map(|(text, number)| NumberedLine {
                number,
                page: None,
                text: text.to_owned(),
            });
        normalise(lines.collect(), true)
            .into_iter()
            .map(|l| l.text)
            .collect()
    }

    #[test]
    fn compatibility_forms_are_unified_but_numbers_stay() {
        assert_eq!(run("ﬁnal oﬀer，１２３"), ["final offer,123"]);
        assert_eq!(
            run("10² m, 5½ h, CO₂ ﬁt 3 µA"),
            ["10² m, 5½ h, CO₂ fit 3 µA"]
        );
    }

    #[test]
    fn invisible_characters_and_odd_spaces_go() {
        assert_eq!(run("a\u{a0}b\u{200b}c\u{7}d     e \t "), ["a bcd  e"]);
        assert_eq!(run("in\u{ad}for\u{ad}mation"), ["information"]);
    }

    #[test]
    fn words_broken_at_line_ends_are_joined() {
        assert_eq!(
            run("the infor-\nmation, here"),
            ["the information,", "here"]
        );
        assert_eq!(run("infor\u{ad}\n  mation"), ["information", ""]);
        assert_eq!(
            run("a well-known fact, well-\nknown too"),
            ["a well-known fact, well-known", "too"]
        );
    }

    #[test]
    fn what_is_no_broken_word_stays() {
        for text in [
            "2023-\n2024",
            "- \nitem",
            "Smith-\nJones",
            "a --\nb",
            "x-\n\ny",
            "---\nname",
        ] {
            assert_eq!(
                run(text).join("\n"),
                text.replace("- \n", "-\n"),
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn lines_are_kept_and_it_is_idempotent(text in "([a-z]{1,5}|[- \n\u{ad}ﬁ²\t,.]){0,60}") {
            let once = run(&text).join("\n");
            prop_assert_eq!(once.split('\n').count(), text.split('\n').count());
            prop_assert!(!once.contains(SOFT_HYPHEN));
            let letters = |t: &str| t.chars().filter(|c| c.is_ascii_alphabetic()).count();
            prop_assert_eq!(letters(&once), letters(&text) + 2 * text.matches('ﬁ').count());
        }
    }
}
