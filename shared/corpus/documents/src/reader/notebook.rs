//! Reads a notebook of Jupyter into lines: its text as it stands, code between fences, behind it what the code wrote.
//!
//! Outputs are cut to their first lines. It does *not* read pictures, HTML and other outputs without plain text, and
//! what is attached to a cell.

use super::lines::Lines;
use super::text::decode;
use super::{Parsed, SkipReason, front_matter, take_title};
use serde_json::Value;

/// Most lines of the outputs of a cell, and most characters of one.
const OUTPUT_LINES_MAX: usize = 20;
const OUTPUT_CHARS_MAX: usize = 200;

/// Parses a notebook.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let text = decode(bytes)?;
    let book: Value =
        serde_json::from_str(&text).map_err(|error| SkipReason::Broken(error.to_string()))?;
    // Notebooks before version 4 have their cells in sheets.
    let sheets = book["worksheets"].as_array().map_or(&[][..], Vec::as_slice);
    let cells = [&book]
        .into_iter()
        .chain(sheets)
        .filter_map(|holder| holder["cells"].as_array());
    let language = &book["metadata"]["kernelspec"]["language"];
    let language = language
        .as_str()
        .or(book["metadata"]["language_info"]["name"].as_str())
        .unwrap_or_default();
    let mut lines = Lines::default();
    for cell in cells.flatten() {
        lines.part();
        let source = match &cell["source"] {
            Value::Null => joined(&cell["input"]),
            source => joined(source),
        };
        match cell["cell_type"].as_str().unwrap_or_default() {
            _ if source.trim().is_empty() => {}
            "heading" => lines.heading(cell["level"].as_u64().unwrap_or(1) as usize, &source),
            "code" => {
                fenced(&mut lines, language, &source);
                outputs(&mut lines, &cell["outputs"]);
            }
            _ => verbatim(&mut lines, &without_pictures(&source)),
        }
    }
    let mut fields = front_matter::collect(
        [
            ("title", book["metadata"]["title"].clone()),
            ("language", language.into()),
        ]
        .into_iter()
        .filter(|(_, value)| value.as_str().is_some_and(|text| !text.is_empty())),
    );
    Ok(Parsed {
        title: take_title(&mut fields),
        metadata: fields,
        lines: lines.finish()?,
        ..Parsed::default()
    })
}

/// A text, or its lines in a list.
fn joined(text: &Value) -> String {
    match text {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// Adds lines as they are, with blank ones between.
fn verbatim(lines: &mut Lines, text: &str) {
    for line in text.lines() {
        lines.push(if line.trim().is_empty() { "\n" } else { line });
    }
}

fn fenced(lines: &mut Lines, language: &str, text: &str) {
    lines.push(&format!("```{language}"));
    verbatim(lines, &text.replace("```", "'''"));
    lines.push("```");
}

/// What the code of a cell wrote, or how it failed.
fn outputs(lines: &mut Lines, outputs: &Value) {
    let mut all = String::new();
    for output in outputs.as_array().into_iter().flatten() {
        let texts = [&output["text"], &output["data"]["text/plain"]];
        let failed = output["ename"].as_str().zip(output["evalue"].as_str());
        let failed = failed.map(|(name, value)| format!("{name}: {value}"));
        for text in texts.into_iter().map(joined).chain(failed) {
            // A picture has a text that only names it.
            if !text.trim().is_empty() && !text.starts_with("<Figure") {
                all.push_str(text.trim_end());
                all.push('\n');
            }
        }
    }
    let count = all.lines().count();
    let mut shown: Vec<String> = all
        .lines()
        .take(OUTPUT_LINES_MAX)
        .map(|line| line.chars().take(OUTPUT_CHARS_MAX).collect())
        .collect();
    if count > OUTPUT_LINES_MAX {
        shown.push(format!("... ({} more lines)", count - OUTPUT_LINES_MAX));
    }
    if !shown.is_empty() {
        lines.part();
        lines.push("Output:");
        fenced(lines, "", &shown.join("\n"));
    }
}

/// Text without pictures that stand in it as data.
fn without_pictures(text: &str) -> String {
    let mut parts = text.split("](data:");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push(']');
        kept.push_str(part.split_once(')').map_or("", |(_, behind)| behind));
    }
    kept
}

#[cfg(test)]
#[path = "notebook_tests.rs"]
mod tests;
