//! Writes to standard output, and exits quietly when the reader closes the pipe, as the `argosy` binary does.

/// Like the macro of the standard library.
macro_rules! println {
    ($($text:tt)*) => { argosy::out::write(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use println;
