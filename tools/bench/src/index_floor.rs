//! The floor of feeding and searching an index: bare tantivy with the same texts.
//!
//! It uses tantivy as tantivy's guide shows it: one stored field of text, the library's English analyzer, the
//! positions of words, and the threads and memory of [`index::Writer`]. The cost of feeding an index beyond the floor
//! comes from Argosy, or from the further fields that filters need; `argosy-bench retrieval` reports the ratio. The
//! floor is searched for the same stems as Argosy's index, and the texts of the best results are fetched. It is *not*
//! a usable index: it has no documents, no tenants and no position in the stream.

use index::{Error, ONE_THREAD_CHUNKS_MAX, WRITER_BYTES, WRITER_THREADS, query_stems};
use std::path::Path;
use tantivy::collector::{Count, TopDocs};
use tantivy::indexer::IndexWriterOptions;
use tantivy::query::{BooleanQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::{Searcher, TantivyDocument, Term};

/// The library's own analyzer: words in lower case, reduced to English stems.
const ANALYZER: &str = "en_stem";

/// An index of texts.
pub(crate) struct Floor {
    writer: tantivy::IndexWriter,
    text: Field,
}

impl Floor {
    /// Makes a floor in an empty folder.
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

    /// Waits for merges that are running; they would otherwise run into the next measurement.
    pub(crate) fn close(self) -> Result<(), Error> {
        self.writer.wait_merging_threads()?;
        Ok(())
    }

    /// Makes durable what was taken in.
    pub(crate) fn commit(&mut self) -> Result<(), Error> {
        self.writer.commit()?;
        Ok(())
    }
}

/// The texts of a floor, for searching. It runs on one thread or on all of them, as the search of Argosy does.
pub(crate) struct FloorSearch {
    searcher: Searcher,
    text: Field,
}

impl FloorSearch {
    /// Opens the texts of a floor that is closed.
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

    /// Searches for any of the stems of a query, fetches the texts of the best `fetch_k` results and returns their
    /// bytes. Where wanted, it also counts all matches.
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
