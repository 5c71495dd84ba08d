//! Checks that no file contains what `forbidden.toml` lists: ways to do a thing that has one place, what is left to do,
//! and texts about a machine or about the way in which the repository was written.

use crate::sources::{is_code, is_test_file, sources};
use crate::tree::{File, covers, files, has_word, none};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Forbidden {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    name: String,
    lines: Lines,
    /// What to do.
    say: String,
    /// What must not be in a line.
    #[serde(default)]
    texts: Vec<String>,
    /// The same as whole words. In all files, their case does not count.
    #[serde(default)]
    words: Vec<String>,
    /// Files that are not looked at.
    #[serde(default)]
    skip: Vec<String>,
    /// Places where the rule does not hold, each with its reason.
    #[serde(default)]
    except: Vec<(String, String)>,
}

/// The lines that a rule looks at.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Lines {
    /// Of every file.
    All,
    /// Of Rust files, with comments.
    Rust,
    /// Of Rust files, without comments.
    Code,
    /// Of Rust files, without comments and tests.
    Product,
}

impl Rule {
    /// What it finds in the lines of a file that it looks at: the number of the line, and what is there.
    fn found<'a>(&'a self, file: &'a File) -> Vec<(usize, &'a str)> {
        let is_skipped = self.skip.iter().any(|place| covers(place, &file.path));
        let lines: Vec<(usize, &str)> = match self.lines {
            _ if is_skipped => Vec::new(),
            Lines::All | Lines::Rust => file.lines().collect(),
            Lines::Code => file.lines().filter(|(_, line)| is_code(line)).collect(),
            Lines::Product if is_test_file(&file.path) => Vec::new(),
            Lines::Product => {
                let lines = file.product_lines();
                lines.filter(|(_, line)| is_code(line)).collect()
            }
        };
        let mut found = Vec::new();
        for (number, line) in lines {
            let texts = self.texts.iter().filter(|text| line.contains(*text));
            let is_word = |word: &&String| match self.lines {
                Lines::All => has_word(&line.to_lowercase(), word),
                _ => has_word(line, word),
            };
            let words = self.words.iter().filter(is_word);
            found.extend(texts.chain(words).map(|what| (number, what.as_str())));
        }
        found
    }
}

#[test]
fn nothing_contains_what_is_forbidden() {
    let forbidden: Forbidden =
        toml::from_str(include_str!("forbidden.toml")).expect("forbidden.toml");
    let (all, sources) = (files(), sources());
    let mut findings = Vec::new();
    for rule in &forbidden.rule {
        let files = match rule.lines {
            Lines::All => &all,
            _ => &sources,
        };
        let mut needed = vec![false; rule.except.len()];
        for file in files {
            for (number, what) in rule.found(file) {
                let excepted = rule.except.iter();
                let excepted = excepted.map(|(place, _)| covers(place, &file.path));
                match excepted.into_iter().position(|is_it| is_it) {
                    Some(at) => needed[at] = true,
                    None => {
                        let Rule { name, say, .. } = rule;
                        findings.push(file.at(number, format!("`{what}`: {say} ({name})")));
                    }
                }
            }
        }
        for ((place, reason), needed) in rule.except.iter().zip(needed) {
            if !needed || reason.is_empty() {
                findings.push(format!(
                    "tests/tidy/forbidden.toml: `{}`: the exception `{place}` (\"{reason}\") is not needed, or has no reason",
                    rule.name
                ));
            }
        }
    }
    none(findings);
}

#[test]
fn a_rule_sees_what_it_looks_for() {
    let forbidden: Forbidden =
        toml::from_str(include_str!("forbidden.toml")).expect("forbidden.toml");
    for rule in &forbidden.rule {
        for what in rule.texts.iter().chain(&rule.words) {
            let file = |path: &str, text: String| File {
                path: path.into(),
                text,
            };
            let there = file("a.rs", format!("fn a() {{\n    {what}\n}}\n"));
            let found = rule.found(&there);
            assert!(found.contains(&(2, what)), "{}: {what}", rule.name);
            let of_tests = format!("#[cfg(test)]\nmod tests {{\n    {what}\n}}\n");
            let is_seen = rule.lines != Lines::Product;
            let is_found = !rule.found(&file("a.rs", of_tests)).is_empty();
            assert_eq!(is_found, is_seen, "{}: {what}", rule.name);
        }
    }
}
