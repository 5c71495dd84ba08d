//! Measures which share of a reworded statement's words occurs in the nearest sentences of its source. The statements
//! are from answers of real models in which people have marked the made-up spans (RAGTruth). The data is not in the
//! repository: `ARGOSY_RAGTRUTH=…/ragtruth_test.jsonl cargo test -p argosy-mapper --test ragtruth -- --ignored
//! --nocapture`.
//!
//! The bound for a mapper's facts (`mapper.fact_support_min`) comes from this measurement. It does *not* measure
//! mappers: the sentences are from answers, which reword more than facts do.
#![expect(
    clippy::unwrap_used,
    reason = "a measurement that cannot go on may panic"
)]

use serde::Deserialize;
use settings::sources::variable;
use std::collections::BTreeMap;
use text::alignment::AlignedText;
use text::sentences::cited;

/// One source in so many is for choosing a bound; the others tell how good it is.
const DEV_PART: u64 = 3;
const BOUNDS: [f32; 7] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

#[derive(Deserialize)]
struct Row {
    source_id: String,
    task: String,
    context: String,
    response: String,
    spans: Vec<Marked>,
}

#[derive(Deserialize)]
struct Marked {
    start: usize,
    end: usize,
}

/// The origin of the sentence that is held against the passages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Statement {
    /// A sentence of an answer from these passages in which people marked nothing.
    Unmarked,
    /// A sentence of an answer from these passages in which people marked something as made up.
    Marked,
    /// A sentence of an answer from other passages.
    Foreign,
}

#[derive(Default)]
struct Count {
    all: usize,
    kept: [usize; BOUNDS.len()],
}

#[test]
#[ignore = "needs RAGTruth's test set, named by ARGOSY_RAGTRUTH; it is no part of the repository"]
fn reworded_statements_stand_in_their_own_passages() {
    let path = variable("ARGOSY_RAGTRUTH").expect("ARGOSY_RAGTRUTH names ragtruth_test.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Row> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut counts: BTreeMap<(bool, String, Statement), Count> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let other = other(&rows, at);
        let chars: Vec<usize> = row.response.char_indices().map(|(at, _)| at).collect();
        let byte = |char: usize| chars.get(char).copied().unwrap_or(row.response.len());
        let spans = cited::spans(&row.response);
        for span in spans.into_iter().filter(|span| span.len() > 20) {
            let is_marked =
                |marked: &Marked| byte(marked.start) < span.end && byte(marked.end) > span.start;
            let own = match row.spans.iter().any(is_marked) {
                true => Statement::Marked,
                false => Statement::Unmarked,
            };
            for (statement, of) in [(own, row), (Statement::Foreign, other)] {
                let coverage = coverage(of, &row.response[span.clone()]);
                let key = (is_dev(row), row.task.clone(), statement);
                counts.entry(key).or_default().add(coverage);
            }
        }
    }
    println!("split task      statement     sentences  kept at a bound of {BOUNDS:?}");
    for ((dev, task, statement), count) in &counts {
        let (split, name) = (if *dev { "dev" } else { "test" }, statement.name());
        let shares = count
            .kept
            .map(|kept| format!("{:.3}", kept as f64 / count.all as f64));
        println!(
            "{split:<5} {task:<9} {name:<13} {:>9}  {}",
            count.all,
            shares.join(" ")
        );
    }
    let at_default = |task: &str, statement| {
        let count = &counts[&(false, task.to_owned(), statement)];
        count.kept[2] as f64 / count.all as f64
    };
    for task in ["QA", "Summary"] {
        assert!(
            at_default(task, Statement::Foreign) <= 0.01,
            "{task}: foreign sentences are kept"
        );
        assert!(
            at_default(task, Statement::Unmarked) >= 0.5,
            "{task}: sentences are dropped"
        );
    }
}

impl Count {
    fn add(&mut self, coverage: Option<f32>) {
        self.all += 1;
        for (kept, bound) in self.kept.iter_mut().zip(BOUNDS) {
            *kept += usize::from(coverage.is_some_and(|coverage| coverage >= bound));
        }
    }
}

impl Statement {
    const fn name(self) -> &'static str {
        match self {
            Statement::Unmarked => "unmarked",
            Statement::Marked => "marked",
            Statement::Foreign => "of another",
        }
    }
}

/// The coverage of a statement in the passage that covers it best.
fn coverage(row: &Row, statement: &str) -> Option<f32> {
    let passages = row
        .context
        .split("\n\n")
        .map(|passage| AlignedText::new(passage, &[]));
    let found = passages.filter_map(|passage| passage.align(statement, 0.0));
    found.map(|found| found.coverage).max_by(f32::total_cmp)
}

/// The next row of the same task from another source.
fn other(rows: &[Row], at: usize) -> &Row {
    let row = &rows[at];
    let rest = rows[at..].iter().chain(&rows[..at]);
    let mut others =
        rest.filter(|other| other.task == row.task && other.source_id != row.source_id);
    others.next().unwrap()
}

fn is_dev(row: &Row) -> bool {
    let hash = row
        .source_id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    hash.is_multiple_of(DEV_PART)
}
