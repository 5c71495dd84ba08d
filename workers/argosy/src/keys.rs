//! Reads single key presses, without Enter and without an echo, while a command shows a live display.
//!
//! Ctrl-C still sends its signal, and output is printed as usual. When [`Keys`] is dropped, also after an error, the
//! terminal gets its former settings back. *Not* a line editor: arrow keys and other escape sequences are ignored.

use rustix::termios::{self, LocalModes, OptionalActions, SpecialCodeIndex, Termios};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{IsTerminal, Read, Result};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// How often a key is looked for. No user notices the delay, and waiting for a file would need unsafe code.
const LOOK_EVERY: Duration = Duration::from_millis(40);
/// The byte with which an arrow key begins.
const ESCAPE: u8 = 0x1b;

/// The keys of a terminal.
pub(crate) struct Keys {
    terminal: File,
    before: Termios,
    pressed: VecDeque<char>,
}

impl Keys {
    /// The keys of standard input, if it is a terminal.
    pub(crate) fn of_stdin() -> Option<Keys> {
        let stdin = std::io::stdin();
        if !stdin.is_terminal() {
            return None;
        }
        // Standard input itself would be read ahead of.
        let own = stdin.as_fd().try_clone_to_owned();
        let keys = own.and_then(Keys::of);
        if let Err(error) = &keys {
            tracing::debug!(%error, "no keys of this terminal");
        }
        keys.ok()
    }

    fn of(terminal: OwnedFd) -> Result<Keys> {
        let before = termios::tcgetattr(&terminal)?;
        let mut by_keys = before.clone();
        by_keys.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        let codes = &mut by_keys.special_codes;
        // A read takes what is there, be it nothing.
        codes[SpecialCodeIndex::VMIN] = 0;
        codes[SpecialCodeIndex::VTIME] = 0;
        // Who stops or quits in the middle would leave the terminal like this.
        codes[SpecialCodeIndex::VSUSP] = 0;
        codes[SpecialCodeIndex::VQUIT] = 0;
        termios::tcsetattr(&terminal, OptionalActions::Now, &by_keys)?;
        Ok(Keys {
            terminal: terminal.into(),
            before,
            pressed: VecDeque::new(),
        })
    }

    /// The next key. It never comes when the terminal has gone.
    pub(crate) async fn next(&mut self) -> char {
        loop {
            if let Some(key) = self.pressed.pop_front() {
                return key;
            }
            let mut bytes = [0; 64];
            match self.terminal.read(&mut bytes) {
                Ok(n @ 1..) => self.pressed.extend(typed(&bytes[..n])),
                _ => tokio::time::sleep(LOOK_EVERY).await,
            }
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = termios::tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

/// The keys in bytes that came together. From an escape on, they are one key without a letter.
fn typed(bytes: &[u8]) -> impl Iterator<Item = char> {
    let letters = bytes.iter().take_while(|byte| **byte != ESCAPE);
    letters
        .filter(|byte| byte.is_ascii_graphic())
        .map(|byte| char::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use testkit::terminal::PseudoTerminal;

    #[test]
    fn letters_are_keys_and_arrows_are_none() {
        let keys = |bytes: &[u8]| typed(bytes).collect::<String>();
        assert_eq!(keys(b"3r q\n"), "3rq");
        assert_eq!(keys(b"3\x1b[A"), "3");
        assert_eq!(keys(b"\x1b[1;2B"), "");
    }

    #[tokio::test]
    async fn keys_come_one_by_one_and_the_terminal_is_as_it_was_afterwards() {
        let mut terminal = PseudoTerminal::new(24, 80).unwrap();
        let before = format!("{:?}", terminal.modes().unwrap());
        let mut keys = Keys::of(terminal.end().unwrap()).unwrap();
        assert!(!terminal.is_by_lines().unwrap());
        terminal.types("4").unwrap();
        assert_eq!(keys.next().await, '4');
        terminal.types("rq").unwrap();
        assert_eq!((keys.next().await, keys.next().await), ('r', 'q'));
        assert_eq!(terminal.seen(), "", "no echo");
        drop(keys);
        assert_eq!(format!("{:?}", terminal.modes().unwrap()), before);
    }

    #[tokio::test]
    async fn a_panic_gives_the_terminal_back_too() {
        let terminal = PseudoTerminal::new(24, 80).unwrap();
        let keys = Keys::of(terminal.end().unwrap()).unwrap();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _held = keys;
            std::panic::resume_unwind(Box::new("as when a table cannot be drawn"));
        }));
        assert!(caught.is_err());
        assert!(terminal.is_by_lines().unwrap());
    }
}
