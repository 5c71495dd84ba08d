//! The outcome of a delivery: the message is acked, for some reason, or redelivered.

use crate::consumer_loop::AckDecision;
use std::time::Duration;

/// What is done with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeliveryOutcome {
    Ack(AckReason),
    Retry(Duration),
}

impl From<DeliveryOutcome> for AckDecision {
    fn from(outcome: DeliveryOutcome) -> AckDecision {
        match outcome {
            DeliveryOutcome::Ack(_) => AckDecision::Ack,
            DeliveryOutcome::Retry(delay) => AckDecision::Retry(delay),
        }
    }
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
