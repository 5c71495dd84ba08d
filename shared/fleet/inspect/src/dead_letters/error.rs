//! The errors of reading and retrying dead letters.

use bus::{BusError, PublishError};
use harness::replay;

/// An error of reading or retrying dead letters.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be reached, or refused the request.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The next letter did not come in time.
    #[error("NATS did not send the next dead letter in time")]
    Away,
    /// There is no letter with this number.
    #[error("there is no dead letter {0}, or it has aged out")]
    NotThere(u64),
    /// The turn cannot be continued.
    #[error(transparent)]
    Again(#[from] replay::Error),
    /// The document was not published again.
    #[error("the document could not be published again: {0}")]
    NotStored(#[from] PublishError),
}
