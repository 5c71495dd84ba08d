//! Carries out the result of a step: no other code routes it, publishes the messages that follow, and records it in
//! the trail.

use crate::dead;
use crate::deliver::Failure;
use crate::delivery_outcome::{AckReason, DeliveryOutcome};
use crate::fault::Point;
use crate::join::{self, record, until};
use crate::live;
use crate::step::{Step, StepAddress};
use crate::trace;
use crate::worker::Worker;
use bus::{Delivery, StoredMessage, Stream};
use bytes::Bytes;
use envelope::attachment::FileRef;
use envelope::limits::ATTACHMENTS_MAX;
use envelope::route::{Event, Next, Transition, route};
use envelope::{
    After, Case, Class, Classify, Envelope, Exit, Header, MapTask, Outcome, Part, PartResult,
    Payload, Problem, Role, Scatter, Task, Terminal, TrailEntry, UnixMs, Usage, WIRE,
    WIRE_OF_BATCHES, header,
};
use stage::{Attachment, StepContext, StepOutput};
use std::time::Duration;
use streams::history;
use streams::outbox::{self, CreateOutcome, publish_until};

/// First and longest wait before a file is stored again: as for a publish.
const FILE_WAIT_FIRST: Duration = Duration::from_millis(20);
const FILE_WAIT_MAX: Duration = Duration::from_secs(2);

impl Worker {
    /// What follows from a step that was done, and its entry in the trail.
    pub(crate) async fn came_to(
        &self,
        place: &StepAddress,
        step: &Step,
        message: &StoredMessage,
        cx: &StepContext,
        done: StepOutput<Exit>,
    ) -> Result<(Transition, TrailEntry), Failure> {
        let now = self.bus.now();
        self.store_files(done.files, step.header.deadline).await?;
        let event = Event::Exit(done.out);
        self.metrics.came_to(&event);
        let after = route(&step.header, &step.case, event, &done.usage, now);
        let entry = TrailEntry {
            attempt: cx.attempt,
            queued_ms: message.stored_at.until(cx.started_at),
            worked_ms: cx.started_at.until(now),
            model: done.model,
            usage: done.usage,
            fallbacks: [done.fallbacks, after.fallbacks.clone()].concat(),
            prompts: done.prompts,
            remarks: done.remarks,
            conditions: done.conditions,
            ..self.entry(place, step, done.decided)
        };
        self.metrics.done(&entry);
        self.metrics.prompted(&entry, &step.case.overrides);
        self.fault(Point::Handled).await;
        if step.header.live {
            live::tell(&*self.bus, &step.header, &entry).await;
        }
        Ok((after, entry))
    }

    /// The entry of a step in the trail, before what it came to. The first step of a turn also says in which mode the turn
    /// runs, where the gateway chose.
    fn entry(&self, place: &StepAddress, step: &Step, decided: String) -> TrailEntry {
        let decided = match step.case.auto().filter(|_| step.header.hop == 0) {
            Some(auto) => format!("{auto}; {decided}"),
            None => decided,
        };
        TrailEntry {
            role: self.role,
            hop: place.hop,
            index: place.index,
            ..TrailEntry::of(&step.header, decided)
        }
    }

    /// Publishes a decision under its write condition and waits until it is stored.
    pub(crate) async fn act(
        &self,
        place: &StepAddress,
        step: &Step,
        after: Transition,
        entry: Option<TrailEntry>,
    ) -> Result<(), Failure> {
        let Transition {
            mut header,
            case,
            next,
            ..
        } = after;
        // A process that does not record this step passes on the context of the step that created it.
        if let Some(context) = telemetry::traces::current() {
            header.traceparent = Some(context.to_string());
        }
        let trail = || [&step.trail[..], entry.as_slice()].concat();
        match next {
            Next::Part(result) => {
                let Payload::Mapper(MapTask { index, .. }) = step.payload else {
                    let why = "a part without a map step";
                    return Err(Failure::new(Class::Bug, "part_of_no_map", why));
                };
                self.metrics.read(&result, entry.as_ref());
                let part = Part {
                    v: WIRE,
                    index,
                    result,
                    entry,
                };
                join::store_part(&*self.bus, &step.header, &part, self.keep()).await?;
                self.fault(Point::PartStored).await;
                Ok(())
            }
            Next::Scatter(found) => {
                self.metrics.fanned_out(found.passages.len());
                let is_batch = found.after == After::Map && self.is_batch(found.passages.len());
                let record = Envelope {
                    v: if is_batch { WIRE_OF_BATCHES } else { WIRE },
                    header,
                    case,
                    trail: trail(),
                    payload: found,
                };
                self.publish_scatter(place, &record).await
            }
            Next::End(terminal) => self.end(&step.header, terminal.with_trail(trail())).await,
            Next::Step(payload) => {
                let envelope = Envelope {
                    v: payload.wire(),
                    header,
                    case,
                    trail: trail(),
                    payload,
                };
                self.publish_step(place, &envelope).await
            }
        }
    }

    /// Creates the reducer's step when the part of this map step was the last missing one.
    pub(crate) async fn join_if_complete(&self, step: &Step) -> Result<(), Failure> {
        if let Payload::Mapper(task) = &step.payload {
            self.count_and_join(&step.header, &step.case, step.v, task.of)
                .await?;
        }
        Ok(())
    }

    async fn count_and_join(
        &self,
        header: &Header,
        case: &Case,
        v: u16,
        of: u16,
    ) -> Result<(), Failure> {
        let wanted = join::enough(of, self.options.quorum);
        join::count_and_join(&*self.bus, header, case, v, wanted, self.keep()).await?;
        Ok(())
    }

    async fn publish_step(&self, place: &StepAddress, envelope: &Step) -> Result<(), Failure> {
        let message = outbox::step(envelope, None, self.bus.now(), self.keep())?;
        let created = publish_until(&*self.bus, message, envelope.header.deadline).await?;
        self.finish_if_before(place, created).await
    }

    async fn publish_scatter(
        &self,
        place: &StepAddress,
        record: &Envelope<Scatter>,
    ) -> Result<(), Failure> {
        let message = outbox::scatter(record, self.bus.now(), self.keep())?;
        let created = publish_until(&*self.bus, message, record.header.deadline).await?;
        self.fault(Point::ScatterStored).await;
        if created == CreateOutcome::Now {
            join::scatter(&*self.bus, record, self.keep()).await?;
        }
        self.finish_if_before(place, created).await
    }

    /// An earlier run of this step decided first; what it decided may be a half-finished fan-out.
    async fn finish_if_before(
        &self,
        place: &StepAddress,
        created: CreateOutcome,
    ) -> Result<(), Failure> {
        if created == CreateOutcome::Before {
            self.finish_hop(place, place.hop + 1).await?;
        }
        Ok(())
    }

    /// Stores what the step has made beside its exit, before anything names it. Stored again, it is the
    /// same: its key follows from its bytes. As with a publish, what was paid for is not thrown away because
    /// the store is away for a moment.
    async fn store_files(&self, files: Vec<Attachment>, deadline: UnixMs) -> Result<(), Failure> {
        if files.len() > ATTACHMENTS_MAX {
            let why = format!("{} files, and {ATTACHMENTS_MAX} are the most", files.len());
            return Err(Failure::new(Class::TooLarge, "attachments", why));
        }
        for Attachment { file, bytes } in files {
            let left = until(self.bus.now(), deadline);
            let stored = tokio::time::timeout(left, self.store_file(&file, bytes, deadline)).await;
            stored.map_err(|_| {
                let why = format!("file `{}` was not stored in time", file.name);
                Failure::new(Class::Transient, "attachment_timeout", why)
            })??;
        }
        Ok(())
    }

    /// Stores a file as soon as that can be done. While the bus is away, nothing else could be published
    /// either; a store that refuses is given half of the time, and then there is time for the default.
    async fn store_file(
        &self,
        file: &FileRef,
        bytes: Bytes,
        deadline: UnixMs,
    ) -> Result<(), Failure> {
        let begun = self.bus.now();
        let half = begun.plus(begun.until(deadline) / 2);
        let mut wait = FILE_WAIT_FIRST;
        loop {
            let Err(error) = self.bus.put_file(&file.key, bytes.clone()).await else {
                return Ok(());
            };
            if error.class() != Class::Transient && self.bus.now() >= half {
                let (class, code) = (Class::Permanent, "attachment_not_stored");
                return Err(Failure::new(class, code, error));
            }
            tracing::debug!(key = file.key, %error, "file to be stored again");
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(FILE_WAIT_MAX);
        }
    }

    /// Creates the terminal event.
    pub(crate) async fn end(&self, header: &Header, terminal: Terminal) -> Result<(), Failure> {
        let message = outbox::terminal(&terminal, header.reply_to.as_deref())?;
        // Past the deadline the timer ends the turn; until then this outcome is worth waiting for.
        publish_until(&*self.bus, message, header.deadline).await?;
        self.ended.end(&header.turn);
        Ok(())
    }

    /// Gives a message up: it stores the dead letter, then the step's default or `failed`; the ack follows. A dead
    /// letter that cannot be stored is counted and blocks nothing. When the default has to be tried again, the dead
    /// letter is written again.
    pub(crate) async fn give_up(
        &self,
        delivery: &Delivery,
        place: &StepAddress,
        step: Option<(&Step, Option<&Task>)>,
        failure: Failure,
    ) -> DeliveryOutcome {
        let message = &delivery.message;
        let text = failure.text.as_str();
        if let Some((step, _)) = step {
            // What an earlier or another delivery has stored is no failure, however often this one
            // was made: its default would end a turn that goes on.
            match self.finish_what_is_stored(place, step).await {
                Ok(true) => return DeliveryOutcome::Ack(AckReason::AlreadyDone),
                Ok(false) => {}
                Err(failure) => {
                    tracing::warn!(
                        code = failure.code,
                        error = failure.text,
                        "stored results could not be read; the step is tried again"
                    );
                    return DeliveryOutcome::Retry(Duration::from_secs(1));
                }
            }
        }
        let trace = trace::id(message.headers.get(header::TRACEPARENT));
        tracing::error!(role = %self.role, turn = %place.turn, hop = place.hop, trace, code = failure.code, error = text, "step given up");
        trace::failed(failure.code);
        // Before the default: once that is stored, a redelivery would find the step done and write none.
        let death = dead::Death {
            reason: failure.code,
            error: text,
            stream: Stream::Steps(place.shard),
            delivered: delivery.delivered,
        };
        let stored = dead::store(&*self.bus, dead::letter(place, message, &death)).await;
        self.metrics.dead(self.role, failure.class, stored);
        if !stored {
            tracing::error!(role = %self.role, turn = %place.turn, hop = place.hop, trace, "dead letter lost; the step stays in its stream until it ages out");
        }
        let outcome = match step {
            Some((step, task)) => {
                self.take_default(place, step, task, &failure, message)
                    .await
            }
            None => self.end_unread(place, &failure).await,
        };
        if let Err(failure) = outcome {
            tracing::warn!(
                code = failure.code,
                error = failure.text,
                "the fallback could not be published; it is tried again"
            );
            return DeliveryOutcome::Retry(Duration::from_secs(1));
        }
        if let Some((step, Some(task))) = step {
            self.count_gathered(step, task, message);
        }
        DeliveryOutcome::Ack(AckReason::DeadLetter)
    }

    async fn take_default(
        &self,
        place: &StepAddress,
        step: &Step,
        task: Option<&Task>,
        failure: &Failure,
        message: &StoredMessage,
    ) -> Result<(), Failure> {
        let now = self.bus.now();
        let whole = || Task::bare(step.payload.clone());
        let task = task.cloned().unwrap_or_else(whole);
        let event = Event::Broken(task, failure.code);
        self.metrics.came_to(&event);
        let after = route(&step.header, &step.case, event, &Usage::default(), now);
        let entry = TrailEntry {
            queued_ms: message.stored_at.until(now),
            fallbacks: after.fallbacks.clone(),
            ..self.entry(place, step, format!("given up: {}", failure.code))
        };
        self.metrics.done(&entry);
        match self.act(place, step, after, Some(entry)).await {
            // Its default does not fit either: the turn ends here.
            Err(over) if over.class == Class::TooLarge => {
                let problem = Problem::new(failure.code, failure.text.clone());
                let terminal = Terminal::of(&step.header, Outcome::Failed, now);
                self.end(&step.header, terminal.because(problem)).await
            }
            // Given up or not, a part may be the last one.
            Ok(()) => self.join_if_complete(step).await,
            failed => failed,
        }
    }

    /// Nothing of the message can be read but its subject: a mapper's is an error part, any other
    /// ends the turn.
    async fn end_unread(&self, place: &StepAddress, failure: &Failure) -> Result<(), Failure> {
        let (shard, turn, hop) = (place.shard, &place.turn, place.hop);
        if let (Role::Mapper, Some(index)) = (place.role, place.index)
            && let Some(record) = record(&*self.bus, shard, turn, hop.saturating_sub(1)).await?
        {
            let header = Header {
                role: Role::Mapper,
                hop,
                ..record.header.clone()
            };
            let part = Part {
                v: WIRE,
                index,
                result: PartResult::Error(failure.code.into()),
                entry: None,
            };
            join::store_part(&*self.bus, &header, &part, self.keep()).await?;
            let of = record.payload.passages.len() as u16;
            return self
                .count_and_join(&header, &record.case, record.v, of)
                .await;
        }
        let now = self.bus.now();
        let unread = Event::Unread(failure.code);
        // The turn's timer holds what its header was; without it only the turn's id is known.
        let known = history::begun(&*self.bus, turn).await?;
        let header = known.unwrap_or_else(|| Header {
            shard,
            deadline: now.plus(10_000),
            ..Header::of(turn.clone(), place.role, hop, now)
        });
        let case = Case::default();
        match route(&header, &case, unread, &Usage::default(), now).next {
            Next::End(terminal) => self.end(&header, *terminal).await,
            Next::Step(_) | Next::Scatter(_) | Next::Part(_) => Ok(()),
        }
    }
}
