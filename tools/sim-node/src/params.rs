//! The time that a node takes for each kind of work, and the throughput that follows from it.

use std::time::Duration;

/// The costs of one node. The defaults resemble a model of 1 to 2 billion parameters in 16 bits on a
/// GPU of the middle class: a step reads 3 GB of weights, a prompt is read at some 30,000 tokens/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Most sequences that run at once; the others wait, without limit. Default 16.
    pub slots: usize,
    /// Time of a step that does nothing. Default 7 ms.
    pub step_base: Duration,
    /// Time that each running sequence adds to a step. Default 150 µs.
    pub per_sequence: Duration,
    /// Time that each prompt token adds to the step that reads it. Default 30 µs.
    pub per_prefill_token: Duration,
    /// Most prompt tokens that one step reads; the rest is for the next one. Default 2,048.
    pub prefill_tokens_max: u32,
    /// Tokens that the prefix cache holds; 0 is no cache. Default 65,536.
    pub cache_tokens: u32,
    /// The largest random deviation of a step's time, as a share, in both directions. Default 0.05, at most 0.9.
    pub jitter: f64,
    /// How much faster than the clock everything runs. Default 1.
    pub time_scale: f64,
    /// Seed of the jitter. Default 0.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            slots: 16,
            step_base: Duration::from_millis(7),
            per_sequence: Duration::from_micros(150),
            per_prefill_token: Duration::from_micros(30),
            prefill_tokens_max: 2_048,
            cache_tokens: 65_536,
            jitter: 0.05,
            time_scale: 1.0,
            seed: 0,
        }
    }
}

impl Params {
    /// A node with this many slots whose steps take no time: for measuring a client.
    pub fn instant(slots: usize) -> Self {
        Params {
            slots,
            step_base: Duration::ZERO,
            per_sequence: Duration::ZERO,
            per_prefill_token: Duration::ZERO,
            ..Params::default()
        }
    }

    /// The time of a step with this many sequences and prompt tokens, without jitter.
    pub fn step(&self, sequences: usize, prefill_tokens: u32) -> Duration {
        let seconds = self.step_base.as_secs_f64()
            + self.per_sequence.as_secs_f64() * sequences as f64
            + self.per_prefill_token.as_secs_f64() * f64::from(prefill_tokens);
        Duration::from_secs_f64(seconds / self.time_scale)
    }

    /// The calls a second of one node whose slots are never empty, for answers of `answer_tokens` and
    /// prompts of which `prefill_tokens` are not cached, both means.
    ///
    /// A call holds its slot for one step per token of its answer, and in that time each of the
    /// `slots` calls that come and go has its prompt read:
    ///
    /// ```text
    /// slots · time_scale / (answer · (step_base + slots · per_sequence) + slots · prefill · per_prefill_token)
    /// ```
    ///
    /// It is a bound: prompts that need more than one step are not in it.
    pub fn ideal_calls_per_s(&self, answer_tokens: f64, prefill_tokens: f64) -> f64 {
        let slots = self.slots as f64;
        let steps = answer_tokens
            * (self.step_base.as_secs_f64() + slots * self.per_sequence.as_secs_f64());
        let prefill = slots * prefill_tokens * self.per_prefill_token.as_secs_f64();
        slots * self.time_scale / (steps + prefill)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_node_is_of_the_middle_class() {
        let params = Params::default();
        // One sequence alone writes 140 tokens/s, a full node about 1,300 in all with short prompts.
        let alone = 1.0 / params.step(1, 0).as_secs_f64();
        assert!((130.0..150.0).contains(&alone), "{alone}");
        let full = 60.0 * params.ideal_calls_per_s(60.0, 290.0);
        assert!((1_200.0..1_500.0).contains(&full), "{full}");
    }

    #[test]
    fn the_scale_makes_everything_faster() {
        let fast = Params {
            time_scale: 5.0,
            ..Params::default()
        };
        let slow = Params::default();
        assert_eq!(fast.step(3, 100) * 5, slow.step(3, 100));
        let ratio = fast.ideal_calls_per_s(60.0, 300.0) / slow.ideal_calls_per_s(60.0, 300.0);
        assert!((ratio - 5.0).abs() < 1e-9, "{ratio}");
    }
}
