//! Tests that compare the ranking with the reference implementation, which fetches every candidate and reads all of it.

use super::*;
use crate::HybridSearcher;
use crate::index::{Index, VectorSource};
use envelope::TenantId;
use proptest::prelude::*;
use search::SearchRequest;
use serde_json::{Value, json};
use static_embed::StaticTable;

mod reference_tests;

/// What texts, titles and questions are made of: inflected words, part names in several spellings, days,
/// words that are too long or beyond ASCII, and what joins clauses and ends sentences.
const WORDS: &[&str] = &[
    "invoice",
    "invoices",
    "paid",
    "paying",
    "late",
    "harbour",
    "Harbour",
    "ships",
    "shipping",
    "vendor",
    "total",
    "the",
    "and",
    "but",
    "which",
    "doctor",
    "physician",
    "hospital",
    "bread",
    "taxed",
    "north",
    "TP-120",
    "tp120",
    "TP-120X",
    "120",
    "2023",
    "2023-10-01",
    "October",
    "1",
    "2,023",
    "10",
    "N-17",
    "Lisbon",
    "porto",
    "Porto",
    "İstanbul",
    "istanbul",
    "café",
    "cafe",
    "ΣΑΣ",
    "σας",
    "naïve",
    "²",
    "Ⅷ",
    "is.",
    "was.",
    "said.",
    "why?",
    "however,",
    "it;",
    "|",
    "\n\n",
];
const CITIES: &[&str] = &["Lisbon", "Porto", "İstanbul", "New Porto", "lisbon "];

fn word() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        20 => prop::sample::select(WORDS).prop_map(str::to_owned),
        1 => "[a-z]{63,66}",
        1 => "[a-z]{1,3}[0-9]{1,2}",
        1 => "\\PC{1,4}",
    ]
}

fn text(most: usize) -> impl Strategy<Value = String> + Clone {
    prop::collection::vec(word(), 0..most).prop_map(|words| words.join(" "))
}

fn metadata() -> impl Strategy<Value = Value> + Clone {
    let city = prop::sample::select(CITIES);
    let day =
        prop::sample::select(&["2023-10-01", "2023-10-01T09:00", "2023-10-02", "1 October"][..]);
    (city, day, text(4), 0u8..32, 2020u16..2025).prop_map(|(city, day, note, some, year)| {
        let mut all = serde_json::Map::new();
        let mut add = |bit: u8, field: &str, value: Value| {
            if some & 1 << bit != 0 {
                all.insert(field.to_owned(), value);
            }
        };
        add(0, "City", json!(city));
        add(1, "day", json!(day));
        add(2, "note", json!(note));
        add(3, "year", json!(year));
        add(4, "tags", json!([note, 120, city]));
        Value::Object(all)
    })
}

fn chunks() -> impl Strategy<Value = Vec<ChunkRecord>> {
    let one = (0u8..12, text(60), text(5), metadata(), any::<bool>());
    let many = prop_oneof![3 => 1usize..40, 1 => 120usize..150];
    many.prop_flat_map(move |n| prop::collection::vec(one.clone(), n))
        .prop_map(|all| {
            let mut last = String::new();
            let record = |(n, (doc, text, title, metadata, copy)): (
                usize,
                (u8, String, String, Value, bool),
            )| {
                // Some texts come twice or more, nearly.
                if !copy || n % 3 > 0 {
                    last = text;
                }
                let record = json!({
                    "v": 1, "tenant": "default", "bucket": (["a", "b"][usize::from(doc) % 2]),
                    "doc_id": format!("d{doc}"), "n": n, "of": 999, "hash": "h", "title": title,
                    "source": format!("files/{doc} harbour.md"), "text": last, "metadata": metadata,
                });
                serde_json::from_value(record).unwrap()
            };
            all.into_iter().enumerate().map(record).collect()
        })
}

/// An index of some segments, with vectors of the table.
fn index_of(chunks: &[ChunkRecord], vectors: bool) -> Index {
    let vectors = match vectors {
        true => VectorSource::Table(StaticTable::shipped()),
        false => VectorSource::None,
    };
    let index = Index::open_in_ram(&vectors).unwrap();
    let mut writer = index.writer().unwrap();
    let part = chunks.len().div_ceil(3).max(1);
    for (n, chunks) in chunks.chunks(part).enumerate() {
        writer.apply(chunks).unwrap();
        writer.commit(n as u64 + 1, "s").unwrap();
    }
    writer.refit().unwrap();
    writer.close().unwrap();
    index
}

fn request(query: &str, top_k: usize) -> SearchRequest {
    SearchRequest::new(TenantId::default_tenant(), query, 100, top_k)
}

/// What is shown, and what is shown by the reference.
fn both(
    index: &Index,
    options: &Options,
    request: &SearchRequest,
) -> [(Vec<envelope::Passage>, u32); 2] {
    let searcher = HybridSearcher::new(index.clone(), options.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let found = || runtime.block_on(searcher.found(request)).unwrap().0;
    let merged = found();
    let records = merged.candidates.iter().map(|candidate| {
        let record = merged.snapshot.record(candidate.chunk).unwrap();
        (record, candidate.score)
    });
    let asked = merged.asked.as_ref();
    let wanted = reference_tests::rerank(
        records.collect(),
        asked,
        &mut text_analyzer(),
        request.top_k,
    );
    let result = found().into_result(request.top_k).unwrap().result;
    [(result.passages, result.repeated), wanted]
}

proptest! {
    // Each case makes an index.
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_shown_is_as_if_all_were_read(
        chunks in chunks(),
        queries in prop::collection::vec((text(14), 1usize..12), 6),
        vectors in any::<bool>(),
    ) {
        let index = index_of(&chunks, vectors);
        // Once with nothing kept, then with all that was read, then with little room for it.
        let rooms = [0, 1 << 20, 1 << 20, 10_000].map(settings::ByteSize::from_bytes);
        for ((query, top_k), room) in queries.iter().flat_map(|query| rooms.map(|room| (query, room))) {
            for rerank in [true, false] {
                let options = Options { rerank, sentence_cache_bytes: room, document_weight: 0.0, ..Options::default() };
                let [got, wanted] = both(&index, &options, &request(query, *top_k));
                let ids = |(passages, _): &(Vec<envelope::Passage>, u32)| -> Vec<(String, f32)> {
                    passages.iter().map(|p| (p.chunk_id.clone(), p.score)).collect()
                };
                prop_assert_eq!(ids(&got), ids(&wanted), "{:?}, {} of them, rerank {}", query, top_k, rerank);
                prop_assert_eq!(got, wanted);
            }
        }
    }
}
