//! Reads the steps that a question took from its terminal event and the recorded searches, and compares them with the
//! expected ones. Pure.

use super::case::{ToolCall, Trajectory, TrajectoryCase, TrajectoryEnding};
use envelope::{Fallback, Role, Terminal, TrailEntry};
use serde::Serialize;
use std::collections::BTreeMap;

/// A difference between the expected and the actual steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TrajectoryDifference {
    /// What.
    pub what: String,
    /// The expected value.
    pub expected: String,
    /// As it was.
    pub seen: String,
}

impl Trajectory {
    /// What is seen of a question.
    pub(super) fn of(terminal: &Terminal, tools: Vec<ToolCall>) -> Trajectory {
        let mut calls: BTreeMap<Role, u32> = BTreeMap::new();
        for entry in terminal.trail.iter().filter(|one| one.usage.calls > 0) {
            *calls.entry(entry.role).or_default() += entry.usage.calls;
        }
        let cites = terminal.citations.iter().map(|one| one.source.clone());
        let mut cited: Vec<String> = Vec::new();
        cites.for_each(|source| {
            if !cited.contains(&source) {
                cited.push(source);
            }
        });
        let asked_back = terminal.clarification.as_ref();
        Trajectory {
            visited: visited(&terminal.trail),
            tools,
            searches: terminal.usage.searches,
            calls,
            ending: TrajectoryEnding {
                outcome: terminal.outcome,
                limits: limits(&terminal.trail),
                kind: asked_back.map(|asked| asked.kind.clone()),
                cites: cited,
            },
        }
    }
}

/// The roles that worked on it, hop by hop; the maps of a fan-out are one entry, with their number where there are
/// several.
fn visited(trail: &[TrailEntry]) -> Vec<String> {
    let mut hops: BTreeMap<(u16, Role), usize> = BTreeMap::new();
    for entry in trail {
        *hops.entry((entry.hop, entry.role)).or_default() += 1;
    }
    let told = hops.into_iter().map(|((_, role), times)| match times {
        1 => role.to_string(),
        _ => format!("{role} x{times}"),
    });
    told.collect()
}

/// The limits that the trail names, each once.
fn limits(trail: &[TrailEntry]) -> Vec<String> {
    let mut entries: Vec<&TrailEntry> = trail.iter().collect();
    entries.sort_by_key(|entry| (entry.hop, entry.index));
    let mut named: Vec<String> = Vec::new();
    for fallback in entries.iter().flat_map(|entry| &entry.fallbacks) {
        let limit = match fallback {
            Fallback::BudgetSpent { limit } => limit.clone(),
            Fallback::NoProgress => fallback.as_str().to_owned(),
            _ => continue,
        };
        if !named.contains(&limit) {
            named.push(limit);
        }
    }
    named
}

/// All differences between a question's way and its case.
pub(super) fn differences(
    case: &TrajectoryCase,
    seen: &Trajectory,
    terminal: &Terminal,
) -> Vec<TrajectoryDifference> {
    let mut all = Vec::new();
    let mut differs = |what: &str, expected: String, seen: String| {
        if expected != seen {
            let what = what.to_owned();
            all.push(TrajectoryDifference {
                what,
                expected,
                seen,
            });
        }
    };
    let expected = &case.expected;
    differs(
        "visited",
        expected.visited.join(", "),
        seen.visited.join(", "),
    );
    let most = expected.tools.len().max(seen.tools.len());
    for n in 0..most {
        let told = |of: &Trajectory| of.tools.get(n).map_or("none".into(), ToolCall::told);
        let what = format!("call {} of the corpus", n + 1);
        differs(&what, told(expected), told(seen));
    }
    differs(
        "searches",
        expected.searches.to_string(),
        seen.searches.to_string(),
    );
    differs("model calls", expected.calls_told(), seen.calls_told());
    differs("ending", expected.ending.told(), seen.ending.told());
    let said = said(terminal);
    for part in &case.says {
        if !said.to_lowercase().contains(&part.to_lowercase()) {
            differs("said", part.clone(), said.clone());
        }
    }
    all
}

/// Everything that a user reads: answer, question back with its replies, notices.
fn said(terminal: &Terminal) -> String {
    let asked_back = terminal.clarification.iter();
    let asked_back =
        asked_back.flat_map(|asked| [&asked.question].into_iter().chain(&asked.options));
    let parts = terminal.answer.iter().chain(asked_back);
    let parts = parts.chain(&terminal.notices).map(String::as_str);
    parts.collect::<Vec<_>>().join(" | ")
}

impl ToolCall {
    /// In a line.
    pub(super) fn told(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

impl Trajectory {
    fn calls_told(&self) -> String {
        let calls = self.calls.iter();
        let calls = calls.map(|(role, times)| format!("{role} {times}"));
        calls.collect::<Vec<_>>().join(", ")
    }
}

impl TrajectoryEnding {
    /// In a few words.
    pub(super) fn told(&self) -> String {
        let mut told = self.outcome.as_str().to_owned();
        if let Some(kind) = &self.kind {
            told.push_str(&format!(" ({kind})"));
        }
        if !self.limits.is_empty() {
            told.push_str(&format!(", ended by {}", self.limits.join(", ")));
        }
        if !self.cites.is_empty() {
            told.push_str(&format!(", from {}", self.cites.join(", ")));
        }
        told
    }
}
