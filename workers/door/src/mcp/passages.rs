//! `search` and `fetch`, in the shapes that the connectors of ChatGPT want: a list of `id`, `title` and `url`, and for
//! an id its text.
//!
//! An index finds passages by words alone. So the id of a passage carries a few of its last words, which find it again
//! in a document of any length: `contract-3fa1.12~notice-period-three-months`. An id without them is looked for among
//! the passages that fit the document's title best, which are all of them in all but long documents.

use crate::mcp::arguments;
use crate::problem::Problem;
use crate::{Door, Login};
use axum::http::StatusCode;
use envelope::lookup::{DocumentReply, SearchReply};
use envelope::{Passage, subject};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The media type of what is read.
pub(super) const TEXT: &str = "text/plain";
/// The addresses of documents.
pub(super) const DOCUMENT_TEMPLATE: &str = "argosy://document/{id}";
/// What comes before the id in them.
const DOCUMENT: &str = "argosy://document/";
/// Most passages that a look-up returns.
const PASSAGES_MAX: usize = 100;
/// How many words an id carries, and the fewest and most characters of each.
const WORDS: usize = 6;
const WORD_CHARS: std::ops::RangeInclusive<usize> = 4..=24;

/// The address of a document.
pub(super) fn url(doc_id: &str) -> String {
    format!("{DOCUMENT}{doc_id}")
}

/// The id by which `fetch` finds a passage that ends with these words.
pub(super) fn id(chunk_id: &str, text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| WORD_CHARS.contains(&word.chars().count()));
    let mut last: Vec<&str> = words.rev().take(WORDS).collect();
    last.reverse();
    match last.is_empty() {
        true => chunk_id.to_owned(),
        false => format!("{chunk_id}~{}", last.join("-")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Searched {
    query: String,
    limit: Option<usize>,
}

/// Searches.
pub(super) async fn search(
    door: &Door,
    login: &Login,
    given: Map<String, Value>,
) -> Result<Value, Problem> {
    let Searched { query, limit } = arguments(given)?;
    let mut request = Map::from_iter([("query".to_owned(), query.into())]);
    if let Some(limit) = limit {
        request.insert("top_k".into(), limit.into());
    }
    let found: SearchReply = look_up(door, login, subject::SEARCH, request).await?;
    let results: Vec<Value> = found
        .passages
        .iter()
        .map(|passage| {
            json!({
                "id": id(&passage.chunk_id, &passage.text),
                "title": passage.title,
                "url": url(passage.doc_id.as_str()),
                "text": passage.text,
            })
        })
        .collect();
    Ok(json!({ "results": results }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fetched {
    id: String,
}

/// The text behind an id.
pub(super) async fn fetch(
    door: &Door,
    login: &Login,
    given: Map<String, Value>,
) -> Result<Value, Problem> {
    let Fetched { id } = arguments(given)?;
    let (name, words) = id.split_once('~').unwrap_or((&id, ""));
    let Some(doc_id) = document_of(name) else {
        let read = read(door, login, name).await?;
        return Ok(read.data(&id, read.text(), json!({"passages": read.passages.len()})));
    };
    let words = words.replace('-', " ");
    let read = within(door, login, doc_id, &words).await?;
    let passage = read.passages.iter().find(|one| one.chunk_id == name);
    let passage = passage.ok_or_else(|| {
        let detail = format!("there is no passage `{id}`; take an id from `search` as it is");
        Problem::new(StatusCode::NOT_FOUND, "not_found", detail)
    })?;
    let place = json!({"page": passage.page, "line": passage.line});
    Ok(read.data(&id, passage.text.clone(), place))
}

/// The text of a document, by its address.
pub(super) async fn resource(door: &Door, login: &Login, uri: &str) -> Result<String, Problem> {
    let Some(id) = uri.strip_prefix(DOCUMENT) else {
        let detail = format!("`{uri}` is no address of a document; want {DOCUMENT_TEMPLATE}");
        return Err(Problem::new(StatusCode::NOT_FOUND, "not_found", detail));
    };
    Ok(read(door, login, id).await?.text())
}

/// The document that a passage is a part of; `None` where the id is that of a document.
fn document_of(id: &str) -> Option<&str> {
    let (doc_id, n) = id.rsplit_once('.')?;
    n.parse::<u32>().ok().map(|_| doc_id)
}

/// A document, and as many of its passages as were found.
struct Read {
    document: DocumentReply,
    passages: Vec<Passage>,
}

impl Read {
    fn text(&self) -> String {
        let texts: Vec<&str> = self.passages.iter().map(|one| one.text.as_str()).collect();
        let mut text = texts.join("\n\n");
        let (here, all) = (texts.len(), self.document.chunks);
        if here < all as usize {
            text += &format!(
                "\n\n[{here} of {all} passages of this document; `search` finds the others]"
            );
        }
        text
    }

    /// What `fetch` returns; `part` says which part of the document it is.
    fn data(&self, id: &str, text: String, part: Value) -> Value {
        let document = &self.document;
        let mut metadata: Map<String, Value> = document.metadata.clone().into_iter().collect();
        metadata.insert("source".into(), document.source.as_str().into());
        metadata.insert("bucket".into(), document.bucket.as_str().into());
        metadata.insert("passages_of_document".into(), document.chunks.into());
        if let Value::Object(part) = part {
            metadata.extend(part.into_iter().filter(|(_, value)| !value.is_null()));
        }
        json!({
            "id": id,
            "title": document.title,
            "text": text,
            "url": url(document.doc_id.as_str()),
            "metadata": metadata,
        })
    }
}

/// A document from its beginning.
async fn read(door: &Door, login: &Login, doc_id: &str) -> Result<Read, Problem> {
    let mut read = within(door, login, doc_id, "").await?;
    read.passages.sort_by_key(|passage| {
        let n = passage.chunk_id.rsplit_once('.');
        n.and_then(|(_, n)| n.parse::<u32>().ok())
    });
    Ok(read)
}

/// The passages of a document that fit these words best, or its title where there are none.
async fn within(door: &Door, login: &Login, doc_id: &str, words: &str) -> Result<Read, Problem> {
    let named = ("doc_id".to_owned(), Value::from(doc_id));
    let request = Map::from_iter([named.clone()]);
    let document: DocumentReply = look_up(door, login, subject::METADATA, request).await?;
    let title = match document.title.trim() {
        "" => document.source.as_str(),
        title => title,
    };
    let words = if words.is_empty() { title } else { words };
    let request = Map::from_iter([
        named,
        ("query".to_owned(), words.into()),
        ("top_k".to_owned(), PASSAGES_MAX.into()),
        ("link".to_owned(), false.into()),
    ]);
    let found: SearchReply = look_up(door, login, subject::SEARCH, request).await?;
    let passages = found.passages;
    Ok(Read { document, passages })
}

async fn look_up<T: DeserializeOwned>(
    door: &Door,
    login: &Login,
    at: &str,
    request: Map<String, Value>,
) -> Result<T, Problem> {
    let reply = door.look_up(login, at, request).await?;
    serde_json::from_value(reply).map_err(|error| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(
            status,
            "internal",
            format!("the reply of a retriever: {error}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_carries_words_that_find_its_passage() {
        let text = "# Lease\n\nIt ends on 31 May; the notice period is three (3) months.";
        assert_eq!(id("a.3", text), "a.3~Lease-ends-notice-period-three-months");
        assert_eq!(id("a.3", "1 | 2 | 3"), "a.3");
    }

    #[test]
    fn passages_and_documents_are_told_apart() {
        assert_eq!(document_of("a-1f.12"), Some("a-1f"));
        assert_eq!(document_of("a-1f"), None);
        assert_eq!(document_of("a-1f.x"), None);
    }
}
