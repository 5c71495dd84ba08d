//! Measures how fast a node reads a prompt and writes an answer, in seconds for a token. Pure.
//!
//! Both are ratios of sums that forget: a call of `n` tokens that took `t` seconds adds both, and halves what was there
//! before for each memory's worth of its own tokens:
//!
//! ```text
//! seconds for a token = Σ wᵢ·tᵢ / Σ wᵢ·nᵢ,   wᵢ = ½^(tokens after call i / memory)
//! ```
//!
//! So a long prompt says more than a short one, whose time is mostly overhead, and a change of the load is believed
//! after a few prompts. A call counts as at most [`OUTLIER`] times the estimate: one that was held up for long among
//! others changes little, and several in a row are believed. Two numbers are kept for each direction, whatever the calls.
//!
//! A node that does not tell its own times is measured by the first token, which waits for the prompts before it: those of
//! this process are counted with it, and those of others make the node look slower, and give it longer.
//!
//! *Not* here: how long a call may therefore be silent ([`super::patience`]).

use std::time::Duration;

/// Tokens read, and tokens written, after which older calls have half of their weight.
const READ_MEMORY: f64 = 4_096.0;
const WRITTEN_MEMORY: f64 = 256.0;
/// Fewer tokens show the overhead of a call and not the speed.
const READ_LEAST: u64 = 32;
const WRITTEN_LEAST: u64 = 2;
/// A call counts as at most so many times the estimate.
const OUTLIER: f64 = 4.0;
/// What a pause between two tokens is compared with: the time of so many written tokens, or of the prompt tokens that
/// a server reads in one step between two tokens of other calls (`n_batch` of llama.cpp, chunks of vLLM).
const PAUSE_WRITTEN: f64 = 8.0;
const PAUSE_READ: f64 = 2_048.0;
/// How many tokens an answer is expected to have: those of a sentence or two.
const ANSWER: f64 = 32.0;

/// What one answered call shows of the speed of its node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pace {
    /// Prompt tokens that were not cached; 0 where it is unknown.
    pub(crate) unread: u64,
    /// How long the node read them, by its own word or else by the first token.
    pub(crate) reading: Option<Duration>,
    /// Whether that is the node's own word, so that it holds no wait for prompts before this one.
    pub(crate) is_told: bool,
    /// Tokens that were written after the first, or by the node's word all.
    pub(crate) written: u64,
    /// How long it wrote them.
    pub(crate) writing: Option<Duration>,
}

/// Seconds for a token.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    seconds: f64,
    tokens: f64,
}

impl Rate {
    fn per_token(self) -> Option<f64> {
        (self.tokens > 0.0).then(|| self.seconds / self.tokens)
    }

    fn observe(&mut self, tokens: u64, took: Duration, memory: f64) {
        let tokens = tokens as f64;
        let most = self.per_token().map(|each| each * OUTLIER * tokens);
        let seconds = took.as_secs_f64().min(most.unwrap_or(f64::INFINITY));
        let kept = 0.5f64.powf(tokens / memory);
        self.seconds = self.seconds * kept + seconds;
        self.tokens = self.tokens * kept + tokens;
    }
}

/// The speed of one node.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Speed {
    read: Rate,
    written: Rate,
}

impl Speed {
    /// Takes in an answered call, before which so many prompt tokens were to be read.
    pub(crate) fn observe(&mut self, pace: Pace, ahead: u64) {
        let ahead = if pace.is_told { 0 } else { ahead };
        if let Some(reading) = pace.reading
            && pace.unread >= READ_LEAST
        {
            self.read.observe(pace.unread + ahead, reading, READ_MEMORY);
        }
        if let Some(writing) = pace.writing
            && pace.written >= WRITTEN_LEAST
        {
            self.written.observe(pace.written, writing, WRITTEN_MEMORY);
        }
    }

    /// How long it takes to read so many tokens, in seconds; `None` before anything is measured.
    pub(crate) fn reading(&self, tokens: u64) -> Option<f64> {
        Some(self.read.per_token()? * tokens as f64)
    }

    /// How long it takes to write an answer of the usual length, in seconds; `None` before anything is measured.
    pub(crate) fn answering(&self) -> Option<f64> {
        Some(self.written.per_token()? * ANSWER)
    }

    /// The longest pause between two tokens that is to be expected of a busy node, in seconds; `None` before both
    /// directions are measured.
    pub(crate) fn pause(&self) -> Option<f64> {
        let (read, written) = (self.read.per_token()?, self.written.per_token()?);
        Some((written * PAUSE_WRITTEN).max(read * PAUSE_READ))
    }

    /// Tokens that it reads in a second.
    pub(crate) fn reads_per_s(&self) -> Option<f64> {
        per_second(self.read)
    }

    /// Tokens that it writes in a second, for one call.
    pub(crate) fn writes_per_s(&self) -> Option<f64> {
        per_second(self.written)
    }
}

/// To a tenth: more digits would promise too much.
fn per_second(rate: Rate) -> Option<f64> {
    let each = rate.per_token().filter(|each| *each > 0.0)?;
    Some((10.0 / each).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(unread: u64, ms: u64) -> Pace {
        Pace {
            unread,
            reading: Some(Duration::from_millis(ms)),
            ..Pace::default()
        }
    }

    fn reads(calls: &[(u64, u64)]) -> Option<f64> {
        let mut speed = Speed::default();
        for (unread, ms) in calls {
            speed.observe(read(*unread, *ms), 0);
        }
        speed.reads_per_s()
    }

    /// Calls as tokens that were not cached and milliseconds, and the tokens a second that follow.
    #[test]
    fn speed_is_that_of_tokens_and_not_of_calls() {
        for (what, calls, wanted) in [
            ("nothing is known", vec![], None),
            (
                "a cached prompt shows overhead",
                vec![(1, 100), (31, 90)],
                None,
            ),
            ("a laptop", vec![(1_600, 19_000)], Some(84.2)),
            (
                "short calls do not change what a long one showed",
                vec![(1_600, 19_000), (40, 900), (40, 900), (40, 900)],
                Some(79.2),
            ),
            (
                "one call was held up",
                vec![(1_000, 12_000), (1_000, 12_000), (100, 60_000)],
                Some(72.0),
            ),
        ] {
            assert_eq!(reads(&calls), wanted, "{what}");
        }
    }

    #[test]
    fn a_node_under_load_is_believed_after_a_few_prompts_and_forgiven_as_fast() {
        let quiet = [(1_600, 19_000); 4];
        let loaded = [(1_600, 95_000); 6];
        let slow = reads(&[&quiet[..], &loaded[..]].concat()).unwrap();
        assert!((16.8..24.0).contains(&slow), "{slow}");
        let again = reads(&[&quiet[..], &loaded[..], &quiet[..], &quiet[..]].concat()).unwrap();
        assert!(again > 60.0, "{again}");
    }

    #[test]
    fn the_prompts_before_a_call_count_unless_the_node_tells_its_own_time() {
        for (is_told, wanted) in [(false, 100.0), (true, 20.0)] {
            let mut speed = Speed::default();
            let pace = Pace {
                is_told,
                ..read(400, 20_000)
            };
            speed.observe(pace, 1_600);
            assert_eq!(speed.reads_per_s(), Some(wanted), "{is_told}");
        }
    }

    #[test]
    fn a_pause_is_that_of_other_prompts_where_reading_is_slow() {
        let mut speed = Speed::default();
        let pace = Pace {
            written: 60,
            writing: Some(Duration::from_secs(4)),
            ..read(850, 10_000)
        };
        assert_eq!(speed.pause(), None);
        speed.observe(pace, 0);
        assert_eq!(
            (speed.reads_per_s(), speed.writes_per_s()),
            (Some(85.0), Some(15.0))
        );
        let pause = speed.pause().unwrap();
        assert!((24.0..24.2).contains(&pause), "{pause}");
    }

    proptest! {
        #[test]
        fn the_estimate_stays_within_what_was_seen(
            calls in prop::collection::vec((32..4_000u64, 1..100_000u64), 1..40),
        ) {
            let each = calls.iter().map(|(tokens, ms)| *ms as f64 / 1_000.0 / *tokens as f64);
            let (least, most) = each.fold((f64::MAX, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
            let mut speed = Speed::default();
            calls.iter().for_each(|(tokens, ms)| speed.observe(read(*tokens, *ms), 0));
            let got = speed.reading(1).unwrap();
            prop_assert!(got >= least * 0.999 && got <= most * 1.001, "{got} of {least} to {most}");
        }
    }
}
