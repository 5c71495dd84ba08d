//! Who reads: a tenant, and the groups of readers that whoever asks belongs to.
//!
//! A document says which groups may read it, and a login says to which groups it belongs. *Not* here: who decides that
//! (a door, or whoever may publish), and how a search keeps to it (`index`).

use crate::ids::TenantId;
use crate::refusal::cut;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The word for all groups: a login with it may read everything of its tenant, a document with it is for everybody.
pub const ALL_GROUPS: &str = "*";
/// Most groups of a login, as many as the identity providers put into a token.
pub const GROUPS_MAX: usize = 256;
/// Longest name of a group, in bytes.
pub const GROUP_BYTES_MAX: usize = 128;

/// Groups of readers, each once, in order. Names are compared as they are written. Default none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Groups(BTreeSet<String>);

/// Why some texts are no groups.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupsError {
    /// One of them is no name.
    #[error(
        "`{0}` is no group: want 1 to {GROUP_BYTES_MAX} bytes without control characters, and no space at either end"
    )]
    Name(String),
    /// There are too many.
    #[error("{0} groups, the limit is {GROUPS_MAX}")]
    TooMany(usize),
}

impl Groups {
    /// Checks some names.
    ///
    /// # Errors
    /// When one is no name, or there are more than [`GROUPS_MAX`].
    pub fn new<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Result<Groups, GroupsError> {
        let names: BTreeSet<String> = names.into_iter().map(Into::into).collect();
        let is_name = |name: &str| {
            (1..=GROUP_BYTES_MAX).contains(&name.len())
                && name.trim() == name
                && !name.contains(char::is_control)
        };
        if let Some(other) = names.iter().find(|name| !is_name(name)) {
            return Err(GroupsError::Name(cut(other)));
        }
        match names.len() <= GROUPS_MAX {
            true => Ok(Groups(names)),
            false => Err(GroupsError::TooMany(names.len())),
        }
    }

    /// All groups.
    pub fn all() -> Groups {
        Groups(BTreeSet::from([ALL_GROUPS.into()]))
    }

    /// Whether these are all groups.
    pub fn is_all(&self) -> bool {
        self.0.contains(ALL_GROUPS)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Adds others. With all groups among them, the sum is that alone: it stays as short as each of the two may be.
    pub fn add(&mut self, others: &Groups) {
        self.0.extend(others.0.iter().cloned());
        if self.is_all() {
            *self = Groups::all();
        }
    }

    /// Whether a reader with these groups may read what is for `readers`.
    pub fn may_read(&self, readers: &Groups) -> bool {
        self.is_all() || readers.is_all() || !self.0.is_disjoint(&readers.0)
    }

    /// Whether a reader with these groups may see what was told to one with `others`: it has all of them.
    pub fn cover(&self, others: &Groups) -> bool {
        self.is_all() || others.0.is_subset(&self.0)
    }
}

impl TryFrom<Vec<String>> for Groups {
    type Error = GroupsError;
    fn try_from(names: Vec<String>) -> Result<Groups, GroupsError> {
        Groups::new(names)
    }
}

impl From<Groups> for Vec<String> {
    fn from(groups: Groups) -> Vec<String> {
        groups.0.into_iter().collect()
    }
}

impl std::fmt::Display for Groups {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.names().collect();
        f.write_str(&names.join(", "))
    }
}

/// Whose documents may be read, and which of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Principal {
    /// The tenant.
    pub tenant: TenantId,
    /// The groups of whoever reads.
    pub groups: Groups,
}

impl Default for Principal {
    /// Somebody of the default tenant who belongs to no group.
    fn default() -> Principal {
        TenantId::default_tenant().into()
    }
}

impl From<TenantId> for Principal {
    /// Somebody of a tenant who belongs to no group.
    fn from(tenant: TenantId) -> Principal {
        let groups = Groups::default();
        Principal { tenant, groups }
    }
}

impl Principal {
    /// Whether this principal may see what `other` was told.
    pub fn covers(&self, other: &Principal) -> bool {
        self.tenant == other.tenant && self.groups.cover(&other.groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(names: &[&str]) -> Groups {
        Groups::new(names.iter().copied()).expect("groups")
    }

    #[test]
    fn who_may_read_what() {
        for (mine, readers, may) in [
            (&["hr"][..], &["hr", "law"][..], true),
            (&["hr"], &["law"], false),
            (&["HR"], &["hr"], false),
            (&["*"], &["law"], true),
            (&[], &["*"], true),
            (&[], &["hr"], false),
            (&["hr"], &[], false),
        ] {
            let said = groups(mine).may_read(&groups(readers));
            assert_eq!(said, may, "{mine:?} {readers:?}");
        }
    }

    #[test]
    fn who_may_see_what_another_was_told() {
        for (mine, others, may) in [
            (&["hr", "law"][..], &["hr"][..], true),
            (&["hr"], &["hr", "law"], false),
            (&["hr"], &[], true),
            (&["hr"], &["*"], false),
            (&["*"], &["*"], true),
        ] {
            let said = groups(mine).cover(&groups(others));
            assert_eq!(said, may, "{mine:?} {others:?}");
        }
    }

    #[test]
    fn a_sum_can_be_read_again() {
        let mut most = Groups::new((0..GROUPS_MAX).map(|n| n.to_string())).expect("groups");
        most.add(&groups(&["7", "*"]));
        assert_eq!(most, Groups::all());
        let mut two = groups(&["hr"]);
        two.add(&groups(&["law"]));
        assert_eq!(two, groups(&["hr", "law"]));
    }

    #[test]
    fn names_of_groups() {
        for good in ["hr", "/finance/eu", "CN=Staff,DC=example", "Équipe B"] {
            assert!(Groups::new([good]).is_ok(), "{good}");
        }
        let long = "x".repeat(GROUP_BYTES_MAX + 1);
        for bad in ["", " hr", "a\nb", long.as_str()] {
            assert!(Groups::new([bad]).is_err(), "{bad:?}");
        }
        assert!(Groups::new((0..=GROUPS_MAX).map(|n| n.to_string())).is_err());
        let read: Result<Groups, _> = serde_json::from_str(r#"["law", "hr", "hr"]"#);
        assert_eq!(read.expect("groups"), groups(&["hr", "law"]));
    }
}
