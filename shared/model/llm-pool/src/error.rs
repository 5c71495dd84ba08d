//! The error of building a pool. The errors of calls are [`llm::Error`].

use settings::InvalidOption;

/// Why a pool cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An option has a value that is not allowed.
    #[error(transparent)]
    Options(#[from] InvalidOption),
    /// There is no node to ask.
    #[error("the model `{model}` has no nodes")]
    NoNodes {
        /// The model.
        model: String,
    },
    /// The HTTP client could not be set up: no TLS roots, for example.
    #[error("no HTTP client could be set up")]
    Client(#[source] reqwest::Error),
    /// A metric could not be registered.
    #[error("a metric could not be registered")]
    Metrics(#[from] telemetry::Error),
}
