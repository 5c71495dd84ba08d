//! Vectors in a Qdrant server: for more chunks than one process should hold.
//!
//! *Not* the default: up to some hundred thousand chunks the embedded index needs no server. The collection is a
//! view of the corpus stream like the lexical index, and can be rebuilt from it: a point is the vector of a chunk
//! with the payload that filters read; texts stay in the lexical index.
//!
//! Filters mean exactly what they mean in the lexical index, and the server evaluates them as far as it can. A
//! point carries, beside its keys:
//!
//! ```text
//! facts  the terms of the lexical index, [`facts`](crate::index::facts)   eq, ne, in
//! texts  [{of: field, v: text in lower case}]                             contains
//! order  [{of: field, v: number}], texts cut into numbers of six bytes    gt, gte, lt, lte
//! ```
//! So no field name is part of a payload path, every payload index is known when the collection is made, and a list
//! or a mixture of types means the same as in the lexical index. Qdrant does not compare texts, and its full-text
//! conditions changed their meaning with 1.19; `contains` uses the substring condition of 1.20. A server of 1.16 to
//! 1.19 is not sent this condition (`version`): more chunks are fetched from it instead, and the lexical index, which
//! checks every hit, removes the chunks that the filter excludes.
//!
//! A chunk without a vector of this embedder has no point. Each embedder has a collection of its own.
//!
//! Writes wait until the server has logged and applied them. The position of the feed is stored as a point of the
//! collection, without a tenant, so that no search sees it. It is written after the points that it covers, and deleted
//! with the collection. Nothing is retried here; the client opens a broken connection once more, within the timeout of
//! the call.

mod call;
mod collection;
mod filter;
mod nearest;
mod options;
mod order;
mod plan;
mod point;
mod version;
mod writer;

pub use options::{Options, Quantisation};

use call::{permanent, refused};
use search::Error;
use std::time::Duration;
use version::Version;

/// A collection of a Qdrant server, for reading and for writing. Cheap to clone.
#[derive(Clone)]
pub struct Qdrant {
    client: qdrant_client::Qdrant,
    collection: String,
    embedder: String,
    dims: usize,
    timeout: Duration,
    /// The server's, as it was when it was connected to.
    version: Version,
    /// What the collection is made with, at first and when it is gone.
    options: Options,
}

impl Qdrant {
    /// Connects to the server and to the collection of an embedder, which is made if it does not exist.
    ///
    /// # Errors
    /// [`Error::Options`] when an option is not valid; [`Error::Qdrant`] when the server is away or too old, or a
    /// collection of that name was made for other vectors.
    pub async fn connect(options: &Options, embedder: &str, dims: usize) -> Result<Qdrant, Error> {
        let checked = options.validate();
        checked.map_err(|wrong| Error::Options(wrong.to_string()))?;
        if options.url.is_empty() {
            return Err(permanent(
                "connect",
                "no server: set `url`, such as `http://qdrant:6334`",
            ));
        }
        let timeout = options.timeout.duration();
        let mut config = qdrant_client::config::QdrantConfig::from_url(&options.url)
            .timeout(timeout)
            .connect_timeout(timeout)
            .skip_compatibility_check();
        if !options.api_key.is_empty() {
            config.set_api_key(options.api_key.expose());
        }
        let mut qdrant = Qdrant {
            client: config.build().map_err(|error| refused("connect", error))?,
            version: version::LEAST,
            collection: collection::name(&options.collection_prefix, embedder, dims),
            embedder: embedder.to_owned(),
            dims,
            timeout,
            options: options.clone(),
        };
        qdrant.version = qdrant.server_version().await?;
        qdrant.ensure_collection().await?;
        Ok(qdrant)
    }

    /// The name of the collection.
    pub fn collection(&self) -> &str {
        &self.collection
    }

    /// Whether the server evaluates every condition of a filter. A condition that the server does not support is left
    /// out, and then the lexical index has to check the hits.
    pub fn evaluates(&self, filter: &envelope::Filter) -> bool {
        self.version.knows_substrings() || !filter.0.iter().any(filter::needs_substring)
    }
}
