//! The errors of loading a configuration.

use crate::prompt_files;

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A source cannot be read, or holds what no option takes.
    #[error(transparent)]
    Load(#[from] settings::Error),
    /// The sections do not fit together.
    #[error("{0:#}")]
    Invalid(anyhow::Error),
    /// The folder of prompts holds a file that is no prompt.
    #[error("`prompts_dir`: {0}")]
    Prompts(#[from] prompt_files::Error),
}
