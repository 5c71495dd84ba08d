//! The report: its rows, their layout, and their comparison. Pure except for printing.

use super::load::Measured;
use crate::cli::{PoolPolicy, Scenario};
use serde::Serialize;

/// One scenario under one policy.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) policy: &'static str,
    pub(super) nodes: usize,
    /// The tokens per second, compared with the ideal of the healthy nodes.
    pub(super) throughput_ratio: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    /// The p99 compared with that of the same policy and size when all nodes work well.
    pub(super) p99_ratio: Option<f64>,
    /// The share of calls that were made a second time because they were late.
    pub(super) extra_load: f64,
    /// The share of calls that were made again because they had failed.
    pub(super) retried: f64,
    /// The calls without a reply.
    pub(super) failed: usize,
    /// How often a call was turned away because everything was busy, and made again.
    pub(super) held: usize,
    pub(super) calls: usize,
    /// The share of the prompt tokens that the nodes found cached.
    pub(super) cached_share: f64,
    /// The cores in use.
    pub(super) cpu_client: f64,
    pub(super) cpu_nodes: f64,
    /// How late this process was to its own timers.
    pub(super) lag_p99_ms: f64,
}

/// The calls that were made more than once, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Again {
    pub(super) late: u64,
    pub(super) failed: u64,
}

impl Again {
    /// Reads them from the pool's own metrics, in the text format of Prometheus.
    pub(super) fn read(metrics: &str) -> Again {
        let sum = |family: &str| {
            let values = metrics.lines().filter_map(|line| {
                let labels = line.strip_prefix(family)?.strip_prefix('{')?;
                labels.rsplit_once(' ')?.1.parse::<f64>().ok()
            });
            values.sum::<f64>() as u64
        };
        Again {
            late: sum("argosy_llm_hedges_total"),
            failed: sum("argosy_llm_retries_total"),
        }
    }

    pub(super) fn since(self, before: Again) -> Again {
        Again {
            late: self.late - before.late,
            failed: self.failed - before.failed,
        }
    }
}

/// The counts beside the calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counts {
    pub(super) asked: u64,
    pub(super) again: Again,
    pub(super) prompt_tokens: u64,
    pub(super) cached_tokens: u64,
    pub(super) cpu_client: f64,
    pub(super) cpu_nodes: f64,
    pub(super) lag_p99_ms: f64,
}

impl Row {
    pub(super) fn new(
        scenario: Scenario,
        policy: PoolPolicy,
        nodes: usize,
        measured: Measured,
        ideal_tokens_per_s: f64,
        counts: Counts,
    ) -> Row {
        let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
        Row {
            name: scenario.as_str(),
            policy: policy.as_str(),
            nodes,
            throughput_ratio: measured.tokens_per_s / ideal_tokens_per_s,
            p50_ms: measured.p50_ms,
            p99_ms: measured.p99_ms,
            p99_ratio: None,
            extra_load: share(counts.again.late, counts.asked),
            retried: share(counts.again.failed, counts.asked),
            failed: measured.failed,
            held: measured.held,
            calls: measured.calls,
            cached_share: share(counts.cached_tokens, counts.prompt_tokens),
            cpu_client: counts.cpu_client,
            cpu_nodes: counts.cpu_nodes,
            lag_p99_ms: counts.lag_p99_ms,
        }
    }
}

/// One row for several that measured the same: the medians of the figures, and the sums of the counts. `None` where
/// there are no rows.
pub(super) fn median(rows: &[Row]) -> Option<Row> {
    let of = |figure: fn(&Row) -> f64| {
        let mut figures: Vec<f64> = rows.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        let (low, high) = ((figures.len() - 1) / 2, figures.len() / 2);
        (figures[low] + figures[high]) / 2.0
    };
    let sum = |count: fn(&Row) -> usize| rows.iter().map(count).sum::<usize>();
    let Row {
        name,
        policy,
        nodes,
        p99_ratio,
        ..
    } = *rows.first()?;
    Some(Row {
        name,
        policy,
        nodes,
        throughput_ratio: of(|row| row.throughput_ratio),
        p50_ms: of(|row| row.p50_ms),
        p99_ms: of(|row| row.p99_ms),
        p99_ratio,
        extra_load: of(|row| row.extra_load),
        retried: of(|row| row.retried),
        failed: sum(|row| row.failed),
        held: sum(|row| row.held),
        calls: sum(|row| row.calls),
        cached_share: of(|row| row.cached_share),
        cpu_client: of(|row| row.cpu_client),
        cpu_nodes: of(|row| row.cpu_nodes),
        lag_p99_ms: of(|row| row.lag_p99_ms),
    })
}

/// Compares each row with the uniform one of the same policy and size, where there is one.
pub(super) fn compare(rows: &mut [Row]) {
    let uniform = |row: &&Row| row.name == Scenario::Uniform.as_str();
    let well: Vec<Row> = rows.iter().filter(uniform).cloned().collect();
    for row in rows {
        let same = well
            .iter()
            .find(|other| other.policy == row.policy && other.nodes == row.nodes);
        row.p99_ratio = same.map(|other| row.p99_ms / other.p99_ms);
    }
}

/// The head of the table.
pub(super) fn head() -> String {
    format!(
        "{:>9} {:>5} {:>16} {:>10} {:>8} {:>8} {:>9} {:>10} {:>7} {:>7} {:>6} {:>7} {:>6} {:>11} {:>10} {:>7}",
        "scenario",
        "nodes",
        "policy",
        "throughput",
        "p50 ms",
        "p99 ms",
        "p99 ratio",
        "extra load",
        "retried",
        "failed",
        "held",
        "calls",
        "cached",
        "client CPU",
        "nodes CPU",
        "lag ms"
    )
}

/// A line of the table.
pub(super) fn line(row: &Row) -> String {
    let ratio = row.p99_ratio.map_or("--".into(), |r| format!("{r:.2}"));
    format!(
        "{:>9} {:>5} {:>16} {:>10.3} {:>8.0} {:>8.0} {:>9} {:>9.1}% {:>6.1}% {:>7} {:>6} {:>7} {:>5.0}% {:>11.2} {:>10.2} {:>7.0}",
        row.name,
        row.nodes,
        row.policy,
        row.throughput_ratio,
        row.p50_ms,
        row.p99_ms,
        ratio,
        row.extra_load * 100.0,
        row.retried * 100.0,
        row.failed,
        row.held,
        row.calls,
        row.cached_share * 100.0,
        row.cpu_client,
        row.cpu_nodes,
        row.lag_p99_ms
    )
}

/// A timer whose lateness is above this share of a usual call shows a crowded machine.
const LAG_SHARE_MAX: f64 = 0.05;

/// What makes the figures doubtful, if anything does: client and nodes share this machine, and perhaps with other
/// programs.
pub(super) fn doubt(rows: &[Row], cores: usize) -> Option<String> {
    let most = |value: fn(&Row) -> f64| rows.iter().map(value).fold(0.0, f64::max);
    let busiest = most(|row| row.cpu_client + row.cpu_nodes);
    let crowded = most(|row| row.cpu_nodes) > 0.8 || busiest > 0.75 * cores as f64;
    let late = |row: &&Row| row.lag_p99_ms > LAG_SHARE_MAX * row.p50_ms + 1.0;
    let late = rows.iter().filter(late).count();
    (crowded || late > 0).then(|| {
        format!(
            "the machine, not the pool, may have been the limit: client and nodes took up to {busiest:.1} of {cores} \
             cores, and timers were late in {late} of {} runs (up to {:.0} ms). Run a release build on a quiet \
             machine, or a smaller --scale",
            rows.len(),
            most(|row| row.lag_p99_ms)
        )
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn row(name: &'static str, policy: &'static str, p99_ms: f64) -> Row {
        Row {
            name,
            policy,
            nodes: 4,
            throughput_ratio: 0.9,
            p50_ms: 100.0,
            p99_ms,
            p99_ratio: None,
            extra_load: 0.02,
            retried: 0.01,
            failed: 0,
            held: 0,
            calls: 900,
            cached_share: 0.5,
            cpu_client: 0.2,
            cpu_nodes: 0.1,
            lag_p99_ms: 1.5,
        }
    }

    #[test]
    fn a_row_is_compared_with_its_own_policy() {
        let mut rows = [
            row("uniform", "balanced", 200.0),
            row("uniform", "round_robin", 400.0),
            row("slow", "round_robin", 4_000.0),
            row("slow", "balanced", 220.0),
            row("slow", "least_in_flight", 300.0),
        ];
        compare(&mut rows);
        let ratios = rows.map(|row| row.p99_ratio);
        assert_eq!(ratios, [Some(1.0), Some(1.0), Some(10.0), Some(1.1), None]);
    }

    #[test]
    fn runs_of_the_same_come_to_their_medians() {
        let mut rows = [300.0, 100.0, 900.0, 120.0].map(|p99| row("slow", "balanced", p99));
        rows[2].failed = 1;
        let one = median(&rows[..3]).unwrap();
        assert_eq!((one.p99_ms, one.failed, one.calls), (300.0, 1, 2_700));
        assert_eq!(median(&rows).unwrap().p99_ms, 210.0);
        assert!(median(&[]).is_none());
    }

    #[test]
    fn calls_made_again_are_counted_by_why() {
        let text = "# HELP argosy_llm_hedges_total Calls.\n\
            argosy_llm_hedges_total{model=\"sim\",result=\"won\"} 3\n\
            argosy_llm_hedges_total{model=\"sim\",result=\"lost\"} 4\n\
            argosy_llm_retries_total{model=\"sim\",node=\"a b\",reason=\"busy\"} 5\n";
        let again = Again::read(text);
        assert_eq!(again, Again { late: 7, failed: 5 });
        let before = Again { late: 2, failed: 5 };
        assert_eq!(again.since(before), Again { late: 5, failed: 0 });
    }

    #[test]
    fn a_busy_machine_is_owned_up_to() {
        let mut rows = [row("uniform", "balanced", 1.0)];
        assert_eq!(doubt(&rows, 2), None);
        rows[0].cpu_client = 1.6;
        assert!(doubt(&rows, 2).is_some_and(|doubt| doubt.contains("1.7 of 2")));
        rows[0].cpu_client = 0.2;
        rows[0].lag_p99_ms = 6.5;
        assert!(doubt(&rows, 2).is_some_and(|doubt| doubt.contains("1 of 1 runs")));
    }
}
