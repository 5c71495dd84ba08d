//! Makes a tree of how a turn went: which role did what, how long each step waited, which fallbacks were used, and what
//! the turn is waiting for.
//!
//! [`read`] fetches the messages of the turn that are still stored, and [`build`] makes a [`Trace`] of them, as a pure
//! function. The steps are stored while the turn runs and for `streams.keep` after its deadline. Later only the trail
//! in the terminal event is left, and the trace says so. *Not* a tracing back end: it has no spans of single calls.

mod rounds;
#[cfg(any(test, feature = "sample"))]
mod rounds_sample;
#[cfg(any(test, feature = "sample"))]
pub mod sample;
mod tree;

use bus::topology::Topology;
use bus::{Bus, BusError};
use envelope::{
    ConversationId, Fallback, Outcome, Overrides, Problem, Role, TenantId, TurnId, UnixMs, Usage,
    decode,
};
use harness::replay;
pub use rounds::{RoundReport, RoundSearch, TOO_LITTLE, without_titles};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use streams::history::{self, TurnRecord};
pub use tree::build;

/// The stored messages of a turn, and the turns that continue it.
#[derive(Debug, Clone, Default)]
pub struct TraceSource {
    /// What is stored of it.
    pub history: TurnRecord,
    /// For each role, the sequence up to which its consumer has delivered the stream, if known.
    pub handed_out: BTreeMap<Role, u64>,
    /// Turns that continue this turn.
    pub again: Vec<Continuation>,
    /// When it was read.
    pub at: UnixMs,
}

/// The course of a turn. It is the object of `trace -o json`; every field is always present.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// The turn.
    pub turn: TurnId,
    /// The tenant, if known.
    pub tenant: Option<TenantId>,
    /// The id of the trace under which the turn is recorded, if known.
    pub trace_id: Option<String>,
    /// The conversation of the turn, if it has one and it is known.
    pub conversation: Option<ConversationId>,
    /// The question, if known.
    pub question: Option<String>,
    /// The question as it was searched for, where it referred to earlier ones.
    pub rewritten: Option<String>,
    /// How it ended; `null` while it runs.
    pub outcome: Option<Outcome>,
    /// Why there is no answer.
    pub error: Option<Problem>,
    /// The turn that this one continues.
    pub parent: Option<TurnId>,
    /// Hop of its first step: steps before it were done for the parent.
    pub first_hop: u16,
    /// The model and prompts that its calls use instead of the configured ones.
    pub overrides: Option<Overrides>,
    /// When the question was asked, in Unix milliseconds; 0 if unknown.
    pub asked_at: UnixMs,
    /// The deadline of the turn, if known.
    pub deadline: Option<UnixMs>,
    /// When it ended.
    pub ended_at: Option<UnixMs>,
    /// From the question to the end, or to now.
    pub duration_ms: u64,
    /// Calls and tokens of its own steps.
    pub usage: Usage,
    /// True when no step of the turn is stored any more, so that the steps below come from the trail of its terminal
    /// event.
    pub aged_out: bool,
    /// The steps in the order of their hops; map steps are listed under the search whose passages they read.
    pub steps: Vec<Step>,
    /// The rounds, as a person would describe them.
    pub rounds: Vec<RoundReport>,
    /// Turns that continue this turn.
    pub again: Vec<Continuation>,
}

/// The state of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// No worker has received the step.
    Waits,
    /// A worker has received the step, or it will be delivered again.
    Runs,
    /// The step is stored; it is unknown whether a worker has received it.
    Open,
    /// Done.
    Done,
    /// Given up.
    Failed,
    /// The turn ended before it was done.
    Left,
}

impl StepState {
    /// The word for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            StepState::Waits => "waits",
            StepState::Runs => "runs",
            StepState::Open => "open",
            StepState::Done => "done",
            StepState::Failed => "failed",
            StepState::Left => "left",
        }
    }

    /// Whether nothing has come of it yet.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, StepState::Waits | StepState::Runs | StepState::Open)
    }
}

/// One step. Every field is always there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The role of the step.
    pub role: Role,
    /// At which hop.
    pub hop: u16,
    /// The round, from 0.
    pub round: u8,
    /// The index of a map step in its fan-out.
    pub index: Option<u16>,
    /// What became of it.
    pub doing: StepState,
    /// True if the step was done for the parent turn and reused.
    pub inherited: bool,
    /// The delivery that succeeded, from 1; 0 when none did, or none has yet.
    pub attempt: u16,
    /// From the storing of the step to the start of work; for a step that has not started, to now.
    pub queued_ms: u64,
    /// The time of work on the step.
    pub worked_ms: u64,
    /// The model that was called.
    pub model: Option<String>,
    /// What was spent.
    pub usage: Usage,
    /// What was decided, in a few words; empty when that is not known.
    pub decided: String,
    /// Every fallback of the step.
    pub fallbacks: Vec<Fallback>,
    /// Why it was given up.
    pub dead: Option<Letter>,
    /// The map steps of its fan-out.
    pub maps: Vec<Step>,
}

/// A dead letter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Letter {
    /// Its sequence in the stream of dead letters: what `argosy dead` calls it.
    pub sequence: u64,
    /// Why, as a word.
    pub reason: String,
    /// The last error.
    pub error: String,
    /// How often the step had been delivered.
    pub delivered: u64,
    /// The turn that tries it again, if one does.
    pub retried_as: Option<TurnId>,
}

/// How a turn came to continue another turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContinuationKind {
    /// A dead letter was tried again.
    Retry,
    /// It was replayed.
    Replay,
}

/// A turn that continues another turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Continuation {
    /// The turn.
    pub turn: TurnId,
    /// How it came about.
    pub how: ContinuationKind,
    /// How it ended; `null` while it runs.
    pub outcome: Option<Outcome>,
}

/// Reads what is stored of a turn; `None` when nothing is.
pub async fn read(bus: &dyn Bus, turn: &TurnId) -> Result<Option<TraceSource>, BusError> {
    let history = history::read(bus, turn).await?;
    if history.is_empty() {
        return Ok(None);
    }
    let again = read_again(bus, turn, &history).await?;
    let mut handed_out = BTreeMap::new();
    if history.answer.is_none() {
        for role in tree::roles(&history) {
            // Not knowing is no reason to show nothing.
            // Its stream and its name are all that counts here.
            match bus.progress(&Topology::default().consumer(role)).await {
                Ok(progress) => drop(handed_out.insert(role, progress.delivered_to)),
                Err(error) => tracing::debug!(%error, %role, "consumer not asked"),
            }
        }
    }
    Ok(Some(TraceSource {
        history,
        handed_out,
        again,
        at: bus.now(),
    }))
}

async fn read_again(
    bus: &dyn Bus,
    turn: &TurnId,
    history: &TurnRecord,
) -> Result<Vec<Continuation>, BusError> {
    let retries = history.dead.iter().map(replay::retry_id);
    let mut ids: Vec<(TurnId, ContinuationKind)> =
        retries.map(|id| (id, ContinuationKind::Retry)).collect();
    let mut seen = BTreeSet::new();
    ids.retain(|(id, _)| seen.insert(id.clone()));
    let replays = replay::replay_ids(turn);
    ids.extend(replays.into_iter().map(|id| (id, ContinuationKind::Replay)));
    let mut all = Vec::new();
    // A call gives what 1,024 subjects hold; three are looked at for each turn.
    for some in ids.chunks(256) {
        let turns: Vec<_> = some.iter().map(|(id, _)| id.clone()).collect();
        for found in history::turn_states(bus, &turns).await? {
            let how = some.iter().find(|(id, _)| *id == found.turn);
            let ended = found.answer.as_ref();
            let ended = ended.and_then(|stored| decode::<envelope::Terminal>(&stored.body).ok());
            all.push(Continuation {
                how: how.map_or(ContinuationKind::Replay, |(_, how)| *how),
                turn: found.turn,
                outcome: ended.map(|terminal| terminal.outcome),
            });
        }
    }
    Ok(all)
}
