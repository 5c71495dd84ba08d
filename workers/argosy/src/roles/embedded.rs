//! Lists the prompts that workers embed, and checks the texts that may replace them.
//!
//! *Not* here: how a folder of prompts is read (`crate::prompt_files`).

use super::{Error, prompts, prompts_of};
use crate::config::Config;
use crate::model;
use envelope::Role;
use harness::Metrics;
use llm::{EmbeddedPrompt, PromptError};
use std::collections::BTreeMap;

/// Why a text cannot replace a prompt.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmbeddedOverrideError {
    /// There is no prompt of that name.
    #[error("there is no prompt `{name}`; there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The prompts that exist.
        known: String,
    },
    /// The text lacks a placeholder of the prompt.
    #[error(transparent)]
    Wrong(#[from] PromptError),
}

/// Every prompt, and the role that uses it.
pub(crate) fn embedded_prompts() -> impl Iterator<Item = (Role, EmbeddedPrompt)> {
    let of = |role| prompts_of(role).iter().map(move |prompt| (role, *prompt));
    Role::ALL.into_iter().flat_map(of)
}

/// Registers a counter for the calls of each prompt of a role, starting at 0, under the version of the text that is
/// in force.
pub(super) fn count_prompts(role: Role, config: &Config, metrics: &Metrics) -> Result<(), Error> {
    // Those of documents leave no trail.
    if role == Role::Indexer || !model::asks(config, role) {
        return Ok(());
    }
    let own = prompts(config)?;
    for prompt in prompts_of(role) {
        // One that cannot be used is refused where its worker is made.
        if let Ok(read) = own.get(prompt) {
            metrics.knows_prompt(role, prompt.name, read.version());
        }
    }
    Ok(())
}

/// Checks that the texts can replace the prompts that they are named after. It is the check of a process' start, made
/// before a turn is started with them. The indexer takes no part in a turn.
///
/// # Errors
/// When there is no such prompt, or the text lacks what the prompt takes.
pub(crate) fn check_prompts(texts: &BTreeMap<String, String>) -> Result<(), EmbeddedOverrideError> {
    let all = embedded_prompts().filter(|(role, _)| *role != Role::Indexer);
    let all: Vec<EmbeddedPrompt> = all.map(|(_, prompt)| prompt).collect();
    for (name, text) in texts {
        let Some(prompt) = all.iter().find(|prompt| prompt.name == name) else {
            let known: Vec<_> = all.iter().map(|prompt| prompt.name).collect();
            return Err(EmbeddedOverrideError::Unknown {
                name: name.clone(),
                known: known.join(", "),
            });
        };
        prompt.replaced(text)?;
    }
    Ok(())
}

/// Checks that every prompt in `prompts_dir` holds the placeholders of its worker.
///
/// # Errors
/// When one does not.
pub(crate) fn check_prompts_dir(config: &Config) -> Result<(), EmbeddedOverrideError> {
    let Ok(prompts) = prompts(config) else {
        return Ok(());
    };
    for (_, prompt) in embedded_prompts() {
        prompts.get(&prompt)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_text_is_checked_against_the_prompt_that_it_replaces() {
        let check = |name: &str, text: &str| {
            let texts = [(name.to_owned(), text.to_owned())].into();
            check_prompts(&texts)
        };
        check("reducer", "---user---\n{{question}} {{facts}}").unwrap();
        for (role, prompt) in embedded_prompts() {
            assert!(prompt.replaced(prompt.text).is_ok(), "{}", prompt.name);
            if role == Role::Indexer {
                continue;
            }
            let fail = check(prompt.name, "no prompt").unwrap_err();
            assert!(
                fail.to_string().contains(&format!("`{}`", prompt.name)),
                "{fail}"
            );
        }
        let unknown = check("cook", "---user---\n").unwrap_err();
        assert!(unknown.to_string().contains("planner_refine"), "{unknown}");
    }

    #[test]
    fn a_role_that_asks_a_model_has_prompts_and_no_other_has() {
        for role in Role::ALL {
            let has = !prompts_of(role).is_empty();
            assert_eq!(has, role.asks_model(), "{role}");
        }
    }

    /// A file in a folder of prompts that no constant lists would be used as a prompt, and could not be replaced.
    #[test]
    fn every_file_of_a_prompt_is_listed_once() {
        let workers = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        for worker in std::fs::read_dir(workers).unwrap() {
            let Ok(prompts) = std::fs::read_dir(worker.unwrap().path().join("prompts")) else {
                continue;
            };
            let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
            files.extend(prompts.map(|file| stem(file.unwrap().path())));
        }
        let mut names: Vec<_> = embedded_prompts().map(|(_, prompt)| prompt.name).collect();
        names.sort_unstable();
        files.sort_unstable();
        assert_eq!(names, files);
    }
}
