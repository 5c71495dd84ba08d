//! Prints the result of a search: passages, counts and documents, as text or as JSON.

use super::cited::place;
use super::{count, json, one_line};
use crate::cli::Output;
use crate::out::println;
use envelope::FilterMatch;
use envelope::lookup::{CountReply, DocumentReply, SearchConditions, SearchReply};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::collections::HashSet;
use text::words;

/// The characters of a passage that are shown on its line.
const SNIPPET_CHARS: usize = 220;

/// The object of `search -o json`. Both fields are always there.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) search: Option<SearchReply>,
    pub(crate) count: Option<CountReply>,
}

/// Prints what a search found and what was counted.
pub(crate) fn print(shown: &Shown, query: &str, output: Output) {
    if output == Output::Json {
        json(shown);
        return;
    }
    if let Some(found) = &shown.search {
        passages(found, query);
    }
    if let Some(counted) = &shown.count {
        counts(counted);
    }
}

/// The documents that the query may be about, a line for each, and what speaks for it.
fn documents(found: &SearchReply) {
    if found.documents.is_empty() {
        return;
    }
    let head = format!(
        "{:>4} {:>6} {:>9}  document, and what of the query matched it",
        "rank", "likely", "passages"
    );
    println!("{}", head.bold());
    for (n, one) in found.documents.iter().enumerate() {
        let matched = one
            .matched
            .iter()
            .map(|m| format!("{} ({}, {} {:.1})", m.said, m.place, m.how, m.weight));
        let matched: Vec<String> = matched.collect();
        let not_inside = if one.searched_inside {
            ""
        } else {
            " · not searched inside"
        };
        println!(
            "{:>4} {:>6.3} {:>9.1}  {}  {}{}",
            n + 1,
            one.likelihood,
            one.passages,
            one.source.cyan(),
            matched.join(", "),
            not_inside.dimmed()
        );
    }
    println!();
}

fn passages(found: &SearchReply, query: &str) {
    documents(found);
    if found.passages.is_empty() {
        println!("nothing found");
    } else {
        println!("{}", format!("{:>4} {:>6}  source", "rank", "score").bold());
    }
    let asked: HashSet<String> = words::content(query).into_iter().collect();
    for (n, passage) in found.passages.iter().enumerate() {
        println!(
            "{:>4} {:>6.2}  {}  {}",
            n + 1,
            passage.score,
            place(
                &passage.source,
                passage.page,
                passage.page_name(),
                passage.line
            )
            .cyan(),
            one_line(&passage.title, 60).dimmed()
        );
        let snippet = one_line(&passage.text, SNIPPET_CHARS);
        println!(
            "{:>13}{}",
            "",
            emphasised(&snippet, &asked, &|w| w.bold().to_string())
        );
    }
    dropped(found);
    let mut rest = vec![counted(found.passages.len() as u64, found.total_hits)];
    if let FilterMatch::Relaxed { dropped } = &found.matched {
        rest.push(format!("without the condition {}", dropped.join(" and ")));
    }
    rest.extend(
        found
            .failed
            .iter()
            .map(|leg| format!("the search by {leg} failed")),
    );
    if found.left_out > 0 {
        rest.push(format!(
            "{} left out: too large for one reply",
            found.left_out
        ));
    }
    println!("{}", rest.join(" · ").dimmed());
    for line in found.conditions.iter().flat_map(understood) {
        println!("{}", line.dimmed());
    }
}

/// The passages that come next and are not in the list, a line for each, and why.
fn dropped(found: &SearchReply) {
    if found.dropped.is_empty() {
        return;
    }
    println!();
    println!(
        "{}",
        format!("{:>4} {:>6}  not shown, and why", "", "score").bold()
    );
    for one in &found.dropped {
        let why = match one.why.as_str() {
            "repeats" => "repeats a passage above",
            "share" => "its document has its share of the list",
            _ => "others score better or say something new",
        };
        println!(
            "{:>4} {:>6.2}  {}  {}",
            "",
            one.score,
            place(&one.source, one.page, None, one.line).cyan(),
            why.dimmed()
        );
    }
    println!();
}

/// How the query was understood, as far as it states conditions: a line for each kind of condition.
fn understood(conditions: &SearchConditions) -> Vec<String> {
    let SearchConditions {
        filter,
        shared,
        dropped,
        doubts,
    } = conditions;
    let mut lines = Vec::new();
    if !filter.is_empty() {
        lines.push(format!("only where {}", filter.join(" and ")));
    }
    lines.extend(shared.iter().map(|share| {
        let conditions = share.conditions.join(" and ");
        format!(
            "first where {conditions}: {}",
            count(u64::from(share.passages), "passage")
        )
    }));
    if !lines.is_empty() {
        lines.push("--no-link takes these words as words like others".into());
    }
    if !dropped.is_empty() {
        lines.push(format!("no condition: {}", dropped.join(", ")));
    }
    if !doubts.is_empty() {
        lines.push(format!("in doubt: {}", doubts.join(", ")));
    }
    lines
}

/// The text with the words of a query set off by `set_off`.
fn emphasised(text: &str, asked: &HashSet<String>, set_off: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(word);
        match words::content(run).iter().any(|w| asked.contains(w)) {
            true => out.push_str(&set_off(run)),
            false => out.push_str(run),
        }
        let next = after.find(char::is_alphanumeric).unwrap_or(after.len());
        out.push_str(&after[..next]);
        rest = &after[next..];
    }
    out
}

fn counts(counted: &CountReply) {
    println!("{}", count(counted.documents, "document"));
    for facet in &counted.facets {
        println!("{}", facet.field.bold());
        for value in &facet.values {
            println!("{:>8}  {}", value.documents, value.value);
        }
        if facet.more {
            println!("{:>8}  {}", "…", "more; --values N shows them".dimmed());
        }
    }
}

/// Prints what is known of a document.
pub(crate) fn print_document(document: &DocumentReply, output: Output) {
    if output == Output::Json {
        json(document);
        return;
    }
    println!("{}", document.title.bold());
    let rows = [
        ("source", document.source.clone()),
        ("doc_id", document.doc_id.to_string()),
        ("bucket", document.bucket.to_string()),
        ("chunks", document.chunks.to_string()),
    ];
    let metadata = document.metadata.iter().map(|(name, value)| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        (name.as_str(), text)
    });
    for (name, value) in rows.into_iter().chain(metadata) {
        println!("  {:<16} {}", name.cyan(), one_line(&value, 200));
    }
}

/// How many results are shown of how many. Results that only vectors found do not count as matches.
fn counted(shown: u64, matching: u64) -> String {
    match shown <= matching {
        true => format!("{shown} of {matching} passages that match"),
        false => format!("{shown} passages, {matching} of them match by words"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_query_are_set_off_in_every_form() {
        let asked: HashSet<String> = words::content("guarantees of the Delta pump?")
            .into_iter()
            .collect();
        let marked = |text: &str| emphasised(text, &asked, &|word| format!("<{word}>"));
        assert_eq!(
            marked("… The guarantee of DELTA-pumps: 24 months."),
            "… The <guarantee> of <DELTA>-<pumps>: 24 months."
        );
        assert_eq!(marked(""), "");
        assert_eq!(marked("— é"), "— é");
    }

    #[test]
    fn what_the_query_was_understood_to_say_is_told() {
        let mut said = SearchConditions {
            filter: vec!["vendor is Acme".into(), "year is 2023".into()],
            ..SearchConditions::default()
        };
        assert_eq!(
            understood(&said),
            [
                "only where vendor is Acme and year is 2023",
                "--no-link takes these words as words like others"
            ]
        );
        said = SearchConditions {
            dropped: vec!["`31 June` (no such day)".into()],
            ..SearchConditions::default()
        };
        assert_eq!(understood(&said), ["no condition: `31 June` (no such day)"]);
        assert!(understood(&SearchConditions::default()).is_empty());
    }
}
