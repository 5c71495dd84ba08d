//! What is counted, where it is not a plain count.

use super::*;
use envelope::{After, FanOut, Matched, Plan, Scatter};

/// Of two fan-outs; both lack one part and have an error.
fn gathered(strict: bool, last: bool) -> Task {
    let fan_out = |hop| FanOut {
        hop,
        scatter: Scatter {
            plan: Plan::default(),
            passages: Vec::new(),
            matched: Matched::Matched,
            total_hits: 0,
            after: After::Map,
        },
        results: vec![None, Some(PartResult::Error("bug".into()))],
    };
    let task = ReduceTask::Gather {
        scatters: vec![2, 7],
        strict,
        last,
    };
    Task {
        payload: task.into(),
        evidence: vec![fan_out(2), fan_out(7)],
    }
}

/// Counted as early, missing, failed.
fn counted(metrics: &Metrics) -> [u64; 3] {
    ["early", "missing", "failed"].map(|reason| {
        let counter = metrics.fanin_incomplete.with_label_values(&[reason]);
        counter.get()
    })
}

#[test]
fn what_a_fan_out_lacks_is_counted_once() {
    let metrics = Metrics::new(&Registry::new(), &[Role::Reducer]).unwrap();
    metrics.gathered(&gathered(false, false), true);
    assert_eq!(counted(&metrics), [1, 0, 1]);
    metrics.gathered(&gathered(false, false), false);
    assert_eq!(counted(&metrics), [1, 1, 2]);
    // A stricter draft and a last word begin before a soft deadline of their own, whoever waited.
    metrics.gathered(&gathered(true, false), true);
    metrics.gathered(&gathered(false, true), true);
    assert_eq!(counted(&metrics), [1, 1, 2]);
}
