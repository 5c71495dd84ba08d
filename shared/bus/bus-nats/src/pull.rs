//! Pulls messages over one inbox: a consumer asks for exactly as many messages as it has free slots.
//!
//! The client's own consumer stream fills a buffer, and messages in that buffer count as delivered although nothing
//! works on them. Here a pull request asks only for messages that can be worked on now. A new request is made when
//! the open ones cover less than half of the free slots, so that a busy worker makes one request for many messages.
//!
//! Acks are sent and not waited for: one that is lost costs a redelivery, which finds the work done. Where an ack deletes
//! the message, nothing is left to be found, and its confirmation is waited for.

use super::{away, headers_or_none};
use async_nats::{Client, Message, Subscriber};
use bus::{Ack, BusError, BusFuture, ConsumerSpec, Delivery, Puller, StoredMessage, Stream};
use bytes::Bytes;
use envelope::UnixMs;
use futures_util::{FutureExt, StreamExt, future::BoxFuture};
use std::fmt::Display;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long a pull request stands.
const EXPIRES: Duration = Duration::from_secs(30);
/// How often the server says that it is still there; two missed ones make the puller start anew.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long anything may take that is sent through the client's queue, which fills while the server is away; requests have
/// a limit of their own only from there on.
const SENT_WITHIN: Duration = Duration::from_secs(10);

pub(super) struct NatsPuller {
    client: Client,
    request_subject: String,
    inbox: String,
    messages: Subscriber,
    /// Messages asked for and not yet come.
    asked: usize,
    /// When anything was last heard while something was asked for.
    heard: Instant,
    /// How often the connection was made: requests end with it.
    connects: watch::Receiver<u64>,
    /// Whether acks are waited for.
    confirms: bool,
}

impl NatsPuller {
    pub(super) async fn open(
        client: Client,
        connects: watch::Receiver<u64>,
        spec: &ConsumerSpec,
    ) -> Result<Self, BusError> {
        let request_subject = format!(
            "$JS.API.CONSUMER.MSG.NEXT.{}.{}",
            spec.stream.name(),
            spec.name
        );
        let inbox = client.new_inbox();
        let messages = client.subscribe(inbox.clone()).await.map_err(away)?;
        Ok(NatsPuller {
            client,
            request_subject,
            inbox,
            messages,
            asked: 0,
            heard: Instant::now(),
            connects,
            confirms: spec.stream == Stream::Documents,
        })
    }

    async fn ask(&mut self, free: usize) -> Result<(), BusError> {
        if self.asked * 2 > free || free == self.asked {
            return Ok(());
        }
        let body = format!(
            r#"{{"batch":{},"expires":{},"idle_heartbeat":{}}}"#,
            free - self.asked,
            EXPIRES.as_nanos(),
            HEARTBEAT.as_nanos()
        );
        let (subject, inbox) = (self.request_subject.clone(), self.inbox.clone());
        let sent = self.client.publish_with_reply(subject, inbox, body.into());
        sent.await.map_err(away)?;
        self.asked = free;
        self.heard = Instant::now();
        Ok(())
    }

    /// Forgets what was asked for. What comes late on the old inbox is delivered again.
    async fn start_anew(&mut self) -> Result<(), BusError> {
        let inbox = self.client.new_inbox();
        self.messages = self.client.subscribe(inbox.clone()).await.map_err(away)?;
        self.inbox = inbox;
        self.asked = 0;
        Ok(())
    }

    /// What a message without a body says about the requests.
    async fn status(&mut self, code: u16, message: &Message) -> Result<(), BusError> {
        match code {
            100 => {} // heartbeat
            404 | 408 => {
                let headers = message.headers.as_ref();
                let left = headers.and_then(|h| h.get("Nats-Pending-Messages"));
                let left = left.and_then(|v| v.as_str().parse().ok());
                self.asked = self.asked.saturating_sub(left.unwrap_or(self.asked));
            }
            _ => {
                let why = message.description.clone().unwrap_or_default();
                self.start_anew().await?;
                if why.contains("Consumer Deleted") || code == 503 {
                    return Err(BusError::Missing(
                        self.request_subject
                            .replace("$JS.API.CONSUMER.MSG.NEXT.", ""),
                    ));
                }
                tracing::debug!(code, why, "pull request ended");
                // Leadership changes and limits: the caller waits a little and asks again.
                return Err(away(format!("pull request ended: {code} {why}")));
            }
        }
        Ok(())
    }
}

impl Puller for NatsPuller {
    fn next(&mut self, free: usize) -> BusFuture<'_, Delivery> {
        Box::pin(async move {
            loop {
                self.ask(free).await?;
                let silent = self.heard + HEARTBEAT * 2 + HEARTBEAT / 2;
                let message = tokio::select! {
                    biased;
                    message = self.messages.next() => message,
                    Ok(()) = self.connects.changed() => {
                        // Waiting for heartbeats of requests that are gone would cost 12 seconds.
                        // The first connection may be told late and ends nothing.
                        if *self.connects.borrow_and_update() > 1 {
                            self.start_anew().await?;
                        }
                        continue;
                    }
                    () = tokio::time::sleep_until(silent) => {
                        self.start_anew().await?;
                        return Err(away("no heartbeat"));
                    }
                };
                let Some(message) = message else {
                    self.start_anew().await?;
                    return Err(away("the subscription ended"));
                };
                self.heard = Instant::now();
                match message.status.map(|s| s.as_u16()) {
                    Some(code) => self.status(code, &message).await?,
                    None => {
                        self.asked = self.asked.saturating_sub(1);
                        if let Some(delivery) = delivery(&self.client, self.confirms, message) {
                            return Ok(delivery);
                        }
                    }
                }
            }
        })
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, Vec<Delivery>> {
        Box::pin(async move {
            // Once the server knows that there is no subscription, no new message comes.
            let ending = async {
                let _ = self.messages.unsubscribe().await;
                let _ = self.client.flush().await;
            };
            let _ = tokio::time::timeout(Duration::from_secs(1), ending).await;
            let mut left = Vec::new();
            while let Some(Some(message)) = self.messages.next().now_or_never() {
                left.extend(delivery(&self.client, self.confirms, message));
            }
            left
        })
    }
}

/// What is delivered; a status, which has nowhere to be acked to, is none.
fn delivery(client: &Client, confirms: bool, message: Message) -> Option<Delivery> {
    let reply = message.reply?.into_string();
    let info = Info::parse(&reply)?;
    let message = StoredMessage {
        subject: message.subject.into_string(),
        headers: headers_or_none(message.headers),
        body: message.payload,
        sequence: info.sequence,
        stored_at: UnixMs(info.stored_ns / 1_000_000),
    };
    Some(Delivery {
        message,
        delivered: info.delivered,
        ack: Box::new(NatsAck {
            client: client.clone(),
            reply,
            confirms,
        }),
    })
}

struct Info {
    delivered: u64,
    sequence: u64,
    stored_ns: u64,
}

impl Info {
    /// `$JS.ACK.<stream>.<consumer>.<delivered>.<sequence>.<consumer sequence>.<ns>.<pending>`, or
    /// with domain and account before the stream (ADR-15).
    fn parse(reply: &str) -> Option<Info> {
        let tokens: Vec<&str> = reply.split('.').collect();
        let from = match tokens.len() {
            9 => 4,
            11.. => 6,
            _ => return None,
        };
        let number = |i: usize| tokens.get(from + i)?.parse().ok();
        Some(Info {
            delivered: number(0)?,
            sequence: number(1)?,
            stored_ns: number(3)?,
        })
    }
}

/// A server that is away for long is told nothing more: the delivery is made again.
async fn in_time<T, E: Display>(sent: impl Future<Output = Result<T, E>>) -> Result<T, BusError> {
    match tokio::time::timeout(SENT_WITHIN, sent).await {
        Ok(sent) => sent.map_err(away),
        Err(_) => Err(away("the queue of what is to be sent is full")),
    }
}

struct NatsAck {
    client: Client,
    reply: String,
    confirms: bool,
}

impl NatsAck {
    async fn send(&self, body: String) -> Result<(), BusError> {
        in_time(self.client.publish(self.reply.clone(), body.into())).await
    }
}

impl Ack for NatsAck {
    fn ack(&self) -> BusFuture<'_, ()> {
        Box::pin(async move {
            if !self.confirms {
                return self.send(String::new()).await;
            }
            let confirmed = self.client.request(self.reply.clone(), Bytes::new());
            in_time(confirmed).await.map(drop)
        })
    }

    fn nak(&self, delay: Duration) -> BusFuture<'_, ()> {
        Box::pin(self.send(format!(r#"-NAK {{"delay":{}}}"#, delay.as_nanos())))
    }

    fn in_progress(&self) -> BusFuture<'_, ()> {
        Box::pin(self.send("+WPI".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_forms_of_the_ack_subject() {
        let v1 = "$JS.ACK.ARGOSY_STEPS_0.mapper.3.100.7.1790230470084404000.42";
        let v2 = "$JS.ACK.dom.hash.ARGOSY_STEPS_0.mapper.3.100.7.1790230470084404000.42.x";
        for reply in [v1, v2] {
            let info = Info::parse(reply).unwrap();
            assert_eq!(
                (info.delivered, info.sequence, info.stored_ns / 1_000_000),
                (3, 100, 1_790_230_470_084)
            );
        }
        assert!(Info::parse("$JS.ACK.x").is_none());
    }
}
