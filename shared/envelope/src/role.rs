//! Roles: one word each, the same in directory, subject, consumer, metric label, chart key and CLI.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Who does a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What was said before a question.
    Conversation,
    /// Question to search plan.
    Planner,
    /// Plan to passages.
    Retriever,
    /// One passage to facts.
    Mapper,
    /// Facts to a draft.
    Reducer,
    /// Draft to a verdict.
    Validator,
    /// Doubt to a question back.
    Clarifier,
    /// The edge: inbox, timers, answers.
    Gateway,
    /// Documents to chunks of the corpus.
    Indexer,
}

impl Role {
    /// Every role that can be run as a process.
    pub const ALL: [Role; 9] = [
        Role::Conversation,
        Role::Planner,
        Role::Retriever,
        Role::Mapper,
        Role::Reducer,
        Role::Validator,
        Role::Clarifier,
        Role::Gateway,
        Role::Indexer,
    ];
    /// The roles that a question passes through: all but the indexer.
    pub const ANSWERING: [Role; 8] = [
        Role::Conversation,
        Role::Planner,
        Role::Retriever,
        Role::Mapper,
        Role::Reducer,
        Role::Validator,
        Role::Clarifier,
        Role::Gateway,
    ];

    /// The one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Conversation => "conversation",
            Role::Planner => "planner",
            Role::Retriever => "retriever",
            Role::Mapper => "mapper",
            Role::Reducer => "reducer",
            Role::Validator => "validator",
            Role::Clarifier => "clarifier",
            Role::Gateway => "gateway",
            Role::Indexer => "indexer",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that is no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role: want {roles}", roles = every())]
pub struct RoleError(pub String);

/// Every word, as in a sentence.
fn every() -> String {
    let words = Role::ALL.map(Role::as_str);
    match words.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

impl std::str::FromStr for Role {
    type Err = RoleError;
    fn from_str(word: &str) -> Result<Self, RoleError> {
        Role::ALL
            .into_iter()
            .find(|r| r.as_str() == word)
            .ok_or_else(|| RoleError(word.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_everywhere() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
            assert_eq!(
                serde_json::to_string(&role).ok(),
                Some(format!("\"{role}\""))
            );
        }
    }

    #[test]
    fn a_word_that_is_no_role_is_answered_with_those_that_are() {
        let error = "plannner"
            .parse::<Role>()
            .map_err(|error| error.to_string());
        let roles = "conversation, planner, retriever, mapper, reducer, validator, clarifier, gateway or indexer";
        assert_eq!(
            error,
            Err(format!("`plannner` is not a role: want {roles}"))
        );
    }
}
