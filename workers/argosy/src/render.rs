//! Renders results: as text, with colour on a terminal, for people, and as JSON for programs.

pub(crate) mod catalog;
mod cited;
pub(crate) mod draft;
pub(crate) mod found;
mod line;
pub(crate) mod marked;
mod said;
pub(crate) mod screen;
pub(crate) mod status;
pub(crate) mod trace;

pub(crate) use text::count;

use cited::{ShownCitation, source_line};
pub use line::ProgressLine;
pub(crate) use said::{asked_back, said, sources};

use crate::cli::Output;
use crate::cli_error::CliError;
use crate::out::{self, eprintln, println};
use corpus_sync::{SkippedFile, Summary};
use envelope::{AnswerTable, CheckedSentence, Judgement, Outcome, Remark, Terminal, TrailEntry};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::path::Path;

/// The object of `ask -o json`. Every field is always there.
#[derive(Debug, Serialize)]
pub(crate) struct Shown<'a> {
    outcome: Outcome,
    answer: Option<&'a str>,
    citations: Vec<ShownCitation<'a>>,
    table: Option<&'a AnswerTable>,
    confidence: Option<f32>,
    overlap: Option<f32>,
    low_confidence: bool,
    sentences: &'a [CheckedSentence],
    judgement: Option<&'a Judgement>,
    contradictions: &'a [Remark],
    action_items: &'a [Remark],
    notices: &'a [String],
    clarification: Option<&'a envelope::Clarification>,
    error: Option<&'a envelope::Problem>,
    model: Option<&'a str>,
    usage: envelope::Usage,
    trail: &'a [TrailEntry],
    turn: &'a str,
    conversation: Option<&'a str>,
    rewritten: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auto: Option<&'a envelope::AutoMode>,
    trace_id: Option<&'a str>,
    duration_ms: u64,
}

impl<'a> From<&'a Terminal> for Shown<'a> {
    fn from(t: &'a Terminal) -> Self {
        Shown {
            outcome: t.outcome,
            answer: t.answer.as_deref(),
            citations: t.citations.iter().map(ShownCitation::from).collect(),
            table: t.table.as_deref(),
            confidence: t.confidence,
            overlap: t.overlap,
            low_confidence: t.low_confidence,
            sentences: &t.sentences,
            judgement: t.judgement.as_ref(),
            contradictions: &t.contradictions,
            action_items: &t.action_items,
            notices: &t.notices,
            clarification: t.clarification.as_ref(),
            error: t.error.as_ref(),
            model: t.model.as_deref(),
            usage: t.usage,
            trail: &t.trail,
            turn: t.turn.as_str(),
            conversation: t.conversation.as_ref().map(|c| c.as_str()),
            rewritten: t.rewritten.as_deref(),
            auto: t.auto.as_ref(),
            trace_id: None,
            duration_ms: duration_ms(t),
        }
    }
}

/// Prints a value as JSON, its fields in the order in which they are declared.
pub(crate) fn json(value: &impl Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => println!("{text}"),
        Err(error) => tracing::error!(%error, "a result that is no JSON"),
    }
}

fn duration_ms(t: &Terminal) -> u64 {
    match t.asked_at.0 {
        0 => 0,
        _ => t.asked_at.until(t.ended_at),
    }
}

/// Prints a terminal event, with the id of its trace where it has one. A turn that failed becomes the failure of the
/// command.
pub fn terminal(
    t: &Terminal,
    trace_id: Option<&str>,
    output: Output,
    with_trail: bool,
) -> Result<(), CliError> {
    // What has no answer has no footer either, and is looked into all the more.
    let verdict = verdict(t, output).map_err(|fail| match (t.outcome, trace_id) {
        (Outcome::Failed | Outcome::Expired, Some(id)) => {
            fail.hint(format!("it is recorded as trace {id}"))
        }
        _ => fail,
    });
    let verdict = out::decided(verdict);
    if output == Output::Json {
        json(&Shown {
            trace_id,
            ..Shown::from(t)
        });
    } else {
        terminal_text(t, trace_id, with_trail);
    }
    verdict
}

/// The exit of a command that ended in this terminal event. With JSON, the object has already said everything.
pub(crate) fn verdict(t: &Terminal, output: Output) -> Result<(), CliError> {
    let problem = || {
        let text = t
            .error
            .as_ref()
            .map_or("no reason was given", |e| e.message.as_str());
        format!("{}: {text}", t.outcome.as_str())
    };
    let is_erased = t
        .error
        .as_ref()
        .is_some_and(|error| error.code == "conversation_erased");
    let fail = match t.outcome {
        // How it had ended is of no use to who wants the answer.
        _ if is_erased => CliError::negative(match (t.outcome, &t.error) {
            (Outcome::Answered | Outcome::Clarification, Some(error)) => error.message.clone(),
            _ => problem(),
        })
        .code("conversation_erased"),
        Outcome::Answered => return Ok(()),
        Outcome::Clarification => CliError::negative("reply to the question")
            .code("clarification")
            .exit(7)
            .hint(reply_with(t)),
        Outcome::Refused => CliError::negative(problem()).code("refused"),
        Outcome::Failed => CliError::negative(problem()).code("turn_failed"),
        Outcome::Expired => CliError::negative(problem()).code("expired"),
        Outcome::Cancelled => CliError::negative("the question was cancelled").code("cancelled"),
    };
    Err(match output {
        Output::Json => fail.without_words(),
        _ => fail,
    })
}

/// How a question back is answered.
fn reply_with(t: &Terminal) -> String {
    let conversation = t.conversation.as_ref();
    let within = conversation.map_or(String::new(), |id| format!("--conversation {id} "));
    format!("argosy ask {within}--answer {} \"…\"", t.turn)
}

/// The text for stdout. For a turn without an answer that is only its trail, where it was asked for.
fn terminal_text(t: &Terminal, trace_id: Option<&str>, with_trail: bool) {
    if !matches!(t.outcome, Outcome::Answered | Outcome::Clarification) {
        if with_trail && !t.trail.is_empty() {
            trail(&t.trail);
        }
        return;
    }
    if let Some(answer) = marked::answer(t) {
        println!("{answer}");
    }
    said::to_do(t);
    if let Some(question) = &t.clarification {
        println!("{}", question.question.bold());
        for option in &question.options {
            println!("  - {option}");
        }
    }
    if let Some(file) = t.table.as_ref().and_then(|table| table.file.as_ref()) {
        let size = count(file.bytes, "byte");
        println!(
            "{} all rows as CSV ({size}): ask with --csv FILE, or fetch them from a fleet with: argosy answer {} --csv FILE",
            "file:".cyan(),
            t.turn
        );
    }
    said::notes(t);
    // A table of documents names each of them in its row.
    let is_named = t
        .table
        .as_ref()
        .is_some_and(|table| table.operation.is_of_documents());
    if !t.citations.is_empty() && !is_named {
        println!();
        for c in &t.citations {
            println!("{}", source_line(c));
            println!("    {}", one_line(&c.quote, 160).dimmed());
        }
    }
    println!();
    println!("{}", footer(t, trace_id).dimmed());
    if with_trail {
        trail(&t.trail);
    }
}

fn footer(t: &Terminal, trace_id: Option<&str>) -> String {
    let confidence = match (t.confidence, t.low_confidence) {
        (Some(c), true) => format!("confidence {c:.2} (low) · "),
        // Nothing was found, so nothing was judged.
        (Some(_), false) if t.citations.is_empty() => String::new(),
        (Some(c), false) => format!("confidence {c:.2} · "),
        (None, _) => String::new(),
    };
    let model = t
        .model
        .as_deref()
        .map(|m| format!("model: {m} · "))
        .unwrap_or_default();
    let trace = trace_id
        .map(|id| format!(" · trace {id}"))
        .unwrap_or_default();
    let (calls, tokens) = (t.usage.calls, t.usage.tokens_in + t.usage.tokens_out);
    format!(
        "{confidence}{}{model}{} · {} · {} · turn {}{trace}",
        marked::judged(t),
        duration(duration_ms(t)),
        count(calls.into(), "call"),
        count(tokens, "token"),
        t.turn
    )
}

/// Prints what each step did; the mappers of one fan-out are folded into one line.
pub fn trail(entries: &[TrailEntry]) {
    println!();
    println!(
        "{}",
        format!(
            "{:<12} {:>3} {:>9} {:>8}  what",
            "step", "hop", "queued", "work"
        )
        .bold()
    );
    let mut rest = entries;
    while let Some(first) = rest.first() {
        let same = rest
            .iter()
            .take_while(|e| e.index.is_some() && (e.role, e.hop) == (first.role, first.hop))
            .count();
        let (group, after) = rest.split_at(same.max(1));
        println!("{}", trail_line(group));
        for fallback in group.iter().flat_map(|e| &e.fallbacks) {
            println!(
                "{:<36} {}",
                "",
                format!("fallback: {}", fallback.as_str()).yellow()
            );
        }
        rest = after;
    }
}

fn trail_line(group: &[TrailEntry]) -> String {
    let first = &group[0];
    let longest = |of: fn(&TrailEntry) -> u64| group.iter().map(of).max().unwrap_or(0);
    let name = if first.index.is_some() {
        format!("{} x{}", first.role, group.len())
    } else {
        first.role.to_string()
    };
    let decided = match first.index {
        None => first.decided.clone(),
        Some(_) => folded(group),
    };
    let (queued, worked) = (longest(|e| e.queued_ms), longest(|e| e.worked_ms));
    format!(
        "{name:<12} {:>3} {queued:>6} ms {worked:>5} ms  {}",
        first.hop,
        one_line(&decided, 100)
    )
}

/// What the steps of one fan-out decided: each decision once, with how often it was made.
fn folded(group: &[TrailEntry]) -> String {
    let decided = tallied(group.iter().map(|entry| entry.decided.as_str()));
    let parts = decided.iter().map(|(what, times)| match times {
        1 => (*what).to_owned(),
        n => format!("{n}x {what}"),
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// The width of each column of a table, in characters.
pub(crate) fn widths<const N: usize>(rows: &[[String; N]]) -> [usize; N] {
    std::array::from_fn(|at| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.max().unwrap_or(0)
    })
}

/// Each word once, in the order in which they come first, with how often it comes.
fn tallied<'a>(words: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut tallied: Vec<(&str, usize)> = Vec::new();
    for word in words {
        match tallied.iter_mut().find(|(known, _)| *known == word) {
            Some((_, times)) => *times += 1,
            None => tallied.push((word, 1)),
        }
    }
    tallied
}

/// A duration in words.
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        ms => format!("{:.1} s", ms as f64 / 1000.0),
    }
}

/// Prints what an indexing run did and, for an edition that a fleet searches, how to ask for it.
pub(crate) fn summary(summary: &Summary, is_searched: bool, output: Output) {
    if output == Output::Json {
        json(summary);
        return;
    }
    let Summary {
        indexed,
        added,
        changed,
        unchanged,
        deleted,
        superseded,
        chunks,
        corpus_seq,
        published,
        skipped,
        notes,
    } = summary;
    let (in_part, whole): (Vec<_>, Vec<_>) = skipped.iter().partition(|skip| skip.in_part);
    let in_part = match in_part.len() {
        0 => String::new(),
        n => format!(", {n} read in part"),
    };
    if *published > 0 || corpus_seq.is_none() {
        println!(
            "{} published, {unchanged} unchanged, {deleted} deleted, {} skipped{in_part}; indexers do the rest",
            count(*published as u64, "document"),
            whole.len()
        );
    } else {
        println!(
            "{}, {unchanged} unchanged, {deleted} deleted, {} skipped{in_part}",
            indexed_of(*indexed as u64, *chunks as u64),
            whole.len()
        );
        if *added > 0 && *changed > 0 {
            println!("  {added} of them new, {changed} changed");
        }
        if let (Some(corpus_seq), true) = (corpus_seq, is_searched) {
            println!("  searched for certain with: argosy ask --min-seq {corpus_seq} …");
        }
    }
    if *superseded > 0 {
        println!("  {superseded} published by somebody else in a newer version");
    }
    for skip in skipped {
        let (word, said) = skipped_line(skip);
        println!("  {} {said}", word.yellow());
    }
    for note in notes {
        println!("  {} {}: {}", "note".dimmed(), note.source, note.reason);
    }
}

/// How many documents, with how many chunks. Without a document, what was stored are deletions.
fn indexed_of(documents: u64, chunks: u64) -> String {
    let indexed = format!("{} indexed", count(documents, "document"));
    match documents {
        0 => indexed,
        _ => format!("{indexed} ({})", count(chunks, "chunk")),
    }
}

/// A file that was left out, and why; or of which a part was.
pub(crate) fn skipped_line(skip: &SkippedFile) -> (&'static str, String) {
    let reason = skip.reason.trim_start_matches("read in part: ");
    let word = if skip.in_part { "in part" } else { "skipped" };
    (word, format!("{}: {reason}", skip.source))
}

/// How many files a failure names.
pub(crate) const NAMED: usize = 20;

/// The first of them, each in a line below what is said before.
pub(crate) fn skipped_lines(skipped: &[SkippedFile]) -> String {
    let lines = skipped.iter().take(NAMED).map(skipped_line);
    lines
        .map(|(word, said)| format!("\n  {word} {said}"))
        .collect()
}

/// Says in one line on stderr that files were left out, and in another how many were before; `argosy index` names all
/// of them.
pub fn skipped(skipped: &[SkippedFile], root: &Path) {
    /// How many files are named.
    const NAMED: usize = 3;
    if out::is_quiet() {
        return;
    }
    let (known, new): (Vec<_>, Vec<_>) = skipped.iter().partition(|skip| skip.is_known);
    let named = new
        .iter()
        .take(NAMED)
        .map(|skip| format!("{} ({})", skip.source, skip.reason));
    let named = named.collect::<Vec<_>>().join(", ");
    let all = format!("`argosy index {}` names all", root.display());
    let more = match new.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!(" and {n} more; {all}"),
    };
    if !new.is_empty() {
        let (warning, files) = ("warning:".yellow(), count(new.len() as u64, "file"));
        eprintln!("{warning} {files} skipped: {named}{more}");
    }
    if !known.is_empty() {
        let files = count(known.len() as u64, "file");
        let line = format!("{files} skipped as before; {all}");
        eprintln!("{}", line.dimmed());
    }
}

/// Prints a failure: JSON on stdout for programs, words on stderr for people.
pub fn fail(fail: &CliError, output: Output) {
    if fail.message.is_empty() {
        return;
    }
    if output == Output::Json {
        let _ = out::decided::<()>(Err(fail.clone()));
        println!("{}", fail.to_json());
        return;
    }
    match fail.exit {
        // Nothing went wrong: the fleet asks back.
        7 => eprintln!("{} {}", "input needed:".yellow().bold(), fail.message),
        _ => eprintln!("{} {}", "error:".red().bold(), fail.message),
    }
    if let Some(hint) = fail.hint.as_ref().filter(|_| !out::is_quiet()) {
        eprintln!("{} {hint}", "hint:".bold());
    }
}

/// Text on one line, cut.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let flat = text::one_line(text);
    match flat.chars().count() <= max {
        true => flat,
        false => text::shortened(&flat, max.saturating_sub(1)),
    }
}

/// An amount of bytes in words.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [(&str, u64); 4] = [
        ("TiB", 1 << 40),
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
    ];
    match UNITS.into_iter().find(|(_, size)| n >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", n as f64 / size as f64),
        None => format!("{n} B"),
    }
}

/// A time, or how long ago something was, in the largest unit that says something.
pub(crate) fn age(ms: u64) -> String {
    match ms / 1_000 {
        s @ ..120 => format!("{s} s"),
        s @ ..7_200 => format!("{} min", s / 60),
        s @ ..172_800 => format!("{} h", s / 3_600),
        s => format!("{} d", s / 86_400),
    }
}
