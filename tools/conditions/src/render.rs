//! Renders a manuscript as the bytes of a file.

mod html;
mod pdf;
mod scan;

use crate::dice::Dice;
use crate::field::FileKind;
use crate::manuscript::Manuscript;
use serde_json::{Map, Value, json};

/// The bytes of a document; for JSONL, those of its line. `id` is the line's part of the source.
pub(crate) fn render(paper: &Manuscript, file: FileKind, id: &str, dice: &mut Dice) -> Vec<u8> {
    match file {
        FileKind::Markdown => markdown(paper, dice).into_bytes(),
        FileKind::Html => html::render(paper, dice).into_bytes(),
        FileKind::Pdf => pdf::render(paper),
        FileKind::Jsonl => line_of_json(paper, id).into_bytes(),
        FileKind::Csv => csv(paper).into_bytes(),
        FileKind::Scan => scan::render(paper, dice).into_bytes(),
    }
}

fn markdown(paper: &Manuscript, dice: &mut Dice) -> String {
    let mut out = front_matter(&paper.front, None);
    out.push_str(&format!("# {}\n\n", paper.title));
    let as_table = dice.permille(400) && !paper.labelled.is_empty();
    if as_table {
        out.push_str("| | |\n|---|---|\n");
    }
    for (label, value) in &paper.labelled {
        match as_table {
            true => out.push_str(&format!("| {label} | {value} |\n")),
            false => out.push_str(&format!("{label}: {value}\n")),
        }
    }
    out.push('\n');
    for (at, text) in interleaved(paper).iter().enumerate() {
        out.push_str(text);
        out.push_str(if at % 2 == 1 { "\n\n" } else { "\n" });
    }
    if !paper.lines.is_empty() {
        out.push_str("\n| Article | Quantity |\n|---|---|\n");
        for (article, quantity) in &paper.lines {
            out.push_str(&format!("| {article} | {quantity} |\n"));
        }
    }
    out
}

/// The block between two lines of dashes; `None` where there is nothing to state.
fn front_matter(fields: &[(String, Value)], title: Option<&str>) -> String {
    if fields.is_empty() && title.is_none() {
        return String::new();
    }
    let mut out = String::from("---\n");
    if let Some(title) = title {
        out.push_str(&format!("title: {title}\n"));
    }
    for (key, value) in fields {
        match value {
            // A code of digits alone stays a text; the others need no quotes.
            Value::String(text) if text.parse::<f64>().is_ok() => {
                out.push_str(&format!("{key}: \"{text}\"\n"));
            }
            Value::String(text) => out.push_str(&format!("{key}: {text}\n")),
            other => out.push_str(&format!("{key}: {other}\n")),
        }
    }
    out.push_str("---\n");
    out
}

/// Sentences with and without a value, taking turns.
pub(crate) fn interleaved(paper: &Manuscript) -> Vec<String> {
    let mut all = Vec::new();
    let most = paper.sentences.len().max(paper.filler.len());
    for at in 0..most {
        all.extend(paper.filler.get(at).cloned());
        all.extend(paper.sentences.get(at).cloned());
    }
    all
}

/// All text of a document, line by line.
fn text_lines(paper: &Manuscript) -> Vec<String> {
    let labelled = paper.labelled.iter();
    let mut all: Vec<String> = labelled
        .map(|(label, value)| format!("{label}: {value}"))
        .collect();
    all.extend(interleaved(paper));
    let lines = paper.lines.iter();
    all.extend(lines.map(|(article, quantity)| format!("{quantity} x {article}")));
    all
}

fn line_of_json(paper: &Manuscript, id: &str) -> String {
    let metadata: Map<String, Value> = paper.front.iter().cloned().collect();
    let line = json!({
        "id": id,
        "title": paper.title,
        "text": text_lines(paper).join("\n"),
        "metadata": metadata,
    });
    format!("{line}\n")
}

/// One row for each value, as programs export a single document.
fn csv(paper: &Manuscript) -> String {
    let quoted = |text: &str| match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let mut out = format!("entry,content\nheading,{}\n", quoted(&paper.title));
    let lines = paper
        .lines
        .iter()
        .map(|(article, quantity)| (article, quantity));
    let labelled = paper.labelled.iter().map(|(label, value)| (label, value));
    for (label, value) in labelled.chain(lines) {
        out.push_str(&format!("{},{}\n", quoted(label), quoted(value)));
    }
    for text in interleaved(paper) {
        out.push_str(&format!("remark,{}\n", quoted(&text)));
    }
    out
}
