//! Prints a terminal event in a chat: the answer, or the question back with a number to press for each option.

use super::{duration, duration_ms, marked, one_line, source_line};
use crate::out::println;
use envelope::{Clarification, Outcome, Terminal};
use owo_colors::OwoColorize;

/// Prints the answer or the question back, if there is one.
pub(crate) fn said(t: &Terminal) {
    if let Some(answer) = marked::answer(t) {
        println!("{answer}");
    }
    to_do(t);
    if let Some(asked) = &t.clarification {
        asked_back(asked);
    }
    notes(t);
    for cited in &t.citations {
        println!("{}", source_line(cited).dimmed());
    }
    if matches!(t.outcome, Outcome::Answered | Outcome::Clarification) {
        println!("{}", footer(t).dimmed());
    }
}

/// Prints the things to do according to an answer, if they were asked for and there are any.
pub(super) fn to_do(t: &Terminal) {
    for item in &t.action_items {
        println!("{} {}", "to do:".cyan(), item.text);
    }
}

/// Prints the notices of an answer, and why sentences of it have signs.
pub(super) fn notes(t: &Terminal) {
    for notice in &t.notices {
        println!("{} {notice}", "note:".yellow());
    }
    for line in marked::reasons(t) {
        println!("{line}");
    }
}

/// Prints a question back, with numbers to press.
pub(crate) fn asked_back(asked: &Clarification) {
    println!("{}", asked.question.bold());
    for (option, n) in asked.options.iter().zip(1..) {
        println!("  {} {option}", format!("{n}.").cyan());
    }
}

fn footer(t: &Terminal) -> String {
    let confidence = match t.confidence {
        Some(c) if t.low_confidence => format!("confidence {c:.2} (low) · "),
        Some(c) => format!("confidence {c:.2} · "),
        None => String::new(),
    };
    let searched = t.rewritten.as_ref();
    let searched = searched.map_or(String::new(), |q| {
        format!(" · searched for: {}", one_line(q, 100))
    });
    let judged = marked::judged(t);
    format!("{confidence}{judged}{}{searched}", duration(duration_ms(t)))
}

/// Prints the sources of an answer with the words that they are cited for.
pub(crate) fn sources(t: &Terminal) {
    if t.citations.is_empty() {
        println!("no sources are cited");
    }
    for cited in &t.citations {
        println!("{}", source_line(cited));
        println!("    {}", cited.quote.dimmed());
    }
}
