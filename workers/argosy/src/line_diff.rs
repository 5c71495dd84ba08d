//! Compares two texts line by line: lines of the longest common subsequence are kept, all others are removed or
//! added. Pure.
//!
//! It is meant for texts as long as prompts, because time and memory grow with the product of the numbers of lines.
//! For longer texts it only tells that they differ.

use serde::Serialize;

/// The most lines of a text that is compared.
pub(crate) const LINES_MAX: usize = 2_000;

/// A line of either text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "side", content = "line")]
pub(crate) enum DiffLine<'a> {
    /// The line stands in both texts.
    Both(&'a str),
    /// The line stands in the first text only.
    Old(&'a str),
    /// The line stands in the second text only.
    New(&'a str),
}

/// The lines of both texts in their order; in a change, the removed lines come before the added ones. `None` when one
/// text has over [`LINES_MAX`] lines.
pub(crate) fn diff<'a>(old: &'a str, new: &'a str) -> Option<Vec<DiffLine<'a>>> {
    let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    if a.len().max(b.len()) > LINES_MAX {
        return None;
    }
    // How many lines the rests from here on have in common.
    let width = b.len() + 1;
    let mut common = vec![0_u32; (a.len() + 1) * width];
    for (i, line) in a.iter().enumerate().rev() {
        for (j, other) in b.iter().enumerate().rev() {
            let at = i * width + j;
            common[at] = match line == other {
                true => common[at + width + 1] + 1,
                false => common[at + width].max(common[at + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::with_capacity(a.len().max(b.len()));
    while i < a.len() || j < b.len() {
        let at = i * width + j;
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push(DiffLine::Both(a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && common[at + width] >= common[at + 1]) {
            lines.push(DiffLine::Old(a[i]));
            i += 1;
        } else {
            lines.push(DiffLine::New(b[j]));
            j += 1;
        }
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_stays_stays_and_the_rest_goes_or_comes() {
        use DiffLine::{Both, New, Old};
        let told = diff("a\nb\nc\nd", "a\nx\nc\ne\nd").unwrap();
        assert_eq!(
            told,
            [
                Both("a"),
                Old("b"),
                New("x"),
                Both("c"),
                New("e"),
                Both("d")
            ]
        );
        assert_eq!(diff("", "").unwrap(), []);
        assert!(diff(&"x\n".repeat(LINES_MAX + 1), "").is_none());
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_out_of_it(old in "([abc]\n){0,12}", new in "([abc]\n){0,12}") {
            let told = diff(&old, &new).unwrap();
            let side = |old: bool| -> Vec<&str> {
                let line = |line: &DiffLine<'_>| match *line {
                    DiffLine::Both(_) => true,
                    DiffLine::Old(_) => old,
                    DiffLine::New(_) => !old,
                };
                told.iter().filter(|one| line(one)).map(|one| match one {
                    DiffLine::Both(text) | DiffLine::Old(text) | DiffLine::New(text) => *text,
                }).collect()
            };
            prop_assert_eq!(side(true), old.lines().collect::<Vec<_>>());
            prop_assert_eq!(side(false), new.lines().collect::<Vec<_>>());
        }
    }
}
