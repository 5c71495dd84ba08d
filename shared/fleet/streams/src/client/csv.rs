//! Writes all rows of the table of an answer as comma-separated values.

use bus::{Bus, BusError};
use envelope::limits::ATTACHMENT_BYTES_MAX;
use envelope::{Terminal, TurnId};

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// The bus could not be asked.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// No documents were listed or counted.
    #[error("the answer of turn `{0}` has no table")]
    NoTable(TurnId),
    /// Its file is not kept any more.
    #[error("the file of the table of turn `{0}` is no longer kept")]
    Gone(TurnId),
}

/// All rows of the table of an answer: those of its file, if the event lacks rows or has shortened a cell, or else those
/// in the event.
///
/// # Errors
/// When the answer has no table, or the file cannot be read.
pub async fn csv(bus: &dyn Bus, terminal: &Terminal) -> Result<Vec<u8>, CsvError> {
    let table = terminal.table.as_ref();
    let table = table.ok_or_else(|| CsvError::NoTable(terminal.turn.clone()))?;
    let Some(file) = &table.file else {
        return Ok(table.csv().into_bytes());
    };
    let bytes = bus.get_file(&file.key, ATTACHMENT_BYTES_MAX as u64).await?;
    let bytes = bytes.ok_or_else(|| CsvError::Gone(terminal.turn.clone()))?;
    Ok(bytes.to_vec())
}
