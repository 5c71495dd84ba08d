//! The floor of feeding: the same texts into the library alone.
//!
//! Bare tantivy as its own guide shows it: one field of text, kept as it came, with its analyzer for English and
//! the places of words, the threads and the memory of [`crate::index::Writer`]. What feeding an index costs beyond
//! this is our own doing, or the library's doing for fields that filters ask; `argosy-bench retrieval` reports the
//! ratio. *Not* an index that anybody could use: it knows no document, no tenant and no position.

use crate::index::{WRITER_BYTES, WRITER_THREADS};
use crate::search::Error;
use std::path::Path;
use tantivy::TantivyDocument;
use tantivy::indexer::IndexWriterOptions;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};

/// The library's own analyzer: words, lower case, English stems.
const ANALYZER: &str = "en_stem";

/// An index of texts.
pub struct Floor {
    writer: tantivy::IndexWriter,
    text: Field,
}

impl Floor {
    /// A new one in an empty folder.
    pub fn new(dir: &Path) -> Result<Floor, Error> {
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
    pub fn add(&mut self, text: &str) -> Result<(), Error> {
        let mut document = TantivyDocument::default();
        document.add_text(self.text, text);
        self.writer.add_document(document)?;
        Ok(())
    }

    /// Waits for merges that go on: dropped, they would run into whatever is measured next.
    pub fn close(self) -> Result<(), Error> {
        self.writer.wait_merging_threads()?;
        Ok(())
    }

    /// Makes what was taken in durable.
    pub fn commit(&mut self) -> Result<(), Error> {
        self.writer.commit()?;
        Ok(())
    }
}
