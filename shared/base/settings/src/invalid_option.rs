//! The error of checking options, one for all crates. *Not* what is wrong with a source of the configuration, such as
//! a file that cannot be read ([`Error`](crate::Error)).

/// An option whose value is not allowed: a message that names the option and what is wanted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidOption(String);

impl InvalidOption {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The same error with the section where the option stands in front, as in ``in `http`: …``.
    pub fn in_section(self, name: &str) -> Self {
        Self(format!("in `{name}`: {self}"))
    }
}
