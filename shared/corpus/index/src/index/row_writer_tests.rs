//! Tests that rows are read back as they were written, however they were stored and moved.

use super::*;
use crate::index::rows::Probe;
use proptest::prelude::*;
use tantivy::directory::{MmapDirectory, RamDirectory};

fn embedding(vector: &[f32]) -> Embedding {
    Embedding::of("e", vector)
}

proptest! {
    #[test]
    fn every_row_is_found_again_however_it_was_stored(
        batches in prop::collection::vec(0usize..40, 1..20),
    ) {
        let dir = RamDirectory::create();
        let mut writer = RowWriter::new(Box::new(dir.clone()), Layout::empty("e", 2));
        let mut all = Vec::new();
        for rows in batches {
            let before = writer.layout().clone();
            for _ in 0..rows {
                let angle = all.len() as f32;
                let vector = [angle.cos(), angle.sin()];
                prop_assert_eq!(writer.next_row(), all.len() as u64);
                writer.push(&embedding(&vector));
                all.push(vector);
            }
            let rows = writer.flush().unwrap();
            writer.sweep(&before);
            for (row, vector) in all.iter().enumerate() {
                let same = rows.similarity(row as u64, &Probe::new(vector)).unwrap();
                prop_assert!((same - 1.0).abs() < 0.02, "row {} is {}", row, same);
            }
            prop_assert_eq!(rows.similarity(all.len() as u64, &Probe::new(&[1.0, 0.0])), None);
            let again = Rows::open(&dir, writer.layout()).unwrap();
            prop_assert_eq!(again.blocks.len(), rows.blocks.len());
            // Doubling: never more blocks than a number has digits in base 2.
            prop_assert!(rows.blocks.len() <= 11, "{} blocks", rows.blocks.len());
        }
    }
}

#[test]
fn a_row_without_a_vector_is_like_nothing() {
    let mut writer = RowWriter::new(Box::new(RamDirectory::create()), Layout::empty("e", 2));
    writer.push_empty();
    writer.push(&embedding(&[0.0, 0.0]));
    let rows = writer.flush().unwrap();
    for row in 0..2 {
        assert_eq!(rows.similarity(row, &Probe::new(&[1.0, 0.0])), None);
    }
}

#[test]
fn what_a_crash_left_is_written_over() {
    let dir = RamDirectory::create();
    let layout = Layout::empty("e", 1);
    let mut crashed = RowWriter::new(Box::new(dir.clone()), layout.clone());
    crashed.push(&embedding(&[1.0]));
    crashed.flush().unwrap();
    let mut writer = RowWriter::new(Box::new(dir), layout);
    writer.push(&embedding(&[-1.0]));
    let rows = writer.flush().unwrap();
    let same = rows.similarity(0, &Probe::new(&[1.0])).unwrap();
    assert!(same < 0.0);
}

/// A disk without room, and one that cannot be read: what was pushed is stored by the next flush.
#[test]
fn a_flush_that_failed_is_made_good_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let dir = MmapDirectory::open(folder.path()).unwrap();
    let mut writer = RowWriter::new(Box::new(dir), Layout::empty("e", 2));
    let vectors: Vec<[f32; 2]> = (0..5)
        .map(|n| [(n as f32).cos(), (n as f32).sin()])
        .collect();
    let push = |writer: &mut RowWriter, rows: Range<usize>| {
        vectors[rows]
            .iter()
            .for_each(|v| writer.push(&embedding(v)));
    };
    let all_there = |rows: &Rows, count: u64| {
        for row in 0..count {
            let same = rows.similarity(row, &Probe::new(&vectors[row as usize]));
            assert!(same.is_some_and(|same| same > 0.98), "row {row}: {same:?}");
        }
    };
    push(&mut writer, 0..2);
    // A folder lies where the block is to be: it can neither be written nor put out of the way.
    let block = folder.path().join("0-0-2.rows");
    std::fs::create_dir(&block).unwrap();
    for _ in 0..2 {
        assert!(writer.flush().is_err());
        assert_eq!((writer.layout().blocks.len(), writer.next_row()), (0, 2));
    }
    std::fs::remove_dir(&block).unwrap();
    all_there(&writer.flush().unwrap(), 2);

    // The block that would be swallowed is away.
    push(&mut writer, 2..5);
    let aside = folder.path().join("aside");
    std::fs::rename(&block, &aside).unwrap();
    assert!(writer.flush().is_err());
    assert_eq!(
        (&writer.layout().blocks[..], writer.next_row()),
        (&[2][..], 5)
    );
    std::fs::rename(&aside, &block).unwrap();
    all_there(&writer.flush().unwrap(), 5);
}

/// What happens to rows between two commits.
#[derive(Debug, Clone)]
enum Step {
    /// So many are added.
    Add(usize),
    /// One in so many is no more, from some row on.
    Drop(usize, usize),
    /// The living ones are moved together.
    Move,
    /// All are forgotten.
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1usize..40).prop_map(Step::Add),
        2 => (1usize..4, 0usize..60).prop_map(|(every, from)| Step::Drop(every, from)),
        2 => Just(Step::Move),
        1 => Just(Step::Clear),
    ]
}

proptest! {
    #[test]
    fn rows_keep_their_numbers_when_others_go(steps in prop::collection::vec(step(), 1..25)) {
        let dir = RamDirectory::create();
        let mut writer = RowWriter::new(Box::new(dir.clone()), Layout::empty("e", 2));
        let vector = |row: u64| [(row as f32).cos(), (row as f32).sin()];
        let mut living: Vec<u64> = Vec::new();
        let mut next = 0;
        for step in steps {
            let before = writer.layout().clone();
            match step {
                Step::Add(rows) => {
                    for _ in 0..rows {
                        prop_assert_eq!(writer.next_row(), next);
                        writer.push(&embedding(&vector(next)));
                        living.push(next);
                        next += 1;
                    }
                }
                Step::Drop(every, from) => {
                    let mut at = 0;
                    living.retain(|_| { at += 1; at <= from || at % every != 0 });
                }
                Step::Move => {
                    writer = writer.moved_together(&living).unwrap();
                    prop_assert_eq!(writer.slots(), living.len() as u64);
                }
                Step::Clear => {
                    writer = writer.next_generation(0, &[]).unwrap();
                    living.clear();
                }
            }
            writer.flush().unwrap();
            writer.sweep(&before);
            // As a restarted process reads it.
            let layout = serde_json::to_string(writer.layout()).unwrap();
            let layout: Layout = serde_json::from_str(&layout).unwrap();
            let rows = Rows::open(&dir, &layout).unwrap();
            for row in &living {
                let same = rows.similarity(*row, &Probe::new(&vector(*row))).unwrap();
                prop_assert!((same - 1.0).abs() < 0.02, "row {} is {}", row, same);
            }
            prop_assert!(!rows.has(next), "a row that nobody added");
            for file in before.files() {
                let counts = layout.files().contains(&file);
                prop_assert_eq!(dir.exists(&file).unwrap(), counts, "{}", file.display());
            }
        }
        writer = writer.moved_together(&living).unwrap();
        writer.flush().unwrap();
        let rows = Rows::open(&dir, writer.layout()).unwrap();
        for row in 0..next {
            prop_assert_eq!(rows.has(row), living.contains(&row), "row {}", row);
        }
    }
}

#[test]
fn rows_are_moved_when_most_are_of_nobody() {
    let mut writer = RowWriter::new(Box::new(RamDirectory::create()), Layout::empty("e", 1));
    (0..5_000).for_each(|_| writer.push_empty());
    assert!(!writer.is_wasteful(5_000));
    assert!(!writer.is_wasteful(452));
    assert!(writer.is_wasteful(451));
}

/// What an earlier release wrote is read; what is written now an earlier release does not take for rows.
#[test]
fn a_layout_is_read_by_those_after_it_only() {
    let old = r#"{"by":"e","dims":3,"generation":2,"fitted":7,"blocks":[5,1]}"#;
    let layout: Layout = serde_json::from_str(old).unwrap();
    assert_eq!(
        (&layout.blocks[..], layout.moved),
        (&[5, 1][..], Moved::default())
    );
    let now = serde_json::to_string(&layout).unwrap();
    let golden = r#"{"by":"e","dims":3,"generation":2,"fitted":7,"slots":[5,1],"moved":{"first":0,"rows":0,"slots":0}}"#;
    assert_eq!(now, golden);
}
