//! Reads the files of the repository once per rule, and reports the findings of a rule as a test failure.

use std::fs;
use std::path::{Path, PathBuf};

/// The names of what is no part of the repository: build output and local state.
const SKIPPED: &[&str] = &["target", ".git", ".argosy"];

/// A text file.
pub(crate) struct File {
    /// Path from the root, with `/` between the parts.
    pub(crate) path: String,
    /// What is in it.
    pub(crate) text: String,
}

impl File {
    /// The folder of the crate whose source the file is: `shared/wire/envelope`, `workers/mapper`.
    pub(crate) fn krate(&self) -> Option<&str> {
        let (krate, _) = self.path.split_once("/src/")?;
        let parts: Vec<&str> = krate.split('/').collect();
        let is_crate = matches!(parts[..], ["shared", _, _] | ["workers" | "tools", _]);
        is_crate.then_some(krate)
    }

    /// Lines with their number, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// Lines before the module that holds the file's tests. Another item that is for tests only, such as the
    /// declaration of a module in a file of its own, ends nothing.
    pub(crate) fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let opens_tests = |at: &usize| {
            let mut following = lines[*at..].iter();
            let item = following.find(|line| !line.starts_with("#["));
            lines[*at] == "#[cfg(test)]"
                && item.is_some_and(|line| line.contains("mod ") && line.ends_with('{'))
        };
        let end = (0..lines.len()).find(opens_tests);
        let end = end.unwrap_or(lines.len());
        (1..).zip(lines).take(end)
    }

    /// Whether the name ends in one of these.
    pub(crate) fn is(&self, extensions: &[&str]) -> bool {
        let extension = Path::new(&self.path).extension();
        extension.is_some_and(|e| extensions.iter().any(|x| e == *x))
    }

    /// `path:line: what`, as compilers write it, so that editors can jump there.
    pub(crate) fn at(&self, line: usize, what: impl std::fmt::Display) -> String {
        format!("{}:{line}: {what}", self.path)
    }

    /// The first line that `found` accepts, or 1.
    pub(crate) fn line_where(&self, found: impl Fn(&str) -> bool) -> usize {
        self.lines()
            .find(|(_, line)| found(line))
            .map_or(1, |(number, _)| number)
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every text file, sorted by path.
pub(crate) fn files() -> Vec<File> {
    let mut files = Vec::new();
    walk(&root(), "", &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.len() > 100, "the tree was not found");
    files
}

/// Every file of Rust.
pub(crate) fn rust() -> Vec<File> {
    files().into_iter().filter(|f| f.is(&["rs"])).collect()
}

/// One file that has to exist.
pub(crate) fn read(path: &str) -> File {
    let text = fs::read_to_string(root().join(path));
    File {
        path: path.to_owned(),
        text: text.unwrap_or_else(|error| panic!("cannot read `{path}`: {error}")),
    }
}

fn walk(folder: &Path, prefix: &str, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder)
        .expect("a folder of the tree")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        // In a second working tree `.git` is a file.
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{prefix}{name}");
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), files);
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            files.push(File { path, text });
        }
    }
}

/// Fails the test with all findings.
pub(crate) fn none(findings: Vec<String>) {
    assert!(
        findings.is_empty(),
        "{} finding(s):\n{}\n",
        findings.len(),
        findings.join("\n")
    );
}

/// Places where a rule does not hold, each with its reason.
pub(crate) type Exceptions = &'static [(&'static str, &'static str)];

/// Whether an exception covers the path. An exception that ends in `/` covers a folder.
pub(crate) fn excepted(exceptions: Exceptions, path: &str) -> bool {
    exceptions.iter().any(|(place, _)| covers(place, path))
}

/// Adds a finding for each exception that nothing in `hit` needs any more, and for each without a reason.
pub(crate) fn stale(exceptions: Exceptions, hit: &[String], findings: &mut Vec<String>) {
    for (place, reason) in exceptions {
        if !hit.iter().any(|path| covers(place, path)) {
            findings.push(format!(
                "{place}: the exception (\"{reason}\") is no longer needed"
            ));
        }
        if reason.is_empty() {
            findings.push(format!("{place}: the exception has no reason"));
        }
    }
}

pub(crate) fn covers(place: &str, path: &str) -> bool {
    path == place || (place.ends_with('/') && path.starts_with(place))
}

/// Whether `word` stands in the line as a whole word.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

#[test]
fn words_have_ends() {
    assert!(has_word("a TO-DO", "TO"));
    assert!(!has_word("undone", "done"));
    assert!(!has_word("done_so", "done"));
    assert!(covers("a/", "a/b.rs") && !covers("a", "a/b.rs"));
}

#[test]
fn only_an_inline_module_of_tests_ends_the_product() {
    let of = |text: &str| {
        let (path, text) = (String::new(), text.to_owned());
        File { path, text }.product_lines().count()
    };
    assert_eq!(of("#[cfg(test)]\nmod tests;\npub struct Asked;\n"), 3);
    assert_eq!(of("#[cfg(test)]\nimpl A {}\nfn a() {}\n"), 3);
    assert_eq!(of("fn a() {}\n#[cfg(test)]\nmod tests {\n}\n"), 1);
    assert_eq!(
        of("#[cfg(test)]\n#[allow(x)]\npub(super) mod tests {\n}\n"),
        0
    );
}
