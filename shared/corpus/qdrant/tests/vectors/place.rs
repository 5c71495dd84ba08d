//! The interface through which the test cases use a vector store.

use argosy_qdrant::{Options, Qdrant};
use envelope::{ChunkRecord, Classify, Filter};
use index::{Index, VectorSource};
use search::{Neighbour, SearchRequest, StreamPosition, VectorSearch};

/// The embedder whose vectors are kept.
pub(crate) const EMBEDDER: &str = "test-3";
/// Numbers in its vectors.
pub(crate) const DIMS: usize = 3;

/// A place that keeps vectors, empty at first. What was applied is found, and is there after it was
/// opened again.
pub(crate) trait Place: Sized {
    /// Takes in records and remembers a position.
    async fn apply(&mut self, records: &[ChunkRecord], position: &StreamPosition);
    /// Where it stands.
    async fn position(&self) -> Option<StreamPosition>;
    /// Forgets everything.
    async fn clear(&mut self);
    /// Whether it evaluates every condition of a filter. Where it does not, it may find more.
    fn evaluates(&self, _filter: &Filter) -> bool {
        true
    }
    /// Searches.
    async fn nearest(&self, vector: &[f32], request: &SearchRequest, k: usize) -> Vec<Neighbour>;
    /// As after a restart of the process.
    async fn reopen(self) -> Self;
    /// The case is over.
    async fn close(self);
}

/// A collection of a Qdrant server.
pub(crate) struct OnQdrant {
    options: Options,
    qdrant: Qdrant,
}

impl OnQdrant {
    /// A collection of its own for a case.
    pub(crate) async fn new(options: &Options, case: &str) -> OnQdrant {
        let options = Options {
            collection_prefix: format!("{}-{case}", options.collection_prefix),
            ..options.clone()
        };
        let qdrant = Qdrant::connect(&options, EMBEDDER, DIMS).await;
        OnQdrant {
            options,
            qdrant: qdrant.unwrap_or_else(|error| panic!("{}: {error}", error.code())),
        }
    }
}

impl Place for OnQdrant {
    async fn apply(&mut self, records: &[ChunkRecord], position: &StreamPosition) {
        self.qdrant.apply(records).await.unwrap();
        let commit = self.qdrant.commit(position.sequence, &position.stream);
        commit.await.unwrap();
    }

    async fn position(&self) -> Option<StreamPosition> {
        self.qdrant.position().await.unwrap()
    }

    async fn clear(&mut self) {
        self.qdrant.clear().await.unwrap();
    }

    fn evaluates(&self, filter: &Filter) -> bool {
        self.qdrant.evaluates(filter)
    }

    async fn nearest(&self, vector: &[f32], request: &SearchRequest, k: usize) -> Vec<Neighbour> {
        self.qdrant.nearest(vector, request, k).await.unwrap()
    }

    async fn reopen(self) -> Self {
        let qdrant = Qdrant::connect(&self.options, EMBEDDER, DIMS).await;
        OnQdrant {
            qdrant: qdrant.unwrap(),
            ..self
        }
    }

    async fn close(self) {
        self.qdrant.remove().await.unwrap();
    }
}

/// An index on disk.
pub(crate) struct OnDisk {
    dir: tempfile::TempDir,
    index: Index,
}

impl OnDisk {
    /// An empty one.
    pub(crate) fn new() -> OnDisk {
        OnDisk::open(tempfile::tempdir().unwrap())
    }

    fn open(dir: tempfile::TempDir) -> OnDisk {
        let vectors = VectorSource::Carried {
            by: EMBEDDER.into(),
            dims: DIMS,
        };
        let index = Index::open(dir.path(), &vectors).unwrap();
        OnDisk { dir, index }
    }
}

impl Place for OnDisk {
    async fn apply(&mut self, records: &[ChunkRecord], position: &StreamPosition) {
        let mut writer = self.index.writer().unwrap();
        writer.apply(records).unwrap();
        writer.commit(position.sequence, &position.stream).unwrap();
        writer.close().unwrap();
    }

    async fn position(&self) -> Option<StreamPosition> {
        self.index.position().unwrap()
    }

    async fn clear(&mut self) {
        let mut writer = self.index.writer().unwrap();
        writer.clear().unwrap();
        writer.commit(0, "cleared").unwrap();
    }

    async fn nearest(&self, vector: &[f32], request: &SearchRequest, k: usize) -> Vec<Neighbour> {
        self.index.nearest(vector, request, k).await.unwrap()
    }

    async fn reopen(self) -> Self {
        drop(self.index);
        OnDisk::open(self.dir)
    }

    async fn close(self) {}
}
