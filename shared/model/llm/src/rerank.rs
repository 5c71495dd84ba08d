//! The contract of every reranker: it scores how well texts answer a query. *Not* the built-in one, which looks at
//! words and needs no model: see `index`.

use crate::chat::Error;
use futures_util::future::BoxFuture;

/// A model that reads a query and a text together.
pub trait Reranker: Send + Sync + 'static {
    /// Names the model.
    fn name(&self) -> &str;

    /// Most texts of one call.
    fn texts_max(&self) -> usize;

    /// One score for each text, in order. A higher score is better, and only scores of one call can be compared. Long
    /// texts are cut. The call has a time limit.
    fn scores<'a>(
        &'a self,
        query: &'a str,
        texts: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<f32>, Error>>;
}
