//! An answer as text that can be read anywhere: with its sources as links into the page, its notices, and a warning as
//! its last line where the confidence is low. A question back lists its options.

use crate::Door;
use axum::http::{HeaderMap, header};
use envelope::{Citation, Clarification, Terminal, Usage};
use serde_json::{Value, json};

/// What the list of sources begins with.
const SOURCES: &str = "Sources:\n";
/// The last line of a question back, by which the door knows one again.
const REPLY: &str = "Please answer in your next message.";
/// The last line of an answer that may be wrong.
const LOW: &str = "Low confidence: check this answer against its sources.";

/// A reply to a client.
pub(super) struct Reply {
    /// The text.
    pub(super) text: String,
    /// Where it cites what: `start_index`, `end_index`, `title`, `url`, counted in characters.
    pub(super) cited: Vec<Value>,
    /// The citations as the fleet has them.
    pub(super) citations: Vec<Citation>,
}

/// The address of the page, as the client reaches it: the host that it asked, or its proxy says that it asked.
pub(crate) fn page(door: &Door, headers: &HeaderMap) -> String {
    let prefix = &door.0.setup.options.prefix;
    let said = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?;
        Some(value.split(',').next()?.trim())
    };
    let is_host = |host: &&str| {
        let of = |b: u8| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b);
        !host.is_empty() && host.bytes().all(of)
    };
    let host = said("x-forwarded-host").or_else(|| said(header::HOST.as_str()));
    let scheme = match said("x-forwarded-proto") {
        Some("https") => "https",
        _ => "http",
    };
    match host.filter(is_host) {
        Some(host) => format!("{scheme}://{host}{prefix}/"),
        None => format!("{prefix}/"),
    }
}

/// The reply of a turn that ended with an answer or a question back; `stop` are the texts before which it ends.
pub(super) fn of(ended: Terminal, page: &str, stop: &[&str]) -> Reply {
    let link = |n: u16| format!("{page}?turn={}#citation-{n}", ended.turn);
    let mut parts: Vec<String> = Vec::new();
    match &ended.clarification {
        Some(back) => parts.extend(question_back(back)),
        None => parts.push(ended.answer.clone().unwrap_or_default()),
    }
    if !ended.citations.is_empty() {
        let lines = ended.citations.iter().map(|cited| {
            let label = escaped(&label(cited));
            format!("- [{}] [{label}]({})", cited.n, link(cited.n))
        });
        parts.push(format!("{SOURCES}{}", lines.collect::<Vec<_>>().join("\n")));
    }
    parts.extend(ended.notices.iter().map(|notice| format!("Note: {notice}")));
    if ended.low_confidence {
        parts.push(LOW.into());
    }
    if ended.clarification.is_some() {
        parts.push(REPLY.into());
    }
    let mut text = parts.join("\n\n");
    let ends = stop.iter().filter_map(|stop| text.find(stop));
    if let Some(end) = ends.min() {
        text.truncate(end);
    }
    let place = |cited: &Citation| {
        let mark = format!("[{}]", cited.n);
        let start = text.find(&mark)?;
        let start = text[..start].chars().count();
        Some(json!({
            "start_index": start,
            "end_index": start + mark.len(),
            "title": label(cited),
            "url": link(cited.n),
        }))
    };
    let cited = ended.citations.iter().filter_map(place).collect();
    Reply {
        text,
        cited,
        citations: ended.citations,
    }
}

/// Its question and its options. The option that widens the search is said in words, because here the model is what
/// narrows it.
fn question_back(back: &Clarification) -> Vec<String> {
    let mut parts = vec![back.question.clone()];
    let is_shown = |option: &&String| Some(*option) != back.widens.as_ref();
    let options = back.options.iter().filter(is_shown);
    let list: Vec<String> = options.map(|option| format!("- {option}")).collect();
    if !list.is_empty() {
        parts.push(list.join("\n"));
    }
    if back.widens.is_some() {
        parts.push("To search everything, ask the model `argosy`.".into());
    }
    parts
}

/// Whether an earlier message of the assistant is a question back of this door.
pub(super) fn asks_back(text: &str) -> bool {
    text.trim_end().ends_with(REPLY)
}

/// An earlier answer without what this door added to it.
pub(super) fn without_sources(text: &str) -> &str {
    match text.rfind(&format!("\n\n{SOURCES}- [")) {
        Some(end) => &text[..end],
        None => text,
    }
}

fn label(cited: &Citation) -> String {
    let page = cited.page.map(|page| format!(", page {page}"));
    let page = page.unwrap_or_default();
    let name = cited.page_name.as_ref().map(|name| format!(" ({name})"));
    let name = name.unwrap_or_default();
    format!("{}, {}{page}{name}", cited.title, cited.source)
}

/// A text that means nothing but itself in Markdown, on one line.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '[' | ']' | '(' | ')' | '<' | '>' | '`' | '*' | '_' | '!' | '&' | '|' | '~'
            | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// What a turn spent, under these two names.
pub(super) fn usage(usage: &Usage, read: &str, wrote: &str) -> Value {
    json!({
        read: usage.tokens_in,
        wrote: usage.tokens_out,
        "total_tokens": usage.tokens_in + usage.tokens_out,
    })
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
