//! Keeps the vectors of the index in step with its commits, and makes them if they come from the static table.
//!
//! The vectors of an encoder come with the chunks. Those of the static table are made here, because the weight of a
//! word depends on the corpus: the weights are fitted to the corpus, and fitted again when it has doubled, so that
//! every chunk is embedded only a few times however the corpus grows.

use super::row_writer::RowWriter;
use super::rows::{self, Layout, Rows};
use super::sentence_cache::SentenceCache;
use crate::Error;
use envelope::{ChunkRecord, Embedding};
use llm::Embedder;
use static_embed::{Frequencies, StaticEmbedder, StaticTable};
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use tantivy::directory::{Directory, MmapDirectory, RamDirectory};

/// The static table is fitted again when the corpus is this many times what it was fitted to.
const REFIT_FACTOR: u64 = 2;

/// Where the vectors of an index come from.
#[derive(Clone, Default)]
pub enum VectorSource {
    /// The index has no vectors; searches are by words only.
    #[default]
    None,
    /// Vectors come with the chunks, made by this embedder; vectors of other embedders are ignored.
    Carried {
        /// See `llm::Embedder::name`.
        by: String,
        /// Numbers in a vector.
        dims: usize,
    },
    /// The index makes them from the static table.
    Table(Arc<StaticTable>),
}

impl VectorSource {
    pub(super) fn name_and_dims(&self) -> Option<(String, usize)> {
        match self {
            VectorSource::None => None,
            VectorSource::Carried { by, dims } => Some((by.clone(), *dims)),
            VectorSource::Table(table) => {
                let embedder = StaticEmbedder::new(table.clone(), &Frequencies::default());
                Some((embedder.name().to_owned(), embedder.dims()))
            }
        }
    }
}

/// What searches see: as of the last commit.
#[derive(Clone, Default)]
pub(super) struct View {
    pub(super) rows: Option<Rows>,
    pub(super) fitted: Option<Fitted>,
}

/// The static table as it was fitted when the rows of a generation were made.
#[derive(Clone)]
pub(super) struct Fitted {
    generation: u64,
    pub(super) embedder: Arc<StaticEmbedder>,
    /// Sentences that it read.
    pub(super) sentences: Arc<SentenceCache>,
}

/// The vectors of one index: its folder, and what searches see of it.
#[derive(Clone)]
pub(super) struct Store {
    pub(super) source: VectorSource,
    dir: Box<dyn Directory>,
    view: Arc<RwLock<View>>,
}

impl Store {
    /// Vectors in memory.
    pub(super) fn in_ram(source: VectorSource) -> Store {
        Store::over(source, Box::new(RamDirectory::create()))
    }

    /// Vectors in a folder.
    pub(super) fn open(source: VectorSource, dir: &Path) -> tantivy::Result<Store> {
        std::fs::create_dir_all(dir)?;
        Ok(Store::over(source, Box::new(MmapDirectory::open(dir)?)))
    }

    fn over(source: VectorSource, dir: Box<dyn Directory>) -> Store {
        Store {
            source,
            dir,
            view: Arc::default(),
        }
    }

    pub(super) fn view(&self) -> View {
        let view = self.view.read();
        view.map_or_else(|poisoned| poisoned.into_inner().clone(), |v| v.clone())
    }

    fn show(&self, view: View) {
        match self.view.write() {
            Ok(mut shown) => *shown = view,
            Err(poisoned) => *poisoned.into_inner() = view,
        }
    }

    /// Whether a layout was made with this store's vectors.
    pub(super) fn made(&self, layout: &Layout) -> bool {
        self.source.name_and_dims() == Some((layout.by.clone(), layout.dims))
    }

    /// Shows what the last commit said.
    pub(super) fn load(&self, layout: Option<&Layout>) -> Result<(), Error> {
        let Some(layout) = layout.filter(|layout| self.made(layout)) else {
            return Ok(());
        };
        let rows = Rows::open(&*self.dir, layout)?;
        let known = self.view().fitted;
        let fitted = match &self.source {
            VectorSource::Table(table) if layout.fitted > 0 => {
                let is_same = |known: &Fitted| known.generation == layout.generation;
                Some(match known.filter(is_same) {
                    Some(known) => known,
                    None => self.fitted(table, layout.generation)?,
                })
            }
            _ => None,
        };
        self.show(View {
            rows: Some(rows),
            fitted,
        });
        Ok(())
    }

    fn fitted(&self, table: &Arc<StaticTable>, generation: u64) -> Result<Fitted, Error> {
        let bytes = rows::read(&*self.dir, &words_file(generation))?;
        let words = Frequencies::from_bytes(&bytes)
            .map_err(|e| Error::index(format!("words of the static table: {e}")))?;
        Ok(Fitted {
            generation,
            embedder: Arc::new(StaticEmbedder::new(table.clone(), &words)),
            sentences: Arc::default(),
        })
    }

    /// The writer, from where the last commit left it.
    pub(super) fn writer(&self, layout: Option<Layout>) -> Option<VectorWriter> {
        let (by, dims) = self.source.name_and_dims()?;
        let (fresh, before) = match layout {
            Some(layout) if self.made(&layout) => (layout, None),
            Some(old) => {
                let fresh = Layout {
                    generation: old.generation + 1,
                    ..Layout::empty(&by, dims)
                };
                (fresh, Some(old))
            }
            None => (Layout::empty(&by, dims), None),
        };
        Some(VectorWriter {
            by,
            fitted: self.view().fitted.map(|fitted| fitted.embedder),
            rows: RowWriter::new(self.dir.box_clone(), fresh),
            before,
            store: self.clone(),
        })
    }
}

/// Is given the text of a chunk.
pub(super) type EachText<'a> = dyn FnMut(&str) -> Result<(), Error> + 'a;

/// Makes rows for the chunks that are taken in.
pub(super) struct VectorWriter {
    by: String,
    fitted: Option<Arc<StaticEmbedder>>,
    rows: RowWriter,
    /// What counted before the commit in progress.
    before: Option<Layout>,
    store: Store,
}

impl VectorWriter {
    /// The row of a chunk that is added.
    pub(super) fn row(&mut self, record: &ChunkRecord) -> u64 {
        let row = self.rows.next_row();
        match (&record.embedding, &self.fitted) {
            (_, Some(fitted)) => {
                let vector = fitted.vector(&record.embedded_text());
                self.rows.push(&Embedding::of("", &vector))
            }
            (Some(embedding), None) if self.is_ours(embedding) => self.rows.push(embedding),
            _ => self.rows.push_empty(),
        }
        row
    }

    /// Another length would shift every row that follows.
    fn is_ours(&self, embedding: &Embedding) -> bool {
        embedding.by == self.by && embedding.values.len() == self.rows.layout().dims
    }

    /// Stores what is new; the commit that follows names it.
    pub(super) fn flush(&mut self) -> Result<Layout, Error> {
        let before = self.rows.layout().clone();
        self.rows.flush()?;
        self.before.get_or_insert(before);
        Ok(self.rows.layout().clone())
    }

    /// The commit is done: searches see what it names, and what it replaced goes.
    pub(super) fn committed(&mut self) -> Result<(), Error> {
        let layout = self.rows.layout();
        self.store.load(Some(layout))?;
        if let Some(before) = self.before.take() {
            self.rows.sweep(&before);
            if before.generation != layout.generation {
                let _ = self.store.dir.delete(&words_file(before.generation));
            }
        }
        Ok(())
    }

    /// Whether rows are to be made anew for `chunks` chunks: the static table is to be fitted to them,
    /// or most rows are of chunks that are no more.
    pub(super) fn is_stale(&self, chunks: u64) -> bool {
        self.has_grown(chunks) || self.rows.is_wasteful(chunks)
    }

    fn has_grown(&self, chunks: u64) -> bool {
        let table = matches!(self.store.source, VectorSource::Table(_));
        table && chunks > 0 && chunks >= REFIT_FACTOR * self.rows.layout().fitted
    }

    /// Makes the rows of `living`, which are in order, anew, and forgets the others. `texts` calls back
    /// with the text of each of them, in that order; it is called twice where the static table is fitted,
    /// and not at all where rows stay what they are.
    pub(super) fn make_anew(
        &mut self,
        living: &[u64],
        texts: impl Fn(&mut EachText<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // Made aside: what fails half-way leaves the rows that count as they are.
        let anew = match &self.store.source {
            VectorSource::Table(table) if self.has_grown(living.len() as u64) => {
                let (anew, fitted) = self.fit(table, living, texts)?;
                self.fitted = Some(fitted);
                anew
            }
            _ => self.move_together(living)?,
        };
        self.before = Some(std::mem::replace(&mut self.rows, anew).layout().clone());
        Ok(())
    }

    fn move_together(&self, living: &[u64]) -> Result<RowWriter, Error> {
        let anew = self.rows.moved_together(living)?;
        if self.rows.layout().fitted > 0 {
            let dir = &*self.store.dir;
            let words = rows::read(dir, &words_file(self.rows.layout().generation))?;
            let file = words_file(anew.layout().generation);
            rows::write(dir, &file, [words.as_slice()].into_iter())?;
        }
        Ok(anew)
    }

    fn fit(
        &self,
        table: &Arc<StaticTable>,
        living: &[u64],
        texts: impl Fn(&mut EachText<'_>) -> Result<(), Error>,
    ) -> Result<(RowWriter, Arc<StaticEmbedder>), Error> {
        let mut words = Frequencies::default();
        texts(&mut |text| {
            words.count(&table.tokens(text));
            Ok(())
        })?;
        let fitted = Arc::new(StaticEmbedder::new(table.clone(), &words));
        let documents = u64::from(words.documents());
        let mut anew = self.rows.next_generation(documents, living)?;
        texts(&mut |text| {
            anew.push(&Embedding::of("", &fitted.vector(text)));
            anew.flush_full()
        })?;
        let file = words_file(anew.layout().generation);
        rows::write(&*self.store.dir, &file, [&words.to_bytes()[..]].into_iter())?;
        Ok((anew, fitted))
    }

    /// Forgets all rows, as of the next commit.
    pub(super) fn clear(&mut self) -> Result<(), Error> {
        let anew = self.rows.next_generation(0, &[])?;
        let before = std::mem::replace(&mut self.rows, anew).layout().clone();
        self.before.get_or_insert(before);
        self.fitted = None;
        Ok(())
    }
}

pub(super) fn words_file(generation: u64) -> PathBuf {
    PathBuf::from(format!("{generation}.words"))
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
mod tests;
