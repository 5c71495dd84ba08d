//! The names of roles: one word each, the same in directory, subject, consumer, metric label, chart key and CLI.
//!
//! *Not* here: the list of roles and the payload of each; see [`hop`](crate::hop).

pub use crate::hop::Role;

use std::fmt;

impl Role {
    /// Whether the role keeps files in a folder of its own, which it can rebuild.
    pub const fn keeps_files(self) -> bool {
        matches!(self, Role::Conversation | Role::Retriever)
    }

    /// The words of `roles` as in a sentence: `planner, mapper or reducer`.
    pub fn one_of(roles: impl IntoIterator<Item = Role>) -> String {
        let words: Vec<_> = roles.into_iter().map(Role::as_str).collect();
        match words.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
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
#[error("`{0}` is not a role: want {roles}", roles = Role::one_of(Role::ALL))]
pub struct RoleError(pub String);

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
        let roles = Role::one_of(Role::ALL);
        assert_eq!(
            error,
            Err(format!("`plannner` is not a role: want {roles}"))
        );
        assert!(
            roles.starts_with("conversation, planner, ") && roles.ends_with(", gateway or indexer")
        );
    }
}
