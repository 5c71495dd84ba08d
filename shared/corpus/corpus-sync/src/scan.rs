//! Reads every file of a folder once, to list the documents and their hashes.

use crate::{Error, SyncProgress};
use documents::{Skip, SkipReason, Stamp};
use envelope::TenantId;
use envelope::document::DocumentForm;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What was found.
pub(super) struct Scanned {
    pub(super) stamps: Vec<Stamp>,
    pub(super) skips: Vec<Skip>,
    /// Where each document is, and how it is published.
    pub(super) paths: BTreeMap<String, (PathBuf, DocumentForm)>,
}

/// Looks; memory holds one file, or one part of a file, at a time.
pub(super) async fn scan(
    root: PathBuf,
    tenant: TenantId,
    progress: &mut (impl FnMut(SyncProgress) + Send),
) -> Result<Scanned, Error> {
    let (send, mut receive) = tokio::sync::mpsc::channel(64);
    let walking = tokio::task::spawn_blocking(move || {
        let (mut stamps, mut skips, mut paths) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (seen, (path, found)) in documents::corpus::stamps(&root, &tenant).enumerate() {
            match found {
                Ok((stamp, form)) if envelope::document::is_source(&stamp.source) => {
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
        Scanned {
            stamps,
            skips,
            paths,
        }
    });
    while let Some(seen) = receive.recv().await {
        progress(SyncProgress::Scanned(seen));
    }
    walking.await.map_err(Error::Scan)
}
