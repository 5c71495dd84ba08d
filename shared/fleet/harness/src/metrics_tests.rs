//! Tests of the metrics that are not plain counters.

use super::*;
use envelope::{After, FanOut, FilterMatch, Findings, Plan, Scatter};

/// Of two fan-outs; both lack one part and have an error.
fn gathered(strict: bool, last: bool) -> Task {
    let fan_out = |hop| FanOut {
        hop,
        scatter: Scatter {
            plan: Plan::default(),
            passages: Vec::new(),
            matched: FilterMatch::Matched,
            total_hits: 0,
            after: After::Map,
        },
        results: vec![None, Some(PartResult::Error("bug".into()))],
    };
    let task = ReduceTask::Gather {
        scatters: vec![2, 7],
        strict,
        last,
        maps: None,
    };
    Task {
        kept: None,
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
    // A stricter draft and a last reduction begin before a soft deadline of their own, whatever was waited for.
    metrics.gathered(&gathered(true, false), true);
    metrics.gathered(&gathered(false, true), true);
    assert_eq!(counted(&metrics), [1, 1, 2]);
}

#[test]
fn a_prompt_is_counted_by_its_version_and_one_that_a_turn_brought_as_its_own() {
    let metrics = Metrics::new(&Registry::new(), &[Role::Mapper]).unwrap();
    metrics.knows_prompt(Role::Mapper, "mapper", "1a2b3c4d");
    let entry: TrailEntry = serde_json::from_value(serde_json::json!({
        "role": "mapper", "hop": 3, "round": 0, "attempt": 1, "queued_ms": 0, "worked_ms": 0, "decided": "",
        "prompts": {"mapper": "1a2b3c4d"},
    }))
    .unwrap();
    let brought = Overrides {
        prompts: [("mapper".to_owned(), "text".to_owned())].into(),
        ..Overrides::default()
    };
    metrics.prompted(&entry, &Overrides::default());
    metrics.prompted(&entry, &brought);
    metrics.prompted(&entry, &brought);
    let of = |version: &str| {
        let labels = ["mapper", "mapper", version];
        metrics.prompts.with_label_values(&labels).get()
    };
    assert_eq!((of("1a2b3c4d"), of("own")), (1, 2));
}

#[test]
fn facts_are_counted_by_whether_their_passage_has_them() {
    let dropped = [
        Fallback::MapSalvaged,
        Fallback::FactsUnsupported { count: 2 },
    ];
    let found = |defaulted| {
        PartResult::Findings(Findings {
            relevant: true,
            facts: vec!["a".into(), "b".into(), "c".into()],
            defaulted,
            ..Findings::default()
        })
    };
    assert_eq!(stated(&found(false), &dropped), (3, 2));
    assert_eq!(
        stated(&found(true), &dropped),
        (0, 2),
        "no model stated these"
    );
    assert_eq!(stated(&PartResult::Error("bug".into()), &[]), (0, 0));
}
