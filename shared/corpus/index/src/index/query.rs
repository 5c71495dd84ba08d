//! Searches one snapshot of the index: from the words of a query to scored candidates.
//!
//! *Not* here: which words a query has ([`super::terms`]).

use super::filter::Restrictions;
use super::nearest::nearest;
use super::rows::Probe;
use super::schema;
use super::sentence_cache::{ChunkPlace, SentenceVectors};
use super::tenant::OfTenant;
use super::terms::Terms;
use super::vectors::{VectorSource, View};
use super::{Index, any_term, term_query};
use crate::Error;
use crate::gazetteer::Named;
use envelope::{ChunkRecord, Principal};
use search::{Neighbour, SearchRequest, filter_terms};
use static_embed::StaticEmbedder;
use std::sync::Arc;
use tantivy::collector::{Collector, Count, DocSetCollector, TopDocs};
use tantivy::query::{BooleanQuery, ConstScoreQuery, EnableScoring, Query};
use tantivy::{DocAddress, Executor, Searcher, Term};

/// An index with at most this many chunks is searched on one thread, because waking other threads takes longer.
pub const ONE_THREAD_CHUNKS_MAX: u64 = 50_000;
/// Most candidates of one search.
const FETCH_MAX: usize = 1_000;

/// The index at one moment: every part of a search sees the same chunks.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(super) index: Index,
    pub(super) searcher: Searcher,
    pub(super) view: View,
}

/// Scored chunks, best first, and how many match in all.
pub(crate) struct Hits {
    pub(crate) best: Vec<(f32, DocAddress)>,
    pub(crate) total: u64,
    /// Fields of the filter that no document has.
    pub(crate) unknown_fields: Vec<String>,
    /// Fields without a value that can be compared with what was asked.
    pub(crate) unlike_fields: Vec<String>,
}

impl Index {
    /// The index as of its last commit.
    pub(crate) fn snapshot(&self) -> Snapshot {
        // The chunks first: rows of chunks that came after them do no harm.
        let searcher = self.reader.searcher();
        Snapshot {
            view: self.vectors.view(),
            index: self.clone(),
            searcher,
        }
    }
}

impl Snapshot {
    /// The words of a request.
    pub(crate) fn terms(&self, request: &SearchRequest) -> Result<Terms, Error> {
        Terms::of(request, &self.searcher, self.index.fields.text)
    }

    /// The best `fetch_k` chunks of a request, by BM25 over text, title and path.
    pub(crate) fn by_words(&self, request: &SearchRequest, terms: &Terms) -> Result<Hits, Error> {
        let fields = &self.index.fields;
        let restrictions = self.restrictions(request)?;
        let only_tenant = restrictions.is_tenant_alone;
        let mut queries = restrictions.queries;
        queries.push(terms.query(fields));
        let mut query: Box<dyn Query> = Box::new(BooleanQuery::intersection(queries));
        if only_tenant {
            query = Box::new(OfTenant {
                tenant: Term::from_field_text(fields.tenant, request.principal.tenant.as_str()),
                words: terms.query(fields),
                restricted: query,
            });
        }
        let top = TopDocs::with_limit(request.fetch_k.clamp(1, FETCH_MAX)).order_by_score();
        let (best, total) = self.search(&*query, &(top, Count))?;
        Ok(Hits {
            best,
            total: total as u64,
            unknown_fields: restrictions.unknown_fields,
            unlike_fields: restrictions.unlike_fields,
        })
    }

    /// The best `k` chunks of a request that have a value which the query names, by BM25 as in
    /// [`Snapshot::by_words`].
    pub(crate) fn by_name(
        &self,
        request: &SearchRequest,
        terms: &Terms,
        named: &Named,
        k: usize,
    ) -> Result<Vec<(f32, DocAddress)>, Error> {
        let restrictions = self.restrictions(request)?;
        let mut queries = restrictions.queries;
        let fact = filter_terms::text_term(&named.field, &named.value);
        let has_it = term_query(Term::from_field_text(self.index.fields.facts, &fact));
        queries.push(Box::new(ConstScoreQuery::new(has_it, 0.0)));
        queries.push(terms.query(&self.index.fields));
        let top = TopDocs::with_limit(k.clamp(1, FETCH_MAX)).order_by_score();
        self.search(&BooleanQuery::intersection(queries), &top)
    }

    /// Asks the segments, those of a small index one after the other.
    pub(super) fn search<C: Collector>(
        &self,
        query: &dyn Query,
        collector: &C,
    ) -> Result<C::Fruit, Error> {
        let searcher = &self.searcher;
        if searcher.num_docs() > ONE_THREAD_CHUNKS_MAX {
            return Ok(searcher.search(query, collector)?);
        }
        let scoring = match collector.requires_scoring() {
            true => EnableScoring::enabled_from_searcher(searcher),
            false => EnableScoring::disabled_from_searcher(searcher),
        };
        let here = Executor::single_thread();
        Ok(searcher.search_with_executor(query, collector, &here, scoring)?)
    }

    /// The `k` chunks of a request that are closest to `vector`, by cosine; none when the index keeps
    /// no vectors of this kind.
    pub(crate) fn by_vector(
        &self,
        request: &SearchRequest,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(f32, DocAddress)>, Error> {
        let Some(rows) = self.view.rows.clone().filter(|_| k > 0) else {
            return Ok(Vec::new());
        };
        let query = BooleanQuery::intersection(self.restrictions(request)?.queries);
        let nearest = nearest(&self.searcher, rows, Probe::new(vector), k.min(FETCH_MAX))?;
        let close = self.search(&query, &nearest)?.into_iter();
        Ok(close.filter_map(|(score, at)| Some((score?, at))).collect())
    }

    /// The cosine of each chunk; `None` for one without a vector.
    pub(crate) fn cosines(
        &self,
        chunks: &[DocAddress],
        vector: &[f32],
    ) -> Result<Vec<Option<f32>>, Error> {
        let Some(vectors) = &self.view.rows else {
            return Ok(vec![None; chunks.len()]);
        };
        let probe = Probe::new(vector);
        let mut cosines = Vec::with_capacity(chunks.len());
        for chunks in chunks.chunk_by(|a, b| a.segment_ord == b.segment_ord) {
            let segment = self.searcher.segment_reader(chunks[0].segment_ord);
            let column = segment.fast_fields().u64(schema::ROW)?;
            let row = |chunk: &DocAddress| column.first(chunk.doc_id);
            let rows = chunks.iter().map(row);
            cosines.extend(rows.map(|row| row.and_then(|row| vectors.similarity(row, &probe))));
        }
        Ok(cosines)
    }

    /// The embedder whose vectors the index keeps, when they come with the chunks.
    pub(crate) fn carried_by(&self) -> Option<&str> {
        match &self.index.vectors.source {
            VectorSource::Carried { by, .. } => Some(by),
            VectorSource::None | VectorSource::Table(_) => None,
        }
    }

    /// The static table as it is fitted to this index; `None` before that, and for other embedders.
    pub(crate) fn fitted(&self) -> Option<&Arc<StaticEmbedder>> {
        self.view.fitted.as_ref().map(|fitted| &fitted.embedder)
    }

    /// What is kept of the sentences of some chunks, in their order.
    pub(crate) fn sentences(
        &self,
        chunks: impl Iterator<Item = DocAddress>,
    ) -> Vec<Option<SentenceVectors>> {
        match &self.view.fitted {
            Some(fitted) => fitted.sentences.get(chunks.map(|chunk| self.place(chunk))),
            None => chunks.map(|_| None).collect(),
        }
    }

    /// Keeps those of a chunk, at most so many bytes in all.
    pub(crate) fn keep_sentences(&self, chunk: DocAddress, vectors: SentenceVectors, most: usize) {
        if let Some(fitted) = &self.view.fitted {
            fitted.sentences.put(self.place(chunk), vectors, most);
        }
    }

    fn place(&self, chunk: DocAddress) -> ChunkPlace {
        let segment = self.searcher.segment_reader(chunk.segment_ord);
        (segment.segment_id(), chunk.doc_id)
    }

    /// Whether a principal may read the whole of its tenant.
    pub(crate) fn reads_all(&self, principal: &Principal) -> Result<bool, Error> {
        self.index.reads_all(&self.searcher, principal)
    }

    /// What restricts a request here.
    pub(crate) fn restrictions(&self, request: &SearchRequest) -> Result<Restrictions, Error> {
        let SearchRequest {
            principal,
            buckets,
            filter,
            ..
        } = request;
        self.index
            .restrictions(&self.searcher, (principal, buckets, filter))
    }

    /// The addresses of chunks that another store has found, at most `most`, closest first. That store may be
    /// older, and may have left a condition out: a chunk that is not here, or that the request excludes here, is
    /// left out.
    pub(crate) fn find(
        &self,
        near: &[Neighbour],
        restrictions: Restrictions,
        most: usize,
    ) -> Result<Vec<(f32, DocAddress)>, Error> {
        let key = |near: &Neighbour| {
            let chunk = &near.chunk;
            let key = schema::key(&chunk.bucket, &chunk.doc_id, chunk.n);
            Term::from_field_text(self.index.fields.key, &key)
        };
        let mut queries = restrictions.queries;
        queries.push(any_term(near.iter().map(key)));
        let query = BooleanQuery::intersection(queries);
        let let_through = self.searcher.search(&query, &DocSetCollector)?;
        let mut found = Vec::with_capacity(near.len().min(most));
        for near in near {
            if found.len() == most {
                break;
            }
            let query = term_query(key(near));
            let there = self.searcher.search(&*query, &DocSetCollector)?;
            let there = there.into_iter().find(|at| let_through.contains(at));
            found.extend(there.map(|at| (near.score, at)));
        }
        Ok(found)
    }

    /// The values of the corpus' metadata that a text names.
    pub(crate) fn named(&self, text: &str) -> Result<Vec<Named>, Error> {
        Ok(self.index.names_of(&self.searcher)?.named(text))
    }

    /// Every chunk.
    #[cfg(test)]
    pub(crate) fn all(&self) -> Vec<DocAddress> {
        let all = self
            .searcher
            .search(&tantivy::query::AllQuery, &DocSetCollector)
            .unwrap();
        let mut all: Vec<DocAddress> = all.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// What a chunk is.
    pub(crate) fn record(&self, chunk: DocAddress) -> Result<ChunkRecord, Error> {
        self.index.stored(&self.searcher, chunk)
    }
}
