//! Keeps the replies of the models that extract columns from documents, as objects in the file store of the bus. All
//! indexers of a fleet read them, whatever edition they write. Old replies expire.
//!
//! The cache is *not* required: when there is no room or the bus is away, the model is asked again. Replies may fill
//! only the first quarter of the room, because they share it with large documents, which have to be stored.

use bus::Bus;
use bytes::Bytes;
use indexer::Answers;
use llm::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The longest reply that is kept, in bytes; a reply has 8,192 tokens at most.
const BYTES_MAX: u64 = 64 * 1024;
/// How long an operation on the files may take; a model takes longer.
const LIMIT: Duration = Duration::from_secs(2);

/// The share of the room above which no reply is kept.
const TAKEN_MAX: f64 = 0.25;
/// How long a reading of the room counts as current.
const SEEN: Duration = Duration::from_secs(5);

/// Replies of models among the files of a bus.
pub(crate) struct ExtractionCache {
    bus: Arc<dyn Bus>,
    /// Whether there was room, and when that was read.
    room: Mutex<Option<(Instant, bool)>>,
}

impl ExtractionCache {
    /// The replies on this bus.
    pub(crate) fn on(bus: Arc<dyn Bus>) -> ExtractionCache {
        ExtractionCache {
            bus,
            room: Mutex::default(),
        }
    }

    /// Whether replies may take more room; false when that cannot be read.
    async fn has_room(&self) -> bool {
        let seen = *self.room.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, has_room)) = seen.filter(|(at, _)| at.elapsed() < SEEN) {
            return has_room;
        }
        let taken = tokio::time::timeout(LIMIT, self.bus.files_taken()).await;
        let has_room = matches!(taken, Ok(Ok(taken)) if taken < TAKEN_MAX);
        *self.room.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((Instant::now(), has_room));
        has_room
    }
}

fn file(key: &str) -> String {
    format!("extracted.{key}")
}

impl Answers for ExtractionCache {
    fn find<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let file = file(key);
            let found = tokio::time::timeout(LIMIT, self.bus.get_file(&file, BYTES_MAX)).await;
            match found {
                Ok(Ok(bytes)) => String::from_utf8(bytes?.into()).ok(),
                Ok(Err(error)) => {
                    tracing::debug!(%error, file, "no kept answer");
                    None
                }
                Err(_) => None,
            }
        })
    }

    fn keep<'a>(&'a self, key: &'a str, answer: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if answer.len() as u64 > BYTES_MAX || !self.has_room().await {
                return;
            }
            let (file, bytes) = (file(key), Bytes::copy_from_slice(answer.as_bytes()));
            let kept = tokio::time::timeout(LIMIT, self.bus.put_file(&file, bytes)).await;
            if let Ok(Err(error)) = kept {
                tracing::debug!(%error, file, "answer not kept");
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::roles::ingest;
    use bus::memory::MemoryBus;
    use bus::topology::{FILES_KEPT, Topology};
    use envelope::document::Notice;
    use envelope::{Edition, TenantId, UnixMs};
    use llm::ChatModel;
    use settings::ByteSize;
    use stage::{Incoming, Ingest};
    use testkit::model::ScriptedModel;

    const SCHEMA: &str = "[invoices.buyer]\ntype = \"text\"\nmodel = true\n";
    const TEXT: &str = "# Invoice 7\n\nIt goes to Tessaly Ltd in Harbour Street.\n";

    /// Indexes the invoice for an edition, with an indexer of its own.
    async fn indexed(bus: &Arc<MemoryBus>, model: &Arc<ScriptedModel>, edition: &str, tokens: u32) {
        let dir = tempfile::tempdir().unwrap();
        let schemas = dir.path().join("schema.toml");
        std::fs::write(&schemas, SCHEMA).unwrap();
        let mut config = Config::default();
        config.indexer.schemas = Some(schemas);
        config.indexer.edition = Edition::new(edition).unwrap();
        config.indexer.chunk_tokens = tokens;
        config.indexer.overlap_tokens = 0;
        let model: Arc<dyn ChatModel> = model.clone();
        let answers = Arc::new(ExtractionCache::on(bus.clone()));
        let ingest = ingest(&config, None, &model, Some(answers)).unwrap();
        let notice = Notice::new(TenantId::default_tenant(), "invoices/7.md");
        let (bucket, doc_id) = ingest.place(&notice);
        let incoming = Incoming {
            notice,
            edition: config.indexer.edition.clone(),
            bucket,
            doc_id,
            sequence: 1,
            stored_at: UnixMs(0),
        };
        let mut draft = ingest.draft(&incoming, "v", Bytes::from_static(TEXT.as_bytes()));
        let cut = loop {
            if let Some(cut) = draft.next().await.unwrap() {
                break cut;
            }
        };
        assert_eq!(cut.columns.found, 1, "{:?}", cut.left_out);
    }

    #[tokio::test(start_paused = true)]
    async fn a_second_edition_of_the_same_documents_asks_no_model() {
        let bus = MemoryBus::new(&Topology::default());
        let model = ScriptedModel::answering(|_| Ok(r#"{"buyer": "Tessaly Ltd"}"#.into()));
        indexed(&bus, &model, "main", 256).await;
        assert_eq!(model.requests().len(), 1);
        indexed(&bus, &model, "small", 64).await;
        // By force, by another indexer.
        indexed(&bus, &model, "main", 256).await;
        assert_eq!(model.requests().len(), 1, "asked once for all");
        tokio::time::advance(FILES_KEPT).await;
        indexed(&bus, &model, "main", 256).await;
        assert_eq!(model.requests().len(), 2, "too old");
    }

    #[tokio::test(start_paused = true)]
    async fn answers_leave_most_of_the_room_to_documents() {
        let topology = Topology {
            files_bytes: ByteSize::from_bytes(1_000),
            ..Topology::default()
        };
        let bus = MemoryBus::new(&topology);
        let answers = ExtractionCache::on(bus.clone());
        answers.keep("first", &"x".repeat(300)).await;
        assert!(answers.find("first").await.is_some());
        tokio::time::advance(SEEN).await;
        answers.keep("second", "x").await;
        assert_eq!(answers.find("second").await, None, "a quarter is taken");
        let document = bus.put_file("large", Bytes::from(vec![0; 600]));
        assert_eq!(document.await, Ok(()));
        bus.delete_file("extracted.first").await.unwrap();
        bus.delete_file("large").await.unwrap();
        tokio::time::advance(SEEN).await;
        answers.keep("second", "x").await;
        assert!(answers.find("second").await.is_some(), "room again");
    }

    #[tokio::test]
    async fn without_room_the_model_is_asked_each_time() {
        let topology = Topology {
            files_bytes: ByteSize::from_bytes(0),
            ..Topology::default()
        };
        let bus = MemoryBus::new(&topology);
        let model = ScriptedModel::answering(|_| Ok(r#"{"buyer": "Tessaly Ltd"}"#.into()));
        indexed(&bus, &model, "main", 256).await;
        indexed(&bus, &model, "main", 256).await;
        assert_eq!(model.requests().len(), 2);
    }
}
