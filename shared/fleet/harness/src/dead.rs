//! Makes dead letters, which people can inspect: the original bytes of a message with the reason and the
//! circumstances of its failure.

use crate::step::StepAddress;
use bus::{Bus, Headers, Publish, StoredMessage, Stream};
use envelope::limits::{DEAD_LETTER_BYTES_MAX, DEAD_LETTER_HEAD_BYTES};
use envelope::{Subject, header};

/// The reason why a message was given up, and the place where that happened.
#[derive(Debug, Clone)]
pub struct Death<'a> {
    /// The reason as one word.
    pub reason: &'a str,
    /// The last error, in words.
    pub error: &'a str,
    /// The stream of the message.
    pub stream: Stream,
    /// How often the message had been delivered.
    pub delivered: u64,
}

/// The dead letter of a message. Above the limit only the head of the body is kept, and the headers say how long
/// the body was and where the original is stored.
pub(crate) fn letter(place: &StepAddress, message: &StoredMessage, death: &Death<'_>) -> Publish {
    let subject = Subject::Dead {
        role: place.role,
        turn: place.turn.clone(),
        hop: place.hop,
        index: place.index,
    };
    let mut letter = letter_at(subject, message, death);
    letter.headers = letter.headers.with(header::TURN, place.turn.as_str());
    letter
}

/// A dead letter at any subject.
pub fn letter_at(subject: Subject, message: &StoredMessage, death: &Death<'_>) -> Publish {
    let body = if message.body.len() > DEAD_LETTER_BYTES_MAX {
        message.body.slice(..DEAD_LETTER_HEAD_BYTES)
    } else {
        message.body.clone()
    };
    let mut headers = Headers::default()
        .with(header::DEAD_REASON, death.reason)
        .with(header::DEAD_ERROR, header_value(death.error))
        .with(header::DEAD_SUBJECT, message.subject.as_str())
        .with(
            header::DEAD_ORIGIN,
            format!("{}/{}", death.stream.name(), message.sequence),
        )
        .with(header::DEAD_DELIVERED, death.delivered.to_string())
        .with(header::DEAD_BYTES, message.body.len().to_string());
    if let Some(trace) = message.headers.get(header::TRACEPARENT) {
        headers = headers.with(header::TRACEPARENT, trace);
    }
    Publish {
        headers,
        ..Publish::new(subject, body)
    }
}

/// Stores a dead letter, in a few attempts. The caller decides what to do when none succeeds.
pub(crate) async fn store(bus: &dyn Bus, letter: Publish) -> bool {
    for attempt in 1..=3u32 {
        match bus.publish(letter.clone()).await {
            Ok(_) => return true,
            Err(error) => {
                tracing::warn!(%error, attempt, subject = letter.subject, "dead letter not stored")
            }
        }
        tokio::time::sleep(std::time::Duration::from_millis(50) * attempt).await;
    }
    false
}

/// An error as a header may hold it: without line breaks, as long as it was.
fn header_value(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(1_000)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use envelope::{Role, TurnId, UnixMs};

    #[test]
    fn a_letter_keeps_the_bytes_and_says_where_they_came_from() {
        let place = StepAddress {
            shard: 0,
            role: Role::Mapper,
            turn: TurnId::new("t").unwrap(),
            hop: 3,
            index: Some(1),
        };
        let message = StoredMessage {
            subject: "argosy.step.0.mapper.t.3.1".into(),
            headers: Headers::default(),
            body: Bytes::from(vec![0xff; DEAD_LETTER_BYTES_MAX + 1]),
            sequence: 77,
            stored_at: UnixMs(0),
        };
        let death = Death {
            reason: "unreadable",
            error: "two\nlines",
            stream: Stream::Steps(0),
            delivered: 2,
        };
        let letter = letter(&place, &message, &death);
        assert_eq!(letter.subject, "argosy.dead.mapper.t.3.1");
        assert_eq!(letter.body.len(), DEAD_LETTER_HEAD_BYTES);
        assert_eq!(
            letter.headers.get(header::DEAD_ORIGIN),
            Some("ARGOSY_STEPS_0/77")
        );
        assert_eq!(letter.headers.get(header::DEAD_ERROR), Some("two lines"));
        let bytes = (DEAD_LETTER_BYTES_MAX + 1).to_string();
        assert_eq!(letter.headers.get(header::DEAD_BYTES), Some(&*bytes));
    }
}
