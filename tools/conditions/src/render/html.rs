//! Renders a manuscript as HTML, with its front matter as `<meta>`.

use super::interleaved;
use crate::dice::Dice;
use crate::manuscript::Manuscript;
use serde_json::Value;

/// How many of a thousand pages have a table of their values.
const WITH_TABLE: usize = 500;

pub(super) fn render(paper: &Manuscript, dice: &mut Dice) -> String {
    let mut head = format!(
        "<meta charset=\"utf-8\">\n<title>{}</title>\n",
        escaped(&paper.title)
    );
    for (key, value) in &paper.front {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        head.push_str(&format!(
            "<meta name=\"{key}\" content=\"{}\">\n",
            escaped(&text)
        ));
    }
    let mut body = format!("<h1>{}</h1>\n", escaped(&paper.title));
    let labelled = paper
        .labelled
        .iter()
        .map(|(label, value)| (escaped(label), escaped(value)));
    if dice.permille(WITH_TABLE) && !paper.labelled.is_empty() {
        let rows: String = labelled
            .map(|(l, v)| format!("<tr><th>{l}</th><td>{v}</td></tr>\n"))
            .collect();
        body.push_str(&format!("<table>\n{rows}</table>\n"));
    } else {
        body.extend(labelled.map(|(l, v)| format!("<p>{l}: {v}</p>\n")));
    }
    for text in interleaved(paper) {
        body.push_str(&format!("<p>{}</p>\n", escaped(&text)));
    }
    if !paper.lines.is_empty() {
        let items = paper.lines.iter();
        let items: String = items
            .map(|(a, q)| format!("<li>{} x {}</li>\n", escaped(q), escaped(a)))
            .collect();
        body.push_str(&format!("<ul>\n{items}</ul>\n"));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n{head}</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
