//! The client library for every front door of the fleet. It asks questions, fetches answers, cancels turns and looks
//! into the corpus.
//!
//! It works on either bus and never calls a gateway directly: a client only publishes and listens. *Not* here: the
//! command line with its colours and exit codes.
//!
//! | function | what |
//! |---|---|
//! | [`ask`] | publishes a question, reports its stages, waits for its terminal event |
//! | [`publish`] | publishes a question, and waits for nothing |
//! | [`TurnEvents`] | follows a turn as numbered events, which can be taken up again |
//! | [`Ends`] | hears the ends of all turns that a process asks for |
//! | [`answer`] | fetches the terminal event of a turn that was asked before |
//! | [`csv`](fn@csv) | writes all rows of the table of an answer |
//! | [`cancel`] | ends a turn |
//! | [`DraftText`] | puts the draft of an answer together from the live messages |
//! | [`lookup::ask`] | asks a retriever to look into the corpus, without a question |

mod csv;
mod draft;
mod ends;
mod error;
mod events;
pub mod lookup;
mod turn;

use envelope::ConversationId;

pub use csv::{CsvError, csv};
pub use draft::DraftText;
pub use ends::Ends;
pub use error::{Error, UNTAKEN};
pub use events::{TurnEvent, TurnEvents};
pub use turn::{Ask, News, answer, ask, cancel, new_turn, publish, trace_id, trace_id_in};

/// An id for a conversation that cannot be guessed, because anyone who knows it may read and continue the
/// conversation. It has 128 bits from the operating system.
///
/// # Errors
/// When the operating system provides no random bits.
pub fn new_conversation() -> Result<ConversationId, Error> {
    let mut bits = [0u8; 16];
    getrandom::fill(&mut bits).map_err(|error| Error::Random(error.to_string()))?;
    let hex: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(ConversationId::new(format!("c-{hex}"))?)
}

fn random_token() -> String {
    (0..16).map(|_| fastrand::alphanumeric()).collect()
}
