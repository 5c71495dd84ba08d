//! The errors of opening the index of an edition.

use crate::search_factory;
use bus::BusError;
use std::path::PathBuf;

/// An error of opening the index of an edition.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be reached, or refused the request.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The search cannot be made from its configuration.
    #[error(transparent)]
    Search(#[from] search_factory::Error),
    /// The files of the index cannot be used.
    #[error("the index in `{}`: {error}", .dir.display())]
    Index {
        /// The folder of the files.
        dir: PathBuf,
        /// Why.
        error: index::Error,
    },
    /// The process was told to stop while it waited for the corpus stream.
    #[error("told to stop before the corpus stream was there")]
    Stopped,
}
