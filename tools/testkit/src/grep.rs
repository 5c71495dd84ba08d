//! Lists the files below a folder, and those that contain a text: for tests of what is on disk, and of what must
//! not be.

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder; files that are removed meanwhile may be missing.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The files below a folder that contain a text, uncompressed. A file that is removed meanwhile counts as not
/// containing it.
pub fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let text = text.as_bytes();
    let holds = |bytes: Vec<u8>| bytes.windows(text.len()).any(|part| part == text);
    let mut found = files(folder);
    found.retain(|path| fs::read(path).is_ok_and(holds));
    found
}
