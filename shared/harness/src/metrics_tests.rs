//! What is counted, where it is not a plain count.

use super::*;
use envelope::Matched;

fn gathered(strict: bool, last: bool) -> Reduce {
    Reduce::Gather {
        scatter: 2,
        strict,
        last,
        passages: Vec::new(),
        findings: vec![None, None],
        missing: vec![0],
        failed: vec![1],
        matched: Matched::Matched,
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
