//! Shows a draft on the terminal while it is written: on stderr, dimmed, redrawn in place, and removed at the end.
//!
//! Only the last lines of a draft are shown, so that it never scrolls, because text that has scrolled cannot be
//! removed. Each row is cut at the edge of the terminal. *Not* used where results do not go to a terminal, or where
//! the terminal cannot dim text, because a user has to see that the sentences are unchecked.

use super::screen;
use crate::cli::Output;
use crate::out;
use anstream::{AutoStream, ColorChoice};
use std::io::IsTerminal;

/// The most rows of a draft that are shown.
const ROWS_MAX: usize = 6;
/// The rows that are kept free: for the progress line, for the title of the draft, and for the text that stood there
/// before.
const ROWS_LEFT: usize = 4;
/// A narrower terminal shows no draft.
const COLUMNS_MIN: usize = 30;
/// The title of the draft.
const TITLE: &str = "draft, not checked yet:";

/// The place on the terminal where a draft is drawn. Dropping it takes the draft away.
pub(crate) struct Canvas {
    /// The number of rows that are drawn; the cursor is in the last one.
    drawn: usize,
}

/// A size of a terminal, in characters.
#[derive(Debug, Clone, Copy)]
struct Size {
    rows: usize,
    columns: usize,
}

impl Size {
    /// How many lines of a draft fit.
    fn lines(self) -> usize {
        match self.columns < COLUMNS_MIN {
            true => 0,
            false => self.rows.saturating_sub(ROWS_LEFT).min(ROWS_MAX),
        }
    }
}

impl Canvas {
    /// Makes a place for drafts, where the output is for people and the terminal has room and can dim text.
    pub(crate) fn new(output: Output) -> Option<Canvas> {
        let stderr = std::io::stderr();
        let is_watched = output == Output::Text && !out::is_quiet();
        let has_codes = screen::has_codes() && stderr.is_terminal();
        let can_dim = AutoStream::choice(&stderr) != ColorChoice::Never;
        let has_room = || size().is_some_and(|size| size.lines() > 0);
        (is_watched && has_codes && can_dim && has_room()).then_some(Canvas { drawn: 0 })
    }

    /// Shows a draft below the progress line.
    pub(crate) fn show(&mut self, now: &str, draft: &str) {
        let rows = size().map_or_else(Vec::new, |size| picture(now, draft, size));
        out::aside(format_args!("{}", over(self.drawn, &rows)));
        self.drawn = rows.len();
    }

    /// Removes the draft.
    pub(crate) fn clear(&mut self) {
        if self.drawn > 0 {
            out::aside(format_args!("{}", over(self.drawn, &[])));
            self.drawn = 0;
        }
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        self.clear();
    }
}

fn size() -> Option<Size> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    Some(Size {
        rows: size.ws_row.into(),
        columns: size.ws_col.into(),
    })
}

/// The rows of a picture; none where there is no room.
fn picture(now: &str, draft: &str, size: Size) -> Vec<String> {
    let most = size.lines();
    if most == 0 {
        return Vec::new();
    }
    let mut lines = wrapped(draft, size.columns - 1);
    let cut = lines.len().saturating_sub(most);
    let lines = lines.split_off(cut);
    let title = match cut {
        0 => TITLE.to_owned(),
        _ => format!("{TITLE} …"),
    };
    let dimmed = |line: String| format!("\x1b[2m{line}\x1b[0m");
    let below = std::iter::once(title).chain(lines).map(dimmed);
    std::iter::once(plain(now)).chain(below).collect()
}

/// The picture as output for the terminal: it overwrites a picture of so many rows, and clears what is below. Rows
/// end at the edge of the terminal meanwhile.
fn over(drawn: usize, rows: &[String]) -> String {
    let up = match drawn {
        0 | 1 => String::new(),
        drawn => format!("\x1b[{}A", drawn - 1),
    };
    if rows.is_empty() {
        return format!("\r{up}\x1b[J");
    }
    format!("\r{up}\x1b[?7l{}\x1b[J\x1b[?7h", rows.join("\x1b[K\r\n"))
}

/// The lines of a text, at most so many columns wide where the width is known; lines without a word are dropped.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let (mut line, mut used) = (String::new(), 0);
        for word in plain(paragraph).split(' ').filter(|word| !word.is_empty()) {
            let wanted = word.chars().map(width).sum::<usize>();
            if used > 0 && used + 1 + wanted > columns {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            for c in word.chars() {
                if used + width(c) > columns {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                line.push(c);
                used += width(c);
            }
        }
        if used > 0 {
            lines.push(line);
        }
    }
    lines
}

/// The columns of a character, roughly: all characters of scripts with wide ones count as wide.
fn width(c: char) -> usize {
    if c < '\u{2e80}' { 1 } else { 2 }
}

/// The text without control characters, because a model may write any.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: Size = Size {
        rows: 24,
        columns: 30,
    };

    fn shown(draft: &str, size: Size) -> Vec<String> {
        let rows = picture("mapper: 3 facts", draft, size);
        let plain = |row: &String| anstream::adapter::strip_str(row).to_string();
        rows.iter().map(plain).collect()
    }

    #[test]
    fn a_draft_is_dimmed_and_called_one() {
        let rows = picture("mapper: 3 facts", "The lease ends in May.", SIZE);
        assert_eq!(
            rows,
            [
                "mapper: 3 facts",
                "\x1b[2mdraft, not checked yet:\x1b[0m",
                "\x1b[2mThe lease ends in May.\x1b[0m",
            ]
        );
    }

    #[test]
    fn only_its_last_lines_are_shown_and_no_more_than_have_room() {
        let draft = "- one\n\n- two\n- three\n- four\n- five\n- six\n- seven";
        let rows = shown(draft, SIZE);
        assert_eq!(rows[1], "draft, not checked yet: …");
        assert_eq!(
            rows[2..],
            ["- two", "- three", "- four", "- five", "- six", "- seven"]
        );
        let low = Size { rows: 6, ..SIZE };
        assert_eq!(shown(draft, low)[2..], ["- six", "- seven"]);
        for none in [
            Size { rows: 4, ..SIZE },
            Size {
                columns: 29,
                ..SIZE
            },
        ] {
            assert_eq!(shown(draft, none), [""; 0]);
        }
    }

    #[test]
    fn lines_break_between_words_and_long_words_anywhere() {
        let long = "a".repeat(36);
        let draft = format!(
            "The lease of the Harrow workshop ends. {long} {}",
            "株式会社".repeat(4)
        );
        assert_eq!(
            shown(&draft, SIZE)[2..],
            [
                "The lease of the Harrow",
                "workshop ends.",
                &long[..29],
                &long[29..],
                "株式会社株式会社株式会社株式",
                "会社",
            ]
        );
    }

    #[test]
    fn a_picture_is_drawn_over_the_last_one_and_rows_end_at_the_edge() {
        let rows = ["a".to_owned(), "b".to_owned()];
        let first = "\r\x1b[?7la\x1b[K\r\nb\x1b[J\x1b[?7h";
        assert_eq!(over(0, &rows), first);
        let again = "\r\x1b[2A\x1b[?7la\x1b[K\r\nb\x1b[J\x1b[?7h";
        assert_eq!(over(3, &rows), again);
        assert_eq!(over(2, &[]), "\r\x1b[1A\x1b[J");
    }

    proptest! {
        /// What stood on the screen before stays in its place, and no part of a picture stays, whatever was drawn.
        #[test]
        fn a_picture_is_on_the_screen_as_it_is_and_nothing_of_it_stays(
            drafts in prop::collection::vec("([a-z]{1,30}| |\n|\x1b|\r|株|\\PC){0,80}", 1..5),
            rows in 0usize..30, columns in 0usize..60, above in 0usize..40,
        ) {
            let size = Size { rows, columns };
            let before = "x\r\n".repeat(above);
            let (mut drawn, mut told) = (0, before.clone());
            // A terminal that has no room for a draft has some for this test.
            let seen = |told: &str| testkit::screen::rows(told, rows.max(2), columns.max(2));
            for draft in &drafts {
                let picture = picture("now", draft, size);
                prop_assert!(picture.len() < rows.max(1));
                told.push_str(&over(drawn, &picture));
                drawn = picture.len();
                let screen = seen(&told).join("\n");
                prop_assert_eq!(screen.matches(TITLE).count(), usize::from(drawn > 0), "{}", screen);
            }
            told.push_str(&over(drawn, &[]));
            let left: Vec<_> = seen(&told).into_iter().filter(|row| !row.is_empty()).collect();
            prop_assert!(left.iter().all(|row| row == "x"), "{:?}", left);
            // What is drawn below the last row scrolls, and no more of what was there than has to.
            let lost = seen(&before).iter().filter(|row| !row.is_empty()).count() - left.len();
            prop_assert!(lost <= ROWS_MAX + 1, "{} rows are lost", lost);
        }
    }
}
