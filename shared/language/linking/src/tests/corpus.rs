//! Builds the corpora that the cases ask about from `tests-data/corpora.txt`, which says how they are written.

use crate::Date;
use crate::days::day;
use crate::dictionary::{
    BucketWords, DescribedBucket, DescribedColumn, Dictionary, FieldValue, NAMED,
};

const CORPORA: &str = include_str!("../../tests-data/corpora.txt");

/// A day as `2024-05-03`.
pub(super) fn date(text: &str) -> Date {
    let parts: Vec<u16> = text
        .split('-')
        .map(|part| part.parse().expect("a number"))
        .collect();
    let of = |at: usize| u8::try_from(parts[at]).expect("a month or a day");
    day(parts[0].into(), of(1), of(2)).expect("a day")
}

/// The corpus of a name; without a name, an empty one.
pub(super) fn corpus(name: &str) -> Dictionary {
    let mut known = Dictionary::default();
    if !name.is_empty() {
        fill(&mut known, name);
    }
    known
}

fn fill(known: &mut Dictionary, name: &str) {
    let head = format!("\n[{name}]\n");
    let from = CORPORA
        .find(&head)
        .unwrap_or_else(|| panic!("no corpus `{name}`"))
        + head.len();
    let text = CORPORA[from..].split("\n[").next().unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let (mut bucket, mut at) = ("", 0);
    while at < lines.len() {
        let (order, rest) = lines[at].split_once(' ').unwrap_or((lines[at], ""));
        let is_below = |below: &&&str| match order {
            "schema" => below.starts_with("column "),
            _ => below.starts_with("  "),
        };
        let block = &lines[at + 1..];
        let block = &block[..block.iter().take_while(is_below).count()];
        match order {
            "like" => fill(known, rest),
            "in" | "bucket" => bucket = rest,
            "path" => known.call(bucket, rest),
            "file" => {
                known.count(bucket, []);
                known.call(bucket, rest);
            }
            "column" => known.describe_column(bucket, column(rest)),
            "schema" => {
                let (name, synonyms) = rest.split_once(" | ").unwrap_or((rest, ""));
                known.describe(&BucketWords::from(&DescribedBucket {
                    bucket: name.to_owned(),
                    synonyms: listed(synonyms),
                    columns: block.iter().map(|line| column(&line[7..])).collect(),
                }));
            }
            _ => add_documents(known, bucket, rest, block, order == "counted"),
        }
        if order == "bucket" {
            known.bucket(rest);
        }
        at += 1 + if order == "column" { 0 } else { block.len() };
    }
}

fn listed(text: &str) -> Vec<String> {
    let parts = text.split(',').map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

pub(super) fn column(line: &str) -> DescribedColumn {
    let mut parts = line.split('|').map(str::trim);
    let mut next = || parts.next().unwrap_or_default().to_owned();
    DescribedColumn {
        field: next(),
        description: next(),
        unit: next(),
        synonyms: listed(&next()),
        labels: listed(&next()),
    }
}

fn add_documents(known: &mut Dictionary, bucket: &str, of: &str, block: &[&str], counted: bool) {
    let fields: Vec<(&str, Vec<&str>)> = block
        .iter()
        .map(|line| line.trim().split_once(": ").expect("a field"))
        .map(|(field, values)| (field, values.split(" | ").collect()))
        .collect();
    for n in 0..of.parse().expect("a number of documents") {
        let values = fields
            .iter()
            .map(|(field, values)| (*field, values[n % values.len()]));
        let values: Vec<(&str, &str)> = values.filter(|(_, value)| *value != "-").collect();
        if counted {
            let is_field = |field: &&str| *field != NAMED;
            known.count(
                bucket,
                values.iter().map(|(field, _)| *field).filter(is_field),
            );
        }
        for (field, value) in values {
            let text = value.replace("{n}", &n.to_string()).replace('\\', "|");
            let value = match value.strip_prefix('#') {
                Some(number) => FieldValue::Number(number.parse().expect("a number")),
                None => FieldValue::Text(&text),
            };
            known.add(bucket, field, value);
        }
    }
}
