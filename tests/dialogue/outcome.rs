//! Compares the terminal event of a turn with what the scenario expects. Pure.

use crate::script::Expected;
use envelope::{Outcome, PlanRoute, Role, Terminal, TrailEntry};

/// The differences, a line for each.
pub(crate) fn differences(expected: &Expected, seen: &Terminal) -> Vec<String> {
    let mut findings = Vec::new();
    let mut differs = |what: &str, wanted: String, seen: String| {
        findings.push(format!("{what}: want {wanted}, seen {seen}"));
    };
    let outcome = expected
        .outcome
        .unwrap_or(match expected.asked_back.is_empty() {
            true => Outcome::Answered,
            false => Outcome::Clarification,
        });
    if seen.outcome != outcome {
        let why = seen.error.as_ref().map(|error| &error.message);
        differs(
            "outcome",
            outcome.as_str().into(),
            format!("{} {why:?}", seen.outcome.as_str()),
        );
    }
    let taken = route(seen);
    if let Some(route) = expected.route.filter(|route| *route != taken) {
        differs("route", route.as_str().into(), taken.as_str().into());
    }
    let rewritten = seen.rewritten.as_deref().unwrap_or_default();
    if expected.is_unwritten && seen.rewritten.is_some() {
        differs("rewritten query", "none".into(), format!("`{rewritten}`"));
    }
    let answer = seen.answer.as_deref().unwrap_or_default();
    let asked_back = asked_back(seen);
    for (what, wanted, text) in [
        ("rewritten query", &expected.rewritten, rewritten),
        ("answer", &expected.answer, answer),
        ("question back", &expected.asked_back, &asked_back),
    ] {
        for part in wanted.iter().filter(|part| !has(text, part)) {
            differs(what, format!("`{part}`"), format!("`{text}`"));
        }
    }
    let visited = visited(&seen.trail);
    if !expected.visited.is_empty() && visited != expected.visited {
        differs("visited", names(&expected.visited), names(&visited));
    }
    if let Some(low) = expected
        .low_confidence
        .filter(|low| *low != seen.low_confidence)
    {
        differs(
            "low confidence",
            low.to_string(),
            seen.low_confidence.to_string(),
        );
    }
    for (role, part) in &expected.trail {
        let entries: Vec<_> = seen
            .trail
            .iter()
            .filter(|entry| entry.role == *role)
            .map(told)
            .collect();
        if !entries.iter().any(|entry| has(entry, part)) {
            differs("trail", format!("{role}: `{part}`"), format!("{entries:?}"));
        }
    }
    findings
}

/// Whether a text holds a part, in any case of letters.
fn has(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// The question back, its kind and its replies, as one text.
fn asked_back(seen: &Terminal) -> String {
    seen.clarification.as_ref().map_or(String::new(), |asked| {
        format!(
            "{}: {} [{}]",
            asked.kind,
            asked.question,
            asked.options.join("; ")
        )
    })
}

/// The text of an entry: its decision, and the names of its fallbacks.
fn told(entry: &TrailEntry) -> String {
    let fallbacks = entry.fallbacks.iter().map(|fallback| fallback.as_str());
    let words = std::iter::once(entry.decided.as_str()).chain(fallbacks);
    words.collect::<Vec<_>>().join("; ")
}

/// The roles that worked on the turn, in the order of the hops; the maps of a fan-out count once.
fn visited(trail: &[TrailEntry]) -> Vec<Role> {
    let mut entries: Vec<_> = trail.iter().map(|entry| (entry.hop, entry.role)).collect();
    entries.sort();
    entries.dedup();
    entries.into_iter().map(|(_, role)| role).collect()
}

fn names(roles: &[Role]) -> String {
    roles
        .iter()
        .map(|role| role.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

/// The route of the question: the one that the planner names in the trail, except that a direct answer counts as one
/// only where the retriever found everything in the evidence of the last answer. Where the planner names none, the
/// question was searched for.
fn route(seen: &Terminal) -> PlanRoute {
    let decided = |role| {
        let mut of = seen.trail.iter().filter(move |entry| entry.role == role);
        of.next().map_or("", |entry| entry.decided.as_str())
    };
    let planned = decided(Role::Planner);
    let said = planned.split_once(": ").map_or("", |(_, said)| said);
    let is_word = |route: &PlanRoute| said.split([' ', ',', ';']).next() == Some(route.as_str());
    let searched = match seen.rewritten {
        Some(_) => PlanRoute::RewriteThenRetrieve,
        None => PlanRoute::Retrieve,
    };
    match PlanRoute::ALL.into_iter().find(is_word) {
        Some(PlanRoute::DirectAnswer) if !decided(Role::Retriever).starts_with("known: ") => {
            searched
        }
        Some(route) => route,
        None => searched,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Terminal, UnixMs};

    fn entry(role: Role, hop: u16, decided: &str) -> TrailEntry {
        serde_json::from_value(serde_json::json!({
            "role": role, "hop": hop, "round": 0, "attempt": 1, "queued_ms": 0, "worked_ms": 0, "decided": decided,
        }))
        .unwrap()
    }

    fn ended(planner: &str, retriever: &str, rewritten: Option<&str>) -> Terminal {
        let header = testkit::model::step(Role::Validator, "?").header;
        let mut terminal = Terminal::of(&header, Outcome::Answered, UnixMs(2));
        terminal.rewritten = rewritten.map(str::to_owned);
        terminal.trail = vec![
            entry(Role::Mapper, 3, "relevant"),
            entry(Role::Planner, 0, planner),
            entry(Role::Retriever, 1, retriever),
            entry(Role::Mapper, 3, "relevant"),
        ];
        terminal
    }

    #[test]
    fn the_route_is_the_one_that_was_taken() {
        let claimed = "after 1 exchange: direct_answer (known); 2 keywords";
        for (planner, retriever, rewritten, route) in [
            (
                claimed,
                "known: 1 of 1 passage",
                None,
                PlanRoute::DirectAnswer,
            ),
            (
                claimed,
                "the known passages lack `3`; 2 of 2 passages",
                Some("a"),
                PlanRoute::RewriteThenRetrieve,
            ),
            (claimed, "5 of 9 passages", None, PlanRoute::Retrieve),
            (
                "nothing before: location_search; 1 keyword",
                "",
                Some("a"),
                PlanRoute::LocationSearch,
            ),
            (
                "after 1 exchange: retrieve, the question as it stands",
                "",
                None,
                PlanRoute::Retrieve,
            ),
            ("given up: model_refused", "", None, PlanRoute::Retrieve),
            ("4 keywords", "", None, PlanRoute::Retrieve),
        ] {
            assert_eq!(
                super::route(&ended(planner, retriever, rewritten)),
                route,
                "{planner}"
            );
        }
    }

    #[test]
    fn everything_that_differs_is_named() {
        let seen = ended("4 keywords", "1 of 1 passage", Some("How long?"));
        let expected = Expected {
            route: Some(PlanRoute::AskClarification),
            rewritten: vec!["how LONG".into(), "pump".into()],
            is_unwritten: true,
            answer: vec!["24".into()],
            asked_back: vec!["which".into()],
            outcome: None,
            visited: vec![Role::Planner],
            low_confidence: Some(true),
            trail: vec![
                (Role::Mapper, "RELEVANT".into()),
                (Role::Reducer, "x".into()),
            ],
        };
        let findings = differences(&expected, &seen);
        let what: Vec<_> = findings
            .iter()
            .map(|f| f.split(':').next().unwrap())
            .collect();
        assert_eq!(
            what,
            [
                "outcome",
                "route",
                "rewritten query",
                "rewritten query",
                "answer",
                "question back",
                "visited",
                "low confidence",
                "trail"
            ]
        );
        assert!(
            findings[6].contains("seen planner, retriever, mapper"),
            "{findings:?}"
        );
        assert_eq!(
            differences(&Expected::default(), &seen),
            Vec::<String>::new()
        );
    }
}
