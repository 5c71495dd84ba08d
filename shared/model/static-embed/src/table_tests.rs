//! Tests of the table: the shipped one is complete, any other is refused, and bytes decode to numbers.

use super::*;
use proptest::prelude::*;

/// A file as tools/static-table writes it.
fn file(scales: &[f32], rows: &[i8], dims: u32) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for field in [VERSION, scales.len() as u32, dims] {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    scales.iter().for_each(|s| bytes.extend(s.to_le_bytes()));
    bytes.extend(rows.iter().map(|r| r.cast_unsigned()));
    bytes
}

fn why(result: Result<StaticTable, Error>) -> String {
    result.expect_err("it is no table").to_string()
}

#[test]
fn the_shipped_table_is_whole() {
    let table = StaticTable::shipped();
    assert_eq!((table.rows(), table.dims()), (30_522, 256));
    assert!(TABLE.len() <= 8 << 20);
    assert!(Arc::ptr_eq(&table, &StaticTable::shipped()));
}

#[test]
fn a_row_is_its_bytes_times_its_scale() {
    let table = StaticTable::new(file(&[0.5, 2.0], &[1, -2, 127, -128], 2), "a\nb").unwrap();
    let mut sum = [1.0, 1.0];
    table.add([(0, 2.0)].into_iter(), &mut sum);
    assert_eq!(sum, [2.0, -1.0]);
    table.add([(1, 0.5)].into_iter(), &mut sum);
    assert_eq!(sum, [129.0, -129.0]);
    table.add([(2, 1.0)].into_iter(), &mut sum);
    assert_eq!(sum, [129.0, -129.0]);
}

#[test]
fn rows_together_add_up_as_one_after_the_other() {
    // Dimensions over and under a line of the cache.
    for dims in [3, 64, 150, 256] {
        let byte = |n: usize| (n * 37 % 251) as u8 as i8;
        let bytes: Vec<i8> = (0..4 * dims).map(byte).collect();
        let table = file(&[0.1, 0.3, 0.7, 0.01], &bytes, dims as u32);
        let table = StaticTable::new(table, "a\nb\nc\nd").unwrap();
        let pieces = [(2, 0.3), (0, 1.7), (3, 0.9), (9, 1.0), (2, 0.1), (1, 2.3)];
        let mut wanted = vec![0.0f32; dims];
        for (token, weight) in pieces.iter().filter(|(token, _)| *token < 4) {
            let factor: f32 = weight * [0.1, 0.3, 0.7, 0.01][*token as usize];
            for (n, sum) in wanted.iter_mut().enumerate() {
                *sum += factor * f32::from(byte(*token as usize * dims + n));
            }
        }
        let mut sum = vec![0.0; dims];
        table.add(pieces.into_iter(), &mut sum);
        assert_eq!(sum, wanted, "{dims}");
    }
}

#[test]
fn damage_is_named() {
    let good = file(&[1.0], &[3, 4], 2);
    assert!(StaticTable::new(good.clone(), "a").is_ok());
    for len in 0..good.len() {
        why(StaticTable::new(good[..len].to_vec(), "a"));
    }
    let mut other = good.clone();
    other[8] = 9;
    assert!(why(StaticTable::new(other, "a")).contains("version is `9`"));
    assert!(why(StaticTable::new(good, "a\nb")).contains("`1` rows, its vocabulary `2`"));
    let bad = file(&[f32::NAN], &[3, 4], 2);
    assert!(why(StaticTable::new(bad, "a")).contains("no positive number"));
    assert!(why(StaticTable::new(file(&[1.0], &[], 0), "a")).contains("damaged"));
}

proptest! {
    #[test]
    fn any_bytes_are_a_table_or_refused(body in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = StaticTable::new(body.clone(), "a");
        let _ = StaticTable::new([&MAGIC[..], &[1, 0, 0, 0], &body[..]].concat(), "a");
    }
}
