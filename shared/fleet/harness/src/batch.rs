//! Maps a batch: a scatter record of few passages, which is a mapper's step itself, so that one delivery maps all of them.
//!
//! Its calls run at once, as many in one process as it has slots. What comes of them stays in memory and travels in the
//! reducer's step, together with the passages; so neither parts nor a count are stored, and the reducer reads nothing. While a
//! call still runs `SLOW` after another one was done, what was done is stored as a part: a crash repeats the calls of that
//! time, and the soft deadline finds the rest. See docs/adr/0033.

use crate::deliver::{Failure, Handled};
use crate::delivery_outcome::{AckReason, DeliveryOutcome};
use crate::early_reduce::is_covered;
use crate::fault::Point;
use crate::join::{self, enough};
use crate::step::{Step, StepAddress};
use crate::trace;
use crate::worker::Worker;
use bus::{Delivery, Stream};
use envelope::limits::DELIVERIES_MAX;
use envelope::route::Next;
use envelope::{
    Class, CodecError, Envelope, Header, MapTask, Part, Payload, Role, Scatter, Task, UnixMs, WIRE,
    decode, fanout, subject,
};
use futures_util::future::{BoxFuture, Fuse, FusedFuture, try_join_all};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use std::time::Duration;
use streams::outbox::{self, CreateOutcome, publish_until};
use tokio::time::Instant;

/// How long what was done waits for the rest before it is stored.
const SLOW: Duration = Duration::from_millis(250);
/// The most bytes of a reducer's step that brings its maps; of a larger one they are stored, and it reads them.
const BROUGHT_MAX: usize = 64 * 1024;

/// What has come of a batch so far.
struct Batch {
    record: Envelope<Scatter>,
    parts: Vec<Option<Part>>,
    /// The parts that are not stored.
    fresh: Vec<u16>,
    /// When the first of them was done.
    since: Instant,
}

impl Batch {
    fn take(&mut self, part: Part) {
        if self.fresh.is_empty() {
            self.since = Instant::now();
        }
        self.fresh.push(part.index);
        join::put(&mut self.parts, Some(part));
    }

    /// The map steps of which nothing has come.
    fn open(&self) -> impl Iterator<Item = Step> + '_ {
        let all = fanout::map_steps(&self.record).map(|step| step.map(Payload::Mapper));
        let open = all.zip(&self.parts).filter(|(_, part)| part.is_none());
        open.map(|(step, _)| step)
    }
}

/// What came of one passage.
enum PassageOutcome {
    Done(Box<Part>),
    /// Its step was given up, and what stands for it is stored under this number.
    GivenUp(u16),
    /// To be tried again after this time.
    Again(Duration),
    /// The turn ended meanwhile, or its time is up.
    Moot,
}

impl PassageOutcome {
    fn verdict(&self) -> DeliveryOutcome {
        match self {
            PassageOutcome::Done(_) => DeliveryOutcome::Ack(AckReason::Ok),
            PassageOutcome::GivenUp(_) => DeliveryOutcome::Ack(AckReason::DeadLetter),
            PassageOutcome::Again(delay) => DeliveryOutcome::Retry(*delay),
            PassageOutcome::Moot => DeliveryOutcome::Ack(AckReason::Dropped),
        }
    }
}

/// How the calls of a batch ended.
enum BatchOutcome {
    /// There is enough for the reducer.
    Enough,
    /// Some are to be tried again after this time.
    Again(Duration),
    /// Nothing is left to do.
    Ack(AckReason),
}

impl Worker {
    /// Maps the passages of a batch, and creates the reducer's step.
    pub(crate) async fn map_batch(
        &self,
        delivery: &Delivery,
        record: Envelope<Scatter>,
        started_at: UnixMs,
    ) -> DeliveryOutcome {
        let mut batch = Batch {
            parts: vec![None; record.payload.passages.len()],
            record,
            fresh: Vec::new(),
            since: Instant::now(),
        };
        match self.do_batch(delivery, &mut batch, started_at).await {
            Ok(outcome) => outcome,
            // What could not be stored or read: the next delivery does what is then missing.
            Err(failure) => {
                let Some(step) = fanout::map_steps(&batch.record).next() else {
                    return DeliveryOutcome::Ack(AckReason::Dropped);
                };
                let step = step.map(Payload::Mapper);
                let disposition = self.disposition(&failure, delivery.delivered, &step);
                self.retry(disposition, &failure, delivery.delivered, &step)
            }
        }
    }

    async fn do_batch(
        &self,
        delivery: &Delivery,
        batch: &mut Batch,
        started_at: UnixMs,
    ) -> Result<DeliveryOutcome, Failure> {
        if self.is_redelivery(delivery, started_at) && self.is_done(batch).await? {
            return Ok(DeliveryOutcome::Ack(AckReason::AlreadyDone));
        }
        match self.call_all(delivery, batch).await? {
            BatchOutcome::Ack(reason) => Ok(DeliveryOutcome::Ack(reason)),
            BatchOutcome::Again(delay) => {
                self.store_fresh(batch).await?;
                Ok(DeliveryOutcome::Retry(delay))
            }
            BatchOutcome::Enough => {
                self.reduce(batch).await?;
                self.succeeds();
                Ok(DeliveryOutcome::Ack(AckReason::Ok))
            }
        }
    }

    /// Takes what an earlier delivery has stored; true when nothing is left to do.
    async fn is_done(&self, batch: &mut Batch) -> Result<bool, Failure> {
        let header = &batch.record.header;
        let (steps, turn) = (Stream::Steps(header.shard), &header.turn);
        let next = subject::fence(header.shard, turn, header.hop + 2);
        for (stream, at) in [(steps, next), (Stream::Answers, subject::answer(turn))] {
            if self.bus.last(stream, &at).await?.is_some() {
                return Ok(true);
            }
        }
        let found = join::whole(&*self.bus, header, header.hop).await?;
        join::put(&mut batch.parts, found.parts.into_iter().flatten());
        Ok(false)
    }

    /// Calls for every passage of which nothing has come, until there is enough.
    async fn call_all(
        &self,
        delivery: &Delivery,
        batch: &mut Batch,
    ) -> Result<BatchOutcome, Failure> {
        let calls = batch.open().map(|step| self.map_one(delivery, step));
        let mut calls: FuturesUnordered<_> = calls.collect();
        let mut again = Duration::ZERO;
        // Beside the calls: while a stream is full they go on.
        let mut storing: Fuse<BoxFuture<'_, Result<Vec<u16>, Failure>>> = Fuse::terminated();
        while !self.is_enough(batch) {
            let is_idle = storing.is_terminated();
            let one = tokio::select! {
                biased;
                one = calls.next() => one,
                stored = &mut storing, if !is_idle => {
                    let stored = stored?;
                    batch.fresh.retain(|index| !stored.contains(index));
                    self.fault(Point::PartStored).await;
                    continue;
                }
                () = tokio::time::sleep_until(batch.since + SLOW), if is_idle && !batch.fresh.is_empty() => {
                    storing = self.store(batch).boxed().fuse();
                    batch.since = Instant::now();
                    continue;
                }
            };
            match one {
                Some(PassageOutcome::Done(part)) => {
                    batch.take(*part);
                    self.fault(Point::Mapped).await;
                }
                Some(PassageOutcome::GivenUp(index)) => match self.stored(batch, index).await? {
                    Some(part) => join::put(&mut batch.parts, Some(part)),
                    // The soft deadline was first: a later round may read what was done.
                    None => {
                        self.store_fresh(batch).await?;
                        return Ok(BatchOutcome::Ack(AckReason::AlreadyDone));
                    }
                },
                Some(PassageOutcome::Again(delay)) => again = again.max(delay),
                Some(PassageOutcome::Moot) => return Ok(BatchOutcome::Ack(AckReason::Dropped)),
                None => return Ok(BatchOutcome::Again(again)),
            }
        }
        Ok(BatchOutcome::Enough)
    }

    fn is_enough(&self, batch: &Batch) -> bool {
        let (of, least) = (batch.parts.len(), self.options.early_reduce as usize);
        let done = batch.parts.iter().flatten().count() as u64;
        done >= enough(of as u16, self.options.quorum)
            || least > 0 && is_covered(&batch.record.payload, &batch.parts, least)
    }

    async fn map_one(&self, delivery: &Delivery, step: Step) -> PassageOutcome {
        let Payload::Mapper(MapTask { index, .. }) = step.payload else {
            return PassageOutcome::Moot;
        };
        let place = StepAddress {
            shard: step.header.shard,
            role: Role::Mapper,
            turn: step.header.turn.clone(),
            hop: step.header.hop,
            index: Some(index),
        };
        // Until there is one, the message is held and the server told so.
        let _call = self.calls.acquire().await;
        let _inflight = self.metrics.inflight(self.role);
        let work = Box::pin(self.map(delivery, &place, &step, index));
        trace::mapped(self, delivery, &place, work, PassageOutcome::verdict).await
    }

    async fn map(
        &self,
        delivery: &Delivery,
        place: &StepAddress,
        step: &Step,
        index: u16,
    ) -> PassageOutcome {
        let (delivered, task) = (delivery.delivered, Task::bare(step.payload.clone()));
        let failure = if delivered > DELIVERIES_MAX {
            let text = format!("delivered {delivered} times");
            Failure::new(Class::Bug, "deliveries", text)
        } else {
            let mut cx = self.cx(place, step, delivered, self.bus.now());
            match self.handle_when_free(&mut cx, step, &task, delivered).await {
                Handled::Moot | Handled::Spared => return PassageOutcome::Moot,
                Handled::Failed(failure) => failure,
                Handled::Done(done) => {
                    let came = self.came_to(place, step, &delivery.message, &cx, *done);
                    match came.await {
                        Err(failure) => failure,
                        Ok((after, entry)) => {
                            let Next::Part(result) = after.next else {
                                return PassageOutcome::Moot;
                            };
                            let entry = Some(entry);
                            self.metrics.read(&result, entry.as_ref());
                            let v = WIRE;
                            let part = Part {
                                v,
                                index,
                                result,
                                entry,
                            };
                            return PassageOutcome::Done(Box::new(part));
                        }
                    }
                }
            }
        };
        match self
            .failed(delivery, place, step, Some(&task), failure)
            .await
        {
            DeliveryOutcome::Retry(delay) => PassageOutcome::Again(delay),
            DeliveryOutcome::Ack(_) => PassageOutcome::GivenUp(index),
        }
    }

    async fn stored(&self, batch: &Batch, index: u16) -> Result<Option<Part>, Failure> {
        let header = &batch.record.header;
        let at = subject::part(header.shard, &header.turn, header.hop + 1, index);
        let stored = self.bus.last(Stream::Steps(header.shard), &at).await?;
        Ok(stored.and_then(|stored| decode(&stored.body).ok()))
    }

    /// Stores what was done as parts.
    async fn store_fresh(&self, batch: &mut Batch) -> Result<(), Failure> {
        self.store(batch).await?;
        batch.fresh.clear();
        Ok(())
    }

    /// Stores what is not stored; returns the numbers.
    fn store<'a>(&'a self, batch: &Batch) -> impl Future<Output = Result<Vec<u16>, Failure>> + 'a {
        let header = Header {
            role: Role::Mapper,
            hop: batch.record.header.hop + 1,
            ..batch.record.header.clone()
        };
        let fresh = batch.fresh.iter();
        let fresh = fresh.filter_map(|index| batch.parts[usize::from(*index)].clone());
        let fresh: Vec<Part> = fresh.collect();
        async move {
            let each = fresh.iter();
            let each = each.map(|part| join::store_part(&*self.bus, &header, part, self.keep()));
            try_join_all(each).await?;
            Ok(fresh.iter().map(|part| part.index).collect())
        }
    }

    /// Creates the reducer's step, which brings the maps along.
    async fn reduce(&self, batch: &mut Batch) -> Result<(), Failure> {
        let (now, record) = (self.bus.now(), &batch.record);
        let parts = batch.parts.iter().flatten().cloned().collect();
        let whole = outbox::step(
            &fanout::reducer_step_with(record, parts),
            None,
            now,
            self.keep(),
        );
        let message = match whole {
            Ok(message) if message.body.len() <= BROUGHT_MAX => message,
            Ok(_) | Err(CodecError::TooLarge { .. }) => {
                self.store_fresh(batch).await?;
                let Envelope {
                    header, case, v, ..
                } = &batch.record;
                join::join(&*self.bus, header, case, (header.hop, *v), self.keep()).await?;
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let created = publish_until(&*self.bus, message, batch.record.header.deadline).await?;
        if created == CreateOutcome::Before {
            // The soft deadline was first: a later round may read what was done.
            self.store_fresh(batch).await?;
        }
        Ok(())
    }
}
