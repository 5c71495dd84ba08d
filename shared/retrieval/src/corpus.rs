//! A folder of files, one document at a time.
//!
//! Memory holds one document, however large the corpus is. Files come in the order of their names,
//! so that two runs do the same. Links are followed; circles are found.

use crate::document::{Document, Stamp, bucket_of, doc_id_of, sha256_hex};
use crate::reader::{Skip, SkipReason, bytes_of, read_document};
use envelope::TenantId;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// What a walk met: the path on disk, and what was made of the file or why there is nothing.
pub type Found<T> = (PathBuf, Result<T, Skip>);

/// Walks `root` and reads every document. Blocking.
pub fn walk(root: &Path, tenant: &TenantId) -> impl Iterator<Item = Found<Document>> + use<> {
    let tenant = tenant.clone();
    walk_with(root, move |path, source| {
        read_document(path, source, &tenant)
    })
}

/// Walks `root` and looks which version of which document each file is, without reading its text.
/// Blocking.
pub fn stamps(root: &Path, tenant: &TenantId) -> impl Iterator<Item = Found<Stamp>> + use<> {
    let tenant = tenant.clone();
    walk_with(root, move |path, source| {
        Ok(Stamp {
            hash: sha256_hex(&bytes_of(path, source)?),
            bucket: bucket_of(source),
            doc_id: doc_id_of(&tenant, source),
            source: source.to_owned(),
        })
    })
}

fn walk_with<T, R>(root: &Path, mut read: R) -> impl Iterator<Item = Found<T>> + use<T, R>
where
    R: FnMut(&Path, &str) -> Result<T, SkipReason>,
{
    let root = root.to_owned();
    let mut entries = WalkDir::new(&root)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter();
    std::iter::from_fn(move || {
        loop {
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
            return Some(match relative(&root, entry.path()) {
                Some(source) => match read(entry.path(), &source) {
                    Ok(read) => (entry.into_path(), Ok(read)),
                    Err(reason) => skipped(&root, entry.path(), reason),
                },
                None => {
                    let reason = SkipReason::Unreadable("the file name is not valid UTF-8".into());
                    skipped(&root, entry.path(), reason)
                }
            });
        }
    })
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

fn skipped<T>(root: &Path, path: &Path, reason: SkipReason) -> Found<T> {
    let source = relative(root, path).unwrap_or_else(|| {
        let inner = path.strip_prefix(root).unwrap_or(path);
        inner.to_string_lossy().into_owned()
    });
    (path.to_owned(), Err(Skip { source, reason }))
}

fn failed<T>(root: &Path, error: &walkdir::Error) -> Found<T> {
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
        write("latin.txt", &[0xe4; 40]);
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
            ("latin.txt", "binary"),
            ("none", "unknown_extension"),
            ("nul.txt", "binary"),
        ];
        let expected = expected.map(|(s, r)| (s.to_owned(), r.to_owned()));
        assert_eq!(walked(root), BTreeMap::from(expected));
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
