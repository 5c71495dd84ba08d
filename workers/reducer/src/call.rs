//! The limits of the one model call of a step: when it is given up, and with which share of the evidence it is repeated
//! if the prompt was too long. Pure; the [stage](crate::stage) makes the call.

use envelope::{Class, Classify};
use llm::{ChatRequest, tokens};
use stage::StepContext;

/// The delivery with which a call that fails temporarily is given up, provided that there is time for so many. How
/// long that takes depends on the failure: nodes that refuse at once take seconds, whereas a node that names a time
/// to come back, or one that never answers, takes most of the time that the turn has.
pub(crate) const TRIES_MAX: u16 = 5;

/// The share of the evidence that fits the context; a half where the size of the context is not known.
pub(crate) fn share(context: Option<u32>, request: &ChatRequest) -> f64 {
    let prompt = tokens::estimate(&request.system) + tokens::estimate(&request.user);
    let room = context.map(|context| context.saturating_sub(request.max_tokens));
    let share = room.map_or(0.5, |room| f64::from(room) / f64::from(prompt.max(1)));
    // Below a tenth a wrong number would throw everything away; above, it was too long all the same.
    share.clamp(0.1, 0.9)
}

/// Whether another try of the call is useless: the error is permanent, the call was tried too often, or the earliest
/// time for another try is needed for finishing the answer.
pub(crate) fn is_hopeless(error: &llm::Error, cx: &StepContext) -> bool {
    match error.class() {
        Class::Permanent | Class::TooLarge => true,
        Class::Transient if cx.attempt >= TRIES_MAX => true,
        Class::Transient | Class::Overloaded => {
            let wait = error.retry_after().unwrap_or_default();
            wait.saturating_add(cx.reserve()) >= cx.time_left()
        }
        Class::Bug => false,
    }
}
