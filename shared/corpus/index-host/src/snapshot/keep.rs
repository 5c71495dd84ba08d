//! Writes snapshots: when one is due, the replica that gets the claim stores its index as of the last commit.

use super::{CLAIM, Error, Fit, Options, PIECES, is_due, next_name};
use bus::{Bus, Pieces, Publish, PublishError, Snapshot, Snapshots, WriteCondition};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use index::Index;
use index::archive::Archive;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// Bytes of a piece.
const PIECE_BYTES: usize = 128 * 1024;

/// What a replica needs for writing snapshots of its index.
pub struct Keeper {
    /// The store of the snapshots.
    pub snapshots: Arc<dyn Snapshots>,
    /// The bus, on which the claim is made.
    pub bus: Arc<dyn Bus>,
    /// The index.
    pub index: Index,
    /// The folder of the index.
    pub dir: PathBuf,
    /// The conditions for snapshots of this index.
    pub fit: Fit,
    /// When snapshots are written.
    pub options: Options,
}

impl Keeper {
    /// Writes snapshots until `stop` is cancelled, once the index has caught up to `from`.
    pub async fn run(self, mut seen: watch::Receiver<u64>, from: u64, stop: CancellationToken) {
        let every = self.options.every.duration();
        if every.is_zero() {
            return;
        }
        let work = async {
            if seen.wait_for(|seen| *seen >= from).await.is_err() {
                return;
            }
            loop {
                tokio::time::sleep(every).await;
                match self.write_if_due().await {
                    Ok(None) => {}
                    Ok(Some(written)) => tracing::info!(
                        sequence = written.sequence,
                        bytes = written.bytes,
                        took_ms = written.took.as_millis() as u64,
                        "snapshot written"
                    ),
                    Err(error) => tracing::warn!(%error, "snapshot not written"),
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = work => {}
        }
    }

    /// Writes a snapshot when it is due and no other replica has claimed it.
    pub(super) async fn write_if_due(&self) -> Result<Option<SnapshotWrite>, Error> {
        let Some(position) = self.index.position()? else {
            return Ok(None);
        };
        let there = self.fit.of(self.snapshots.list().await?);
        let chunks = self.index.chunk_count();
        let now = self.bus.now();
        if position.stream != self.fit.stream
            || !is_due(&self.options, position.sequence, chunks, there.first(), now)
            || !self.claim().await?
        {
            return Ok(None);
        }
        let written = self.write(&there);
        let limit = self.options.every.duration();
        match tokio::time::timeout(limit, written).await {
            Ok(written) => written.map(Some),
            Err(_) => Err(Error::Late(limit)),
        }
    }

    /// Tries to create the claim. The replica that creates it writes; the claim lasts until the next snapshot may
    /// be written.
    async fn claim(&self) -> Result<bool, Error> {
        let claim = Publish {
            condition: WriteCondition::Absent,
            ttl: Some(self.options.every.duration()),
            ..Publish::new(CLAIM, Bytes::new())
        };
        match self.bus.publish(claim).await {
            Ok(_) => Ok(true),
            Err(PublishError::Exists | PublishError::Conflict) => Ok(false),
            Err(error) => Err(Error::Claim(error)),
        }
    }

    /// Writes a snapshot of the last commit; `there` are the stored snapshots, newest first.
    pub async fn write(&self, there: &[Snapshot]) -> Result<SnapshotWrite, Error> {
        let start = Instant::now();
        let (index, dir) = (self.index.clone(), self.dir.clone());
        let held = tokio::task::spawn_blocking(move || index.archive(&dir)).await??;
        let archive = held.ok_or(Error::Empty)?;
        let sequence = archive.position().sequence;
        let bytes = archive.bytes();
        let name = next_name(&self.fit, there);
        // First room, then the new one: two have to fit, not three.
        self.snapshots.remove(&name).await?;
        self.snapshots.put(&name, sequence, pieces(archive)).await?;
        Ok(SnapshotWrite {
            sequence,
            bytes,
            took: start.elapsed(),
        })
    }
}

/// A snapshot that was written.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotWrite {
    /// The position of the index in the stream.
    pub sequence: u64,
    /// The size of the index's files in bytes.
    pub bytes: u64,
    /// How long the writing took.
    pub took: Duration,
}

/// Reads an archive on a thread of its own, a few pieces ahead.
fn pieces(archive: Archive) -> Pieces {
    let (send, receive) = mpsc::channel(PIECES);
    tokio::task::spawn_blocking(move || {
        let mut out = io::BufWriter::with_capacity(PIECE_BYTES, Sender(&send));
        if let Err(error) = archive.write(&mut out) {
            let _ = send.blocking_send(Err(io::Error::other(error)));
        }
    });
    stream::unfold(receive, |mut receive| async move {
        Some((receive.recv().await?, receive))
    })
    .boxed()
}

struct Sender<'a>(&'a mpsc::Sender<io::Result<Bytes>>);

impl Write for Sender<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let piece = Bytes::copy_from_slice(buf);
        let sent = self.0.blocking_send(Ok(piece));
        sent.map(|()| buf.len())
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
