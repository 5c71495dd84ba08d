//! Records which names and years stand in one path: the names of `ACME_10K_2018.pdf` include `ACME` and `2018`. Pure.

use super::{Dictionary, FieldValue, NAMED};
use crate::names;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use text::fold;

const YEARS_MAX: usize = 2;

/// Hashes of the pairs of a name and a year that occur in one path. A collision costs at most a condition on a name
/// that exists.
#[derive(Debug, Default)]
pub(super) struct PathYears(HashSet<u64>);

impl Dictionary {
    /// Adds the names in the path of a document.
    pub fn call(&mut self, bucket: &str, path: &str) {
        let all = names::of_path(path);
        for name in &all {
            self.add(bucket, NAMED, FieldValue::Text(name));
        }
        let is_year = |name: &&String| is_year(name);
        for year in all.iter().filter(is_year).take(YEARS_MAX) {
            for name in all
                .iter()
                .filter(|name| !name.split(' ').any(self::is_year))
            {
                // There are at most as many pairs as values.
                if self.path_years.0.len() < self.values.len() {
                    self.path_years.0.insert(hash(&fold::name_key(name), year));
                }
            }
        }
    }

    /// Whether the path of a document has both a name, given by its key, and a year.
    pub fn is_called(&self, key: &str, year: &str) -> bool {
        self.path_years.0.contains(&hash(key, year))
    }
}

/// Whether a word of a path is a year, alone or with the mark of a fiscal year or a quarter: `2018`, `FY2018`, `FY18`,
/// `2023Q2`.
pub(crate) fn is_year(word: &str) -> bool {
    let key = fold::key(word);
    let bare = key.strip_prefix("fy").unwrap_or(&key);
    let year = bare.find('q').map_or(bare, |at| &bare[..at]);
    let quarter = &bare[year.len()..];
    let is_whole = year.len() == 4 && (year.starts_with("19") || year.starts_with("20"));
    let is_short = year.len() == 2 && bare.len() < key.len();
    let is_year = (is_whole || is_short) && year.bytes().all(|byte| byte.is_ascii_digit());
    is_year && matches!(quarter, "" | "q1" | "q2" | "q3" | "q4")
}

fn hash(key: &str, year: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (key, fold::key(year)).hash(&mut hasher);
    hasher.finish()
}
