//! Signals in the result of a search that show whether there is an answer. Pure. The measurement decides which signal
//! is the best one.

use search::SearchResult;

/// A number made of one search; the higher, the likelier an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// The relevance that the searcher reports, see [`SearchResult::relevance`].
    Relevance,
    /// The best score.
    Top,
}

impl Signal {
    /// All of them; the first is the one that reports show.
    pub(super) const ALL: [Signal; 2] = [Signal::Relevance, Signal::Top];

    /// Its name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Signal::Relevance => "relevance",
            Signal::Top => "top",
        }
    }

    /// The signal of a search; 0 when nothing was found.
    pub(super) fn of(self, result: &SearchResult) -> f64 {
        f64::from(match self {
            Signal::Relevance => result.relevance,
            Signal::Top => result.passages.first().map_or(0.0, |p| p.score),
        })
    }
}
