//! Environment variables with a name of their own: names under which other programs know a setting.
//!
//! They are the weakest of all sources, so that any explicit setting of the key wins. *Not* here: which names there
//! are; the owner of the settings lists them.

use crate::sources::Sources;

/// A variable that sets a key although its name says nothing of it.
#[derive(Debug, Clone, Copy)]
pub struct NamedVariable {
    /// Its name.
    pub name: &'static str,
    /// The dotted key that it sets.
    pub key: &'static str,
    /// What it may contain, for the error about any other value.
    pub wanted: &'static str,
    /// What its text is in the words of the key; `None` for what it may not say.
    pub read: fn(&str) -> Option<String>,
}

impl Sources {
    /// Adds variables with names of their own. They are taken from what is added as environment, count less than every
    /// file, and count as not set where they are empty.
    pub fn named(mut self, variables: &[NamedVariable]) -> Self {
        self.named.extend_from_slice(variables);
        self
    }

    /// Those of them that are set, with their texts.
    pub(crate) fn set_by_name(&self) -> impl Iterator<Item = (&NamedVariable, &str)> {
        self.named.iter().filter_map(|variable| {
            let text = self.environment.get(variable.name)?.trim();
            (!text.is_empty()).then_some((variable, text))
        })
    }
}
