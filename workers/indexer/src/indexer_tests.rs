//! Tests of the whole way from a document to its chunks.

use super::*;
use envelope::{Class, Edition, TenantId, UnixMs};
use llm::Side;
use stage::Cut;
use std::collections::BTreeMap;
use testkit::embedder::FakeEmbedder;

impl Indexer {
    /// Does all parts of the work, one after the other.
    async fn chunks(
        &self,
        incoming: &Incoming,
        version: &str,
        bytes: Bytes,
    ) -> Result<Cut, stage::Error> {
        let mut draft = self.draft(incoming, version, bytes);
        loop {
            if let Some(cut) = draft.next().await? {
                return Ok(cut);
            }
        }
    }
}

fn length(text: &str) -> [f32; 1] {
    [text.len() as f32]
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
            ("clean-2+chunk-3/256/26", false)
        );
    }
}

#[tokio::test]
async fn a_document_that_was_read_already_is_taken_as_it_is() {
    let mut incoming = incoming("notes/rows.jsonl#b");
    incoming.notice.form = DocumentForm::Document;
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
    let embedder = FakeEmbedder::new("lengths-1", length);
    let indexer = indexer(Some(embedder.clone()));
    assert_eq!(indexer.pipeline(), "clean-2+chunk-3/256/26+lengths-1");
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
    for (side, texts) in embedder.calls() {
        assert_eq!(side, Side::Passage);
        assert!(texts <= 2, "a batch is no larger than it may be");
    }
}

#[tokio::test]
async fn what_was_done_of_a_document_is_not_done_again_after_a_failure() {
    let schema = "[contracts.tenant]\ntype = \"text\"\nmodel = true\n";
    let schemas = Schemas::parse("f", schema).unwrap();
    let model = testkit::model::ScriptedModel::saying([r#"{"tenant": "some words"}"#]);
    let prompts = llm::Prompts::default();
    let extractor = Extractor::new(model.clone(), &prompts, &Options::default()).unwrap();
    let embedder = FakeEmbedder::away("away-1", |call| call == 1, length);
    let indexer = indexer(Some(embedder.clone())).with_schemas(schemas, Some(extractor));
    let incoming = incoming("contracts/lease.md");
    let mut draft = indexer.draft(&incoming, "v1", long());
    let (mut parts, mut failed) = (0, 0);
    let cut = loop {
        parts += 1;
        match draft.next().await {
            Ok(Some(cut)) => break cut,
            Ok(None) => {}
            Err(error) => {
                assert_eq!(error.class, Class::Overloaded);
                failed += 1;
            }
        }
    };
    let records = records(&cut.chunks);
    assert!(records.iter().all(|record| record.embedding.is_some()));
    assert_eq!(records[0].metadata["tenant"], "some words");
    let calls = embedder.calls().len();
    assert_eq!(
        calls,
        records.len().div_ceil(2) + 1,
        "each batch once, and the failed one"
    );
    assert_eq!(
        (failed, parts),
        (1, calls + 5),
        "begun, read, completed, cut, told"
    );
    assert_eq!(model.requests().len(), 1);
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
    assert_eq!(plain.pipeline(), format!("clean-2+chunk-3/256/26+{name}"));
    let asks = format!("clean-2+chunk-3/256/26+{name}+scripted-");
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
    assert_eq!(small.pipeline(), "clean-2+chunk-3/64/8");
    let incoming = incoming("lease.md");
    let few = indexer(None).chunks(&incoming, "v1", long()).await.unwrap();
    let many = small.chunks(&incoming, "v1", long()).await.unwrap();
    assert!(many.chunks.len() > few.chunks.len() * 3);
    for record in records(&many.chunks) {
        assert!(chunk::tokens(&record.text) <= 64);
        assert_eq!(record.pipeline, "clean-2+chunk-3/64/8");
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
