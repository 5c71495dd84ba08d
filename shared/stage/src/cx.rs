//! The facts of one delivery.

use crate::live::Live;
use envelope::{Case, Header, UnixMs};
use std::time::Duration;

/// What a stage may know about the step it does. Facts, not powers.
#[derive(Debug, Clone)]
pub struct Cx {
    /// Identity, place and time of the step.
    pub header: Header,
    /// What every stage of the turn may read.
    pub case: Case,
    /// Which delivery this is, from 1.
    pub attempt: u16,
    /// When the work on it began.
    pub started_at: UnixMs,
    /// When this try of it began: later, where a model had no room for the first one.
    pub now: UnixMs,
    /// Seed of the randomness of this step: the same for every delivery of it.
    pub seed: u64,
    /// Where it may show its work while it does it; off unless the publisher asked for it.
    pub live: Live,
}

impl Cx {
    /// Time from the start of this try to the deadline of the turn.
    pub fn time_left(&self) -> Duration {
        Duration::from_millis(self.now.until(self.header.deadline))
    }

    /// A generator that draws the same numbers at every delivery of this step.
    pub fn rng(&self) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.seed)
    }
}
