//! Records which names and years stand in one path: the names of `ACME_10K_2018.pdf` include `ACME` and `2018`. Pure.

use super::{Dictionary, FieldValue, NAMED};
use crate::names;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use text::fold;

/// The most years of one path that are used.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_with_the_years_of_their_path() {
        let mut known = Dictionary::default();
        known.call("generic", "generic/NORVIK FOODS_10K_2022.pdf");
        known.call("generic", "HALDEN_2023Q2_10Q.pdf");
        known.call("2019", "2019/acme/10K.pdf");
        known.call("generic", "generic/CORVANE_10K_FY18.pdf");
        for (name, year, is_called) in [
            ("norvikfoods", "2022", true),
            ("10k", "2022", true),
            ("halden", "2023Q2", true),
            ("halden", "2022", false),
            ("norvikfoods", "2023", false),
            ("acme", "2019", true),
            ("corvane", "FY18", true),
            ("2022", "2022", false),
        ] {
            assert_eq!(known.is_called(name, year), is_called, "{name} {year}");
        }
    }

    #[test]
    fn years_are_told_from_other_numbers() {
        for word in ["2018", "FY2018", "FY18", "FY18Q2", "2023Q2", "1999"] {
            assert!(is_year(word), "{word}");
        }
        for word in ["20184", "10K", "18", "18Q2", "2023Q5", "3M", "0215", ""] {
            assert!(!is_year(word), "{word}");
        }
    }
}
