//! The floor of feeding and of searching: the same texts in the library alone.
//!
//! Bare tantivy as its own guide shows it: one field of text, kept as it came, with its analyzer for English and
//! the places of words, the threads and the memory of [`index::Writer`]. What feeding an index costs beyond
//! this is our own doing, or the library's doing for fields that filters ask; `argosy-bench retrieval` reports the
//! ratio. It is searched for the stems that a search of ours looks for, and the texts of the best are fetched.
//! *Not* an index that anybody could use: it knows no document, no tenant and no position.

use index::{Error, ONE_THREAD_CHUNKS_MAX, WRITER_BYTES, WRITER_THREADS, query_stems};
use std::path::Path;
use tantivy::collector::{Count, TopDocs};
use tantivy::indexer::IndexWriterOptions;
use tantivy::query::{BooleanQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::{Searcher, TantivyDocument, Term};

/// The library's own analyzer: words, lower case, English stems.
const ANALYZER: &str = "en_stem";

/// An index of texts.
pub(crate) struct Floor {
    writer: tantivy::IndexWriter,
    text: Field,
}

impl Floor {
    /// A new one in an empty folder.
    pub(crate) fn new(dir: &Path) -> Result<Floor, Error> {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(ANALYZER)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let options = TextOptions::default().set_indexing_options(indexing);
        let mut schema = Schema::builder();
        let text = schema.add_text_field("text", options.set_stored());
        let index = tantivy::Index::create_in_dir(dir, schema.build())?;
        let options = IndexWriterOptions::builder()
            .num_worker_threads(WRITER_THREADS)
            .memory_budget_per_thread(WRITER_BYTES)
            .num_merge_threads(1)
            .build();
        let writer = index.writer_with_options(options)?;
        Ok(Floor { writer, text })
    }

    /// Takes in a text.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), Error> {
        let mut document = TantivyDocument::default();
        document.add_text(self.text, text);
        self.writer.add_document(document)?;
        Ok(())
    }

    /// Waits for merges that go on: dropped, they would run into whatever is measured next.
    pub(crate) fn close(self) -> Result<(), Error> {
        self.writer.wait_merging_threads()?;
        Ok(())
    }

    /// Makes what was taken in durable.
    pub(crate) fn commit(&mut self) -> Result<(), Error> {
        self.writer.commit()?;
        Ok(())
    }
}

/// The texts of a floor, for searching. On one thread or all, as ours is.
pub(crate) struct FloorSearch {
    searcher: Searcher,
    text: Field,
}

impl FloorSearch {
    /// Those of a floor that is closed.
    pub(crate) fn open(dir: &Path) -> Result<FloorSearch, Error> {
        let mut index = tantivy::Index::open_in_dir(dir)?;
        let text = index.schema().get_field("text")?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if index.reader()?.searcher().num_docs() > ONE_THREAD_CHUNKS_MAX && cores > 1 {
            index.set_multithread_executor(cores)?;
        }
        let searcher = index.reader()?.searcher();
        Ok(FloorSearch { searcher, text })
    }

    /// Looks for any of the stems of a query, fetches the texts of the best `fetch_k` and tells how many
    /// bytes they have; counts all that match where that is wanted.
    pub(crate) fn best(&self, query: &str, fetch_k: usize, counted: bool) -> Result<usize, Error> {
        let words = query_stems(query);
        let one = |stem: &String| -> Box<dyn Query> {
            let term = Term::from_field_text(self.text, stem);
            Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
        };
        let query = BooleanQuery::union(words.iter().map(one).collect());
        let top = TopDocs::with_limit(fetch_k).order_by_score();
        let best = match counted {
            true => self.searcher.search(&query, &(top, Count))?.0,
            false => self.searcher.search(&query, &top)?,
        };
        let mut bytes = 0;
        for (_, address) in best {
            let document: TantivyDocument = self.searcher.doc(address)?;
            let text = document.get_first(self.text);
            bytes += text.and_then(|text| text.as_str()).map_or(0, str::len);
        }
        Ok(bytes)
    }
}
