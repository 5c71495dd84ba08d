//! Counts what a process has done for a role since it started, by reading the role's histograms.
//!
//! A tally has counts only. Whoever reads it computes shares and quantiles over a period and processes of its choice.

use envelope::Role;
use prometheus::HistogramVec;
use prometheus::core::Collector;
use prometheus::proto::Metric;
use telemetry::buckets::STEP_DURATION;

/// Counts since the start of the process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Messages being worked on now.
    pub in_flight: u64,
    /// Messages that may be worked on at once.
    pub limit: u64,
    /// Messages that were acked, given up or returned.
    pub answered: u64,
    /// Messages among them that were given up or are to be tried again.
    pub errors: u64,
    /// Messages that were handled completely, by duration: one count for each bound of [`STEP_DURATION`], and one for
    /// longer durations.
    pub durations: Vec<u64>,
}

/// Reads the durations of a role, labelled `role` and `outcome`.
pub(crate) fn tally(durations: &HistogramVec, role: Role) -> Tally {
    let mut tally = Tally {
        durations: vec![0; STEP_DURATION.len() + 1],
        ..Tally::default()
    };
    let families = durations.collect();
    let series = families.iter().flat_map(|family| family.get_metric());
    for one in series.filter(|one| label(one, "role") == role.as_str()) {
        let histogram = one.get_histogram();
        let count = histogram.get_sample_count();
        tally.answered += count;
        match label(one, "outcome") {
            "retry" | "dead_letter" => tally.errors += count,
            "ok" => {
                let mut below = 0;
                for (place, bucket) in histogram.get_bucket().iter().enumerate() {
                    tally.durations[place] += bucket.cumulative_count() - below;
                    below = bucket.cumulative_count();
                }
                tally.durations[STEP_DURATION.len()] += count - below;
            }
            _ => {}
        }
    }
    tally
}

fn label<'a>(metric: &'a Metric, name: &str) -> &'a str {
    let found = metric.get_label().iter().find(|pair| pair.name() == name);
    found.map_or("", |pair| pair.value())
}

#[cfg(test)]
mod tests {
    use crate::Metrics;
    use envelope::Role;
    use std::time::Duration;
    use telemetry::Registry;

    #[test]
    fn one_role_is_told_from_another_and_good_from_bad() {
        let metrics = Metrics::new(&Registry::new(), &[Role::Mapper, Role::Reducer]).unwrap();
        let ok = "ok";
        metrics.answered(Role::Mapper, ok, Duration::from_millis(60));
        metrics.answered(Role::Mapper, ok, Duration::from_millis(70));
        metrics.answered(Role::Mapper, ok, Duration::from_secs(200));
        metrics.answered(Role::Mapper, "retry", Duration::from_secs(3));
        metrics.answered(Role::Mapper, "put_off", Duration::from_secs(3));
        metrics.answered(Role::Reducer, ok, Duration::from_secs(1));
        metrics.limit(Role::Mapper, 8);
        let held = metrics.inflight(Role::Mapper);
        let tally = metrics.tally(Role::Mapper);
        assert_eq!((tally.in_flight, tally.limit), (1, 8));
        assert_eq!((tally.answered, tally.errors), (5, 1));
        assert_eq!(tally.durations, [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        drop(held);
        assert_eq!(metrics.tally(Role::Mapper).in_flight, 0);
    }
}
