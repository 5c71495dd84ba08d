//! The bucket bounds of our histograms, in one place so that dashboards and alerts can rely on them. Times are
//! seconds. Bounds are changed only together with the alerts that read them.

/// From publishing a message to the start of work on it. The buckets are fine below a second, which is normal for a
/// healthy fleet, and include the alert threshold of 20 s.
pub const QUEUE_WAIT: &[f64] = &[
    0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
];

/// From the start of work on a message to its acknowledgement. The bounds double, so that the relative error is the
/// same everywhere.
pub const STEP_DURATION: &[f64] = &[
    0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4,
];

/// From a question to its end, whatever the outcome. The alert threshold of 30 s is a bound.
pub const QUERY_DURATION: &[f64] = &[
    0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0,
];

/// One request to a model, start to last token: doubling from 10 ms, as the GenAI conventions have it.
pub const LLM_DURATION: &[f64] = &[
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84,
];

/// From sending a request to its first token.
pub const TIME_TO_FIRST_TOKEN: &[f64] = &[
    0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0,
];

/// Between two tokens of one answer.
pub const TIME_PER_OUTPUT_TOKEN: &[f64] = &[
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5,
];

/// Searches and local storage: from a millisecond up.
pub const RETRIEVAL_DURATION: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// The time until a store on local disk can be read, because it is opened and checked, or fed anew. Hundreds of
/// thousands of events take seconds.
pub const STORE_RECOVERY: &[f64] = &[
    0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1_800.0,
];

/// From the request to stop to the end of the process. The default grace of 30 s is a bound.
pub const DRAIN_DURATION: &[f64] = &[0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0];

/// Counts per question: rounds, model calls, maps.
pub const SMALL_COUNTS: &[f64] = &[1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0, 64.0];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ladder_climbs() {
        for ladder in [
            QUEUE_WAIT,
            STEP_DURATION,
            QUERY_DURATION,
            LLM_DURATION,
            TIME_TO_FIRST_TOKEN,
            TIME_PER_OUTPUT_TOKEN,
            RETRIEVAL_DURATION,
            STORE_RECOVERY,
            DRAIN_DURATION,
            SMALL_COUNTS,
        ] {
            assert!(ladder.is_sorted_by(|a, b| a < b), "{ladder:?}");
        }
    }
}
