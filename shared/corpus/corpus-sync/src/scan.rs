//! Reads every file of a folder once, to list the documents and their hashes.

use crate::unread::{Found, Unread};
use crate::{Error, SyncProgress};
use documents::{Skip, SkipReason, Stamp};
use envelope::TenantId;
use envelope::document::DocumentForm;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What was found.
pub(super) struct Scanned {
    pub(super) stamps: Vec<Stamp>,
    pub(super) skips: Vec<Skip>,
    /// Where each document is, and how it is published.
    pub(super) paths: BTreeMap<String, (PathBuf, DocumentForm)>,
    /// What there is to say about the reading of a document.
    pub(super) notes: BTreeMap<String, String>,
    /// What could not be read.
    pub(super) unread: Unread,
}

/// Looks; memory holds one file, or one part of a file, at a time.
pub(super) async fn scan(
    root: PathBuf,
    tenant: TenantId,
    unread: Unread,
    progress: &mut (impl FnMut(SyncProgress) + Send),
) -> Result<Scanned, Error> {
    let (send, mut receive) = tokio::sync::mpsc::channel(64);
    let walking = tokio::task::spawn_blocking(move || {
        let (mut stamps, mut skips, mut paths) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut notes = BTreeMap::new();
        let unread = RefCell::new(unread);
        let known = |path: &Path, source: &str| unread.borrow_mut().found(path, source);
        let mut file: Option<(PathBuf, Vec<Found>)> = None;
        let mut take = |(path, found): (PathBuf, Vec<Found>)| {
            let source = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy();
            unread.borrow_mut().take(&source, found);
        };
        let walk = documents::corpus::stamps(&root, &tenant, known);
        for (seen, (path, found)) in walk.enumerate() {
            match &mut file {
                Some((of, all)) if *of == path => all.push(found.clone()),
                _ => {
                    let next = Some((path.clone(), vec![found.clone()]));
                    std::mem::replace(&mut file, next)
                        .into_iter()
                        .for_each(&mut take);
                }
            }
            match found {
                Ok((stamp, form)) if envelope::document::is_source(&stamp.source) => {
                    let note = documents::reader::note(&path, &stamp.source);
                    notes.extend(note.map(|note| (stamp.source.clone(), note)));
                    paths.insert(stamp.source.clone(), (path, form));
                    stamps.push(stamp);
                }
                Ok((stamp, _)) => skips.push(Skip {
                    source: stamp.source,
                    reason: SkipReason::Unreadable(
                        "its name has control characters or a blank at an end, or is too long"
                            .into(),
                    ),
                }),
                Err(skip) => skips.push(skip),
            }
            // A slow terminal does not slow the walk.
            let _ = send.try_send(seen + 1);
        }
        file.into_iter().for_each(take);
        Scanned {
            stamps,
            skips,
            paths,
            notes,
            unread: unread.into_inner(),
        }
    });
    while let Some(seen) = receive.recv().await {
        progress(SyncProgress::Scanned(seen));
    }
    walking.await.map_err(Error::Scan)
}
