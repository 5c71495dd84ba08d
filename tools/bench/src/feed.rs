//! Feeds an index, and the floor that it is compared with, for [`super::retrieval`]. *Not* how a retriever feeds its
//! index: here the messages come from a file.

use crate::corpus::Corpus;
use crate::host::{cpu_ms, memory_mb};
use crate::index_floor::Floor;
use argosy::cli_error::CliError;
use argosy::render::ProgressLine;
use envelope::ChunkRecord;
use index::Index;
use serde::Deserialize;
use std::io::{BufRead, BufReader, Seek};
use std::path::Path;
use std::time::Instant;

/// How many chunks the writer gets at once, and how many lie between two commits.
const BATCH: usize = 1_000;
const COMMIT: usize = 100_000;

/// The cost of the feed.
pub(super) struct Fed {
    pub(super) per_s: f64,
    pub(super) cpu_us: f64,
    pub(super) private_mb: f64,
    pub(super) vectors_s: f64,
}

/// Feeds the index from the messages of a file.
pub(super) fn index(index: &Index, corpus: &Corpus, line: &ProgressLine) -> Result<Fed, CliError> {
    let broken = |e: index::Error| CliError::negative(format!("the index: {e}"));
    let chunks = corpus.chunks;
    let mut messages = from_the_beginning(corpus)?;
    let mut writer = index.writer().map_err(broken)?;
    let (mut message, mut records) = (Vec::new(), Vec::with_capacity(BATCH));
    let me = std::process::id();
    let (start, cpu) = (Instant::now(), cpu_ms(me));
    for done in 1..=chunks {
        message.clear();
        messages.read_until(b'\n', &mut message)?;
        records.push(ChunkRecord::decode(&message).map_err(|e| CliError::negative(e.to_string()))?);
        if done.is_multiple_of(BATCH) || done == chunks {
            writer.apply(&records).map_err(broken)?;
            records.clear();
            line.say(format!("feeding: {done} of {chunks}"));
        }
        if done.is_multiple_of(COMMIT) || done == chunks {
            writer.commit(done as u64, "bench").map_err(broken)?;
        }
    }
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_ms(me) - cpu);
    let private_mb = memory_mb(me, "RssAnon");
    line.say("making vectors".to_owned());
    let start = Instant::now();
    writer.refit().map_err(broken)?;
    let vectors_s = start.elapsed().as_secs_f64();
    writer.close().map_err(broken)?;
    Ok(Fed {
        per_s: chunks as f64 / seconds,
        cpu_us: cpu * 1_000.0 / chunks as f64,
        private_mb,
        vectors_s,
    })
}

/// The cost of the same texts in the library alone.
pub(super) struct Alone {
    pub(super) per_s: f64,
    pub(super) cpu_us: f64,
}

/// Feeds the floor from the same messages, of which it reads only the text.
pub(super) fn floor(
    folder: &Path,
    corpus: &Corpus,
    line: &ProgressLine,
) -> Result<Alone, CliError> {
    #[derive(Deserialize)]
    struct Text {
        #[serde(default)]
        text: String,
    }
    let broken = |e: index::Error| CliError::negative(format!("the floor: {e}"));
    let mut floor = Floor::new(folder).map_err(broken)?;
    let mut messages = from_the_beginning(corpus)?;
    let mut message = Vec::new();
    let me = std::process::id();
    let (start, cpu) = (Instant::now(), cpu_ms(me));
    for done in 1..=corpus.chunks {
        message.clear();
        messages.read_until(b'\n', &mut message)?;
        let read = serde_json::from_slice::<Text>(&message);
        let read = read.map_err(|e| CliError::negative(e.to_string()))?;
        floor.add(&read.text).map_err(broken)?;
        if done.is_multiple_of(COMMIT) || done == corpus.chunks {
            floor.commit().map_err(broken)?;
            line.say(format!("the library alone: {done} of {}", corpus.chunks));
        }
    }
    let alone = Alone {
        per_s: corpus.chunks as f64 / start.elapsed().as_secs_f64(),
        cpu_us: (cpu_ms(me) - cpu) * 1_000.0 / corpus.chunks as f64,
    };
    floor.close().map_err(broken)?;
    Ok(alone)
}

fn from_the_beginning(corpus: &Corpus) -> Result<impl BufRead, CliError> {
    let mut file = &corpus.messages;
    file.rewind()?;
    Ok(BufReader::new(file))
}
