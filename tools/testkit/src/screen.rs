//! Computes what a person would read on a terminal after a program's output.
//!
//! It knows the few codes that our programs and their line editor send: moves, erasing, wrapping, scrolling. *Not*
//! colours, and not what has scrolled out at the top.

use std::str::Chars;

/// A screen of this size, after all that it was told.
struct Screen {
    rows: Vec<Vec<char>>,
    columns: usize,
    row: usize,
    column: usize,
    wraps: bool,
}

/// The rows that a terminal of this size shows, without blanks at their ends.
pub fn rows(told: &str, rows: usize, columns: usize) -> Vec<String> {
    let mut screen = Screen {
        rows: vec![vec![' '; columns]; rows],
        columns,
        row: 0,
        column: 0,
        wraps: true,
    };
    let mut told = told.chars();
    while let Some(c) = told.next() {
        screen.obey(c, &mut told);
    }
    let line = |row: Vec<char>| row.into_iter().filter(|c| *c != '\0').collect::<String>();
    let lines = screen.rows.into_iter().map(line);
    lines.map(|line| line.trim_end().to_owned()).collect()
}

impl Screen {
    fn obey(&mut self, c: char, rest: &mut Chars<'_>) {
        match c {
            '\r' => self.column = 0,
            '\n' => self.feed(),
            '\u{8}' => self.column = self.column.saturating_sub(1),
            '\u{1b}' => match rest.next() {
                Some('[') => self.code(rest),
                Some('(' | ')') => drop(rest.next()),
                _ => {}
            },
            c if c.is_control() => {}
            c => self.put(c),
        }
    }

    fn feed(&mut self) {
        if self.row + 1 < self.rows.len() {
            self.row += 1;
            return;
        }
        self.rows.remove(0);
        self.rows.push(vec![' '; self.columns]);
    }

    fn put(&mut self, c: char) {
        let width = if c < '\u{2e80}' { 1 } else { 2 };
        if self.column + width > self.columns {
            if self.wraps {
                self.column = 0;
                self.feed();
            } else {
                self.column = self.columns - width;
            }
        }
        let row = &mut self.rows[self.row];
        row[self.column] = c;
        row[self.column + 1..self.column + width].fill('\0');
        self.column += width;
    }

    fn code(&mut self, rest: &mut Chars<'_>) {
        let mut numbers = String::new();
        let end = loop {
            match rest.next() {
                Some(c) if c.is_ascii_alphabetic() => break c,
                Some(c) => numbers.push(c),
                None => return,
            }
        };
        let mut all = numbers.split(';').map(|n| n.parse::<usize>().ok());
        let first = all.next().flatten();
        let by = first.unwrap_or(1);
        let (last_row, last_column) = (self.rows.len() - 1, self.columns - 1);
        match (end, numbers.as_str()) {
            ('A', _) => self.row = self.row.saturating_sub(by),
            ('B', _) => self.row = (self.row + by).min(last_row),
            ('C', _) => self.column = (self.column + by).min(last_column),
            ('D', _) => self.column = self.column.saturating_sub(by),
            ('G', _) => self.column = (by - 1).min(last_column),
            ('H', _) => {
                self.row = (by - 1).min(last_row);
                self.column = all.next().flatten().map_or(0, |n| n - 1);
            }
            ('J', _) => {
                self.erase(self.row, first);
                let from = if first == Some(2) { 0 } else { self.row + 1 };
                self.rows[from..].fill(vec![' '; self.columns]);
            }
            ('K', _) => self.erase(self.row, first),
            ('h', "?7") => self.wraps = true,
            ('l', "?7") => self.wraps = false,
            _ => {}
        }
    }

    /// Erases to the end of a row, or up to the cursor, or all of it.
    fn erase(&mut self, row: usize, what: Option<usize>) {
        let at = self.column.min(self.columns);
        let range = match what.unwrap_or(0) {
            0 => at..self.columns,
            1 => 0..(at + 1).min(self.columns),
            _ => 0..self.columns,
        };
        self.rows[row][range].fill(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn a_terminal_wraps_scrolls_moves_and_erases() {
        assert_eq!(rows("abcdef\r\ng", 3, 4), ["abcd", "ef", "g"]);
        assert_eq!(rows("a\r\nb\r\nc", 2, 4), ["b", "c"]);
        assert_eq!(rows("a\r\nbcd\r\x1b[1A\x1b[Jx", 2, 4), ["x", ""]);
        assert_eq!(rows("\x1b[?7labcdef\x1b[?7h", 2, 4), ["abcf", ""]);
        assert_eq!(rows("abc\x1b[2D\x1b[1;31mx\x1b[K", 1, 4), ["ax"]);
        assert_eq!(rows("株株株", 2, 4), ["株株", "株"]);
        assert_eq!(rows("ab\x1b[2J\x1b[Hc", 1, 4), ["c"]);
    }
}
