//! The planner's part: keywords, and a file when the question names one.

use super::follow_up::{FollowUp, PastExchange, rewrite};
use super::lexicon::Lexicon;
use super::parts::sub_queries;
use super::question::{Kind, Question, Term};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use text::words;

/// Most keywords of a plan.
const KEYWORDS_MAX: usize = 4;
/// File name extensions that corpora have.
const EXTENSIONS: [&str; 9] = [
    "csv", "docx", "htm", "html", "json", "jsonl", "md", "pdf", "txt",
];

/// The planner's JSON. With `earlier` queries it looks for one that is not among them.
pub(super) fn write(lexicon: &Lexicon, question: &str, earlier: Option<&str>) -> String {
    plan(lexicon, question, earlier).to_string()
}

/// The planner's JSON for a question after a dialogue, which has a message a line. What an answer stands on nobody
/// shows it, so it always searches.
pub(super) fn write_follow_up(lexicon: &Lexicon, question: &str, history: &str) -> String {
    let said = said(history);
    let before: Vec<PastExchange<'_>> = said
        .iter()
        .map(|(question, answer)| PastExchange { question, answer })
        .collect();
    let rewritten = rewrite(None, &before, question);
    let (question, route, reason) = match &rewritten {
        Some(FollowUp { question, added }) => {
            let reason = format!("filled in: {}", added.join(" "));
            (question.as_str(), "rewrite_then_retrieve", reason)
        }
        None => (question.trim(), "retrieve", "as it is, by rules".to_owned()),
    };
    let mut plan = plan(lexicon, question, None);
    plan["question"] = json!(question);
    plan["route"] = json!(route);
    plan["reason"] = json!(reason);
    plan.to_string()
}

/// Questions with their answers. One that was not answered has none.
fn said(history: &str) -> Vec<(&str, &str)> {
    let mut said: Vec<(&str, &str)> = Vec::new();
    for line in history.lines() {
        if let Some(question) = line.strip_prefix("User: ") {
            said.push((question, ""));
        } else if let (Some(answer), Some(last)) =
            (line.strip_prefix("Assistant: "), said.last_mut())
        {
            last.1 = answer;
        }
    }
    said
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
    json!({
        "keywords": keywords,
        "file_filter": filter,
        "source_hint": hint,
        "query": query,
        "sub_queries": parts,
    })
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
        parts.is_some_and(|(stem, ext)| !stem.is_empty() && is_extension(ext))
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

fn is_extension(word: &str) -> bool {
    EXTENSIONS
        .binary_search(&word.to_lowercase().as_str())
        .is_ok()
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
mod tests {
    use super::*;

    fn plan(question: &str, earlier: Option<&str>) -> Value {
        serde_json::from_str(&write(&Lexicon::new(), question, earlier)).unwrap()
    }

    #[test]
    fn keywords_with_the_telling_ones_first() {
        let plan = plan(
            "What is the total amount of invoice INV-2041 from Acme?",
            None,
        );
        assert_eq!(
            plan["keywords"],
            json!(["INV-2041", "Acme", "invoice", "total"])
        );
        assert_eq!(
            plan["query"],
            "What is the total amount of invoice INV-2041 from Acme?"
        );
        assert_eq!(plan["file_filter"], Value::Null);
        assert_eq!(plan["source_hint"], Value::Null);
    }

    #[test]
    fn a_file_only_when_it_is_named() {
        let hint = |q| plan(q, None)["source_hint"].clone();
        assert_eq!(
            hint("What does terms-2024.pdf say about refunds?"),
            "terms-2024.pdf"
        );
        assert_eq!(hint("Who signed in file Invoice_77?"), "Invoice_77");
        assert_eq!(hint("Which file is about refunds?"), Value::Null);
        assert_eq!(hint("Is Node.js used, e.g. in tests?"), Value::Null);
        let filter = |q| plan(q, None)["file_filter"].clone();
        assert_eq!(filter("Which PDF files mention refunds?"), "pdf");
        assert_eq!(filter("What is the price in the html?"), "html");
        assert_eq!(filter("How is text kept?"), Value::Null);
        assert_eq!(filter("What does terms.pdf say?"), Value::Null);
    }

    #[test]
    fn refining_changes_the_query_until_nothing_is_left() {
        let question = "What is the price of the blue widget?";
        let mut earlier = question.to_owned();
        let mut queries = Vec::new();
        for _ in 0..6 {
            let query = plan(question, Some(&earlier))["query"]
                .as_str()
                .unwrap()
                .to_owned();
            earlier.push('\n');
            earlier.push_str(&query);
            queries.push(query);
        }
        assert_eq!(queries[0], "price blue widget cost charge");
        assert_eq!(queries[1], "price widget");
        assert_eq!(queries[5], question);
    }

    fn follow_up(question: &str, history: &str) -> Value {
        serde_json::from_str(&write_follow_up(&Lexicon::new(), question, history)).unwrap()
    }

    #[test]
    fn a_follow_up_is_filled_from_what_was_said() {
        let history = "User: Who made the Delta pump?\n\
                       User: How long is the guarantee on the Delta pump?\n\
                       Assistant: The guarantee is 24 months [1].";
        let plan = follow_up("What about the Gamma pump?", history);
        assert_eq!(
            plan["question"],
            "How long is the guarantee on the Gamma pump?"
        );
        assert_eq!(plan["route"], "rewrite_then_retrieve");
        assert_eq!(plan["query"], plan["question"]);
        let keywords = plan["keywords"].to_string();
        assert!(keywords.contains("guarantee"), "{keywords}");
        for alone in [
            "Who signed the lease of Acme?",
            "Which invoices are overdue?",
        ] {
            let plan = follow_up(alone, history);
            assert_eq!(
                (&plan["route"], &plan["question"]),
                (&json!("retrieve"), &json!(alone))
            );
        }
        assert_eq!(follow_up("And in June?", "")["route"], "retrieve");
        let history = "User: What is the dropout voltage of the QD-7706 at full load?\n\
                       Assistant: It is typically 210 mV [1].";
        let plan = follow_up("What about the QD-7705?", history);
        assert_eq!(
            plan["question"],
            "What is the dropout voltage of the QD-7705 at full load?"
        );
    }
}
