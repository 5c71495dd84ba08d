#!/usr/bin/env bash
# tantivy 0.27.0: a set query of one term takes some two hundred times as long as a term query, however small the index is.
#
# `TermSetQuery` is the query for "one of these values", as filters and look-ups by key need it. One would expect that with one term it costs
# what `TermQuery` costs, and little more with a few. Seen: its `weight` compiles the terms into a finite state transducer each time, by a builder (tantivy-fst
# 0.5) that begins with a table of 20,000 empty nodes, more than a megabyte, before it has looked at a term. So a set of one term takes some hundred
# microseconds where a term query takes a few, and a set of ten about as long as one of a hundred. A union of term queries finds the same.
#
# Prints the median time of each, as release build, over 10,000 documents in memory. Exits with 0 while a set of one term takes at least ten times as long as
# a union of one, and with 1 when it is otherwise. It needs cargo.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "look"
version = "0.0.0"
edition = "2024"
[dependencies]
tantivy = { version = "=0.27.0", default-features = false }
TOML
cat >src/main.rs <<'RUST'
use std::time::Instant;
use tantivy::collector::Count;
use tantivy::query::{BooleanQuery, Query, TermQuery, TermSetQuery};
use tantivy::schema::{INDEXED, IndexRecordOption, Schema};
use tantivy::{Index, Term, doc};

/// The median time of making a query and counting what it finds, in microseconds, and what it finds.
fn time(searcher: &tantivy::Searcher, make: impl Fn() -> Box<dyn Query>) -> (f64, usize) {
    let mut times = Vec::new();
    let mut found = 0;
    for _ in 0..301 {
        let begun = Instant::now();
        found = searcher.search(&*make(), &Count).unwrap();
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], found)
}

fn main() {
    let mut schema = Schema::builder();
    let number = schema.add_u64_field("number", INDEXED);
    let index = Index::create_in_ram(schema.build());
    let mut writer = index.writer_with_num_threads(1, 50_000_000).unwrap();
    for n in 0..10_000_u64 {
        writer.add_document(doc!(number => n)).unwrap();
    }
    writer.commit().unwrap();
    let searcher = index.reader().unwrap().searcher();
    let mut ratio_of_one = 0.0;
    println!("terms   set us   union us   ratio");
    for count in [1, 10, 100] {
        let terms = || (0..count).map(|n| Term::from_field_u64(number, n * 7));
        let one = |term| Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn Query>;
        let (set, in_set) = time(&searcher, || Box::new(TermSetQuery::new(terms())));
        let (union, in_union) = time(&searcher, || Box::new(BooleanQuery::union(terms().map(one).collect())));
        assert_eq!((in_set, in_union), (count as usize, count as usize));
        println!("{count:>5} {set:>8.1} {union:>10.1} {:>7.1}", set / union);
        if count == 1 {
            ratio_of_one = set / union;
        }
    }
    std::process::exit(i32::from(ratio_of_one < 10.0));
}
RUST
cargo build --quiet --release
target/release/look
