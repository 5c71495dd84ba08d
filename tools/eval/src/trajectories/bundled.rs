//! Reads the files of trajectories: those of `tests/trajectories`, which are in the binary, or those of a folder.
//!
//! The files in the binary are listed one by one, so that building needs no script; a test compares the list with the
//! folder.

use super::case::TrajectoryCase;
use crate::Error;
use std::path::Path;

/// A case, and the name of its file without the ending.
#[derive(Debug, Clone)]
pub(crate) struct NamedCase {
    /// Its name.
    pub name: String,
    /// The case.
    pub case: TrajectoryCase,
}

macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../../../tests/trajectories/", $name, ".json")))),*]
    };
}

/// Every file.
const FILES: &[(&str, &str)] = files![
    "before-and-after",
    "calls-spent",
    "comparison-two-parts",
    "contracts-drill-down",
    "empty-corpus",
    "everything-matches",
    "guess-given-up",
    "hallucination-stricter",
    "invoices-as-table",
    "left-out-then-found",
    "loop-done-after-two-searches",
    "loop-repeats-itself",
    "loop-searches-spent",
    "loop-steps-spent",
    "loop-unknown-tool",
    "no-results",
    "one-iteration",
    "other-strategy",
    "overload",
    "planner-fails",
    "plans-for-ever",
    "repeats-itself",
    "review-asks-back",
    "review-drills-into-a-document",
    "review-finds-enough",
    "review-more-without-a-call",
    "review-told-of-a-wrong-call",
    "review-wrong-twice-rules-decide",
    "score-threshold",
    "searches-spent",
    "simple-by-auto",
    "solvents-four-searches",
    "steps-three-parts",
    "ten-rounds",
    "tokens-spent",
    "transistors-three-searches",
];

/// The cases in the binary.
///
/// # Errors
/// When a file is invalid; the error names it.
pub(crate) fn bundled() -> Result<Vec<NamedCase>, Error> {
    FILES.iter().map(|(name, text)| read(name, text)).collect()
}

/// The `.json` files of a folder, by name.
///
/// # Errors
/// When the folder or a file cannot be read, or a file is none; it is named.
pub(super) fn of_folder(folder: &Path) -> Result<Vec<NamedCase>, Error> {
    let entries = std::fs::read_dir(folder).map_err(|_| Error::NoFolder(folder.to_owned()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    let of = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&path).map_err(|error| Error::File {
            path: path.clone(),
            error,
        })?;
        read(&name, &text)
    };
    paths.into_iter().map(of).collect()
}

fn read(name: &str, text: &str) -> Result<NamedCase, Error> {
    let case = serde_json::from_str(text).map_err(|error| Error::Case {
        name: name.to_owned(),
        what: error.to_string(),
    })?;
    Ok(NamedCase {
        name: name.to_owned(),
        case,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/trajectories");
        let there = of_folder(Path::new(folder)).unwrap();
        let there: Vec<&str> = there.iter().map(|one| one.name.as_str()).collect();
        let listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, there);
    }

    #[test]
    fn what_is_no_case_is_named() {
        for (text, says) in [
            ("{}", "missing field `about`"),
            (r#"{"about": "a", "quest": "b"}"#, "unknown field `quest`"),
        ] {
            let error = read("x", text).unwrap_err().to_string();
            assert!(error.starts_with("trajectory `x`: "), "{error}");
            assert!(error.contains(says), "{error}");
        }
    }
}
