//! Finds the text of a record: in the fields that programs usually put it into, at any depth.
//!
//! A question stands before its answer, a summary before the text, and what somebody said behind his name. Fields that
//! are no text become metadata, if they are short.

use crate::reader::lines::is_one_of;
use crate::reader::{Parsed, ReadOptions, front_matter, html, take_title, text};
use serde_json::{Map, Value};

/// What comes before the text.
const BEFORE: [&str; 8] = [
    "question",
    "prompt",
    "instruction",
    "query",
    "input",
    "abstract",
    "summary",
    "description",
];
/// The text. The first of these that is there is it.
const TEXT: [&str; 22] = [
    "text",
    "content",
    "contents",
    "body",
    "page_content",
    "body_text",
    "full_text",
    "selftext",
    "article",
    "passage",
    "context",
    "markdown",
    "document",
    "message",
    "messages",
    "conversations",
    "conversation",
    "dialogue",
    "paragraphs",
    "sections",
    "parts",
    "body_html",
];
/// What comes behind it.
const BEHIND: [&str; 12] = [
    "qas",
    "answer",
    "answers",
    "accepted_answer",
    "response",
    "output",
    "completion",
    "solution",
    "explanation",
    "comment",
    "comments",
    "replies",
];
/// Who says it.
const SPEAKER: [&str; 8] = [
    "role", "from", "author", "user", "username", "speaker", "sender", "name",
];
/// Fields of the title, and those of the id.
const TITLE: [&str; 4] = ["title", "headline", "subject", "heading"];
const ID: [&str; 6] = ["id", "_id", "doc_id", "docid", "uuid", "guid"];
/// How deep text is looked for.
const DEPTH_MAX: usize = 8;
/// Longest text that is a field, in bytes, and most items of one.
const FIELD_BYTES_MAX: usize = 200;
const FIELD_ITEMS_MAX: usize = 20;
/// Longest HTML in a field, in bytes, and its deepest nesting; what is beyond stays as it is.
const HTML_BYTES_MAX: usize = 256 * 1024;
const HTML_DEPTH_MAX: usize = 100;
/// Elements that end without being closed.
const ENDED: &str =
    "area base br col dd dt embed hr img input li link meta option p source td th tr track wbr";
/// How many fields an error names.
const NAMED_MAX: usize = 12;

type Object = Map<String, Value>;

/// Where records have what, where the usual names do not say it: names of fields, with a dot before one in another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordFields {
    /// The text.
    pub text: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The id.
    pub id: Option<String>,
}

/// A document, without its name.
pub(super) struct Record {
    pub(super) id: Option<Value>,
    pub(super) parsed: Parsed,
}

impl Record {
    /// The record of an object; what it has instead of a text otherwise.
    pub(super) fn of(mut object: Object, fields: &RecordFields) -> Result<Record, String> {
        let named = |path: &Option<String>| value_at(&object, path.as_deref()?).cloned();
        let (own_id, own_title) = (named(&fields.id), named(&fields.title));
        let is_blank = || {
            TEXT.iter()
                .any(|name| object.get(*name).is_some_and(Value::is_string))
        };
        let found = match &fields.text {
            None => text_in(&object, 0).or_else(|| is_blank().then(String::new)),
            Some(path) => value_at(&object, path).and_then(|value| text_of(value, 1)),
        };
        let Some(found) = found else {
            return Err(no_text(&object, fields));
        };
        // What the schema names is no field besides.
        for path in [&fields.text, &fields.title, &fields.id]
            .into_iter()
            .flatten()
        {
            object.remove(path);
        }
        let id = own_id.or_else(|| ID.iter().find_map(|name| object.remove(*name)));
        let mut fields = metadata_of(&mut object);
        let usual = TITLE.iter().find_map(|name| match object.remove(*name)? {
            title @ Value::String(_) => Some(title),
            _ => None,
        });
        let title = own_title.or(usual);
        let title = title.and_then(|title| take_title(&mut [("title".to_owned(), title)].into()));
        if let Some(Value::String(source)) = object.remove("source") {
            fields.push(("origin".to_owned(), Value::String(source)));
        }
        let is_text = |name: &String| {
            [&BEFORE[..], &TEXT, &BEHIND]
                .iter()
                .any(|names| names.contains(&name.as_str()))
        };
        let others = object
            .into_iter()
            .filter(|(name, value)| !is_text(name) && is_field(value));
        fields.extend(others);
        Ok(Record {
            id: id.filter(|id| !id.is_null()),
            parsed: Parsed {
                title,
                metadata: front_matter::collect(
                    fields
                        .iter()
                        .map(|(name, value)| (name.as_str(), value.clone())),
                ),
                lines: text::numbered(&found, 0),
                ..Parsed::default()
            },
        })
    }
}

/// The fields of `metadata`, which may be of any length.
fn metadata_of(object: &mut Object) -> Vec<(String, Value)> {
    match object.remove("metadata") {
        Some(Value::Object(fields)) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_object())
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether a value tells of a document and is none itself: every chunk carries it.
fn is_field(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty() && text.len() <= FIELD_BYTES_MAX,
        Value::Number(_) | Value::Bool(_) => true,
        Value::Array(items) => {
            let is_word = |item: &Value| item.is_string() && is_field(item);
            !items.is_empty() && items.len() <= FIELD_ITEMS_MAX && items.iter().all(is_word)
        }
        Value::Null | Value::Object(_) => false,
    }
}

/// The text of an object, or of an object in it.
fn text_in(object: &Object, depth: usize) -> Option<String> {
    if depth > DEPTH_MAX {
        return None;
    }
    let field = |name: &&str| text_of(object.get(*name)?, depth + 1);
    let behind: Vec<String> = BEHIND.iter().filter_map(field).collect();
    let text = TEXT.iter().find_map(field);
    let mut all: Vec<String> = Vec::new();
    if text.is_some() || !behind.is_empty() {
        all.extend(
            BEFORE
                .iter()
                .filter_map(field)
                .filter(|before| text.as_ref() != Some(before)),
        );
        all.extend(text);
        all.extend(behind);
    } else {
        // A summary is better than nothing, a question alone is no text.
        all.extend(BEFORE[5..].iter().find_map(field));
    }
    match all.is_empty() {
        true => object
            .values()
            .filter(|value| value.is_object())
            .find_map(|inner| text_of(inner, depth + 1)),
        false => Some(all.join("\n\n")),
    }
}

/// The text of a value; what is in a list stands below each other.
fn text_of(value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(without_tags(text).unwrap_or_else(|| text.clone())),
        Value::Object(object) => {
            let text = text_in(object, depth)?;
            let speaker = SPEAKER.iter().find_map(|name| match object.get(*name)? {
                Value::Object(person) => person.get("name")?.as_str(),
                other => other.as_str(),
            });
            Some(match speaker.map(str::trim) {
                Some("") | None => text,
                Some(speaker) => format!("{speaker}: {text}"),
            })
        }
        Value::Array(items) if depth <= DEPTH_MAX => {
            let texts: Vec<String> = items
                .iter()
                .filter_map(|item| text_of(item, depth + 1))
                .collect();
            let is_said = items.iter().any(Value::is_object);
            (!texts.is_empty()).then(|| texts.join(if is_said { "\n\n" } else { "\n" }))
        }
        _ => None,
    }
}

/// The text of HTML, which exports of web pages have in their fields.
fn without_tags(text: &str) -> Option<String> {
    let is_html = text.trim_start().starts_with('<')
        && text.contains("</")
        && text.len() <= HTML_BYTES_MAX
        && is_flat(text);
    let parsed = is_html
        .then(|| html::parse_within(text, ReadOptions::default(), HTML_DEPTH_MAX))
        .flatten()?;
    let lines = parsed.lines.into_iter().map(|line| line.text);
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// Whether elements are so few in each other that a parser is quick with them, as far as their tags tell.
fn is_flat(html: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(1) {
        let name = tag.trim_start_matches('/');
        let name = &name[..name
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(name.len())];
        if name.is_empty() || is_one_of(ENDED, &name.to_ascii_lowercase()) {
            continue;
        }
        if tag.starts_with('/') {
            let begun = open
                .iter()
                .rposition(|open| open.eq_ignore_ascii_case(name));
            open.truncate(begun.unwrap_or(open.len()));
        } else {
            open.push(name);
        }
        if open.len() > HTML_DEPTH_MAX {
            return false;
        }
    }
    true
}

/// The value of a field, or of one in other fields.
fn value_at<'a>(object: &'a Object, path: &str) -> Option<&'a Value> {
    object.get(path).or_else(|| {
        let (name, inner) = path.split_once('.')?;
        value_at(object.get(name)?.as_object()?, inner)
    })
}

/// The names of all fields, as a schema says them.
fn paths(object: &Object, before: &str, depth: usize, all: &mut Vec<String>) {
    for (name, value) in object {
        match value.as_object().filter(|_| depth < DEPTH_MAX) {
            Some(inner) => paths(inner, &format!("{before}{name}."), depth + 1, all),
            None => all.push(format!("`{before}{name}`")),
        }
        if all.len() > NAMED_MAX {
            return;
        }
    }
}

/// Says which fields there are, and what to do.
fn no_text(object: &Object, fields: &RecordFields) -> String {
    let mut names = Vec::new();
    paths(object, "", 0, &mut names);
    let more = if names.len() > NAMED_MAX {
        " and more"
    } else {
        ""
    };
    names.truncate(NAMED_MAX);
    match (names.is_empty(), &fields.text) {
        (true, _) => "it has no fields".to_owned(),
        (_, None) => format!(
            "it has {}{more}; name the field of its text `text`, or set `text` of its bucket in `indexer.schemas` to one of these",
            names.join(", ")
        ),
        (_, Some(path)) => format!(
            "it has {}{more}, and no text in `{path}`, which `text` of its bucket in `indexer.schemas` names",
            names.join(", ")
        ),
    }
}
