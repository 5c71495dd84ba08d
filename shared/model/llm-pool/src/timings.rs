//! What a node says of the time that a call took, and the pace that follows from it or from the stream. Pure.
//!
//! llama.cpp says it under `timings`, without the wait for a slot. Of other nodes the first token is the only sign of
//! how long they read.

use crate::balance::Pace;
use crate::wire::Answer;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::time::Duration;

/// The `timings` of llama.cpp; prompt tokens are those that were not cached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Timings {
    prompt_n: Option<u64>,
    prompt_ms: Option<f64>,
    predicted_n: Option<u64>,
    predicted_ms: Option<f64>,
}

/// Reads timings that may be of any form: an answer is worth more than what is said of it.
pub(crate) fn tolerant<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timings>, D::Error> {
    let said = Value::deserialize(from)?;
    Ok(serde_json::from_value(said).ok())
}

impl Timings {
    /// What was counted in a time, where the node says both.
    fn said(count: Option<u64>, ms: Option<f64>) -> Option<(u64, Duration)> {
        let took = Duration::try_from_secs_f64(ms? / 1_000.0).ok()?;
        Some((count?, took))
    }
}

/// The pace of an answer that came in `whole`, its first token after `first_token` where it was streamed. Of another
/// model than that of the pool only the size counts.
pub(crate) fn pace(
    answer: &Answer,
    first_token: Option<Duration>,
    whole: Duration,
    is_foreign: bool,
) -> Pace {
    let unread = answer.usage.tokens_in.saturating_sub(answer.tokens_cached);
    let unread = unread.max(1);
    if is_foreign {
        return Pace {
            unread,
            ..Pace::default()
        };
    }
    let told = answer.timings.unwrap_or_default();
    let said = Timings::said(told.prompt_n, told.prompt_ms);
    let read = said.or(first_token.map(|first| (unread, first)));
    let written = Timings::said(told.predicted_n, told.predicted_ms);
    let after = answer.usage.tokens_out.saturating_sub(1);
    let written = written.or(first_token.map(|first| (after, whole.saturating_sub(first))));
    Pace {
        unread: read.map_or(unread, |(tokens, _)| tokens.max(1)),
        reading: read.map(|(_, took)| took),
        is_told: said.is_some(),
        written: written.map_or(0, |(tokens, _)| tokens),
        writing: written.map(|(_, took)| took),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::Usage;
    use serde_json::json;

    const MS: Duration = Duration::from_millis(1);

    fn answer(timings: &Value) -> Answer {
        Answer {
            usage: Usage {
                tokens_in: 1_600,
                tokens_out: 41,
                ..Usage::default()
            },
            tokens_cached: 600,
            timings: tolerant(timings).unwrap(),
            ..Answer::default()
        }
    }

    #[test]
    fn the_word_of_the_node_counts_before_the_stream() {
        let first = Some(12_000 * MS);
        let streamed = (1_000, Some(12_000 * MS), 40, Some(3_000 * MS));
        for (told, first_token, wanted) in [
            (json!(null), first, streamed),
            (json!({"prompt_n": 900, "prompt_ms": -1.0}), first, streamed),
            (json!({"prompt_n": 900, "prompt_ms": "?"}), first, streamed),
            (json!(null), None, (1_000, None, 0, None)),
            (
                json!({"prompt_n": 990, "prompt_ms": 9_500.0, "predicted_n": 41, "predicted_ms": 2_700.5, "cache_n": 610}),
                first,
                (
                    990,
                    Some(9_500 * MS),
                    41,
                    Some(Duration::from_micros(2_700_500)),
                ),
            ),
        ] {
            let pace = pace(&answer(&told), first_token, 15_000 * MS, false);
            let got = (pace.unread, pace.reading, pace.written, pace.writing);
            assert_eq!(got, wanted, "{told}");
        }
        let foreign = pace(&answer(&json!(null)), first, 15_000 * MS, true);
        assert_eq!(
            (foreign.unread, foreign.reading, foreign.writing),
            (1_000, None, None)
        );
    }
}
