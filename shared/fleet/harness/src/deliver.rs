//! The handling of one message, from delivery to ack, in one function: [`Worker::process`].
//!
//! ```text
//! deadline passed or turn ended? ack -> decode -> delivered too often? give up -> redelivered? finish what an
//! earlier delivery has stored -> handle, under a time limit -> publish the outputs -> ack
//! ```
//! Meanwhile the consumer loop tells the server that the message is in progress. Everything before the ack may happen
//! again, and repeating it does no harm.

use crate::delivery_outcome::{AckReason, DeliveryOutcome};
use crate::disposition::{Disposition, dispose, newer_wire_delay};
use crate::draft::checkable;
use crate::early_reduce;
use crate::join::{self, Gathered, JoinError, gather, until};
use crate::live;
use crate::step::{Step, StepAddress, deadline_of, wire_of};
use crate::trace;
use crate::worker::Worker;
use bus::{Delivery, StoredMessage, Stream};
use envelope::fanout::soft_deadline;
use envelope::limits::{DELIVERIES_MAX, DELIVERIES_NEWER_WIRE_MAX};
use envelope::{Class, Classify, CodecError, Exit, Header, Payload, Subject, Task, UnixMs, WIRE};
use futures_util::FutureExt;
use stage::{Live, StepClock, StepContext, StepOutput};
use std::panic::AssertUnwindSafe;
use streams::outbox::OutboxError;

/// A failure while a message is handled: its class, and its text for the dead letter.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) class: Class,
    pub(crate) code: &'static str,
    pub(crate) text: String,
    pub(crate) retry_after: Option<std::time::Duration>,
}

impl Failure {
    pub(crate) fn new(class: Class, code: &'static str, text: impl ToString) -> Self {
        Failure {
            class,
            code,
            text: text.to_string(),
            retry_after: None,
        }
    }
}

impl From<JoinError> for Failure {
    fn from(error: JoinError) -> Self {
        match error {
            JoinError::Bus(error) => Failure::new(Class::Transient, error.code(), error),
            JoinError::Outbox(error) => error.into(),
            JoinError::NoRecord(_) => Failure::new(Class::Permanent, "no_scatter_record", error),
        }
    }
}

impl From<bus::BusError> for Failure {
    fn from(error: bus::BusError) -> Self {
        Failure::new(Class::Transient, error.code(), error)
    }
}

impl From<OutboxError> for Failure {
    fn from(error: OutboxError) -> Self {
        match &error {
            OutboxError::Codec(CodecError::TooLarge { .. }) => {
                Failure::new(Class::TooLarge, "output_too_large", error)
            }
            OutboxError::Codec(_) => Failure::new(Class::Bug, "output_not_encodable", error),
            OutboxError::Publish(_) => Failure::new(Class::Transient, "publish_failed", error),
        }
    }
}

/// What a handled step came to.
enum Handled {
    Done(Box<StepOutput<Exit>>),
    /// The turn ended meanwhile, or its time is up.
    Moot,
    /// The reducer has started without this map step, so it is not worked on.
    Spared,
    Failed(Failure),
}

impl Worker {
    /// Handles one message and returns how it is answered.
    pub(crate) async fn process(&self, delivery: &Delivery) -> DeliveryOutcome {
        let message = &delivery.message;
        let Some(place) = StepAddress::of(&message.subject) else {
            tracing::error!(
                subject = message.subject,
                "a message under no known subject; dropped"
            );
            return DeliveryOutcome::Ack(AckReason::Dropped);
        };
        let started_at = self.bus.now();
        self.metrics.received(
            self.role,
            message.stored_at.until(started_at),
            delivery.delivered,
        );
        if deadline_of(message).is_some_and(|at| at <= started_at)
            || self.ended.contains(&place.turn)
        {
            return DeliveryOutcome::Ack(AckReason::Dropped);
        }
        if place.index.is_some() && self.joined.contains(&(place.turn.clone(), place.hop)) {
            return DeliveryOutcome::Ack(AckReason::Spared);
        }
        if wire_of(message).is_some_and(|v| v > WIRE)
            && delivery.delivered <= DELIVERIES_NEWER_WIRE_MAX
        {
            return DeliveryOutcome::Retry(newer_wire_delay(started_at, deadline_of(message)));
        }
        let step = match Payload::read(self.role, &message.body) {
            Ok(step) => step,
            Err(CodecError::Newer { .. }) if delivery.delivered <= DELIVERIES_NEWER_WIRE_MAX => {
                return DeliveryOutcome::Retry(newer_wire_delay(started_at, deadline_of(message)));
            }
            Err(error) => {
                let failure = Failure::new(Class::Permanent, "unreadable", error);
                return self.give_up(delivery, &place, None, failure).await;
            }
        };
        if delivery.delivered > DELIVERIES_MAX {
            let failure = Failure::new(
                Class::Bug,
                "deliveries",
                format!("delivered {} times", delivery.delivered),
            );
            return self
                .give_up(delivery, &place, Some((&step, None)), failure)
                .await;
        }
        if self.is_redelivery(delivery, started_at) {
            match self.finish_what_is_stored(&place, &step).await {
                Ok(true) => return DeliveryOutcome::Ack(AckReason::AlreadyDone),
                Ok(false) => {}
                Err(failure) => return self.retry(&failure, delivery.delivered, &step),
            }
        }
        self.handle_and_publish(delivery, &place, step, started_at)
            .await
    }

    /// Whether the message was delivered before, or so late that another process may have it too.
    fn is_redelivery(&self, delivery: &Delivery, now: UnixMs) -> bool {
        delivery.delivered > 1
            || delivery.message.stored_at.until(now) > self.topology.ack_wait.as_millis()
    }

    /// The time until which no other process can have this delivery: half the ack time-out, since the server's
    /// clock may differ, and none for a redelivery. An ack of any delivery stands for all of them.
    fn sure(&self, delivery: &Delivery) -> UnixMs {
        match delivery.delivered {
            1 => delivery
                .message
                .stored_at
                .plus(self.topology.ack_wait.as_millis() / 2),
            _ => UnixMs(0),
        }
    }

    async fn handle_and_publish(
        &self,
        delivery: &Delivery,
        place: &StepAddress,
        step: Step,
        started: UnixMs,
    ) -> DeliveryOutcome {
        let (task, step) = match self.task_of(step).await {
            Ok(ready) => ready,
            Err((step, failure)) => {
                return self.failed(delivery, place, &step, None, failure).await;
            }
        };
        let mut cx = self.cx(place, &step, delivery.delivered, started);
        // Only what stores a part and then asks is in hand; all other ways ask for themselves.
        let mut held = place.index.map(|_| {
            self.in_hand
                .take(&place.turn, place.hop, self.sure(delivery))
        });
        let failure = loop {
            match self.handle(&mut cx, task.clone()).await {
                Handled::Moot => return DeliveryOutcome::Ack(AckReason::Dropped),
                Handled::Spared => return DeliveryOutcome::Ack(AckReason::Spared),
                Handled::Done(done) => {
                    let tells =
                        matches!(&done.out, Exit::Mapper(found) if early_reduce::tells(found));
                    let message = &delivery.message;
                    if let Err(failure) = self.carry_on(place, &step, message, &cx, *done).await {
                        break failure;
                    }
                    self.count_gathered(&step, &task, message);
                    // The last map step that this process has in hand asks for all of them. With a
                    // quorum any may be the one that makes it.
                    let asks = held
                        .take()
                        .is_some_and(|held| held.was_last(self.bus.now()))
                        || self.options.quorum < 1.0;
                    if asks && let Err(failure) = self.join_if_complete(&step).await {
                        break failure;
                    }
                    if tells && self.options.early_reduce > 0 {
                        self.join_if_covered(&step).await;
                    }
                    for code in self.trouble.over() {
                        tracing::info!(role = %self.role, code, "steps succeed again");
                    }
                    return DeliveryOutcome::Ack(AckReason::Ok);
                }
                Handled::Failed(failure) => {
                    match self.disposition(&failure, delivery.delivered, &step) {
                        Disposition::Hold(wait) => self.hold(wait).await,
                        _ => break failure,
                    }
                }
            }
        };
        // Released before the error part is stored and counted: a step that stores a part after that must not rely
        // on this one to ask.
        drop(held);
        self.failed(delivery, place, &step, Some(&task), failure)
            .await
    }

    /// Makes the task whole: with the fan-outs that it reads.
    async fn task_of(&self, step: Step) -> Result<(Task, Step), (Box<Step>, Failure)> {
        let read = step.payload.reads();
        if read.is_empty() {
            return Ok((Task::bare(step.payload.clone()), step));
        }
        if let Payload::Validator(draft) = &step.payload {
            return match checkable(&*self.bus, &step, draft).await {
                Ok(task) => Ok((task, step)),
                Err(error) => Err((Box::new(step), error.into())),
            };
        }
        let Gathered { evidence, trail } =
            match gather(&*self.bus, &step.header, read, &step.trail).await {
                Ok(gathered) => gathered,
                Err(error) => return Err((Box::new(step), error.into())),
            };
        trace::link_maps(&step.header, &evidence);
        let task = Task {
            payload: step.payload.clone(),
            evidence,
            kept: None,
        };
        Ok((task, Step { trail, ..step }))
    }

    /// Counts the missing parts of a fan-out when its reduction is done or given up, not at every attempt.
    pub(crate) fn count_gathered(&self, step: &Step, task: &Task, message: &StoredMessage) {
        // A turn that begins here took its fan-out over from another one.
        if step.header.hop != step.header.first_hop {
            // Before its time the reducer is asked only when there is enough.
            let early = message.stored_at < soft_deadline(&step.header);
            self.metrics.gathered(task, early);
        }
    }

    fn cx(
        &self,
        place: &StepAddress,
        step: &Step,
        delivered: u64,
        started_at: UnixMs,
    ) -> StepContext {
        let index = place.index.map_or(0, |i| u64::from(i) + 1);
        let seed = envelope::ids::fnv1a_64(place.turn.as_str().as_bytes())
            ^ (u64::from(place.hop) << 16)
            ^ index;
        let attempt = u16::try_from(delivered).unwrap_or(u16::MAX);
        StepContext {
            header: step.header.clone(),
            case: step.case.clone(),
            attempt,
            started_at,
            now: started_at,
            clock: StepClock::new({
                let bus = self.bus.clone();
                move || bus.now()
            }),
            seed,
            live: Live::off(),
        }
    }

    /// Has the stage do its step, and passes on what it shows while it does.
    async fn handle(&self, cx: &mut StepContext, task: Task) -> Handled {
        let now = self.bus.now();
        let left = until(now, cx.header.deadline);
        let limit = left.min(self.options.step_timeout.duration());
        let watch = self.ended.watch(&cx.header.turn);
        let joined = self.joined.watch(&(cx.header.turn.clone(), cx.header.hop));
        let (live, mut pieces) = live::sink(cx);
        (cx.now, cx.live) = (now, live);
        // Called inside, so that a panic before its first await is caught as well.
        let work = AssertUnwindSafe(async { self.handler.handle(cx, task).await }).catch_unwind();
        let work = pieces.passed_on(&*self.bus, work);
        let result = tokio::select! {
            biased;
            () = watch.token.cancelled() => return Handled::Moot,
            () = joined.token.cancelled() => return Handled::Spared,
            result = tokio::time::timeout(limit, work) => result,
        };
        match result {
            Err(_) if limit == left => Handled::Moot,
            Err(_) => Handled::Failed(Failure::new(
                Class::Transient,
                "step_timeout",
                format!("no result in {limit:?}"),
            )),
            Ok(Err(_panic)) => {
                Handled::Failed(Failure::new(Class::Bug, "panic", "the stage panicked"))
            }
            Ok(Ok(Ok(done))) => Handled::Done(Box::new(done)),
            Ok(Ok(Err(error))) => Handled::Failed(Failure {
                class: error.class,
                code: error.code,
                retry_after: error.retry_after,
                text: error.to_string(),
            }),
        }
    }

    /// Answers a failure: again later, or never.
    async fn failed(
        &self,
        delivery: &Delivery,
        place: &StepAddress,
        step: &Step,
        task: Option<&Task>,
        failure: Failure,
    ) -> DeliveryOutcome {
        match self.retry(&failure, delivery.delivered, step) {
            DeliveryOutcome::GiveUp => {
                self.give_up(delivery, place, Some((step, task)), failure)
                    .await
            }
            verdict => verdict,
        }
    }

    fn disposition(&self, failure: &Failure, delivered: u64, step: &Step) -> Disposition {
        let left = until(self.bus.now(), step.header.deadline);
        let Failure {
            class, retry_after, ..
        } = failure;
        let random = self.random();
        dispose(
            *class,
            delivered,
            DELIVERIES_MAX,
            *retry_after,
            left,
            random,
        )
    }

    fn retry(&self, failure: &Failure, delivered: u64, step: &Step) -> DeliveryOutcome {
        match self.disposition(failure, delivered, step) {
            Disposition::Retry(delay) | Disposition::Hold(delay) => {
                let (code, error) = (failure.code, failure.text.as_str());
                let Header { turn, hop, .. } = &step.header;
                let trace = trace::id(step.header.traceparent.as_deref());
                match self.trouble.began(code) {
                    true => {
                        tracing::warn!(role = %self.role, %turn, hop, trace, code, error, delivered, "steps will be tried again");
                    }
                    false => {
                        tracing::debug!(role = %self.role, %turn, hop, trace, code, error, delivered, "step to be tried again");
                    }
                }
                trace::failed(code);
                DeliveryOutcome::Retry(delay)
            }
            Disposition::GiveUp => DeliveryOutcome::GiveUp,
        }
    }

    /// Finishes what an earlier delivery has stored; true when nothing is left to do.
    pub(crate) async fn finish_what_is_stored(
        &self,
        place: &StepAddress,
        step: &Step,
    ) -> Result<bool, Failure> {
        let stream = Stream::Steps(place.shard);
        if let (Payload::Mapper(_), Some(index)) = (&step.payload, place.index) {
            let part = Subject::Part {
                shard: place.shard,
                turn: place.turn.clone(),
                hop: place.hop,
                index,
            };
            if self.bus.last(stream, &part.to_string()).await?.is_some() {
                self.join_if_complete(step).await?;
                return Ok(true);
            }
            // The reducer did not wait for it: the process that was told so may have died before the ack.
            let reduced = envelope::subject::fence(place.shard, &place.turn, place.hop + 1);
            if self.bus.last(stream, &reduced).await?.is_some() {
                return Ok(true);
            }
        } else if self.finish_hop(place, place.hop + 1).await? {
            return Ok(true);
        }
        let answer = Subject::Answer {
            turn: place.turn.clone(),
        };
        Ok(self
            .bus
            .last(Stream::Answers, &answer.to_string())
            .await?
            .is_some())
    }

    /// Looks for a step at a hop. When it finds a scatter record, it publishes the map steps and the timer again.
    /// True when there is a step.
    pub(crate) async fn finish_hop(&self, place: &StepAddress, hop: u16) -> Result<bool, Failure> {
        let fence = envelope::subject::fence(place.shard, &place.turn, hop);
        let Some(found) = self.bus.last(Stream::Steps(place.shard), &fence).await? else {
            return Ok(false);
        };
        if let Ok(Subject::Scatter { .. }) = Subject::parse(&found.subject)
            && let Ok(record) = envelope::decode(&found.body)
        {
            join::scatter(&*self.bus, &record, self.topology.keep.duration()).await?;
        }
        Ok(true)
    }
}
