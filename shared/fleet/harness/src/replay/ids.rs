//! Derives the id of a replayed turn from the turn or dead letter that it continues, so that replaying twice has the
//! same effect as replaying once. *Not* here: whether the replay is possible; see [`super::check`].

use bus::StoredMessage;
use envelope::{Subject, TurnId, header};

/// The id of the turn that retries the step of a dead letter. All dead letters of one step share it, and so do
/// those of all map steps of one fan-out, because the new turn repeats every map step without findings.
pub fn retry_id(letter: &StoredMessage) -> TurnId {
    if let Ok(Subject::Dead {
        turn,
        hop,
        index: Some(_),
        ..
    }) = Subject::parse(&letter.subject)
    {
        return TurnId::again(&format!("retry/{turn}/{hop}/maps"));
    }
    let origin = letter.headers.get(header::DEAD_ORIGIN).unwrap_or_default();
    TurnId::again(&format!("retry/{}/{origin}", letter.subject))
}

/// The ids of the replays of a turn, in their order.
pub fn replay_ids(turn: &TurnId) -> Vec<TurnId> {
    (1..=REPLAYS_MAX)
        .map(|n| TurnId::again(&format!("replay/{turn}/{n}")))
        .collect()
}

/// Most replays of one turn that are looked for.
pub const REPLAYS_MAX: u16 = 32;
