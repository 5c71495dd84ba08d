//! Reading, cutting, embedding.

use crate::columns::Columns;
use crate::error::Error;
use crate::extract::Extractor;
use crate::options::{Options, OptionsError};
use crate::schema::{Applied, Schemas};
use bytes::Bytes;
use embed::{Embedder, Side};
use envelope::document::{Form, Notice};
use envelope::{Bucket, DocId, Problem};
use retrieval::chunk;
use retrieval::document::{bucket_of, doc_id_of, sha256_hex};
use retrieval::normalise::NORMALISER;
use retrieval::reader::read_bytes;
use retrieval::record::{records, tombstone};
use retrieval::vector::Embedding;
use retrieval::{ChunkRecord, Document, Entry, embedded_text};
use stage::{BoxFuture, Chunk, Cut, Incoming, Ingest, Known};
use std::ops::Range;
use std::sync::Arc;

/// The indexer.
pub struct Indexer {
    /// Makes the vectors that travel with the chunks, if any do: a table of words is every
    /// retriever's own.
    embedder: Option<Arc<dyn Embedder>>,
    /// Which columns documents have, and who is asked for those that are missing.
    columns: Columns,
    cutting: chunk::Options,
    pipeline: String,
    batch: usize,
}

/// A document that was read.
struct Read {
    document: Document,
    applied: Applied,
    /// What was left out of it.
    left_out: Option<Problem>,
}

impl Indexer {
    /// An indexer; with an embedder, its vectors travel with the chunks.
    pub fn new(
        embedder: Option<Arc<dyn Embedder>>,
        options: &Options,
    ) -> Result<Indexer, OptionsError> {
        options.validate()?;
        let cutting = options.cutting();
        let mut pipeline = format!("{NORMALISER}+{}", cutting.name());
        if let Some(embedder) = &embedder {
            pipeline = format!("{pipeline}+{}", embedder.name());
        }
        Ok(Indexer {
            embedder,
            columns: Columns::default(),
            cutting,
            pipeline,
            batch: options.batch as usize,
        })
    }

    /// The same with typed columns in the metadata; an extractor is asked for those that no rule finds.
    /// Both are part of the pipeline.
    pub fn with_schemas(mut self, schemas: Schemas, extractor: Option<Extractor>) -> Indexer {
        self.columns = Columns::new(schemas, extractor);
        if let Some(name) = self.columns.name() {
            self.pipeline = format!("{}+{name}", self.pipeline);
        }
        self
    }

    async fn embed(&self, records: &mut [ChunkRecord]) -> Result<(), Error> {
        let Some(embedder) = &self.embedder else {
            return Ok(());
        };
        for batch in records.chunks_mut(self.batch) {
            let texts: Vec<String> = batch.iter().map(embedded_text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let vectors = embedder.embed(&texts, Side::Passage).await?;
            if vectors.len() != batch.len() {
                return Err(Error::Vectors {
                    name: embedder.name().to_owned(),
                    want: batch.len(),
                    got: vectors.len(),
                });
            }
            for (record, vector) in batch.iter_mut().zip(vectors) {
                record.embedding = Some(Embedding::of(embedder.name(), &vector));
            }
        }
        Ok(())
    }

    /// A document with the columns that its own schema finds. Blocking.
    fn read(
        incoming: &Incoming,
        version: &str,
        bytes: &[u8],
        schemas: &Schemas,
    ) -> Result<Read, Error> {
        let Notice {
            tenant,
            source,
            metadata,
            form,
            ..
        } = &incoming.notice;
        let (mut document, left_out) = match form {
            Form::File => read_bytes(bytes, source, tenant)?,
            Form::Document => (Document::from_json(bytes, source, tenant)?, None),
        };
        // What the publisher says of it wins over what it says of itself.
        for (name, value) in metadata {
            document.metadata.insert(name.to_lowercase(), value.clone());
        }
        version.clone_into(&mut document.hash);
        let table = schemas.get(&document.bucket);
        Ok(Read {
            applied: table.map_or_else(Applied::default, |table| table.apply(&mut document)),
            document,
            left_out: left_out.map(|reason| Problem::new(reason.as_str(), reason.to_string())),
        })
    }

    /// As a message, with what it was made of.
    fn message(&self, incoming: &Incoming, record: ChunkRecord) -> Result<Chunk, Error> {
        let record = ChunkRecord {
            pipeline: self.pipeline.clone(),
            document_seq: incoming.sequence,
            document_at: incoming.stored_at,
            ..record
        };
        let n = record.n;
        let body = record
            .encode()
            .map_err(|source| Error::Chunk { n, source })?;
        Ok(Chunk { n, body })
    }
}

impl Ingest for Indexer {
    fn place(&self, notice: &Notice) -> (Bucket, DocId) {
        let Notice { tenant, source, .. } = notice;
        (bucket_of(source), doc_id_of(tenant, source))
    }

    fn pipeline(&self) -> &str {
        &self.pipeline
    }

    fn hash(&self, bytes: Bytes) -> BoxFuture<'_, Result<String, stage::Error>> {
        Box::pin(async move {
            let hashing = tokio::task::spawn_blocking(move || sha256_hex(&bytes));
            Ok(hashing.await.map_err(|_| Error::Panic)?)
        })
    }

    fn known(&self, body: &[u8]) -> Option<Known> {
        let record = ChunkRecord::decode(body).ok()?;
        Some(Known {
            n: record.n,
            of: record.of,
            version: record.hash,
            pipeline: record.pipeline,
            sequence: record.document_seq,
            stored_at: record.document_at,
            is_deleted: record.deleted,
        })
    }

    fn chunks<'a>(
        &'a self,
        incoming: &'a Incoming,
        version: &'a str,
        bytes: Bytes,
    ) -> BoxFuture<'a, Result<Cut, stage::Error>> {
        Box::pin(async move {
            let (of, named) = (incoming.clone(), version.to_owned());
            let schemas = self.columns.schemas();
            let reading = move || Indexer::read(&of, &named, &bytes, &schemas);
            let reading = tokio::task::spawn_blocking(reading).await;
            let Read {
                mut document,
                applied,
                left_out,
            } = reading.map_err(|_| Error::Panic)??;
            let (columns, misfits) = self.columns.complete(&mut document, applied).await;
            let sizes = self.cutting;
            let cutting = tokio::task::spawn_blocking(move || records(&document, &sizes));
            let mut records = cutting.await.map_err(|_| Error::Panic)?;
            self.embed(&mut records).await?;
            let messages = records.into_iter().map(|r| self.message(incoming, r));
            Ok(Cut {
                chunks: messages.collect::<Result<_, _>>()?,
                left_out: both(left_out, misfits),
                columns,
            })
        })
    }

    fn tombstones(
        &self,
        incoming: &Incoming,
        which: Range<u32>,
        of: u32,
    ) -> Result<Vec<Chunk>, stage::Error> {
        let entry = Entry {
            bucket: incoming.bucket.clone(),
            doc_id: incoming.doc_id.clone(),
            hash: String::new(),
            chunks: of,
            pipeline: String::new(),
        };
        let Notice { tenant, source, .. } = &incoming.notice;
        let records = which.map(|n| tombstone(tenant, source, &entry, n));
        Ok(records
            .map(|record| self.message(incoming, record))
            .collect::<Result<_, _>>()?)
    }
}

/// Two problems as one, under the code of the first.
fn both(one: Option<Problem>, other: Option<Problem>) -> Option<Problem> {
    match (one, other) {
        (Some(one), Some(other)) => {
            let message = format!("{}; {}", one.message, other.message);
            Some(Problem::new(one.code, message))
        }
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Class, Edition, TenantId, UnixMs};
    use std::collections::BTreeMap;

    struct Lengths;

    impl Embedder for Lengths {
        fn name(&self) -> &str {
            "lengths-1"
        }
        fn dims(&self) -> usize {
            1
        }
        fn weight(&self) -> f32 {
            0.5
        }
        fn embed<'a>(
            &'a self,
            texts: &'a [&'a str],
            side: Side,
        ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, embed::Error>> {
            assert_eq!(side, Side::Passage);
            assert!(texts.len() <= 2, "a batch is no larger than it may be");
            let vectors = texts.iter().map(|text| vec![text.len() as f32]).collect();
            Box::pin(std::future::ready(Ok(vectors)))
        }
    }

    fn incoming(source: &str) -> Incoming {
        let notice = Notice::new(TenantId::default_tenant(), source);
        let indexer = indexer(None);
        let (bucket, doc_id) = indexer.place(&notice);
        Incoming {
            notice,
            edition: Edition::main(),
            bucket,
            doc_id,
            sequence: 7,
            stored_at: UnixMs(70),
        }
    }

    fn indexer(embedder: Option<Arc<dyn Embedder>>) -> Indexer {
        let options = Options {
            batch: 2,
            ..Options::default()
        };
        Indexer::new(embedder, &options).unwrap()
    }

    fn long() -> Bytes {
        let text = "A sentence of some words that fill the piece well. ".repeat(120);
        format!("---\nvendor: Corvane\n---\n# Lease\n{text}").into()
    }

    fn records(chunks: &[Chunk]) -> Vec<ChunkRecord> {
        let decode = |chunk: &Chunk| ChunkRecord::decode(&chunk.body).unwrap();
        chunks.iter().map(decode).collect()
    }

    #[tokio::test]
    async fn chunks_say_what_they_were_made_of() {
        let mut incoming = incoming("contracts/lease.md");
        incoming.notice.metadata = BTreeMap::from([
            ("Vendor".to_owned(), "Brunnhof".into()),
            ("year".to_owned(), 2031.into()),
        ]);
        let indexer = indexer(None);
        let chunks = indexer
            .chunks(&incoming, "v1", long())
            .await
            .unwrap()
            .chunks;
        assert!(chunks.len() > 3);
        for (n, record) in (0..).zip(records(&chunks)) {
            assert_eq!((record.n, record.of as usize), (n, chunks.len()));
            assert_eq!((record.hash.as_str(), record.document_seq), ("v1", 7));
            assert_eq!(record.metadata["vendor"], "Brunnhof");
            assert_eq!(record.metadata["year"], 2031);
            assert_eq!(record.embedding, None);
            let known = indexer.known(&chunks[n as usize].body).unwrap();
            assert_eq!((known.n, known.stored_at), (n, UnixMs(70)));
            assert_eq!(
                (known.pipeline.as_str(), known.is_deleted),
                ("clean-1+chunk-2/256/26", false)
            );
        }
    }

    #[tokio::test]
    async fn a_document_that_was_read_already_is_taken_as_it_is() {
        let mut incoming = incoming("notes/rows.jsonl#b");
        incoming.notice.form = Form::Document;
        incoming.notice.metadata = BTreeMap::from([("year".to_owned(), 2031.into())]);
        let body = r#"{"title": "Two", "ext": "jsonl", "metadata": {"Vendor": "Acme", "year": 1},
            "lines": [{"number": 4, "page": 2, "text": "the second"}]}"#;
        let cut = indexer(None).chunks(&incoming, "v1", body.into()).await;
        let records = records(&cut.unwrap().chunks);
        let [record] = &records[..] else {
            panic!("{records:?}")
        };
        assert_eq!(
            (record.title.as_str(), record.text.as_str()),
            ("Two", "the second")
        );
        assert_eq!(
            (record.source.as_str(), record.bucket.as_str()),
            ("notes/rows.jsonl#b", "notes")
        );
        assert_eq!(record.metadata["vendor"], "Acme");
        assert_eq!(record.metadata["year"], 2031);
        let bad = indexer(None).chunks(&incoming, "v1", long()).await;
        let bad = bad.unwrap_err();
        assert_eq!((bad.class, bad.code), (Class::Permanent, "bad_form"));
    }

    #[tokio::test]
    async fn vectors_travel_with_the_chunks() {
        let indexer = indexer(Some(Arc::new(Lengths)));
        assert_eq!(indexer.pipeline(), "clean-1+chunk-2/256/26+lengths-1");
        let incoming = incoming("lease.md");
        let chunks = indexer
            .chunks(&incoming, "v1", long())
            .await
            .unwrap()
            .chunks;
        for record in records(&chunks) {
            let length = record.title.len() + 1 + record.text.len();
            let vector = record.embedding.unwrap().vector();
            assert!((vector[0] - length as f32).abs() < 1.0, "{vector:?}");
        }
    }

    #[tokio::test]
    async fn columns_are_typed_metadata_and_what_does_not_fit_is_named() {
        let schema = "[contracts.rent]\ntype = \"number\"\nrules = [{ labels = [\"Rent\"] }]\n\
            [contracts.until]\ntype = \"date\"\n[contracts.tenant]\ntype = \"text\"\nmodel = true\n";
        let schemas = Schemas::parse("f", schema).unwrap();
        let model = testkit::model::ScriptedModel::saying([r#"{"tenant": "Acme"}"#]);
        let prompts = llm::Prompts::default();
        let extractor = Extractor::new(model.clone(), &prompts, &Options::default()).unwrap();
        let plain = indexer(None).with_schemas(schemas.clone(), None);
        let asking = indexer(None).with_schemas(schemas.clone(), Some(extractor));
        let name = schemas.name();
        assert_eq!(plain.pipeline(), format!("clean-1+chunk-2/256/26+{name}"));
        let asks = format!("clean-1+chunk-2/256/26+{name}+scripted-");
        assert!(
            asking.pipeline().starts_with(&asks),
            "{}",
            asking.pipeline()
        );

        let text = "---\nuntil: one day\n---\n# Lease\n\nRent: EUR 1,200.00. Acme pays.\n";
        let lease = incoming("contracts/lease.md");
        let cut = asking.chunks(&lease, "v", text.into()).await.unwrap();
        let record = records(&cut.chunks).remove(0);
        assert_eq!(record.metadata["rent"], 1200);
        assert_eq!(record.metadata["tenant"], "Acme");
        assert_eq!(record.metadata.get("until"), None);
        let counted = stage::Columns {
            found: 2,
            missing: 1,
            misfit: 1,
            ..stage::Columns::default()
        };
        assert_eq!(cut.columns, counted);
        let problem = cut.left_out.unwrap();
        assert_eq!(problem.code, "schema_misfit");
        assert_eq!(
            problem.message,
            "left out by the schema: `until`: `one day` is no day"
        );
        assert_eq!(record.pipeline, asking.pipeline());

        // The model does not answer a second time: the document is indexed without.
        let cut = asking.chunks(&lease, "v", text.into()).await.unwrap();
        assert_eq!((cut.columns.found, cut.columns.unanswered), (1, 1));
        let problem = cut.left_out.unwrap();
        assert!(
            problem.message.contains("did not say `tenant`"),
            "{problem:?}"
        );
        // No schema, no columns.
        let mail = incoming("mail/lease.md");
        let cut = asking.chunks(&mail, "v", text.into()).await.unwrap();
        assert_eq!(records(&cut.chunks)[0].metadata["until"], "one day");
        assert_eq!((cut.columns, cut.left_out), Default::default());
        assert_eq!(model.requests().len(), 2);
    }

    #[tokio::test]
    async fn sizes_are_options_and_name_the_pipeline() {
        let options = Options {
            chunk_tokens: 64,
            overlap_tokens: 8,
            ..Options::default()
        };
        let small = Indexer::new(None, &options).unwrap();
        assert_eq!(small.pipeline(), "clean-1+chunk-2/64/8");
        let incoming = incoming("lease.md");
        let few = indexer(None).chunks(&incoming, "v1", long()).await.unwrap();
        let many = small.chunks(&incoming, "v1", long()).await.unwrap();
        assert!(many.chunks.len() > few.chunks.len() * 3);
        for record in records(&many.chunks) {
            assert!(chunk::tokens(&record.text) <= 64);
            assert_eq!(record.pipeline, "clean-1+chunk-2/64/8");
        }
    }

    #[tokio::test]
    async fn what_cannot_be_read_says_why() {
        let indexer = indexer(None);
        for (source, bytes, code) in [
            ("a.txt", Bytes::from_static(b"a\0b"), "binary"),
            ("a.md", Bytes::from_static(b" \n"), "empty"),
            ("a.png", Bytes::from_static(b"x"), "unknown_extension"),
            ("a.jsonl", Bytes::from_static(b"{}"), "several_documents"),
        ] {
            let failed = indexer.chunks(&incoming(source), "v", bytes).await;
            let failed = failed.unwrap_err();
            assert_eq!((failed.class, failed.code), (Class::Permanent, code));
        }
    }

    #[test]
    fn tombstones_say_how_far_it_may_reach() {
        let indexer = indexer(None);
        let gone = indexer.tombstones(&incoming("a.md"), 2..4, 9).unwrap();
        let shape: Vec<_> = records(&gone)
            .iter()
            .map(|r| (r.n, r.of, r.deleted, r.document_seq))
            .collect();
        assert_eq!(shape, [(2, 9, true, 7), (3, 9, true, 7)]);
    }
}
