//! Reads the records of chunks from the bytes of tantivy's store.
//!
//! tantivy copies a stored value byte by byte, which takes longer than decompressing it. This module asks for the bytes
//! of a whole document instead, and takes the record from the end of these bytes. *Not* a second store: the files, and
//! their decompressed blocks, are tantivy's.

use std::sync::{Arc, Mutex, PoisonError};
use tantivy::directory::OwnedBytes;
use tantivy::schema::Field;
use tantivy::store::StoreReader;
use tantivy::{DocAddress, Searcher};

/// Blocks of stored records that are kept unpacked for each segment, 16 KiB each.
const CACHE_BLOCKS: usize = 16;
/// What stands before a value that is the only one of its document, as tantivy writes it: that there is one,
/// its field, that it is bytes, and how many.
const ONE_VALUE: u8 = 0x81;
const BYTES_CODE: u8 = 4;

/// The readers of the newest generation that was asked for.
#[derive(Default)]
pub(super) struct Stores(Mutex<Option<Generation>>);

struct Generation {
    id: u64,
    segments: Arc<[StoreReader]>,
}

impl Stores {
    /// The only stored value of a document, which is one of bytes; `None` where it is not at hand this way.
    pub(super) fn value(
        &self,
        searcher: &Searcher,
        field: Field,
        address: DocAddress,
    ) -> tantivy::Result<Option<OwnedBytes>> {
        let Some(segments) = self.segments(searcher)? else {
            return Ok(None);
        };
        let Some(segment) = segments.get(address.segment_ord as usize) else {
            return Ok(None);
        };
        let document = segment.get_document_bytes(address.doc_id)?;
        let value = only_value(&document, field).map(|value| value.len());
        Ok(value.map(|length| document.slice(document.len() - length..document.len())))
    }

    /// Lets go of files that may be no more.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The readers of a generation; `None` for one that is over.
    fn segments(&self, searcher: &Searcher) -> tantivy::Result<Option<Arc<[StoreReader]>>> {
        let id = searcher.generation().generation_id();
        let mut newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*newest {
            Some(newest) if newest.id == id => return Ok(Some(newest.segments.clone())),
            Some(newest) if newest.id > id => return Ok(None),
            _ => {}
        }
        let readers = searcher.segment_readers().iter();
        let readers = readers.map(|segment| segment.get_store_reader(CACHE_BLOCKS));
        let segments: Arc<[StoreReader]> = readers.collect::<std::io::Result<_>>()?;
        *newest = Some(Generation {
            id,
            segments: segments.clone(),
        });
        Ok(Some(segments))
    }
}

/// The value of a document that has no other, when it is one of bytes of this field.
fn only_value(document: &[u8], field: Field) -> Option<&[u8]> {
    let rest = document.strip_prefix(&[ONE_VALUE])?;
    let rest = rest.strip_prefix(&field.field_id().to_le_bytes())?;
    let mut rest = rest.strip_prefix(&[BYTES_CODE])?;
    let mut length = 0;
    // Seven bits a byte, lowest first; the high bit says that it is the last.
    for shift in (0..usize::BITS).step_by(7) {
        let (byte, after) = rest.split_first()?;
        rest = after;
        length |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 != 0 {
            return (rest.len() == length).then_some(rest);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Index, VectorSource, schema};
    use envelope::ChunkRecord;
    use proptest::prelude::*;
    use serde_json::json;
    use tantivy::TantivyDocument;
    use tantivy::schema::Value;

    fn record(n: u32, text: &str) -> ChunkRecord {
        let record = json!({
            "v": 1, "tenant": "default", "bucket": "b", "doc_id": "d", "n": n, "of": 99, "hash": "h",
            "source": "s.md", "text": text,
        });
        serde_json::from_value(record).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn bytes_are_those_that_tantivy_copies(
            texts in prop::collection::vec(prop_oneof!["\\PC{0,40}", "[a-z ]{100,20000}"], 1..20)
        ) {
            let index = Index::open_in_ram(&VectorSource::None).unwrap();
            let mut writer = index.writer().unwrap();
            let records: Vec<_> = texts.iter().zip(0..).map(|(text, n)| record(n, text)).collect();
            let (first, second) = records.split_at(records.len() / 2);
            let old = index.reader.searcher();
            for (n, records) in [first, second].into_iter().enumerate() {
                writer.apply(records).unwrap();
                writer.commit(n as u64 + 1, "s").unwrap();
            }
            let (searcher, field) = (index.reader.searcher(), schema::build().1.record);
            let all = index.snapshot().all();
            prop_assert_eq!(all.len(), records.len());
            for address in all {
                let copied: TantivyDocument = searcher.doc(address).unwrap();
                let copied = copied.get_first(field).and_then(|value| value.as_bytes()).unwrap();
                let value = index.stores.value(&searcher, field, address).unwrap();
                prop_assert_eq!(value.as_ref().map(|value| value.as_slice()), Some(copied));
                prop_assert!(index.stores.value(&old, field, address).unwrap().is_none());
            }
        }

        #[test]
        fn other_bytes_are_no_value(bytes in prop::collection::vec(any::<u8>(), 0..20), n in 0u32..9) {
            let field = Field::from_field_id(n);
            let _ = only_value(&bytes, field);
            let head = [&[ONE_VALUE][..], &n.to_le_bytes(), &[BYTES_CODE]].concat();
            let _ = only_value(&[&head[..], &bytes].concat(), field);
        }
    }
}
