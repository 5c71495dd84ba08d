//! Makes the vectors of chunks, once for each text and embedder.
//!
//! A local encoder takes minutes for a data set, so its vectors can be kept in a file for each embedder. A row of the
//! file has the hash of the text, the scale, and the bytes of the vector as a message carries them. The fleet does
//! *not* use this cache: there the messages of the chunks contain the vectors.

use super::{Error, Progress};
use envelope::{ChunkRecord, Embedding};
use llm::{Embedder, Side};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Bytes of the hash of a text in a row.
const KEY: usize = 16;
/// Texts of one call: enough that the end of a call, where cores wait for the last, does not count.
const BATCH: usize = 256;

type Key = [u8; KEY];

/// Gives every record its vector. Those that the folder `cache` has are taken from there.
pub(super) async fn make(
    embedder: &dyn Embedder,
    records: &mut [ChunkRecord],
    cache: Option<&Path>,
    say: Progress<'_>,
) -> Result<(), Error> {
    let file = cache.map(|folder| file(folder, embedder));
    let mut known = match &file {
        Some(file) => load(file, embedder)?,
        None => HashMap::new(),
    };
    let texts: Vec<String> = records.iter().map(ChunkRecord::embedded_text).collect();
    let missing: Vec<usize> = (0..texts.len())
        .filter(|i| !known.contains_key(&key(&texts[*i])))
        .collect();
    let start = Instant::now();
    for (n, batch) in missing.chunks(BATCH).enumerate() {
        say(progress(
            n * BATCH,
            missing.len(),
            start.elapsed().as_secs_f64(),
        ));
        let these: Vec<&str> = batch.iter().map(|i| texts[*i].as_str()).collect();
        let vectors = embedder.embed(&these, Side::Passage).await?;
        let made: Vec<(Key, Embedding)> = these
            .iter()
            .zip(vectors)
            .map(|(text, vector)| (key(text), Embedding::of(embedder.name(), &vector)))
            .collect();
        if let Some(file) = &file {
            append(file, &made)?;
        }
        known.extend(made);
    }
    for (record, text) in records.iter_mut().zip(&texts) {
        record.embedding = known.get(&key(text)).cloned();
    }
    Ok(())
}

/// How far it is, how fast, and how long it will take.
fn progress(done: usize, total: usize, seconds: f64) -> String {
    if done == 0 {
        return format!("embedding: 0 of {total}");
    }
    let rate = done as f64 / seconds.max(0.001);
    let left = (total - done) as f64 / rate;
    format!("embedding: {done} of {total}, {rate:.1}/s, {left:.0} s left")
}

fn file(folder: &Path, embedder: &dyn Embedder) -> PathBuf {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = embedder.name().chars().map(plain).collect();
    folder.join(format!("{name}.{}.vectors", embedder.dims()))
}

fn key(text: &str) -> Key {
    let mut key = [0; KEY];
    key.copy_from_slice(&Sha256::digest(text.as_bytes())[..KEY]);
    key
}

fn load(file: &Path, embedder: &dyn Embedder) -> Result<HashMap<Key, Embedding>, Error> {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(error) => return Err(at(file, error)),
    };
    let rows = read(&bytes, embedder.name(), embedder.dims());
    // A row that a killed run left half would shift all that follow.
    let whole = rows.len() * row_bytes(embedder.dims());
    if whole < bytes.len() {
        std::fs::write(file, &bytes[..whole])?;
    }
    Ok(rows.into_iter().collect())
}

fn row_bytes(dims: usize) -> usize {
    KEY + 4 + dims
}

/// The whole rows.
fn read(bytes: &[u8], by: &str, dims: usize) -> Vec<(Key, Embedding)> {
    let row = |row: &[u8]| {
        let (key, rest) = row.split_first_chunk::<KEY>()?;
        let (scale, values) = rest.split_first_chunk::<4>()?;
        let embedding = Embedding {
            by: by.to_owned(),
            scale: f32::from_le_bytes(*scale),
            values: values.iter().map(|v| v.cast_signed()).collect(),
        };
        Some((*key, embedding))
    };
    bytes
        .chunks_exact(row_bytes(dims))
        .filter_map(row)
        .collect()
}

fn append(file: &Path, rows: &[(Key, Embedding)]) -> Result<(), Error> {
    let write = || {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(file)?;
        let mut file = std::io::BufWriter::new(file);
        for (key, embedding) in rows {
            file.write_all(key)?;
            file.write_all(&embedding.scale.to_le_bytes())?;
            let values: Vec<u8> = embedding.values.iter().map(|v| v.cast_unsigned()).collect();
            file.write_all(&values)?;
        }
        file.flush()
    };
    write().map_err(|error| at(file, error))
}

fn at(file: &Path, error: std::io::Error) -> Error {
    Error::File {
        path: file.to_owned(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::embedder::FakeEmbedder;

    fn records(texts: &[&str]) -> Vec<ChunkRecord> {
        let record = |(n, text): (usize, &&str)| {
            serde_json::from_value(serde_json::json!({
                "v": 1, "tenant": "default", "bucket": "b", "doc_id": format!("d{n}"), "n": 0,
                "of": 1, "hash": "h", "source": "b/d.md", "text": text,
            }))
        };
        let records = texts.iter().enumerate().map(record);
        records.collect::<Result<_, _>>().unwrap()
    }

    #[tokio::test]
    async fn what_was_made_once_is_taken_from_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let embedder = FakeEmbedder::new("org/counting", |text| [text.len() as f32, 1.0]);
        let made = async |texts: &[&str]| {
            let mut records = records(texts);
            let before = embedder.texts();
            make(&*embedder, &mut records, Some(folder.path()), &|_| ())
                .await
                .unwrap();
            let vectors: Vec<_> = records.into_iter().map(|r| r.embedding.unwrap()).collect();
            (vectors, embedder.texts() - before)
        };
        let (first, asked) = made(&["a", "bbb"]).await;
        assert_eq!(asked, 2);
        let file = file(folder.path(), &*embedder);
        assert!(file.ends_with("org_counting.2.vectors"));
        // A run that was killed while it wrote.
        let mut bytes = std::fs::read(&file).unwrap();
        bytes.extend([1, 2, 3]);
        std::fs::write(&file, bytes).unwrap();
        let (again, asked) = made(&["bbb", "cc", "a"]).await;
        assert_eq!(asked, 1);
        assert_eq!([&again[2], &again[0]], [&first[0], &first[1]]);
        assert_eq!(made(&["cc"]).await, (vec![again[1].clone()], 0));
    }

    #[test]
    fn progress_has_a_rate_and_an_end() {
        assert_eq!(progress(0, 10, 0.0), "embedding: 0 of 10");
        assert_eq!(progress(5, 10, 2.0), "embedding: 5 of 10, 2.5/s, 2 s left");
    }
}
