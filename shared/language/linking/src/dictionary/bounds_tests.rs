//! Measures and prints the memory of a full dictionary and the time for a question. It is run by hand in a release
//! build: `cargo test --release -p argosy-linking --lib bounds -- --ignored --nocapture`.

use crate::dictionary::{BucketWords, DescribedBucket, DescribedColumn, Dictionary, FieldValue};
use crate::{NAMED, link};
use std::time::Instant;

/// The number of values while questions are asked, and the most values that a process keeps for all tenants together.
const ASKED: usize = 100_000;
const MOST: usize = 150_000;
/// Other tenants of the same process.
const TENANTS: usize = 100;
const MIB: f64 = 1_048_576.0;
const BYTES_MAX: f64 = 64.0;
const MICROS_MAX: f64 = 1_000.0;

/// The resident memory of this process in MiB, if the system tells it.
fn resident() -> Option<f64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4_096.0 / MIB)
}

/// A name of two or three made-up words.
fn name(mut n: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "bra", "con", "del", "fir", "gam", "hol", "kes", "lun", "mar", "nor", "pel", "ros", "san",
        "tor", "ver", "wil",
    ];
    let words_of = 2 + n % 2;
    let mut syllable = |word, at| {
        let syllable = SYLLABLES[(n * (7 + 4 * word) + at) % 16];
        n = n.wrapping_mul(2_654_435_761) >> 3;
        syllable
    };
    let mut words = Vec::new();
    for word in 0..words_of {
        let letters: String = (0..3).map(|at| syllable(word, at)).collect();
        words.push(letters[..1].to_uppercase() + &letters[1..]);
    }
    words.join(" ")
}

/// Adds values as documents have them: a company, a number and a part of a path, in turn.
fn fill(dictionary: &mut Dictionary, from: usize, values: usize) {
    let mut at = from;
    while dictionary.value_count() < values {
        let (field, text) = match at % 3 {
            0 => ("vendor", format!("{} Ltd", name(at))),
            1 => ("invoice_number", format!("INV-{at:07}")),
            _ => (NAMED, format!("{} {at}", name(at).to_lowercase())),
        };
        dictionary.add(
            if field == NAMED { "notes" } else { "invoices" },
            field,
            FieldValue::Text(&text),
        );
        at += 1;
    }
}

/// A schema of 20 columns with 12 synonyms each.
fn schema() -> BucketWords {
    let known = ["vendor", "invoice_number", "date", "due", "total"].map(str::to_owned);
    let others = (0..15).map(|n| format!("further_{n}"));
    let columns = known.into_iter().chain(others).enumerate();
    let column = |(at, field)| DescribedColumn {
        field,
        description: format!("what {} holds", name(at)),
        synonyms: (0..12).map(|n| name(97 * at + n).to_lowercase()).collect(),
        ..DescribedColumn::default()
    };
    BucketWords::from(&DescribedBucket {
        bucket: "invoices".into(),
        synonyms: vec!["bill".into()],
        columns: columns.map(column).collect(),
    })
}

#[test]
#[ignore = "measures; wants a release build"]
fn a_full_dictionary_keeps_to_its_bounds() {
    let before = resident();
    let schema = schema();
    // Those of other tenants, which have the schema and no documents yet.
    let others: Vec<Dictionary> = (0..TENANTS)
        .map(|_| {
            let mut other = Dictionary::default();
            other.describe(&schema);
            other
        })
        .collect();
    let empty = before.zip(resident()).map(|(before, after)| after - before);
    let mut dictionary = Dictionary::default();
    dictionary.describe(&schema);
    dictionary.bucket("invoices");
    dictionary.bucket("notes");
    for field in ["date", "due"] {
        dictionary.add("invoices", field, FieldValue::Text("2024-05-03"));
    }
    dictionary.add("invoices", "total", FieldValue::Number(12.5));
    fill(&mut dictionary, 0, ASKED);
    let today = crate::days::day(2025, 12, 10).unwrap();
    let mut micros: Vec<f64> = (0..2_000)
        .map(|n| {
            let question = match n % 4 {
                0 => format!("List all invoices from {} Ltd over $1,100 in 2024.", name(n * 31)),
                1 => format!("How many invoices are due next month, except those from {}?", name(n * 17)),
                2 => format!("Find invoice INV-{:07}, please.", n * 13),
                _ => "How long do invoices from before the move to the new plant have to be kept, and who decides that?".to_owned(),
            };
            let begun = Instant::now();
            std::hint::black_box(link(&question, &dictionary, today));
            begun.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    micros.sort_by(f64::total_cmp);
    let (p50, p99) = (micros[1_000], micros[1_980]);
    fill(&mut dictionary, ASKED * 4, MOST);
    let grown = before.zip(resident()).map(|(before, after)| after - before);
    println!(
        "{} more tenants with a schema: {:.1} MiB",
        others.len(),
        empty.unwrap_or_default()
    );
    println!(
        "{ASKED} values: a question takes {p50:.0} us, 1 of 100 {p99:.0} us; {} values: {:.1} MiB",
        dictionary.value_count(),
        grown.unwrap_or_default()
    );
    assert!(p50 <= MICROS_MAX, "{p50}");
    assert!(grown.is_none_or(|grown| grown <= BYTES_MAX), "{grown:?}");
}
