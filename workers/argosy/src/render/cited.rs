//! Renders a source of an answer: as a JSON object and as a line of text.

use super::one_line;
use envelope::Citation;
use owo_colors::OwoColorize;
use serde::Serialize;

/// One of `citations`.
#[derive(Debug, Serialize)]
pub(super) struct ShownCitation<'a> {
    n: u16,
    doc_id: &'a str,
    chunk_id: &'a str,
    title: &'a str,
    source: &'a str,
    page: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_name: Option<&'a str>,
    line: u32,
    score: f32,
    quote: &'a str,
}

impl<'a> From<&'a Citation> for ShownCitation<'a> {
    fn from(c: &'a Citation) -> Self {
        ShownCitation {
            n: c.n,
            doc_id: c.doc_id.as_str(),
            chunk_id: &c.chunk_id,
            title: &c.title,
            source: &c.source,
            page: c.page,
            page_name: c.page_name.as_deref(),
            line: c.line,
            score: c.score,
            quote: &c.quote,
        }
    }
}

/// A source as a line: its place, its score, and its title.
pub(super) fn source_line(c: &Citation) -> String {
    format!(
        "[{}] {} {} {}",
        c.n,
        place(&c.source, c.page, c.page_name.as_deref(), c.line).cyan(),
        format!("({:.2})", c.score).dimmed(),
        one_line(&c.title, 60)
    )
}

/// A line of a document, with its page where it has pages, and how people name that page.
pub(super) fn place(source: &str, page: Option<u32>, name: Option<&str>, line: u32) -> String {
    let page = page.map(|page| format!(" p.{page}")).unwrap_or_default();
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    format!("{source}{page}{name}:{line}")
}
