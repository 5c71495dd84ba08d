//! Fans a search out into map steps, and joins their parts into the reducer's step.
//!
//! The scatter record alone decides which map steps there are: any process that finds some of them missing publishes
//! them again. A mapper stores its part, then asks the stream's leader how many parts there are; a mapper that sees
//! all of them creates the reducer's step. Counting anywhere else (a counter, a direct get from a follower) loses
//! joins.
//!
//! When a process works on several map steps of the same fan-out, only the last of them asks for the count
//! (`LocalMapSteps`), after every part of the process is stored. Until then its own message stays unacked, so a crash
//! loses no join. The other steps rely on the last one only if it is a first delivery, and only until the server may
//! deliver it again. See docs/adr/0007.

use crate::step::Step;
use bus::{Bus, BusError, Publish, StoredMessage, Stream};
use envelope::{
    After, Case, Envelope, FanOut, Header, MappedFanOut, Part, ReduceTask, Role, Scatter, Subject,
    TrailEntry, TurnId, UnixMs, decode, encode, fanout, subject,
};
use futures_util::future::try_join_all;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use streams::outbox::{self, CreateOutcome, OutboxError, publish_until, step, timer};

/// Publishes what follows from a scatter record: the map steps, unless it is one itself (a batch), and the timer of the soft
/// deadline where that of the turn comes too early to set it; or the next step of a loop.
pub(crate) async fn scatter(
    bus: &dyn Bus,
    record: &Envelope<Scatter>,
    keep: Duration,
) -> Result<(), OutboxError> {
    let (now, until) = (bus.now(), record.header.deadline);
    let mut messages = next_steps(record, now, keep)?;
    let is_mapped = record.payload.after != After::Review;
    if is_mapped && fanout::is_after_first_look(&record.header, now) {
        messages.push(soft_timer(record, keep));
    }
    let messages = messages.into_iter();
    try_join_all(messages.map(|message| publish_until(bus, message, until))).await?;
    Ok(())
}

/// The steps that follow from a scatter record.
pub(crate) fn next_steps(
    record: &Envelope<Scatter>,
    now: UnixMs,
    keep: Duration,
) -> Result<Vec<Publish>, OutboxError> {
    // The results of a loop's search are not mapped: its next step looks at them, and there is nothing to wait for.
    if record.payload.after == After::Review {
        return Ok(vec![step(&fanout::act_step(record), None, now, keep)?]);
    }
    if fanout::is_batch(record) {
        return Ok(Vec::new());
    }
    let maps = fanout::map_steps(record);
    let maps = maps.map(|map| step(&map, Some(map.payload.index), now, keep));
    Ok(maps.collect::<Result<_, _>>()?)
}

/// The timer of the soft deadline of a scatter record.
pub(crate) fn soft_timer(record: &Envelope<Scatter>, keep: Duration) -> Publish {
    let at = fanout::soft_deadline(&record.header);
    timer(&record.header, Some(record.header.hop), at, keep)
}

/// Stores a part. A part that is stored already is equally good.
pub(crate) async fn store_part(
    bus: &dyn Bus,
    header: &Header,
    part: &Part,
    keep: Duration,
) -> Result<CreateOutcome, OutboxError> {
    let (now, body) = (bus.now(), encode(part)?);
    let message = outbox::part(header, header.hop, part.index, body, now, keep);
    Ok(publish_until(bus, message, header.deadline).await?)
}

/// Why a join could not go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JoinError {
    #[error(transparent)]
    Bus(#[from] BusError),
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    #[error("the scatter record of hop {0} is gone or unreadable")]
    NoRecord(u16),
}

/// How many of `of` parts make the `quorum`: at least one, at most all.
pub(crate) fn enough(of: u16, quorum: f64) -> u64 {
    let share = (f64::from(of) * quorum).ceil() as u64;
    share.clamp(1, u64::from(of).max(1))
}

/// Creates the reducer's step when `wanted` parts are there. `header` and the wire version `v` are those of a map step.
pub(crate) async fn count_and_join(
    bus: &dyn Bus,
    header: &Header,
    case: &Case,
    v: u16,
    wanted: u64,
    keep: Duration,
) -> Result<bool, JoinError> {
    let filter = subject::parts(header.shard, &header.turn, header.hop);
    let stream = Stream::Steps(header.shard);
    if bus.count(stream, &filter).await? < wanted {
        return Ok(false);
    }
    join(bus, header, case, (header.hop - 1, v), keep).await?;
    Ok(true)
}

/// Creates the reducer's step with the parts there are: the count was reached or the time is up. It has the wire version `v` of
/// its scatter record, so that whoever can read that takes it.
pub async fn join(
    bus: &dyn Bus,
    header: &Header,
    case: &Case,
    (scatter, v): (u16, u16),
    keep: Duration,
) -> Result<CreateOutcome, OutboxError> {
    let mut envelope = fanout::reducer_step(header, case, scatter);
    envelope.v = v;
    let message = step(&envelope, None, bus.now(), keep)?;
    Ok(publish_until(bus, message, header.deadline).await?)
}

/// The scatter record of a hop, from the leader.
pub async fn record(
    bus: &dyn Bus,
    shard: u16,
    turn: &TurnId,
    hop: u16,
) -> Result<Option<Envelope<Scatter>>, BusError> {
    let at = subject::fence(shard, turn, hop);
    let stored = bus.last(Stream::Steps(shard), &at).await?;
    Ok(record_in(stored.as_slice(), hop))
}

/// The scatter record of a hop among messages of its turn.
pub(crate) fn record_in(found: &[StoredMessage], hop: u16) -> Option<Envelope<Scatter>> {
    let is_it = |stored: &&StoredMessage| {
        Subject::parse(&stored.subject)
            .is_ok_and(|at| at.of_scatter().is_some_and(|(_, of)| of == hop))
    };
    found
        .iter()
        .find(is_it)
        .and_then(|stored| decode(&stored.body).ok())
}

/// The fan-out of the newest step of a turn, if that is one whose maps are waited for.
pub fn open_fan_out(newest: &StoredMessage) -> Option<Envelope<Scatter>> {
    Subject::parse(&newest.subject).ok()?.of_scatter()?;
    let record: Envelope<Scatter> = decode(&newest.body).ok()?;
    (record.payload.after == After::Map).then_some(record)
}

/// The parts of a fan-out that travel with its reducer's step.
pub fn parts_in(reducer: &StoredMessage) -> Vec<Part> {
    match decode::<Envelope<ReduceTask>>(&reducer.body).map(|step| step.payload) {
        Ok(ReduceTask::Gather {
            maps: Some(maps), ..
        }) => maps.parts,
        _ => Vec::new(),
    }
}

/// The map steps that this process has in hand, by fan-out.
#[derive(Debug, Default)]
pub(crate) struct LocalMapSteps(Mutex<Hand>);

#[derive(Debug, Default)]
struct Hand {
    /// Each step under a number of its own, with the time until which no other process can have it.
    held: HashMap<(TurnId, u16), Vec<(u64, UnixMs)>>,
    next: u64,
}

impl LocalMapSteps {
    fn lock(&self) -> MutexGuard<'_, Hand> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a map step of the fan-out at `hop`. Until `sure` no other process has it; from then on another one
    /// may finish and ack it, and no other step relies on it.
    pub(crate) fn take(&self, turn: &TurnId, hop: u16, sure: UnixMs) -> LocalMapStep<'_> {
        let (fanout, mut hand) = ((turn.clone(), hop), self.lock());
        hand.next += 1;
        let id = hand.next;
        let steps = hand.held.entry(fanout.clone()).or_default();
        steps.push((id, sure));
        LocalMapStep {
            hand: self,
            place: Some((fanout, id)),
        }
    }

    fn put_down(&self, (fanout, id): ((TurnId, u16), u64), now: UnixMs) -> bool {
        let mut hand = self.lock();
        let Some(steps) = hand.held.get_mut(&fanout) else {
            return true;
        };
        steps.retain(|(held, _)| *held != id);
        let last = steps.iter().all(|(_, sure)| *sure <= now);
        if steps.is_empty() {
            hand.held.remove(&fanout);
        }
        last
    }
}

/// A registered map step. When it is dropped without a result, its message was not acked, and the next delivery
/// asks.
pub(crate) struct LocalMapStep<'a> {
    hand: &'a LocalMapSteps,
    place: Option<((TurnId, u16), u64)>,
}

impl LocalMapStep<'_> {
    /// Unregisters the step after its part was stored; true when no other reliable step is registered, so that this
    /// one has to ask.
    pub(crate) fn was_last(mut self, now: UnixMs) -> bool {
        self.place
            .take()
            .is_none_or(|place| self.hand.put_down(place, now))
    }
}

impl Drop for LocalMapStep<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            self.hand.put_down(place, UnixMs(0));
        }
    }
}

/// What a step reads: fan-outs, and the trail that led to it.
pub(crate) struct Gathered {
    pub(crate) evidence: Vec<FanOut>,
    /// The trail up to this step: what it brought, or that of the newest scatter record, and the entries
    /// of every map step that is not in it yet.
    pub(crate) trail: Vec<TrailEntry>,
}

/// Reads the fan-outs at `scatters`, but the newest where the step has brought it; asks the leader for parts that a follower
/// did not have yet. A second reduce brings the trail of the first along.
pub(crate) async fn gather(
    bus: &dyn Bus,
    step: &Step,
    scatters: &[u16],
    brought: Option<MappedFanOut>,
) -> Result<Gathered, JoinError> {
    // One that was not waited for may have brought less than is stored by now.
    let is_whole = |maps: &MappedFanOut| maps.parts.len() == maps.scatter.passages.len();
    let has_all = brought.as_ref().is_some_and(is_whole);
    let read = &scatters[..scatters.len() - usize::from(has_all)];
    let found = read.iter().map(|hop| whole(bus, &step.header, *hop));
    let mut all = try_join_all(found).await?;
    if let (Some(MappedFanOut { scatter, parts }), Some(hop)) = (brought, scatters.last()) {
        if has_all {
            all.push(Recorded {
                hop: *hop,
                parts: vec![None; scatter.passages.len()],
                scatter,
                trail: Vec::new(),
            });
        }
        if let Some(newest) = all.last_mut() {
            put(&mut newest.parts, parts);
        }
    }
    Ok(assemble(all, step.trail.clone()))
}

/// A fan-out as it is stored.
pub(crate) struct Recorded {
    hop: u16,
    pub(crate) scatter: Scatter,
    trail: Vec<TrailEntry>,
    /// Part `i` is that of passage `i`.
    pub(crate) parts: Vec<Option<Part>>,
}

/// The scatter record of a hop and all of its parts that there are.
pub(crate) async fn whole(
    bus: &dyn Bus,
    header: &Header,
    scatter: u16,
) -> Result<Recorded, JoinError> {
    let Header { shard, turn, .. } = header;
    let mut found = there_is(bus, header, scatter).await?;
    if found.parts.iter().all(Option::is_some) {
        return Ok(found);
    }
    let stream = Stream::Steps(*shard);
    if let Some(reducer) = reducer_of(header, scatter) {
        let reducer = bus.last(stream, &reducer).await?;
        put(&mut found.parts, reducer.iter().flat_map(parts_in));
    }
    for (index, slot) in (0u16..)
        .zip(found.parts.iter_mut())
        .filter(|(_, slot)| slot.is_none())
    {
        let at = subject::part(*shard, turn, scatter + 1, index);
        let part = bus.last(stream, &at).await?;
        *slot = part.and_then(|part| decode(&part.body).ok());
    }
    Ok(found)
}

/// The scatter record and those of its parts that a replica has.
pub(crate) async fn there_is(
    bus: &dyn Bus,
    header: &Header,
    scatter: u16,
) -> Result<Recorded, JoinError> {
    let Header { shard, turn, .. } = header;
    let reducer = reducer_of(header, scatter);
    let mut all = vec![
        subject::fence(*shard, turn, scatter),
        subject::parts(*shard, turn, scatter + 1),
    ];
    all.extend(reducer.clone());
    let found = bus.last_of_each(Stream::Steps(*shard), &all).await?;
    let record = match record_in(&found, scatter) {
        Some(record) => Some(record),
        None => self::record(bus, *shard, turn, scatter).await?,
    };
    let record = record.ok_or(JoinError::NoRecord(scatter))?;
    let mut parts: Vec<Option<Part>> = vec![None; record.payload.passages.len()];
    let is_part = |m: &&StoredMessage| m.subject.starts_with(subject::PARTS);
    let stored = found.iter().filter(is_part);
    put(&mut parts, stored.filter_map(|m| decode(&m.body).ok()));
    // What the reducer was given counts, whatever else was stored after it.
    let brought = found
        .iter()
        .filter(|m| Some(&m.subject) == reducer.as_ref());
    put(&mut parts, brought.flat_map(parts_in));
    Ok(Recorded {
        hop: scatter,
        scatter: record.payload,
        trail: record.trail,
        parts,
    })
}

/// Where the reducer's step of a fan-out stands, which may have brought its parts; `None` for that step itself, and before it.
fn reducer_of(header: &Header, scatter: u16) -> Option<String> {
    let Header {
        shard, turn, hop, ..
    } = header;
    let at = scatter + 2;
    (*hop > at).then(|| subject::step(*shard, Role::Reducer, turn, at, None))
}

/// Puts parts at their places.
pub(crate) fn put(places: &mut [Option<Part>], parts: impl IntoIterator<Item = Part>) {
    for part in parts {
        if let Some(place) = places.get_mut(usize::from(part.index)) {
            *place = Some(part);
        }
    }
}

/// Puts what the maps came to beside their passages, and their entries into the trail.
fn assemble(all: Vec<Recorded>, brought: Vec<TrailEntry>) -> Gathered {
    let mut trail = match (brought.is_empty(), all.last()) {
        (true, Some(newest)) => newest.trail.clone(),
        _ => brought,
    };
    let mut evidence = Vec::with_capacity(all.len());
    for record in all {
        let results = record.parts.into_iter().map(|part| {
            let Part { result, entry, .. } = part?;
            let is_new =
                |e: &TrailEntry| !trail.iter().any(|t| (t.hop, t.index) == (e.hop, e.index));
            trail.extend(entry.filter(is_new));
            Some(result)
        });
        let results = results.collect();
        evidence.push(FanOut {
            hop: record.hop,
            scatter: record.scatter,
            results,
        });
    }
    Gathered { evidence, trail }
}

/// How long until a time, for waits.
pub(crate) fn until(now: UnixMs, at: UnixMs) -> Duration {
    Duration::from_millis(now.until(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quorum_is_at_least_one_and_at_most_all() {
        let wanted = |of, quorum| enough(of, quorum);
        assert_eq!([wanted(5, 1.0), wanted(5, 0.8), wanted(5, 0.61)], [5, 4, 4]);
        assert_eq!([wanted(5, 0.0), wanted(1, 0.5), wanted(0, 1.0)], [1, 1, 1]);
        assert_eq!(wanted(64, 7.0), 64);
    }

    #[test]
    fn the_last_step_in_hand_asks_and_a_dropped_one_does_not_count() {
        let (hand, turn) = (LocalMapSteps::default(), TurnId::new("t").unwrap());
        let (now, sure) = (UnixMs(5), UnixMs(9));
        let [a, b, c] = [(); 3].map(|()| hand.take(&turn, 3, sure));
        let other = hand.take(&turn, 8, sure);
        assert!(!a.was_last(now), "b and c are in hand");
        drop(b);
        assert!(c.was_last(now), "b went down without a word");
        assert!(other.was_last(now), "another fan-out");
        assert!(hand.lock().held.is_empty());
    }

    #[test]
    fn nobody_relies_on_a_step_that_somebody_else_may_have_acked() {
        let (hand, turn) = (LocalMapSteps::default(), TurnId::new("t").unwrap());
        let (a, b) = (
            hand.take(&turn, 3, UnixMs(9)),
            hand.take(&turn, 3, UnixMs(9)),
        );
        let _again = hand.take(&turn, 3, UnixMs(0));
        assert!(!a.was_last(UnixMs(8)), "b was delivered here alone");
        let c = hand.take(&turn, 3, UnixMs(20));
        assert!(
            c.was_last(UnixMs(9)),
            "b may have been delivered elsewhere by now"
        );
        drop(b);
    }
}
