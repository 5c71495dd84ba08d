//! Puts messages back into a stream that held them in an earlier process. The caller has kept them elsewhere.

use super::MemoryBus;
use super::log::Log;
use crate::{BusError, StoredMessage, Stream};

impl MemoryBus {
    /// Replaces all messages of a stream by `messages`, which are in the order of their sequences. Sequences and
    /// times stay as they were; the next message is stored after `last`, or after the last sequence that was used
    /// here before.
    ///
    /// # Errors
    /// When there is no such stream.
    pub fn restore(
        &self,
        stream: Stream,
        messages: Vec<StoredMessage>,
        last: u64,
    ) -> Result<(), BusError> {
        self.shared
            .with(stream, |log: &mut Log| log.restore(messages, last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Topology;
    use crate::{Bus, Headers, Publish, WriteCondition};
    use envelope::UnixMs;

    #[tokio::test(start_paused = true)]
    async fn a_stream_goes_on_behind_what_is_put_back() {
        let bus = MemoryBus::new(&Topology::default());
        let subject = "argosy.conversation.default.talk";
        let before = Publish::new("argosy.conversation.default.other", "x".into());
        bus.publish(before).await.unwrap();
        let stored = |sequence| StoredMessage {
            subject: subject.into(),
            headers: Headers::default(),
            body: format!("event {sequence}").into(),
            sequence,
            stored_at: UnixMs(bus.now().0 - 5_000),
        };
        bus.restore(Stream::Conversations, vec![stored(3), stored(7)], 9)
            .unwrap();
        let last = bus.last(Stream::Conversations, subject).await.unwrap();
        assert_eq!(last, Some(stored(7)));
        let state = bus.state(Stream::Conversations).await.unwrap();
        assert_eq!((state.messages, state.first, state.last), (2, 3, 9));
        let next = Publish {
            condition: WriteCondition::LastIs(subject.into(), 7),
            ..Publish::new(subject, "next".into())
        };
        assert_eq!(bus.publish(next).await, Ok(10));
    }
}
