//! Builds the index that a measurement searches, from a data set and through the records of the corpus stream.

use super::dataset::{Dataset, Gold, squeezed};
use super::metrics::mean;
use super::{Error, Progress, vectors};
use documents::Document;
use documents::chunk::{CHUNK_TOKENS_MAX, OVERLAP_TOKENS_MAX};
use documents::document::sha256_hex;
use documents::record::publish_order;
use envelope::ChunkRecord;
use index::{Index, VectorSource};
use index_host::search_factory::SearchFactory;
use linking::DescribedBucket;
use search::StreamPosition;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Chunks that are handed to the writer at once.
const BATCH: usize = 200;

/// An index over a data set.
pub(super) struct Ground {
    /// The index.
    pub(super) index: Index,
    /// What is searched with.
    pub(super) factory: SearchFactory,
    /// Its folder, where it is not to be kept.
    _folder: Option<TempDir>,
}

impl Ground {
    /// Indexes the documents in `folder`, or in one that goes with the ground. An index that is
    /// there and holds the same documents, cut by the same limits, is used as it is. Vectors that
    /// travel are made here, or taken from the folder `cache`.
    pub(super) async fn build(
        dataset: &Dataset,
        factory: SearchFactory,
        folder: Option<&Path>,
        cache: Option<&Path>,
        say: Progress<'_>,
    ) -> Result<Ground, Error> {
        let (path, temporary) = match folder {
            Some(folder) => (folder.to_owned(), None),
            None => {
                let folder = tempfile::tempdir()?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        let broken = |error| Error::Index {
            dir: path.clone(),
            error,
        };
        let index = Index::open(&path, factory.vectors()).map_err(broken)?;
        let whole = whole(dataset);
        if index.position().map_err(broken)?.as_ref() == Some(&whole) {
            tokio::task::block_in_place(|| fit(&index)).map_err(broken)?;
        } else {
            let documents = dataset.documents.iter();
            let mut records: Vec<_> = documents.flat_map(|d| publish_order(d, None)).collect();
            if let Some(embedder) = factory.embedder() {
                vectors::make(&*embedder, &mut records, cache, say).await?;
            }
            let fill = || fill(&index, &records, &whole, say);
            tokio::task::block_in_place(fill).map_err(broken)?;
        }
        Ok(Ground {
            index,
            factory,
            _folder: temporary,
        })
    }

    /// The name of the embedder, where there is one.
    pub(super) fn embedder(&self) -> Option<String> {
        match self.factory.vectors() {
            VectorSource::None => None,
            VectorSource::Carried { by, .. } => Some(by.clone()),
            VectorSource::Table(_) => Some(static_embed::STATIC_NAME.into()),
        }
    }
}

/// An index of documents in memory, for searches by words alone, with the descriptions that schemas have.
pub(super) fn in_memory(
    described: Vec<DescribedBucket>,
    documents: impl Iterator<Item = Document>,
) -> Result<Index, Error> {
    let fill = || {
        let index = Index::open_in_ram(&VectorSource::None)?;
        index.describe(described);
        let mut writer = index.writer()?;
        for document in documents {
            writer.apply(&publish_order(&document, None))?;
        }
        writer.commit(1, "eval")?;
        Ok(index)
    };
    fill().map_err(broken)
}

/// An index in memory that failed.
pub(super) fn broken(error: index::Error) -> Error {
    Error::Index {
        dir: PathBuf::from("(in memory)"),
        error,
    }
}

/// Fits the vectors, in case the process that filled the index was killed before it did.
fn fit(index: &Index) -> Result<(), index::Error> {
    let mut writer = index.writer()?;
    writer.refit()?;
    writer.close()
}

fn fill(
    index: &Index,
    records: &[ChunkRecord],
    whole: &StreamPosition,
    say: Progress<'_>,
) -> Result<(), index::Error> {
    let mut writer = index.writer()?;
    writer.clear()?;
    for (n, batch) in records.chunks(BATCH).enumerate() {
        say(format!("indexing: {} of {}", n * BATCH, records.len()));
        writer.apply(batch)?;
    }
    writer.commit(whole.sequence, &whole.stream)?;
    say("fitting the vectors".to_owned());
    writer.refit()?;
    writer.close()
}

/// Where an index of all documents stands.
fn whole(dataset: &Dataset) -> StreamPosition {
    StreamPosition {
        stream: fingerprint(dataset),
        sequence: dataset.documents.len() as u64,
    }
}

/// What the index would be made of.
fn fingerprint(dataset: &Dataset) -> String {
    let mut all = format!("eval {CHUNK_TOKENS_MAX} {OVERLAP_TOKENS_MAX}");
    for document in &dataset.documents {
        // Metadata is not in the hash where the data set has it beside the text.
        let metadata = serde_json::to_string(&document.metadata).unwrap_or_default();
        all.push_str(&format!(
            "\n{} {} {} {metadata}",
            document.doc_id, document.hash, document.title
        ));
    }
    sha256_hex(all.as_bytes())
}

/// The share of a question's facts that some chunk has whole, on average; `None` where documents are
/// the unit. It reads the whole corpus for every fact: seconds.
pub(super) fn ceiling(dataset: &Dataset) -> Option<f64> {
    let mut corpus = String::new();
    for record in dataset
        .documents
        .iter()
        .flat_map(|d| publish_order(d, None))
    {
        corpus.push_str(&squeezed(&record.text));
        corpus.push('\n'); // squeezed texts have none, so no fact reaches over it
    }
    let mut known: HashMap<&str, bool> = HashMap::new();
    let shares = dataset.questions.iter().filter_map(|question| {
        let Gold::Facts(facts) = &question.gold else {
            return None;
        };
        let mut there = 0u32;
        for fact in facts {
            let whole = known
                .entry(fact)
                .or_insert_with(|| corpus.contains(fact.as_str()));
            there += u32::from(*whole);
        }
        (!facts.is_empty()).then(|| f64::from(there) / facts.len() as f64)
    });
    mean(shares)
}

#[cfg(test)]
mod tests {
    use super::super::dataset::Unit;
    use super::*;
    use crate::dataset::DatasetName;
    use documents::document::NumberedLine;
    use serde_json::json;

    fn data(city: &str) -> Dataset {
        let tenant = envelope::TenantId::default_tenant();
        let source = "cacm/1.md";
        let document = Document {
            doc_id: documents::document::doc_id_of(&tenant, source),
            bucket: documents::document::bucket_of(source),
            tenant,
            source: source.into(),
            title: "Rates".into(),
            ext: "md".into(),
            metadata: [("city".to_owned(), json!(city))].into(),
            page_names: Default::default(),
            hash: "h".into(),
            lines: vec![NumberedLine {
                number: 1,
                page: None,
                text: "The rates.".into(),
            }],
        };
        Dataset {
            name: DatasetName::Cacm,
            documents: vec![document],
            questions: Vec::new(),
            unit: Unit::Chunk,
            unmatched: 0,
        }
    }

    /// Killed after the commit of all documents and before the vectors were made.
    #[tokio::test(flavor = "multi_thread")]
    async fn an_index_that_was_left_without_vectors_gets_them() {
        let folder = tempfile::tempdir().unwrap();
        let factory = || {
            SearchFactory::new(
                &index_host::Options::default(),
                None,
                &telemetry::Registry::new(),
                &llm_pool::Pools::default(),
            )
            .unwrap()
        };
        let dataset = data("Porto");
        let whole = whole(&dataset);
        let index = Index::open(folder.path(), factory().vectors()).unwrap();
        let mut writer = index.writer().unwrap();
        writer
            .apply(&publish_order(&dataset.documents[0], None))
            .unwrap();
        writer.commit(whole.sequence, &whole.stream).unwrap();
        drop(writer);
        drop(index);
        let ground = Ground::build(&dataset, factory(), Some(folder.path()), None, &|_| ());
        let ground = ground.await.unwrap();
        let options = index::Options {
            words: false,
            ..index::Options::default()
        };
        let request = crate::measure::request("rates", 1);
        let searcher = index::HybridSearcher::new(ground.index, options);
        let found = search::Searcher::search(&searcher, &request).await.unwrap();
        assert_eq!(found.passages.len(), 1);
    }

    #[test]
    fn an_index_of_other_metadata_is_another_index() {
        assert_eq!(fingerprint(&data("Porto")), fingerprint(&data("Porto")));
        assert_ne!(fingerprint(&data("Porto")), fingerprint(&data("Lisbon")));
    }
}
