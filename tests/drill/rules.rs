//! Makes a copy of the shipped alert rules in which an alert fires within seconds. Prometheus parses the shipped
//! files, and the copy is made from the rules that it reports, so that this test needs no YAML parser of its own.
//!
//! One factor, 60 by default, divides all times: each `for`, each range, each offset, and the time by which
//! `predict_linear` looks ahead, which scales with its range. These values stay as they are:
//!
//! - Seconds that a value is compared with, such as 20 s in a queue, a target of 2 s or 14 days of a certificate,
//!   because the fleet is no faster in a drill.
//! - Levels, such as 50 waiting messages or 95 % of a stream.
//!
//! These values have bounds:
//!
//! - A range is no shorter than [`RANGE_LEAST`], which holds a few scrapes, and no longer than [`RANGE_MOST`],
//!   because an alert on a range resolves only when the range has passed.
//! - A `for` is no longer than [`WAIT_MOST`], because a scrape that a busy machine misses starts it again.
//! - A minimum number of events (`>= 20`) applies to a range. A range that is sixty times shorter has sixty times
//!   fewer events, but a sixtieth of 20 is less than one event. So the minimum is divided by [`FLOOR_DIVISOR`]
//!   instead.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The shortest and the longest range, in seconds.
const RANGE_LEAST: u64 = 5;
const RANGE_MOST: u64 = 60;
/// The longest `for`, in seconds.
const WAIT_MOST: u64 = 30;
/// What floors of events are divided by, and the smallest floor.
const FLOOR_DIVISOR: u64 = 4;
const FLOOR_LEAST: u64 = 2;

/// The files of the chart.
pub(crate) fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../charts/argosy/files/rules");
    let entries = std::fs::read_dir(folder).expect("the rules of the chart");
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    files
}

/// The names of all alerts, as they stand in the shipped files.
pub(crate) fn alerts() -> Vec<String> {
    let texts = shipped()
        .into_iter()
        .map(|file| std::fs::read_to_string(file).expect("a file"));
    let mut names = Vec::new();
    for text in texts {
        let named = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- alert: "));
        names.extend(named.map(str::to_owned));
    }
    names
}

/// A rule file made from what Prometheus reports at `/api/v1/rules`, in JSON, which is also YAML.
pub(crate) fn shortened(said: &Value, factor: u64) -> Value {
    let groups = said["data"]["groups"].as_array().expect("groups");
    let groups = groups.iter().map(|group| {
        let rules = group["rules"].as_array().expect("rules");
        json!({ "name": group["name"], "rules": rules.iter().map(|one| rule(one, factor)).collect::<Vec<_>>() })
    });
    json!({ "groups": groups.collect::<Vec<_>>() })
}

fn rule(rule: &Value, factor: u64) -> Value {
    let expr = expression(rule["query"].as_str().expect("an expression"), factor);
    let name = &rule["name"];
    if rule["type"] == "recording" {
        return json!({ "record": name, "expr": expr, "labels": rule["labels"] });
    }
    assert!(
        rule["keepFiringFor"].as_f64().unwrap_or(0.0) == 0.0,
        "{name} keeps firing"
    );
    let wait = rule["duration"].as_f64().expect("a `for`") as u64;
    let wait = format!("{}s", wait.div_ceil(factor).min(WAIT_MOST));
    let (labels, annotations) = (&rule["labels"], &rule["annotations"]);
    json!({ "alert": name, "expr": expr, "for": wait, "labels": labels, "annotations": annotations })
}

/// An expression with shorter times and lower floors.
pub(crate) fn expression(long: &str, factor: u64) -> String {
    let (mut short, mut rest) = (String::new(), long);
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            '"' => quoted(rest),
            '[' => rest.find(']').expect("the end of a range") + 1,
            ',' if short.ends_with(']') => rest.find(')').expect("the end of a call"),
            _ if rest.starts_with("offset ") => "offset ".len() + word(&rest["offset ".len()..]),
            _ if rest.starts_with(">= ") => ">= ".len() + word(&rest[">= ".len()..]),
            _ if next.is_alphanumeric() || next == '_' => word(rest),
            _ => next.len_utf8(),
        };
        let (piece, after) = rest.split_at(taken);
        short += &match next {
            '[' => range(&piece[1..taken - 1], factor),
            'o' if piece.starts_with("offset ") => {
                format!("offset {}s", least(seconds(&piece[7..]), factor))
            }
            ',' if taken > 1 => format!(", ({}) / {factor}", piece[1..].trim()),
            '>' if piece.len() > 3 => floor(&piece[3..]),
            _ => piece.to_owned(),
        };
        rest = after;
    }
    short
}

/// The length of the string that begins here, with its quotes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    panic!("a string without an end: {text}")
}

/// The length of the word or number that begins here.
fn word(text: &str) -> usize {
    let belongs = |sign: char| sign.is_alphanumeric() || "_:.".contains(sign);
    text.find(|sign| !belongs(sign)).unwrap_or(text.len())
}

/// A range, or the range and the step of a subquery.
fn range(long: &str, factor: u64) -> String {
    let parts = long.split(':').map(|part| match part {
        "" => String::new(),
        part => format!("{}s", least(seconds(part), factor)),
    });
    format!("[{}]", parts.collect::<Vec<_>>().join(":"))
}

fn least(long: u64, factor: u64) -> u64 {
    (long / factor).clamp(RANGE_LEAST, RANGE_MOST)
}

fn floor(number: &str) -> String {
    match number.parse::<u64>() {
        Ok(events) => format!(">= {}", (events / FLOOR_DIVISOR).max(FLOOR_LEAST)),
        // A comparison of two series.
        Err(_) => format!(">= {number}"),
    }
}

/// A duration as Prometheus writes it, such as `1h30m`.
fn seconds(duration: &str) -> u64 {
    let (mut sum, mut number) = (0, 0);
    for sign in duration.trim().chars() {
        let unit = match sign {
            '0'..='9' => {
                number = number * 10 + u64::from(sign) - u64::from('0');
                continue;
            }
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            _ => panic!("`{duration}` is no duration that is known here"),
        };
        sum += number * unit;
        number = 0;
    }
    assert!(
        sum > 0 && number == 0,
        "`{duration}` is no duration that is known here"
    );
    sum
}

#[test]
fn times_are_shortened_and_nothing_else() {
    for (long, short) in [
        ("rate(x:rate5m[10m])", "rate(x:rate5m[10s])"),
        (
            r#"x{a="[5m] offset 1h >= 20"}[6h]"#,
            r#"x{a="[5m] offset 1h >= 20"}[60s]"#,
        ),
        (r#"x{a=~"2(\\.0)?\""}[2m]"#, r#"x{a=~"2(\\.0)?\""}[5s]"#),
        (
            "x - x offset 15m > 14 * 86400",
            "x - x offset 15s > 14 * 86400",
        ),
        ("max_over_time(x[1h30m:1m])", "max_over_time(x[60s:5s])"),
        (
            "increase(x[30m]) >= 20 and y > 20",
            "increase(x[30s]) >= 5 and y > 20",
        ),
        (
            "x >= x offset 15m and y >= on (z) w",
            "x >= x offset 15s and y >= on (z) w",
        ),
        (
            "predict_linear(x[6h], 4 * 86400) < 0",
            "predict_linear(x[60s], (4 * 86400) / 60) < 0",
        ),
    ] {
        assert_eq!(expression(long, 60), short);
    }
}
