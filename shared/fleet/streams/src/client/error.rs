//! The reasons why a client has no answer, or none yet.

use bus::{BusError, PublishError};
use envelope::{CodecError, IdError, TurnId};
use std::time::Duration;

/// The hint about a question for which there is no sign that a gateway has taken it.
pub const UNTAKEN: &str = "no gateway has taken the question yet: none runs (`argosy run gateway`, `argosy up`), or the streams have no room (`argosy status`)";

/// Why there is no answer, or none yet.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be asked, or refused.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The id of the question is not a valid id.
    #[error("`id`: {0}")]
    Id(#[from] IdError),
    /// The question cannot be serialized.
    #[error(transparent)]
    Fields(#[from] serde_json::Error),
    /// The operating system provides no random bits.
    #[error("the operating system gave no random bytes: {0}")]
    Random(String),
    /// Subscribing took too long.
    #[error("NATS did not answer in time")]
    Away,
    /// The inbox has no room.
    #[error("the inbox is full; try again later")]
    Full,
    /// The server refused the question.
    #[error("the server refused the question: {0}")]
    Refused(String),
    /// The question was not confirmed.
    #[error("the question was not stored, as far as is known: {0}")]
    NotStored(PublishError),
    /// The answer has not arrived in time.
    #[error(
        "no answer within {} s; {}",
        .wait.as_secs(),
        if *.is_untaken { UNTAKEN } else { "the question is still being worked on" }
    )]
    Late {
        /// The turn.
        turn: TurnId,
        /// How long the client has waited.
        wait: Duration,
        /// Whether the question is still where no gateway has begun with it.
        is_untaken: bool,
    },
    /// There is an answer, but it cannot be read.
    #[error("the answer cannot be read: {0}")]
    Unreadable(CodecError),
    /// The turn has not ended.
    #[error("turn `{0}` is still being worked on")]
    Unended(TurnId),
    /// There is no answer to be fetched.
    #[error("there is no turn `{0}`, or its answer has aged out")]
    NoAnswer(TurnId),
    /// There is no turn to be cancelled.
    #[error("there is no turn `{0}`, or it has aged out")]
    NoTurn(TurnId),
    /// The terminal event of a cancelled turn cannot be serialized.
    #[error(transparent)]
    End(CodecError),
}

impl From<PublishError> for Error {
    fn from(error: PublishError) -> Error {
        match error {
            PublishError::Full => Error::Full,
            PublishError::Refused(why) => Error::Refused(why),
            other => Error::NotStored(other),
        }
    }
}
