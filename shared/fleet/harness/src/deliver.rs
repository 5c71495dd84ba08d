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
use crate::join::{self, Gathered, JoinError, gather, record_in, until};
use crate::live;
use crate::step::{Step, StepAddress, deadline_of, wire_of};
use crate::trace;
use crate::worker::Worker;
use bus::{BusError, Delivery, PublishError, StoredMessage, Stream};
use envelope::fanout::soft_deadline;
use envelope::limits::{DELIVERIES_MAX, DELIVERIES_NEWER_WIRE_MAX};
use envelope::{
    Class, Classify, CodecError, Exit, Header, Payload, ReduceTask, Role, Task, UnixMs,
    WIRE_NEWEST, subject,
};
use futures_util::FutureExt;
use stage::{Live, StepClock, StepContext, StepOutput};
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use streams::outbox::OutboxError;

/// A failure while a message is handled: its class, and its text for the dead letter.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) class: Class,
    pub(crate) code: &'static str,
    pub(crate) text: String,
    pub(crate) retry_after: Option<Duration>,
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

impl From<stage::Error> for Failure {
    fn from(error: stage::Error) -> Self {
        Failure {
            class: error.class,
            code: error.code,
            retry_after: error.retry_after,
            text: error.to_string(),
        }
    }
}

impl From<JoinError> for Failure {
    fn from(error: JoinError) -> Self {
        match error {
            JoinError::Bus(error) => error.into(),
            JoinError::Outbox(error) => error.into(),
            JoinError::NoRecord(_) => Failure::new(Class::Permanent, "no_scatter_record", error),
        }
    }
}

impl From<BusError> for Failure {
    fn from(error: BusError) -> Self {
        Failure::new(Class::Transient, error.code(), error)
    }
}

impl From<CodecError> for Failure {
    fn from(error: CodecError) -> Self {
        OutboxError::from(error).into()
    }
}

impl From<PublishError> for Failure {
    fn from(error: PublishError) -> Self {
        OutboxError::from(error).into()
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
pub(crate) enum Handled {
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
            let subject = message.subject.as_str();
            tracing::error!(subject, "a message under no known subject; dropped");
            return DeliveryOutcome::Ack(AckReason::Dropped);
        };
        let started_at = self.bus.now();
        let queued = message.stored_at.until(started_at);
        self.metrics.received(self.role, queued, delivery.delivered);
        let deadline = deadline_of(message);
        if deadline.is_some_and(|at| at <= started_at) || self.ended.contains(&place.turn) {
            return DeliveryOutcome::Ack(AckReason::Dropped);
        }
        if place.index.is_some() && self.joined.contains(&(place.turn.clone(), place.hop)) {
            return DeliveryOutcome::Ack(AckReason::Spared);
        }
        // Left for a newer worker.
        let is_left = delivery.delivered <= DELIVERIES_NEWER_WIRE_MAX;
        let newer = DeliveryOutcome::Retry(newer_wire_delay(started_at, deadline));
        if is_left && wire_of(message).is_some_and(|v| v > WIRE_NEWEST) {
            return newer;
        }
        if self.role == Role::Mapper
            && place.index.is_none()
            && let Ok(record) = envelope::decode(&message.body)
        {
            return self.map_batch(delivery, record, started_at).await;
        }
        let step = match Payload::read(self.role, &message.body) {
            Ok(step) => step,
            Err(CodecError::Newer { .. }) if is_left => return newer,
            Err(error) => {
                let failure = Failure::new(Class::Permanent, "unreadable", error);
                return self.give_up(delivery, &place, None, failure).await;
            }
        };
        if delivery.delivered > DELIVERIES_MAX {
            let text = format!("delivered {} times", delivery.delivered);
            let failure = Failure::new(Class::Bug, "deliveries", text);
            let step = Some((&step, None));
            return self.give_up(delivery, &place, step, failure).await;
        }
        if self.is_redelivery(delivery, started_at) {
            match self.finish_what_is_stored(&place, &step).await {
                Ok(true) => return DeliveryOutcome::Ack(AckReason::AlreadyDone),
                Ok(false) => {}
                Err(failure) => {
                    let disposition = self.disposition(&failure, delivery.delivered, &step);
                    return self.retry(disposition, &failure, delivery.delivered, &step);
                }
            }
        }
        self.handle_and_publish(delivery, &place, step, started_at)
            .await
    }

    /// Whether the message was delivered before, or so late that another process may have it too.
    pub(crate) fn is_redelivery(&self, delivery: &Delivery, now: UnixMs) -> bool {
        delivery.delivered > 1
            || delivery.message.stored_at.until(now) > self.topology.ack_wait.as_millis()
    }

    /// The time until which no other process can have this delivery: half the ack time-out, since the server's
    /// clock may differ, and none for a redelivery. An ack of any delivery stands for all of them.
    fn sure(&self, delivery: &Delivery) -> UnixMs {
        let half = self.topology.ack_wait.as_millis() / 2;
        match delivery.delivered {
            1 => delivery.message.stored_at.plus(half),
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
        let failure = match self
            .handle_when_free(&mut cx, &step, &task, delivery.delivered)
            .await
        {
            Handled::Moot => return DeliveryOutcome::Ack(AckReason::Dropped),
            Handled::Spared => return DeliveryOutcome::Ack(AckReason::Spared),
            Handled::Failed(failure) => failure,
            Handled::Done(done) => {
                let tells = matches!(&done.out, Exit::Mapper(found) if early_reduce::tells(found));
                let message = &delivery.message;
                let stored = async {
                    let (after, entry) = self.came_to(place, &step, message, &cx, *done).await?;
                    self.act(place, &step, after, Some(entry)).await?;
                    self.count_gathered(&step, &task, message);
                    // The last map step that this process has in hand asks for all of them. With a
                    // quorum any may be the one that makes it.
                    let held = held.take();
                    let asks = held.is_some_and(|held| held.was_last(self.bus.now()));
                    if asks || self.options.quorum < 1.0 {
                        self.join_if_complete(&step).await?;
                    }
                    Ok(())
                };
                match stored.await {
                    Err(failure) => failure,
                    Ok(()) => {
                        if tells && self.options.early_reduce > 0 {
                            self.join_if_covered(&step).await;
                        }
                        self.succeeds();
                        return DeliveryOutcome::Ack(AckReason::Ok);
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

    /// Has the stage do its step; waits while everything behind it is busy.
    pub(crate) async fn handle_when_free(
        &self,
        cx: &mut StepContext,
        step: &Step,
        task: &Task,
        delivered: u64,
    ) -> Handled {
        loop {
            match self.handle(cx, task.clone()).await {
                Handled::Failed(failure) => match self.disposition(&failure, delivered, step) {
                    Disposition::Hold(wait) => self.hold(wait).await,
                    _ => return Handled::Failed(failure),
                },
                handled => return handled,
            }
        }
    }

    /// Tells that what failed before succeeds again.
    pub(crate) fn succeeds(&self) {
        for code in self.trouble.over() {
            tracing::info!(role = %self.role, code, "steps succeed again");
        }
    }

    /// Makes the task whole: with the fan-outs that it reads.
    async fn task_of(&self, mut step: Step) -> Result<(Task, Step), (Box<Step>, Failure)> {
        let brought = match &mut step.payload {
            Payload::Reducer(ReduceTask::Gather { maps, .. }) => maps.take().map(|maps| *maps),
            _ => None,
        };
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
        let Gathered { evidence, trail } = match gather(&*self.bus, &step, read, brought).await {
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

    pub(crate) fn cx(
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
        let bus = self.bus.clone();
        StepContext {
            header: step.header.clone(),
            case: step.case.clone(),
            attempt: u16::try_from(delivered).unwrap_or(u16::MAX),
            started_at,
            now: started_at,
            clock: StepClock::new(move || bus.now()),
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
            Err(_) => {
                let text = format!("no result in {limit:?}");
                Handled::Failed(Failure::new(Class::Transient, "step_timeout", text))
            }
            Ok(Err(_panic)) => {
                Handled::Failed(Failure::new(Class::Bug, "panic", "the stage panicked"))
            }
            Ok(Ok(Ok(done))) => Handled::Done(Box::new(done)),
            Ok(Ok(Err(error))) => Handled::Failed(error.into()),
        }
    }

    /// Answers a failure: again later, or never.
    pub(crate) async fn failed(
        &self,
        delivery: &Delivery,
        place: &StepAddress,
        step: &Step,
        task: Option<&Task>,
        failure: Failure,
    ) -> DeliveryOutcome {
        let disposition = self.disposition(&failure, delivery.delivered, step);
        if disposition == Disposition::GiveUp {
            let step = Some((step, task));
            return self.give_up(delivery, place, step, failure).await;
        }
        self.retry(disposition, &failure, delivery.delivered, step)
    }

    pub(crate) fn disposition(
        &self,
        failure: &Failure,
        delivered: u64,
        step: &Step,
    ) -> Disposition {
        let left = until(self.bus.now(), step.header.deadline);
        let (class, asked, random) = (failure.class, failure.retry_after, self.random());
        dispose(class, delivered, DELIVERIES_MAX, asked, left, random)
    }

    /// Has the message delivered again, and says so.
    pub(crate) fn retry(
        &self,
        disposition: Disposition,
        failure: &Failure,
        delivered: u64,
        step: &Step,
    ) -> DeliveryOutcome {
        let delay = match disposition {
            Disposition::Retry(delay) | Disposition::Hold(delay) => delay,
            // What is stored could not be read: there is no default to take yet.
            Disposition::GiveUp => return DeliveryOutcome::Retry(Duration::from_secs(1)),
        };
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

    /// Finishes what an earlier delivery has stored; true when nothing is left to do.
    pub(crate) async fn finish_what_is_stored(
        &self,
        place: &StepAddress,
        step: &Step,
    ) -> Result<bool, Failure> {
        let (shard, turn, hop) = (place.shard, &place.turn, place.hop);
        let is_stored = async |stream, at: String| {
            let stored = self.bus.last(stream, &at).await?;
            Ok::<_, BusError>(stored.is_some())
        };
        let stream = Stream::Steps(shard);
        if let (Payload::Mapper(_), Some(index)) = (&step.payload, place.index) {
            if is_stored(stream, subject::part(shard, turn, hop, index)).await? {
                self.join_if_complete(step).await?;
                return Ok(true);
            }
            // The reducer did not wait for it: the process that was told so may have died before the ack.
            if is_stored(stream, subject::fence(shard, turn, hop + 1)).await? {
                return Ok(true);
            }
        } else if self.finish_hop(place, hop + 1).await? {
            return Ok(true);
        }
        Ok(is_stored(Stream::Answers, subject::answer(turn)).await?)
    }

    /// Looks for a step at a hop. When it finds a scatter record, it publishes what follows from that again.
    /// True when there is a step.
    pub(crate) async fn finish_hop(&self, place: &StepAddress, hop: u16) -> Result<bool, Failure> {
        let fence = subject::fence(place.shard, &place.turn, hop);
        let Some(found) = self.bus.last(Stream::Steps(place.shard), &fence).await? else {
            return Ok(false);
        };
        if let Some(record) = record_in(std::slice::from_ref(&found), hop) {
            join::scatter(&*self.bus, &record, self.keep()).await?;
        }
        Ok(true)
    }
}
