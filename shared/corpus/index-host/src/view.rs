//! Feeds the corpus stream into a local index and commits it.

use bus::StoredMessage;
use envelope::ChunkRecord;
use index::{Index, WithoutVector, Writer};
use streams::feed::Projection;
use tokio::sync::watch;

/// A tantivy index as a view of the corpus stream.
pub struct IndexView {
    index: Index,
    writer: Writer,
    /// Which stream it was fed from: a re-created one starts it anew.
    stream: String,
    waiting: Vec<ChunkRecord>,
    applied: u64,
    committed: u64,
    /// What a search finds.
    found: watch::Sender<u64>,
    /// The same once the corpus was looked at as a whole.
    seen: watch::Sender<u64>,
    /// Told how many chunks vectors cannot find.
    without_vector: Option<WithoutVector>,
    /// How many there were when it was said last.
    said: u64,
}

/// Records that are taken in at once.
const BATCH: usize = 512;
/// Messages after which the index is committed while new ones keep coming.
const COMMIT: u64 = 5_000;
/// The same while it is behind: what a crash would have it read again.
const COMMIT_BEHIND: u64 = 100_000;

impl IndexView {
    /// Makes a view of `index` on the stream of this name. The receiver has the sequence up to which the index has
    /// caught up.
    pub fn new(
        index: Index,
        stream: String,
    ) -> Result<(IndexView, watch::Receiver<u64>), index::Error> {
        let mut writer = index.writer()?;
        let position = index.position()?;
        let committed = match &position {
            Some(at) if at.stream == stream => {
                look_at_whole(&mut writer)?;
                at.sequence
            }
            Some(_) => {
                tracing::warn!(
                    stream,
                    "the index was fed from another stream; it is built anew"
                );
                writer.clear()?;
                0
            }
            None => 0,
        };
        Ok(Self::from(index, writer, stream, committed))
    }

    /// Makes a view of `index` on a stream that is empty at every start (the bus of one process). The content of the
    /// index is kept.
    pub fn kept(index: Index) -> Result<(IndexView, watch::Receiver<u64>), index::Error> {
        let mut writer = index.writer()?;
        if index.position()?.is_some() {
            look_at_whole(&mut writer)?;
        }
        Ok(Self::from(index, writer, "memory".into(), 0))
    }

    fn from(
        index: Index,
        writer: Writer,
        stream: String,
        committed: u64,
    ) -> (IndexView, watch::Receiver<u64>) {
        let (seen, receiver) = watch::channel(committed);
        (
            IndexView {
                index,
                writer,
                stream,
                waiting: Vec::new(),
                applied: committed,
                committed,
                found: watch::Sender::new(committed),
                seen,
                without_vector: None,
                said: 0,
            },
            receiver,
        )
    }

    /// Also reports in `told` how many chunks a vector search cannot find.
    pub fn telling(mut self, told: WithoutVector) -> Result<IndexView, index::Error> {
        self.without_vector = Some(told);
        self.tell_without_vector()?;
        Ok(self)
    }

    /// A receiver of the last sequence that a search finds.
    pub fn found(&self) -> watch::Receiver<u64> {
        self.found.subscribe()
    }

    /// How many chunks can be found.
    pub fn chunk_count(&self) -> u64 {
        self.index.chunk_count()
    }

    fn commit(&mut self) -> Result<(), index::Error> {
        tokio::task::block_in_place(|| {
            self.take_in()?;
            self.writer.commit(self.applied, &self.stream)
        })?;
        self.committed = self.applied;
        self.found.send_replace(self.committed);
        Ok(())
    }

    /// Chunks that were embedded by another embedder, or by none, are not found by their vector, and nothing fails.
    fn tell_without_vector(&mut self) -> Result<(), index::Error> {
        let chunks = tokio::task::block_in_place(|| self.index.without_vector())?;
        // Where the vectors are kept elsewhere, that store reports it.
        let Some(chunks) = chunks else {
            return Ok(());
        };
        // Always: the gauge may hold what an edition of the same name had that was dropped.
        if let Some(told) = &self.without_vector {
            told.set(chunks);
        }
        if chunks > self.said {
            tracing::warn!(
                chunks,
                stream = self.stream,
                "chunks without a vector of this embedder: vectors do not find them; `argosy index --force` \
                 makes them anew"
            );
        }
        self.said = chunks;
        Ok(())
    }

    fn take_in(&mut self) -> Result<(), index::Error> {
        self.writer.apply(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}

/// Fits the vectors to the corpus where that is due. At the start too: an earlier run may have been
/// killed at it, and a corpus to which nothing is added would have none.
fn look_at_whole(writer: &mut Writer) -> Result<(), index::Error> {
    tokio::task::block_in_place(|| writer.refit())
}

impl Projection for IndexView {
    fn apply(
        &mut self,
        message: StoredMessage,
        pending: u64,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        match ChunkRecord::decode(&message.body) {
            Ok(record) => self.waiting.push(record),
            // One bad chunk does not stop the corpus; it is named and passed over.
            Err(error) => {
                tracing::error!(%error, subject = message.subject, "an unreadable chunk is passed over")
            }
        }
        self.applied = message.sequence;
        if self.waiting.len() >= BATCH {
            tokio::task::block_in_place(|| self.take_in())?;
        }
        let most = if pending == 0 { COMMIT } else { COMMIT_BEHIND };
        if self.applied - self.committed >= most {
            self.commit()?;
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        // The last message may have been committed already, without a report.
        if self.applied > *self.seen.borrow() {
            self.commit()?;
            // What was waiting is taken in: the moment to look at the corpus as a whole.
            look_at_whole(&mut self.writer)?;
            self.tell_without_vector()?;
            self.seen.send_replace(self.committed);
        }
        Ok(())
    }

    fn position(&self) -> u64 {
        self.applied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Headers;
    use bytes::Bytes;
    use envelope::UnixMs;
    use index::{HybridSearcher, Options, VectorSource};
    use search::{SearchRequest, Searcher};
    use serde_json::json;

    fn record(doc: &str, text: &str) -> ChunkRecord {
        let record = json!({
            "v": 1, "tenant": "default", "bucket": "b", "doc_id": doc, "n": 0, "of": 1, "hash": "h",
            "source": format!("b/{doc}.md"), "text": text,
        });
        serde_json::from_value(record).unwrap()
    }

    /// What a search by vectors alone finds.
    async fn by_vectors(index: &Index, query: &str) -> Vec<String> {
        let options = Options {
            words: false,
            ..Options::default()
        };
        let request = SearchRequest::new(envelope::TenantId::default_tenant(), query, 10, 1);
        let searcher = HybridSearcher::new(index.clone(), options);
        let found = searcher.search(&request).await.unwrap();
        let passages = found.passages.into_iter();
        passages.map(|p| p.doc_id.to_string()).collect()
    }

    /// Killed after its first commit and before the vectors were made; nothing more comes.
    #[tokio::test(flavor = "multi_thread")]
    async fn who_was_killed_at_the_first_fit_makes_it_good_at_the_next_start() {
        let vectors = VectorSource::Table(static_embed::StaticTable::shipped());
        let records = [
            record("dog", "The puppy barked at the other dogs in the kennel."),
            record("bank", "The bank raised the interest rate of the loan."),
        ];
        type Started = fn(Index) -> Result<(IndexView, watch::Receiver<u64>), index::Error>;
        let starts: [Started; 2] = [
            |index| IndexView::new(index, "chunks@1".into()),
            IndexView::kept,
        ];
        for start in starts {
            let index = Index::open_in_ram(&vectors).unwrap();
            let mut writer = index.writer().unwrap();
            writer.apply(&records).unwrap();
            writer.commit(2, "chunks@1").unwrap();
            drop(writer);
            assert!(by_vectors(&index, "canine pets").await.is_empty());
            let _started = start(index.clone()).unwrap();
            assert_eq!(by_vectors(&index, "canine pets").await, ["dog"]);
            assert_eq!(index.position().unwrap().unwrap().sequence, 2);
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn chunks_that_vectors_cannot_find_are_told() {
        let vectors = VectorSource::Carried {
            by: "compass".into(),
            dims: 2,
        };
        let index = Index::open_in_ram(&vectors).unwrap();
        let registry = telemetry::Registry::new();
        let metrics = index::Metrics::new(&registry).unwrap();
        let gauge = || {
            let text = registry.encode();
            let line = text.lines().find(|line| line.contains("_without_vector{"));
            line.unwrap().rsplit(' ').next().unwrap().to_owned()
        };
        // As an edition of the same name left it.
        metrics.without_vector("main").set(100);
        let (view, _) = IndexView::new(index, "chunks@1".into()).unwrap();
        let mut view = view.telling(metrics.without_vector("main")).unwrap();
        assert_eq!(gauge(), "0", "begun anew");
        let by = |by: &str, doc: &str| ChunkRecord {
            embedding: Some(envelope::Embedding::of(by, &[1.0, 0.5])),
            ..record(doc, "text")
        };
        let mut sequence = 0;
        let mut taken_in = |records: &[ChunkRecord]| {
            for record in records {
                sequence += 1;
                let message = StoredMessage {
                    subject: "argosy.chunk.main.a.b.0".into(),
                    sequence,
                    stored_at: UnixMs(0),
                    headers: Headers::default(),
                    body: record.encode().unwrap(),
                };
                view.apply(message, 0).unwrap();
            }
            view.settle().unwrap();
            gauge()
        };
        let (ours, others) = (by("compass", "a"), by("other", "b"));
        assert_eq!(taken_in(&[ours, others, record("c", "text")]), "2");
        assert_eq!(taken_in(&[by("compass", "b")]), "1", "made anew");
    }

    /// As many messages as make a commit of their own, and no more.
    #[tokio::test(flavor = "multi_thread")]
    async fn who_has_caught_up_says_so_even_when_the_last_message_was_committed_by_itself() {
        let index = Index::open_in_ram(&VectorSource::None).unwrap();
        let (mut view, seen) = IndexView::new(index, "chunks@1".into()).unwrap();
        for sequence in 1..=COMMIT {
            let message = StoredMessage {
                subject: "argosy.chunk.main.a.b.0".into(),
                sequence,
                stored_at: UnixMs(0),
                headers: Headers::default(),
                body: Bytes::from_static(b"unreadable"),
            };
            view.apply(message, COMMIT - sequence).unwrap();
        }
        assert_eq!(view.committed, COMMIT);
        view.settle().unwrap();
        assert_eq!(*seen.borrow(), COMMIT);
    }
}
