//! Starts an index from a snapshot: fetches it piece by piece, checks it, unpacks it into a folder aside and moves it
//! into place.

use super::{Error, Fit, PIECES, is_worth_it};
use bus::{Snapshot, Snapshots};
use bytes::Bytes;
use futures_util::TryStreamExt;
use index::archive::{UnpackedArchive, sweep};
use index::{Index, VectorSource};
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;
use tokio::sync::mpsc;

/// Starts the index in `dir` from a snapshot, where that is faster than a replay. Nothing may have the index open.
/// Returns its position afterwards, if a snapshot was used; a failure leaves the index as it was.
pub async fn restore(
    snapshots: &dyn Snapshots,
    dir: &Path,
    vectors: &VectorSource,
    fit: &Fit,
) -> Option<u64> {
    match newest(snapshots, dir, vectors, fit).await {
        Ok(restored) => restored,
        Err(error) => {
            tracing::warn!(%error, "no snapshot could be used at the start: the stream is replayed");
            None
        }
    }
}

async fn newest(
    snapshots: &dyn Snapshots,
    dir: &Path,
    vectors: &VectorSource,
    fit: &Fit,
) -> Result<Option<u64>, Error> {
    let position = position(dir, vectors, fit)?;
    for snapshot in fit.of(snapshots.list().await?) {
        // Older ones spare less.
        if !is_worth_it(&snapshot, position) {
            break;
        }
        match fetch(snapshots, &snapshot, dir, fit).await {
            Ok(sequence) => return Ok(Some(sequence)),
            Err(error) => {
                tracing::warn!(%error, sequence = snapshot.sequence, "snapshot not usable");
            }
        }
    }
    Ok(None)
}

/// Where the index is that lies in `dir`. Fails when another process has it.
fn position(dir: &Path, vectors: &VectorSource, fit: &Fit) -> Result<u64, index::Error> {
    let index = Index::open(dir, vectors)?;
    index.writer()?.close()?;
    sweep(dir)?;
    let position = index.position()?;
    let same = position.filter(|position| position.stream == fit.stream);
    Ok(same.map_or(0, |position| position.sequence))
}

async fn fetch(
    snapshots: &dyn Snapshots,
    snapshot: &Snapshot,
    dir: &Path,
    fit: &Fit,
) -> Result<u64, Error> {
    let start = Instant::now();
    let pieces = snapshots.get(&snapshot.name).await?;
    let mut pieces = pieces.ok_or(Error::Gone)?;
    let (send, receive) = mpsc::channel::<Bytes>(PIECES);
    let (dir, fit) = (dir.to_owned(), fit.clone());
    let unpacking = tokio::task::spawn_blocking(move || {
        let mut from = Receiver {
            pieces: receive,
            piece: Bytes::new(),
        };
        let unpacked = UnpackedArchive::read(&mut from, &dir, &fit.making, &fit.stream)?;
        unpacked.put_in_place()
    });
    // The one that unpacks says why it stopped.
    let mut lost = None;
    loop {
        match pieces.try_next().await {
            Ok(Some(piece)) => {
                if send.send(piece).await.is_err() {
                    break;
                }
            }
            Ok(None) => break,
            Err(error) => {
                lost = Some(error);
                break;
            }
        }
    }
    drop(send);
    let position = unpacking.await?.map_err(|error| match lost {
        Some(lost) => Error::Download(lost),
        None => error.into(),
    })?;
    tracing::info!(
        sequence = position.sequence,
        bytes = snapshot.bytes,
        took_ms = start.elapsed().as_millis() as u64,
        "index restored from a snapshot"
    );
    Ok(position.sequence)
}

struct Receiver {
    pieces: mpsc::Receiver<Bytes>,
    piece: Bytes,
}

impl Read for Receiver {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let read = buf.len().min(self.piece.len());
        buf[..read].copy_from_slice(&self.piece.split_to(read));
        Ok(read)
    }
}
