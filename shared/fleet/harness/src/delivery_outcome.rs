//! The outcome of a delivery: the message is acked, redelivered, or given up.

use std::time::Duration;

/// What is done with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeliveryOutcome {
    Ack(AckReason),
    Retry(Duration),
    GiveUp,
}

/// Why a message is acked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AckReason {
    Ok,
    AlreadyDone,
    Dropped,
    /// A map step that the reducer did not wait for.
    Spared,
    DeadLetter,
}
