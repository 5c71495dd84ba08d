//! The pages without scripts as markup, with the classes of the page with scripts, whose style they share.
//!
//! Every text goes in by the macro of `maud`, which escapes it; nothing here writes markup in another way.

use super::marks;
use crate::problem::Problem;
use envelope::lookup::SearchReply;
use envelope::{AnswerTable, Citation, Outcome, Passage, Support, Terminal, TrailEntry, TurnId};
use maud::{DOCTYPE, Markup, html};
use serde_json::Value;

/// The whole of a page.
pub(super) fn frame(body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Argosy" }
                link rel="icon" href="./icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="./style.css";
            }
            // As with its menu open, which only a script could do.
            body.menu {
                a.skip href="#main" { "Skip to the page" }
                header.bar { a.brand href="./plain" { img src="./icon.svg" alt="" width="26" height="26"; " Argosy" } }
                (body)
            }
        }
    }
}

/// What stands beside: conversations as id and first question.
pub(super) fn side(talks: &[(String, String)], may_read: bool, can_log_out: bool) -> Markup {
    html! {
        div.side {
            nav aria-label="Views" {
                a href="./plain" { "Ask" }
                a href="./plain?query=" { "Search" }
                @if may_read { a href="./plain?documents=0" { "Documents" } }
                @if can_log_out { form method="post" action="./plain" { button name="key" value="" { "Log out" } } }
            }
            @if !talks.is_empty() {
                section aria-labelledby="talks-title" {
                    h2 #talks-title { "Conversations" }
                    ul #talks {
                        @for (id, question) in talks { li { a href={ "./plain?conversation=" (id) } { span { (question) } } } }
                    }
                }
            }
        }
    }
}

/// The first page.
pub(super) fn start() -> Markup {
    html! {
        h1 { "Ask your documents" }
        p.lead { "Each answer names its sources, and is checked against them before you see it. It may take a while." }
        (composer(None, None))
    }
}

/// The form of a question: the next one of a conversation, or a reply to the question back of a turn.
pub(super) fn composer(conversation: Option<&str>, reply_to: Option<&str>) -> Markup {
    html! {
        form #composer method="post" action="./plain" autocomplete="off" {
            (belonging(conversation, reply_to))
            @if reply_to.is_some() { p.quiet { "Your next question answers the one above." } }
            div.field {
                label.hidden for="question" { "Question" }
                textarea #question name="question" rows="2" maxlength="8000" placeholder="Ask a question" required {}
                button.main { "Ask" }
            }
        }
    }
}

fn belonging(conversation: Option<&str>, reply_to: Option<&str>) -> Markup {
    html! {
        @if let Some(id) = conversation { input type="hidden" name="conversation" value=(id); }
        @if let Some(turn) = reply_to { input type="hidden" name="reply_to" value=(turn); }
    }
}

/// A turn that still runs.
pub(super) fn running(turn: &TurnId) -> Markup {
    html! {
        h1 { "Not answered yet" }
        p { "The question is still being worked on. " a href={ "./plain?turn=" (turn) } { "Look again" } }
        form #stop method="post" action="./plain" { button name="stop" value=(turn) { "Stop" } }
    }
}

/// Asks whether something is meant that cannot be taken back: the form sends `name=value`.
pub(super) fn sure(title: &str, what: &str, (name, value): (&str, &str), back: &str) -> Markup {
    html! {
        h1 { (title) }
        p { strong { (what) } }
        p { "This is for good." }
        form #sure method="post" action="./plain" { button.main name=(name) value=(value) { (title) } }
        p { a href=(back) { "Go back" } }
    }
}

/// What a conversation keeps of a turn.
pub(super) fn kept(had: &Value) -> Markup {
    let text = |name: &str| had[name].as_str();
    html! {
        article.turn {
            h2.question { (text("question").unwrap_or_default()) }
            div.answer { p.answer { (text("answer").or(text("asked_back")).or(text("outcome")).unwrap_or("Not answered yet.")) } }
            @if let Some(turn) = text("turn") { p.about { a href={ "./plain?turn=" (turn) } { "With its sources" } } }
        }
    }
}

/// What went wrong; and the form for a key, if that was it.
pub(super) fn refused(problem: &Problem) -> Markup {
    html! {
        @if problem.status.as_u16() == 401 {
            h1 { "A key is needed" }
            p { (problem.detail) }
            form method="post" action="./plain" autocomplete="off" {
                div.field {
                    label.hidden for="key-field" { "Key" }
                    input #key-field name="key" type="password" placeholder="Key" required autocomplete="off" spellcheck="false";
                    button.main { "Go on" }
                }
            }
            p.quiet { "It is kept as a cookie of this page until you close the browser or log out." }
        } @else {
            h1 { "That did not work" }
            p.box.bad { (problem.detail) " (" (problem.code) ")" }
            p { a href="./plain" { "Ask a question" } }
        }
    }
}

/// The end of a turn.
pub(super) fn ended(ended: &Terminal) -> Markup {
    let said = match ended.outcome {
        Outcome::Answered | Outcome::Clarification => "",
        Outcome::Refused => "The question was refused. ",
        Outcome::Failed => "The question could not be answered. ",
        Outcome::Expired => "The time for this question ran out. ",
        Outcome::Cancelled => "Stopped. ",
    };
    html! {
        @if !said.is_empty() {
            p.box.bad {
                strong { (said) }
                @if let Some(why) = &ended.error { (why.message) " (" (why.code) ")" }
            }
        }
        @if ended.outcome == Outcome::Answered { (answered(ended)) }
        (asked_back(ended))
        @if !ended.notices.is_empty() {
            ul.notices { @for notice in &ended.notices { li { (notice) } } }
        }
        @if ended.outcome == Outcome::Answered { (about(ended)) }
        (trail(ended))
    }
}

fn answered(ended: &Terminal) -> Markup {
    let remarks = [
        (
            "The sources contradict each other",
            "box warn",
            &ended.contradictions,
        ),
        ("What to do", "box plain", &ended.action_items),
    ];
    html! {
        @if ended.low_confidence {
            p.box.warn { strong { "Low confidence. " } "Check the sources before you rely on this answer." }
        }
        @if let Some(rewritten) = &ended.rewritten { p.quiet { "Understood as: " (rewritten) } }
        div.answer { p.answer { (marks::answer(ended)) } }
        @if let Some(table) = &ended.table { (table_of(ended, table)) }
        @for (title, class, remarks) in remarks {
            @if !remarks.is_empty() {
                section class=(class) { h3 { (title) } ul { @for remark in remarks { li { (remark.text) } } } }
            }
        }
        @if !ended.citations.is_empty() {
            section.sources {
                h3 { "Sources" }
                ol {
                    @for cited in &ended.citations {
                        li value=(cited.n) {
                            a href=(marks::address(ended, cited.n)) { (name(&cited.title, &cited.source)) }
                            span.quiet { (place(&cited.source, cited.page, cited.page_name.as_deref(), cited.line)) }
                            q { (cited.quote) }
                        }
                    }
                }
            }
        }
    }
}

fn asked_back(ended: &Terminal) -> Markup {
    let conversation = ended.conversation.as_ref().map(|of| of.as_str());
    html! {
        @if let Some(back) = &ended.clarification {
            section.box.back aria-label="Question back" {
                h3 { "A question back" }
                p { (back.question) }
                form.options method="post" action="./plain" {
                    (belonging(conversation, Some(&back.id)))
                    @for option in &back.options { button name="question" value=(option) { (option) } }
                }
            }
        }
    }
}

fn about(ended: &Terminal) -> Markup {
    let claims = ended
        .sentences
        .iter()
        .filter(|one| one.support != Support::NoClaim);
    let borne = claims
        .clone()
        .filter(|one| one.support == Support::Supported)
        .count();
    let claims = claims.count();
    let part = ended.confidence.map(|part| (part * 100.0).round());
    let grade = match part {
        Some(part) if part >= 90.0 && !ended.low_confidence => "high",
        Some(part) if part >= 70.0 && !ended.low_confidence => "fair",
        _ => "low",
    };
    html! {
        p.about {
            @if let Some(part) = part { span class={ "grade " (grade) } { "Confidence: " (grade) " (" (part) " %)" } }
            @if claims > 0 { span { (borne) " of " (claims) " sentences supported" } }
            @if let Some(model) = &ended.model { span { "by " (model) } }
            span { (ended.ended_at.0.saturating_sub(ended.asked_at.0)) " ms" }
            a href={ "./plain?turn=" (ended.turn) } { "Link to this answer" }
        }
    }
}

fn table_of(ended: &Terminal, table: &AnswerTable) -> Markup {
    let cell = |cell: &Value| match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    html! {
        @if !table.conditions.is_empty() { p.conditions { strong { "Where: " } (table.conditions.join("; ")) } }
        div.wide role="group" tabindex="0" aria-label="Table" {
            table {
                caption { (table.rows.len()) " of " (table.rows_total) " rows, from " (table.documents) " documents" }
                thead { tr { @for column in &table.columns { th scope="col" { (column.replace('_', " ")) } } th scope="col" { "cited" } } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for one in &row.cells { td { (cell(one)) } }
                            td.cites { @for n in &row.cites { (marks::cite(ended, *n)) } }
                        }
                    }
                }
            }
        }
    }
}

fn trail(ended: &Terminal) -> Markup {
    let steps: Vec<&TrailEntry> = ended
        .trail
        .iter()
        .filter(|step| step.hop >= ended.first_hop)
        .collect();
    html! {
        @if !steps.is_empty() {
            details.trail {
                summary { "How it was answered: " (steps.len()) " steps, " (ended.usage.calls) " model calls" }
                div.wide role="group" tabindex="0" aria-label="Timeline" {
                    table {
                        thead { tr { @for head in ["Step", "Waited", "Worked", "Calls", "What came of it"] { th scope="col" { (head) } } } }
                        tbody {
                            @for step in steps {
                                tr {
                                    th scope="row" { (step.role) }
                                    td.number { (step.queued_ms) " ms" }
                                    td.number { (step.worked_ms) " ms" }
                                    td.number { (step.usage.calls) }
                                    td.decided { (step.decided) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The passage behind a citation, with the quoted words marked.
/// `file` is where its document can be had.
pub(super) fn passage(
    turn: &str,
    cited: &Citation,
    passage: Option<&Passage>,
    file: Option<&str>,
) -> Markup {
    let parts = passage.map(|passage| marks::quoted(&passage.text, &cited.quote));
    let is_found = parts
        .as_ref()
        .is_some_and(|parts| parts.iter().any(|(_, is_quote)| *is_quote));
    html! {
        h1 { (name(&cited.title, &cited.source)) }
        p.quiet { (place(&cited.source, cited.page, cited.page_name.as_deref(), cited.line)) }
        @if !is_found { blockquote { (cited.quote) } }
        @match parts {
            Some(parts) => div.passage {
                @for (part, is_quote) in parts { @if is_quote { mark { (part) } } @else { (part) } }
            },
            None => p.box { "The corpus no longer has this passage. The words above were quoted from it." },
        }
        @if let Some(at) = file { p { a href={ "." (at) } download { "Save the document" } } }
        p { a href={ "./plain?turn=" (turn) } { "Back to the answer" } }
    }
}

/// The form of a search, and what it found.
pub(super) fn found(query: &str, found: &SearchReply) -> Markup {
    html! {
        (searcher(query))
        p.quiet { (found.passages.len()) " passages of " (found.total_hits) "." }
        ol #passages {
            @for passage in &found.passages {
                li {
                    strong { (name(&passage.title, &passage.source)) }
                    " " span.quiet { (place(&passage.source, passage.page, passage.page_name(), passage.line)) }
                    details { summary { "Passage" } div.passage { (passage.text) } }
                }
            }
        }
    }
}

/// The form of a search.
pub(super) fn searcher(query: &str) -> Markup {
    html! {
        h1 { "Search passages" }
        form role="search" action="./plain" {
            div.field {
                label.hidden for="query" { "Words to search for" }
                input #query name="query" type="search" maxlength="8000" value=(query) required;
                button.main { "Search" }
            }
        }
    }
}

fn name<'a>(title: &'a str, source: &'a str) -> &'a str {
    if title.is_empty() { source } else { title }
}

/// A file's place in the corpus.
fn place(source: &str, page: Option<u32>, name: Option<&str>, line: u32) -> Markup {
    html! {
        (source)
        @if let Some(page) = page { ", page " (page) @if let Some(name) = name { " (" (name) ")" } } @else if line > 0 { ", line " (line) }
    }
}
