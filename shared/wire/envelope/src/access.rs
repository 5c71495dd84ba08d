//! Which groups may read which documents: rules by path, stored for the whole fleet, and what a document says itself.
//!
//! A document may name its readers in its metadata (`acl`); a rule names those of a folder or a document. Both have to
//! let a reader in. Rules take effect without anything being indexed again. *Not* here: how a search leaves out what
//! must not be read (`index`), and where the rules are stored (`streams`).

use crate::codec::WIRE;
use crate::ids::TenantId;
use crate::limits::SOURCE_BYTES_MAX;
use crate::principal::{Groups, Principal};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The field of a document's metadata that names its readers.
const ACL: &str = "acl";
/// Most rules, of all tenants together: they are one message.
pub const RULES_MAX: usize = 5_000;

/// The readers of a folder or a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessRule {
    /// A folder, ending in `/`; a document; or the empty path, which is everything. Compared as it is written.
    pub path: String,
    /// Who may read it: members of one of these groups. None at all is nobody, `*` is everybody.
    pub groups: Groups,
}

/// The rules of all tenants. Of several rules for one document, the one with the longest path decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessRules {
    /// Wire version.
    pub v: u16,
    /// The rules of each tenant.
    #[serde(default)]
    pub tenants: BTreeMap<TenantId, Vec<AccessRule>>,
}

/// A part of the corpus that somebody must not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeniedPart<'a> {
    /// The folder or document.
    pub path: &'a str,
    /// What in it may be read nevertheless.
    pub except: Vec<&'a str>,
}

impl Default for AccessRules {
    fn default() -> AccessRules {
        let tenants = BTreeMap::new();
        AccessRules { v: WIRE, tenants }
    }
}

impl AccessRules {
    /// What the rules keep from a principal.
    pub fn denied(&self, principal: &Principal) -> Vec<DeniedPart<'_>> {
        let rules = self.of(&principal.tenant);
        let (open, closed): (Vec<_>, Vec<_>) = rules
            .iter()
            .partition(|rule| principal.groups.may_read(&rule.groups));
        let denied = closed.into_iter().map(|rule| DeniedPart {
            path: &rule.path,
            except: open
                .iter()
                .map(|open| open.path.as_str())
                .filter(|inner| inner.len() > rule.path.len() && covers(&rule.path, inner))
                .collect(),
        });
        denied.collect()
    }

    /// Whether a principal may read the document of its tenant at `source` with this metadata.
    pub fn may_read(
        &self,
        principal: &Principal,
        source: &str,
        metadata: &BTreeMap<String, Value>,
    ) -> bool {
        let rules = self.of(&principal.tenant).iter();
        let deciding = rules
            .filter(|rule| covers(&rule.path, source))
            .max_by_key(|rule| rule.path.len());
        let may = |readers: &Groups| principal.groups.may_read(readers);
        deciding.is_none_or(|rule| may(&rule.groups))
            && acl_of(metadata).is_none_or(|acl| may(&acl))
    }

    /// The rules of a tenant.
    pub fn of(&self, tenant: &TenantId) -> &[AccessRule] {
        self.tenants.get(tenant).map_or(&[], Vec::as_slice)
    }
}

/// Reads the rules of a tenant: a JSON list.
///
/// # Errors
/// Says which rule is none, and the fix.
pub fn read_rules(json: &[u8]) -> Result<Vec<AccessRule>, String> {
    const FORM: &str = r#"[{"path": "pay/", "groups": ["hr"]}]"#;
    let rules: Vec<AccessRule> = serde_json::from_slice(json)
        .map_err(|error| format!("{error}; want a list like {FORM}"))?;
    for (at, AccessRule { path, .. }) in rules.iter().enumerate() {
        let folder = path.strip_suffix('/').unwrap_or(path);
        let is_path = path.is_empty()
            || folder
                .split('/')
                .all(|part| !matches!(part, "" | "." | "..") && !part.contains(char::is_control));
        if !is_path || path.len() > SOURCE_BYTES_MAX {
            return Err(format!(
                "`{}` is no path: want a document like `pay/a.md`, a folder like `pay/`, or nothing for all",
                path.escape_debug()
            ));
        }
        if rules[..at].iter().any(|other| other.path == *path) {
            return Err(format!("`{path}` has two rules; leave one of them"));
        }
    }
    Ok(rules)
}

/// Whether a rule for `path` is about the document, or the rule, at `source`. Parts of a file belong to it.
fn covers(path: &str, source: &str) -> bool {
    let Some(rest) = source.strip_prefix(path) else {
        return false;
    };
    path.is_empty() || path.ends_with('/') || rest.is_empty() || rest.starts_with('#')
}

/// The readers that a document names: `None` where it names none, and so is for everybody. What cannot be read as
/// groups is for nobody.
pub fn acl_of(metadata: &BTreeMap<String, Value>) -> Option<Groups> {
    let named = metadata.iter().filter(|(field, _)| is_acl(field));
    let each = named.map(|(_, value)| match value {
        Value::String(name) => Groups::new([name.trim()]).unwrap_or_default(),
        Value::Array(names) => {
            let texts: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            let texts = texts.map(|names| Groups::new(names.into_iter().map(str::trim)));
            texts.and_then(Result::ok).unwrap_or_default()
        }
        _ => Groups::default(),
    });
    // Two fields that differ in case say two things: the document is for nobody.
    each.reduce(|_, _| Groups::default())
}

/// Whether a field of metadata names the readers.
pub fn is_acl(field: &str) -> bool {
    field.trim().eq_ignore_ascii_case(ACL)
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
