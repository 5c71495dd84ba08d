//! The planner of the offline reader: keywords, and a file when the question names one.

use super::follow_up::{FollowUp, PastExchange, rewrite};
use super::lexicon::Lexicon;
use super::parts::sub_queries;
use super::question::{Kind, Question, Term};
use super::vocabulary::{is_extension, is_near};
use envelope::{CLARIFIED, QuestionClass};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use text::question::{self, QuestionReading};
use text::words;

/// Most keywords of a plan.
const KEYWORDS_MAX: usize = 4;

/// The planner's JSON. With `earlier` queries it looks for one that is not among them.
pub(super) fn write(lexicon: &Lexicon, question: &str, earlier: Option<&str>) -> String {
    plan(lexicon, question, earlier).to_string()
}

/// The planner's JSON for a question after a dialogue, which has a message a line. `routes` are the routes that it
/// may take, a line each. It never takes the direct answer, because it is not shown what the last answer cites.
pub(super) fn write_follow_up(
    lexicon: &Lexicon,
    question: &str,
    history: &str,
    routes: &str,
) -> String {
    let said = said(lexicon, history);
    let before: Vec<PastExchange<'_>> = said
        .iter()
        .map(|(question, answer)| PastExchange { question, answer })
        .collect();
    let rewritten = rewrite(None, &before, question);
    let (question, mut route, mut reason) = match &rewritten {
        Some(FollowUp { question, added }) => {
            let reason = format!("filled in: {}", added.join(" "));
            (question.as_str(), "rewrite_then_retrieve", reason)
        }
        None => (question.trim(), "retrieve", "as it is, by rules".to_owned()),
    };
    let offers = |route: &str| routes.contains(&format!("\"{route}\""));
    if offers("location_search") && asks_for_a_place(question) {
        (route, reason) = ("location_search", "it asks what is near".to_owned());
    } else if offers("ask_clarification")
        && rewritten.is_none()
        && calls_for_help(lexicon, question)
    {
        (route, reason) = ("ask_clarification", "it does not say with what".to_owned());
    }
    let mut plan = plan(lexicon, question, None);
    plan["question"] = json!(question);
    plan["route"] = json!(route);
    plan["reason"] = json!(reason);
    plan.to_string()
}

/// What is to be done after a search that brought too little: another one in other words, while there are any. It cannot tell
/// whether what was found is enough.
pub(super) fn review(lexicon: &Lexicon, question: &str, earlier: &str) -> String {
    let plan = plan(lexicon, question, Some(earlier));
    json!({
        "reasoning": "by rules: it was asked since too little was found",
        "status": "more",
        "next_tool_call": {"tool": "search_text", "args": {"query": plan["query"]}},
    })
    .to_string()
}

/// Whether a question looks for what is near a place.
fn asks_for_a_place(question: &str) -> bool {
    words::runs(question).any(|word| is_near(&word.to_lowercase()))
}

/// A call for help with nothing in it to search for: no name, no number, and one other word at most.
fn calls_for_help(lexicon: &Lexicon, question: &str) -> bool {
    let help = |word: &str| word.eq_ignore_ascii_case("help");
    let terms = Question::read(lexicon, question).terms;
    let mut others = terms.iter().filter(|term| !help(&term.text));
    let is_plain = |term: &Term| matches!(term.kind, Kind::Plain | Kind::Generic);
    words::runs(question).any(help) && others.next().is_none_or(is_plain) && others.next().is_none()
}

/// Questions with their answers; one that was not answered has none. A question back is no answer: what is quoted in it
/// is the question itself, and names nothing. A bare call for help names nothing either.
fn said(lexicon: &Lexicon, history: &str) -> Vec<(String, String)> {
    let mut said: Vec<(String, String)> = Vec::new();
    for line in history.lines() {
        if let Some(question) = line.strip_prefix("User: ") {
            said.push((meant(lexicon, question), String::new()));
        } else if let (Some(answer), Some(last)) =
            (line.strip_prefix("Assistant: "), said.last_mut())
            && !asks_back(answer, &last.0)
        {
            last.1 = answer.to_owned();
        }
    }
    said.retain(|(question, _)| !calls_for_help(lexicon, question));
    said
}

/// A question with what it was clarified by; what followed a call for help by itself.
fn meant(lexicon: &Lexicon, question: &str) -> String {
    match question.split_once(CLARIFIED) {
        Some((help, reply)) if calls_for_help(lexicon, help) => reply.to_owned(),
        _ => question.replace(CLARIFIED, " "),
    }
}

/// Whether an answer quotes its question.
fn asks_back(answer: &str, question: &str) -> bool {
    answer.contains(&format!("“{question}”")) || answer.contains(&format!("\"{question}\""))
}

fn plan(lexicon: &Lexicon, question: &str, earlier: Option<&str>) -> Value {
    let read = Question::read(lexicon, question);
    let mut keywords = keywords(&read);
    let hint = source_hint(question);
    let mut query = question.trim().to_owned();
    let mut parts = sub_queries(question);
    if let Some(earlier) = earlier {
        let known: Vec<BTreeSet<String>> = earlier.lines().map(sought).collect();
        let fresh = rewritings(lexicon, &read)
            .into_iter()
            .find(|words| !words.is_empty() && !known.contains(&sought(&words.join(" "))));
        if let Some(words) = fresh {
            query = words.join(" ");
            parts.clear();
            keywords = words.into_iter().take(KEYWORDS_MAX).collect();
        }
    }
    let filter = match hint {
        Some(_) => None,
        None => file_filter(question),
    };
    let reading = question::read(question);
    let class = class(&reading, parts.len());
    let purpose = purpose(class);
    let part = |query: String| json!({"query": query, "purpose": purpose});
    json!({
        "class": class.as_str(),
        "intent": reading.intent.as_str(),
        "strategy": if reading.is_literal { "keyword" } else { "hybrid" },
        "output": reading.form.as_str(),
        "citations": !reading.declines_citations,
        "keywords": keywords,
        "file_filter": filter,
        "source_hint": hint,
        "query": query,
        "sub_queries": parts.into_iter().map(part).collect::<Vec<_>>(),
    })
}

/// The class by rules. A question with parts is no simple one, whatever its form.
fn class(reading: &QuestionReading, parts: usize) -> QuestionClass {
    match reading.class {
        QuestionClass::Simple if parts > 1 => QuestionClass::MultiStep,
        class => class,
    }
}

/// What a part of a question is for.
fn purpose(class: QuestionClass) -> &'static str {
    match class {
        QuestionClass::Comparative => "one side of the comparison",
        QuestionClass::Temporal => "one time",
        QuestionClass::Simple | QuestionClass::MultiStep => "one of the questions",
    }
}

/// The terms that tell most: identifiers, numbers and names first, then long words.
fn keywords(question: &Question) -> Vec<String> {
    let ranked = by_specificity(question);
    let texts = ranked.into_iter().map(|term| term.text.clone());
    texts.take(KEYWORDS_MAX).collect()
}

fn by_specificity(question: &Question) -> Vec<&Term> {
    let mut terms: Vec<&Term> = question.terms.iter().collect();
    let telling: Vec<&Term> = terms
        .iter()
        .copied()
        .filter(|t| t.kind != Kind::Generic)
        .collect();
    if telling.len() >= 2 {
        terms = telling;
    }
    // Stable: words of one kind keep the order of the question, longer ones first.
    terms.sort_by_key(|t| (t.kind, std::cmp::Reverse(t.text.chars().count())));
    terms
}

/// Other queries for the same question: with synonyms, then with fewer and fewer words.
fn rewritings(lexicon: &Lexicon, question: &Question) -> Vec<Vec<String>> {
    let in_order = |keep: &dyn Fn(&Term) -> bool| -> Vec<String> {
        let kept = question.terms.iter().filter(|t| keep(t));
        kept.map(|t| t.text.clone()).collect()
    };
    let telling = in_order(&|t| t.kind != Kind::Generic);
    let mut widened = telling.clone();
    for term in &question.terms {
        widened.extend(
            lexicon
                .synonyms(&term.text)
                .into_iter()
                .take(2)
                .map(str::to_owned),
        );
    }
    let ranked = by_specificity(question);
    let most = &ranked[..(ranked.len() * 2 / 3).min(3)];
    let fewest = in_order(&|t| most.contains(&t));
    let specific = in_order(&Term::is_specific);
    vec![widened, fewest, specific, telling]
}

/// What a query looks for, however it is worded: the planner tells plans apart by the same words.
fn sought(query: &str) -> BTreeSet<String> {
    words::content(query).into_iter().collect()
}

/// The file that the question names: something with a known extension, or what follows "file" and
/// looks like a file's name.
fn source_hint(question: &str) -> Option<String> {
    let tokens: Vec<&str> = question
        .split_whitespace()
        .map(|t| t.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    let named = tokens.iter().find(|token| {
        let parts = token.rsplit_once('.');
        parts.is_some_and(|(stem, ext)| !stem.is_empty() && is_extension(&ext.to_lowercase()))
    });
    let told = || {
        let after = tokens
            .windows(2)
            .find(|w| w[0].eq_ignore_ascii_case("file"));
        after.map(|w| &w[1]).filter(|name| looks_like_a_file(name))
    };
    named.or_else(told).map(|&name| name.to_owned())
}

fn looks_like_a_file(name: &str) -> bool {
    let marked = name.contains(['_', '-']) || name.contains(|c: char| c.is_ascii_digit());
    name.len() >= 3 && (marked || name.starts_with(char::is_uppercase))
}

/// The kind of file that the question asks in: "in the pdf", "csv files", "PDFs".
fn file_filter(question: &str) -> Option<String> {
    let tokens: Vec<String> = question
        .split_whitespace()
        .map(|t| {
            t.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
        .collect();
    (0..tokens.len()).find_map(|at| {
        let word = tokens[at].strip_suffix('s').unwrap_or(&tokens[at]);
        if !is_extension(word) {
            return None;
        }
        let next = tokens.get(at + 1).map(String::as_str);
        let files = matches!(next, Some("file" | "files" | "document" | "documents"));
        let inside = at >= 1
            && tokens[..at]
                .iter()
                .rev()
                .take(2)
                .any(|t| t == "in" || t == "from");
        (files || inside || word != tokens[at]).then(|| word.to_owned())
    })
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
