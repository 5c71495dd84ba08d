//! The prompts that workers embed, asked of the workers themselves, and what may stand in their place.
//!
//! *Not* how a folder of prompts is read (`crate::prompt_files`).

use super::{Error, prompts};
use crate::config::Config;
use crate::model;
use envelope::Role;
use harness::Metrics;
use indexer::Extractor;
use llm::{ChatModel, EmbeddedPrompt, PromptError, Prompts};
use offline_reader::OfflineReader;
use std::collections::BTreeMap;
use std::sync::Arc;
use validator::JudgeModels;

/// Why a text cannot take the place of a prompt.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmbeddedOverrideError {
    /// There is no such prompt.
    #[error("there is no prompt `{name}`; there are {known}")]
    Unknown {
        /// What was named.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// It lacks what the prompt takes.
    #[error(transparent)]
    Wrong(#[from] PromptError),
    /// The workers that it is for cannot be made.
    #[error(transparent)]
    Role(#[from] Error),
}

/// Every prompt there is, and whose it is: asked of the workers, as they are made.
///
/// # Errors
/// When an option is wrong.
pub(crate) fn embedded_prompts(config: &Config) -> Result<Vec<(Role, EmbeddedPrompt)>, Error> {
    let mut all = Vec::new();
    for role in model::ASKING {
        all.extend(
            prompts_of(role, config)?
                .into_iter()
                .map(|prompt| (role, prompt)),
        );
    }
    Ok(all)
}

/// Every prompt of a role; none of one that asks no model.
fn prompts_of(role: Role, config: &Config) -> Result<Vec<EmbeddedPrompt>, Error> {
    let model: Arc<dyn ChatModel> = Arc::new(OfflineReader::new());
    let prompts = Prompts::default();
    match role {
        Role::Planner => planner::Planner::new(model, &prompts, config.planner.clone())
            .map(drop)
            .map_err(Error::of(role))?,
        Role::Mapper => mapper::Mapper::new(model, &prompts, config.mapper.clone())
            .map(drop)
            .map_err(Error::of(role))?,
        Role::Reducer => reducer::Reducer::new(model, &prompts, config.reducer.clone())
            .map(drop)
            .map_err(Error::of(role))?,
        Role::Clarifier => clarifier::Clarifier::new(model, &prompts, config.clarifier.clone())
            .map(drop)
            .map_err(Error::of(role))?,
        Role::Indexer => Extractor::new(model, &prompts, &config.indexer)
            .map(drop)
            .map_err(Error::of(role))?,
        Role::Validator => {
            let (judge, writer) = Default::default();
            validator::Validator::new(config.validator.clone())
                .and_then(|rules| rules.with_judge(model, &prompts, JudgeModels { judge, writer }))
                .map(drop)
                .map_err(Error::of(role))?
        }
        Role::Gateway | Role::Conversation | Role::Retriever => {}
    }
    Ok(prompts.asked())
}

/// Has the calls of each prompt of a role counted from 0 on, under the version of the text that is in force.
pub(super) fn count_prompts(role: Role, config: &Config, metrics: &Metrics) -> Result<(), Error> {
    // Those of documents leave no trail.
    if role == Role::Indexer || !model::asks(config, role) {
        return Ok(());
    }
    let own = prompts(config)?;
    for prompt in prompts_of(role, config)? {
        let text = own.texts().get(prompt.name).unwrap_or(&prompt.text);
        // One that cannot be used is refused where its worker is made.
        if let Ok(read) = prompt.replaced(text) {
            metrics.knows_prompt(role, prompt.name, read.version());
        }
    }
    Ok(())
}

/// Whether the texts can be used in place of the prompts that they are named after: as at the start of a
/// process, before a turn is started with them. The indexer takes no part in a turn.
///
/// # Errors
/// When there is no such prompt, or the text lacks what the prompt takes.
pub(crate) fn check_prompts(
    config: &Config,
    texts: &BTreeMap<String, String>,
) -> Result<(), EmbeddedOverrideError> {
    let mut all = embedded_prompts(config)?;
    all.retain(|(role, _)| *role != Role::Indexer);
    for (name, text) in texts {
        let Some((_, prompt)) = all.iter().find(|(_, prompt)| prompt.name == name) else {
            let known: Vec<_> = all.iter().map(|(_, prompt)| prompt.name).collect();
            return Err(EmbeddedOverrideError::Unknown {
                name: name.clone(),
                known: known.join(", "),
            });
        };
        prompt.replaced(text)?;
    }
    Ok(())
}

/// Whether every prompt in `prompts_dir` holds what its worker wants.
///
/// # Errors
/// When one does not.
pub(crate) fn check_prompts_dir(config: &Config) -> Result<(), EmbeddedOverrideError> {
    let Ok(prompts) = prompts(config) else {
        return Ok(());
    };
    for (_, prompt) in embedded_prompts(config)? {
        if let Some(text) = prompts.texts().get(prompt.name) {
            prompt.replaced(text)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt_files;
    use std::collections::BTreeSet;

    #[test]
    fn a_text_is_checked_against_the_prompt_that_it_replaces() {
        let check = |name: &str, text: &str| {
            let texts = [(name.to_owned(), text.to_owned())].into();
            check_prompts(&Config::default(), &texts)
        };
        check("reducer", "---user---\n{{question}} {{facts}}").unwrap();
        let all = embedded_prompts(&Config::default()).unwrap();
        let names: BTreeSet<&str> = all.iter().map(|(_, prompt)| prompt.name).collect();
        assert_eq!(
            names,
            BTreeSet::from(prompt_files::NAMES),
            "no other, none twice"
        );
        for (role, prompt) in &all {
            assert!(prompt.replaced(&prompt.text).is_ok(), "{}", prompt.name);
            if *role == Role::Indexer {
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
}
