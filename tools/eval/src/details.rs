//! Writes lines of JSON into a file, one for each question, for people who look for the questions that failed.

use crate::error::Error;
use std::io::Write;
use std::path::Path;

/// Writes the lines to a file.
///
/// # Errors
/// When the file cannot be written; it is named.
pub(crate) fn write(path: &Path, lines: &[String]) -> Result<(), Error> {
    let write = || {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        lines.iter().try_for_each(|line| writeln!(file, "{line}"))?;
        file.flush()
    };
    write().map_err(|error| Error::File {
        path: path.to_owned(),
        error,
    })
}
