//! How long a call may be silent at a node: from the node's measured speed, unless it is set by hand. Pure.
//!
//! A call has no limit while tokens flow; what its caller has left is looked after elsewhere. Silence has two kinds:
//! before the first token, and between two. Each is compared with what is to be expected of the node:
//!
//! ```text
//! expected before the first token = seconds for a prompt token · (own prompt + those that wait at the node beside it)
//! expected between two tokens     = max(8 · seconds for a written token, 2,048 · seconds for a prompt token)
//! limit                           = max(least, 3 · doubt · expected);  2 min before anything is measured
//! the node's fault                = silence of 2 · expected, at least 1 s
//! ```
//!
//! `doubt` doubles, up to 8, with each call that was given up for the node's fault, and is 1 after an answer: a node that
//! became slower is given the time to prove it, while its breaker counts the failures. A shorter silence is our own
//! impatience, or our caller's, and says nothing of the node.

use super::speed::Speed;
use crate::constants::{FAULT_LEAST, FIRST_TOKEN_LEAST, IDLE_LEAST, UNMEASURED_MAX};
use std::time::Duration;

/// Silence is given up after so many times what is expected, and is the node's fault after so many.
const LIMIT: f64 = 3.0;
const FAULT: f64 = 2.0;
/// What the limit is multiplied with at most after calls that were given up.
const DOUBT_MAX: f64 = 8.0;
/// No limit is longer: it would not fit a clock.
const LONGEST: f64 = 86_400.0;

/// A call as it was silent when it was given up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Silence {
    /// For how long nothing had come.
    pub(crate) lasted: Duration,
    pub(crate) has_begun: bool,
}

/// What is set by hand.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SetLimits {
    pub(crate) first_token: Option<Duration>,
    pub(crate) idle: Option<Duration>,
    /// The longest time for a call of a node that has no other beside it, for which there is nothing to hurry.
    pub(crate) alone: Option<Duration>,
}

/// How long one call may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Patience {
    /// From sending to the first token of the answer.
    pub(crate) first_token: Duration,
    /// Between two tokens, or pieces of an answer that comes at once.
    pub(crate) idle: Duration,
    /// From when on silence speaks against the node, before and after the first token.
    fault: [Duration; 2],
}

/// What is known of a node that is about to be asked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Knowledge {
    pub(crate) speed: Speed,
    /// How often the limit is doubled.
    pub(crate) doubt: Doubt,
    /// The mean time of a whole answer in seconds, 0 before the first: of nodes whose speed cannot be measured.
    pub(crate) answer: f64,
}

/// By how much a node is given longer since calls at it were given up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Doubt(f64);

impl Default for Doubt {
    fn default() -> Self {
        Doubt(1.0)
    }
}

impl Doubt {
    pub(crate) fn grow(&mut self) {
        self.0 = (self.0 * 2.0).min(DOUBT_MAX);
    }
}

impl SetLimits {
    /// For a call with so many tokens to read, its own and those beside it.
    pub(crate) fn patience(&self, known: &Knowledge, tokens: u64) -> Patience {
        let (reading, pause) = (known.speed.reading(tokens), known.speed.pause());
        let limit = |expected: Option<f64>, least: Duration| match expected {
            Some(expected) => seconds(expected * LIMIT * known.doubt.0).max(least),
            None => UNMEASURED_MAX,
        };
        let derived = limit(reading, FIRST_TOKEN_LEAST);
        let first_token = match self.alone {
            Some(alone) => derived.max(alone),
            None => self.first_token.unwrap_or(derived),
        };
        let idle = self.idle.unwrap_or_else(|| limit(pause, IDLE_LEAST));
        let answer = (known.answer > 0.0).then_some(known.answer);
        let fault = |expected: Option<f64>, limit: Duration| {
            let expected = expected.or(answer).map(|it| seconds(it * FAULT));
            expected.unwrap_or(limit).max(FAULT_LEAST)
        };
        Patience {
            first_token,
            idle,
            fault: [
                fault(reading, self.first_token.unwrap_or(first_token)),
                fault(pause, idle),
            ],
        }
    }
}

impl Patience {
    /// Whether so long a silence speaks against the node.
    pub(crate) fn is_fault(&self, silence: Silence) -> bool {
        silence.lasted >= self.fault[usize::from(silence.has_begun)]
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::speed::Pace;

    /// Of a node that reads and writes so many tokens a second.
    fn known(reads: u64, writes: u64) -> Knowledge {
        let mut known = Knowledge::default();
        let pace = Pace {
            unread: reads * 10,
            reading: Some(Duration::from_secs(10)),
            written: writes * 10,
            writing: Some(Duration::from_secs(10)),
            is_told: true,
        };
        known.speed.observe(pace, 0);
        known
    }

    fn whole(patience: Patience) -> [u64; 4] {
        let [before, between] = patience.fault;
        [patience.first_token, patience.idle, before, between].map(|time| time.as_secs())
    }

    /// What is known, tokens to read; seconds to the first token and between two, of the limit and of the fault.
    #[test]
    fn limits_follow_from_what_is_measured() {
        for (what, known, tokens, wanted) in [
            (
                "nothing is known",
                Knowledge::default(),
                2_000,
                [120, 120, 120, 120],
            ),
            (
                "a laptop, a long prompt",
                known(85, 15),
                2_000,
                [70, 72, 47, 48],
            ),
            (
                "a laptop, a short prompt",
                known(85, 15),
                100,
                [10, 72, 2, 48],
            ),
            (
                "a laptop, four prompts before it",
                known(85, 15),
                10_000,
                [352, 72, 235, 48],
            ),
            (
                "a laptop under load",
                known(20, 2),
                2_000,
                [300, 307, 200, 204],
            ),
            ("a large GPU", known(20_000, 140), 2_000, [10, 5, 1, 1]),
        ] {
            assert_eq!(
                whole(SetLimits::default().patience(&known, tokens)),
                wanted,
                "{what}"
            );
        }
    }

    #[test]
    fn what_is_set_holds_and_a_node_alone_is_given_its_time() {
        let set = SetLimits {
            first_token: Some(Duration::from_secs(3)),
            idle: Some(Duration::from_secs(2)),
            alone: None,
        };
        assert_eq!(whole(set.patience(&known(85, 15), 2_000)), [3, 2, 47, 48]);
        assert_eq!(
            whole(set.patience(&Knowledge::default(), 2_000)),
            [3, 2, 3, 2]
        );
        let alone = SetLimits {
            alone: Some(UNMEASURED_MAX),
            ..SetLimits::default()
        };
        assert_eq!(whole(alone.patience(&known(85, 15), 100)), [120, 72, 2, 48]);
    }

    #[test]
    fn a_node_of_unknown_speed_is_judged_by_its_whole_answers() {
        let known = Knowledge {
            answer: 8.0,
            ..Knowledge::default()
        };
        assert_eq!(
            whole(SetLimits::default().patience(&known, 500)),
            [120, 120, 16, 16]
        );
    }

    #[test]
    fn doubt_doubles_the_limit_and_not_what_is_a_fault() {
        let mut known = known(85, 15);
        let limits = [0; 5].map(|_| {
            let limit = whole(SetLimits::default().patience(&known, 2_000));
            known.doubt.grow();
            [limit[0], limit[2]]
        });
        assert_eq!(
            limits,
            [[70, 47], [141, 47], [282, 47], [564, 47], [564, 47]]
        );
    }
}
