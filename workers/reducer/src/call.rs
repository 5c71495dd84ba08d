//! How long the one call of a step may take, when it is given up, and how much of the evidence it is asked with again.
//! Pure; the call itself is the [stage](crate::stage)'s.

use envelope::{Class, Classify};
use llm::{ChatRequest, tokens};
use stage::StepContext;
use std::time::Duration;

/// The delivery with which a call that fails for the moment is given up, if there is time for so many. How
/// long that is depends on what fails: nodes that refuse at once take seconds, a node that says when to
/// come back, or one that never answers, most of the time that the turn has.
pub(crate) const TRIES_MAX: u16 = 5;
/// The time that is kept for bringing an answer out: this part of the whole, at most so much.
const RESERVE_PART: u64 = 8;
const RESERVE_MAX: Duration = Duration::from_secs(15);

/// What share of the evidence fits a context: half of it where the context is not known.
pub(crate) fn share(context: Option<u32>, request: &ChatRequest) -> f64 {
    let prompt = tokens::estimate(&request.system) + tokens::estimate(&request.user);
    let room = context.map(|context| context.saturating_sub(request.max_tokens));
    let share = room.map_or(0.5, |room| f64::from(room) / f64::from(prompt.max(1)));
    // Below a tenth a wrong number would throw everything away; above, it was too long all the same.
    share.clamp(0.1, 0.9)
}

/// Whether the call is not worth another try: waiting cannot cure it, or it was tried often, or when it
/// may be tried again, the time is needed to bring the answer out.
pub(crate) fn is_hopeless(error: &llm::Error, cx: &StepContext) -> bool {
    match error.class() {
        Class::Permanent | Class::TooLarge => true,
        Class::Transient if cx.attempt >= TRIES_MAX => true,
        Class::Transient | Class::Overloaded => {
            let wait = error.retry_after().unwrap_or_default();
            wait.saturating_add(reserve(cx)) >= cx.time_left()
        }
        Class::Bug => false,
    }
}

/// How long a call may take, so that what was read can still be brought out when it comes to nothing. What
/// begins late keeps half of what is left: most calls end long before.
pub(crate) fn time_to_call(cx: &StepContext) -> Duration {
    let left = cx.time_left();
    left - reserve(cx).min(left / 2)
}

/// The time that is kept for bringing the answer out.
fn reserve(cx: &StepContext) -> Duration {
    let whole = cx.header.asked_at.until(cx.header.deadline);
    Duration::from_millis(whole / RESERVE_PART).min(RESERVE_MAX)
}
