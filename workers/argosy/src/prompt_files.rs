//! Reads the folder of prompts with which an operator replaces embedded ones.
//!
//! Each file has the name of the prompt that it replaces. A file with any other name is an error, because an operator
//! who misspells a name would otherwise use the embedded prompt without knowing it. *Not* here: what a prompt has to
//! contain, which the stage that uses it checks.

use crate::roles::embedded_prompts;
use llm::{EmbeddedPrompt, PromptError, Prompts};
use settings::nearest_name;
use std::path::{Path, PathBuf};

/// The names of all prompts.
fn names() -> impl Iterator<Item = &'static str> {
    embedded_prompts().map(|(_, prompt)| prompt.name)
}

/// Why a folder of prompts cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder, or a file in it, cannot be read.
    #[error(transparent)]
    Unreadable(#[from] PromptError),
    /// A file with the name of no prompt.
    #[error("{}", unknown(path, *nearest))]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The prompt whose name looks most like it.
        nearest: Option<&'static str>,
    },
}

/// The prompts of a folder. Blocking: for the start of a process only.
///
/// # Errors
/// When the folder or a file in it cannot be read, or a file replaces no prompt.
pub(crate) fn read(dir: &Path) -> Result<Prompts, Error> {
    let prompts = Prompts::from_dir(dir)?;
    let stranger = prompts
        .names()
        .find(|name| !names().any(|known| known == *name));
    match stranger {
        None => Ok(prompts),
        Some(name) => Err(Error::Unknown {
            path: dir.join(format!("{name}.md")),
            nearest: nearest_name(name, names()),
        }),
    }
}

/// What is wrong in a folder of prompts: the name of each file that would be refused, and the reason. `all` are the
/// prompts that exist. Blocking.
///
/// # Errors
/// When the folder or a file in it cannot be read.
pub(crate) fn problems(
    dir: &Path,
    all: &[EmbeddedPrompt],
) -> Result<Vec<(PathBuf, String)>, PromptError> {
    let prompts = Prompts::from_dir(dir)?;
    let mut wrong = Vec::new();
    for (name, text) in prompts.texts() {
        let path = dir.join(format!("{name}.md"));
        let why = match all.iter().find(|prompt| prompt.name == name) {
            Some(prompt) => prompt.replaced(text).err().map(|error| error.to_string()),
            None => Some(unknown(&path, nearest_name(name, names()))),
        };
        wrong.extend(why.map(|why| (path, why)));
    }
    Ok(wrong)
}

fn unknown(path: &Path, nearest: Option<&str>) -> String {
    let names: Vec<_> = names().map(|name| format!("`{name}.md`")).collect();
    let names = names.join(", ");
    let meant = nearest.map_or(String::new(), |name| format!(", did you mean `{name}.md`?"));
    format!(
        "`{}` replaces no prompt{meant} (there are {names})",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            std::fs::write(dir.path().join(file), "---user---\n").unwrap();
        }
        dir
    }

    #[test]
    fn a_file_that_replaces_nothing_is_named_with_what_was_meant() {
        for (file, nearest) in [
            ("reduser.md", "`reducer.md`?"),
            ("Mapper.md", "`mapper.md`?"),
            ("planner-refine.md", "`planner_refine.md`?"),
        ] {
            let dir = folder(&["mapper.md", file]);
            let error = read(dir.path()).unwrap_err().to_string();
            let path = dir.path().join(file).display().to_string();
            for part in [path.as_str(), "did you mean", nearest, "`clarifier.md`"] {
                assert!(error.contains(part), "no {part} in: {error}");
            }
        }
        let dir = folder(&["zzz.md"]);
        let error = read(dir.path()).unwrap_err().to_string();
        assert!(!error.contains("did you mean"), "{error}");
    }

    #[test]
    fn notes_and_copies_of_editors_are_left_alone() {
        let dir = folder(&["reducer.md", "reducer.md~", "reducer.md.orig", "notes.txt"]);
        let prompts = read(dir.path()).unwrap();
        assert_eq!(prompts.names().collect::<Vec<_>>(), ["reducer"]);
    }
}
