//! A terminal without a person: what a program writes to it is kept, and a test types keys into it.
//!
//! It is a real terminal of the operating system. *Not* here: what the control codes draw ([`screen`](crate::screen)).

use rustix::fs::{self, Mode, OFlags};
use rustix::io::FdFlags;
use rustix::pty::{self, OpenptFlags};
use rustix::termios::{self, LocalModes, Termios, Winsize};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

/// A terminal, held at the person's end.
pub struct PseudoTerminal {
    person: File,
    program: OwnedFd,
    seen: Vec<u8>,
}

impl PseudoTerminal {
    /// A new terminal of this size, in characters.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn new(rows: u16, columns: u16) -> io::Result<PseudoTerminal> {
        let person = pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        rustix::io::fcntl_setfd(&person, FdFlags::CLOEXEC)?;
        pty::grantpt(&person)?;
        pty::unlockpt(&person)?;
        let name = pty::ptsname(&person, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let program = fs::open(name, flags, Mode::empty())?;
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        termios::tcsetwinsize(&program, size)?;
        fs::fcntl_setfl(&person, OFlags::NONBLOCK)?;
        Ok(PseudoTerminal {
            person: person.into(),
            program,
            seen: Vec::new(),
        })
    }

    /// The program's end of the terminal: its standard input, output or both.
    ///
    /// # Errors
    /// When the process has too many open files.
    pub fn end(&self) -> io::Result<OwnedFd> {
        self.program.try_clone()
    }

    /// Types keys.
    ///
    /// # Errors
    /// When the terminal takes no more.
    pub fn types(&mut self, keys: &str) -> io::Result<()> {
        self.person.write_all(keys.as_bytes())
    }

    /// All that was written so far, codes included.
    pub fn seen(&mut self) -> String {
        let mut bytes = [0; 4096];
        // Nothing more to read is an error here: it would block.
        while let Ok(n @ 1..) = self.person.read(&mut bytes) {
            self.seen.extend_from_slice(&bytes[..n]);
        }
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// The settings of the terminal.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn modes(&self) -> io::Result<Termios> {
        Ok(termios::tcgetattr(&self.program)?)
    }

    /// Whether the terminal passes on whole lines and echoes keys, as shells leave it.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn is_by_lines(&self) -> io::Result<bool> {
        let lines = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        Ok(self.modes()?.local_modes.contains(lines))
    }
}
