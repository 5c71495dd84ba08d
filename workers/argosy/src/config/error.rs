//! Why there is no configuration.

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A source cannot be read, or holds what no option takes.
    #[error(transparent)]
    Load(#[from] settings::Error),
    /// The sections do not fit together.
    #[error("{0:#}")]
    Invalid(anyhow::Error),
}
