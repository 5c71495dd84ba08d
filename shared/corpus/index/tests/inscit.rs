//! Measures how much a search gains from the earlier turns of a dialogue, on INSCIT. The data is not part of the
//! repository: `ARGOSY_INSCIT=…/inscit cargo test -p argosy-index --test inscit -- --ignored --nocapture`.
//!
//! The hash of a dialogue's id decides whether it is in the `dev` half, on which the weight of the context is chosen.
//! Turns without a judged passage are left out.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on may panic, in its helpers too"
)]

use argosy_index::{HybridSearcher, Index, Options, VectorSource};
use envelope::{ChunkRecord, TenantId, ids::fnv1a_64};
use offline_reader::follow_up::{PastExchange, rewrite};
use search::{QueryContext, SearchRequest, Searcher};
use serde::Deserialize;
use serde_json::json;
use static_embed::StaticTable;
use std::collections::HashMap;
use std::path::Path;

/// Where the figures are cut.
const SHOWN: usize = 10;
/// The default of `retriever.context_weight`, and what is reached with it on all dialogues, rounded down.
const WEIGHT: f32 = 0.3;
const REACHED: f64 = 0.74;

#[derive(Deserialize)]
struct Passage {
    _id: String,
    title: String,
    text: String,
}

#[derive(Deserialize)]
struct Turn {
    _id: String,
    text: String,
    /// User and assistant in turn, oldest first.
    context: Vec<String>,
}

/// What is searched for.
struct Asked {
    id: String,
    question: String,
    rewritten: String,
    /// The question before, where there was one.
    before: String,
    is_dev: bool,
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(path).unwrap();
    let read = |line| serde_json::from_str(line).unwrap();
    text.lines().map(read).collect()
}

fn asked(turn: Turn) -> Asked {
    let pairs = turn.context.chunks_exact(2);
    let exchanges: Vec<PastExchange<'_>> = pairs
        .map(|pair| PastExchange {
            question: &pair[0],
            answer: &pair[1],
        })
        .collect();
    let rewritten = rewrite(None, &exchanges, &turn.text);
    let before = exchanges.last().map(|exchange| exchange.question);
    let dialogue = turn._id.split('#').next().unwrap_or_default();
    Asked {
        rewritten: rewritten.map_or_else(|| turn.text.clone(), |r| r.question),
        before: before.unwrap_or_default().to_owned(),
        is_dev: fnv1a_64(dialogue.as_bytes()).is_multiple_of(2),
        id: turn._id,
        question: turn.text,
    }
}

/// One chunk for each passage; its document is named after its line.
fn index(passages: &[Passage]) -> Index {
    let index = Index::open_in_ram(&VectorSource::Table(StaticTable::shipped())).unwrap();
    let record = |(n, passage): (usize, &Passage)| -> ChunkRecord {
        serde_json::from_value(json!({
            "v": 1, "tenant": "default", "bucket": "wiki", "doc_id": format!("p{n}"), "n": 0, "of": 1,
            "hash": "h", "title": passage.title, "source": format!("wiki/{n}"), "text": passage.text,
        }))
        .unwrap()
    };
    let records: Vec<ChunkRecord> = passages.iter().enumerate().map(record).collect();
    let mut writer = index.writer().unwrap();
    writer.apply(&records).unwrap();
    writer.commit(1, "inscit").unwrap();
    writer.refit().unwrap();
    writer.close().unwrap();
    index
}

fn request(query: String, context: Option<QueryContext>) -> SearchRequest {
    SearchRequest {
        context,
        ..SearchRequest::new(TenantId::default_tenant(), query, 100, SHOWN)
    }
}

fn ndcg(found: &[bool], right: usize) -> f64 {
    let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let there = found.iter().enumerate().filter(|(_, is_right)| **is_right);
    let reached: f64 = there.map(|(rank, _)| gain(rank)).sum();
    let ideal: f64 = (0..right.min(SHOWN)).map(gain).sum();
    reached / ideal
}

/// A way to search, by name.
struct Way {
    name: String,
    rewrites: bool,
    joins: bool,
    weight: f32,
}

impl Way {
    fn new(name: &str, rewrites: bool, weight: f32) -> Way {
        Way {
            name: name.into(),
            rewrites,
            joins: false,
            weight,
        }
    }

    fn request(&self, asked: &Asked) -> SearchRequest {
        let question = match self.rewrites {
            true => &asked.rewritten,
            false => &asked.question,
        };
        if self.joins {
            return request(format!("{} {question}", asked.before), None);
        }
        let context = (self.weight > 0.0 && !asked.before.is_empty()).then(|| QueryContext {
            text: asked.before.clone(),
            weight: self.weight,
        });
        request(question.clone(), context)
    }
}

fn ways() -> Vec<Way> {
    let mut ways = vec![
        Way::new("last turn alone", false, 0.0),
        Way {
            joins: true,
            ..Way::new("with the one before", false, 0.0)
        },
        Way::new("rewritten", true, 0.0),
    ];
    for rewrites in [false, true] {
        for weight in [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5] {
            let name = match rewrites {
                true => format!("rewritten, at {weight}"),
                false => format!("last turn, at {weight}"),
            };
            ways.push(Way::new(&name, rewrites, weight));
        }
    }
    ways
}

/// nDCG@10 of a way: on the dev dialogues, on the others, on all.
async fn measured(
    searcher: &HybridSearcher,
    way: &Way,
    turns: &[Asked],
    gold: &HashMap<String, Vec<String>>,
) -> [f64; 3] {
    let mut sums = [(0.0, 0u32); 3];
    for asked in turns {
        let Some(gold) = gold.get(&asked.id) else {
            continue;
        };
        let found = searcher.search(&way.request(asked)).await.unwrap();
        let places = found.passages.iter();
        let right: Vec<bool> = places
            .map(|p| gold.contains(&p.doc_id.to_string()))
            .collect();
        let figure = ndcg(&right, gold.len());
        for n in [usize::from(!asked.is_dev), 2] {
            sums[n].0 += figure;
            sums[n].1 += 1;
        }
    }
    sums.map(|(sum, count)| sum / f64::from(count))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs INSCIT, named by ARGOSY_INSCIT; it is no part of the repository"]
async fn what_was_asked_before_helps() {
    let dir = settings::sources::variable("ARGOSY_INSCIT").expect("ARGOSY_INSCIT names a folder");
    let dir = Path::new(&dir);
    let passages: Vec<Passage> = lines(&dir.join("corpus.jsonl"));
    let places: HashMap<&str, usize> = passages.iter().map(|p| p._id.as_str()).zip(0..).collect();
    let mut gold: HashMap<String, Vec<String>> = HashMap::new();
    let judged = std::fs::read_to_string(dir.join("qrels.tsv")).unwrap();
    for line in judged.lines().skip(1) {
        let parts: Vec<&str> = line.split('\t').collect();
        let place = places[parts[1]];
        gold.entry(parts[0].into())
            .or_default()
            .push(format!("p{place}"));
    }
    let turns: Vec<Turn> = lines(&dir.join("queries.jsonl"));
    let turns: Vec<Asked> = turns.into_iter().map(asked).collect();
    let dev = turns.iter().filter(|asked| asked.is_dev).count();
    println!(
        "{} turns, {dev} of them dev, {} judged",
        turns.len(),
        gold.len()
    );
    let index = index(&passages);
    let words = Options {
        vectors: false,
        rerank: false,
        ..Options::default()
    };
    for (how, options) in [
        ("words alone", words),
        ("as by default", Options::default()),
    ] {
        let searcher = HybridSearcher::new(index.clone(), options);
        println!("\n{how:24} dev   other all");
        for way in ways() {
            let [dev, other, all] = measured(&searcher, &way, &turns, &gold).await;
            println!("{:24} {dev:.3} {other:.3} {all:.3}", way.name);
            let is_ours = how == "as by default" && way.rewrites && way.weight == WEIGHT;
            assert!(!is_ours || all >= REACHED, "{all:.4} is below {REACHED}");
        }
    }
}
