//! Reads a folder of files, one document at a time.
//!
//! Memory holds one document, however large the corpus is. Files come in the order of their names, so that two runs
//! do the same. Links are followed, and circles of links are detected. A [`Cursor`] reads single documents of this
//! walk again.

use crate::document::{Document, Stamp, bucket_of, doc_id_of, sha256_hex};
use crate::reader::{Documents, Skip, SkipReason, bytes_of, form_of, read_documents};
use envelope::TenantId;
use envelope::document::DocumentForm;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// An entry of a walk: the path on disk, and the document or the reason why there is none.
pub type WalkedFile<T> = (PathBuf, Result<T, Skip>);

/// What a file gives, one after the other.
type Several<T> = Box<dyn Iterator<Item = Result<T, Skip>> + Send>;

/// Walks `root` and reads every document. Blocking.
pub fn walk(root: &Path, tenant: &TenantId) -> impl Iterator<Item = WalkedFile<Document>> + use<> {
    let tenant = tenant.clone();
    walk_with(root, move |path, source| {
        read_documents(path, source, &tenant)
    })
}

/// Walks `root` and lists the documents with their versions, and the form in which each is published. The text is
/// read only for files that contain several documents, and no file is of which everything is `known`. Blocking.
pub fn stamps<K>(
    root: &Path,
    tenant: &TenantId,
    mut known: K,
) -> impl Iterator<Item = WalkedFile<(Stamp, DocumentForm)>> + use<K>
where
    K: FnMut(&Path, &str) -> Option<Vec<Result<(Stamp, DocumentForm), Skip>>>,
{
    let tenant = tenant.clone();
    walk_with(root, move |path, source| {
        if let Some(known) = known(path, source) {
            return Box::new(known.into_iter());
        }
        if form_of(path, source) == Ok(DocumentForm::Document) {
            let documents = read_documents(path, source, &tenant);
            return Box::new(documents.map(|found| Ok((found?.stamp(), DocumentForm::Document))));
        }
        let stamp = bytes_of(path, source).map(|bytes| Stamp {
            hash: sha256_hex(&bytes),
            bucket: bucket_of(source),
            doc_id: doc_id_of(&tenant, source),
            source: source.to_owned(),
        });
        let source = source.to_owned();
        Box::new(std::iter::once(match stamp {
            Ok(stamp) => Ok((stamp, DocumentForm::File)),
            Err(reason) => Err(Skip { source, reason }),
        }))
    })
}

fn walk_with<T, R>(root: &Path, mut read: R) -> impl Iterator<Item = WalkedFile<T>> + use<T, R>
where
    R: FnMut(&Path, &str) -> Several<T>,
{
    let root = root.to_owned();
    let mut entries = WalkDir::new(&root)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter();
    let mut reading: Option<(PathBuf, Several<T>)> = None;
    std::iter::from_fn(move || {
        loop {
            if let Some((path, documents)) = &mut reading {
                match documents.next() {
                    Some(found) => return Some((path.clone(), found)),
                    None => reading = None,
                }
            }
            let entry = match entries.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(failed(&root, &error)),
            };
            if is_hidden(&entry) {
                if entry.file_type().is_dir() {
                    entries.skip_current_dir();
                }
                return Some(skipped(&root, entry.path(), SkipReason::Hidden));
            }
            if entry.file_type().is_dir() {
                continue;
            }
            if !entry.file_type().is_file() {
                return Some(skipped(&root, entry.path(), SkipReason::NotAFile));
            }
            let Some(source) = relative(&root, entry.path()) else {
                let reason = SkipReason::Unreadable("the file name is not valid UTF-8".into());
                return Some(skipped(&root, entry.path(), reason));
            };
            let documents = read(entry.path(), &source);
            reading = Some((entry.into_path(), documents));
        }
    })
}

/// Why a document that was there is not.
const CHANGED: &str = "it has changed meanwhile";

/// Reads documents again that a walk has found. The documents of one file are read in one go if they are asked for in
/// the order of the file.
#[derive(Default)]
pub struct Cursor {
    reading: Option<(PathBuf, Documents)>,
    /// What a file has that was read from its beginning to its end in vain; it is not read again for what it lacks.
    whole: Option<(PathBuf, HashSet<String>)>,
}

impl Cursor {
    /// The document `source` of the file `path`. Blocking.
    pub fn read(
        &mut self,
        path: &Path,
        source: &str,
        tenant: &TenantId,
    ) -> Result<Document, SkipReason> {
        if let Some((_, documents)) = self.reading.as_mut().filter(|(open, _)| open == path)
            && let Some(found) = documents.find_map(|found| is_it(found, source))
        {
            return found;
        }
        let known = self.whole.as_ref().filter(|(known, _)| known == path);
        if known.is_some_and(|(_, has)| !has.contains(source)) {
            return Err(SkipReason::Unreadable(CHANGED.into()));
        }
        // A file name with that sign in it is no part of another file.
        let mut names = source.match_indices('#').map(|(at, _)| &source[..at]);
        let name = names.find(|name| path.ends_with(name)).unwrap_or(source);
        let mut documents = read_documents(path, name, tenant);
        let mut has = HashSet::new();
        let found = documents.by_ref().find_map(|found| {
            has.extend(found.as_ref().ok().map(|document| document.source.clone()));
            is_it(found, source)
        });
        self.reading = Some((path.to_owned(), documents));
        found.unwrap_or_else(|| {
            self.whole = Some((path.to_owned(), has));
            Err(SkipReason::Unreadable(CHANGED.into()))
        })
    }
}

/// The document of that source; or why the whole file has none.
fn is_it(found: Result<Document, Skip>, source: &str) -> Option<Result<Document, SkipReason>> {
    match found {
        Ok(document) => (document.source == source).then_some(Ok(document)),
        // Of what was read in part there is a document.
        Err(skip) if matches!(skip.reason, SkipReason::Partial(_)) => None,
        Err(skip) => (skip.source == source).then_some(Err(skip.reason)),
    }
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// The path inside the corpus, with `/`; `None` when it is not UTF-8.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let parts: Option<Vec<&str>> = inner.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

fn skipped<T>(root: &Path, path: &Path, reason: SkipReason) -> WalkedFile<T> {
    let source = relative(root, path).unwrap_or_else(|| {
        let inner = path.strip_prefix(root).unwrap_or(path);
        inner.to_string_lossy().into_owned()
    });
    (path.to_owned(), Err(Skip { source, reason }))
}

fn failed<T>(root: &Path, error: &walkdir::Error) -> WalkedFile<T> {
    let reason = if error.loop_ancestor().is_some() {
        SkipReason::Loop
    } else {
        SkipReason::Unreadable(match error.io_error() {
            Some(io) => io.to_string(),
            None => error.to_string(),
        })
    };
    skipped(root, error.path().unwrap_or(root), reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;

    fn walked(root: &Path) -> BTreeMap<String, String> {
        walk(root, &TenantId::default_tenant())
            .map(|(_, found)| match found {
                Ok(document) => (document.source, format!("read into {}", document.bucket)),
                Err(skip) => (skip.source, skip.reason.as_str().to_owned()),
            })
            .collect()
    }

    #[test]
    fn every_file_is_read_or_named_with_a_reason() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let write = |name: &str, bytes: &[u8]| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        write("invoices/2024/a.md", b"# A\ntext");
        write("b.txt", b"text");
        write("empty.txt", b"");
        write("blank.md", b" \n\n");
        write("nul.txt", b"a\0b");
        write("latin.txt", b"caf\xe9");
        write("cyrillic.txt", &[0xe4; 40]);
        write(
            "rows.jsonl",
            b"{\"text\": \"one\"}\nno\n{\"text\": \"two\", \"id\": \"b\"}\n",
        );
        write("image.png", b"png");
        write("none", b"text");
        write(".hidden/x.md", b"text");
        write(
            "large.txt",
            &vec![b'a'; crate::reader::FILE_BYTES_MAX as usize + 1],
        );
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root, root.join("invoices/loop")).unwrap();
            std::os::unix::fs::symlink("/nowhere/at/all", root.join("broken.md")).unwrap();
        }
        let expected = [
            (".hidden", "hidden"),
            ("b.txt", "read into generic"),
            ("blank.md", "empty"),
            #[cfg(unix)]
            ("broken.md", "unreadable"),
            ("empty.txt", "empty"),
            ("image.png", "unknown_extension"),
            ("invoices/2024/a.md", "read into invoices"),
            #[cfg(unix)]
            ("invoices/loop", "loop"),
            ("large.txt", "too_large"),
            ("cyrillic.txt", "binary"),
            ("latin.txt", "read into generic"),
            ("rows.jsonl#1", "read into generic"),
            ("rows.jsonl#2", "bad_line"),
            ("rows.jsonl#b", "read into generic"),
            ("none", "unknown_extension"),
            ("nul.txt", "binary"),
        ];
        let expected = expected.map(|(s, r)| (s.to_owned(), r.to_owned()));
        assert_eq!(walked(root), BTreeMap::from(expected));
    }

    #[test]
    fn stamps_are_those_of_the_documents_in_the_form_they_are_published_in() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
        write("a.md", b"# A\ntext");
        write("small.csv", b"a,b\n1,2\n");
        write(
            "large.csv",
            "name,note\nwords,more words\n".repeat(80_000).as_bytes(),
        );
        write(
            "rows.jsonl",
            b"{\"text\": \"one\", \"metadata\": {\"k\": 1}}\nno\n{\"text\": \"two\"}\n",
        );
        let tenant = TenantId::default_tenant();
        let stamps: Vec<_> = stamps(dir.path(), &tenant, |_, _| None).collect();
        let documents: Vec<_> = walk(dir.path(), &tenant).collect();
        assert_eq!(stamps.len(), documents.len());
        let mut parts = 0;
        for ((path, stamp), (_, document)) in stamps.into_iter().zip(documents) {
            let (Ok((stamp, form)), Ok(document)) = (&stamp, &document) else {
                assert_eq!(stamp.err(), document.err());
                continue;
            };
            assert_eq!(stamp, &document.stamp());
            let published = match form {
                DocumentForm::File => bytes_of(&path, &stamp.source).unwrap(),
                DocumentForm::Document => document.to_json(),
            };
            assert_eq!(stamp.hash, sha256_hex(&published));
            parts += usize::from(*form == DocumentForm::Document);
        }
        assert!(parts > 3, "the lines of JSONL and some parts of a CSV");
    }

    #[test]
    fn a_missing_root_is_unreadable_and_has_no_name() {
        let found = walked(Path::new("/nowhere/at/all"));
        assert_eq!(
            found,
            BTreeMap::from([(String::new(), "unreadable".to_owned())])
        );
    }
}
