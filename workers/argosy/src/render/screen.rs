//! Controls the terminal while a command redraws the same display again and again.
//!
//! It uses the terminal's alternate screen, so that the earlier contents come back at the end, and draws each display
//! over the one before it, also without colour. If the output is not a terminal, or the terminal understands no
//! control codes, the displays are printed one below the other. *Not* here: keys.

use crate::cli::Output;
use crate::out::{self, println};
use anstream::{AutoStream, ColorChoice};
use std::io::{IsTerminal, Write};

/// Switches to the alternate screen, hides the cursor, and lets long lines end at the edge.
const TAKE: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
/// Undoes all of that.
const GIVE_BACK: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";

/// A terminal that was taken over, or output that is none.
pub(crate) struct Screen {
    is_taken: bool,
}

impl Screen {
    /// Takes the terminal over, if the output is a terminal for people that understands codes.
    pub(crate) fn taken(output: Output) -> Screen {
        let is_taken = output == Output::Text && has_codes();
        if is_taken {
            // What a panic says is to be read after it.
            let told = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |why| {
                give_back();
                told(why);
            }));
            out::raw(TAKE);
        }
        Screen { is_taken }
    }

    /// Whether pictures are drawn over each other.
    pub(crate) fn is_taken(&self) -> bool {
        self.is_taken
    }

    /// Shows a picture.
    pub(crate) fn show(&self, text: &str) {
        if !self.is_taken {
            println!("{text}");
            return;
        }
        let stdout = std::io::stdout();
        let size = rustix::termios::tcgetwinsize(&stdout);
        let rows = size.map_or(0, |size| usize::from(size.ws_row));
        let is_plain = AutoStream::choice(&stdout) == ColorChoice::Never;
        match is_plain {
            true => out::raw(&drawn(
                &anstream::adapter::strip_str(text).to_string(),
                rows,
            )),
            false => out::raw(&drawn(text, rows)),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.is_taken {
            give_back();
        }
    }
}

/// Whether standard output is a terminal that accepts codes.
pub(super) fn has_codes() -> bool {
    let is_dumb = settings::sources::variable("TERM").is_none_or(|name| name == "dumb");
    std::io::stdout().is_terminal() && !is_dumb
}

/// Gives the terminal back. Errors are ignored, because a terminal that is gone needs nothing.
fn give_back() {
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(GIVE_BACK.as_bytes());
    let _ = stdout.flush();
}

/// A picture as output for the terminal: it begins at the top, clears each line to its end and everything below, and
/// shows no blank screen in between. Lines that do not fit into so many rows are left out at the end; 0 stands for
/// any number of rows.
fn drawn(text: &str, rows: usize) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let more = match rows {
        0 => 0,
        rows if lines.len() > rows => lines.len() + 1 - rows,
        _ => 0,
    };
    lines.truncate(lines.len() - more);
    let rest = format!("… {more} more lines");
    if more > 0 {
        lines.push(&rest);
    }
    format!("\x1b[H{}\x1b[K\x1b[J", lines.join("\x1b[K\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_drawn_over_the_last_one_and_no_longer_than_the_screen() {
        let three = "\x1b[H1\x1b[K\n2\x1b[K\n3\x1b[K\x1b[J";
        assert_eq!(drawn("1\n2\n3\n", 0), three);
        assert_eq!(drawn("1\n2\n3", 3), three, "no line end that would scroll");
        let cut = "\x1b[H1\x1b[K\n… 2 more lines\x1b[K\x1b[J";
        assert_eq!(drawn("1\n2\n3", 2), cut);
    }
}
