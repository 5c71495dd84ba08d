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

/// A round. Every field is always there.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RoundTold {
    /// Which, from 0.
    pub round: u8,
    /// What was searched for, in that order: one search in a round of mode agentic, one for each action in a loop. Empty where
    /// nothing was found, or what was found is not stored any more.
    pub looked_for: Vec<LookedFor>,
    /// What was missing after it, in words; empty where nothing was, or the round is not over.
    pub missing: String,
    /// The limits that forbade to look further, and `no_progress` where everything had been read.
    pub limits: Vec<String>,
    /// What was done about it; empty while the round runs.
    pub then: &'static str,
}

/// A search; one of a loop may have found nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LookedFor {
    /// In words.
    pub query: String,
    /// What had to hold.
    pub conditions: Vec<String>,
    /// The searches that it took.
    pub searches: u16,
    /// How many passages came that no earlier round had read.
    pub passages: usize,
    /// How many match in all, those that were read before included.
    pub matching: u64,
    /// The documents that they are of, the first few.
    pub sources: Vec<String>,
    /// How many documents more.
    pub more_sources: usize,
    /// How many passages help, of those that have been read so far; `null` in a loop, where no passage is read by itself.
    pub helping: Option<usize>,
    /// How many facts they state.
    pub facts: usize,
}

/// The rounds of a turn with these steps, which ended so if it has ended.
pub(super) fn of(
    steps: &[Step],
    scatters: &BTreeMap<u16, Scatter>,
    parts: &Parts,
    outcome: Option<Outcome>,
) -> Vec<RoundTold> {
    let last = steps.iter().map(|step| step.round).max();
    let rounds = 0..=last.unwrap_or(0);
    let told = rounds.map(|round| {
        let of_round: Vec<&Step> = steps.iter().filter(|one| one.round == round).collect();
        let mut searches = of_round.iter().filter(|one| one.role == Role::Retriever);
        let looked_for: Vec<LookedFor> = searches
            .clone()
            .filter_map(|step| {
                let scatter = scatters.get(&(step.hop + 1))?;
                is_search(scatter).then(|| LookedFor::of(step, scatter, parts))
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
        RoundTold {
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

impl LookedFor {
    fn of(step: &Step, scatter: &Scatter, parts: &Parts) -> LookedFor {
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
        LookedFor {
            query: scatter.plan.query.clone(),
            conditions: scatter
                .plan
                .filter
                .0
                .iter()
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

    /// What was searched for, with what had to hold and how often.
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

    /// What came of it.
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

impl RoundTold {
    /// What was done about what was missing, and which limit decided that.
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

/// How a reducer begins that asks for another round, and where the titles begin that it tells the planner.
pub const TOO_LITTLE: &str = "too little: ";
const READ_SO_FAR: &str = "; read so far: ";

/// What a reducer decided, without the titles of what was read.
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
