//! Tests of vectors of an index whose chunks are added and deleted.

use super::*;
use crate::index::Index;
use crate::index::tests::STREAM;
use envelope::TenantId;
use search::{SearchRequest, VectorSearch};
use serde_json::json;
use std::fs;

/// Documents of the corpus, and how often they are indexed.
const DOCUMENTS: u32 = 400;
const NIGHTS: u32 = 25;
/// Numbers of a vector, and bytes of a row.
const DIMS: usize = 16;
const ROW: u64 = 20;

fn carried() -> VectorSource {
    VectorSource::Carried {
        by: "compass".into(),
        dims: DIMS,
    }
}

/// A direction for each document.
fn direction(doc: u32) -> [f32; DIMS] {
    let mut vector = std::array::from_fn(|n| ((doc + 1) as f32 * (n + 1) as f32 * 1.7).sin());
    llm::embed::normalise(&mut vector);
    vector
}

fn record(doc: u32, night: u32) -> ChunkRecord {
    let source = format!("b/{doc}.md");
    let id = documents::document::doc_id_of(&TenantId::default_tenant(), &source);
    let record = json!({
        "v": 1, "tenant": "default", "bucket": "b", "doc_id": id, "n": 0, "of": 1,
        "hash": format!("h{night}"), "source": source, "text": format!("valve {doc}"),
    });
    ChunkRecord {
        embedding: Some(Embedding::of("compass", &direction(doc))),
        ..serde_json::from_value(record).unwrap()
    }
}

/// Bytes of the vectors of an index in `dir`.
fn bytes(dir: &Path) -> u64 {
    let vectors = dir.join(crate::index::schema::FOLDER).join("vectors");
    let files = fs::read_dir(vectors).unwrap();
    files.map(|f| f.unwrap().metadata().unwrap().len()).sum()
}

/// Those of some documents that an index does not find by their vectors.
async fn lost(index: &Index, documents: &[u32]) -> Vec<u32> {
    let mut lost = Vec::new();
    for &doc in documents {
        let request = SearchRequest::new(TenantId::default_tenant(), "", 1, 1);
        let near = index.nearest(&direction(doc), &request, 1).await.unwrap();
        let wanted = record(doc, 0).key();
        if near.first().is_none_or(|near| near.chunk != wanted) {
            lost.push(doc);
        }
    }
    lost
}

#[tokio::test]
async fn a_corpus_that_is_indexed_every_night_does_not_grow() {
    let dir = tempfile::tempdir().unwrap();
    let some: Vec<u32> = (0..DOCUMENTS).step_by(37).collect();
    let index = Index::open(dir.path(), &carried()).unwrap();
    let mut writer = index.writer().unwrap();
    let mut most = 0;
    for night in 0..NIGHTS {
        // The first document stays as it is: the rows around it go.
        let from = u32::from(night > 0);
        let records: Vec<_> = (from..DOCUMENTS).map(|doc| record(doc, night)).collect();
        writer.apply(&records).unwrap();
        writer.commit(u64::from(night) + 1, STREAM).unwrap();
        writer.refit().unwrap();
        most = most.max(bytes(dir.path()));
        assert_eq!(lost(&index, &some).await, [0; 0], "night {night}");
    }
    writer.close().unwrap();
    let all = u64::from(NIGHTS * DOCUMENTS) * ROW;
    assert!(most < all * 2 / 3, "{most} bytes, {all} without moving");
    drop(index);
    let index = Index::open(dir.path(), &carried()).unwrap();
    assert_eq!(lost(&index, &some).await, [0; 0], "opened again");

    let mut writer = index.writer().unwrap();
    writer.clear().unwrap();
    let few: Vec<_> = (0..3).map(|doc| record(doc, 0)).collect();
    writer.apply(&few).unwrap();
    writer.commit(1, STREAM).unwrap();
    assert_eq!(bytes(dir.path()), 3 * ROW, "what was forgotten lies there");
    assert_eq!(lost(&index, &[0, 1, 2]).await, [0; 0]);
}

#[test]
fn the_static_table_stays_as_it_was_fitted_when_rows_are_moved() {
    let dir = tempfile::tempdir().unwrap();
    let vectors = VectorSource::Table(StaticTable::shipped());
    let fitted = |index: &Index| {
        let fitted = index.snapshot().fitted().unwrap().clone();
        fitted.vector("the valve leaks")
    };
    let index = Index::open(dir.path(), &vectors).unwrap();
    let mut writer = index.writer().unwrap();
    let mut index_again = |nights: std::ops::RangeInclusive<u32>| {
        for night in nights {
            let records: Vec<_> = (0..DOCUMENTS).map(|doc| record(doc, night)).collect();
            writer.apply(&records).unwrap();
            writer.commit(u64::from(night), STREAM).unwrap();
            writer.refit().unwrap();
        }
        (fitted(&index), bytes(dir.path()))
    };
    let (first, before) = index_again(1..=1);
    // The commit at which most rows belong to no chunk.
    let (last, after) = index_again(2..=13);
    assert_eq!(last, first);
    assert_eq!(after, before);
    writer.close().unwrap();
    drop(index);
    let index = Index::open(dir.path(), &vectors).unwrap();
    assert_eq!(fitted(&index), first, "opened again");
    let snapshot = index.snapshot();
    let rows = snapshot.view.rows.unwrap();
    let living = index.rows_in_order(&snapshot.searcher).unwrap();
    assert_eq!(living.len(), DOCUMENTS as usize);
    assert!(living.iter().all(|(row, _)| rows.has(*row)));
}

#[test]
fn the_vectors_of_another_embedder_go() {
    let dir = tempfile::tempdir().unwrap();
    let fill = |vectors: &VectorSource| {
        let index = Index::open(dir.path(), vectors).unwrap();
        let mut writer = index.writer().unwrap();
        writer.apply(&[record(1, 0)]).unwrap();
        writer.commit(1, STREAM).unwrap();
        writer.refit().unwrap();
    };
    fill(&VectorSource::Table(StaticTable::shipped()));
    fill(&carried());
    assert_eq!(bytes(dir.path()), ROW, "one row and nothing else");
}
