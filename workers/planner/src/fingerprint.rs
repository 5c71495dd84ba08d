//! Tells whether two searches are the same. A round whose search has the same words as the round before continues in
//! the result list of that round.

use std::collections::BTreeSet;
use text::words;

/// The words of a search, without order, repetition, case, endings and stop words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint(BTreeSet<String>);

impl Fingerprint {
    /// The fingerprint of a query. A query of stop words alone is compared by these.
    pub(crate) fn of(query: &str) -> Self {
        let content: BTreeSet<_> = words::content(query).into_iter().collect();
        if content.is_empty() {
            return Fingerprint(words::runs(query).map(str::to_lowercase).collect());
        }
        Fingerprint(content)
    }

    /// Whether one of `earlier` is the same search.
    pub(crate) fn is_among(&self, earlier: &[String]) -> bool {
        earlier.iter().any(|query| Fingerprint::of(query) == *self)
    }
}
