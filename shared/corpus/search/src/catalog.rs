//! The interface through which a planner gets the catalog of the corpus: its buckets and their columns.
//!
//! A planner also plans with an empty catalog: it gets one when nothing replies, when the reply is an error, and when
//! there are no documents. *Not* here: how a catalog is made or kept; the binary composes that.

use envelope::Principal;
use envelope::lookup::CorpusCatalog;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// A source of catalogs of what somebody may read.
pub trait CatalogSource: Send + Sync + 'static {
    /// The buckets of a principal's documents with their columns, as of a short while ago; empty if they are unknown. It returns soon,
    /// because a question waits for it.
    fn catalog<'a>(&'a self, principal: &'a Principal) -> BoxFuture<'a, Arc<CorpusCatalog>>;
}

/// A source that always returns an empty catalog.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCatalog;

impl CatalogSource for NoCatalog {
    fn catalog<'a>(&'a self, _principal: &'a Principal) -> BoxFuture<'a, Arc<CorpusCatalog>> {
        Box::pin(std::future::ready(Arc::default()))
    }
}
