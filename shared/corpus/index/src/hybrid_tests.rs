//! Tests of the searcher over the local index: what each of its parts finds, what it does when a part fails, and its
//! metrics.

use super::*;
use crate::index::VectorSource;
use envelope::{ChunkRecord, ConditionOrigin, Embedding, Filter, TenantId};
use search::Neighbour;
use std::sync::Mutex;
use telemetry::Registry;
use testkit::embedder::FakeEmbedder;

/// Vectors in this file have two numbers.
pub(super) fn compass(fails: bool) -> Arc<FakeEmbedder> {
    let is_away: fn(usize) -> bool = if fails { |_| true } else { |_| false };
    FakeEmbedder::away("compass", is_away, |text| match text.contains("north") {
        true => [0.0, 1.0],
        false => [1.0, 0.0],
    })
}

pub(super) fn by_compass(fails: bool) -> Models {
    Models {
        embedder: Some(compass(fails)),
        ..Models::default()
    }
}

fn by_model(reranker: Arc<dyn Reranker>) -> Models {
    Models {
        reranker: Some(reranker),
        ..Models::default()
    }
}

pub(super) fn record(doc: &str, text: &str, vector: Option<[f32; 2]>) -> ChunkRecord {
    let record = serde_json::json!({
        "v": 1, "tenant": "default", "bucket": "invoices", "doc_id": doc, "n": 0, "of": 1,
        "hash": "h", "source": format!("invoices/{doc}.md"), "text": text,
    });
    ChunkRecord {
        embedding: vector.map(|vector| Embedding::of("compass", &vector)),
        ..serde_json::from_value(record).unwrap()
    }
}

pub(super) fn index_of(records: &[ChunkRecord]) -> Index {
    let vectors = VectorSource::Carried {
        by: "compass".into(),
        dims: 2,
    };
    let index = Index::open_in_ram(&vectors).unwrap();
    let mut writer = index.writer().unwrap();
    writer.apply(records).unwrap();
    writer.commit(1, "s").unwrap();
    index
}

pub(super) fn request(query: &str) -> SearchRequest {
    SearchRequest::new(TenantId::default_tenant(), query, 10, 5)
}

pub(super) fn found(result: &SearchResult) -> Vec<&str> {
    let passages = result.passages.iter();
    passages.map(|p| p.doc_id.as_str()).collect()
}

/// Three ways to go: by the word alone, by the direction alone, by both.
pub(super) fn three() -> [ChunkRecord; 4] {
    [
        record("word", "we go north", Some([1.0, 0.0])),
        record("direction", "up the map", Some([0.1, 1.0])),
        record("both", "due north", Some([0.0, 1.0])),
        record("neither", "a harbour", Some([1.0, -0.1])),
    ]
}

#[tokio::test]
async fn both_legs_find_and_what_both_find_is_first() {
    let index = index_of(&three());
    let plain = Options {
        rerank: false,
        ..Options::default()
    };
    let searcher = HybridSearcher::new(index, plain).with_models(by_compass(false));
    let result = searcher.search(&request("north")).await.unwrap();
    assert_eq!(found(&result)[0], "both");
    assert!(found(&result).contains(&"direction"));
    assert_eq!((result.total_hits, result.failed), (2, vec![]));
}

#[tokio::test]
async fn a_leg_that_fails_is_named_and_the_other_answers() {
    let index = index_of(&three());
    let searcher = HybridSearcher::new(index, Options::default()).with_models(by_compass(true));
    let result = searcher.search(&request("north")).await.unwrap();
    assert_eq!(result.failed, [SearchPart::Vectors]);
    assert_eq!(found(&result).len(), 2);
}

#[tokio::test]
async fn where_only_vectors_are_searched_their_failure_is_the_search_s() {
    let searcher = |fails| {
        let options = Options {
            words: false,
            ..Options::default()
        };
        let searcher = HybridSearcher::new(index_of(&three()), options);
        searcher.with_models(by_compass(fails))
    };
    let error = searcher(true).search(&request("north")).await.unwrap_err();
    assert!(matches!(error, search::Error::Embed(_)), "{error}");
    let result = searcher(false).search(&request("north")).await.unwrap();
    assert_eq!((found(&result)[0], &result.failed[..]), ("both", &[][..]));
}

#[tokio::test]
async fn what_is_merely_closest_is_not_found() {
    let index = index_of(&[
        record("far", "a harbour", Some([0.4, 0.9])),
        record("close", "a quay", Some([0.9, 0.4])),
    ]);
    let searcher = HybridSearcher::new(index, Options::default()).with_models(by_compass(false));
    let result = searcher.search(&request("zzz")).await.unwrap();
    assert_eq!(found(&result), ["close"]);
}

/// As [`three`] is for two numbers: the static table over a folder on disk.
fn on_disk(folder: &std::path::Path) -> Index {
    Index::open(
        folder,
        &VectorSource::Table(static_embed::StaticTable::shipped()),
    )
    .unwrap()
}

fn by_vectors(index: &Index) -> HybridSearcher {
    let options = Options {
        words: false,
        rerank: false,
        ..Options::default()
    };
    HybridSearcher::new(index.clone(), options)
}

const SUBJECTS: [(&str, &str); 4] = [
    ("dog", "The puppy barked at the other dogs in the kennel."),
    ("bank", "The bank raised the interest rate of the loan."),
    ("ship", "The vessel left the harbour and sailed the ocean."),
    ("cook", "Boil the soup and add salt to the vegetables."),
];

#[tokio::test]
async fn the_static_table_is_fitted_kept_and_fitted_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = on_disk(folder.path());
    let mut writer = index.writer().unwrap();
    let records = SUBJECTS.map(|(doc, text)| record(doc, text, None));
    writer.apply(&records).unwrap();
    writer.commit(4, "s").unwrap();
    let before = by_vectors(&index).search(&request("canine")).await.unwrap();
    assert!(before.passages.is_empty(), "nothing is fitted yet");

    writer.refit().unwrap();
    let asks = [
        ("canine pets", "dog"),
        ("mortgage credit", "bank"),
        ("boat at sea", "ship"),
    ];
    for (query, doc) in asks {
        let result = by_vectors(&index).search(&request(query)).await.unwrap();
        assert_eq!(found(&result)[0], doc, "{query}");
    }
    // Twice as many: made anew, over chunks that came, changed and went.
    let mut more: Vec<_> = (0..6)
        .map(|n| record(&format!("more{n}"), "a brick wall", None))
        .collect();
    more.push(ChunkRecord {
        hash: "h2".into(),
        ..record("dog", "The kitten purred at the other cats.", None)
    });
    more.push(ChunkRecord {
        deleted: true,
        ..record("bank", "", None)
    });
    writer.apply(&more).unwrap();
    writer.commit(12, "s").unwrap();
    writer.refit().unwrap();
    drop(writer);
    drop(index);

    let index = on_disk(folder.path());
    assert_eq!(index.position().unwrap().unwrap().sequence, 12);
    let result = by_vectors(&index)
        .search(&request("feline pets"))
        .await
        .unwrap();
    assert_eq!(found(&result)[0], "dog");
    let result = by_vectors(&index)
        .search(&request("mortgage credit"))
        .await
        .unwrap();
    assert!(!found(&result).contains(&"bank"));
    let files = std::fs::read_dir(folder.path().join("index-7/vectors")).unwrap();
    let names: Vec<_> = files
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    let old = |name: &&String| name.starts_with("0-") || name.starts_with("1");
    assert_eq!(
        names.iter().find(old),
        None,
        "what counts no more is gone: {names:?}"
    );
}

#[tokio::test]
async fn another_embedder_has_the_index_built_anew() {
    let folder = tempfile::tempdir().unwrap();
    let carried = |by: &str| VectorSource::Carried {
        by: by.into(),
        dims: 2,
    };
    let index = Index::open(folder.path(), &carried("compass")).unwrap();
    let mut writer = index.writer().unwrap();
    writer.apply(&three()).unwrap();
    writer.commit(4, "s").unwrap();
    drop((writer, index));

    let index = Index::open(folder.path(), &carried("other")).unwrap();
    let tenant = TenantId::default_tenant();
    assert_eq!(index.position().unwrap(), None, "the stream is read again");
    let mut heads = Vec::new();
    index.each_head(&tenant, |head| heads.push(head)).unwrap();
    assert!(heads.is_empty());
    let mut writer = index.writer().unwrap();
    writer.apply(&three()[..1]).unwrap();
    writer.commit(1, "s").unwrap();
    assert_eq!(
        (
            index.chunk_count(),
            index.position().unwrap().unwrap().sequence
        ),
        (1, 1)
    );

    // Its queries are not embedded by the old one.
    let searcher = HybridSearcher::new(index, Options::default()).with_models(by_compass(false));
    let result = searcher.search(&request("north")).await.unwrap();
    assert_eq!(result.failed, [SearchPart::Vectors]);
}

#[tokio::test]
async fn a_query_without_a_direction_finds_by_words_only() {
    let folder = tempfile::tempdir().unwrap();
    let index = on_disk(folder.path());
    let mut writer = index.writer().unwrap();
    writer
        .apply(&SUBJECTS.map(|(doc, text)| record(doc, text, None)))
        .unwrap();
    writer.commit(4, "s").unwrap();
    writer.refit().unwrap();
    let result = by_vectors(&index).search(&request("")).await.unwrap();
    assert!(result.passages.is_empty());
}

#[tokio::test]
async fn vectors_of_another_embedder_are_no_vectors() {
    let mut records = three();
    for record in &mut records {
        record.embedding.as_mut().unwrap().by = "other".into();
    }
    let searcher =
        HybridSearcher::new(index_of(&records), Options::default()).with_models(by_compass(false));
    let result = searcher.search(&request("north")).await.unwrap();
    assert_eq!(found(&result).len(), 2);
}

#[tokio::test]
async fn searches_are_counted_under_known_buckets_only() {
    let index = index_of(&[record("d", "a word", None)]);
    let registry = Registry::new();
    let searcher = HybridSearcher::new(index, Options::default())
        .with_metrics(Metrics::new(&registry).unwrap());
    for names in [
        &[][..],
        &["invoices"],
        &["made-up"],
        &["invoices", "made-up"],
    ] {
        let request = SearchRequest {
            buckets: names
                .iter()
                .map(|name| Bucket::new(*name).unwrap())
                .collect(),
            ..request("word")
        };
        searcher.search(&request).await.unwrap();
    }
    let text = registry.encode();
    for line in [
        "argosy_retrieval_empty_total{bucket=\"all\"} 0",
        "argosy_retrieval_empty_total{bucket=\"other\"} 1",
        "argosy_retrieval_hits_count{bucket=\"invoices\"} 1",
        "argosy_retrieval_duration_seconds_count{bucket=\"several\"} 1",
    ] {
        assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
    }
    assert!(!text.contains("made-up"));
}

/// Likes texts with this word, and sees no more than two.
struct Likes {
    word: &'static str,
    fails: bool,
}

impl Reranker for Likes {
    fn name(&self) -> &str {
        "likes"
    }

    fn texts_max(&self) -> usize {
        2
    }

    fn scores<'a>(
        &'a self,
        _query: &'a str,
        texts: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<f32>, llm::Error>> {
        let liked = texts.iter().map(|text| match text.contains(self.word) {
            true => 7.0,
            false => -7.0,
        });
        let came = match self.fails {
            true => Err(llm::Error::Protocol("no scores".into())),
            false => Ok(liked.collect()),
        };
        std::future::ready(came).boxed()
    }
}

#[tokio::test]
async fn a_model_takes_the_place_of_the_features() {
    let records = [
        record("first", "north north", None),
        record("second", "north by a harbour", None),
        record("third", "a long way to the far north of the old map", None),
    ];
    let searcher = HybridSearcher::new(index_of(&records), Options::default());
    let plain = searcher.search(&request("north")).await.unwrap();
    assert_eq!(found(&plain)[0], "first");

    let likes = |fails| {
        let word = "harbour";
        Arc::new(Likes { word, fails })
    };
    let judged = searcher.clone().with_models(by_model(likes(false)));
    let judged = judged.search(&request("north")).await.unwrap();
    assert_eq!(found(&judged), ["second", "first"]);
    assert_eq!((judged.total_hits, judged.failed), (3, vec![]));

    let failed = searcher.with_models(by_model(likes(true)));
    let failed = failed.search(&request("north")).await.unwrap();
    assert_eq!(failed.passages, plain.passages);
    assert_eq!(failed.failed, [SearchPart::Reranker]);
}

#[tokio::test]
async fn places_are_the_values_that_the_tenant_s_own_metadata_has() {
    let of = |doc: &str, tenant: &str, city: &str, country: &str| ChunkRecord {
        tenant: TenantId::new(tenant).unwrap(),
        metadata: [
            ("city".to_owned(), city.into()),
            ("Country".to_owned(), country.into()),
        ]
        .into(),
        ..record(doc, "a harbour", None)
    };
    let index = index_of(&[
        of("a", "default", "St. Orlau", "Portugal"),
        of("b", "default", "Orlau", "Spain"),
        of("c", "default", "Porto", "of"),
        of("d", "other", "Lisbon", "Portugal"),
    ]);
    let searcher = HybridSearcher::new(index, Options::default());
    let fields = ["city".to_owned(), "country".to_owned()];
    let principal = envelope::Principal::default();
    for (text, places) in [
        (
            "Where is a dentist in ST.  ORLAU?",
            "city in [\"st. orlau\"]",
        ),
        (
            "orlau's ferry to Porto, or Porto's",
            "city in [\"orlau\",\"porto\"]",
        ),
        (
            "which ports of Portugal and Orlau",
            "city in [\"orlau\"] and country in [\"portugal\"]",
        ),
        ("the harbour of Lisbon", ""),
        ("", ""),
    ] {
        let found = searcher.places(&principal, text, &fields).await.unwrap();
        assert_eq!(
            found.to_string().replace(", ", ","),
            places.replace(", ", ","),
            "{text}"
        );
        assert!(found.0.iter().all(|c| c.origin == ConditionOrigin::Planner));
    }
    let none = searcher.places(&principal, "Porto", &[]).await.unwrap();
    assert!(none.is_empty());
}

/// A place of vectors that finds what it is told to and keeps the filters that it was asked with.
struct Elsewhere {
    finds: Vec<Neighbour>,
    asked: Mutex<Vec<Filter>>,
}

impl VectorSearch for Elsewhere {
    fn nearest<'a>(
        &'a self,
        _vector: &'a [f32],
        request: &'a SearchRequest,
        _k: usize,
    ) -> BoxFuture<'a, Result<Vec<Neighbour>, search::Error>> {
        self.asked.lock().unwrap().push(request.filter.clone());
        std::future::ready(Ok(self.finds.clone())).boxed()
    }
}

/// The server is fed by itself: it may hold a chunk as it was, or not know a field yet.
#[tokio::test]
async fn a_filter_is_what_the_index_says_wherever_the_vectors_are() {
    let of_year = |doc: &str, tenant: &str, year: u16| ChunkRecord {
        tenant: TenantId::new(tenant).unwrap(),
        metadata: [("year".to_owned(), year.into())].into(),
        ..record(doc, "a harbour", None)
    };
    let records = [
        of_year("now", "default", 2024),
        of_year("then", "default", 2023),
        of_year("foreign", "other", 2024),
    ];
    let finds = records.iter().map(|record| Neighbour {
        chunk: record.key(),
        score: 0.9,
    });
    let elsewhere = Arc::new(Elsewhere {
        finds: finds.collect(),
        asked: Mutex::default(),
    });
    let searcher =
        HybridSearcher::new(index_of(&records), Options::default()).with_models(Models {
            embedder: Some(compass(false)),
            elsewhere: Some(elsewhere.clone()),
            reranker: None,
        });
    let filter = serde_json::json!({"year": {"gte": 2024}, "colour": "red"});
    let asked = SearchRequest {
        filter: Filter::parse(&filter, ConditionOrigin::User).unwrap(),
        ..request("north")
    };
    let result = searcher.search(&asked).await.unwrap();
    assert_eq!(found(&result), ["now"]);
    assert_eq!(result.unknown_fields, ["colour"]);
    let asked = elsewhere.asked.lock().unwrap();
    assert_eq!(asked[0].to_string(), "year >= 2024", "known here is known");
}
