//! Original files over HTTP: the bytes that a document was made from.
//!
//! Only the file of a document that is indexed, and that the login may read, is served, from inside the folder of the
//! corpus alone. A file may say more than its document: it may have changed since, or be another one under the same name,
//! or have parts that are for other readers. So its bytes have to be those that were indexed, unless the login may read
//! everything of the tenant. *Not* here: what is known of a document (`corpus`).

mod hashes;

pub(crate) use hashes::Hashes;

use crate::Door;
use crate::access::{Login, Scope};
use crate::http::corpus::Named;
use crate::http::documents::encoded;
use crate::places::Place;
use crate::problem::Problem;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use envelope::TenantId;
use envelope::document::is_source;
use futures_util::StreamExt;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio_util::io::ReaderStream;

/// Bytes of a file that are held at a time.
const PIECE: usize = 64 * 1024;
/// The bytes a second at which a file has to be taken, after a minute.
const SLOWEST: u64 = 64 * 1024;
/// Extensions of files that are several documents.
const SEVERAL: [&str; 5] = ["csv", "tsv", "jsonl", "ndjson", "json"];

/// A file that is asked for.
struct Wanted {
    /// The folder of the tenant's files.
    root: PathBuf,
    /// The document.
    source: String,
    /// SHA-256 of the file that it was made from, where that is known.
    hash: Option<String>,
    /// Whether the file may be another one meanwhile.
    may_differ: bool,
    /// Whether the file of a part may be had, with all of its parts.
    may_be_whole: bool,
}

/// The file of a document, or the range of it that the request names.
pub(crate) async fn file(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    headers: HeaderMap,
    named: Result<Query<Named>, QueryRejection>,
) -> Result<Response, Problem> {
    login.may(Scope::Read)?;
    let Query(named) = named?;
    let known = door.document(&login, named).await?;
    let source = known["source"].as_str().unwrap_or_default();
    let place = door.0.downloads.take(&login)?;
    let wanted = door.file_wanted(&login, source).await?.ok_or_else(|| {
        let detail =
            "this door has no files; name the folder with those of each tenant in `door.files`";
        Problem::new(StatusCode::NOT_IMPLEMENTED, "no_files", detail)
    })?;
    let (mut file, name, place) = door.found(wanted, place).await.ok_or_else(|| {
        let detail = format!(
            "the file of `{source}` is not among those of this door, or is another one than was indexed: put it into \
             the folder that `door.files` names for its tenant, or index it again"
        );
        Problem::new(StatusCode::NOT_FOUND, "no_such_file", detail)
    })?;
    let unreadable = |error: io::Error| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, "internal", format!("`{source}`: {error}"))
    };
    let length = file.metadata().map_err(unreadable)?.len();
    let Some(range) = range_of(&headers, length) else {
        let status = StatusCode::RANGE_NOT_SATISFIABLE;
        let problem = Problem::new(status, "bad_range", format!("the file has {length} bytes"));
        return Ok((
            [(header::CONTENT_RANGE, format!("bytes */{length}"))],
            problem,
        )
            .into_response());
    };
    file.seek(SeekFrom::Start(range.start))
        .map_err(unreadable)?;
    let pieces = tokio::fs::File::from_std(file).take(range.end - range.start);
    // It keeps its place until it has gone out, or is taken too slowly; whoever wants the rest asks for that range.
    let slowest = Duration::from_secs(60 + (range.end - range.start) / SLOWEST);
    let too_late = Box::pin(tokio::time::sleep(slowest));
    let pieces = ReaderStream::with_capacity(pieces, PIECE).map(move |piece| {
        let _ = &place;
        piece
    });
    let pieces = pieces.take_until(too_late);
    let mut response = Body::from_stream(pieces).into_response();
    describe(&mut response, &name, &range, length);
    Ok(response)
}

impl Door {
    /// Where the file of a document of the login's tenant is asked for, if it can be had.
    pub(crate) async fn file_at(&self, login: &Login, source: &str) -> Option<String> {
        // A large file takes a while to be looked at.
        let place = self.0.downloads.take(login).ok()?;
        let wanted = self.file_wanted(login, source).await.ok()??;
        let _ = self.found(wanted, place).await?;
        let prefix = &self.0.setup.options.prefix;
        Some(format!("{prefix}/api/file?source={}", encoded(source)))
    }

    /// What may be served as the file of a document; `None` where this door has no files of the tenant.
    async fn file_wanted(&self, login: &Login, source: &str) -> Result<Option<Wanted>, Problem> {
        let Some(root) = self.files_of(&login.tenant) else {
            return Ok(None);
        };
        let reads_all = login.groups.is_all();
        // A retriever may not know yet whom the newest version is for, and that is the one whose file this is.
        let (indexed, may) = self.indexed(login, source).await?;
        if !may {
            let detail = format!("there is no document `{source}`");
            return Err(Problem::new(StatusCode::NOT_FOUND, "not_found", detail));
        }
        Ok(Some(Wanted {
            root,
            source: source.to_owned(),
            hash: indexed.map(|indexed| indexed.hash),
            // Where documents come from the folder alone, another file is a later version of the same document.
            may_differ: reads_all && !self.0.setup.takes_documents,
            may_be_whole: reads_all,
        }))
    }

    /// Opens a file, with its name. The place is held as long as the work goes on, also when its client has gone.
    async fn found(&self, wanted: Wanted, place: Place) -> Option<(File, String, Place)> {
        let door = self.clone();
        let opened = tokio::task::spawn_blocking(move || {
            let (file, name) = open(&wanted, &door.0.hashes)?;
            Some((file, name, place))
        });
        opened.await.ok()?
    }

    fn files_of(&self, tenant: &TenantId) -> Option<PathBuf> {
        let setup = &self.0.setup;
        match &setup.folder {
            Some(folder) => (*tenant == TenantId::default_tenant()).then(|| folder.clone()),
            // A folder for each, so that no path of one tenant is that of another.
            None => Some(setup.options.files.as_ref()?.join(tenant.as_str())),
        }
    }
}

fn open(wanted: &Wanted, hashes: &Hashes) -> Option<(File, String)> {
    let Wanted { source, .. } = wanted;
    let root = wanted.root.canonicalize().ok()?;
    if let Some(mut file) = inside(&root, source) {
        let is_it = wanted.may_differ || wanted.hash.as_ref() == Some(&hashes.of(&mut file).ok()?);
        if is_it {
            return Some((file, source.clone()));
        }
    }
    if !wanted.may_be_whole {
        return None;
    }
    // Of `file.jsonl#7`, the file is all that is before a `#`. What is hidden is never indexed.
    let ends = source.rmatch_indices('#').map(|(at, _)| at);
    let names = std::iter::once(source.len()).chain(ends);
    names.map(|end| &source[..end]).find_map(|name| {
        let is_hidden = name.split('/').any(|part| part.starts_with('.'));
        let is_several = SEVERAL.contains(&extension(name).as_str());
        let file = (is_several && !is_hidden).then(|| inside(&root, name))??;
        Some((file, name.to_owned()))
    })
}

/// Opens a file that lies in a folder, wherever links lead.
fn inside(root: &Path, name: &str) -> Option<File> {
    let path = is_source(name).then(|| root.join(name).canonicalize().ok())??;
    let is_in = path.starts_with(root) && path.is_file();
    is_in.then(|| File::open(path).ok())?
}

fn extension(name: &str) -> String {
    let extension = Path::new(name).extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// The media type of a file, and whether a browser may show it. What it would run, or is not known, it has to store.
fn kind(name: &str) -> (&'static str, bool) {
    match extension(name).as_str() {
        "txt" | "text" => ("text/plain; charset=utf-8", true),
        "md" | "markdown" => ("text/markdown; charset=utf-8", true),
        "csv" => ("text/csv; charset=utf-8", true),
        "tsv" => ("text/tab-separated-values; charset=utf-8", true),
        "jsonl" | "ndjson" => ("application/jsonl", true),
        "pdf" => ("application/pdf", true),
        "html" | "htm" => ("text/html", false),
        "docx" => (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            false,
        ),
        _ => ("application/octet-stream", false),
    }
}

fn describe(response: &mut Response, name: &str, range: &Range<u64>, length: u64) {
    let (media, is_shown) = kind(name);
    let how = if is_shown { "inline" } else { "attachment" };
    let short = name.rsplit('/').next().unwrap_or(name);
    let size = range.end - range.start;
    if size < length {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    let headers = response.headers_mut();
    let mut set = |name, value: String| {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, media.into());
    set(header::CONTENT_LENGTH, size.to_string());
    set(header::ACCEPT_RANGES, "bytes".into());
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff".into());
    set(header::CACHE_CONTROL, "private, no-store".into());
    let named = format!("{how}; filename*=UTF-8''{}", encoded(short));
    set(header::CONTENT_DISPOSITION, named);
    if size < length {
        let part = format!("bytes {}-{}/{length}", range.start, range.end - 1);
        set(header::CONTENT_RANGE, part);
    }
    // A browser shows a PDF in it as well.
    let sandbox = "default-src 'none'; sandbox";
    set(header::CONTENT_SECURITY_POLICY, sandbox.into());
}

/// The bytes that a request wants of so many; `None` where there are none of these.
fn range_of(headers: &HeaderMap, length: u64) -> Option<Range<u64>> {
    let said = headers
        .get(header::RANGE)
        .and_then(|range| range.to_str().ok());
    // A file has no mark by which a client could know that it is the same as before.
    let said = said.filter(|_| !headers.contains_key(header::IF_RANGE));
    let asked = said
        .and_then(|said| said.strip_prefix("bytes="))
        .and_then(|range| range.split_once('-'));
    // Several ranges, and what is no range, count as none, as RFC 9110 allows.
    let range = asked.and_then(|(first, last)| {
        match (first.parse::<u64>().ok(), last.parse::<u64>().ok()) {
            (Some(first), Some(last)) => (first <= last).then(|| first..last.saturating_add(1)),
            (Some(first), None) => last.is_empty().then_some(first..u64::MAX),
            (None, Some(size)) => first.is_empty().then(|| match size {
                0 => u64::MAX..u64::MAX,
                size => length.saturating_sub(size)..length,
            }),
            (None, None) => None,
        }
    });
    match range {
        None => Some(0..length),
        Some(range) => (range.start < length).then(|| range.start..range.end.min(length)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let of = |range: &str, length| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, range.parse().expect("a header"));
            range_of(&headers, length)
        };
        for (said, range) in [
            ("bytes=0-3", Some(0..4)),
            ("bytes=4-", Some(4..10)),
            ("bytes=-4", Some(6..10)),
            ("bytes=-40", Some(0..10)),
            ("bytes=9-40", Some(9..10)),
            ("bytes=0-18446744073709551615", Some(0..10)),
            ("bytes=10-", None),
            ("bytes=-0", None),
            ("bytes=4-3", Some(0..10)),
            ("bytes=0-1,4-5", Some(0..10)),
            ("bytes=-", Some(0..10)),
            ("lines=0-3", Some(0..10)),
        ] {
            assert_eq!(of(said, 10), range, "{said}");
        }
        assert_eq!(range_of(&HeaderMap::new(), 0), Some(0..0));
        assert_eq!(of("bytes=0-", 0), None);
    }

    #[test]
    fn what_a_browser_would_run_or_is_not_known_is_stored() {
        for name in [
            "a.html", "a.HTM", "a.svg", "a.xml", "a.xhtml", "a.docx", "a", "a.md.js",
        ] {
            assert!(!kind(name).1, "{name}");
        }
        for name in ["a.txt", "a.PDF", "b/a.md", "a.csv", "a.jsonl"] {
            assert!(kind(name).1, "{name}");
        }
    }
}
