//! Makes the messages that follow from a scatter record. They depend on nothing else, so the same messages are
//! created after a retriever has crashed half-way, by a redelivery, and at the soft deadline.
//!
//! A record of few passages is itself the step of a mapper, which maps all of them (a batch); of one with more, each passage
//! has a map step of its own.

use crate::codec::{WIRE, WIRE_OF_BATCHES};
use crate::findings::Part;
use crate::message::{Case, Envelope, Header, UnixMs};
use crate::payload::{MapTask, MappedFanOut, PlanTask, ReduceTask, Scatter};
use crate::role::Role;

/// Share of the time from the scatter to the deadline that the maps get, in percent; the rest is
/// for reducing and validating what is there.
const SOFT_DEADLINE_PERCENT: u64 = 70;

/// Whether a scatter record is itself the step of a mapper, which maps all of its passages. Its version says so.
pub fn is_batch(scatter: &Envelope<Scatter>) -> bool {
    scatter.v == WIRE_OF_BATCHES
}

/// How far the clocks of a fleet may be apart, in milliseconds.
const CLOCKS_DIFFER_MS: u64 = 10_000;

/// The map steps of a scatter record, in order of their passages.
pub fn map_steps(scatter: &Envelope<Scatter>) -> impl Iterator<Item = Envelope<MapTask>> + '_ {
    let at = scatter.header.hop;
    let of = scatter.payload.passages.len() as u16;
    (0u16..)
        .zip(&scatter.payload.passages)
        .map(move |(index, passage)| {
            let task = MapTask {
                index,
                of,
                scatter: at,
                passage: passage.clone(),
            };
            Envelope {
                v: scatter.v,
                ..step(&scatter.header, &scatter.case, Role::Mapper, at + 1, task)
            }
        })
}

/// The step of a loop that looks at the contents of a record, which are not mapped: hop `s + 1` for a scatter at
/// hop `s`.
pub fn act_step(scatter: &Envelope<Scatter>) -> Envelope<PlanTask> {
    let (header, case) = (&scatter.header, &scatter.case);
    let scatters = case.scatters.clone();
    let task = PlanTask::Act { scatters };
    step(header, case, Role::Planner, header.hop + 1, task)
}

/// The reducer's step, which joins the maps: hop `s + 2` for a scatter at hop `s`. It composes from the scatter
/// records of all rounds so far, which the case names. `header` and `case` may be those of the scatter record or of
/// any of its map steps. The step depends on nothing else, so that the last mapper and the timer create the same
/// step.
pub fn reducer_step(header: &Header, case: &Case, scatter: u16) -> Envelope<ReduceTask> {
    let task = ReduceTask::Gather {
        scatters: case.scatters.clone(),
        strict: false,
        last: false,
        maps: None,
    };
    step(header, case, Role::Reducer, scatter + 2, task)
}

/// The same step with the newest fan-out in it, so that nothing of that has to be read: `parts` is what came of its passages.
pub fn reducer_step_with(record: &Envelope<Scatter>, parts: Vec<Part>) -> Envelope<ReduceTask> {
    let mut step = reducer_step(&record.header, &record.case, record.header.hop);
    let scatter = record.payload.clone();
    if let ReduceTask::Gather { maps, .. } = &mut step.payload {
        *maps = Some(Box::new(MappedFanOut { scatter, parts }));
    }
    step.trail.clone_from(&record.trail);
    step.v = WIRE_OF_BATCHES;
    step
}

/// A step of the turn of `header`, which brings no trail.
fn step<P>(header: &Header, case: &Case, role: Role, hop: u16, payload: P) -> Envelope<P> {
    let header = Header {
        role,
        hop,
        ..header.clone()
    };
    Envelope {
        v: WIRE,
        header,
        case: case.clone(),
        trail: Vec::new(),
        payload,
    }
}

/// When the reducer starts with the parts that are there, in Unix milliseconds.
pub fn soft_deadline(header: &Header) -> UnixMs {
    let room = header.created_at.until(header.deadline);
    header.created_at.plus(room * SOFT_DEADLINE_PERCENT / 100)
}

/// When the timer of a turn fires first, in Unix milliseconds: no fan-out of the turn has its soft deadline before that, so most
/// turns end without one having been set.
pub fn first_look(header: &Header) -> UnixMs {
    let room = header.asked_at.until(header.deadline);
    header.asked_at.plus(room * SOFT_DEADLINE_PERCENT / 100)
}

/// Whether a fan-out whose record is stored `now` has to set its own soft deadline: the timer of its turn may look for open
/// fan-outs before it sees this one, or have done so. Clocks may differ by 10 s.
pub fn is_after_first_look(header: &Header, now: UnixMs) -> bool {
    now.plus(CLOCKS_DIFFER_MS) >= first_look(header)
}
