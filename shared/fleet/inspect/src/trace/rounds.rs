//! Describes the rounds of a turn as a person would: what was searched for, what was found, what was missing, and what
//! was done about it.
//!
//! Pure, over the steps of a trace and the scatter records that are still stored. For a turn whose steps have expired,
//! only the trail is used. *Not* here: the single steps, which a trace shows below the rounds.

use super::Step;
use super::tree::Parts;
use envelope::{After, Fallback, Outcome, PartResult, Role, Scatter};
use serde::Serialize;
use std::collections::BTreeMap;
use text::count;

/// Most documents that are named.
const SOURCES_MAX: usize = 5;

/// One round. Every field is always present.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RoundReport {
    /// Which, from 0.
    pub round: u8,
    /// The searches of the round, in their order: one search in mode agentic, one for each action in mode loop. Empty
    /// if nothing was found, or if the results are not stored any more.
    pub looked_for: Vec<RoundSearch>,
    /// What was missing after the round, in words; empty if nothing was, or if the round is not over.
    pub missing: String,
    /// The limits that prevented another search, and `no_progress` if all passages had been read.
    pub limits: Vec<String>,
    /// What was done about the missing information; empty while the round runs.
    pub then: &'static str,
}

/// One search with its result. A search of a loop may have found nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RoundSearch {
    /// The query in words.
    pub query: String,
    /// The conditions of the search.
    pub conditions: Vec<String>,
    /// How many searches the index did for it.
    pub searches: u16,
    /// How many passages were returned that no earlier round had read.
    pub passages: usize,
    /// How many passages match in all, including those that were read before.
    pub matching: u64,
    /// The first few documents of the passages.
    pub sources: Vec<String>,
    /// How many further documents there are.
    pub more_sources: usize,
    /// How many of the passages that have been read so far help; `null` in a loop, where no passage is read by itself.
    pub helping: Option<usize>,
    /// How many facts these passages state.
    pub facts: usize,
}

/// The rounds of a turn with these steps, which ended so if it has ended.
pub(super) fn of(
    steps: &[Step],
    scatters: &BTreeMap<u16, Scatter>,
    parts: &Parts,
    outcome: Option<Outcome>,
) -> Vec<RoundReport> {
    let last = steps.iter().map(|step| step.round).max();
    let rounds = 0..=last.unwrap_or(0);
    let told = rounds.map(|round| {
        let of_round: Vec<&Step> = steps.iter().filter(|one| one.round == round).collect();
        let mut searches = of_round.iter().filter(|one| one.role == Role::Retriever);
        let looked_for: Vec<RoundSearch> = searches
            .clone()
            .filter_map(|step| {
                let scatter = scatters.get(&(step.hop + 1))?;
                is_search(scatter).then(|| RoundSearch::of(step, scatter, parts))
            })
            .collect();
        let limits = limits(&of_round);
        let mut missing = missing(&of_round, Some(round) < last);
        if let (true, Some(search), true) = (
            looked_for.is_empty(),
            searches.next_back(),
            missing.is_empty(),
        ) {
            // Nothing came: how that was said.
            missing = search.decided.clone();
        }
        let then = match (Some(round) < last, outcome) {
            (true, _) => "looked further",
            (false, Some(Outcome::Answered)) if limits.is_empty() => "answered",
            (false, Some(Outcome::Answered)) => "answered with what there was",
            (false, Some(Outcome::Clarification)) => "asked back",
            (false, Some(_)) => "given up",
            (false, None) => "",
        };
        RoundReport {
            round,
            looked_for,
            missing,
            limits,
            then,
        }
    });
    told.collect()
}

/// Whether a record is of a search: what documents say of themselves alone is of a look.
fn is_search(scatter: &Scatter) -> bool {
    let passages = &scatter.passages;
    passages.is_empty() || passages.iter().any(|passage| !passage.text.is_empty())
}

impl RoundSearch {
    fn of(step: &Step, scatter: &Scatter, parts: &Parts) -> RoundSearch {
        let mut sources: Vec<String> = Vec::new();
        for passage in &scatter.passages {
            if !sources.contains(&passage.source) {
                sources.push(passage.source.clone());
            }
        }
        let more_sources = sources.len().saturating_sub(SOURCES_MAX);
        sources.truncate(SOURCES_MAX);
        let places = parts.range((step.hop + 2, None)..(step.hop + 3, None));
        let findings = places.filter_map(|(_, part)| match &part.result {
            PartResult::Findings(findings) => Some(findings),
            PartResult::Error(_) => None,
        });
        let helping: Vec<_> = findings.filter(|one| one.counts()).collect();
        RoundSearch {
            query: scatter.plan.query.clone(),
            conditions: (scatter.plan.filter.0.iter())
                .map(ToString::to_string)
                .collect(),
            searches: step.usage.searches,
            passages: scatter.passages.len(),
            matching: scatter.total_hits,
            sources,
            more_sources,
            helping: (scatter.after == After::Map).then_some(helping.len()),
            facts: helping.iter().map(|one| one.facts.len()).sum(),
        }
    }

    /// Describes the search: the query, the conditions and the number of searches.
    pub fn told(&self) -> String {
        let mut told = format!("\"{}\"", self.query);
        if !self.conditions.is_empty() {
            told.push_str(&format!(" where {}", self.conditions.join(" and ")));
        }
        if self.searches > 1 {
            told.push_str(&format!(", in {} searches", self.searches));
        }
        told
    }

    /// Describes the result of the search.
    pub fn came(&self) -> String {
        let Self {
            passages,
            matching,
            helping,
            facts,
            ..
        } = self;
        if *passages == 0 {
            return "nothing".into();
        }
        let more = match self.more_sources {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let from = self.sources.join(", ");
        let helped = match helping {
            None => String::new(),
            Some(0) => ": none helps".into(),
            Some(helping) => format!(": {helping} with {}", count(*facts as u64, "fact")),
        };
        let passages = count(*passages as u64, "new passage");
        let matches = if *matching == 1 { "matches" } else { "match" };
        format!("{passages} ({matching} {matches}) of {from}{more}{helped}")
    }
}

/// What was missing after the steps of a round.
fn missing(of_round: &[&Step], is_followed: bool) -> String {
    let fallbacks = of_round.iter().rev().flat_map(|step| &step.fallbacks);
    let caveats = fallbacks.filter_map(|one| match one {
        Fallback::Caveat { missing } if !missing.is_empty() => Some(missing.clone()),
        _ => None,
    });
    if let Some(missing) = caveats.into_iter().next() {
        return missing;
    }
    let last_of = |role| of_round.iter().rev().find(|step| step.role == role);
    let decided = last_of(Role::Reducer).map_or("", |step| step.decided.as_str());
    match decided.strip_prefix(TOO_LITTLE) {
        Some(why) => without_titles(why).to_owned(),
        // The draft was judged to leave something out.
        None if is_followed => {
            last_of(Role::Validator).map_or(String::new(), |s| s.decided.clone())
        }
        None if decided.starts_with("no fact") => decided.to_owned(),
        None => String::new(),
    }
}

impl RoundReport {
    /// Describes what was done about the missing information, and which limit decided that.
    pub fn then_told(&self) -> String {
        let limits = self.limits.iter().map(|limit| match limit.as_str() {
            NO_PROGRESS => "nothing unread was left".into(),
            limit => format!("the budget of {limit} was spent"),
        });
        let limits: Vec<String> = limits.collect();
        match limits.is_empty() {
            true => self.then.to_owned(),
            false => format!("{}: {}", self.then, limits.join(", ")),
        }
    }
}

/// The word for a round that found nothing to read.
const NO_PROGRESS: &str = Fallback::NoProgress.as_str();

/// The beginning of a reducer's decision to ask for another round, and the beginning of the titles in it, which are for
/// the planner.
pub const TOO_LITTLE: &str = "too little: ";
const READ_SO_FAR: &str = "; read so far: ";

/// The decision of a reducer without the titles of what was read.
pub fn without_titles(decided: &str) -> &str {
    decided.split(READ_SO_FAR).next().unwrap_or(decided)
}

fn limits(of_round: &[&Step]) -> Vec<String> {
    let mut limits: Vec<String> = Vec::new();
    for fallback in of_round.iter().flat_map(|step| &step.fallbacks) {
        let limit = match fallback {
            Fallback::BudgetSpent { limit } => limit.clone(),
            Fallback::NoProgress => fallback.as_str().to_owned(),
            _ => continue,
        };
        if !limits.contains(&limit) {
            limits.push(limit);
        }
    }
    limits
}

#[cfg(test)]
#[path = "rounds_tests.rs"]
mod tests;
