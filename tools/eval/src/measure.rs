//! Asks every question of a data set, one after the other, and times the searches.

use super::Error;
use super::dataset::{Dataset, Question, Ranking, Unit};
use super::signal::Signal;
use envelope::{Filter, TenantId};
use search::{SearchRequest, SearchResult, Searcher};
use std::time::Instant;

/// How many passages a hit may be among.
pub(super) const SHOWN: usize = 10;
/// How many candidates the index is asked for, and how deep is looked for what was missed.
pub(super) const DEPTH: usize = 100;
/// Searches before the clock runs: files are read, memory is touched.
const WARM_UP: usize = 20;

/// What came of one question.
pub(super) struct Asked {
    /// The ranking. To [`DEPTH`] where documents are the unit, else to [`SHOWN`].
    pub(super) ranking: Ranking,
    /// The same for a search that returns [`DEPTH`] passages.
    pub(super) deep: Option<Ranking>,
    /// The chunks of the longest list and their scores, best first.
    pub(super) passages: Vec<(String, f32)>,
    /// Signals, in the order of [`Signal::ALL`].
    pub(super) signals: [f64; Signal::ALL.len()],
    /// How long the search took, in milliseconds.
    pub(super) ms: f64,
}

/// Asks all questions. `deep` looks at [`DEPTH`] passages as well, where that is another search.
pub(super) async fn ask(
    searcher: &dyn Searcher,
    dataset: &Dataset,
    deep: bool,
    tell: impl Fn(usize),
) -> Result<Vec<Asked>, Error> {
    // A document has one chunk or a few: with so many chunks, ten documents come out.
    let top_k = match dataset.unit {
        Unit::Document => DEPTH,
        Unit::Chunk => SHOWN,
    };
    for question in dataset.questions.iter().take(WARM_UP) {
        search(searcher, question, top_k).await?;
    }
    let mut all = Vec::with_capacity(dataset.questions.len());
    for (n, question) in dataset.questions.iter().enumerate() {
        tell(n);
        let start = Instant::now();
        let result = search(searcher, question, top_k).await?;
        let ms = start.elapsed().as_secs_f64() * 1_000.0;
        let signals = Signal::ALL.map(|signal| signal.of(&result));
        let ranking = question.gold.ranking(&result.passages);
        let longest = match dataset.unit {
            Unit::Chunk if deep => search(searcher, question, DEPTH).await?,
            Unit::Chunk | Unit::Document => result,
        };
        let is_deep = deep || dataset.unit == Unit::Document;
        all.push(Asked {
            ranking,
            deep: is_deep.then(|| question.gold.ranking(&longest.passages)),
            passages: longest
                .passages
                .into_iter()
                .map(|p| (p.chunk_id, p.score))
                .collect(),
            signals,
            ms,
        });
    }
    Ok(all)
}

/// Asks one question as it stands, for so many passages.
pub(super) async fn search(
    searcher: &dyn Searcher,
    question: &Question,
    top_k: usize,
) -> Result<SearchResult, Error> {
    let request = request(&question.text, top_k);
    let searched = searcher.search(&request).await;
    searched.map_err(|error| Error::Question {
        id: question.id.clone(),
        error,
    })
}

/// A search for a question as it stands.
pub(crate) fn request(question: &str, top_k: usize) -> SearchRequest {
    SearchRequest {
        principal: TenantId::default_tenant().into(),
        buckets: Vec::new(),
        filter: Filter::default(),
        query: question.to_owned(),
        keywords: Vec::new(),
        context: None,
        strategy: Default::default(),
        fetch_k: DEPTH,
        top_k,
        after: None,
    }
}
