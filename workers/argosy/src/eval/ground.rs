//! The index that is asked: built from a data set through the records of the corpus stream.

use super::dataset::Dataset;
use crate::fail::Fail;
use crate::render::Line;
use retrieval::chunk::{CHUNK_TOKENS_MAX, OVERLAP_TOKENS_MAX};
use retrieval::document::sha256_hex;
use retrieval::record::publish_order;
use retrieval::{Index, Position};
use std::path::Path;
use tempfile::TempDir;

/// Documents that are handed to the writer at once.
const BATCH: usize = 100;

/// An index over a data set.
pub(super) struct Ground {
    /// The index.
    pub(super) index: Index,
    /// Its folder, where nobody wants to keep it.
    _folder: Option<TempDir>,
}

impl Ground {
    /// Indexes the documents in `folder`, or in one that goes with the ground. An index that is
    /// there and holds the same documents, cut by the same limits, is used as it is. Blocking.
    pub(super) fn build(
        dataset: &Dataset,
        folder: Option<&Path>,
        line: &Line,
    ) -> Result<Ground, Fail> {
        let (path, temporary) = match folder {
            Some(folder) => (folder.to_owned(), None),
            None => {
                let folder = tempfile::tempdir()?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        let broken =
            |e: retrieval::Error| Fail::negative(format!("the index in `{}`: {e}", path.display()));
        let index = Index::open(&path).map_err(broken)?;
        let whole = Position {
            stream: fingerprint(dataset),
            sequence: dataset.documents.len() as u64,
        };
        if index.position().map_err(broken)?.as_ref() != Some(&whole) {
            fill(&index, dataset, &whole, line).map_err(broken)?;
        }
        Ok(Ground {
            index,
            _folder: temporary,
        })
    }
}

fn fill(
    index: &Index,
    dataset: &Dataset,
    whole: &Position,
    line: &Line,
) -> Result<(), retrieval::Error> {
    let mut writer = index.writer()?;
    writer.clear()?;
    for (n, documents) in dataset.documents.chunks(BATCH).enumerate() {
        line.say(format!(
            "indexing: {} of {}",
            n * BATCH,
            dataset.documents.len()
        ));
        for document in documents {
            writer.apply(&publish_order(document, None))?;
        }
    }
    writer.commit(whole.sequence, &whole.stream)?;
    writer.close()
}

/// What the index would be made of.
fn fingerprint(dataset: &Dataset) -> String {
    let mut all = format!("eval {CHUNK_TOKENS_MAX} {OVERLAP_TOKENS_MAX}");
    for document in &dataset.documents {
        all.push_str(&format!(
            "\n{} {} {}",
            document.doc_id, document.hash, document.title
        ));
    }
    sha256_hex(all.as_bytes())
}
