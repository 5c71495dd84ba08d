//! Reads a message (`.eml`, `.msg`) into lines: who wrote to whom and when, as one line, and the text below. What it
//! quotes of others gets `> ` before each line. Attachments are documents of their own.
//!
//! The plain text is read, or the HTML where there is none. A page that a browser saved (`.mhtml`) is a message too.
//! It does *not* read what is encrypted or signed in a way that hides the text.

mod mailbox;
mod outlook;
mod quoted;

pub(super) use mailbox::Mailbox;

use super::archive::{Attachment, Attachments};
use super::sheet::MONTHS;
use super::text::numbered;
use super::{File, Format, Parsed, ReadOptions, SkipReason, front_matter, html};
use mail_parser::{Address, DateTime, Message, MessageParser, MessagePart, MimeHeaders, PartType};
use serde_json::Value;
use text::one_line;

/// Most people of one header that the text names; the metadata have more.
const PEOPLE_MAX: usize = 20;
/// Most attachments of a message.
const ATTACHMENTS_MAX: usize = 1_000;
/// Attachments that the text of a message names.
const NAMES_MAX: usize = 50;
/// A plain text of so few words of the HTML beside it only says that there is HTML.
const STUB_SHARE: usize = 5;

/// A message, whatever it was written in.
#[derive(Debug, Default)]
struct Mail {
    subject: String,
    from: Vec<String>,
    to: Vec<String>,
    cc: Vec<String>,
    /// Year, month, day, hour, minute, as its sender saw them.
    date: Option<[u32; 5]>,
    message_id: String,
    body: String,
    attachments: Attachments,
}

/// Parses a message; its attachments are left out.
pub(super) fn parse(bytes: &[u8], file: &File) -> Result<Parsed, SkipReason> {
    if file.format == Format::Mhtml {
        return page(bytes, file.options);
    }
    Ok(mail(bytes, file)?.parsed())
}

/// The attachments of a message.
pub(super) fn attachments(bytes: &[u8], file: &File) -> Result<Attachments, SkipReason> {
    Ok(mail(bytes, file)?.attachments)
}

fn mail(bytes: &[u8], file: &File) -> Result<Mail, SkipReason> {
    match file.format {
        Format::Msg => outlook::read(bytes, file.options),
        _ => Ok(of_message(&message_of(bytes)?, file.options)),
    }
}

fn message_of(bytes: &[u8]) -> Result<Message<'_>, SkipReason> {
    let message = MessageParser::default().parse(bytes);
    message.ok_or_else(|| SkipReason::Broken("no message in it".into()))
}

/// A page that a browser saved: its first HTML, and where it was.
fn page(bytes: &[u8], options: ReadOptions) -> Result<Parsed, SkipReason> {
    let message = message_of(bytes)?;
    let found = message.parts.iter().find_map(|part| match &part.body {
        PartType::Html(html) => Some(html),
        _ => None,
    });
    let html = found.ok_or_else(|| SkipReason::Broken("no page in it".into()))?;
    let mut parsed = html::parse(html, options).ok_or(SkipReason::Empty)?;
    let place = message.header("Snapshot-Content-Location");
    if let Some(place) = place.and_then(|place| place.as_text()) {
        let origin = Value::String(place.to_owned());
        parsed.metadata.entry("origin".into()).or_insert(origin);
    }
    Ok(parsed)
}

fn of_message(message: &Message<'_>, options: ReadOptions) -> Mail {
    let attached = message.attachments().take(ATTACHMENTS_MAX);
    let more = message
        .attachments()
        .count()
        .saturating_sub(ATTACHMENTS_MAX);
    Mail {
        subject: one_line(message.subject().unwrap_or_default()),
        from: people(message.from().or_else(|| message.sender())),
        to: people(message.to()),
        cc: people(message.cc()),
        date: message.date().and_then(date_of),
        message_id: message.message_id().unwrap_or_default().to_owned(),
        body: body(message, options),
        attachments: Attachments::of(
            attached
                .zip(1..)
                .map(|(part, number)| Attachment {
                    name: name_of(part, number),
                    bytes: part.contents().to_vec(),
                })
                .collect(),
            more,
        ),
    }
}

fn body(message: &Message<'_>, options: ReadOptions) -> String {
    let plain: Vec<&str> = message
        .text_bodies()
        .filter_map(|part| match &part.body {
            PartType::Text(text) => Some(&**text),
            _ => None,
        })
        .collect();
    let plain = plain.join("\n");
    let marked: Vec<String> = message
        .html_bodies()
        .filter_map(|part| match &part.body {
            PartType::Html(html) => Some(of_html(html, options)),
            _ => None,
        })
        .collect();
    let marked = marked.join("\n");
    let words = |text: &str| text.split_whitespace().count();
    match words(&plain) * STUB_SHARE < words(&marked) {
        true => marked,
        false => plain,
    }
}

fn of_html(html: &str, options: ReadOptions) -> String {
    let lines = html::parse(html, options).map(|parsed| parsed.lines);
    let lines: Vec<String> = lines.into_iter().flatten().map(|line| line.text).collect();
    lines.join("\n")
}

fn people(address: Option<&Address<'_>>) -> Vec<String> {
    let addresses = address.into_iter().flat_map(|address| address.iter());
    let named = addresses.filter_map(|one| person(one.name(), one.address()));
    named.collect()
}

fn person(name: Option<&str>, address: Option<&str>) -> Option<String> {
    let (name, address) = (
        one_line(name.unwrap_or_default()),
        address.unwrap_or_default(),
    );
    match (name.as_str(), address.trim()) {
        ("", "") => None,
        ("", only) | (only, "") => Some(only.to_owned()),
        (name, address) if name == address => Some(name.to_owned()),
        (name, address) => Some(format!("{name} <{address}>")),
    }
}

fn date_of(date: &DateTime) -> Option<[u32; 5]> {
    let day = [date.year.into(), date.month.into(), date.day.into()];
    let good = day[0] > 0 && (1..=12).contains(&day[1]) && (1..=31).contains(&day[2]);
    good.then_some([day[0], day[1], day[2], date.hour.into(), date.minute.into()])
}

/// The name of an attachment; one that has none is called by its kind.
fn name_of(part: &MessagePart<'_>, number: usize) -> String {
    if let Some(name) = part
        .attachment_name()
        .filter(|name| !name.trim().is_empty())
    {
        return one_line(&name.replace(['/', '\\'], "_"));
    }
    let kind = part.content_type();
    let ext = match (&part.body, kind.and_then(|kind| kind.subtype())) {
        (PartType::Message(message), _) => {
            let subject = one_line(message.subject().unwrap_or("message"));
            return format!("{}.eml", subject.replace(['/', '\\'], "_"));
        }
        (PartType::Html(_), _) => "html",
        (PartType::Text(_), Some("csv")) => "csv",
        (PartType::Text(_), None | Some("plain")) => "txt",
        (_, Some(subtype)) => subtype,
        _ => "bin",
    };
    format!("attachment {number}.{ext}")
}

impl Mail {
    fn parsed(self) -> Parsed {
        let day = self
            .date
            .map(|[year, month, day, ..]| format!("{year:04}-{month:02}-{day:02}"));
        let list =
            |people: &[String]| Value::Array(people.iter().cloned().map(Value::String).collect());
        let fields = [
            ("from", Value::String(self.from.join(", "))),
            ("date", Value::String(day.unwrap_or_default())),
            ("message_id", Value::String(self.message_id.clone())),
            ("to", list(&self.to)),
            ("cc", list(&self.cc)),
        ];
        let is_said = |value: &Value| *value != Value::String(String::new()) && *value != list(&[]);
        let text = format!("{}\n{}", self.head(), quoted::marked(&self.body));
        Parsed {
            metadata: front_matter::collect(fields.into_iter().filter(|(_, v)| is_said(v))),
            lines: numbered(&text, 0),
            left_out: (!self.attachments.is_empty()).then(|| {
                SkipReason::Partial(format!(
                    "attachments left out: {}; publish each of them, as `argosy index` does",
                    self.names()
                ))
            }),
            title: Some(self.subject).filter(|subject| !subject.is_empty()),
            ..Parsed::default()
        }
    }

    /// Who wrote what to whom, and when.
    fn head(&self) -> String {
        let named = |word: &str, people: &[String]| match people.len() {
            0 => None,
            count => {
                let rest = count.saturating_sub(PEOPLE_MAX);
                let more = if rest > 0 {
                    format!(" and {rest} more")
                } else {
                    String::new()
                };
                let people = &people[..count.min(PEOPLE_MAX)];
                Some(format!("{word}: {}{more}", people.join(", ")))
            }
        };
        let date = self.date.map(|[year, month, day, hour, minute]| {
            let name = MONTHS
                .split(' ')
                .nth(month as usize - 1)
                .unwrap_or_default();
            format!(
                "Date: {day} {name} {year} ({year:04}-{month:02}-{day:02} {hour:02}:{minute:02})"
            )
        });
        let said = [
            named("From", &self.from),
            named("To", &self.to),
            named("Cc", &self.cc),
            date,
        ];
        let said: Vec<String> = said.into_iter().flatten().collect();
        let mut lines = match self.subject.as_str() {
            "" => String::new(),
            subject => format!("# {subject}\n\n"),
        };
        lines.push_str(&said.join("; "));
        if !self.attachments.is_empty() {
            lines.push_str(&format!("\nAttachments: {}", self.names()));
        }
        lines + "\n"
    }

    fn names(&self) -> String {
        let mut names: Vec<&str> = self
            .attachments
            .all
            .iter()
            .map(|a| a.name.as_str())
            .collect();
        if names.len() > NAMES_MAX || self.attachments.more > 0 {
            names.truncate(NAMES_MAX);
            names.push("...");
        }
        names.join(", ")
    }
}

#[cfg(test)]
#[path = "mail_tests.rs"]
mod tests;
