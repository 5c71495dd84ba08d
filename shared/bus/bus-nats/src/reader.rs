//! Reads a stream in order, message by message.

use super::{headers_or_none, unix_ms};
use async_nats::jetstream::consumer::pull;
use bus::{BusError, BusFuture, Reader, StoredMessage};
use futures_util::StreamExt;

pub(super) struct OrderedReader(pub(super) pull::Ordered);

impl Reader for OrderedReader {
    fn next(&mut self) -> BusFuture<'_, (StoredMessage, u64)> {
        Box::pin(async move {
            match self.0.next().await {
                None => Err(BusError::Away("the reader ended".into())),
                Some(Err(error)) => Err(BusError::Away(error.to_string())),
                Some(Ok(message)) => {
                    let info = message
                        .info()
                        .map_err(|e| BusError::Refused(e.to_string()))?;
                    let pending = info.pending;
                    let (sequence, published) = (info.stream_sequence, info.published);
                    let stored = StoredMessage {
                        subject: message.subject.to_string(),
                        headers: headers_or_none(message.headers.clone()),
                        body: message.payload.clone(),
                        sequence,
                        stored_at: unix_ms(published),
                    };
                    Ok((stored, pending))
                }
            }
        })
    }
}
