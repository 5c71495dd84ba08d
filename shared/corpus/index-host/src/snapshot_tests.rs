//! Tests of the decisions when to write and when to use a snapshot, and of a snapshot over the memory bus.

use super::*;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, Snapshots};
use bytes::Bytes;
use envelope::{ChunkRecord, TenantId};
use futures_util::{StreamExt, stream};
use index::Index;
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

const STREAM: &str = "ARGOSY_CHUNKS@1";

fn snapshot(sequence: u64, bytes: u64) -> Snapshot {
    Snapshot {
        name: String::new(),
        sequence,
        bytes,
        stored_at: UnixMs(0),
    }
}

#[test]
fn one_is_due_when_enough_has_changed_or_before_it_ages_out() {
    let options = Options::default();
    let soon = UnixMs(1);
    let due = |position, chunks, newest: Option<u64>, now| {
        let newest = newest.map(|sequence| snapshot(sequence, 1));
        is_due(&options, position, chunks, newest.as_ref(), now)
    };
    assert!(!due(49_999, 49_999, None, soon), "replayed in seconds");
    assert!(due(50_000, 50_000, None, soon));
    assert!(!due(99_999, 99_999, Some(50_000), soon));
    assert!(due(100_000, 100_000, Some(50_000), soon));
    assert!(!due(1_060_000, 1_000_000, Some(1_000_000), soon));
    assert!(due(1_100_000, 1_000_000, Some(1_000_000), soon));
    // Another replica is further than this one.
    assert!(!due(50_000, 50_000, Some(60_000), soon));
    let days_4 = UnixMs(4 * 24 * 3_600_000);
    assert!(due(50_001, 50_001, Some(50_000), days_4));
    assert!(!due(49_999, 49_999, None, days_4));
}

#[test]
fn a_replay_of_little_is_faster_than_a_download() {
    let million = snapshot(1_000_000, 1_600_000_000);
    assert!(is_worth_it(&million, 0));
    assert!(is_worth_it(&million, 700_000));
    assert!(!is_worth_it(&million, 930_000));
    assert!(!is_worth_it(&million, 1_000_000));
    assert!(!is_worth_it(&million, 2_000_000));
}

proptest! {
    #[test]
    fn names_take_turns(sequences in prop::collection::vec(1u64..100, 0..20)) {
        let fit = Fit::new(&VectorSource::None, STREAM);
        let mut kept: Vec<Snapshot> = Vec::new();
        let mut sequence = 0;
        for step in sequences {
            sequence += step;
            let there = fit.of(kept.clone());
            let name = next_name(&fit, &there);
            kept.retain(|s| s.name != name);
            kept.push(Snapshot { name, ..snapshot(sequence, 1) });
            // The one before is always still there.
            let there = fit.of(kept.clone());
            prop_assert_eq!(there[0].sequence, sequence);
            prop_assert!(there.len() <= 2);
            prop_assert!(there.len() == 2 || sequence == step);
        }
    }
}

#[test]
fn other_vectors_and_other_streams_do_not_fit() {
    let fit = Fit::new(&VectorSource::None, STREAM);
    let carried = |by: &str| VectorSource::Carried {
        by: by.into(),
        dims: 3,
    };
    let others = [
        Fit::new(&carried("e"), STREAM),
        Fit::new(&carried("f"), STREAM),
        Fit::new(&VectorSource::None, "ARGOSY_CHUNKS@2"),
    ];
    for other in others {
        let theirs = Snapshot {
            name: other.names()[0].clone(),
            ..snapshot(1, 1)
        };
        assert_eq!(fit.of(vec![theirs]), []);
    }
    assert!(
        Options {
            changes: 0,
            ..Options::default()
        }
        .validate()
        .is_err()
    );
    let every = TimeSpan::from_millis(999);
    assert!(
        Options {
            every,
            ..Options::default()
        }
        .validate()
        .is_err()
    );
}

fn fed(dir: &Path, from: u32, to: u32) -> Index {
    let index = Index::open(dir, &VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    let record = |n: u32| -> ChunkRecord {
        serde_json::from_value(serde_json::json!({
            "v": 1, "tenant": TenantId::default_tenant(), "bucket": "b", "n": 0, "of": 1,
            "hash": "h", "source": format!("b/{n}.md"), "doc_id": format!("d{n}"), "text": "some words",
        }))
        .unwrap()
    };
    let records: Vec<_> = (from..to).map(record).collect();
    writer.apply(&records).unwrap();
    writer.commit(u64::from(to), STREAM).unwrap();
    writer.close().unwrap();
    index
}

fn keeper(bus: &Arc<MemoryBus>, index: Index, dir: &Path) -> Keeper {
    Keeper {
        snapshots: bus.clone(),
        bus: bus.clone(),
        index,
        dir: dir.to_owned(),
        fit: Fit::new(&VectorSource::None, STREAM),
        options: Options {
            every: TimeSpan::from_millis(10_000),
            changes: 100,
        },
    }
}

#[tokio::test]
async fn one_replica_writes_and_another_begins_with_it() {
    let bus = MemoryBus::new(&Topology::default());
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let index = fed(one.path(), 0, 300);
    let writing = keeper(&bus, index.clone(), one.path());
    let written = writing.write_if_due().await.unwrap().unwrap();
    assert_eq!(written.sequence, 300);
    drop(index);
    let index = fed(one.path(), 300, 450);
    // The claim of the first is still held, so no other one is written.
    let again = keeper(&bus, index, one.path());
    assert!(again.write_if_due().await.unwrap().is_none());
    assert_eq!(bus.list().await.unwrap().len(), 1);

    let fit = Fit::new(&VectorSource::None, STREAM);
    let restored = restore(&*bus, two.path(), &VectorSource::None, &fit).await;
    assert_eq!(restored, Some(300));
    let index = Index::open(two.path(), &VectorSource::None).unwrap();
    assert_eq!(index.chunk_count(), 300);
    drop(index);
    // What is there is as good.
    assert_eq!(
        restore(&*bus, two.path(), &VectorSource::None, &fit).await,
        None
    );
}

#[tokio::test(start_paused = true)]
async fn two_editions_do_not_write_at_once() {
    let bus = MemoryBus::new(&Topology::default());
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = keeper(&bus, fed(one.path(), 0, 300), one.path());
    let by = "e".to_owned();
    let second = Keeper {
        fit: Fit::new(&VectorSource::Carried { by, dims: 3 }, STREAM),
        ..keeper(&bus, fed(two.path(), 0, 300), two.path())
    };
    assert!(first.write_if_due().await.unwrap().is_some());
    assert!(
        second.write_if_due().await.unwrap().is_none(),
        "its turn comes"
    );
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert!(second.write_if_due().await.unwrap().is_some());
    assert_eq!(bus.list().await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_damaged_snapshot_is_passed_over_for_the_one_before() {
    let bus = MemoryBus::new(&Topology::default());
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let fit = Fit::new(&VectorSource::None, STREAM);
    let index = fed(one.path(), 0, 300);
    let writing = keeper(&bus, index, one.path());
    writing.write(&[]).await.unwrap();
    let good = bus.list().await.unwrap();
    let mut bytes: Vec<u8> = Vec::new();
    let mut pieces = bus.get(&good[0].name).await.unwrap().unwrap();
    while let Some(piece) = pieces.next().await {
        bytes.extend(piece.unwrap());
    }
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let bytes = Bytes::from(bytes);
    let name = next_name(&fit, &fit.of(good));
    let pieces = |bytes: Bytes| stream::iter([Ok(bytes)]).boxed();
    bus.put(&name, 400, pieces(bytes.clone())).await.unwrap();
    let restored = restore(&*bus, two.path(), &VectorSource::None, &fit).await;
    assert_eq!(restored, Some(300));

    // Nothing but damaged ones: the index stays as it was.
    let three = tempfile::tempdir().unwrap();
    drop(fed(three.path(), 0, 7));
    for name in fit.names() {
        bus.put(&name, 400, pieces(bytes.clone())).await.unwrap();
    }
    assert_eq!(
        restore(&*bus, three.path(), &VectorSource::None, &fit).await,
        None
    );
    let index = Index::open(three.path(), &VectorSource::None).unwrap();
    assert_eq!(index.chunk_count(), 7);
    // Nor does a process begin with one while another has the index.
    let _writer = index.writer().unwrap();
    writing.write(&[]).await.unwrap();
    assert_eq!(
        restore(&*bus, three.path(), &VectorSource::None, &fit).await,
        None
    );
    assert!(bus.connected());
}
