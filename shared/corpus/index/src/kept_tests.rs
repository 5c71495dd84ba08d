//! Tests that a search gives the same result with and without cached vectors of sentences, also after commits and after
//! the weights of words are fitted anew.

use super::tests::{record, request, three};
use super::*;
use crate::index::VectorSource;
use settings::ByteSize;
use telemetry::Registry;

#[tokio::test]
async fn what_was_read_once_is_found_again_and_gives_the_same() {
    let index =
        Index::open_in_ram(&VectorSource::Table(static_embed::StaticTable::shipped())).unwrap();
    let mut writer = index.writer().unwrap();
    writer.apply(&three()).unwrap();
    writer.commit(1, "s").unwrap();
    writer.refit().unwrap();
    let mut results = Vec::new();
    for (room, shares) in [(0, [0.0, 0.0]), (1 << 20, [0.0, 0.5])] {
        let metrics = Metrics::new(&Registry::new()).unwrap();
        let options = Options {
            sentence_cache_bytes: ByteSize::from_bytes(room),
            ..Options::default()
        };
        let searcher = HybridSearcher::new(index.clone(), options).with_metrics(metrics.clone());
        for share in shares {
            results.push(searcher.search(&request("due north")).await.unwrap());
            assert_eq!(metrics.sentence_cache_hit_share(), share, "{room}");
            // What a commit adds does not make what is known unknown.
            writer.commit(2, "s").unwrap();
        }
    }
    for result in &results {
        assert_eq!(result.passages, results[0].passages);
    }
}

#[tokio::test]
async fn what_was_read_before_a_refit_is_read_anew_after_it() {
    let index =
        Index::open_in_ram(&VectorSource::Table(static_embed::StaticTable::shipped())).unwrap();
    let mut writer = index.writer().unwrap();
    let with = |room| Options {
        sentence_cache_bytes: ByteSize::from_bytes(room),
        ..Options::default()
    };
    let metrics = Metrics::new(&Registry::new()).unwrap();
    let kept = HybridSearcher::new(index.clone(), with(1 << 20)).with_metrics(metrics.clone());
    let fresh = HybridSearcher::new(index.clone(), with(0));
    for n in 1..4u32 {
        // Three times as many each time, or nothing would be fitted anew and what is known would still hold.
        let more = (0..10 * 3u64.pow(n))
            .map(|m| record(&format!("d{n}-{m}"), "We go north. It is cold there.", None));
        writer.apply(&three()).unwrap();
        writer.apply(&more.collect::<Vec<_>>()).unwrap();
        writer.commit(u64::from(n), "s").unwrap();
        writer.refit().unwrap();
        let before = metrics.sentence_cache_hit_share();
        let request = request("due north");
        let found = kept.search(&request).await.unwrap();
        let wanted = fresh.search(&request).await.unwrap();
        assert_eq!(found.passages, wanted.passages, "{n}");
        assert_eq!(
            (before, metrics.sentence_cache_hit_share()),
            (0.0, 0.0),
            "{n}"
        );
    }
}
