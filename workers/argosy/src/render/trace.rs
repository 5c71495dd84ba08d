//! Renders a trace as text: one line for each step, with its details below.

use super::{duration, one_line};
use envelope::{Fallback, Outcome, Overrides};
use inspect::trace::{
    Continuation, ContinuationKind, Letter, RoundReport, Step, StepState, TOO_LITTLE, Trace,
    without_titles,
};
use owo_colors::OwoColorize;
use text::count;

/// How much of a trace is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Detail {
    /// Show every map instead of a line for all of them.
    pub(crate) unfold: bool,
}

/// The longest line of a decision, in characters.
const DECIDED_CHARS: usize = 90;
/// The longest line of a round, in characters.
const ROUND_CHARS: usize = 240;
/// The width for the branches, the name and the hop of a step.
const NAME_WIDTH: usize = 22;

/// The whole trace, as lines.
pub(crate) fn lines(trace: &Trace, detail: Detail) -> Vec<String> {
    let mut lines = head(trace);
    let last = trace.steps.len().saturating_sub(1);
    for (n, step) in trace.steps.iter().enumerate() {
        let is_new_round = n == 0 || trace.steps[n - 1].round < step.round;
        let told = trace.rounds.iter().find(|one| one.round == step.round);
        if let Some(told) = told.filter(|_| is_new_round && has_several(trace)) {
            lines.extend(round(told));
        }
        lines.extend(branch(&shown(step, trace, detail), n == last, detail));
    }
    lines.extend(foot(trace));
    lines
}

/// A step as it is shown: where the rounds are described, the titles of what was read stand there and not in the
/// step.
fn shown(step: &Step, trace: &Trace, detail: Detail) -> Step {
    let mut shown = step.clone();
    let is_told = has_several(trace) && !detail.unfold;
    if is_told && shown.decided.starts_with(TOO_LITTLE) {
        shown.decided = without_titles(&shown.decided).to_owned();
    }
    shown
}

/// Whether there are several searches to describe.
fn has_several(trace: &Trace) -> bool {
    let searches = trace.rounds.iter().map(|round| round.looked_for.len());
    trace.rounds.len() > 1 || searches.sum::<usize>() > 1
}

/// The result of a round, which stands before its steps.
fn round(told: &RoundReport) -> Vec<String> {
    let RoundReport {
        round,
        looked_for,
        missing,
        ..
    } = told;
    let searches = looked_for
        .iter()
        .flat_map(|one| [("looked for", one.told()), ("came", one.came())]);
    let facts = searches.chain([("missing", missing.clone()), ("then", told.then_told())]);
    let mut lines = vec![format!("├─ round {}", round + 1).bold().to_string()];
    for (what, text) in facts.filter(|(_, text)| !text.is_empty()) {
        let text = one_line(&text, ROUND_CHARS);
        lines.push(format!("{}     {what:<10} {text}", "│".dimmed()));
    }
    lines
}

/// The state of the turn, its cost and its time, in one line.
pub(crate) fn end(trace: &Trace) -> String {
    let state = match trace.outcome {
        Some(outcome) => coloured(outcome),
        None => "running".yellow().to_string(),
    };
    let time = match (trace.asked_at.0, trace.outcome) {
        (0, _) => String::new(),
        (_, Some(_)) => format!(" in {}", duration(trace.duration_ms)),
        (_, None) => format!(" for {}", duration(trace.duration_ms)),
    };
    let tokens = trace.usage.tokens_in + trace.usage.tokens_out;
    let spent = format!(
        "{}, {}",
        count(trace.usage.calls.into(), "call"),
        count(tokens, "token")
    );
    format!(
        "turn {}  {state}{time}  {}",
        trace.turn.bold(),
        spent.dimmed()
    )
}

fn head(trace: &Trace) -> Vec<String> {
    let mut lines = vec![end(trace)];
    if let Some(question) = &trace.question {
        lines.push(format!("  {}", one_line(question, 110)));
    }
    if let Some(rewritten) = &trace.rewritten {
        let text = one_line(rewritten, 220);
        lines.push(format!("  {} {text}", "searched for as".dimmed()));
    }
    if let Some(id) = &trace.conversation {
        lines.push(format!("  {} {id}", "conversation".dimmed()));
    }
    if let Some(id) = &trace.trace_id {
        lines.push(format!("  {} {id}", "trace".dimmed()));
    }
    if let Some(parent) = &trace.parent {
        let from = match trace.first_hop {
            0 => String::new(),
            hop => format!(", from hop {hop}"),
        };
        lines.push(format!("  {} {parent}{from}", "goes on from".cyan()));
    }
    lines.extend(trace.overrides.as_ref().map(overridden));
    if trace.aged_out {
        let note = match trace.steps.is_empty() {
            true => {
                "its steps have aged out or there were none, and its terminal event has no trail"
            }
            false => "its steps have aged out; this is the trail of its terminal event",
        };
        lines.push(format!("  {} {note}", "note:".yellow()));
    }
    lines
}

fn overridden(overrides: &Overrides) -> String {
    let Overrides { model, prompts } = overrides;
    let model = model.iter().map(|name| format!("model={name}"));
    let all: Vec<_> = model
        .chain(prompts.keys().map(|name| format!("prompt {name}")))
        .collect();
    format!("  {} {}", "with".cyan(), all.join(", "))
}

fn coloured(outcome: Outcome) -> String {
    match outcome {
        Outcome::Answered => outcome.as_str().green().to_string(),
        Outcome::Clarification | Outcome::Cancelled => outcome.as_str().yellow().to_string(),
        Outcome::Refused | Outcome::Failed | Outcome::Expired => outcome.as_str().red().to_string(),
    }
}

fn branch(step: &Step, is_last: bool, detail: Detail) -> Vec<String> {
    let (turn, below) = if is_last {
        ("└─ ", "   ")
    } else {
        ("├─ ", "│  ")
    };
    let mut lines = vec![line(step, turn, &step.role.to_string())];
    lines.extend(hanging(step, below));
    if step.maps.is_empty() {
        return lines;
    }
    if !detail.unfold {
        lines.push(folded(&step.maps, &format!("{below}└─ ")));
        for map in step.maps.iter().filter(|map| map.dead.is_some()) {
            lines.extend(hanging(map, &format!("{below}   ")));
        }
        return lines;
    }
    let last = step.maps.len() - 1;
    for (n, map) in step.maps.iter().enumerate() {
        let (turn, more) = if n == last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        let name = format!("{} {}", map.role, map.index.unwrap_or(0));
        lines.push(line(map, &format!("{below}{turn}"), &name));
        lines.extend(hanging(map, &format!("{below}{more}")));
    }
    lines
}

/// One step in a line: where it ran, how long it took, how often it was delivered, which process did it, and its
/// result.
pub(crate) fn line(step: &Step, branches: &str, name: &str) -> String {
    let times = match (step.doing, step.inherited, step.attempt) {
        (_, true, _) => "taken over".into(),
        (StepState::Waits | StepState::Open, ..) => format!("queued {}", duration(step.queued_ms)),
        (StepState::Runs, ..) => format!("for {}", duration(step.queued_ms)),
        (StepState::Left, ..) | (_, _, 0) => String::new(),
        _ => format!(
            "queued {}, work {}",
            duration(step.queued_ms),
            duration(step.worked_ms)
        ),
    };
    let tries = match step.attempt {
        0 | 1 => String::new(),
        n => format!("attempt {n}"),
    };
    let tokens = step.usage.tokens_in + step.usage.tokens_out;
    let model = step.model.as_ref();
    let model = model.map_or(String::new(), |m| {
        format!("{m}, {}", count(tokens, "token"))
    });
    let facts = [times, tries, model];
    let facts: Vec<_> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    let width = NAME_WIDTH.saturating_sub(branches.chars().count());
    let (decided, _) = cut(&step.decided);
    let facts = match facts.is_empty() {
        true => String::new(),
        false => facts.join(", ").dimmed().to_string(),
    };
    let said = [decided, facts].into_iter().filter(|part| !part.is_empty());
    let text = format!(
        "{}{name:<width$} hop {:<3} {} {}",
        branches.dimmed(),
        step.hop,
        mark(step.doing),
        said.collect::<Vec<_>>().join("  ")
    );
    text.trim_end().to_owned()
}

fn mark(doing: StepState) -> String {
    let word = format!("{:<6}", doing.as_str());
    match doing {
        StepState::Done => word.green().to_string(),
        StepState::Failed => word.red().to_string(),
        StepState::Waits | StepState::Runs | StepState::Open => word.yellow().to_string(),
        StepState::Left => word.dimmed().to_string(),
    }
}

/// The details of a step: what did not fit its line, its fallbacks, and why it was given up.
pub(crate) fn hanging(step: &Step, below: &str) -> Vec<String> {
    let below = format!("{}   ", below.dimmed());
    let (_, rest) = cut(&step.decided);
    let mut lines: Vec<_> = rest.iter().map(|text| format!("{below}{text}")).collect();
    let fallbacks = step.fallbacks.iter().map(fallback);
    lines.extend(fallbacks.map(|text| format!("{below}{}", text.yellow())));
    if let Some(letter) = &step.dead {
        lines.extend(
            dead(letter)
                .into_iter()
                .map(|text| format!("{below}{text}")),
        );
    }
    lines
}

/// A decision, cut at blanks: the part that fits the line of its step, and the lines below it.
fn cut(decided: &str) -> (String, Vec<String>) {
    let mut lines = vec![String::new()];
    for word in decided.split_whitespace() {
        let line = lines.last_mut();
        let room = |line: &String| line.chars().count() + word.chars().count() < DECIDED_CHARS;
        match line.filter(|line| line.is_empty() || room(line)) {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => line.extend([" ", word]),
            None => lines.push(word.to_owned()),
        }
    }
    let rest = lines.split_off(1);
    (lines.remove(0), rest)
}

/// A fallback with its details.
fn fallback(fallback: &Fallback) -> String {
    let fields = match serde_json::to_value(fallback) {
        Ok(serde_json::Value::Object(mut fields)) => {
            fields.remove("kind");
            fields
        }
        _ => serde_json::Map::new(),
    };
    let facts: Vec<_> = fields
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    match facts.is_empty() {
        true => format!("fallback: {}", fallback.as_str()),
        false => format!(
            "fallback: {} ({})",
            fallback.as_str(),
            one_line(&facts.join(", "), 80)
        ),
    }
}

fn dead(letter: &Letter) -> Vec<String> {
    let Letter {
        sequence,
        reason,
        error,
        delivered,
        retried_as,
    } = letter;
    let times = match delivered {
        1 => "1 delivery".to_owned(),
        n => format!("{n} deliveries"),
    };
    let text = format!(
        "dead letter {sequence}: {reason} after {times}: {}",
        one_line(error, DECIDED_CHARS)
    );
    let mut lines = vec![text.red().to_string()];
    lines.extend(
        retried_as
            .as_ref()
            .map(|turn| format!("retried as {turn}").cyan().to_string()),
    );
    lines
}

/// The maps of one fan-out in one line.
fn folded(maps: &[Step], branches: &str) -> String {
    let name = format!("mapper x{}", maps.len());
    let width = NAME_WIDTH.saturating_sub(branches.chars().count());
    let longest = |of: fn(&Step) -> u64| maps.iter().map(of).max().unwrap_or(0);
    let tokens = maps
        .iter()
        .map(|map| map.usage.tokens_in + map.usage.tokens_out)
        .sum();
    let times = format!(
        "at most: queued {}, work {}",
        duration(longest(|map| map.queued_ms)),
        duration(longest(|map| map.worked_ms))
    );
    let again = maps.iter().filter(|map| map.attempt > 1).count();
    let taken = maps.iter().filter(|map| map.inherited).count();
    let mut facts = vec![times];
    facts.extend((again > 0).then(|| format!("{again} redelivered")));
    facts.extend((taken > 0).then(|| format!("{taken} taken over")));
    facts.extend((tokens > 0).then(|| count(tokens, "token")));
    let fell = fallen(maps);
    facts.extend((!fell.is_empty()).then(|| format!("fallbacks: {fell}")));
    format!(
        "{}{name:<width$} hop {:<3} {}  {}",
        branches.dimmed(),
        maps.first().map_or(0, |map| map.hop),
        counts(maps),
        facts.join(", ").dimmed()
    )
}

/// The results of the maps of a fan-out, such as `4 ok, 1 error`.
fn counts(maps: &[Step]) -> String {
    let of = |doing: StepState| maps.iter().filter(|map| map.doing == doing).count();
    let words = [
        (of(StepState::Done), "ok".green().to_string()),
        (of(StepState::Failed), "error".red().to_string()),
        (of(StepState::Runs), "running".yellow().to_string()),
        (
            of(StepState::Waits) + of(StepState::Open),
            "waiting".yellow().to_string(),
        ),
        (of(StepState::Left), "left".dimmed().to_string()),
    ];
    let said = words.into_iter().filter(|(n, _)| *n > 0);
    said.map(|(n, word)| format!("{n} {word}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The fallbacks of a fan-out, each once, with how often it was taken.
fn fallen(maps: &[Step]) -> String {
    let fallbacks = maps.iter().flat_map(|map| &map.fallbacks);
    let kinds = super::tallied(fallbacks.map(Fallback::as_str));
    let said = kinds.iter().map(|(kind, times)| format!("{times} {kind}"));
    said.collect::<Vec<_>>().join(", ")
}

fn foot(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(problem) = &trace.error {
        let text = format!("{}: {}", problem.code, problem.message);
        lines.push(text.red().to_string());
    }
    lines.extend(trace.again.iter().map(again));
    lines
}

fn again(again: &Continuation) -> String {
    let how = match again.how {
        ContinuationKind::Retry => "retried as",
        ContinuationKind::Replay => "replayed as",
    };
    let state = again
        .outcome
        .map_or_else(|| "running".yellow().to_string(), coloured);
    format!("{} {}  {state}", how.cyan(), again.turn)
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
