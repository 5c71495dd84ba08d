//! Reads names from documents that have no schema. Pure.
//!
//! The path `ACME_2018_10K.pdf` names a company, a year and a form, although nothing says which part means what. Lines
//! such as `Holder: Acme Ltd` name things, too.

use crate::dictionary::{VALUE_WORDS_MAX, is_year};

pub(crate) const NAMES_MAX: usize = 48;
const LINES_MAX: usize = 40;
const WORDS_MAX: usize = 4;

/// Signs between the parts of a file's name.
const SEPARATORS: [char; 10] = ['_', '=', '+', ',', ';', '~', '(', ')', '[', ']'];

/// The names in a path, each once: its folders, the parts between underscores and the like, and runs of up to four
/// neighbouring words of a part. The first folder is left out unless it is a year.
pub(crate) fn of_path(path: &str) -> Vec<String> {
    let path = path.split_once('#').map_or(path, |(path, _)| path);
    // The first folder is the bucket, unless it is a year: `2018/acme/10K.pdf`. A file that lies in no folder has its
    // name all the same.
    let first = path.split('/').next().unwrap_or_default();
    let folders = usize::from(path.contains('/') && !is_year(first));
    let mut segments: Vec<&str> = path.split('/').skip(folders).collect();
    if let Some(file) = segments.last_mut()
        && let Some((stem, ending)) = file.rsplit_once('.')
        && ending.len() <= 5
    {
        *file = stem;
    }
    let mut names: Vec<String> = Vec::new();
    for segment in segments {
        let parts = segment.split(SEPARATORS).filter(|part| !part.is_empty());
        let parts: Vec<&str> = parts.collect();
        runs(&parts, &mut names);
        for part in parts {
            let words = part.split([' ', '-', '.']).filter(|word| !word.is_empty());
            runs(&words.collect::<Vec<&str>>(), &mut names);
        }
    }
    names.truncate(NAMES_MAX);
    names
}

/// The labelled values of a text: lines of the form `Label: value` or `| Label | value |`. Each label is written as a
/// field name: `certificate_number`.
pub fn of_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<(String, &'a str)> {
    let labelled = lines.into_iter().take(LINES_MAX).filter_map(labelled);
    labelled.take(NAMES_MAX).collect()
}

fn labelled(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    let (label, value) = match line.strip_prefix('|') {
        Some(cells) => cells.trim_end_matches('|').split_once('|')?,
        None => line.split_once(": ")?,
    };
    let (label, value) = (label.trim(), value.trim());
    let words = label.split([' ', '-', '_']).map(str::to_lowercase);
    let words: Vec<String> = words.collect();
    let is_kept = |c: char| c.is_alphanumeric() || " -_".contains(c);
    let is_label = words.len() <= WORDS_MAX
        && label.starts_with(char::is_alphabetic)
        && label.chars().all(is_kept);
    let is_value = value.contains(char::is_alphanumeric)
        && !value.contains('|')
        && value.split(' ').count() <= VALUE_WORDS_MAX;
    (is_label && is_value).then(|| (words.join("_"), value))
}

fn runs(words: &[&str], names: &mut Vec<String>) {
    for length in (1..=WORDS_MAX.min(words.len())).rev() {
        for run in words.windows(length) {
            let name = run.join(" ");
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
}
