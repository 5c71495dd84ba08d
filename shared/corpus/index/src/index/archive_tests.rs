//! Tests of archives of an index that is still being written, and of archives that are refused.

use super::*;
use crate::{HybridSearcher, Options};
use envelope::{ChunkRecord, TenantId};
use search::{SearchRequest, Searcher};
use serde_json::json;
use static_embed::StaticTable;

const STREAM: &str = "ARGOSY_CHUNKS@1";

fn vectors() -> VectorSource {
    VectorSource::Table(StaticTable::shipped())
}

fn record(n: u32, text: &str) -> ChunkRecord {
    let source = format!("b/{n}.md");
    let tenant = TenantId::default_tenant();
    let record = json!({
        "v": 1, "tenant": tenant, "bucket": "b", "n": 0, "of": 1, "hash": text, "source": source,
        "doc_id": documents::document::doc_id_of(&tenant, &source), "text": text,
    });
    serde_json::from_value(record).unwrap()
}

fn texts(from: u32, to: u32) -> Vec<ChunkRecord> {
    let text = |n: u32| format!("The gauge {n} reads {} bar at noon.", n * 7);
    (from..to).map(|n| record(n, &text(n))).collect()
}

/// An index with a commit, a deletion and vectors.
fn index(dir: &Path) -> Index {
    let index = Index::open(dir, &vectors()).unwrap();
    let mut writer = index.writer().unwrap();
    writer.apply(&texts(0, 40)).unwrap();
    writer.commit(40, STREAM).unwrap();
    writer.refit().unwrap();
    writer.apply(&texts(39, 50)).unwrap();
    writer.commit(51, STREAM).unwrap();
    index
}

fn bytes(archive: &Archive) -> Vec<u8> {
    let mut bytes = Vec::new();
    archive.write(&mut bytes).unwrap();
    bytes
}

fn unpack(bytes: &[u8], dir: &Path) -> Result<UnpackedArchive, Error> {
    UnpackedArchive::read(&mut &*bytes, dir, &making(&vectors()), STREAM)
}

async fn found(index: &Index, query: &str) -> Vec<(String, f32)> {
    let request = SearchRequest::new(TenantId::default_tenant(), query, 20, 5);
    let searcher = HybridSearcher::new(index.clone(), Options::default());
    let found = searcher.search(&request).await.unwrap();
    let hits = found.passages.into_iter().map(|p| (p.source, p.score));
    hits.collect()
}

#[tokio::test]
async fn an_archive_is_the_index_at_its_commit() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let original = index(from.path());
    let archive = original.archive(from.path()).unwrap().unwrap();
    assert_eq!(archive.position().sequence, 51);
    let query = "gauge 17 bar";
    let wanted = found(&original, query).await;
    assert!(wanted[0].0.contains("17"), "{wanted:?}");

    // What is written, merged and swept meanwhile does not touch what is held.
    let mut writer = original.writer().unwrap();
    for n in 50..90 {
        writer.apply(&texts(n, n + 1)).unwrap();
        writer.commit(u64::from(n) + 2, STREAM).unwrap();
    }
    writer.refit().unwrap();
    writer.close().unwrap();
    let bytes = bytes(&archive);
    assert!(bytes.len() as u64 > archive.bytes());
    drop(archive);
    assert!(!from.path().join(HELD).exists());

    let unpacked = unpack(&bytes, to.path()).unwrap();
    assert_eq!(unpacked.put_in_place().unwrap().sequence, 51);
    let restored = Index::open(to.path(), &vectors()).unwrap();
    assert_eq!(restored.position().unwrap().unwrap().sequence, 51);
    assert_eq!(restored.chunk_count(), 50);
    assert_eq!(found(&restored, query).await, wanted);

    // It goes on as the other did.
    let mut writer = restored.writer().unwrap();
    writer.apply(&texts(50, 90)).unwrap();
    writer.commit(91, STREAM).unwrap();
    writer.close().unwrap();
    assert_eq!(restored.chunk_count(), original.chunk_count());
    let names = |hits: Vec<(String, f32)>| hits.into_iter().map(|(n, _)| n).collect::<Vec<_>>();
    let (a, b) = (found(&restored, query).await, found(&original, query).await);
    assert_eq!(names(a)[0], names(b)[0]);
    // Files of the archive are the index's own: merges remove them in the end.
    let managed = fs::read_to_string(to.path().join(schema::FOLDER).join(".managed.json"));
    let managed: Vec<String> = serde_json::from_str(&managed.unwrap()).unwrap();
    let there = fs::read_dir(to.path().join(schema::FOLDER)).unwrap();
    for file in there.map(|f| f.unwrap().file_name().into_string().unwrap()) {
        let own = file.starts_with('.') || file == "vectors" || managed.contains(&file);
        assert!(own, "`{file}` is nobody's");
    }
}

#[test]
fn what_does_not_fit_is_refused_and_leaves_the_index_alone() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let empty = Index::open(to.path(), &vectors()).unwrap();
    assert!(empty.archive(to.path()).unwrap().is_none(), "nothing yet");
    drop(empty);
    let archive = index(from.path()).archive(from.path()).unwrap().unwrap();
    let bytes = bytes(&archive);
    let why = |bytes: &[u8]| match unpack(bytes, to.path()) {
        Ok(_) => panic!("taken"),
        Err(error) => error.to_string(),
    };
    for length in [0, 3, 20, 1_000, bytes.len() - 40, bytes.len() - 1] {
        why(&bytes[..length]);
    }
    let mut wrong = bytes.clone();
    *wrong.last_mut().unwrap() ^= 1;
    assert!(why(&wrong).contains("a byte"));
    let mut wrong = bytes.clone();
    let middle = wrong.len() / 2;
    wrong[middle] ^= 1;
    assert!(why(&wrong).contains("a byte"));
    assert!(why(&[0xff; 64]).contains("header"));
    let other = UnpackedArchive::read(&mut &bytes[..], to.path(), "index-0 words", STREAM);
    assert!(other.is_err_and(|e| e.to_string().contains("it is of")));
    let other = UnpackedArchive::read(&mut &bytes[..], to.path(), &making(&vectors()), "other@2");
    assert!(other.is_err_and(|e| e.to_string().contains(STREAM)));
    let escape = Header {
        files: vec![("../meta.json".into(), 0)],
        ..archive.header.clone()
    };
    let escape = to_json(&escape);
    let mut wrong = u32::try_from(escape.len()).unwrap().to_le_bytes().to_vec();
    wrong.extend(escape.bytes());
    assert!(why(&wrong).contains("`../meta.json`"));

    let index = Index::open(to.path(), &vectors()).unwrap();
    assert_eq!(index.position().unwrap(), None);
    drop(index);
    sweep(to.path()).unwrap();
    let left = fs::read_dir(to.path()).unwrap().count();
    assert_eq!(left, 1, "the index and nothing beside it");
    let swapped = unpack(&bytes, to.path()).unwrap();
    assert_eq!(swapped.put_in_place().unwrap().sequence, 51);
    let index = Index::open(to.path(), &vectors()).unwrap();
    assert_eq!(index.chunk_count(), 50);
}
