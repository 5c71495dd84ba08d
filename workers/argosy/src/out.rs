//! Standard output of commands: `print!` and `println!` for a reader who may leave.
//!
//! Whoever pipes a list into `head` has had enough after some lines. The next line unwinds then, so that
//! children are ended and folders removed, and [`until_read`] makes a quiet end of it. *Not* for errors,
//! which go to standard error, nor for services, which log.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

/// Why it unwinds: nobody reads any more.
struct ReaderGone;

/// Writes to standard output, in colour where that is wanted. For the macros.
///
/// # Panics
/// When standard output cannot be written to; without a message when its reader has gone.
pub fn write(text: Arguments<'_>) {
    must(anstream::stdout().lock().write_fmt(text));
}

/// Writes to standard output at once and as it is: codes stay in where colour is taken out.
///
/// # Panics
/// As [`write()`].
pub fn raw(text: &str) {
    let mut stdout = std::io::stdout().lock();
    must(
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    );
}

fn must(written: std::io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => resume_unwind(Box::new(ReaderGone)),
        Err(error) => panic!("standard output cannot be written to: {error}"),
    }
}

/// Runs a command. One whose reader has gone has done what it was asked for.
pub fn until_read(command: impl FnOnce() -> ExitCode) -> ExitCode {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|why| {
        if why.is::<ReaderGone>() {
            return ExitCode::SUCCESS;
        }
        resume_unwind(why)
    })
}

/// As that of the standard library, for a reader who may leave.
macro_rules! print {
    ($($text:tt)*) => { $crate::out::write(format_args!($($text)*)) };
}

/// As that of the standard library, for a reader who may leave.
macro_rules! println {
    () => { $crate::out::print!("\n") };
    ($($text:tt)*) => { $crate::out::print!("{}\n", format_args!($($text)*)) };
}

pub(crate) use {print, println};
