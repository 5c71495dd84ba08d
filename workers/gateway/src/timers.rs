//! Handles timers that fire: the first look at a turn, its end, the soft deadline of a fan-out, the sweep.

use crate::sweep;
use crate::turns::{Error, Turns};
use bus::{Delivery, StoredMessage, Stream};
use envelope::{Header, Subject, TenantId, fanout, header, subject};
use futures_util::future::BoxFuture;
use harness::consumer_loop::{AckDecision, DeliveryHandler};
use harness::join;
use std::sync::Arc;
use std::time::Duration;
use streams::outbox::{self, publish_until};

/// Whether the timer of a turn fired before its end: by the time of the server, which fires no timer before its time. A first look
/// that was stored late, or fired late, may have come to be the end.
fn is_first(header: &Header, fired: &StoredMessage) -> bool {
    fired.stored_at < header.deadline
}

pub(crate) struct Due(pub(crate) Arc<Turns>);

impl DeliveryHandler for Due {
    fn handle_delivery<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, AckDecision> {
        Box::pin(async move {
            match self.due(&delivery.message).await {
                Ok(()) => AckDecision::Ack,
                Err(error) => {
                    // Without a limit: a turn that nobody else ends has to end here.
                    tracing::warn!(%error, subject = delivery.message.subject, "due message to be tried again");
                    AckDecision::Retry(
                        Duration::from_millis(250) * delivery.delivered.min(40) as u32,
                    )
                }
            }
        })
    }
}

impl Due {
    async fn due(&self, message: &StoredMessage) -> Result<(), Error> {
        if message.subject == envelope::subject::SWEEP_DUE {
            sweep::sweep(&self.0).await?;
            return sweep::arm(&self.0).await;
        }
        let Ok(Subject::Due { turn, hop }) = Subject::parse(&message.subject) else {
            tracing::error!(
                subject = message.subject,
                "a due message under no known subject; dropped"
            );
            return Ok(());
        };
        if self.0.ended.contains(&turn) || self.0.terminal(&turn).await?.is_some() {
            return Ok(());
        }
        let header = serde_json::from_slice::<Header>(&message.body).ok();
        match (header, hop) {
            (Some(header), None) if is_first(&header, message) => self.look(&header, message).await,
            (Some(header), None) => self.0.expire(&header).await.map(drop),
            (Some(header), Some(hop)) => self.reduce_what_is_there(&header, hop).await,
            (None, _) => {
                tracing::error!(%turn, "a timer without its header");
                let problem = envelope::Problem::new(
                    "deadline",
                    "there was no answer before the deadline of the question",
                );
                let (tenant, now) = (TenantId::default_tenant(), self.0.now());
                let terminal =
                    envelope::Terminal::bare(turn, tenant, envelope::Outcome::Expired, now)
                        .because(problem);
                self.0.end(&terminal, None).await.map(drop)
            }
        }
    }

    /// Handles the first look at a turn that still runs: sets the soft deadline of a fan-out that is open, then the timer for
    /// the end of the turn.
    async fn look(&self, header: &Header, fired: &StoredMessage) -> Result<(), Error> {
        let (bus, keep) = (&*self.0.bus, self.0.topology.keep.duration());
        let path = subject::path(header.shard, &header.turn);
        let newest = bus.last(Stream::Steps(header.shard), &path).await?;
        if let Some(record) = newest.as_ref().and_then(join::open_fan_out) {
            let at = fanout::soft_deadline(&record.header);
            let soft = outbox::timer(&record.header, Some(record.header.hop), at, keep);
            publish_until(bus, soft, self.0.patience()).await?;
        }
        let mut end = outbox::timer(header, None, header.deadline, keep);
        if let Some(under) = fired.headers.get(header::ASKED_UNDER) {
            end.headers = end.headers.with(header::ASKED_UNDER, under);
        }
        publish_until(bus, end, self.0.patience()).await?;
        Ok(())
    }

    /// Handles the soft deadline: the reducer starts with the parts that are there. If the last mapper was first, its
    /// reducer's step is the same one.
    async fn reduce_what_is_there(&self, header: &Header, hop: u16) -> Result<(), Error> {
        if header.deadline <= self.0.now() {
            return Ok(());
        }
        let Header { shard, turn, .. } = header;
        if let Some(record) = join::record(&*self.0.bus, *shard, turn, hop).await? {
            join::join(
                &*self.0.bus,
                &record.header,
                &record.case,
                (hop, record.v),
                self.0.topology.keep.duration(),
            )
            .await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Headers;
    use envelope::{Role, TurnId, UnixMs};

    /// The server fires by its own clock, which may be some seconds from that of the gateways.
    #[test]
    fn a_first_look_is_told_from_the_end_by_when_the_server_fired() {
        let asked = UnixMs(100_000);
        let header = Header {
            deadline: UnixMs(200_000),
            ..Header::of(TurnId::new("t").expect("an id"), Role::Planner, 0, asked)
        };
        for (fired_at, is_look) in [
            (169_000, true),
            (170_000, true),
            // Its timer was stored late.
            (199_999, true),
            (200_000, false),
            (260_000, false),
        ] {
            let fired = StoredMessage {
                subject: "argosy.due.t".into(),
                headers: Headers::default(),
                body: bytes::Bytes::new(),
                sequence: 1,
                stored_at: UnixMs(fired_at),
            };
            assert_eq!(is_first(&header, &fired), is_look, "{fired_at}");
        }
    }
}
