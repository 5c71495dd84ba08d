//! Prompts with overrides: each worker embeds its own, and an operator may replace them by name.

use crate::prompt::{Prompt, PromptError};
use std::collections::BTreeMap;
use std::path::Path;

/// Texts that replace embedded prompts, by prompt name. The default replaces none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompts {
    overrides: BTreeMap<String, String>,
}

/// A prompt as a worker embeds it; the stage lists its own in a constant `PROMPTS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbeddedPrompt {
    /// Its name, as in the override directory.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Its placeholders: a replacement has to use each of them, and no other.
    pub placeholders: &'static [&'static str],
}

impl EmbeddedPrompt {
    /// The prompt with another text, checked in the same way as when a worker starts.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn replaced(&self, text: &str) -> Result<Prompt, PromptError> {
        Prompt::parse(self.name, text, self.placeholders)
    }
}

impl Prompts {
    /// Replaces the prompts that `overrides` names.
    pub fn new(overrides: BTreeMap<String, String>) -> Self {
        Prompts { overrides }
    }

    /// Reads every `<name>.md` of a directory, whatever its name; other files are left alone,
    /// sub-directories are not entered. Blocking: for the start of a process only.
    pub fn from_dir(path: &Path) -> Result<Self, PromptError> {
        let unreadable = |path: &Path, source| PromptError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let mut overrides = BTreeMap::new();
        for entry in std::fs::read_dir(path).map_err(|e| unreadable(path, e))? {
            let file = entry.map_err(|e| unreadable(path, e))?.path();
            let stem = file.file_stem().and_then(|s| s.to_str());
            if let Some(name) = stem.filter(|_| {
                file.extension()
                    .is_some_and(|e| e.eq_ignore_ascii_case("md"))
            }) {
                let text = std::fs::read_to_string(&file).map_err(|e| unreadable(&file, e))?;
                overrides.insert(name.to_owned(), text);
            }
        }
        Ok(Prompts::new(overrides))
    }

    /// A prompt: the override where there is one, the embedded text otherwise; either is checked.
    ///
    /// # Errors
    /// When the text cannot be used.
    pub fn get(&self, prompt: &EmbeddedPrompt) -> Result<Prompt, PromptError> {
        let text = self.overrides.get(prompt.name);
        prompt.replaced(text.map_or(prompt.text, String::as_str))
    }

    /// The replacing texts by prompt name.
    pub fn texts(&self) -> &BTreeMap<String, String> {
        &self.overrides
    }

    /// The names of the overridden prompts. A misspelt name can be reported only where the prompts of all workers
    /// are known.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.overrides.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMBEDDED: EmbeddedPrompt = EmbeddedPrompt {
        name: "planner",
        text: "---user---\n<question>{{question}}</question>",
        placeholders: &["question"],
    };

    #[test]
    fn an_override_replaces_and_is_checked() {
        let with = |text: &str| Prompts::new([("planner".to_owned(), text.to_owned())].into());
        let embedded = Prompts::default().get(&EMBEDDED);
        let own = with("---user---\nQ: {{question}}").get(&EMBEDDED);
        assert_ne!(embedded.unwrap().version(), own.unwrap().version());
        let refused = with("---user---\nQ:").get(&EMBEDDED);
        assert!(EMBEDDED.replaced("---user---\n{{question}}").is_ok());
        assert_eq!(
            refused.unwrap_err().to_string(),
            "prompt `planner` lacks `question`"
        );
    }

    #[test]
    fn reads_a_directory_and_names_the_file_it_cannot_read() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("planner.md"), EMBEDDED.text).unwrap();
        std::fs::write(dir.path().join("notes.txt"), "not a prompt").unwrap();
        let prompts = Prompts::from_dir(dir.path()).unwrap();
        assert_eq!(prompts.names().collect::<Vec<_>>(), ["planner"]);

        std::fs::write(dir.path().join("mapper.md"), [0xff]).unwrap();
        let error = Prompts::from_dir(dir.path()).unwrap_err().to_string();
        assert!(error.contains("mapper.md"), "{error}");
        let error = Prompts::from_dir(Path::new("/nowhere")).unwrap_err();
        assert!(error.to_string().contains("/nowhere"));
    }
}
