//! `print!` and `println!` for commands whose reader may close the pipe.
//!
//! A reader such as `head` leaves after some lines. The next print then unwinds, so that child processes are ended
//! and temporary folders removed. [`until_read`] turns the unwinding into a quiet exit, with the result that was
//! [`decided`] before the printing. `eprintln!` drops text that cannot be written to stderr. *Not* for services,
//! which log.

use crate::cli_error::CliError;
use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// The payload of the unwinding: the reader of the output has gone.
struct ReaderGone;

/// The payload of the unwinding: the output cannot be written, as on a full disk.
struct Unwritable(std::io::Error);

/// How the command ends, as far as it is known.
static DECIDED: AtomicU8 = AtomicU8::new(0);

/// Whether stderr is for errors alone. It applies to the whole process, as colour does.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on only errors are written to stderr.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether warnings, hints and progress are unwanted.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Records the result of a command before the command prints its output, so that a reader who closes the pipe does
/// not change the exit code.
pub fn decided<T>(verdict: Result<T, CliError>) -> Result<T, CliError> {
    let exit = verdict.as_ref().err().map_or(0, |fail| fail.exit);
    DECIDED.store(exit, Ordering::Relaxed);
    verdict
}

/// Writes to standard output, in colour where that is wanted. For the macros.
///
/// # Panics
/// When standard output cannot be written to, or its reader has gone; without a message, which [`until_read`] gives where one is due.
pub fn write(text: Arguments<'_>) {
    must(anstream::stdout().lock().write_fmt(text));
}

/// Writes to standard output, and ignores that the reader may have gone. For the last word of a command that still
/// has something to finish.
pub(crate) fn offer(text: Arguments<'_>) {
    let _ = anstream::stdout().lock().write_fmt(text);
}

/// Writes to standard error, and ignores that the reader may have gone. For the macro.
pub(crate) fn aside(text: Arguments<'_>) {
    let _ = anstream::stderr().lock().write_fmt(text);
}

/// Writes to standard output at once and unchanged: terminal codes stay in it even where colour is removed.
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
        Err(error) => resume_unwind(Box::new(Unwritable(error))),
    }
}

/// Runs a command. A command whose reader has gone ends as if it had succeeded, unless its end was [`decided`]
/// otherwise.
pub fn until_read(command: impl FnOnce() -> ExitCode) -> ExitCode {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|why| {
        if why.is::<ReaderGone>() {
            return ExitCode::from(DECIDED.load(Ordering::Relaxed));
        }
        match why.downcast::<Unwritable>() {
            Ok(why) => {
                aside(format_args!(
                    "error: standard output cannot be written to: {}\n",
                    why.0
                ));
                ExitCode::FAILURE
            }
            Err(why) => resume_unwind(why),
        }
    })
}

/// Like the macro of the standard library, for a reader who may leave.
macro_rules! print {
    ($($text:tt)*) => { $crate::out::write(format_args!($($text)*)) };
}

/// Like the macro of the standard library, for a reader who may leave.
macro_rules! println {
    () => { $crate::out::print!("\n") };
    ($($text:tt)*) => { $crate::out::print!("{}\n", format_args!($($text)*)) };
}

/// Like the macro of the standard library, for a reader who may leave.
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::out::aside(format_args!("{}\n", format_args!($($text)*))) };
}

/// What only informs a user, on standard error; nothing where stderr is for errors alone.
macro_rules! notice {
    ($($text:tt)*) => {
        if !$crate::out::is_quiet() {
            $crate::out::eprintln!($($text)*);
        }
    };
}

pub(crate) use {eprintln, notice, print, println};
