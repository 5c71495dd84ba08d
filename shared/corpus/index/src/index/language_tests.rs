//! Tests of languages: what a question in one finds in a folder of many.

use super::tests::{index_of, one, request};
use super::*;
use crate::hybrid::HybridSearcher;
use crate::options::Options;
use envelope::ChunkRecord;
use search::{SearchResult, Searcher as _};
use serde_json::{Value as Json, json};

/// Documents in several languages, of which each has something that others are asked for.
fn folder() -> Index {
    index_of(&[
        one(
            "de/miete.md",
            "Die Kaltmiete der Wohnung beträgt 900 Euro im Monat.",
            json!({}),
        ),
        one(
            "de/Kündigungen.txt",
            "Wer geht, der sagt es dem Haus bis zum Ende der Woche.",
            json!({}),
        ),
        one(
            "de/haftung.md",
            "Für die Haftung der Firma Stahlwerke Ziegler gilt das nicht.",
            json!({}),
        ),
        one("ja/tenken.md", "冷却水の点検は毎月五日に行う。", json!({})),
        one("zh/gys.md", "供应商名单由采购部保存。", json!({})),
        one("ko/huga.md", "직원 휴가는 일년에 십오일이다.", json!({})),
        one("th/kha.md", "ค่าเช่าเดือนละ 9500 บาท", json!({})),
        one(
            "tr/ist.md",
            "Toplantı İstanbul ofisinde yapılır ve bu ay sonuna kadar sürer.",
            json!({}),
        ),
        one(
            "en/pump.md",
            "The pumps were replaced by Lars Holm, and the bearings greased. 更换水泵",
            json!({}),
        ),
        one(
            "en/authors.md",
            "Smith, J. C. and de Vries, L. M.: purchasing procedures of Hamburg",
            json!({}),
        ),
    ])
}

fn search(index: &Index, query: &str, filter: Json) -> SearchResult {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let searcher = HybridSearcher::new(index.clone(), Options::default());
    let runtime = runtime.build().unwrap();
    let request = request(query, filter);
    runtime.block_on(searcher.search(&request)).unwrap()
}

fn found(index: &Index, query: &str, filter: Json) -> Vec<String> {
    search(index, query, filter)
        .passages
        .into_iter()
        .map(|passage| passage.source)
        .collect()
}

#[test]
fn each_language_is_found_in_its_words() {
    let index = folder();
    for (query, first) in [
        ("Wie hoch ist die Miete?", "de/miete.md"),
        ("Was kosten die Wohnungen?", "de/miete.md"),
        ("Welche Kündigungen gibt es?", "de/Kündigungen.txt"),
        ("冷却水の点検はいつ?", "ja/tenken.md"),
        ("点検", "ja/tenken.md"),
        ("供应商有哪些?", "zh/gys.md"),
        ("휴가", "ko/huga.md"),
        ("ค่าเช่าเท่าไหร่", "th/kha.md"),
        ("istanbul", "tr/ist.md"),
        ("pump bearing", "en/pump.md"),
        ("purchase procedure", "en/authors.md"),
        // A form of German that the words of an English question do not have.
        ("What is said of Wohnungen?", "de/miete.md"),
    ] {
        let found = found(&index, query, json!({}));
        assert_eq!(
            found.first().map(String::as_str),
            Some(first),
            "{query}: {found:?}"
        );
    }
    // The stem of another language is another word where little of it is left.
    assert!(found(&index, "Larsen", json!({})).is_empty());
}

/// A contract in two chunks, of which the first one names the house, and others.
fn contracts() -> Index {
    let chunk = |doc: &str, n: u32, text: &str| -> ChunkRecord {
        let record = json!({
            "v": 1, "tenant": "default", "bucket": "b", "doc_id": doc, "n": n, "of": 2, "hash": "h",
            "source": format!("b/{doc}.md"), "title": "Mietvertrag", "text": text,
        });
        serde_json::from_value(record).unwrap()
    };
    let streets = [
        "Lindenstraße 17",
        "Kirchgasse 4",
        "Uferstraße 9",
        "Mühlgasse 2",
        "Parkstraße 5",
        "Ringstraße 8",
    ];
    let chunks = streets.iter().zip(["a", "b", "c", "d", "e", "f"]);
    let chunks = chunks.flat_map(|(street, doc)| {
        let house = format!("Vermietet wird eine Wohnung. Sie liegt in der {street}.");
        let keys = format!("Zu der Wohnung {doc} gibt es drei Schlüssel. Hunde sind verboten.");
        [chunk(doc, 0, &house), chunk(doc, 1, &keys)]
    });
    index_of(&chunks.collect::<Vec<_>>())
}

#[test]
fn a_passage_says_what_the_beginning_of_its_document_has_of_the_question() {
    let result = search(&contracts(), "Schlüssel der Lindenstraße", json!({}));
    let front = |chunk: &str| {
        let mut passages = result.passages.iter();
        passages
            .find(|one| one.chunk_id == chunk)
            .map(|one| &*one.front)
    };
    assert_eq!(front("a.1"), Some("Sie liegt in der Lindenstraße 17."));
    assert_eq!(front("a.0"), Some(""), "it says so itself");
    let others = result
        .passages
        .iter()
        .filter(|one| one.doc_id.as_str() != "a");
    assert!(others.clone().count() > 0, "there are others");
    assert!(
        others.into_iter().all(|one| one.front.is_empty()),
        "there is nothing of it"
    );
}

#[test]
fn a_question_without_blanks_is_told_by_all_of_its_characters() {
    let fitting = |question: &str| {
        search(&folder(), question, json!({}))
            .fitting
            .unwrap()
            .share
    };
    let (asked, vague) = (
        fitting("冷却水の点検はいつ行いますか"),
        fitting("いつですか"),
    );
    assert!(asked < 0.02, "{asked}");
    assert!(vague > 0.5, "{vague}");
}

#[test]
fn a_name_in_a_text_of_any_language_is_a_condition() {
    let named = json!({"named": "Stahlwerke Ziegler"});
    assert_eq!(
        found(&folder(), "Haftung der Firma", named),
        ["de/haftung.md"]
    );
}
