//! The errors of opening the index of an edition.

use crate::search_factory;
use bus::BusError;
use std::path::PathBuf;

/// Why the index of an edition is not there.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be asked, or refused.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// It cannot be searched as is configured.
    #[error(transparent)]
    Search(#[from] search_factory::Error),
    /// Its files cannot be used.
    #[error("the index in `{}`: {error}", .dir.display())]
    Index {
        /// Where they are.
        dir: PathBuf,
        /// Why.
        error: index::Error,
    },
    /// It was told to stop while it waited for the corpus.
    #[error("told to stop before the corpus stream was there")]
    Stopped,
}
