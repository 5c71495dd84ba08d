//! Records the span of one delivery of a step. The gateway makes the spans of questions, and the pool of model nodes
//! makes those of model calls.
//!
//! The delivery that acks a step records its span under an id that is derived from the step's subject. The step's
//! outputs name this id as their parent, whichever delivery published them. A delivery that leaves the step to a
//! later one has an id of its own. The later delivery links to it, even if it is not known to have ended: a process
//! that was killed has recorded nothing.

use crate::delivery_outcome::DeliveryOutcome;
use crate::metrics::outcome;
use crate::step::StepAddress;
use crate::worker::Worker;
use bus::{Delivery, StoredMessage};
use envelope::{FanOut, Header, Role, header, subject};
use telemetry::conventions as name;
use telemetry::traces::{self, Span, SpanKind};
use telemetry::{TraceContext, Traces, trace};

/// Handles a message, and records a span of it if the trace of its question is recorded.
pub(crate) async fn traced(worker: &Worker, delivery: &Delivery) -> DeliveryOutcome {
    let message = &delivery.message;
    let parent = parent_of(&worker.traces, message);
    let (Some(parent), Some(place)) = (parent, StepAddress::of(&message.subject)) else {
        return worker.process(delivery).await;
    };
    let of = StepSpan {
        parent,
        place: &place,
        subject: message.subject.clone(),
        delivery,
    };
    let work = worker.process(delivery);
    of.recorded(worker, work, |verdict| *verdict).await
}

/// Maps a passage of a batch, and records it as a map step with a message of its own is recorded.
pub(crate) async fn mapped<T>(
    worker: &Worker,
    delivery: &Delivery,
    place: &StepAddress,
    work: impl Future<Output = T>,
    verdict: fn(&T) -> DeliveryOutcome,
) -> T {
    let Some(parent) = parent_of(&worker.traces, &delivery.message) else {
        return work.await;
    };
    let subject = place.subject();
    let of = StepSpan {
        parent,
        place,
        subject,
        delivery,
    };
    of.recorded(worker, work, verdict).await
}

/// The span of a delivery of a step, before it begins.
struct StepSpan<'a> {
    parent: TraceContext,
    place: &'a StepAddress,
    subject: String,
    delivery: &'a Delivery,
}

impl StepSpan<'_> {
    async fn recorded<T>(
        self,
        worker: &Worker,
        work: impl Future<Output = T>,
        verdict: fn(&T) -> DeliveryOutcome,
    ) -> T {
        let (message, delivered) = (&self.delivery.message, self.delivery.delivered);
        let mut span = begin(self.parent, self.place, &self.subject, message);
        span.set(name::ATTEMPT, delivered);
        span.set(name::QUEUED_MS, message.stored_at.until(worker.bus.now()));
        let (came, mut scoped) = traces::within(&worker.traces, span, Box::pin(work)).await;
        let verdict = verdict(&came);
        scoped.span = closed(scoped.span, self.parent, &self.subject, delivered, verdict);
        scoped.record(&worker.traces);
        came
    }
}

fn parent_of(traces: &Traces, message: &StoredMessage) -> Option<TraceContext> {
    let header = match traces.is_on() {
        true => message.headers.get(header::TRACEPARENT)?,
        false => return None,
    };
    TraceContext::parse(header).filter(TraceContext::is_sampled)
}

fn begin(
    parent: TraceContext,
    place: &StepAddress,
    subject: &str,
    message: &StoredMessage,
) -> Span {
    let template = subject::steps_of(place.shard, place.role);
    let title = format!("{} {template}", name::PROCESS);
    let context = parent.named(subject);
    let mut span = Span::begin(context, Some(parent), title, SpanKind::Consumer)
        .with(name::MESSAGING_SYSTEM, "nats")
        .with(name::MESSAGING_OPERATION_NAME, name::PROCESS)
        .with(name::MESSAGING_OPERATION_TYPE, name::PROCESS)
        .with(name::MESSAGING_DESTINATION_NAME, subject)
        .with(name::MESSAGING_DESTINATION_TEMPLATE, template)
        .with(name::MESSAGING_MESSAGE_ID, message.sequence.to_string())
        .with(name::MESSAGING_CONVERSATION_ID, place.turn.as_str())
        .with(name::MESSAGING_CONSUMER_GROUP_NAME, place.role.as_str())
        .with(name::TURN, place.turn.as_str())
        .with(name::ROLE, place.role.as_str())
        .with(name::HOP, u64::from(place.hop));
    if Role::THINKING.contains(&place.role) {
        span.set(name::GEN_AI_OPERATION_NAME, "invoke_agent");
        span.set(name::GEN_AI_AGENT_NAME, place.role.as_str());
    }
    if let Some(index) = place.index {
        span.set(name::INDEX, u64::from(index));
    }
    let state = message.headers.get(header::TRACESTATE);
    span.with_state(state.and_then(trace::state))
}

/// The id of the trace of this context, for logs, even where the trace is not recorded.
pub(crate) fn id(traceparent: Option<&str>) -> Option<String> {
    Some(TraceContext::parse(traceparent?)?.trace_id())
}

/// The span with how it came out, under the id that follows from that.
fn closed(
    mut span: Span,
    parent: TraceContext,
    subject: &str,
    delivered: u64,
    verdict: DeliveryOutcome,
) -> Span {
    let of = |delivery: u64| parent.named(&format!("{subject} {delivery}"));
    span.set(name::OUTCOME, outcome(verdict));
    if delivered > 1 {
        span.link(of(delivered - 1));
    }
    match verdict {
        DeliveryOutcome::Ack(_) => span,
        DeliveryOutcome::Retry(_) => {
            if !span.has_failed() {
                span.fail(outcome(verdict));
            }
            span.moved_to(of(delivered))
        }
    }
}

/// Marks the current step's span as failed, with this word.
pub(crate) fn failed(code: &'static str) {
    traces::note(|span| span.fail(code));
}

/// Links the span of a step that reads fan-outs to the spans of the map steps whose results it uses.
pub(crate) fn link_maps(header: &Header, evidence: &[FanOut]) {
    let Some(context) = traces::current() else {
        return;
    };
    traces::note(|span| {
        for fan_out in evidence {
            let there = (0u16..).zip(&fan_out.results);
            for (index, _) in there.filter(|(_, result)| result.is_some()) {
                let Header { shard, turn, .. } = header;
                let (at, index) = (fan_out.hop + 1, Some(index));
                let map = subject::step(*shard, Role::Mapper, turn, at, index);
                span.link(context.named(&map));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery_outcome::AckReason;
    use bus::Headers;
    use envelope::UnixMs;
    use std::time::Duration;

    const SUBJECT: &str = "argosy.step.0.mapper.t.2.4";

    fn message() -> StoredMessage {
        StoredMessage {
            subject: SUBJECT.into(),
            headers: Headers::default(),
            body: bytes::Bytes::new(),
            sequence: 7,
            stored_at: UnixMs(0),
        }
    }

    /// The span of a delivery that came out so.
    fn span(delivered: u64, verdict: DeliveryOutcome) -> Span {
        let parent = parent();
        let place = StepAddress::of(SUBJECT).expect("a place");
        let begun = begin(parent, &place, SUBJECT, &message());
        closed(begun, parent, SUBJECT, delivered, verdict)
    }

    fn parent() -> TraceContext {
        TraceContext::new_root(&mut fastrand::Rng::with_seed(2))
    }

    #[test]
    fn whoever_acks_a_step_has_its_id_and_whoever_does_not_has_another() {
        let step = parent().named(SUBJECT);
        let again = DeliveryOutcome::Retry(Duration::ZERO);
        let ids: Vec<_> = [
            span(1, DeliveryOutcome::Ack(AckReason::Ok)),
            span(2, DeliveryOutcome::Ack(AckReason::AlreadyDone)),
            span(1, again),
            span(2, again),
        ]
        .iter()
        .map(Span::context)
        .collect();
        assert_eq!(ids[..2], [step, step], "what its outputs name");
        assert!(ids[2] != step && ids[3] != step && ids[2] != ids[3]);
        assert!(span(1, again).has_failed(), "also without a code");
        assert!(!span(2, DeliveryOutcome::Ack(AckReason::Ok)).has_failed());
    }

    #[test]
    fn a_redelivery_links_the_delivery_before_it() {
        let again = DeliveryOutcome::Retry(Duration::ZERO);
        let mut linked = span(1, again);
        linked.link(span(1, again).context());
        let second = span(2, DeliveryOutcome::Ack(AckReason::Ok));
        assert_eq!(second.links(), linked.links());
        assert_eq!(span(1, again).links(), []);
    }
}
