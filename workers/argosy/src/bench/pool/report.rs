//! The rows of the report, how they look, and what they say of each other. Pure but for printing.

use super::load::Measured;
use crate::cli::{Policy, Scenario};
use serde::Serialize;

/// One scenario under one policy.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) policy: &'static str,
    pub(super) nodes: usize,
    /// Tokens a second against the ideal of the healthy nodes.
    pub(super) throughput_ratio: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    /// p99 against that of the same policy and size with all nodes well.
    pub(super) p99_ratio: Option<f64>,
    /// Calls that reached a node for each that was asked, less one.
    pub(super) extra_load: f64,
    /// Calls without an answer.
    pub(super) failed: usize,
    /// How often a call was turned away because all was busy, and made again.
    pub(super) held: usize,
    pub(super) calls: usize,
    /// Prompt tokens that the nodes found cached, of all that they were sent.
    pub(super) cached_share: f64,
    /// Cores in use.
    pub(super) cpu_client: f64,
    pub(super) cpu_nodes: f64,
    /// How late this process was to its own timers.
    pub(super) lag_p99_ms: f64,
}

/// What was counted beside the calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counts {
    pub(super) asked: u64,
    pub(super) reached: u64,
    pub(super) prompt_tokens: u64,
    pub(super) cached_tokens: u64,
    pub(super) cpu_client: f64,
    pub(super) cpu_nodes: f64,
    pub(super) lag_p99_ms: f64,
}

impl Row {
    pub(super) fn new(
        scenario: Scenario,
        policy: Policy,
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
            extra_load: share(counts.reached, counts.asked) - 1.0,
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

/// Compares each row with the uniform one of the same policy and size, where that was run.
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
        "{:>9} {:>5} {:>16} {:>10} {:>8} {:>8} {:>9} {:>10} {:>7} {:>6} {:>7} {:>6} {:>11} {:>10} {:>7}",
        "scenario",
        "nodes",
        "policy",
        "throughput",
        "p50 ms",
        "p99 ms",
        "p99 ratio",
        "extra load",
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
        "{:>9} {:>5} {:>16} {:>10.3} {:>8.0} {:>8.0} {:>9} {:>9.1}% {:>7} {:>6} {:>7} {:>5.0}% {:>11.2} {:>10.2} {:>7.0}",
        row.name,
        row.nodes,
        row.policy,
        row.throughput_ratio,
        row.p50_ms,
        row.p99_ms,
        ratio,
        row.extra_load * 100.0,
        row.failed,
        row.held,
        row.calls,
        row.cached_share * 100.0,
        row.cpu_client,
        row.cpu_nodes,
        row.lag_p99_ms
    )
}

/// A timer that is later than this share of a usual call tells of a crowded machine.
const LAG_SHARE_MAX: f64 = 0.05;

/// What makes the figures doubtful, if anything does: client and nodes share this machine, and maybe
/// not they alone.
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
