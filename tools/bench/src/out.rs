//! Standard output, for a reader who may leave: as the other binary writes it.

/// As that of the standard library.
macro_rules! println {
    ($($text:tt)*) => { argosy::out::write(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use println;
