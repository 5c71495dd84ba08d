//! The span of storing one message, which covers all its attempts.

use bus::{Publish, PublishError};
use envelope::{Subject, header};
use telemetry::conventions as name;
use telemetry::traces::{self, ChildSpan, SpanKind};

/// The span of storing a message that follows from the current step, with every attempt. It has no children: the
/// span of the next step is a child of the step itself, so that the tree is whole when the publisher dies.
pub(crate) struct Sending(ChildSpan);

impl Sending {
    pub(crate) fn begin(message: &Publish) -> Sending {
        let template = || template(&message.subject);
        let mut span = traces::start(SpanKind::Producer, || {
            format!("{} {}", name::SEND, template())
        });
        if span.is_recorded() {
            span.set(name::MESSAGING_SYSTEM, "nats");
            span.set(name::MESSAGING_OPERATION_NAME, name::SEND);
            span.set(name::MESSAGING_OPERATION_TYPE, name::SEND);
            span.set(name::MESSAGING_DESTINATION_NAME, message.subject.as_str());
            span.set(name::MESSAGING_DESTINATION_TEMPLATE, template());
            if let Some(turn) = message.headers.get(header::TURN) {
                span.set(name::MESSAGING_CONVERSATION_ID, turn);
            }
        }
        Sending(span)
    }

    pub(crate) fn ended(mut self, stored: &Result<u64, PublishError>) {
        match stored {
            Ok(sequence) => self.0.set(name::MESSAGING_MESSAGE_ID, sequence.to_string()),
            // The message was stored already, which is as good.
            Err(PublishError::Exists) => self.0.set(name::OUTCOME, "exists"),
            Err(error) => self.0.fail(error.code()),
        }
    }
}

/// The subject of a message without what differs between turns: the words before the turn.
fn template(at: &str) -> String {
    let words = match Subject::parse(at) {
        Ok(Subject::Step { .. } | Subject::Scatter { .. }) => 4,
        Ok(Subject::Part { .. } | Subject::Dead { .. }) => 3,
        Ok(Subject::Timer { .. } | Subject::Answer { .. }) => 2,
        // No step publishes anything else.
        _ => 1,
    };
    let before: Vec<_> = at.split('.').take(words).collect();
    format!("{}.>", before.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_named_without_their_turn() {
        for (subject, named) in [
            ("argosy.step.0.mapper.t.2.4", "argosy.step.0.mapper.>"),
            ("argosy.step.0.scatter.t.2", "argosy.step.0.scatter.>"),
            ("argosy.part.0.t.3.1", "argosy.part.0.>"),
            ("argosy.timer.t.2", "argosy.timer.>"),
            ("argosy.answer.t", "argosy.answer.>"),
            ("argosy.dead.mapper.t.3.1", "argosy.dead.mapper.>"),
            ("elsewhere.t", "elsewhere.>"),
        ] {
            assert_eq!(template(subject), named);
        }
    }
}
