//! Measures how close the rewrites of follow-up questions come to the rewrites by people, on CANARD's dev set. The data
//! is not part of the repository: `ARGOSY_CANARD=…/dev.json cargo test -p argosy-offline-reader --test canard --
//! --ignored --nocapture`. `ARGOSY_CANARD_SHOW=1` prints the rows of the train half.

use argosy_offline_reader::follow_up::{PastExchange, rewrite};
use serde_json::Value;
use settings::sources::variable;
use std::collections::HashMap;
use std::path::Path;

/// What is reached on all rows, rounded down: F1, recall, precision, the share of the added words
/// that are right, the share of the rows without need that are left alone.
const WITH_TITLE: [f64; 5] = [0.80, 0.75, 0.88, 0.70, 0.78];
const WITHOUT_TITLE: [f64; 5] = [0.72, 0.64, 0.87, 0.57, 0.99];

/// One row of the set.
struct Row {
    title: String,
    history: Vec<String>,
    question: String,
    reference: String,
    tuned: bool,
}

fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn rows(path: &Path) -> Vec<Row> {
    let json: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |value: &Value| {
        let mut history = value["History"]
            .as_array()
            .expect("a list")
            .iter()
            .map(text);
        Row {
            title: history.next().unwrap_or_default(),
            history: history.skip(1).collect(),
            question: text(&value["Question"]),
            reference: text(&value["Rewrite"]),
            tuned: fnv(&text(&value["QuAC_dialog_id"])).is_multiple_of(2),
        }
    };
    json.as_array().expect("a list").iter().map(row).collect()
}

fn bag(text: &str) -> HashMap<String, usize> {
    let lower = text.to_lowercase();
    let words = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty());
    let mut bag = HashMap::new();
    for word in words {
        *bag.entry(word.to_owned()).or_insert(0) += 1;
    }
    bag
}

fn size(bag: &HashMap<String, usize>) -> usize {
    bag.values().sum()
}

fn common(a: &HashMap<String, usize>, b: &HashMap<String, usize>) -> usize {
    a.iter()
        .map(|(word, n)| n.min(b.get(word).unwrap_or(&0)))
        .sum()
}

fn less(a: &HashMap<String, usize>, b: &HashMap<String, usize>) -> HashMap<String, usize> {
    let left = |(word, n): (&String, &usize)| {
        let n = n.saturating_sub(*b.get(word).unwrap_or(&0));
        (n > 0).then(|| (word.clone(), n))
    };
    a.iter().filter_map(left).collect()
}

#[derive(Default)]
struct Score {
    rows: usize,
    recall: f64,
    precision: f64,
    f1: f64,
    added: usize,
    added_right: usize,
    alike: usize,
    alike_kept: usize,
}

impl Score {
    fn add(&mut self, row: &Row, written: &str) -> f64 {
        let (ours, theirs, asked) = (bag(written), bag(&row.reference), bag(&row.question));
        let shared = common(&ours, &theirs) as f64;
        let recall = shared / size(&theirs).max(1) as f64;
        let precision = shared / size(&ours).max(1) as f64;
        let f1 = if shared > 0.0 {
            2.0 * recall * precision / (recall + precision)
        } else {
            0.0
        };
        self.rows += 1;
        self.recall += recall;
        self.precision += precision;
        self.f1 += f1;
        let new = less(&ours, &asked);
        self.added += size(&new);
        self.added_right += common(&new, &less(&theirs, &asked));
        if theirs == asked {
            self.alike += 1;
            self.alike_kept += usize::from(ours == asked);
        }
        f1
    }

    fn figures(&self) -> [f64; 5] {
        let n = self.rows.max(1) as f64;
        [
            self.f1 / n,
            self.recall / n,
            self.precision / n,
            self.added_right as f64 / self.added.max(1) as f64,
            self.alike_kept as f64 / self.alike.max(1) as f64,
        ]
    }
}

fn written(row: &Row, titled: bool) -> String {
    let exchange = |pair: &'_ [String]| (pair[0].clone(), pair[1].clone());
    let pairs: Vec<(String, String)> = row.history.chunks_exact(2).map(exchange).collect();
    let before: Vec<PastExchange<'_>> = pairs
        .iter()
        .map(|(question, answer)| PastExchange { question, answer })
        .collect();
    let topic = titled.then_some(row.title.as_str());
    let rewritten = rewrite(topic, &before, &row.question);
    rewritten.map_or_else(|| row.question.clone(), |r| r.question)
}

#[test]
#[ignore = "needs CANARD's dev set, named by ARGOSY_CANARD; it is no part of the repository"]
fn rewrites_come_near_those_of_people() {
    let path = variable("ARGOSY_CANARD").expect("ARGOSY_CANARD names dev.json");
    let rows = rows(Path::new(&path));
    let shows = variable("ARGOSY_CANARD_SHOW").is_some();
    println!("title half   rows  F1    recall prec. added kept");
    for (titled, floors) in [(true, WITH_TITLE), (false, WITHOUT_TITLE)] {
        let mut scores: [Score; 3] = Default::default();
        let mut took = std::time::Duration::ZERO;
        for row in &rows {
            let begun = std::time::Instant::now();
            let written = written(row, titled);
            took += begun.elapsed();
            scores[usize::from(!row.tuned)].add(row, &written);
            let f1 = scores[2].add(row, &written);
            if shows && row.tuned {
                println!(
                    "ROW\t{titled}\t{f1:.3}\t{}\t{}\t{}\t{}\t{}",
                    row.title,
                    row.history
                        .iter()
                        .rev()
                        .take(2)
                        .rev()
                        .cloned()
                        .collect::<Vec<_>>()
                        .join(" ~ "),
                    row.question,
                    row.reference,
                    written
                );
            }
        }
        for (score, half) in scores.iter().zip(["train", "test", "all"]) {
            let [f1, recall, precision, added, kept] = score.figures();
            println!(
                "{titled:5} {half:5} {:5}  {f1:.3} {recall:.3}  {precision:.3} {added:.3} {kept:.3}",
                score.rows
            );
        }
        println!(
            "{:?} a row",
            took / u32::try_from(rows.len()).unwrap_or(u32::MAX)
        );
        let reached = scores[2].figures();
        for (figure, floor) in reached.iter().zip(floors) {
            assert!(figure >= &floor, "{reached:?} is below {floors:?}");
        }
    }
}
